"""A file of text as a table: its rows are read once, into a packed copy that answers the rest.

What is plain is read by a library. What it cannot read, or might read otherwise than it is meant,
is read by an exact pass in Python, which names every fault.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from labelcore.errors import Fault
from labelcore.population.contents import Contents, write_contents
from labelcore.population.copies import TemporaryCopy
from labelcore.population.dialect import Dialect
from labelcore.population.limits import LONGEST_ROW, check_columns, check_rows
from labelcore.population.table_file import TableFile
from labelcore.population.text import Columns

ARROW_BYTES = LONGEST_ROW // 2
"""Arrow reads a row that lies in two blocks of so many bytes: none is longer than may be."""
MOST_AT_ONCE = 1 << 22
"""Cells and characters that an exact pass holds."""


@dataclass
class Walk:
    """What an exact pass has found so far.

    row     that of the record which is read, None for the header
    lines   the line on which each row starts
    faults  in the order of the file
    broken  rows, counted from 0, whose cells mean nothing
    """

    name: str
    row: int | None = None
    lines: array[int] = field(default_factory=lambda: array("q"))
    faults: list[Fault] = field(default_factory=list)
    broken: set[int] = field(default_factory=set)

    def note(self, line: int, rule: str, value: str | None = None) -> None:
        """A fault of the record."""
        row = None if self.row is None else self.row + 1
        self.faults.append(Fault(self.name, None, row, value, rule, line))
        if self.row is not None:
            self.broken.add(self.row)


class TextTable(TableFile):
    """Rows of text."""

    def _pack(
        self,
        name: str,
        columns: Sequence[str],
        batches: Iterable[Columns],
        walk: Walk | None = None,
    ) -> None:
        """Take these rows for those of the file; they have the places of the columns as names.
        ``walk`` is of an exact pass."""
        check_columns(name, len(columns))
        self.name, self.columns = name, tuple(columns)
        self._places = {name: str(at) for at, name in reversed(list(enumerate(columns)))}
        self._walk, self._copy = walk or Walk(name), TemporaryCopy(".contents")
        names = list(map(str, range(len(columns))))
        ends = write_contents(self._copy.path, names, self._counted(batches))
        self._packed = Contents(self._copy.path, ends)

    def _counted(self, batches: Iterable[Columns]) -> Iterator[Columns]:
        rows = 0
        for batch in batches:
            rows += len(batch["0"])
            check_rows(self.name, rows)
            yield batch

    def __len__(self) -> int:
        return int(self._packed.ends[-1]) if len(self._packed.ends) else 0

    def load(self, names: Sequence[str]) -> Columns:
        """These columns as text, each (n_rows,)."""
        texts = self._packed.load([self._places[name] for name in names])
        return {name: texts[self._places[name]] for name in names}

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same some rows at a time, so that long texts are never all in memory."""
        for texts in self._packed.batches([self._places[name] for name in names]):
            yield {name: texts[self._places[name]] for name in names}

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row; safe from several threads."""
        row = self._packed.row(position, [self._places[name] for name in names])
        return {name: row[self._places[name]] for name in names}

    def faults(self) -> list[Fault]:
        """All that is wrong with the structure of the file."""
        return self._walk.faults

    def broken_rows(self) -> frozenset[int]:
        """Rows that cannot be read."""
        return frozenset(self._walk.broken)

    def lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """The line on which each row starts, as an editor counts; None where a file has none."""
        lines = self._walk.lines or array("q", self._line_of_each())
        return [lines[at] if at < len(lines) else None for at in positions.tolist()]

    def _line_of_each(self) -> Iterable[int]:
        """The line on which each row starts, of a file that took no exact pass."""
        return ()


def plain_batches(path: Path, width: int, dialect: Dialect) -> Iterator[Columns]:
    """The data rows of a delimited file, which blank lines are none of. Raises ArrowInvalid where
    they are not all of one width, or one is longer than half of what a row may have."""
    names = list(map(str, range(width)))
    with path.open("rb") as stream:  # Arrow opens no name that is not UTF-8.
        reader = pyarrow.csv.open_csv(
            stream,
            pyarrow.csv.ReadOptions(
                use_threads=False,
                block_size=ARROW_BYTES,
                column_names=names,
                skip_rows_after_names=int(dialect.header),
            ),
            pyarrow.csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quote or False,
                newlines_in_values=bool(dialect.quote),
            ),
            pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
        for batch in reader:
            cells = zip(names, batch.columns, strict=True)
            yield {name: pa.chunked_array([column]) for name, column in cells}


def columns_of(rows: Iterable[Sequence[str]]) -> Iterator[Columns]:
    """Rows of as many cells each as there are columns, some of them at a time."""
    some: list[Sequence[str]] = []
    size = 0
    for row in rows:
        some.append(row)
        size += len(row) + sum(map(len, row))
        if size > MOST_AT_ONCE:
            yield _columns(some)
            some, size = [], 0
    if some:
        yield _columns(some)


def _columns(rows: Sequence[Sequence[str]]) -> Columns:
    cells = (pa.array(column, pa.string()) for column in zip(*rows, strict=True))
    return {str(at): pa.chunked_array([column]) for at, column in enumerate(cells)}
