"""What the first part of a delimited text says about its separator, quotes and decimal mark."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from labelcore.population.dialect import DELIMITERS, PLAIN, QUOTES, Dialect, Given

SAMPLE_BYTES = 1 << 18
SAMPLE_ROWS = 400
SENTENCE = 4
AGREED = 0.8
TOLD = re.compile(r"sep=([,;\t|])\r?\n", re.IGNORECASE)
"""The line by which Excel is told the separator; it is no row."""
LINES = Dialect(delimiter="\t", quote="")
NUMBER = {
    ".": re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII),
    ",": re.compile(r"\s*[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?\s*", re.ASCII),
}
# "1,234" may be one and a bit or over a thousand; it is no evidence of either.
MAYBE_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}[.,]\d{3}\s*", re.ASCII)


def detect_dialect(path: Path, name: str, given: Given) -> Dialect:
    """Separator, quotes and decimal mark of a UTF-8 file; what is given is taken as it is.

    A separator must split the header; the first in order that gives every row of the sample as
    many cells as the header wins, else the one for which most rows agree. Commas come first, in a
    .tsv file tabs; a first line such as sep=; says which it is. Without any that fits it is a plain
    CSV file of one column, and a .txt file with commas here and there has a text on each line.
    """
    sample, whole = _sample(path)
    if told := TOLD.match(sample):
        sample, given = sample[told.end() :], {"delimiter": told[1], **given}
    share, delimiter, quote, rows = _separator(sample, whole, name, given)
    if share < AGREED and ".txt" in name.lower()[-7:] and "delimiter" not in given:
        plain = _parse(sample, whole, PLAIN.delimiter, PLAIN.quote)
        if plain.broken or any(len(record) > 1 for record in plain.records):
            return LINES.changed(given)
    if not share:
        return PLAIN.changed(given)
    decimal = PLAIN.decimal if delimiter == "," else _decimal(rows)
    detected = Dialect(delimiter=delimiter, quote=quote, decimal=decimal)
    return detected.changed(given)


def first_row_is_data(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a name in the header looks like a value of its column.

    A number above numbers, a sentence above sentences, or a text that comes again below where few
    different ones do.

    >>> first_row_is_data(["0.5"], [["0.7"], ["0.1"]]), first_row_is_data(["score"], [["0.7"]])
    (True, False)
    >>> first_row_is_data(["spam"], [["ham"], ["spam"], ["ham"]])
    True
    >>> first_row_is_data(["You have won a prize today."], [["See you at lunch, then."]])
    True
    """
    for name, *values in zip(header, *rows, strict=False):
        if values and _is_number(name) and all(map(_is_number, values)):
            return True
        if (
            len(header) == 1
            and _is_sentence(name)
            and 2 * sum(map(_is_sentence, values)) > len(values)
        ):
            return True
        if name.strip() and name in values and len(set(values)) <= max(2, len(values) // 3):
            return True
    return False


def _is_sentence(text: str) -> bool:
    return len(text.split()) >= SENTENCE


def _is_number(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in NUMBER.values())


def _sample(path: Path) -> tuple[str, bool]:
    """The first lines of the file, and whether they are all."""
    with path.open("rb") as stream:
        data = stream.read(SAMPLE_BYTES)
        whole = not stream.read(1)
    if not whole and b"\n" in data:
        data = data[: data.rindex(b"\n") + 1]
    return data.decode("utf-8-sig", errors="replace"), whole


@dataclass(frozen=True, slots=True)
class _Rows:
    """The records of a sample; ``broken`` when its quotes do not follow the rules."""

    records: list[list[str]]
    broken: bool

    def agreement(self) -> float:
        """The share of records with as many cells as the header; 0 where it is not split."""
        if self.broken or not self.records or len(self.records[0]) < 2:
            return 0.0
        same = sum(len(record) == len(self.records[0]) for record in self.records)
        return same / len(self.records)


def _separator(
    sample: str, whole: bool, name: str, given: Given
) -> tuple[float, str, str, list[list[str]]]:
    """The share of rows that agree, 0 where nothing splits the header; and how they are split."""
    best: tuple[float, str, str, list[list[str]]] = (0.0, "", "", [])
    for delimiter, quote in _candidates(name, given):
        rows = _parse(sample, whole, delimiter, quote)
        share = rows.agreement()
        if share > best[0]:
            best = share, delimiter, quote, rows.records
    return best


def _candidates(name: str, given: Given) -> Iterator[tuple[str, str]]:
    """In order of preference. Commas always come with quotes: texts hold too many of them."""
    order = list(DELIMITERS)
    if ".tsv" in name.lower()[-7:]:
        order.sort(key=lambda delimiter: delimiter != "\t")
    for delimiter in [given["delimiter"]] if "delimiter" in given else order:
        for quote in [given["quote"]] if "quote" in given else QUOTES:
            if quote or delimiter != "," or "quote" in given:
                yield delimiter, quote


def reader_options(dialect: Dialect) -> dict[str, Any]:
    """Arguments of ``csv.reader``."""
    if dialect.quote:
        return {"delimiter": dialect.delimiter, "quotechar": dialect.quote, "strict": True}
    return {"delimiter": dialect.delimiter, "quoting": csv.QUOTE_NONE, "strict": True}


def _parse(sample: str, whole: bool, delimiter: str, quote: str) -> _Rows:
    lines = io.StringIO(sample, newline="")
    reader = csv.reader(lines, **reader_options(Dialect(delimiter=delimiter, quote=quote)))
    records: list[list[str]] = []
    start = 0
    try:
        for record in reader:
            if record:
                records.append(record)
            start = lines.tell()
            if len(records) >= SAMPLE_ROWS:
                break
    except csv.Error:
        # A sample may end inside quotes, but an open quote that swallows half of it is none.
        return _Rows(records, whole or len(sample) - start > len(sample) // 2)
    return _Rows(records, False)


def _decimal(rows: Sequence[Sequence[str]]) -> str:
    """A comma where columns of numbers say so and none says the opposite."""
    columns = list(zip_longest(*rows[1:], fillvalue=""))
    comma = any(_speaks_for(",", column) for column in columns)
    point = any(_speaks_for(".", column) for column in columns)
    return "," if comma and not point else "."


def _speaks_for(mark: str, column: Sequence[str]) -> bool:
    """Most values are numbers with this mark, and one of them can be nothing else."""
    values = [value for value in column if value.strip()]
    numbers = [value for value in values if NUMBER[mark].fullmatch(value)]
    sure = any(mark in value and not MAYBE_THOUSANDS.fullmatch(value) for value in numbers)
    return sure and 2 * len(numbers) > len(values)
