"""The likelihood of a process: what it makes of each kind, and how many items came."""

import numpy as np
import pytest
from scipy.optimize import minimize

from labelcore.estimands import SCALARS, table_of_masses
from labelcore.stats.process_profile import Masses, with_unseen
from labelcore.stats.profile import Cells, FloatArray, profile_bounds

CALLED = Cells(*np.array([[3.0, 40.0], [2.0, 10.0], [1.0, 1.0]]), np.array([True, False]))
"""Three items called positive, two of them labelled, one right; a miss among ten of forty."""
NONE_CALLED = Cells(*np.array([[40.0], [10.0], [1.0]]), np.array([False]))
CRITICAL = 4.0


def bounds(name: str, cells: Cells) -> list[float]:
    table = table_of_masses([SCALARS[name]], cells)
    ends = profile_bounds(with_unseen(cells), table, np.array([CRITICAL]), of=Masses)
    return [float(end[0]) for end in ends]


def furthest(name: str, sign: float, towards: str) -> float:
    """The end of ``CALLED`` by a general optimiser: masses tp, fp, fn, tn, and half an item, a
    quarter of it a label, in the two of them that move it there."""
    tp, fp, fn, tn = (0.25 * (kind in towards.split()) for kind in ("tp", "fp", "fn", "tn"))
    s, f = np.array([1 + tp, 1 + fn]), np.array([1 + fp, 9 + tn])
    more, left = np.array([tp, fp, fn, tn]), np.array([1.0, 30.0])

    def likelihood(logs: FloatArray) -> float:
        a_tp, a_fp, a_fn, a_tn, *unseen = np.exp(logs)
        a, b, beside = np.array([a_tp, a_fn]), np.array([a_fp, a_tn]), np.array(unseen)
        seen = s * np.log(a) + f * np.log(b) + left * np.log(a + b) - a - b
        return float(seen.sum() + (more * np.log(beside) - beside)[more > 0].sum())

    def value(logs: FloatArray) -> float:
        whole = np.exp(logs[:4]) + np.where(more > 0, np.exp(logs[4:]), 0.0)
        tp, fp, fn, tn = whole
        return float({"specificity": tn / (tn + fp), "recall": tp / (tp + fn)}[name])

    items = np.array([3.0, 40.0]) + np.array([tp + fp, fn + tn])
    rate = s / (s + f)
    rest = np.concatenate([items * rate, items * (1 - rate)])[[0, 2, 1, 3]]
    start = np.log(np.concatenate([rest, np.where(more > 0, more, 1.0)]))
    room = likelihood(start) - CRITICAL / 2
    inside = {"type": "ineq", "fun": lambda logs: likelihood(logs) - room}
    found = minimize(lambda logs: -sign * value(logs), start, constraints=[inside], tol=1e-12)
    return value(found.x)


@pytest.mark.parametrize(
    ("name", "less", "more"), [("specificity", "fp fn", "tp tn"), ("recall", "fp fn", "tp tn")]
)
def test_ends_are_those_of_a_general_optimiser(name: str, less: str, more: str) -> None:
    low, high = bounds(name, CALLED)
    assert low == pytest.approx(furthest(name, -1.0, less), abs=1e-5)
    assert high == pytest.approx(furthest(name, 1.0, more), abs=1e-5)


def test_without_a_call_there_may_be_some_elsewhere() -> None:
    low, high = bounds("specificity", NONE_CALLED)
    assert high == 1.0 and 0.85 < low < 0.95


def test_many_items_of_each_kind_are_like_a_sample_of_a_share() -> None:
    """Everything labelled, a rate of .5: the root of CRITICAL p (1 - p) / N on either side."""
    cells = Cells(*np.array([[5e3, 5e3], [5e3, 5e3], [2.5e3, 2.5e3]]), np.array([True, False]))
    low, high = bounds("accuracy", cells)
    assert [low, high] == pytest.approx([0.49, 0.51], abs=1e-4)
