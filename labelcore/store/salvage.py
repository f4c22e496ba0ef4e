"""What a damaged database still holds of its logs after a backup of it: only what follows."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from labelcore.log.events import FIELDS, Content, Event, genesis, sound_part
from labelcore.store.base import Contents, LabelStore, ProjectRecord, SealedProject
from labelcore.store.kept import identity_of

UNREADABLE = (sqlite3.Error, ValueError, TypeError, OverflowError)
"""What reading a damaged row raises: UnicodeDecodeError and bad JSON are ValueErrors."""
_EVENT = ", ".join(f'"{name}"' for name in FIELDS)
_RECORD = tuple(ProjectRecord.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Salvaged:
    """Of one project: events that follow the backup's last, and what belongs to them.

    backup   how many events of it the backup has
    """

    record: ProjectRecord
    backup: int
    events: tuple[Event, ...]
    contents: Contents
    keys: dict[str, tuple[str, str]]


class Remains(Protocol):
    """What of a store can still be read, project by project, known by a reference."""

    def records(self) -> Iterable[tuple[Any, ProjectRecord]]: ...
    def events(self, project: Any, after: int) -> Iterable[Event]: ...
    def contents(self, project: Any, items: Collection[str]) -> Iterable[tuple[str, Content]]: ...
    def keys(self, project: Any) -> Iterable[tuple[str, tuple[str, str]]]: ...


def salvaged(
    store: Remains, backup: LabelStore, seals: Mapping[str, SealedProject]
) -> list[Salvaged]:
    """Every project of the backup, and those that the store has besides, as far as it can be read:
    an event counts when it follows from the one before it by its hash, and no seal speaks against
    it."""
    known = {identity_of(record): record for record in backup.projects()}
    projects = []
    for project, record in store.records():
        there = known.get(identity_of(record))
        log = backup.events(there.name) if there else []
        start = genesis(record.fingerprint, record.plan_json)
        if len(sound_part(log, start)) < len(log):
            continue
        read = list(store.events(project, len(log)))
        events = sound_part(read, log[-1].hash if log else start, len(log))
        if not _as_sealed(seals.get(identity_of(record)), len(log), events):
            events = ()
        texts = {
            str(event.item_id): event.detail.get("content")
            for event in events
            if event.kind == "drawn"
        }
        contents = {
            item: content
            for item, content in store.contents(project, texts)
            if texts[item] in (None, content.digest(item))
        }
        keys = dict(store.keys(project))
        projects.append(Salvaged(there or record, len(log), tuple(events), contents, keys))
    return projects


class StoreRemains:
    """Of a store that can be opened."""

    def __init__(self, store: LabelStore) -> None:
        self._store = store

    def records(self) -> Iterable[tuple[str, ProjectRecord]]:
        return [(record.name, record) for record in reversed(self._store.projects())]

    def events(self, project: str, after: int) -> Iterable[Event]:
        return self._store.events(project, after)

    def contents(self, project: str, items: Collection[str]) -> Iterable[tuple[str, Content]]:
        kept = self._store.contents(project) if items else {}
        return [(item, kept[item]) for item in items if item in kept]

    def keys(self, project: str) -> Iterable[tuple[str, tuple[str, str]]]:
        return self._store.keys(project).items()


def _as_sealed(sealed: SealedProject | None, after: int, events: Sequence[Event]) -> bool:
    """Whether events after the backup's are those that were sealed, as far as that can be told: a
    log that was chained anew follows from its backup, too."""
    if sealed is None or not 0 < sealed.seal.events - after <= len(events):
        return True
    return events[sealed.seal.events - after - 1].hash == sealed.seal.hash


def put_into(store: LabelStore, project: Salvaged) -> bool:
    """Add what was salvaged to a copy of the backup; whether that could be. Raises StoreError."""
    known = {identity_of(record): record.name for record in store.projects()}
    if identity_of(project.record) not in known:
        if project.record.name in known.values():
            return False  # Damage has left a record that is none.
        store.create(project.record)
    if project.events:
        store.append(project.record.name, project.events, project.contents)
    missing = {key: person for key, person in project.keys.items()
               if key not in store.keys(project.record.name)}  # fmt: skip
    if missing:
        store.admit(project.record.name, missing)
    return True


@contextmanager
def remains_of(database: Path, how: str = "mode=ro") -> Iterator[Remains]:
    """Of a file that may be damaged, and is read all the same. ``how``: AS_IT_STANDS where nobody
    writes to it, and nothing may be left beside it."""
    try:
        connection = sqlite3.connect(f"{database.as_uri()}?{how}", uri=True)
    except sqlite3.Error:
        connection = sqlite3.connect(":memory:")
    with closing(connection):
        yield _FileRemains(connection)


@dataclass
class _FileRemains:
    connection: sqlite3.Connection

    def records(self) -> Iterator[tuple[int, ProjectRecord]]:
        asked = f"SELECT id, {', '.join(_RECORD)} FROM project ORDER BY id"
        try:
            for number, *values in self.connection.execute(asked):
                given = dict(zip(_RECORD, values, strict=True))
                yield number, ProjectRecord(**{**given, "archived": bool(given["archived"])})
        except UNREADABLE:
            return

    def events(self, project: int, after: int) -> Iterator[Event]:
        """One at a time: a damaged page costs those that lie in it, and all after them."""
        asked = f"SELECT {_EVENT} FROM event WHERE project_id = ? AND sequence = ?"
        try:
            while row := self.connection.execute(asked, (project, after + 1)).fetchone():
                values = dict(zip(FIELDS, row, strict=True))
                yield Event.from_json({**values, "detail": json.loads(values["detail"])})
                after += 1
        except UNREADABLE:
            return

    def contents(self, project: int, items: Collection[str]) -> Iterator[tuple[str, Content]]:
        """Texts that can be read; a database of before they had salts has no such column."""
        asked = "SELECT * FROM item WHERE project_id = ? AND item_id = ?"
        for item in items:
            try:
                row = self.connection.execute(asked, (project, item)).fetchone()
                if row is not None:
                    yield item, Content(dict(json.loads(row[2])), *row[3:])
            except UNREADABLE:
                continue

    def keys(self, project: int) -> Iterator[tuple[str, tuple[str, str]]]:
        asked = "SELECT key, name, at FROM person WHERE project_id = ?"
        try:
            for key, name, at in self.connection.execute(asked, (project,)):
                yield key, (name, at)
        except UNREADABLE:  # one of version 1 has no such table
            return
