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
import json
import logging
import shutil
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Any

from labelcore.errors import StoreBusyError, StoreError, UnknownProjectError
from labelcore.log.events import ANSWER_KINDS, Event, common
from labelcore.store.anchor import (
    COMMAND,
    AnchorCopy,
    anchor_address,
    send,
    statement,
    told,
)
from labelcore.store.base import Copy, LabelStore, ProjectRecord, Seal, SealedProject, identity
from labelcore.store.signing import is_signed, key_file, public_key, signed
from labelcore.whole_file import whole_file

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
STAMP = "%Y%m%dT%H%M%S%fZ"
HOURLY = "hour"
FORGED = "{file} was not written with the key of this store"
GIVEN_UP = "given-up"
"""The folder of backups that hold what somebody said is lost."""
log = logging.getLogger(__name__)


# Seals


def identity_of(record: ProjectRecord) -> str:
    return identity(record.created_at, record.fingerprint, record.plan_json)


def seals_file(place: Path) -> Path:
    """One with another ending has its own: it may be a copy that goes another way."""
    name = place.stem if place.suffix == ".db" else place.name
    return place.with_name(f"{name}.seals")


@dataclass(frozen=True)
class SealsFile:
    """What the file beside a store says.

    forged    whether the key of the store is there, and the file was not signed with it
    anchored  by identity how far the last statement at the anchor came: number of events, hash;
              ``sent`` is when that was
    keys      that it was signed with before one was lost
    """

    seals: Mapping[str, SealedProject] = field(default_factory=dict)
    forged: bool = False
    anchored: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    sent: str = ""
    key: str = ""
    keys: Sequence[str] = ()


def read_seals_file(place: Path) -> SealsFile:
    """Empty where there is no file, or none that can be read: a power cut may leave that, and it
    must not hold up the labels."""
    try:
        values = json.loads(seals_file(place).read_text("utf-8"))
        own, key = public_key(place), str(values["key"])
        return SealsFile(
            {name: _sealed(one) for name, one in values["seals"].items()},
            bool(own) and not (key == own and is_signed(values)),
            values["anchored"],
            values["sent"],
            key,
            values["keys"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return SealsFile()


def read_seals(place: Path) -> Mapping[str, SealedProject]:
    """By identity."""
    return read_seals_file(place).seals


def _sealed(values: Mapping[str, Any]) -> SealedProject:
    given_up = tuple(Seal(**one) for one in values.get("given_up", ()))
    return SealedProject(str(values["project"]), Seal(**values["seal"]), given_up)


def write_seals(place: Path, file: SealsFile) -> None:
    """All of it or nothing, on the disk when this returns. Raises OSError."""
    own = public_key(place)
    lost = [file.key] if file.key and file.key != own else []
    values = {
        "seals": {key: asdict(one) for key, one in file.seals.items()},
        "anchored": file.anchored,
        "sent": file.sent,
        "keys": [*file.keys, *lost],
    }
    seals_file(place).parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(signed(place, values), ensure_ascii=False)
    with whole_file(seals_file(place)) as stream:
        stream.write(text.encode())


def seal(store: LabelStore, place: Path, pending: Mapping[str, Event]) -> None:
    """Seal logs at these events, by project, as far as the store has them and is not sealed further
    on. Raises OSError, StoreError."""
    found = {}
    for name, event in pending.items():
        with suppress(UnknownProjectError):  # It has another name since, and its next event tells.
            there = store.events(name, event.sequence - 1)
            if there and there[0].hash == event.hash:
                key = identity_of(store.project(name))
                found[key] = SealedProject(name, Seal(event.sequence, event.hash, event.at))
    file = read_seals_file(place)
    if file.forged:
        raise StoreError(FORGED.format(file=seals_file(place)))
    seals = dict(file.seals)
    for key, one in found.items():
        before = seals.get(key)
        if before is None or before.seal.events <= one.seal.events:
            given_up = before.given_up if before else ()
            seals[key] = SealedProject(one.project, one.seal, given_up)
    write_seals(place, replace(file, seals=seals))


def seal_anew(store: LabelStore) -> None:
    """Seal every log where it ends now, keep the seal of one that was longer or another as given
    up, and set backups aside that this log does not hold.

    Raises OSError, StoreError.
    """
    if store.guarded is None:
        return
    file, seals, logs = read_seals_file(store.guarded), {}, {}
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
    for one in backups(store.guarded):
        copy = BackupCopy(one)
        if not copy.damage and any(
            key not in logs or first_difference(logs[key], copy, key) for key in copy.projects
        ):
            aside = one.parent / GIVEN_UP
            aside.mkdir(mode=0o700, exist_ok=True)
            one.rename(aside / one.name)
    write_seals(store.guarded, replace(file, seals=seals))


# What a log is held against


class SealsCopy(Copy):
    """The seals beside a store; ``keys`` signed them, the first first."""

    what = "its seal"

    def __init__(self, file: SealsFile, place: Path | None = None) -> None:
        self.projects, self.forged = file.seals, file.forged
        self.keys = [*file.keys, *filter(None, [file.key])]
        if file.forged and place is not None:
            self.damage = FORGED.format(file=seals_file(place))


class BackupCopy(Copy):
    """A backup as it stands, read without opening it as a store."""

    def __init__(self, file: Path) -> None:
        self.what, self.file, self.damage = f"the backup {file.name}", file, ""
        self._read = self._sealed()
        self.projects = {key: one for key, (one, _) in self._read.items()}

    def _sealed(self) -> dict[str, tuple[SealedProject, int]]:
        try:
            with closing(_reader(self.file)) as connection:
                asked = "SELECT id, name, created_at, fingerprint, plan_json FROM project"
                rows = connection.execute(asked).fetchall()
                return {
                    identity(*rest): (SealedProject(name, _last_event(connection, number)), number)
                    for number, name, *rest in rows
                }
        except (sqlite3.Error, UnicodeDecodeError) as error:
            self.damage = str(error)
            return {}

    def hashes(self, key: str) -> Sequence[str]:
        asked = "SELECT hash FROM event WHERE project_id = ? ORDER BY sequence"
        try:
            with closing(_reader(self.file)) as connection:
                return [row[0] for row in connection.execute(asked, (self._read[key][1],))]
        except (sqlite3.Error, UnicodeDecodeError, KeyError):
            return ()

    def holds(self, other: BackupCopy) -> bool:
        """Whether every log of the other one is the beginning of the same log here."""
        asked = "SELECT hash FROM event WHERE project_id = ? AND sequence = ?"
        here, there = self._read, other.projects
        if self.damage or other.damage:
            return False
        with closing(_reader(self.file)) as connection:
            return all(
                key in here
                and connection.execute(asked, (here[key][1], one.seal.events)).fetchone()
                == (one.seal.hash,)
                for key, one in there.items()
                if one.seal.events
            )


def _reader(backup: Path) -> sqlite3.Connection:
    # Nobody writes to a backup; opened otherwise, SQLite would leave files beside it.
    return sqlite3.connect(f"{backup.as_uri()}?immutable=1", uri=True)


def _last_event(connection: sqlite3.Connection, project: int) -> Seal:
    asked = "SELECT sequence, hash, at FROM event WHERE project_id = ? ORDER BY 1 DESC LIMIT 1"
    return Seal(*(connection.execute(asked, (project,)).fetchone() or (0, "", "")))


def first_difference(events: Sequence[Event], copy: Copy, key: str) -> int:
    """The first event of a log that is not as a copy has it; 0 where the log goes on from the copy,
    and where the copy knows nothing of it. 1 where a copy cannot say which: all may be others."""
    sealed = copy.projects.get(key)
    if sealed is None or not sealed.seal.events:
        return 0
    known = sealed.seal.events
    if len(events) >= known and events[known - 1].hash == sealed.seal.hash:
        return 0
    hashes = copy.hashes(key)
    same = common([one.hash for one in events], hashes)
    return same + 1 if hashes or len(events) >= known else len(events) + 1


@dataclass(frozen=True)
class Difference:
    """Between a log and what is kept of it: the first event that is another one, by which copy; 0
    where none is, and the copy cannot be trusted."""

    first: int
    copy: Copy


def difference(events: Sequence[Event], copies: Sequence[Copy], key: str) -> Difference | None:
    """The one that says most of several: a copy that can name the event, else that which knows the
    longest log. A backup that an agreeing anchor speaks against is itself another one."""
    found = [
        Difference(first, one) for one in copies if (first := first_difference(events, one, key))
    ]
    differing = [one.copy for one in found]
    sure = max(
        (
            one.projects[key].seal.events
            for one in copies
            if isinstance(one, AnchorCopy) and key in one.projects and one not in differing
        ),
        default=0,
    )
    found = [one for one in found if not (isinstance(one.copy, BackupCopy) and one.first <= sure)]
    named = [one for one in found if one.first <= len(events) and one.copy.hashes(key)]
    if named:
        return min(named, key=lambda one: one.first)
    if found:
        return max(found, key=lambda one: (one.first, one.copy.projects[key].seal.events))
    return next((Difference(0, one) for one in copies if one.forged), None)


def faults_of(
    copies: Sequence[Copy], logs: Mapping[str, Sequence[Event]], place: Path
) -> list[str]:
    """What is wrong with what guards logs, in words: seals that are gone or older than the anchor,
    backups that are not as they were made, statements that do not go on."""
    found = []
    for one in copies:
        if isinstance(one, SealsCopy):
            here = any(logs.values()) or key_file(place).parent == place.parent
            if not one.keys and not one.forged and here and public_key(place):
                found.append(f"{seals_file(place)} is missing or cannot be read")
            anchors = [other for other in copies if isinstance(other, AnchorCopy)]
            if any(
                key in one.projects and one.projects[key].seal.events < said.seal.events
                for other in anchors
                for key, said in other.projects.items()
            ):
                found.append(f"{seals_file(place)} is older than the anchor")
        elif isinstance(one, AnchorCopy) and one.strange:
            found.append(f"the anchor has {one.strange:,} statements that do not go on")
        elif isinstance(one, BackupCopy) and one.damage:
            found.append(f"{one.what} cannot be read ({one.damage})")
        elif isinstance(one, BackupCopy):
            for key, events in logs.items():
                if key in one.projects and first_difference(events, one, key):
                    found.append(f"{one.what} and the log are not the same")
                    break
    return found


def lost_projects(
    records: Iterable[ProjectRecord], copies: Iterable[Copy]
) -> tuple[SealedProject, ...]:
    """Those that seals, backups or anchor know and that are not there: no project is ever deleted,
    so that an older copy was put back, or another one."""
    there = {identity_of(one) for one in records}
    lost: dict[str, SealedProject] = {}
    for copy in copies:
        for key, one in copy.projects.items():
            if key not in there and one.seal.events:
                lost.setdefault(key, one)
    return tuple(lost.values())


def copies_at(place: Path | None, newest: int | None, address: str) -> list[Copy]:
    """The seals, so many backups, all where nothing is said, and the anchor; for few backups only
    one that is near."""
    if place is None:
        return []
    near = address and not ("://" in address or address.startswith(COMMAND))
    # What is written last is read first: it knows no more than the others.
    anchors = [AnchorCopy(address, place.stem)] if address and (near or newest is None) else []
    found = [BackupCopy(one) for one in backups(place)[:newest]]
    return [SealsCopy(read_seals_file(place), place), *found, *anchors]


# Backups


def backups_folder(place: Path) -> Path:
    """The folder beside the store: "labels.backups" beside "labels.db"."""
    return place.with_suffix(".backups")


def backups(place: Path) -> list[Path]:
    """The automatic backups, the newest first; one that a wrong clock dated after now is last."""
    found = backups_folder(place).glob(f"{escape(place.stem)}-*{escape(place.suffix)}")
    dated = [(at, one) for one in found if (at := made_at(one)) is not None]
    now = datetime.now(UTC)
    return [one for _, one in sorted(dated, key=lambda it: (it[0] <= now, *it), reverse=True)]


def made_at(backup: Path) -> datetime | None:
    """When a backup was made, by its name."""
    try:
        stamp = backup.stem.split("-version-")[0].rsplit("-", 1)[-1]
        return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def rotate(place: Path) -> None:
    """Remove backups that nobody needs: not among the newest, not the last one of its day, and
    with nothing in it that the newest has not."""
    every = backups(place)
    migrated = [one for one in every if "-version-" in one.name]
    plain = [one for one in every if one not in migrated]
    last_of_day: dict[str, Path] = {}
    for one in plain:
        last_of_day.setdefault(f"{made_at(one):%Y%m%d}", one)
    kept = {*plain[:NEWEST], *list(last_of_day.values())[:DAYS], *migrated[:MIGRATED]}
    for one in every:
        if one not in kept and BackupCopy(every[0]).holds(BackupCopy(one)):
            for end in BESIDE:
                Path(f"{one}{end}").unlink(missing_ok=True)


def back_up_now(place: Path, write: Callable[[Path], object], mark: str = "") -> Path:
    """Let ``write`` write a backup into the folder of backups, and remove what is not needed any
    more.

    mark   stands at the end of the name, such as "-version-1"

    Raises StoreError; where the disk has no room, nothing is written.
    """
    folder = backups_folder(place)
    like = [place, *backups(place)][0 if place.exists() else -1]
    size = sum(one.stat().st_size for end in BESIDE if (one := Path(f"{like}{end}")).exists())
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
    for half in folder.glob("*.half*"):
        if time.time() - half.stat().st_mtime > LEFT_SECONDS:
            half.unlink(missing_ok=True)
    stamp = datetime.now(UTC).strftime(STAMP)
    made = folder / f"{place.stem}-{stamp}{mark}{place.suffix}"
    write(made)
    rotate(place)
    return made


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
            self._answers += sum(one.kind in ANSWER_KINDS for one in events)
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
        address = anchor_address()
        if address and address != self._store.url:
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
        if place is None or not self._store.in_place():
            return  # Moved or replaced: what is there now is another one's to guard.
        self.problem = ""
        try:
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

    def _anchor(self, place: Path, why: str) -> None:
        address, file = anchor_address(), read_seals_file(place)
        if not address or address == self._store.url:
            return
        since = (datetime.now(UTC) - datetime.fromisoformat(file.sent)) if file.sent else None
        # One that is dated after now was sent while the clock was wrong.
        if not why and since is not None and abs(since.total_seconds()) < HOUR:
            return
        logs = {
            key: told(self._store, one, file.anchored.get(key, (0, "")))
            for record in self._store.projects()
            if (one := file.seals.get(key := identity_of(record)))
            and file.anchored.get(key) != [one.seal.events, one.seal.hash]
        }
        if logs:
            at = datetime.now(UTC)
            send(address, f"{place.stem}-{at:{STAMP}}", statement(place, why or HOURLY, logs))
            done = {
                key: [one.sealed.seal.events, one.sealed.seal.hash] for key, one in logs.items()
            }
            anchored = {**file.anchored, **done}
            write_seals(place, replace(file, anchored=anchored, sent=at.isoformat()))

    def _due(self) -> bool:
        place, new = self._store.guarded, self._answers - self._backed_up
        if place is None or not new:
            return False
        newest = next((at for one in backups(place) if (at := made_at(one))), None)
        # One that is dated after now was made while the clock was wrong.
        age = abs((datetime.now(UTC) - newest).total_seconds()) if newest else float("inf")
        enough = new >= min(max(self._backed_up, 1), BACKUP_ANSWERS) or age >= HOUR
        return enough and age >= max(BACKUP_SECONDS, SHARE * self._took)

    def _says(self, what: str, error: Exception) -> None:
        cause = error.strerror or error if isinstance(error, OSError) else error
        self.problem = f"{what}: {cause}. Labels are stored all the same."
        log.warning(self.problem)


_clock: list[threading.Thread] = []


def _every_hour() -> None:
    """One thread for all stores that looks now and then what is due without an event."""

    def looks() -> None:
        while True:
            time.sleep(HOUR / 60)
            for one in list(_alive):
                one.hour()

    if not _clock:
        _clock.append(threading.Thread(target=looks, name="guard clock", daemon=True))
        _clock[0].start()


@atexit.register
def _seal_the_last() -> None:
    for one in list(_alive):
        one.close()
