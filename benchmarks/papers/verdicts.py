"""Our numbers beside the published ones, by the ranges that were laid down before any run."""

import csv
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

EXPECTED = Path(__file__).parent / "expected"
AGREES, CONTRADICTS, OTHER_DATA = "agrees", "contradicts the print", "other data"
NOT_PRINTED, NOT_RUN, NOT_TO_BE_HAD = "not printed", "not at this size", "not to be had"
NEAR = 0.05
"""A number without a range of its own agrees with one that lies this share of it away."""
NUMBER = re.compile(r"[-+]?\d*\.?\d+")


@dataclass(frozen=True, slots=True)
class Expected:
    """One published number and the range that ours must lie in.

    low, high   None: no limit on that side; neither: the number is only reported
    must        whether the run fails outside the range
    other       whether it is computed on other data than the paper's, which are not to be had
    reason      where the range comes from
    """

    key: str
    where: str
    what: str
    published: str
    low: float | None
    high: float | None
    must: bool
    other: bool
    reason: str

    @property
    def bounded(self) -> bool:
        return self.low is not None or self.high is not None

    def holds(self, value: float) -> bool:
        """Whether ``value`` lies in the range; not a number never does."""
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        return low <= value <= high

    @property
    def printed(self) -> float | None:
        """The number that the paper prints, where it prints one."""
        found = NUMBER.search(self.published.replace(",", ""))
        return None if found is None else float(found[0])


@dataclass(frozen=True, slots=True)
class Verdict:
    expected: Expected
    value: float | None
    words: str

    @property
    def failed(self) -> bool:
        return self.expected.must and self.words == CONTRADICTS


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
        line["data"].strip() == "other", line["reason"],
    )  # fmt: skip


def verdict(row: Expected, values: Mapping[str, float], *, runnable: bool) -> Verdict:
    """Whether our number comes out; ``runnable``: whether it can be had at any size."""
    value = values.get(row.key)
    if value is None:
        return Verdict(row, None, NOT_RUN if runnable else NOT_TO_BE_HAD)
    return Verdict(row, value, _words(row, value))


def _words(row: Expected, value: float) -> str:
    """``agrees`` or ``contradicts the print`` where the paper's own data or formulas can be had;
    on other data only a range that was laid down for them can be met."""
    if row.bounded and row.holds(value):
        return AGREES
    if row.other:
        return OTHER_DATA
    if row.bounded:
        return CONTRADICTS
    if row.printed is None:
        return NOT_PRINTED
    return AGREES if abs(value - row.printed) <= NEAR * abs(row.printed) else CONTRADICTS


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
