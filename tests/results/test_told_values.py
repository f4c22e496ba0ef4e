"""Which values of a curve may be told, and that every room asks the same rule."""

from dataclasses import replace

import numpy as np
import pytest

from labelcore.promises import State
from labelcore.results.curves import Band, Cut
from labelcore.results.interval import Interval
from labelcore.results.table import result_rows
from labelcore.results.types import Scope
from tests.findings import BASIS

Point = tuple[float, float, float]


def band(name: str, *points: Point, rank: float = 10.0, **more: object) -> Band:
    value, low, high = np.array(points).T
    x = np.arange(len(points)) + rank
    given = {"state": State.INTERVAL, "confidence": 0.95, **more}
    return Band(
        estimand=name, x=x, value=value, low=low, high=high, threshold=x, simultaneous=True,
        scope=Scope(n_items=100, positive="yes"), **BASIS, **given,
    )  # type: ignore[arg-type]  # fmt: skip


def told(one: Band) -> list[bool]:
    return np.isfinite(one.told).tolist()


def test_a_curve_has_a_value_where_its_bounds_leave_at_most_60_points() -> None:
    both = (0.66, 0.1, 0.99), (0.66, 0.4, 0.99)
    assert told(band("precision_curve", *both)) == [False, True]
    assert told(band("precision_curve", *both, confidence=None)) == [False, True]
    assert told(band("precision_curve", *both, state=State.EXACT)) == [False, True]


def test_of_items_the_rank_is_what_is_possible_and_of_a_gain_its_upper_bound() -> None:
    for rank, there in ((10.0, False), (100.0, True)):
        assert told(band("yield_curve", (6.0, 1.0, 9.0), rank=rank)) == [there]
    assert told(band("gain_curve", (3.0, 0.1, 9.0), (3.0, 2.0, 4.5))) == [False, True]


def test_without_bounds_a_guess_is_told_unless_there_are_few_labels() -> None:
    guess = band("precision_curve", (0.66, 0.0, 1.0), state=State.PROVISIONAL)
    assert told(guess) == [True]
    assert told(replace(guess, tentative=True)) == [False]


def test_no_cell_and_no_sentence_has_a_value_that_the_bounds_do_not_allow() -> None:
    wide = band("precision_curve", (0.66, 0.1, 0.99), (0.66, 0.4, 0.99))
    assert [row["value"] for row in result_rows("p", wide)] == [None, pytest.approx(0.66)]
    early = band("precision", (0.66, 0.0, 1.0), state=State.PROVISIONAL)
    for tentative, said in ((False, "about 66 %"), (True, "nothing is known yet")):
        point = replace(early, tentative=tentative)
        assert said in Cut(10, 100, 0.9, (10, 10), {"precision": point}).sentence()


@pytest.mark.parametrize("name", ["recall_curve", "yield_curve", "f1_curve"])
def test_other_curves_keep_the_last_point_until_the_next_one(name: str) -> None:
    points = (0.5, 0.4, 0.7), (0.6, 0.5, 0.9)
    curve = replace(band(name, *points), x=np.array([10.0, 20.0]))
    for rank, point in ((10, 0), (11, 0), (19, 0), (20, 1)):
        assert curve.at(rank) == (points[point][0], Interval(*points[point][1:]))
    early = replace(curve, provisional=np.array([True, False]), extra={"labels": curve.x})
    assert early.to_frame().iloc[0].tolist() == [10, 10, *points[0], True, 10]
    assert [*curve.to_frame()] == ["x", "threshold", "value", "low", "high"]


@pytest.mark.parametrize("hits", [(2, 6, 5, 14), (8, 10, 9, 11), (0, 1, 2, 11), (3, 3, 3, 3)])
def test_between_two_points_precision_is_what_the_hits_at_both_allow(hits: tuple[int, ...]) -> None:
    first, last = (range(hits[place], hits[place + 1] + 1) for place in (0, 2))
    points = [(sum(ends) / len(ends), ends[0], ends[-1]) for ends in (first, last)]
    at = np.array([10.0, 20.0, 40.0])  # The last one says nothing of those before.
    curve = replace(band("precision_curve", *(np.array([*points, points[1]]) / at[:, None])), x=at)
    for rank in range(10, 21):
        found = [n for n in range(rank + 1) if any(0 <= n - one <= rank - 10 for one in first)
                 and any(0 <= one - n <= 20 - rank for one in last)]  # fmt: skip
        value, ends = curve.at(rank)
        middle = np.interp(rank, at[:2], [hits_at[0] for hits_at in points])
        told = (value * rank, ends.low * rank, ends.high * rank)
        assert told == pytest.approx((middle, min(found), max(found)))
