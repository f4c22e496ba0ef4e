"""How far each log had come, kept outside the database: its number of events and its last hash.

The file lies beside the database, "labels.seals" beside "labels.db", and is written about a second
after an event was stored, never before it. A log that is shorter than its seal has lost its end: an
older file was put back, or the file of the newest changes was lost. One that has another hash there
was chained anew. Both still follow from their first event, so nothing else tells.

What a seal is worth: it tells of accidents, and of programs that change the database alone. Whoever
can write to the folder can write a seal, too, or delete it; against them stands a seal that has
left the machine, which every report, bundle and backup prints (``labelcore replay --seal``). What
was stored in the last second before a crash may not be sealed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labelcore.log.events import Event
from labelcore.store.base import ProjectRecord, Seal
from labelcore.whole_file import whole_file


@dataclass(frozen=True, slots=True)
class SealedProject:
    """A project by what never changes of it, and its seal; ``given_up`` are the seals of logs that
    were longer, or others, until somebody said that what they had is lost."""

    project: str
    seal: Seal
    given_up: tuple[Seal, ...] = ()


def identity(created_at: str, fingerprint: str, plan_json: str) -> str:
    """What stays when a project gets another name."""
    return hashlib.sha256(f"{created_at}\n{fingerprint}\n{plan_json}".encode()).hexdigest()[:32]


def identity_of(record: ProjectRecord) -> str:
    return identity(record.created_at, record.fingerprint, record.plan_json)


def seals_file(database: Path) -> Path:
    """One with another ending has its own: it may be a copy that goes another way."""
    name = database.stem if database.suffix == ".db" else database.name
    return database.with_name(f"{name}.seals")


def read_seals(database: Path) -> dict[str, SealedProject]:
    """By identity; empty where there is no file, or none that can be read: a power cut may leave
    that, and it must not hold up the labels."""
    try:
        values = json.loads(seals_file(database).read_text("utf-8"))
        return {key: _sealed(one) for key, one in values.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _sealed(values: Mapping[str, Any]) -> SealedProject:
    given_up = tuple(Seal(**one) for one in values.get("given_up", ()))
    return SealedProject(str(values["project"]), Seal(**values["seal"]), given_up)


def write_seals(database: Path, seals: Mapping[str, SealedProject]) -> None:
    """All of it or nothing, on the disk when this returns. Raises OSError."""
    file = seals_file(database)
    text = json.dumps({key: asdict(one) for key, one in seals.items()}, ensure_ascii=False)
    with whole_file(file) as stream:
        stream.write(text.encode())


def seal(database: Path, pending: dict[int, Event]) -> None:
    """Seal logs at these events, by the project's number, as far as the database has them and is
    not sealed further on. Raises OSError, sqlite3.Error."""
    with closing(reader(database)) as connection:
        found = {
            key: SealedProject(name, Seal(event.sequence, event.hash, event.at))
            for number, name, key in projects_in(connection)
            if (event := pending.get(number)) is not None
            and hash_at(connection, number, event.sequence) == event.hash
        }
    seals = read_seals(database)
    for key, one in found.items():
        before = seals.get(key)
        if before is None or before.seal.events <= one.seal.events:
            given_up = before.given_up if before else ()
            seals[key] = SealedProject(one.project, one.seal, given_up)
    write_seals(database, seals)


def seal_anew(database: Path, before: Path | None = None) -> None:
    """Seal every log where it ends now, and keep the seal of one that was longer or another as
    given up.

    before   the database that was in this place; None: this one

    Raises OSError, sqlite3.Error.
    """
    old_seals, seals = read_seals(before or database), {}
    with closing(reader(database)) as connection:
        for number, name, key in projects_in(connection):
            last, digest = last_event(connection, number)
            old = old_seals.get(key)
            given_up = old.given_up if old else ()
            if old and hash_at(connection, number, old.seal.events) != old.seal.hash:
                given_up = (*given_up, old.seal)
            if last or given_up:
                at = datetime.now(UTC).isoformat(timespec="microseconds")
                seals[key] = SealedProject(name, Seal(last, digest, at), given_up)
    write_seals(database, seals)


def lost_projects(database: Path, records: Iterable[ProjectRecord]) -> tuple[SealedProject, ...]:
    """Those that were sealed and are not among the records: no project is ever deleted, so that an
    older file was put back, or another one."""
    there = {identity_of(one) for one in records}
    return tuple(one for key, one in read_seals(database).items() if key not in there)


def reader(database: Path, how: str = "mode=ro") -> sqlite3.Connection:
    return sqlite3.connect(f"{database.as_uri()}?{how}", uri=True)


def projects_in(connection: sqlite3.Connection) -> list[tuple[int, str, str]]:
    """Number, name and identity of each."""
    rows = connection.execute("SELECT id, name, created_at, fingerprint, plan_json FROM project")
    return [(number, name, identity(*rest)) for number, name, *rest in rows]


def last_event(connection: sqlite3.Connection, project: int) -> tuple[int, str]:
    asked = "SELECT sequence, hash FROM event WHERE project_id = ? ORDER BY sequence DESC LIMIT 1"
    row = connection.execute(asked, (project,)).fetchone()
    return (0, "") if row is None else (row[0], row[1])


def hash_at(connection: sqlite3.Connection, project: int, sequence: int) -> str | None:
    asked = "SELECT hash FROM event WHERE project_id = ? AND sequence = ?"
    row = connection.execute(asked, (project, sequence)).fetchone()
    return None if row is None else row[0]
