"""What is known of two ranked lists: their difference at every rank, and where one is better."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.promises import State
from labelcore.results.curves import Band, FloatArray
from labelcore.results.interval import Interval
from labelcore.results.told_values import too_wide
from labelcore.results.types import Estimate

LANDMARKS = (100, 300, 1_000)
AT_RANK, MOST_SHOWN = "precision_difference", 200


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ListDifference(Band):
    """The precision of one list's first items less that of another's, at every rank.

    A ``Band`` whose ends hold for all ranks together: a rank, or a range of them, may be chosen
    after looking. ``value``, ``low`` and ``high`` are shares of the first r items, positive where
    the first list, ``scope.classifier``, has more positives than ``scope.versus``.

    Attributes
    ----------
    possible
        (n_points,), how far apart the ends were before the first label: the items in one head and
        not in the other, as a share of the rank
    own
        where each list's own precision is asked for, the two bands, which share the confidence of
        the difference: all three hold together

    Examples
    --------
    >>> import labelcore as lc
    >>> import pandas as pd
    >>> items = pd.read_csv("items.csv")
    >>> items["svm_score"] = (items["lr_score"] + 7 * items.index % 10 / 20).round(4)
    >>> population = lc.read_population(
    ...     items, id="id", content="text", scores={"lr": "lr_score", "svm": "svm_score"})
    >>> plan = lc.Plan("paired_lists", "precision_curve_difference", budget=40,
    ...                classifier=["lr", "svm"], params={"first_rank": 10, "last_rank": 100})
    >>> session = lc.Session(population, plan)
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> session.list_difference("lr", "svm").labels_used
    40
    """

    possible: FloatArray = field(default_factory=lambda: np.zeros(0))
    own: tuple[Band, Band] | None = None

    @property
    def told(self) -> FloatArray:
        """(n_points,), ``value`` as words, tables and charts have it: NaN where the ends leave more
        than 60 % of what was possible before the first label, and while there are no ends."""
        if self.tentative or not self.has_interval:
            return np.full(len(self.x), np.nan)
        return np.where(too_wide(self.low, self.high, self.possible), np.nan, self.value)

    @property
    def shown(self) -> NDArray[np.int64]:
        """The places of up to 200 ranks in constant ratio, the last one among them: what charts and
        tables of results have."""
        ranks = np.geomspace(self.x[0], self.x[-1], MOST_SHOWN).round()
        return np.unique(np.searchsorted(self.x, np.minimum(ranks, self.x[-1])))

    @property
    def better(self) -> NDArray[np.int64]:
        """(n_points,), 1 where the first list is surely better, -1 where the second one is, else 0:
        0 everywhere without an interval."""
        if not self.has_interval:
            return np.zeros(len(self.x), dtype=np.int64)
        return np.where(self.low > 0, 1, np.where(self.high < 0, -1, 0))

    def _at(self, rank: float) -> tuple[float, Interval]:
        value, low, high = (
            float(np.interp(rank, self.x, end * self.x)) / rank
            for end in (self.value, self.low, self.high)
        )
        return value, Interval(low, high)

    def at_rank(self, rank: int) -> Estimate:
        """The difference of the first ``rank`` items of both lists, as one number."""
        value, ends = self.at(rank)
        half = float(np.interp(rank, self.x, self.possible)) / 2
        known = None if np.isnan(value) else value
        return Estimate(
            estimand=AT_RANK,
            value=known,
            low=ends.low,
            high=ends.high,
            confidence=self.confidence,
            labels_used=self.labels_used,
            draws_used=self.draws_used,
            method=self.method,
            promise=self.promise,
            assumptions=self.assumptions,
            source=self.source,
            state=State.TOO_FEW if known is None and self.has_interval else self.state,
            missing=self.missing,
            scope=self.scope,
            form=self.form,
            certain=Interval(-half, half),
        )

    def landmarks(self) -> list[int]:
        """The ranks that are told first: 100, 300, 1,000 and the last one."""
        last = int(self.x[-1])
        inside = [rank for rank in LANDMARKS if self.x[0] <= rank < 0.8 * last]
        return [*inside, last] if inside else sorted({int(self.x[0]), last})

    def ranges(self) -> pd.DataFrame:
        """Where one list is surely better than the other, all ranges together with the band's
        confidence: they may be looked for.

        Returns
        -------
        DataFrame
            A row per range of ranks: better, first, last. Empty where nothing is sure.
        """
        names = {1: self.scope.classifier, -1: self.scope.versus}
        sign = self.better
        ends = np.flatnonzero(np.append(np.diff(sign) != 0, True))
        starts = np.append(0, ends[:-1] + 1)
        rows = [
            (names[int(sign[start])], int(self.x[start]), int(self.x[end]))
            for start, end in zip(starts, ends, strict=True)
            if sign[start]
        ]
        return pd.DataFrame(rows, columns=["better", "first", "last"])

    def of(self, a: str | None, b: str | None) -> ListDifference:
        """The difference of list ``a`` less list ``b``, which are the two; None: as it is. Raises
        ValueError for others."""
        first, second = self.scope.classifier, self.scope.versus
        asked = a or (first if b != first else second), b or (second if a != second else first)
        if asked == (first, second):
            return self
        if asked == (second, first):
            return self.turned()
        raise ValueError(f"a and b must be {first!r} and {second!r}, got {asked[0]!r} and "
                         f"{asked[1]!r}")  # fmt: skip

    def turned(self) -> ListDifference:
        """The same with the lists the other way round."""
        scope = replace(self.scope, classifier=self.scope.versus, versus=self.scope.classifier)
        own = None if self.own is None else (self.own[1], self.own[0])
        kept = {each.name: getattr(self, each.name) for each in fields(self)}
        turned = {"value": -self.value, "low": -self.high, "high": -self.low}
        return ListDifference(**{**kept, **turned, "scope": scope, "own": own})

    def to_frame(self) -> pd.DataFrame:
        """The difference as a table.

        Returns
        -------
        DataFrame
            A row per rank: x, threshold (the first list's score there), value, low, high, better,
            and of each list its own precision with its ends where it is asked for.
        """
        names = {1: self.scope.classifier, -1: self.scope.versus, 0: ""}
        columns = {name: getattr(self, name) for name in ("x", "threshold", "value", "low", "high")}
        columns["better"] = [names[sign] for sign in self.better.tolist()]
        for which, band in zip(("first", "second"), self.own or (), strict=False):
            columns |= {which: band.value, f"{which}_low": band.low, f"{which}_high": band.high}
        return pd.DataFrame(columns)
