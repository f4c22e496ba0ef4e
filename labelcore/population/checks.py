"""Columns to arrays; every value that breaks a rule becomes a fault."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labelcore.errors import Fault, did_you_mean
from labelcore.population.arrays import let_pages_go, room
from labelcore.population.ids import TextIds, joined
from labelcore.population.sniff import NUMBER
from labelcore.population.text import as_text, listing, shorten
from labelcore.stats.arrays import FloatArray, IntArray

SCORE_RULE = "a score must be a finite number"
WITH_COMMA = f"{SCORE_RULE} with a decimal comma and no thousands marks"
EXAMPLES = 3
PERCENT = "; write 76% as 0.76"
HINT = "; if its comma is a decimal mark, choose the decimal comma; no thousands marks are read"


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

    def add_rows(self, positions: IntArray, name: str, column: pa.ChunkedArray, rule: str) -> None:
        if len(positions):
            values = as_text(column.take(pa.array(positions))).to_pylist()
            for position, value in zip(positions.tolist(), values, strict=True):
                self.add_row(position, name, value, rule)


def check_ids(columns: Mapping[str, pa.ChunkedArray], faults: FaultList) -> TextIds:
    """Ids as text, of one column or of several together: non-empty and unique."""
    texts = {name: as_text(column) for name, column in columns.items()}
    blank = np.zeros(len(next(iter(texts.values()))), dtype=bool)
    for name, column in texts.items():
        empty = np.concatenate(
            [blank[:0], *(pc.equal(chunk, "").to_numpy(False) for chunk in column.chunks)]
        )
        faults.add_rows(np.flatnonzero(empty), name, column, "an id must not be empty")
        blank |= empty
    name = ", ".join(texts)
    ids = TextIds(joined(list(texts.values())) if len(texts) > 1 else texts[name])
    for position, first in ids.repeats().items():
        if not blank[position]:
            item_id = ids.at(position)
            rule = f"an id must be unique, and row {first + 1} has the same"
            faults.add_row(position, name, item_id, rule)
    return ids


def check_scores(
    name: str, column: pa.ChunkedArray, faults: FaultList, decimal: str = "."
) -> FloatArray:
    """Scores as in the file, (n_items,), read-only; each must be a finite number.

    decimal is the mark of numbers in text; other numbers have none.
    """
    scores = as_numbers(column, decimal)
    if scores is None:
        faults.add_rule(f"{SCORE_RULE}, got a column of type {column.type}", name)
        return np.zeros(len(column))
    wrong = np.flatnonzero(~np.isfinite(scores))
    rule = _score_rule(column, wrong, decimal)
    if len(wrong) > max(len(scores) / 2, 2 * EXAMPLES):  # It is another column than of scores.
        texts = as_text(column.take(pa.array(wrong[:100]))).to_pylist()
        first = [(text, wrong[texts.index(text)] + 1) for text in dict.fromkeys(texts)]
        some = ", ".join(f"{shorten(text)!r} in row {row:,}" for text, row in first[:EXAMPLES])
        rule += f"; {len(wrong):,} of {len(scores):,} cells hold none: {some}"
        faults.add_rule(rule, name)
    else:
        faults.add_rows(wrong, name, column, rule)
    scores.flags.writeable = False
    return scores


def _score_rule(column: pa.ChunkedArray, wrong: IntArray, decimal: str) -> str:
    """The rule, and the choice that would mend the first of the wrong values."""
    if decimal == ",":
        return WITH_COMMA
    first = as_text(column.take(pa.array(wrong[:1]))).to_pylist()
    if any(text.endswith("%") for text in first):
        return SCORE_RULE + PERCENT
    comma = any("," in text and NUMBER[","].fullmatch(text) for text in first)
    return SCORE_RULE + (HINT if comma else "")


def as_numbers(column: pa.ChunkedArray, decimal: str) -> FloatArray | None:
    """(n_items,) numbers, NaN where there is none; None for a type that holds no numbers.

    Those of 32 bits, and decimals, are the numbers that they are written as: 0.7, by which they are
    compared with a threshold, and not 0.699999988.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_numbers(column.cast(kind.value_type), decimal)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _numbers_in_text(column, decimal)
    truth, exact = pa.types.is_boolean(kind), pa.types.is_decimal(kind)
    others = pa.types.is_null, pa.types.is_integer, pa.types.is_floating
    if not (truth or exact or any(holds(kind) for holds in others)):
        return None
    between = pa.uint8() if truth else kind
    if exact or pa.types.is_float32(kind):
        between = pa.string()
    values, first = room(len(column), np.float64), 0
    for part in column.chunks:
        chunk = part.cast(between).cast(pa.float64(), safe=False)
        filled = pc.fill_null(chunk, np.nan) if chunk.null_count else chunk
        values[first : first + len(chunk)] = filled.to_numpy()
        first += len(chunk)
    let_pages_go()
    return values


def _numbers_in_text(column: pa.ChunkedArray, decimal: str) -> FloatArray:
    """A point is no mark beside a decimal comma: "1.234" might mean over a thousand."""
    pointed = column
    if decimal == ",":
        with_point = pc.match_substring(column, ".")
        pointed = pc.if_else(with_point, "", pc.replace_substring(column, ",", "."))
    try:
        numbers = pc.fill_null(pointed.cast(pa.float64()), np.nan)
    except pa.ArrowInvalid:
        return np.array([number_of(text, decimal) for text in column.to_pylist()], dtype=np.float64)
    values: FloatArray = np.array(numbers.to_numpy())
    return values


def number_of(text: str | None, decimal: str) -> float:
    """The number that a text is, NaN where it is none."""
    if text is None or not NUMBER[decimal].fullmatch(text):
        return np.nan
    return float(text.replace(decimal, "."))


def check_columns(
    columns: Sequence[str],
    named: Iterable[tuple[str, str]],
    faults: FaultList,
    near: Mapping[str, str],
) -> None:
    """Every column named in an argument exists, and no two columns share a name. ``near``: path
    into records -> what is there, of those that lead nowhere."""
    for name in sorted(name for name, times in Counter(columns).items() if times > 1):
        faults.add_rule("two or more columns have this name", name)
    for argument, name in named:
        if set(name) & set(".[") and name in near:
            faults.add_rule(f"{argument} leads nowhere: {near[name]}", name)
        elif name not in columns:
            faults.add_rule(
                f"{argument} names no column of the file; its columns are {listing(columns)}"
                f"{did_you_mean(name, columns)}",
                name,
            )
