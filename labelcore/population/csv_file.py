"""Delimited text: DuckDB reads it, and the csv module what DuckDB does not read as it is meant."""

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from labelcore.errors import Fault, PopulationError
from labelcore.population.csv_walk import Records, Walk, rewritten, walk_records
from labelcore.population.dialect import NOTHING, Dialect, Form, Given, Wanted
from labelcore.population.duck import COLUMNS_AT_ONCE, DuckError, file_value
from labelcore.population.engines.sql import Piece, joined, sql, value
from labelcore.population.limits import check_columns
from labelcore.population.sniff import detect_dialect
from labelcore.population.text import Columns
from labelcore.population.text_file import BLOCK_BYTES, open_text
from labelcore.population.text_table import NO_VALUE, TextTable, column_at, survey
from labelcore.stats.arrays import IntArray

LONGEST_LINE = 2_000_000
"""Bytes of a row that DuckDB reads without a larger buffer."""
MARGIN = 1 << 20
WIDE_ROWS_AT_ONCE = 256


def csv_rows(
    path: Path, width: int, dialect: Dialect, longest: int = 0, returns: bool = False
) -> Piece:
    """What stands behind FROM for a delimited file; DuckDB raises for what breaks its rules.

    returns   whether carriage returns stand before ends of lines: it finds out where
    """
    columns = ", ".join(f"'{place}': 'VARCHAR'" for place in range(width))
    options = "" if returns else ", new_line = '\\n'"
    options += f", max_line_size = {longest + MARGIN}" if longest > LONGEST_LINE else ""
    return sql(
        f"read_csv({{}}, auto_detect = false, header = {str(dialect.header).lower()}, columns = "
        f"{'{'}{columns}{'}'}, delim = {{}}, quote = {{}}, escape = {{}}, strict_mode = true, "
        f"nullstr = {{}}{options})",
        file_value(path),
        *map(value, (dialect.delimiter, dialect.quote, dialect.quote, NO_VALUE)),
    )


class CellTable(TextTable):
    """Rows of cells in columns."""

    def __init__(self, name: str, columns: Sequence[str], rows: Piece) -> None:
        super().__init__(rows)
        check_columns(name, len(columns))
        self._named(name, columns)

    def _named(self, name: str, columns: Sequence[str]) -> None:
        super()._named(name, columns)
        self.width = len(columns)
        places = reversed(list(enumerate(columns)))
        self._place = {name: place for place, name in places}  # the first of each name

    def load(self, names: Sequence[str]) -> Columns:
        columns, rows = self._loaded(names)
        self._counted(rows)
        return columns

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        wanted = list(dict.fromkeys(names))
        for batch in self._stream(self._places(wanted)):
            yield {name: pa.chunked_array([batch.column(at)]) for at, name in enumerate(wanted)}

    def first(self, number: int) -> list[dict[str, str]]:
        return [self._row(row, self.columns) for row in islice(self._records(), number)]

    def _every(self) -> Iterator[pa.RecordBatch]:
        if self.width <= COLUMNS_AT_ONCE:
            yield from super()._every()
            return
        names, records = [str(place) for place in range(self.width)], self._records()
        while rows := list(islice(records, WIDE_ROWS_AT_ONCE)):
            cells = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
            yield pa.RecordBatch.from_arrays(cells, names)

    def _records(self) -> Iterator[Sequence[str]]:
        """Each data row, one after another."""
        if self._again is None:
            for batch in self._stream(range(self.width)):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
            return
        with self._again.copy.path.open(encoding="utf-8", newline="") as stream:
            yield from csv.reader(stream, strict=True)

    def _loaded(self, names: Sequence[str]) -> tuple[Columns, int]:
        wanted, rows = list(dict.fromkeys(names)), 0
        chunks: dict[str, list[pa.Array]] = {name: [] for name in wanted}
        if not wanted:
            ((rows,),) = self.duck.fetch(sql("SELECT count(*) FROM {}", self.rows))
        else:
            for batch in self._stream(self._places(wanted)):
                rows += batch.num_rows
                for place, name in enumerate(wanted):
                    chunks[name].append(batch.column(place))
        return {name: pa.chunked_array(some, pa.string()) for name, some in chunks.items()}, rows

    def _stream(self, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        return self.duck.stream(
            sql("SELECT {} FROM {}", joined(", ", map(column_at, places)), self.rows)
        )

    def _places(self, names: Sequence[str]) -> list[int]:
        return [self._place[name] for name in names]

    def _row(self, row: Sequence[str], names: Sequence[str]) -> dict[str, str]:
        cells: dict[str, str] = {}
        for name, cell in zip(names, row, strict=True):
            cells.setdefault(name, cell)
        return cells


class RewrittenText(CellTable):
    """Records that were written anew as plain CSV, such as those of a sheet."""

    def __init__(self, walk: Walk, records: Records, header: bool) -> None:
        self._wanted: list[str] = []
        self._again = again = rewritten(walk, self._with_names(records, header), header)
        if not self._wanted:
            empty = Fault(walk.name, None, None, None, "the file is empty")
            raise PopulationError(walk.faults or [empty])
        rows = csv_rows(again.copy.path, len(self._wanted), NO_HEADER, again.longest)
        super().__init__(walk.name, self._wanted, rows)
        self._again = again

    def _with_names(self, records: Records, header: bool) -> Iterator[tuple[int, list[str]]]:
        for line, cells in records:
            if not self._wanted:
                self._wanted = names_of(cells, header)
            yield line, cells


NO_HEADER = Dialect(header=False)


def names_of(first: Sequence[str], header: bool) -> list[str]:
    return list(first) if header else [f"column {number}" for number in range(1, len(first) + 1)]


class CsvFile(CellTable):
    """A .csv, .tsv or .txt file, packed or not, in any dialect."""

    options = ("encoding", "delimiter", "decimal", "quote", "header")

    def __init__(self, path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING) -> None:
        self.text = text = open_text(path, given.get("encoding"))
        self.dialect = detect_dialect(text.path, path.name, {**given, "encoding": text.encoding})
        self.detected = detect_dialect(text.path, path.name, {"encoding": text.detected})
        walk = Walk(text.name)
        first = next(walk_records(text, walk, self.dialect), None)
        if first is None:
            empty = Fault(text.name, None, None, None, "the file is empty")
            raise PopulationError(walk.faults or [empty])
        self._header = first[1] if self.dialect.header else None
        columns = names_of(first[1], self.dialect.header)
        self._bytes = survey(text.path, self.dialect)
        rows = csv_rows(text.path, len(columns), self.dialect, returns=self._bytes.returns)
        super().__init__(text.name, columns, rows)
        if first[0] > 1 or walk.faults or not (text.sound and self._bytes.plain):
            self._rewrite()

    @classmethod
    def detect(cls, path: Path, given: Given = NOTHING) -> Form:
        """The dialect as far as it is not given."""
        text = open_text(path, given.get("encoding"))
        dialect = detect_dialect(text.path, path.name, {**given, "encoding": text.encoding})
        return Form(dialect, cls.options)

    def load(self, names: Sequence[str]) -> Columns:
        """These columns; DuckDB is believed where no byte of the file is missing from its cells."""
        if self._again is None and self._count is None:
            try:
                columns, rows = self._loaded(names)
                if self._plainly(rows) or self._complete():
                    self._counted(rows)
                    return columns
            except DuckError:
                pass
            self._rewrite()
        return super().load(names)

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """Some rows at a time; of a file that DuckDB does not read as it is meant, of its copy."""
        if self._again is None and self._count is None:
            self.load(())
        return super().batches(names)

    def _rewrite(self) -> None:
        walk = Walk(self.text.name)
        records = walk_records(self.text, walk, self.dialect)
        self._again = again = rewritten(walk, records, self.dialect.header)
        self.rows = csv_rows(again.copy.path, self.width, NO_HEADER, again.longest)
        self._count = None

    def _plainly(self, rows: int) -> bool:
        """Whether every line is a row, and nothing in it that DuckDB could drop."""
        doubtful = self._bytes.doubtful or self._bytes.returns
        return rows + int(self.dialect.header) == self._bytes.lines and not doubtful

    def _complete(self) -> bool:
        """Whether every byte of the file is in a cell, or a delimiter, a quote or the end of a
        row."""
        if self.width > COLUMNS_AT_ONCE:
            return False
        marks, returns = f"{self.dialect.quote}\n".encode(), int(self._bytes.returns)
        beside = self.width - 1 + returns
        left = len(self._bytes.mark) - (0 if self._bytes.ended else returns)
        if self._header is not None:
            left += beside + _without("".join(self._header).encode(), marks)
        for batch in self._stream(range(self.width)):
            left += batch.num_rows * beside
            left += sum(_without(_bytes_of(column), marks) for column in batch.columns)
        with self.text.path.open("rb") as stream:
            while block := stream.read(BLOCK_BYTES):
                left -= _without(block, marks)
        return left == 0

    def _records(self) -> Iterator[Sequence[str]]:
        if self._again is not None:
            return super()._records()
        records = walk_records(self.text, Walk(self.name), self.dialect)
        return (cells for _, cells in islice(records, int(self.dialect.header), None))

    def _lines(self, positions: IntArray) -> list[int | None]:
        records = walk_records(self.text, Walk(self.name), self.dialect)
        wanted = set(positions.tolist())
        at = {
            row: line
            for row, (line, _) in enumerate(records, -int(self.dialect.header))
            if row in wanted
        }
        return [at.get(position) for position in positions.tolist()]


def _without(data: bytes, marks: bytes) -> int:
    return len(data.translate(None, marks))


def _bytes_of(column: pa.StringArray) -> bytes:
    _, ends, data = column.buffers()
    offsets = np.frombuffer(ends, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    return b"" if data is None else bytes(memoryview(data)[int(offsets[0]) : int(offsets[-1])])
