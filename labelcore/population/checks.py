"""Columns to arrays; every value that breaks a rule becomes a fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.errors import Fault
from labelcore.population.ids import TextIds
from labelcore.population.text import as_text, listing, shorten

SCORE_RULE = "a score must be a finite number"
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


class FaultList:
    """Faults of one file, gathered before any is raised."""

    def __init__(self, file: str, broken_rows: Iterable[int] = ()) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self._broken_rows = frozenset(broken_rows)

    def add_rule(self, rule: str, column: str | None = None) -> None:
        """A fault of the whole file or of a whole column."""
        self.faults.append(Fault(self.file, column, None, None, rule))

    def add_row(self, position: int, column: str, value: str, rule: str) -> None:
        """A fault of one value; none for a row whose structure is already at fault."""
        if position not in self._broken_rows:
            self.faults.append(Fault(self.file, column, position + 1, shorten(value), rule))

    def add_rows(
        self, positions: NDArray[np.int64], name: str, column: pa.ChunkedArray, rule: str
    ) -> None:
        """A fault for the value of ``column`` at each position."""
        if len(positions):
            values = as_text(column.take(pa.array(positions))).to_pylist()
            for position, value in zip(positions.tolist(), values, strict=True):
                self.add_row(position, name, value, rule)


def check_ids(name: str, column: pa.ChunkedArray, faults: FaultList) -> TextIds:
    """Ids as text, non-empty and unique."""
    texts = as_text(column)
    ids = TextIds(texts)
    empty = np.flatnonzero(pc.equal(texts, "").to_numpy())
    faults.add_rows(empty, name, texts, "an id must not be empty")
    for position, first in ids.repeats().items():
        if item_id := ids.at(position):
            rule = f"an id must be unique, and row {first + 1} has the same"
            faults.add_row(position, name, item_id, rule)
    return ids


def check_scores(name: str, column: pa.ChunkedArray, faults: FaultList) -> NDArray[np.float64]:
    """Scores as in the file, (n_items,), read-only; each must be a finite number."""
    scores = _numbers(column)
    if scores is None:
        faults.add_rule(f"{SCORE_RULE}, got a column of type {column.type}", name)
        return np.zeros(len(column))
    faults.add_rows(np.flatnonzero(~np.isfinite(scores)), name, column, SCORE_RULE)
    scores.flags.writeable = False
    return scores


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """(n_items,) numbers, NaN where there is none; None for a type that holds no numbers."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _numbers(column.cast(kind.value_type))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:
            numbers = column.cast(pa.float64())
        except pa.ArrowInvalid:
            return np.array([_number(text) for text in column.to_pylist()], dtype=np.float64)
    elif pa.types.is_boolean(kind):
        numbers = column.cast(pa.uint8()).cast(pa.float64())
    elif pa.types.is_decimal(kind) or pa.types.is_null(kind) or _is_number(kind):
        numbers = column.cast(pa.float64(), safe=False)
    else:
        return None
    values: NDArray[np.float64] = np.array(pc.fill_null(numbers, np.nan).to_numpy())
    return values


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _number(text: str | None) -> float:
    return float(text) if text is not None and NUMBER.fullmatch(text) else np.nan


def check_columns(
    columns: Sequence[str], named: Iterable[tuple[str, str]], faults: FaultList
) -> None:
    """Every column named in an argument exists, and no two columns share a name."""
    for name in sorted({name for name in columns if columns.count(name) > 1}):
        faults.add_rule("two or more columns have this name", name)
    for argument, name in named:
        if name not in columns:
            faults.add_rule(f"{argument} names no column of the file; {_there_are(columns)}", name)


def _there_are(columns: Sequence[str]) -> str:
    hint = ""
    if len(columns) == 1 and "|" in columns[0]:
        hint = " (columns must be separated by commas)"
    return f"its columns are {listing(columns)}{hint}"
