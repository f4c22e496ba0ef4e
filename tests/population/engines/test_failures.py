"""What is said when an engine, or what it reads, is not there."""

import importlib
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labelcore.population.duck import Duck, DuckError
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.engine import EXTRAS, EngineError, imported
from labelcore.population.engines.sql import sql
from labelcore.population.parquet_file import ParquetFile
from labelcore.population.text import as_text


@pytest.fixture
def parts(tmp_path: Path) -> list[str]:
    paths = []
    for number in range(3):
        rows = {"id": [f"{number}-{row}" for row in range(100)], "score": [number / 4] * 100}
        paths.append(str(tmp_path / f"part {number}.parquet"))
        pq.write_table(pa.table(rows), paths[-1])
    return paths


def test_a_part_that_is_gone_is_named(parts: list[str]) -> None:
    engine = DuckEngine("parts", parts, ["id"])
    assert engine.count() == 300
    Path(parts[1]).unlink()
    with pytest.raises(
        EngineError, match=r"^parts: the part part 1\.parquet is not there any more"
    ):
        list(engine.items(["score"]))
    with pytest.raises(EngineError, match=r"the part part 1\.parquet is not there any more"):
        engine.cells(150, "1-50", ["score"])


def test_a_fault_of_a_later_batch_is_said_like_one_of_the_first() -> None:
    later = sql("SELECT if(range < 300000, range, CAST(error('no') AS INT)) FROM range(400000)")
    with pytest.raises(DuckError, match="Invalid Input Error: no"):
        list(Duck().stream(later))


def test_a_name_with_the_signs_of_a_pattern_is_a_name(tmp_path: Path) -> None:
    """Beside each lies a file that the name, taken for a pattern, would find instead."""
    names = ["x1", "x[1]", "ya", "y?", "zz", "z*"]
    for number, name in enumerate(names):
        rows = pa.table({"id": [f"{name}{row}" for row in range(number + 2)]})
        pq.write_table(rows, tmp_path / f"{name}.parquet")
    parts = [str(tmp_path / f"{name}.parquet") for name in names]
    for one, name in zip(parts, names, strict=True):
        alone = DuckEngine("t", [one], ["id"])
        assert alone.files == (Path(one),)
        (batch,) = alone.items(["id"])
        assert batch.column("id").to_pylist()[0] == f"{name}0"
        assert alone.cells(1, f"{name}1", ["id"]) == {"id": f"{name}1"}
    every = DuckEngine("t", parts, ["id"])
    assert every.files == tuple(map(Path, parts)) and len(every) == sum(range(2, 8))
    assert sum(batch.num_rows for batch in every.items(["id"])) == len(every)


def test_a_row_of_a_small_file_takes_no_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"text": ["one", "two"], "n": [1.5, None]}), tmp_path / "t.parquet")
    table = ParquetFile(tmp_path / "t.parquet")
    monkeypatch.setattr(DuckEngine, "cells", lambda *of: {"text": "asked"})
    assert table.cells(1, ["text", "n"]) == {"text": "two", "n": ""}
    monkeypatch.setattr("labelcore.population.parquet_file.HELD", 0)
    monkeypatch.setattr(table, "_mapped", {})
    assert table.cells(1, ["text"]) == {"text": "asked"}


def test_moments_read_alike_in_every_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their texts are contents that were shown, or ids, on whose hashes the draws rest."""
    moments = pa.array([0, 10**15], pa.timestamp("us", tz="Europe/Berlin"))
    pq.write_table(pa.table({"id": moments}), tmp_path / "t.parquet")
    found = []
    for zone in ("Asia/Tokyo", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        engine = DuckEngine("t", [str(tmp_path / "t.parquet")], ["id"])
        (batch,) = engine.items(["id"])
        column = pa.chunked_array([batch.column("id")])
        found.append([*as_text(column).to_pylist(), engine.cells(1, "", ["id"])["id"]])
    monkeypatch.undo()
    time.tzset()
    assert found[0] == found[1] and found[0][0].startswith("1970-01-01 00:00:00")


def test_a_part_that_is_no_parquet_is_refused(parts: list[str]) -> None:
    Path(parts[2]).write_bytes(b"no parquet at all")
    with pytest.raises(EngineError, match="^parts: DuckDB cannot read it: "):
        DuckEngine("parts", parts, ["id"])


@pytest.mark.parametrize("package", EXTRAS)
def test_a_package_that_is_not_there_is_named_with_its_extra(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", missing)
    says = rf'^t: reading it takes the package {package}: pip install "labelcore\[{EXTRAS[package]}'
    with pytest.raises(ValueError, match=says):
        imported(package, "t")
