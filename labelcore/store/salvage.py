"""What a damaged database still holds of its logs after a backup of it: only what follows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from labelcore.log.events import FIELDS, Content, Event, genesis, sound_part
from labelcore.store.base import Contents, LabelStore, ProjectRecord
from labelcore.store.seals import SealedProject, identity_of, read_seals

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


def salvaged(database: Path, backup: LabelStore) -> list[Salvaged]:
    """Every project of the backup, and those that the database has besides, as far as it can be
    read: an event counts when it follows from the one before it by its hash, and no seal speaks
    against it."""
    try:
        connection = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        return []
    with closing(connection):
        known = {identity_of(one): one for one in backup.projects()}
        seals = read_seals(database)
        found = []
        for number, record in _records(connection):
            there = known.get(identity_of(record))
            log = backup.events(there.name) if there else []
            start = genesis(record.fingerprint, record.plan_json)
            if len(sound_part(log, start)) < len(log):
                continue
            read = list(_events(connection, number, len(log)))
            events = sound_part(read, log[-1].hash if log else start, len(log))
            if not _as_sealed(seals.get(identity_of(record)), len(log), events):
                events = ()
            texts = {
                str(one.item_id): one.detail.get("content") for one in events if one.kind == "drawn"
            }
            contents = {
                item: content
                for item, content in _contents(connection, number, texts)
                if texts[item] in (None, content.digest(item))
            }
            keys = dict(_keys(connection, number))
            found.append(Salvaged(there or record, len(log), tuple(events), contents, keys))
        return found


def _as_sealed(sealed: SealedProject | None, after: int, events: Sequence[Event]) -> bool:
    """Whether events after the backup's are those that were sealed, as far as that can be told: a
    log that was chained anew follows from its backup, too."""
    if sealed is None or not 0 < sealed.seal.events - after <= len(events):
        return True
    return events[sealed.seal.events - after - 1].hash == sealed.seal.hash


def put_into(store: LabelStore, found: Salvaged) -> bool:
    """Add what was salvaged to a copy of the backup; whether that could be. Raises StoreError."""
    known = {identity_of(one): one.name for one in store.projects()}
    if identity_of(found.record) not in known:
        if found.record.name in known.values():
            return False  # Damage has left a record that is none.
        store.create(found.record)
    if found.events:
        store.append(found.record.name, found.events, found.contents)
    missing = {key: one for key, one in found.keys.items()
               if key not in store.keys(found.record.name)}  # fmt: skip
    if missing:
        store.admit(found.record.name, missing)
    return True


def _records(connection: sqlite3.Connection) -> Iterator[tuple[int, ProjectRecord]]:
    asked = f"SELECT id, {', '.join(_RECORD)} FROM project ORDER BY id"
    try:
        for number, *values in connection.execute(asked):
            given = dict(zip(_RECORD, values, strict=True))
            yield number, ProjectRecord(**{**given, "archived": bool(given["archived"])})
    except UNREADABLE:
        return


def _events(connection: sqlite3.Connection, project: int, after: int) -> Iterator[Event]:
    """One at a time: a damaged page costs those that lie in it, and all after them."""
    asked = f"SELECT {_EVENT} FROM event WHERE project_id = ? AND sequence = ?"
    try:
        while row := connection.execute(asked, (project, after + 1)).fetchone():
            values = dict(zip(FIELDS, row, strict=True))
            yield Event.from_json({**values, "detail": json.loads(values["detail"])})
            after += 1
    except UNREADABLE:
        return


def _contents(
    connection: sqlite3.Connection, project: int, items: Iterable[str]
) -> Iterator[tuple[str, Content]]:
    """Texts that can be read; a database of before they had salts has no such column."""
    asked = "SELECT * FROM item WHERE project_id = ? AND item_id = ?"
    for item in items:
        try:
            row = connection.execute(asked, (project, item)).fetchone()
            if row is not None:
                yield item, Content(dict(json.loads(row[2])), *row[3:])
        except UNREADABLE:
            continue


def _keys(connection: sqlite3.Connection, project: int) -> Iterator[tuple[str, tuple[str, str]]]:
    asked = "SELECT key, name, at FROM person WHERE project_id = ?"
    try:
        for key, name, at in connection.execute(asked, (project,)):
            yield key, (name, at)
    except UNREADABLE:  # one of version 1 has no such table
        return
