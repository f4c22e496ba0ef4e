"""Small files made for one test."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from labelcore.errors import Fault, PopulationError
from labelcore.population import Population, read_population


@pytest.fixture
def csv_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes text (as UTF-8) or bytes as items.csv, or gzipped when the name ends in .gz."""

    def write(data: str | bytes, name: str = "items.csv") -> Path:
        path = tmp_path / name
        raw = data.encode() if isinstance(data, str) else data
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


@pytest.fixture
def parquet_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes columns as items.parquet."""

    def write(columns: Mapping[str, Any], row_group_size: int | None = None) -> Path:
        path = tmp_path / "items.parquet"
        pyarrow.parquet.write_table(pa.table(dict(columns)), path, row_group_size=row_group_size)
        return path

    return write


@pytest.fixture
def read(csv_file: Callable[..., Path]) -> Callable[..., Population]:
    """Reads CSV text; the content column is "text" unless another is given."""

    def from_text(data: str | bytes, **arguments: Any) -> Population:
        return read_population(csv_file(data), **{"content": "text", **arguments})

    return from_text


@pytest.fixture
def faults_of(csv_file: Callable[..., Path]) -> Callable[..., Sequence[Fault]]:
    """Reads CSV text that must be refused, and gives the faults."""

    def refuse(data: str | bytes, **arguments: Any) -> Sequence[Fault]:
        with pytest.raises(PopulationError) as caught:
            read_population(csv_file(data), **{"content": "text", **arguments})
        return caught.value.faults

    return refuse
