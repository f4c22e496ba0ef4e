"""A SQLite store in a temporary folder, with one project and two events."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from labelcore.log.events import Content
from labelcore.store.sqlite import SqliteStore
from tests.stores import RECORD, answered, drawn, reopened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.db"


@pytest.fixture
def older(path: Path) -> Path:
    """A closed store with the same project, as version 1 made it."""
    script = (Path(__file__).parent / "data" / "version_1.sql").read_text("utf-8")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = reopened(path)
    store.create(RECORD)
    store.append("spam", [drawn(1, "t1"), answered(2, "t1")], {"m-1": Content({"text": "hello"})})
    yield store
    store.close()
