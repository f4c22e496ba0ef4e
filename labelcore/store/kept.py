"""What is kept of the logs of a store outside of it, and how a log is held against that."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labelcore.errors import RenamedProjectError, StoreError, UnknownProjectError
from labelcore.log.events import Event, common
from labelcore.store.anchor import COMMAND, AnchorCopy
from labelcore.store.base import (
    Copy,
    LabelStore,
    ProjectRecord,
    Seal,
    SealedProject,
    beside,
    identity,
    writable,
)
from labelcore.store.items import copy_items
from labelcore.store.signing import is_signed, key_file, public_key, secret_of, secret_to_be, signed
from labelcore.whole_file import alone_in, whole_file

STAMP = "%Y%m%dT%H%M%S%fZ"
AS_IT_STANDS = "mode=ro&immutable=1"
"""How SQLite opens a file that nobody writes to, and leaves nothing in its folder."""
FORGED = "{file} was not written with the key of this store"


# Seals


def identity_of(record: ProjectRecord) -> str:
    return identity(record.created_at, record.fingerprint, record.plan_json)


def refuse_another(store: LabelStore, name: str, key: str) -> None:
    """Raise UnknownProjectError where the project of this identity is called otherwise by now."""
    names = {identity_of(record): record.name for record in store.projects()}
    if key not in names:
        raise UnknownProjectError(f"The project {name!r} was erased.")
    if names[key] != name:
        raise RenamedProjectError(name, names[key])


def seals_file(place: Path) -> Path:
    return beside(place, ".seals")


@dataclass(frozen=True)
class SealsFile:
    """What the file beside a store says.

    forged    whether the key of the store is there, and the file was not signed with it
    anchored  by identity how far the last statement at the anchor came: number of events, hash;
              ``sent`` is when that was
    keys      that it was signed with before one was lost
    coming    the ends of logs that are about to take the place of these, by identity
    early     whether it was written before its key, which nobody had lost where it is not there
    """

    seals: Mapping[str, SealedProject] = field(default_factory=dict)
    forged: bool = False
    anchored: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    sent: str = ""
    key: str = ""
    keys: Sequence[str] = ()
    coming: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    early: bool = False


def read_seals_file(place: Path, *, to_change: bool = False) -> SealsFile:
    """Empty where there is no file, or none that can be read: a power cut may leave that, and it
    must not hold up the labels. Who writes it ``to_change`` it gets a StoreError where the system
    does not open it at this moment: what it says would be lost."""
    try:
        values = json.loads(seals_file(place).read_text("utf-8"))
        this_key, key = public_key(place), str(values["key"])
        return SealsFile(
            {name: _sealed(seal) for name, seal in values["seals"].items()},
            bool(this_key) and not (key == this_key and is_signed(values)),
            values["anchored"],
            values["sent"],
            key,
            values["keys"],
            values.get("coming", {}),
            bool(values.get("early")),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if to_change and isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            file = seals_file(place)
            raise StoreError(f"{file} cannot be read: {error.strerror or error}") from error
        return SealsFile()


def read_seals(place: Path) -> Mapping[str, SealedProject]:
    """By identity."""
    return read_seals_file(place).seals


def _sealed(values: Mapping[str, Any]) -> SealedProject:
    given_up = tuple(Seal(**seal) for seal in values.get("given_up", ()))
    return SealedProject(str(values["project"]), Seal(**values["seal"]), given_up)


def write_seals(place: Path, file: SealsFile) -> None:
    """All of it or nothing, on the disk when this returns. A new key comes after it, so that no
    killed process leaves a key without seals. Raises StoreError."""
    key = public_key(place)
    lost = [file.key] if file.key and file.key != key and not file.early else []
    values = {
        "seals": {key: asdict(seal) for key, seal in file.seals.items()},
        "anchored": file.anchored,
        "sent": file.sent,
        "keys": [*file.keys, *lost],
        "coming": file.coming,
        "early": not key,
    }
    with writable(seals_file(place)):
        seals_file(place).parent.mkdir(parents=True, exist_ok=True)
        secret = secret_to_be(place)
        text = json.dumps(signed(secret, values), ensure_ascii=False)
        with whole_file(seals_file(place)) as stream:
            stream.write(text.encode())
        if secret_of(place, secret) != secret or not key:  # There is one now, perhaps another.
            write_seals(place, file)


def change_seals(place: Path, change: Callable[[SealsFile], SealsFile]) -> None:
    """Let ``change`` make other seals of those there, with nobody in between who changes them, too.
    Raises StoreError."""
    with alone_in(place.parent):
        write_seals(place, change(read_seals_file(place, to_change=True)))


# Backups


def backups_folder(place: Path) -> Path:
    """The folder beside the store: "labels.backups" beside "labels.db"."""
    return beside(place, ".backups")


def backups(place: Path) -> list[Path]:
    """The automatic backups, the newest first; one that a wrong clock dated after now is last."""
    # macOS and Windows know a store by its name in capitals, too.
    begins, end = f"{place.stem}-".casefold(), place.suffix.casefold()
    names = ((file, file.name.casefold()) for file in backups_folder(place).glob("*"))
    files = [file for file, name in names if name.startswith(begins) and name.endswith(end)]
    dated = [(at, file) for file in files if (at := made_at(file)) is not None]
    now = datetime.now(UTC)
    return [file for _, file in sorted(dated, key=lambda it: (it[0] <= now, *it), reverse=True)]


def made_at(backup: Path) -> datetime | None:
    """When a backup was made, by its name."""
    try:
        stamp = backup.stem.split("-version-")[0].rsplit("-", 1)[-1]
        return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def take_over(store: LabelStore, former: Path, items: Path) -> None:
    """What belongs to a store in no file and lies under names of a file that may be a store itself,
    and the items in a folder of it: as far as there is room."""
    if (place := store.guarded) is None or seals_file(place).exists():
        return
    records, known = store.projects(), read_seals(former)
    with suppress(OSError, StoreError):
        copy_items(records, items, store.items_folder)
        for backup in [] if former.exists() else backups(former):
            backups_folder(place).mkdir(mode=0o700, exist_ok=True)
            name = place.stem + backup.name[len(former.stem) :]
            backup.rename(backups_folder(place) / name)
        for end in (".erased", ".key", ".audit", ".seals"):
            if any(identity_of(record) in known for record in records):
                with suppress(FileNotFoundError):
                    shutil.copy(beside(former, end), beside(place, end))


def half_copies(place: Path) -> list[Path]:
    """Copies that were to become the store at a place, and are being written or left by a process
    that was killed."""
    named = re.compile(rf"{re.escape(place.name)}(\.\d+\.(half|new))+(-wal|-shm)?")
    return [file for file in place.parent.iterdir() if named.fullmatch(file.name)]


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
        self.projects = {key: project for key, (project, _) in self._read.items()}

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
                and connection.execute(asked, (here[key][1], project.seal.events)).fetchone()
                == (project.seal.hash,)
                for key, project in there.items()
                if project.seal.events
            )


def _reader(backup: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{backup.as_uri()}?{AS_IT_STANDS}", uri=True)


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
    same = common([event.hash for event in events], hashes)
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
    gaps = [
        Difference(first, copy) for copy in copies if (first := first_difference(events, copy, key))
    ]
    differing = [gap.copy for gap in gaps]
    sure = max(
        (
            copy.projects[key].seal.events
            for copy in copies
            if isinstance(copy, AnchorCopy) and key in copy.projects and copy not in differing
        ),
        default=0,
    )
    gaps = [gap for gap in gaps if not (isinstance(gap.copy, BackupCopy) and gap.first <= sure)]
    named = [gap for gap in gaps if gap.first <= len(events) and gap.copy.hashes(key)]
    if named:
        return min(named, key=lambda gap: gap.first)
    if gaps:
        return max(gaps, key=lambda gap: (gap.first, gap.copy.projects[key].seal.events))
    return next((Difference(0, copy) for copy in copies if copy.forged), None)


def _without_seals(place: Path) -> bool:
    """Whether there is a key and no seals that can be read; these may have been written since the
    copies were read."""
    return bool(public_key(place)) and not read_seals_file(place).key


def faults_of(
    copies: Sequence[Copy], logs: Mapping[str, Sequence[Event]], place: Path
) -> list[str]:
    """What is wrong with what guards logs, in words: seals that are gone or older than the anchor,
    backups that are not as they were made, statements that do not go on."""
    faults = []
    for copy in copies:
        if isinstance(copy, SealsCopy):
            here = any(logs.values()) or key_file(place).parent == place.parent
            if not copy.keys and not copy.forged and here and _without_seals(place):
                faults.append(f"{seals_file(place)} is missing or cannot be read")
            anchors = [other for other in copies if isinstance(other, AnchorCopy)]
            if any(
                key in copy.projects and copy.projects[key].seal.events < project.seal.events
                for other in anchors
                for key, project in other.projects.items()
            ):
                faults.append(f"{seals_file(place)} is older than the anchor")
        elif isinstance(copy, AnchorCopy) and copy.strange:
            faults.append(f"the anchor has {copy.strange:,} statements that do not go on")
        elif isinstance(copy, BackupCopy) and copy.damage:
            faults.append(f"{copy.what} cannot be read ({copy.damage})")
        elif isinstance(copy, BackupCopy):
            for key, events in logs.items():
                if key in copy.projects and first_difference(events, copy, key):
                    faults.append(f"{copy.what} and the log are not the same")
                    break
    return faults


def lost_projects(
    records: Iterable[ProjectRecord], copies: Iterable[Copy], erased: Iterable[str] = ()
) -> tuple[SealedProject, ...]:
    """Those that seals, backups or anchor know and that are not there, by their identities nor
    ``erased``: an older copy was put back, or another one."""
    there = {*(identity_of(record) for record in records), *erased}
    lost: dict[str, SealedProject] = {}
    for copy in copies:
        for key, project in copy.projects.items():
            if key not in there and project.seal.events:
                lost.setdefault(key, project)
    return tuple(lost.values())


def copies_at(place: Path | None, newest: int | None, address: str) -> list[Copy]:
    """The seals, so many backups, all where nothing is said, and the anchor; for few backups only
    one that is near."""
    if place is None:
        return []
    near = address and not ("://" in address or address.startswith(COMMAND))
    # What is written last is read first: it knows no more than the others.
    anchors = [AnchorCopy(address, place.stem)] if address and (near or newest is None) else []
    kept = [BackupCopy(file) for file in backups(place)[:newest]]
    kept = [copy for copy in kept if not copy.damage or copy.file.exists()]
    return [SealsCopy(read_seals_file(place), place), *kept, *anchors]
