"""Our numbers beside the published ones, by the ranges that were laid down before any run."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

EXPECTED = Path(__file__).parent / "expected"
COMES_OUT, DOES_NOT, DIFFERS, REPORTED, NOT_RUN, NOT_TO_BE_HAD = (
    "comes out", "DOES NOT COME OUT", "differs", "reported", "not at this size", "not to be had",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """One published number and the range that ours must lie in.

    low, high   None: no limit on that side; neither: the number is only reported
    must        whether the run fails outside the range
    reason      where the range comes from
    """

    key: str
    where: str
    what: str
    published: str
    low: float | None
    high: float | None
    must: bool
    reason: str

    @property
    def bounded(self) -> bool:
        return self.low is not None or self.high is not None

    def holds(self, value: float) -> bool:
        """Whether ``value`` lies in the range; not a number never does."""
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        return low <= value <= high


@dataclass(frozen=True, slots=True)
class Verdict:
    expected: Expected
    value: float | None
    words: str

    @property
    def failed(self) -> bool:
        return self.words == DOES_NOT


def expected_rows(name: str) -> list[Expected]:
    """The committed table of one paper. Raises ValueError for a row that decides nothing."""
    with (EXPECTED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = [_row(name, line) for line in csv.DictReader(file)]
    keys = [row.key for row in rows]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise ValueError(f"{name}.csv has the key {twice[0]!r} twice")
    return rows


def _row(name: str, line: Mapping[str, str]) -> Expected:
    ends = [float(line[end]) if line[end].strip() else None for end in ("low", "high")]
    must = line["must"].strip() == "yes"
    if must and ends == [None, None]:
        raise ValueError(f"{name}.csv, {line['key']!r}: what must come out needs low or high")
    return Expected(
        line["key"], line["where"], line["what"], line["published"], ends[0], ends[1], must,
        line["reason"],
    )  # fmt: skip


def verdict(row: Expected, values: Mapping[str, float], *, runnable: bool) -> Verdict:
    """Whether our number comes out; ``runnable``: whether it can be had at any size."""
    value = values.get(row.key)
    if value is None:
        return Verdict(row, None, NOT_RUN if runnable else NOT_TO_BE_HAD)
    if not row.bounded:
        return Verdict(row, value, REPORTED)
    outside = DOES_NOT if row.must else DIFFERS
    return Verdict(row, value, COMES_OUT if row.holds(value) else outside)


def verdicts(name: str, values: Mapping[str, float]) -> list[Verdict]:
    """A verdict for each row of a paper. Raises ValueError for a number that nobody expected."""
    rows = expected_rows(name)
    unknown = sorted(set(values) - {row.key for row in rows})
    if unknown:
        raise ValueError(f"{name} gave {unknown[0]!r}, which {name}.csv does not have")
    return [verdict(row, values, runnable=row.bounded) for row in rows]


def missing(found: list[Verdict]) -> list[str]:
    """What must come out and was not run."""
    return [one.expected.key for one in found if one.expected.must and one.value is None]
