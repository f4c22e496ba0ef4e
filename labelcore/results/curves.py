"""What is known along the ranks of a list: a curve with its band, and the cuts of the list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.promises import State
from labelcore.results.base import Closed, Finding, Result
from labelcore.results.interval import Interval
from labelcore.results.scope import Scope as Scope
from labelcore.results.told_values import too_wide

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Band(Finding):
    """A curve with a band along the ranks of a list.

    Attributes
    ----------
    estimand
        "precision_curve", or the reading that it shows, such as "recall"
    x
        (n_points,), increasing ranks between 1 and the number of items
    value, low, high
        (n_points,), proportions; value is NaN where there is no estimate
    threshold
        (n_points,), the score at each rank
    confidence
        of the bounds; None if they are not confidence bounds
    simultaneous
        whether the promise holds for all ranks together (True) or for each rank on its own
    labels_used, draws_used, method, promise, assumptions, source, scope, form
        as for an ``Estimate``
    state
        the row of ``labelcore.words.curves.BANDS`` that says it in words
    missing
        what is still needed for a first band, in words
    provisional
        (n_points,), the estimate by all labels so far, if the band rests on fewer; else None
    extra
        further arrays (n_points,) by name, such as PAULA's envelope
    notes
        what a reader must know, such as an assumption that visibly fails
    tentative
        whether all values say little yet: there are too few labels for one, and no bounds

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"], scores={"lr": "lr_score"})
    >>> session = lc.Session(population, lc.Plan("geometric_strata", "precision_curve", budget=200))
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> session.results()["precision_curve"].simultaneous
    True
    """

    closed: ClassVar[Closed] = {**Finding.closed, "state": State}

    estimand: str
    x: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    threshold: FloatArray
    confidence: float | None
    simultaneous: bool
    state: State = State.INTERVAL
    missing: str = ""
    provisional: FloatArray | None = None
    extra: Mapping[str, FloatArray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tentative: bool = False

    def __repr__(self) -> str:
        ranks = f"{len(self.x):,} rank{'' if len(self.x) == 1 else 's'}"
        return f"<{type(self).__name__} {self.estimand!r}: {ranks}, {self.labels_used:,} labels>"

    @property
    def told(self) -> FloatArray:
        """(n_points,), ``value`` as words, tables, CSV files and lines of charts have it: NaN where
        the bounds are too ``wide``, and everywhere while ``tentative``."""
        if self.tentative:
            return np.full(len(self.x), np.nan)
        return np.where(self.wide, np.nan, self.value) if self.has_interval else self.value

    @property
    def wide(self) -> BoolArray:
        """(n_points,), where the bounds leave more than 60 % of what is possible.

        Of a number of items the rank is what is possible, of a gain and of DCG, which have no
        largest value, their upper bound."""
        name = self.estimand.removesuffix("_curve")
        possible = {"yield": self.x, "gain": self.high, "dcg": self.high}.get(name)
        return too_wide(self.low, self.high, 1.0 if possible is None else possible)

    @property
    def has_interval(self) -> bool:
        """Whether low and high may be shown as a band."""
        return self.state.has_interval

    def part(self, keep: slice | NDArray[np.bool_]) -> Band:
        """The same at some of its ranks only.

        Parameters
        ----------
        keep
            which points of ``x``, as a slice or (n_points,) of bool

        Returns
        -------
        Band
            With everything that is not along the ranks as it is here.
        """
        return replace(
            self,
            x=self.x[keep],
            value=self.value[keep],
            low=self.low[keep],
            high=self.high[keep],
            threshold=self.threshold[keep],
            provisional=None if self.provisional is None else self.provisional[keep],
            extra={name: array[keep] for name, array in self.extra.items()},
        )

    def at(self, rank: float) -> tuple[float, Interval]:
        """The estimate and its interval at one rank.

        Parameters
        ----------
        rank
            a whole number from the first to the last of ``x``

        Returns
        -------
        value : float
            NaN if there is no estimate.
        interval : Interval
            Its bounds.

        Raises
        ------
        TypeError, ValueError
            The rank is no whole number, or lies outside ``x``.

        Notes
        -----
        Between two points, precision follows from both: the number of positives among the first
        ``rank`` items is at least that of the point before, and grows by at most one per item. Any
        other reading is that of the last point not beyond ``rank``. Of two lists, whose ``x`` has
        all ranks up to 5,000, numbers of items go in a straight line from one point to the next.
        """
        given: object = rank
        if isinstance(given, bool) or not isinstance(given, Real) or rank % 1 > 0:
            raise TypeError(f"rank must be a whole number, got {rank!r}")
        if not self.x[0] <= rank <= self.x[-1]:
            raise ValueError(
                f"rank must lie between {self.x[0]:.0f} and {self.x[-1]:.0f}, got {rank!r}"
            )
        return self._at(rank)

    def _at(self, rank: float) -> tuple[float, Interval]:
        point = int(np.searchsorted(self.x, rank, side="right")) - 1
        if self.estimand == "precision_curve" and rank > self.x[point]:
            return self._between(point, rank)
        return float(self.value[point]), Interval(float(self.low[point]), float(self.high[point]))

    def _between(self, point: int, rank: float) -> tuple[float, Interval]:
        """Precision between ``point`` and the next one, from the hits at both."""
        before, after = self.x[point : point + 2]
        value, low, high = (
            array[point : point + 2] * self.x[point : point + 2]
            for array in (self.value, self.low, self.high)
        )
        share = (rank - before) / (after - before)
        least = max(low[0], low[1] - (after - rank))
        most = min(high[0] + rank - before, high[1])
        middle = value[0] + share * (value[1] - value[0])
        return float(middle / rank), Interval(float(least / rank), float(max(most, least) / rank))

    def to_frame(self) -> pd.DataFrame:
        """The curve as a table.

        Returns
        -------
        DataFrame
            A row per rank: x, threshold, value, low, high, then provisional and ``extra`` if any.
        """
        columns = {name: getattr(self, name) for name in ("x", "threshold", "value", "low", "high")}
        if self.provisional is not None:
            columns["provisional"] = self.provisional
        return pd.DataFrame({**columns, **self.extra})


@dataclass(frozen=True, eq=False, slots=True)
class Cut(Result):
    """The first ``rank`` items of a ranked list.

    Attributes
    ----------
    rank, n_items
        how many items are kept, and how many there are
    score
        the score of the last item kept
    tied
        the first and last rank of the items with that score
    readings
        {name: band of one point} for each reading that the curve has
    """

    rank: int
    n_items: int
    score: float
    tied: tuple[int, int]
    readings: dict[str, Band]

    def to_frame(self) -> pd.DataFrame:
        """The readings as a table.

        Returns
        -------
        DataFrame
            A row per reading: reading, value, low, high.
        """
        rows = [
            {"reading": name, "value": band.value[0], "low": band.low[0], "high": band.high[0]}
            for name, band in self.readings.items()
        ]
        return pd.DataFrame(rows, columns=["reading", "value", "low", "high"])


@dataclass(frozen=True, eq=False, slots=True)
class CheapestCut(Result):
    """Where to cut a ranked list so that mistakes cost least.

    Attributes
    ----------
    rank
        how many items to keep by the estimate; 0 keeps nothing
    first, last
        the least and the most items that may be the cheapest to keep, by the bounds
    miss, false_alarm
        what a positive item costs that is not kept, and another one that is
    score
        of the last item kept; None where nothing is
    band
        the precision along the ranks, whose promise the bounds share
    """

    rank: int
    first: int
    last: int
    miss: float
    false_alarm: float
    score: float | None
    band: Band

    def to_frame(self) -> pd.DataFrame:
        """The cut as a table.

        Returns
        -------
        DataFrame
            One row: miss, false_alarm, rank, first, last, score.
        """
        names = ("miss", "false_alarm", "rank", "first", "last", "score")
        return pd.DataFrame([{name: getattr(self, name) for name in names}])
