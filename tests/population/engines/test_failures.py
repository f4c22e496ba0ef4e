"""What is said when an engine, or what it reads, is not there."""

from __future__ import annotations

import importlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.engine import EngineError
from labelcore.population.engines.extras import EXTRAS, imported
from labelcore.population.engines.table_items import TableItems
from labelcore.population.items import Part, Stretch


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
    items = TableItems(engine)
    assert items.counts([Part()]).tolist() == [300]
    Path(parts[1]).unlink()
    with pytest.raises(
        EngineError, match=r"^parts: the part part 1\.parquet is not there any more"
    ):
        items.at_ranks(Stretch("score", True, 7), {}, [150])
    with pytest.raises(EngineError, match=r"the part part 1\.parquet is not there any more"):
        engine.cells(150, "1-50", ["score"])


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
