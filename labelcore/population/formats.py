"""The file formats: one reader and one row (suffix -> reader) each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from labelcore.errors import Fault
from labelcore.population.csv_file import CsvFile, GzippedCsvFile
from labelcore.population.parquet_file import ParquetFile


class TableFile(Protocol):
    """What a reader gives. Positions count data rows from 0.

    Opening a file raises PopulationError only when nothing of it can be read, or when its columns
    are not separated.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, unique, in file order."""

    def __len__(self) -> int:
        """Number of data rows; final after the first ``load``."""

    def load(self, names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        """These columns, each (n_rows,), typed as in the file."""

    def faults(self) -> Sequence[Fault]:
        """What is wrong with the file's structure; complete after the first ``load``."""

    def broken_rows(self) -> frozenset[int]:
        """Positions of rows with a fault of structure: their values mean nothing."""

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row's values as text, by random access; safe from several threads."""

    def lines(self, positions: NDArray[np.int64]) -> Sequence[int | None]:
        """The line of the file on which each row starts; None where a file has no lines."""


FORMATS: Mapping[str, Callable[[Path], TableFile]] = {
    ".csv": CsvFile,
    ".csv.gz": GzippedCsvFile,
    ".parquet": ParquetFile,
}


def open_table(path: Path) -> TableFile:
    """Open a file with the reader of its suffix. ValueError for a suffix not in the table."""
    return FORMATS[known_suffix(path.name)](path)


def known_suffix(name: str) -> str:
    """The suffix of a file name, in lower case. ValueError for a suffix not in the table."""
    for suffix in sorted(FORMATS, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return suffix
    raise ValueError(f"{name}: the suffix must be one of {', '.join(FORMATS)}")
