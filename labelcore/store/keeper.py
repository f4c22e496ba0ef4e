"""What guards a database while people label: seals and backups, made in a thread of their own.

Nothing here is waited for and nothing here can fail a label: what goes wrong becomes a sentence.
"""

from __future__ import annotations

import atexit
import logging
import shutil
import sqlite3
import threading
import time
import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from labelcore.errors import StoreError
from labelcore.log.events import ANSWER_KINDS, Event
from labelcore.store.kept_backups import BESIDE, STAMP, backups, backups_folder, made_at, rotate
from labelcore.store.seals import seal
from labelcore.store.sqlite_backup import copy_database
from labelcore.store.sqlite_file import file_identity

SEAL_SECONDS = 1.0
"""From an event to its seal: what comes meanwhile is sealed with it."""
IDLE_SECONDS = 5.0
"""After which a thread without work ends; the next event starts another."""
BACKUP_ANSWERS, BACKUP_SECONDS = 100, 10.0
"""A backup is due with the first answer that a process stores, then after as many again as there
were, at most so many; and not sooner after the one before it."""
LEFT_SECONDS = 600.0
"""After which a half backup is that of a process that was killed."""
SPARE_BYTES = 20_000_000
"""What a backup leaves free on the disk beside its own size."""
log = logging.getLogger(__name__)

_alive: weakref.WeakSet[Keeper] = weakref.WeakSet()


def back_up_now(database: Path, mark: str = "") -> Path:
    """Copy the database to its folder of backups, and remove what is not needed any more.

    mark   stands at the end of the name, such as "-version-1"

    Raises StoreError; where the disk has no room, nothing is written.
    """
    folder = backups_folder(database)
    size = sum(one.stat().st_size for end in BESIDE if (one := Path(f"{database}{end}")).exists())
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}") from error
    if free < size + SPARE_BYTES:
        raise StoreError(
            f"the disk of {folder} has {free / 1e6:,.0f} MB free, and a backup needs "
            f"{(size + SPARE_BYTES) / 1e6:,.0f} MB"
        )
    for half in folder.glob("*.half*"):
        if time.time() - half.stat().st_mtime > LEFT_SECONDS:
            half.unlink(missing_ok=True)
    stamp = datetime.now(UTC).strftime(STAMP)
    made = folder / f"{database.stem}-{stamp}{mark}{database.suffix}"
    copy_database(database, made)
    rotate(database)
    return made


class Keeper:
    """Seals and backups of one database.

    problem   why the newest of them could not be made, "" when it could
    """

    def __init__(self, database: Path) -> None:
        self.problem = ""
        self._database = database
        self._identity = file_identity(database)
        self._pending: dict[int, Event] = {}
        self._answers = self._backed_up = 0
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False
        _alive.add(self)

    def noticed(self, project: int, events: Sequence[Event]) -> None:
        """Events were stored: costs a press a few microseconds."""
        with self._wake:
            self._pending[project] = events[-1]
            self._answers += sum(one.kind in ANSWER_KINDS for one in events)
            if self._thread is None and not self._closing:
                self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
                self._thread.start()
            self._wake.notify()

    def close(self) -> None:
        """Seal what is not sealed yet."""
        with self._wake:
            self._closing = True
            self._wake.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._pending or self._closing, IDLE_SECONDS)
                if not self._pending:
                    self._thread = None
                    return
                self._wake.wait_for(lambda: self._closing, SEAL_SECONDS)
                pending, self._pending = self._pending, {}
            self._guard(pending)

    def _guard(self, pending: dict[int, Event]) -> None:
        if file_identity(self._database) != self._identity:
            return  # moved or replaced: what is there now is another one's to guard
        try:
            seal(self._database, pending)
            self.problem = ""
        except (OSError, sqlite3.Error) as error:
            self._says("The labels are not sealed", error)
        try:
            if self._due():
                answers = self._answers
                back_up_now(self._database)
                self._backed_up = answers
        except (OSError, ValueError, sqlite3.Error) as error:
            self._says("No backup could be made", error)

    def _due(self) -> bool:
        new = self._answers - self._backed_up
        if new < min(max(self._backed_up, 1), BACKUP_ANSWERS):
            return False
        newest = next((at for one in backups(self._database) if (at := made_at(one))), None)
        # One that is dated after now was made while the clock was wrong.
        age = abs((datetime.now(UTC) - newest).total_seconds()) if newest else float("inf")
        return age >= BACKUP_SECONDS

    def _says(self, what: str, error: Exception) -> None:
        cause = error.strerror or error if isinstance(error, OSError) else error
        self.problem = f"{what}: {cause}. Labels are stored all the same."
        log.warning(self.problem)


@atexit.register
def _seal_the_last() -> None:
    for one in list(_alive):
        one.close()
