"""What guards the logs of a store while people label: seals and backups, the same for every store.

A seal is how far a log had come, kept outside the database: its number of events and the hash of
the last, written about a second after an event was stored, never before it. A log that is shorter
than its seal has lost its end: an older copy was put back, or the newest changes were lost. One
that has another hash there was chained anew. Both still follow from their first event, so nothing
else tells. A backup is the whole store in a file that is a store itself, whatever the store is kept
in. Both lie beside the place that a store names (``LabelStore.guarded``), "labels.seals" and
"labels.backups" beside "labels.db". Nothing here is waited for and nothing here can fail a label:
what goes wrong becomes a sentence.

Who can write to that folder can write or delete what is in it; against them stands what has left
the machine.
"""

from __future__ import annotations

import atexit
import logging
import shutil
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from labelcore.errors import StoreBusyError, StoreError, UnknownProjectError
from labelcore.log.events import ANSWER_KINDS, Event
from labelcore.store.anchor import AnchorCopy, anchor_address, send, statement, told
from labelcore.store.base import LabelStore, Seal, SealedProject
from labelcore.store.kept import (
    FORGED,
    STAMP,
    BackupCopy,
    SealsCopy,
    SealsFile,
    backups,
    backups_folder,
    change_seals,
    first_difference,
    half_copies,
    identity_of,
    made_at,
    read_seals_file,
    seals_file,
)
from labelcore.store.signing import public_key

SEAL_SECONDS = 1.0
"""From an event to its seal: what comes meanwhile is sealed with it."""
IDLE_SECONDS = 5.0
"""After which a thread without work ends; the next event starts another."""
BACKUP_ANSWERS, BACKUP_SECONDS, HOUR = 100, 10.0, 3600.0
"""A backup is due with the first answer that a process stores, then after as many again as there
were, at most so many, and an hour after the last one; not sooner after the one before it."""
SHARE = 30
"""Nor sooner than so many times what that one took."""
LEFT_SECONDS = 600.0
"""After which a half backup is that of a process that was killed."""
SPARE_BYTES = 20_000_000
"""What a backup leaves free on the disk beside its own size."""
NEWEST, DAYS, MIGRATED = 3, 7, 2
"""Backups that are kept: the newest, the last one of each day, those from before a migration."""
BESIDE = ("", "-wal", "-shm")
"""The files of a database, by what follows its name."""
HOURLY = "hour"
GIVEN_UP = "given-up"
"""The folder of backups that hold what somebody said is lost."""
log = logging.getLogger(__name__)


def seal(store: LabelStore, place: Path, pending: Mapping[str, Event]) -> None:
    """Seal logs at these events, by project, as far as the store has them and is not sealed further
    on. Raises StoreError."""
    sealed = {}
    for name, event in pending.items():
        with suppress(UnknownProjectError):  # It has another name since, and its next event tells.
            there = store.events(name, event.sequence - 1)
            if there and there[0].hash == event.hash:
                key = identity_of(store.project(name))
                sealed[key] = SealedProject(name, Seal(event.sequence, event.hash, event.at))

    def further(file: SealsFile) -> SealsFile:
        if file.forged:
            raise StoreError(FORGED.format(file=seals_file(place)))
        if not store.in_place():
            return file  # A backup has taken its place, and is sealed by who put it there.
        seals = dict(file.seals)
        for key, project in sealed.items():
            before = seals.get(key)
            if before is None or before.seal.events <= project.seal.events:
                given_up = before.given_up if before else ()
                seals[key] = SealedProject(project.project, project.seal, given_up)
        return replace(file, seals=seals, coming={})

    change_seals(place, further)


def seal_anew(store: LabelStore) -> None:
    """Seal every log where it ends now, keep the seal of one that was longer or another as given
    up, and set backups aside that this log does not hold.

    Raises StoreError.
    """
    if store.guarded is not None:
        change_seals(store.guarded, partial(_anew, store, store.guarded))


def _anew(store: LabelStore, place: Path, file: SealsFile) -> SealsFile:
    seals: dict[str, SealedProject] = {}
    logs: dict[str, Sequence[Event]] = {}
    for record in store.projects():
        key, events = identity_of(record), store.events(record.name)
        logs[key], old = events, file.seals.get(key)
        given_up = old.given_up if old else ()
        if old and first_difference(events, SealsCopy(file), key):
            number, last = file.anchored.get(key, (0, ""))
            sent = [Seal(number, last, old.seal.at)] if number not in (0, old.seal.events) else []
            given_up = (*given_up, *sent, old.seal)
        if events or given_up:
            at = datetime.now(UTC).isoformat(timespec="microseconds")
            last = events[-1].hash if events else ""
            seals[key] = SealedProject(record.name, Seal(len(events), last, at), given_up)
    for backup in backups(place):
        copy = BackupCopy(backup)
        if not copy.damage and any(
            key not in logs or first_difference(logs[key], copy, key) for key in copy.projects
        ):
            aside = backup.parent / GIVEN_UP
            aside.mkdir(mode=0o700, exist_ok=True)
            backup.rename(aside / backup.name)
    return replace(file, seals=seals, coming={})


def announce(copy: LabelStore | None, place: Path) -> None:
    """Say in the seals at a place that the logs of a copy are to be the ones there, or that none
    are. Raises StoreError."""
    change_seals(place, lambda file: replace(file, coming=_ends(_logs(copy)) if copy else {}))


def seal_what_came(store: LabelStore) -> None:
    """Seal logs anew where they are those that were announced: the process that put them there was
    killed just then. Others, such as of any older copy, stay what their seals call them. So do
    those that the anchor knows otherwise: an announcement can come back with the seals that it
    stood in, and what has left the machine is given up by a person alone."""
    if (place := store.guarded) is None or not (file := read_seals_file(place)).coming:
        return
    logs = _logs(store)
    anchors = [copy for copy in store.copies() if isinstance(copy, AnchorCopy)]
    ours = not file.forged and file.key == public_key(place)
    if ours and file.coming == _ends(logs) and not any(
        anchor.damage or first_difference(events, anchor, key)
        for anchor in anchors
        for key, events in logs.items()
    ):  # fmt: skip
        seal_anew(store)


def _logs(store: LabelStore) -> dict[str, list[Event]]:
    """By identity."""
    return {identity_of(record): store.events(record.name) for record in store.projects()}


def _ends(logs: Mapping[str, Sequence[Event]]) -> dict[str, list[Any]]:
    """How many events each log has, and the hash of the last."""
    return {key: [len(log), log[-1].hash if log else ""] for key, log in logs.items()}


def rotate(place: Path) -> None:
    """Remove backups that nobody needs: not among the newest, not the last one of its day, and
    with nothing in it that the newest has not."""
    every = backups(place)
    migrated = [backup for backup in every if "-version-" in backup.name]
    plain = [backup for backup in every if backup not in migrated]
    last_of_day: dict[str, Path] = {}
    for backup in plain:
        last_of_day.setdefault(f"{made_at(backup):%Y%m%d}", backup)
    kept = {*plain[:NEWEST], *list(last_of_day.values())[:DAYS], *migrated[:MIGRATED]}
    for backup in every:
        if backup not in kept and BackupCopy(every[0]).holds(BackupCopy(backup)):
            for end in BESIDE:
                Path(f"{backup}{end}").unlink(missing_ok=True)


def back_up_now(place: Path, write: Callable[[Path], object], mark: str = "") -> Path:
    """Let ``write`` write a backup into the folder of backups, and remove what is not needed any
    more.

    mark   stands at the end of the name, such as "-version-1"

    Raises StoreError; where the disk has no room, nothing is written.
    """
    folder = backups_folder(place)
    like = [place, *backups(place)][0 if place.exists() else -1]
    size = sum(file.stat().st_size for end in BESIDE if (file := Path(f"{like}{end}")).exists())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}") from error
    if free < size + SPARE_BYTES:
        raise StoreError(
            f"the disk of {folder} has {free / 1e6:,.0f} MB free, and a backup needs "
            f"{(size + SPARE_BYTES) / 1e6:,.0f} MB"
        )
    for half in [*folder.glob("*.half*"), *half_copies(place)]:
        if time.time() - half.stat().st_mtime > LEFT_SECONDS:
            half.unlink(missing_ok=True)
    stamp = datetime.now(UTC).strftime(STAMP)
    backup = folder / f"{place.stem}-{stamp}{mark}{place.suffix}"
    write(backup)
    rotate(place)
    return backup


# While people label


_alive: weakref.WeakSet[Guard] = weakref.WeakSet()


class Guard:
    """Seals and backups of one open store.

    problem   why the newest of them could not be made, "" when it could
    """

    def __init__(self, store: LabelStore) -> None:
        self.problem = ""
        self._store = store
        self._pending: dict[str, Event] = {}
        self._answers = self._backed_up = 0
        self._took = 0.0
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = self._asked = False
        self._why = ""
        _alive.add(self)

    def noticed(self, project: str, events: Sequence[Event]) -> None:
        """Events were stored: costs a press a few microseconds."""
        with self._wake:
            self._pending[project] = events[-1]
            self._answers += sum(event.kind in ANSWER_KINDS for event in events)
            self._start()

    def hour(self) -> None:
        """Back up what no event has led to a backup of, where it is time for that."""
        with suppress(OSError):
            if self._why or self._due():
                with self._wake:
                    self._asked = True
                    self._start()

    def anchor(self, why: str) -> None:
        """Have the seals of now brought to the anchor, where there is one."""
        if self._address():
            with self._wake:
                self._why, self._asked = why, True
                self._start()

    def close(self) -> None:
        """Seal what is not sealed yet."""
        with self._wake:
            self._closing = True
            self._wake.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _start(self) -> None:
        if self._thread is None and not self._closing:
            self._thread = threading.Thread(target=self._run, name="guard", daemon=True)
            self._thread.start()
            _every_hour()
        self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._pending or self._asked or self._closing,
                                    IDLE_SECONDS)  # fmt: skip
                if not (self._pending or self._asked):
                    self._thread = None
                    return
                self._wake.wait_for(lambda: self._closing, SEAL_SECONDS)
                pending, self._pending, self._asked = self._pending, {}, False
                why, self._why = self._why, ""
            self._guard(pending, why)

    def _guard(self, pending: dict[str, Event], why: str) -> None:
        place = self._store.guarded
        if place is None:
            return
        try:
            if not self._store.in_place():
                return  # Moved or replaced: what is there now is another one's to guard.
            self.problem = ""
            seal(self._store, place, pending)
        except (OSError, StoreError) as error:
            self._says("The labels are not sealed", error)
            with self._wake:
                if isinstance(error, StoreBusyError) and not self._closing:
                    self._pending = {**pending, **self._pending}  # Until it answers again.
                    self._why = self._why or why
                    return
        try:
            if self._due():
                answers, began = self._answers, time.monotonic()
                back_up_now(place, self._store.backup)
                self._backed_up, self._took = answers, time.monotonic() - began
        except (OSError, ValueError, sqlite3.Error) as error:
            self._says("No backup could be made", error)
        try:
            self._anchor(place, why)
        except (OSError, ValueError) as error:
            self._why = self._why or why or HOURLY  # Tried again in a minute.
            self._says("The seals were not brought to the anchor", error)

    def _address(self) -> str:
        """Of the anchor, "" where there is none, or this is it."""
        own = (self._store.url, f"sqlite:///{self._store.guarded}")
        return "" if (address := anchor_address()) in own else address

    def _anchor(self, place: Path, why: str) -> None:
        if not (address := self._address()):
            return
        file = read_seals_file(place)
        since = (datetime.now(UTC) - datetime.fromisoformat(file.sent)) if file.sent else None
        # One that is dated after now was sent while the clock was wrong.
        if not why and since is not None and abs(since.total_seconds()) < HOUR:
            return
        logs = {
            key: told(self._store, replace(sealed, project=record.name), known or (0, ""))
            for record in self._store.projects()
            if (sealed := file.seals.get(key := identity_of(record)))
            and (known := file.anchored.get(key)) != [sealed.seal.events, sealed.seal.hash]
        }
        if logs:
            at = datetime.now(UTC)
            send(address, f"{place.stem}-{at:{STAMP}}", statement(place, why or HOURLY, logs))
            done = {
                key: [log.sealed.seal.events, log.sealed.seal.hash] for key, log in logs.items()
            }
            sent = at.isoformat()
            change_seals(
                place, lambda now: replace(now, anchored={**now.anchored, **done}, sent=sent)
            )

    def _due(self) -> bool:
        place, new = self._store.guarded, self._answers - self._backed_up
        if place is None or not new:
            return False
        newest = next((at for backup in backups(place) if (at := made_at(backup))), None)
        # One that is dated after now was made while the clock was wrong.
        age = abs((datetime.now(UTC) - newest).total_seconds()) if newest else float("inf")
        enough = new >= min(max(self._backed_up, 1), BACKUP_ANSWERS) or age >= HOUR
        return enough and age >= max(BACKUP_SECONDS, SHARE * self._took)

    def _says(self, what: str, error: Exception) -> None:
        cause = str((isinstance(error, OSError) and error.strerror) or error).removesuffix(".")
        self.problem = f"{what}: {cause}. Labels are stored all the same."
        log.warning(self.problem)


_clock: list[threading.Thread] = []


def _every_hour() -> None:
    """One thread for all stores that looks now and then what is due without an event."""

    def looks() -> None:
        while True:
            time.sleep(HOUR / 60)
            for guard in list(_alive):
                guard.hour()

    if not _clock:
        _clock.append(threading.Thread(target=looks, name="guard clock", daemon=True))
        _clock[0].start()


@atexit.register
def _seal_the_last() -> None:
    for guard in list(_alive):
        guard.close()
