"""A fixed promise that stops by itself at its margin: the rule of a plan, and where it stops.

Nobody sees an interval before the stop, so that one critical value, calibrated beforehand for the
interval at the stop (``labelcore.stats.stop_at_margin``), is all that not fixing the size costs.

The stop is a function of the answers in the order of the draws, whenever they came: an answer that
is taken back, changed or late moves it to where it would have been. What happens to doubtful items
is what happens to them everywhere: unsure and broken ones are left out or count both ways, by the
reading of the plan, open ones always count both ways. The stop then waits for the widened
interval. Its coverage is no longer the calculated one, and the result says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from labelcore.designs.base import OPEN, UNDECIDED
from labelcore.designs.curves import OPEN_SHARE, UNDECIDED_SHARE
from labelcore.designs.scalars import FIRST_FIGURE
from labelcore.errors import InPlan, PlanArgumentError
from labelcore.estimands import ratios
from labelcore.plan.plan import Plan
from labelcore.promises import Unsure
from labelcore.stats.profile import BoolArray
from labelcore.stats.stop_at_margin import IntArray, MarginRule, calibrated_critical
from labelcore.tallies import Question, Tally

MISS, HIT = 0, 1
MOST_LABELS = 20_000
CALIBRATED = (InPlan("stop", "margin"), "with ", InPlan("promise", "fixed"))


def margin_rule(plan: Plan, n_items: int) -> MarginRule | None:
    """The rule of a plan with a calibrated stop, on a file of ``n_items``; None for other plans.

    Raises PlanError where the rule may take more than ``MOST_LABELS``, because its critical value
    would take minutes to work out, and where none is large enough: a handful of labels or items.
    """
    if not plan.calibrated_stop:
        return None
    most = n_items if plan.budget is None else min(plan.budget, n_items)
    first = min(FIRST_FIGURE, most)
    size = n_items if plan.target == "file" else None
    return _calibrated(float(plan.margin or 0), plan.confidence_of_each(1), first, most, size)


@lru_cache(maxsize=64)
def _calibrated(
    margin: float, confidence: float, first: int, most: int, size: int | None
) -> MarginRule:
    ordinary = MarginRule(margin, float(ndtri((1 + confidence) / 2)), first, most, size)
    if ordinary.last > MOST_LABELS:
        raise PlanArgumentError(
            *CALIBRATED,
            f" may take {ordinary.last:,} labels here; it is worked out for up to "
            f"{MOST_LABELS:,}: use a larger ",
            InPlan("margin"),
            ", a ",
            InPlan("budget"),
            ", or ",
            InPlan("promise", "watched"),
        )
    try:
        critical = calibrated_critical(margin, confidence, first, size, most=most)
    except ValueError:
        raise PlanArgumentError(
            *CALIBRATED,
            f" cannot keep {confidence:.6g} with at most {most:,} labels of this file; use another",
            " ",
            InPlan("budget"),
            ", or ",
            InPlan("promise", "watched"),
        ) from None
    return MarginRule(margin, critical, first, most, size)


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a rule stops.

    draw    the draw at which labelling ends; None while it goes on
    exact   whether the labels end just where the rule ends them, no doubtful item among them: only
            then is the coverage that of the calibration
    """

    draw: int | None
    exact: bool


def find_stop(
    rule: MarginRule, outcomes: NDArray[np.int8], limit: int, spared: float = UNDECIDED_SHARE
) -> Stop:
    """Where the first ``limit`` draws stop.

    outcomes   (n_draws,), HIT, MISS, UNDECIDED or OPEN of each draw up to the last answered one
    spared     the share of undecided answers up to which they are left out (``spared_by``)
    """
    seen = outcomes[:limit]
    labels, hits = np.cumsum(seen >= MISS), np.cumsum(seen == HIT)
    undecided, opened = np.cumsum(seen == UNDECIDED), np.cumsum(seen == OPEN)
    answered = labels + undecided
    both_ways = opened + np.where(undecided > spared * answered, undecided, 0)
    start = int(np.searchsorted(labels, rule.first))
    labels, hits, doubtful = labels[start:], hits[start:], both_ways[start:]
    low, high = rule.limits(labels, hits)
    plain = (high - low) / 2 <= rule.margin
    low = np.minimum(low, rule.limits(labels + doubtful, hits)[0])
    high = np.maximum(high, rule.limits(labels + doubtful, hits + doubtful)[1])
    waiting = opened[start:] > OPEN_SHARE * (answered + opened)[start:]
    draw = _first(((high - low) / 2 <= rule.margin) & ~waiting, start)
    end = len(seen) if draw is None else draw
    doubt = bool(end and both_ways[end - 1])
    at_the_end = draw is None and end >= limit
    short = at_the_end and (not len(labels) or labels[-1] < rule.last)
    return Stop(draw, not doubt and not short and _first(plain, start) == draw)


def spared_by(reading: Unsure) -> float:
    """The share of undecided answers up to which a stop goes on without them; beyond it they count
    both ways."""
    if reading == Unsure.FEW_LEFT_OUT:
        return UNDECIDED_SHARE
    return 0.0 if reading == Unsure.EITHER_WAY else 1.0


def _first(stops: BoolArray, start: int) -> int | None:
    """The number of the first draw that stops; the first of ``stops`` is draw ``start`` + 1."""
    return start + int(stops.argmax()) + 1 if stops.any() else None


def counting(question: Question, tally: Tally) -> BoolArray:
    """Which labels count in the numerator of a share of all items, (n_cells, n_classes)."""
    cells = tally.emptied().cells(question.class_index)
    of_class = tally.prediction if question.class_index is None else question.class_index
    positive = np.arange(tally.counts.shape[1]) == np.reshape(of_class, (-1, 1))
    rising = ratios([question.row], cells).a[0] > 0
    return np.asarray(positive == rising[:, None])


def outcomes_of(codes: IntArray, cell: IntArray, counts: BoolArray) -> NDArray[np.int8]:
    """The outcome of each draw, (n_draws,), from the class of its label (UNDECIDED or OPEN where it
    has none) and the cell of its item; ``counts`` as ``counting`` has it."""
    hit = counts[cell, np.maximum(codes, 0)]
    return np.where(codes < 0, codes, np.where(hit, HIT, MISS)).astype(np.int8)
