"""A SQLite store in a temporary folder, with one project and two events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from labelcore.log.events import Content
from labelcore.store.sqlite import SqliteStore
from tests.stores import RECORD, answered, drawn, reopened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = reopened(path)
    store.create(RECORD)
    store.append("spam", [drawn(1, "t1"), answered(2, "t1")], {"m-1": Content({"text": "hello"})})
    yield store
    store.close()
