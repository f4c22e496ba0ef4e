"""Delimited text: Arrow reads it where it can be read in one way only, else the csv module."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from labelcore.errors import Fault, PopulationError
from labelcore.population.csv_walk import checked, walk_records
from labelcore.population.dialect import NOTHING, Dialect, Form, Given, Wanted
from labelcore.population.sniff import detect_dialect
from labelcore.population.text_file import BLOCK_BYTES, open_text
from labelcore.population.text_table import TextTable, Walk, columns_of, plain_batches

NO_BYTE = 256


def empty(walk: Walk) -> PopulationError:
    """The error for a file without a first row."""
    nothing = Fault(walk.name, None, None, None, "the file is empty")
    return PopulationError(walk.faults or [nothing])


def names_of(first: Sequence[str], header: bool) -> list[str]:
    return list(first) if header else [f"column {number}" for number in range(1, len(first) + 1)]


class CsvFile(TextTable):
    """A .csv, .tsv or .txt file, packed or not, in any dialect."""

    options = ("encoding", "delimiter", "decimal", "quote", "header")

    def __init__(self, path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING) -> None:
        self.text = text = open_text(path, given.get("encoding"))
        self.dialect = detect_dialect(text.path, path.name, {**given, "encoding": text.encoding})
        self.detected = detect_dialect(text.path, path.name, {"encoding": text.detected})
        walk = Walk(text.name)
        first = next(walk_records(text, walk, self.dialect), None)
        if first is None:
            raise empty(walk)
        columns = names_of(first[1], self.dialect.header)
        exact = first[0] > 1 or walk.faults or not text.sound
        if not exact and is_plain(text.path, self.dialect):
            try:
                batches = plain_batches(text.path, len(columns), self.dialect)
                return self._pack(text.name, columns, batches)
            except pa.ArrowInvalid:  # Rows of several lengths, or one longer than a block.
                pass
        walk = Walk(text.name)
        records = walk_records(text, walk, self.dialect)
        rows = checked(walk, records, self.dialect.header)
        self._pack(text.name, columns, columns_of(rows), walk)

    @classmethod
    def detect(cls, path: Path, given: Given = NOTHING) -> Form:
        """The dialect as far as it is not given."""
        text = open_text(path, given.get("encoding"))
        dialect = detect_dialect(text.path, path.name, {**given, "encoding": text.encoding})
        return Form(dialect, cls.options)

    def _line_of_each(self) -> Iterable[int]:
        records = walk_records(self.text, Walk(self.name), self.dialect)
        return (line for line, _ in islice(records, int(self.dialect.header), None))


def is_plain(path: Path, dialect: Dialect) -> bool:
    """Whether nothing in a file can be read in two ways: no NUL, no carriage return without the
    end of a line, and every quote opens or closes a cell or is doubled in one."""
    after = [*f"{dialect.delimiter}{dialect.quote}\n\r".encode()]
    quote = ord(dialect.quote) if dialect.quote else NO_BYTE
    before, inside, closed = b"\n", False, False
    with path.open("rb") as stream:
        stream.seek(len(BOM_UTF8) if stream.read(len(BOM_UTF8)) == BOM_UTF8 else 0)
        while block := stream.read(BLOCK_BYTES):
            if b"\0" in block or (closed and block[0] not in after):
                return False
            both = before + block
            if both.count(b"\r", 0, -1) != both.count(b"\r\n"):
                return False
            data = np.frombuffer(both, dtype=np.uint8)
            quotes = np.flatnonzero(data[1:] == quote) + 1
            opening, closing = quotes[inside::2], quotes[not inside :: 2]
            closed = len(closing) > 0 and int(closing[-1]) == len(block)
            if not np.isin(data[opening - 1], after[:-1]).all():
                return False
            if not np.isin(data[closing[: len(closing) - closed] + 1], after).all():
                return False
            before, inside = both[-1:], inside != (len(quotes) % 2 > 0)
    return not inside and before != b"\r"
