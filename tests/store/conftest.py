"""A SQLite store in a temporary folder, with one project and two events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from labelcore.log.events import Content, Event
from labelcore.store import ProjectRecord
from labelcore.store.sqlite import SqliteStore

AT = "2026-01-01T00:00:00.000001+00:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(f"sqlite:///{path}", busy_seconds=0.2)
    store.create(ProjectRecord("spam", AT, "f1", "{}", "{}"))
    events = [
        Event(1, "drawn", AT, "a1", token="t1", index=1, item_id="m-1", hash="h"),
        Event(2, "labelled", AT, "a1", answers="t1", label="yes", hash="h"),
    ]
    store.append("spam", events, {"m-1": Content({"text": "hello"})})
    yield store
    store.close()
