"""Columns that may help to choose items and are never judged: a score or verdicts of any kind."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.population.checks import as_numbers
from labelcore.population.classes import PredictionColumn
from labelcore.population.text import as_text

VERDICTS = 2
"""So many different numbers are verdicts, more of them a score."""
NUMBERS = 0.5
"""The share of the filled rows that must hold numbers in a column of scores."""


@dataclass(frozen=True, eq=False, slots=True)
class Helper:
    """What a helper says of each item; a missing value is a value of its own.

    score     (n_items,), numbers on any scale, NaN where there is none; None for verdicts
    verdict   (n_items,), index into ``names``, -1 where there is none; None for scores
    names     the different verdicts
    """

    score: NDArray[np.float64] | None = None
    verdict: NDArray[np.int32] | None = None
    names: tuple[str, ...] = ()

    def part(self, positions: NDArray[np.int64]) -> Helper:
        """What it says of some of the items."""
        score, verdict = self.score, self.verdict
        return replace(
            self,
            score=None if score is None else score[positions],
            verdict=None if verdict is None else verdict[positions],
        )


def read_helper(column: pa.ChunkedArray, decimal: str) -> Helper:
    """A column as scores where it holds more than two different numbers, and in at least half of
    the rows that are filled; else as verdicts, which are texts."""
    numbers = as_numbers(column, decimal)
    if numbers is not None:
        finite = np.isfinite(numbers)
        enough = finite.sum() >= max(NUMBERS * _filled(column, numbers), 1)
        if enough and len(np.unique(numbers[finite])) > VERDICTS:
            return Helper(score=np.where(finite, numbers, np.nan))
    texts = PredictionColumn.from_column(column)
    names = tuple(dict.fromkeys(text.strip() for text in texts.values if text.strip()))
    place = {name: number for number, name in enumerate(names)}
    table = [place.get(text.strip(), -1) for text in texts.values]
    return Helper(verdict=np.array([*table, -1], dtype=np.int32)[texts.places], names=names)


def _filled(column: pa.ChunkedArray, numbers: NDArray[np.float64]) -> int:
    """How many rows of a column hold something: a number, or a text that is not blank."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return int((~np.isnan(numbers)).sum())
    trimmed = pc.utf8_trim_whitespace(as_text(column))
    return int(pc.sum(pc.not_equal(trimmed, "")).as_py() or 0)
