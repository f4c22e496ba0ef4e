"""What a reader of files gives."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labelcore.errors import Fault
from labelcore.population.dialect import PLAIN, Dialect
from labelcore.population.text import Columns, as_text
from labelcore.stats.arrays import IntArray


class TableFile(ABC):
    """Rows of a file. Positions count data rows from 0.

    Opening a file raises PopulationError only when nothing of it can be read, or when it is over
    one of ``labelcore.population.limits``.

    columns   their names, in file order
    dialect   how the file is read; detected: how it would be if nothing were given
    nested    whether rows are records, of which paths lead to what lies within
    """

    columns: tuple[str, ...]
    dialect: Dialect = PLAIN
    detected: Dialect = PLAIN
    nested = False

    @abstractmethod
    def __len__(self) -> int:
        """Number of data rows."""

    @abstractmethod
    def load(self, names: Sequence[str]) -> Columns:
        """These columns, each (n_rows,), typed as in the file."""

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same a few rows at a time, so that long texts are never all in memory."""

    @abstractmethod
    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row's values as text, by random access; safe from several threads."""

    def first(self, number: int) -> list[dict[str, str]]:
        """All values of the first rows, as text."""
        return [self.cells(row, self.columns) for row in range(min(number, len(self)))]

    def records(self, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Each row as it is written; of a table of cells these columns, as text."""
        for batch in self.batches(columns) if columns else ():
            texts = (as_text(batch[name]).to_pylist() for name in columns)
            yield from (dict(zip(columns, row, strict=True)) for row in zip(*texts, strict=True))

    def reach(self, paths: Sequence[str]) -> dict[str, str]:
        """Take paths that lead somewhere in a record for columns; of the others, what is there."""
        return {}

    def faults(self) -> Sequence[Fault]:
        """What is wrong with the file's structure, all of it."""
        return ()

    def broken_rows(self) -> frozenset[int]:
        """Positions of rows with a fault of structure: their values mean nothing."""
        return frozenset()

    def lines(self, positions: IntArray) -> Sequence[int | None]:
        """The line of the file on which each row starts; None where a file has no lines."""
        return [None] * len(positions)
