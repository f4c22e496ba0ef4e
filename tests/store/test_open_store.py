"""Addresses of stores: what opens, and what the refusals say."""

import os
import sys
from pathlib import Path

import pytest

from labelcore.store import STORES, MemoryStore, ProjectRecord, open_store
from labelcore.store.sqlite import SqliteStore
from tests.report.sessions import session_on, write_items

RECORD = ProjectRecord("spam", "2026-01-01T00:00:00+00:00", "f1", "{}", "{}")


def test_open_store_returns_an_open_store_as_it_is() -> None:
    store = MemoryStore()
    assert open_store(store) is store


def test_memory_stores_are_separate() -> None:
    first, second = open_store(None), open_store("memory://")
    assert first.url == second.url == "memory://"
    first.create(RECORD)
    assert second.projects() == []


@pytest.mark.parametrize("url", ["labels.db", "redis://x", "", "sqlite", "mysql://x/y"])
def test_unknown_address_lists_the_known(url: str) -> None:
    with pytest.raises(ValueError, match="is not the address of a store") as caught:
        open_store(url)
    for scheme in STORES:
        assert f"{scheme}://" in str(caught.value)


def test_wrong_type() -> None:
    with pytest.raises(TypeError, match="store must be an address"):
        open_store(Path("labels.db"))  # type: ignore[arg-type]


def test_relative_and_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///new folder/ü %41 ?mode=ro.db")
    assert isinstance(store, SqliteStore)
    assert store.path == tmp_path / "new folder" / "ü %41 ?mode=ro.db"
    store.create(RECORD)
    monkeypatch.chdir("/")
    assert store.projects() == [RECORD]
    store.close()
    assert open_store(f"sqlite:///{store.path}").projects() == [RECORD]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_a_folder_that_is_no_text_is_named(tmp_path: Path) -> None:
    """Of a store, in which no project could be made, and of items."""
    folder = tmp_path / os.fsdecode(b"d\xff")
    folder.mkdir()
    said = r"a file and of its folders must be UTF-8, got b'.*d\\xff/labels.db'; rename it"
    with pytest.raises(ValueError, match=said):
        open_store(f"sqlite:///{folder}/labels.db")
    assert not list(folder.iterdir())
    write_items(folder / "items.csv")
    with pytest.raises(ValueError, match=said.replace("labels.db", "items.csv")):
        session_on(folder / "items.csv")


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite://labels.db"]
)
def test_sqlite_needs_a_file(url: str) -> None:
    with pytest.raises(ValueError, match="needs a file, as in sqlite:///labels.db"):
        open_store(url)
