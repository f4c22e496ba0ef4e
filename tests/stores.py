"""Stores that are written and changed by hand: addresses, small events, and what a forger does."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect

import labelcore as lc
from labelcore.log.events import Event
from labelcore.session.backups import kept_projects
from labelcore.store import ProjectRecord
from labelcore.store.database import metadata
from labelcore.store.sqlite import SqliteStore

AT = "2026-01-01T00:00:00.000001+00:00"
RECORD = ProjectRecord("spam", AT, "f1", "{}", "{}")
EACH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)]


def url(file: Path) -> str:
    return f"sqlite:///{file}"


def empty(kind: str, folder: Path, request: pytest.FixtureRequest) -> str:
    """The address of an empty place of one of the kinds in ``EACH``."""
    if kind == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return url(folder / "labels.db")


def reopened(file: Path) -> SqliteStore:
    return SqliteStore(url(file), busy_seconds=0.2)


def noted(sequence: int, text: str = "a note", **values: Any) -> Event:
    return Event(sequence, "noted", AT, "a1", text=text, hash=f"h{sequence}", **values)


def drawn(sequence: int, token: str, item: str = "m-1") -> Event:
    return Event(sequence, "drawn", AT, "a1", token=token, index=1, item_id=item, hash="h")


def answered(sequence: int, token: str, label: str = "yes") -> Event:
    return Event(sequence, "labelled", AT, "a1", answers=token, label=label, hash="h")


def answers_in(file: Path) -> int:
    """How many answers the one project of a file has."""
    with closing(lc.open_store(url(file), create=False)) as store:
        return kept_projects(store)[0].answers


def check_tables(address: str) -> None:
    """The tables of a store are those that the program writes and reads."""
    engine = create_engine(address)
    inspector = inspect(engine)
    for name, table in metadata.tables.items():
        found = {column["name"]: column for column in inspector.get_columns(name)}
        assert list(found) == [column.name for column in table.columns]
        for column in table.columns:
            kind = found[column.name]["type"].compile(engine.dialect).split(" COLLATE")[0]
            assert column.type.compile(engine.dialect) == kind
            assert column.nullable == found[column.name]["nullable"] or column.primary_key
        keys = inspector.get_pk_constraint(name)["constrained_columns"]
        assert keys == [column.name for column in table.primary_key]
    engine.dispose()


def tamper(file: Path, *statements: str) -> None:
    """What a program does that drops the triggers first."""
    with closing(sqlite3.connect(file)) as connection, connection:
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in connection.execute(triggers).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
