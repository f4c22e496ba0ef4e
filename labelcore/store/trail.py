"""The audit trail of a store: who came, was refused, saw, took away, erased and put back what.

Lines are append-only and chained. They stand in the store, and as lines of JSON in a file beside
it, "labels.audit" beside "labels.db", for whoever collects logs. Whoever does something waits for
neither: lines are gathered and written together.
"""

import atexit
import getpass
import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from labelcore.errors import StoreError
from labelcore.store.base import Act, LabelStore, beside

TOGETHER_SECONDS = 0.25
MOST_TOGETHER, GAP_SECONDS = 200, 0.004
"""Lines of one transaction, and the time between two: a press waits for one at most."""
MOST_WAITING = 200_000
"""Lines that wait for a store that cannot be written; the oldest are lost."""
OWNER_ONLY = 0o600
log = logging.getLogger(__name__)


def act(who: str, what: str, about: str = "") -> Act:
    """A line of now, without its number."""
    at = datetime.now(UTC).isoformat(timespec="microseconds")
    return Act(0, at, who[:200], what, about[:400])


def command_user() -> str:
    """Who runs a command, as the machine calls them."""
    try:
        return f"{getpass.getuser()} (command)"
    except (OSError, KeyError):
        return "command"


def trail_file(place: Path) -> Path:
    return beside(place, ".audit")


def note(store: LabelStore, *acts: Act) -> None:
    """Write lines now: to the store, and to the file beside it. Raises StoreError."""
    note_beside(store, store.note_acts(acts))


def note_beside(store: LabelStore, acts: Sequence[Act]) -> None:
    """Write lines that the store has to the file beside it."""
    if store.guarded is None or not acts:
        return
    lines = "".join(json.dumps(line.row(), ensure_ascii=False) + "\n" for line in acts)
    with suppress(OSError):
        file = trail_file(store.guarded)
        file.touch(mode=OWNER_ONLY)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(lines)


def cut_off(store: LabelStore) -> int:
    """How many lines stand beside the store and not in it, where its trail was cut."""
    file = trail_file(store.guarded) if store.guarded is not None else None
    if file is None or not file.is_file():
        return 0
    beside = file.read_text("utf-8", "replace").split("\n")
    known, gone = {line.hash for line in store.acts()}, 0
    for line in beside:
        with suppress(ValueError, TypeError, KeyError):  # The last one may be half written.
            gone += json.loads(line)["hash"] not in known
    return gone


class Trail:
    """Lines that are written by a thread, to the store that is open then.

    store   gives it; raises StoreError where it cannot be opened
    where   its address: lines for another one than that of now are too late, and are dropped
    """

    def __init__(self, store: Callable[[], LabelStore], where: Callable[[], str]) -> None:
        self._store, self._where = store, where
        self._waiting: list[tuple[str, Act]] = []
        self._wake = threading.Condition()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        atexit.register(self.flush)

    def note(self, who: str, what: str, about: str = "") -> None:
        """Costs some microseconds."""
        with self._wake:
            self._waiting.append((self._where(), act(who, what, about)))
            del self._waiting[:-MOST_WAITING]
            self._begin()
            self._wake.notify()

    def flush(self) -> None:
        """Write what waits; where the store cannot be written it waits on."""
        with self._writing:
            while True:
                with self._wake:
                    here, first = self._where(), self._waiting[:MOST_TOGETHER]
                    some = [entry for entry in first if entry[0] == here]
                    self._waiting[: len(first)] = some
                if not first:
                    return
                try:
                    note(self._store(), *(entry for _, entry in some))
                except (StoreError, ValueError, OSError) as error:
                    log.warning("The audit trail waits: %s", error)
                    return
                with self._wake:
                    del self._waiting[: len(some)]
                    more = bool(self._waiting)
                if more:
                    time.sleep(GAP_SECONDS)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="trail", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._waiting)
            time.sleep(TOGETHER_SECONDS)
            self.flush()
