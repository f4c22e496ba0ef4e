"""Arrays of many items lie in temporary files that are mapped, and go with them."""

import errno
import gc
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.population import arrays
from labelcore.population.arrays import let_pages_go, room
from labelcore.population.copies import copies_folder
from labelcore.population.engines import sources
from labelcore.population.snapshots import cells_of
from labelcore.whole_file import link_or_copy

READ: dict[str, Any] = {
    "id": "id",
    "content": "text",
    "scores": {"lr": "score", "other": "score"},
    "predictions": {"lr": "call"},
}


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Two hundred items in row groups of nine."""
    number = range(200)
    table = {
        "id": [f"item {one}" for one in number],
        "text": [f"text {one}" for one in number],
        "score": [one % 7 / 7 for one in number],
        "call": [int(one % 7 > 4) for one in number],
    }
    pq.write_table(pa.table(table), tmp_path / "items.parquet", row_group_size=9)
    return tmp_path / "items.parquet"


def rooms() -> list[Path]:
    return list(copies_folder().glob("*.room"))


def test_an_array_keeps_what_was_written_when_its_pages_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MANY", 10)
    gc.collect()
    before = len(rooms())
    found = room(5_000, np.float64)
    found[:] = np.arange(5_000)
    let_pages_go()
    part = found[100:200]
    assert len(rooms()) == before + 1
    del found
    assert part.tolist() == list(range(100, 200))
    del part
    gc.collect()
    assert len(rooms()) == before


@pytest.mark.parametrize("large", [1, 10**9])
def test_many_items_are_read_as_few(
    items: Path, monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    monkeypatch.setattr(sources, "LARGE", large)
    few = lc.read_population(items, **READ)
    monkeypatch.setattr(arrays, "MANY", 1)
    many = lc.read_population(items, **READ)
    assert cells_of(many) == cells_of(few)
    assert many.ids() == few.ids()
    for name in few.scores:
        assert many.scores[name].tolist() == few.scores[name].tolist()
    assert many.predictions["lr"].tolist() == few.predictions["lr"].tolist()
    for one in (few, many):
        assert [one.position(name) for name in one.ids()] == list(range(200))


@pytest.mark.parametrize("large", [1, 10**9])
def test_a_full_disk_is_said(items: Path, monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sources, "LARGE", large)
    monkeypatch.setattr(arrays, "MANY", 1)
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(ValueError, match="cannot be read: No space left on device"):
        lc.read_population(items, **READ)


def test_what_is_kept_is_there_when_its_first_name_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, linked, copied = (tmp_path / name for name in ("first", "linked", "copied"))
    first.write_bytes(b"what is kept")
    link_or_copy(first, linked)
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(errno.EXDEV, "other")))
    link_or_copy(first, copied)
    assert linked.samefile(first) and not copied.samefile(first)
    first.unlink()
    assert linked.read_bytes() == copied.read_bytes() == b"what is kept"


@pytest.mark.parametrize("number", [128, 32_768])
def test_as_many_items_as_a_type_of_numbers_counts_are_drawn_from(number: int) -> None:
    """Their places end at a number that is one too large for the type that holds the places."""
    call = np.arange(number) % 2
    table = pa.table({"text": call.astype(str), "score": call / 3, "call": call})
    population = lc.read_population(
        table, content="text", scores={"lr": "score"}, predictions={"lr": "call"}
    )
    session = lc.Session(population, lc.Plan("recalibrated_neyman", "precision", budget=60))
    assert session.next() is not None and sum(session.strata()["items"]) == number
