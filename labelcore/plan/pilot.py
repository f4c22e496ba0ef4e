"""The pilot of a plan that ends at a margin: after it the size is forecast anew. A pilot that tells
little goes on to twice its labels, and the size is forecast once more."""

import numpy as np

from labelcore.designs.base import PILOT_RULES
from labelcore.plan.plan import Plan
from labelcore.promises import Promise
from labelcore.stats.horizon import size_again

PILOT, DOUBLINGS = 60, 4
"""The labels of a pilot, those that were there before included, and how often they may be
doubled."""
NOTHING_KNOWN = 0.5
"""The half-width of a pilot that tells nothing."""
LITTLE_KNOWN = 0.25
"""The half-width above which a pilot goes on: half of one that tells nothing."""
FAR, FAR_AT_ONE_LOOK = 4, 2
"""A size of more than so many times the labels is far ahead, and the pilot goes on: an interval is
taken to narrow with the root of the labels, and where errors are few it narrows much faster. A
promise for one look has but this size, so that its pilot goes on for longer."""


def pilot_of(given: int) -> int:
    """The labels at which a pilot ends where so many were there before: at least one is new."""
    return max(PILOT, given + 1)


def further_pilot(
    half_width: float, labels: int, planned: int, given: int, *, far: float = FAR
) -> int:
    """The labels to which a pilot goes on that ended here; 0 where it told enough, or the size that
    is planned now comes before.

    half_width, labels   as in ``size_after``
    planned              the size after it
    given                labels that were there before
    far                  how many times the labels a size is that tells too little

    >>> [further_pilot(half, 60, size, 0) for half, size in ((0.45, 220), (0.2, 220), (0.2, 934))]
    [120, 0, 120]
    """
    unknown = half_width > LITTLE_KNOWN and 2 * labels < planned
    goes_on = (unknown or far * labels < planned) and labels < _last_pilot(given)
    return 2 * labels if goes_on else 0


def far_ahead(plan: Plan) -> float:
    """How many times the labels a size is that is far ahead, by the rules of a plan."""
    if plan.interval_rules < PILOT_RULES:
        return np.inf
    return FAR_AT_ONE_LOOK if plan.promised == Promise.FIXED else FAR


def _last_pilot(given: int) -> int:
    return int(2**DOUBLINGS * pilot_of(given))


def size_after(
    plan: Plan, figures: int, items: int, planned: int, half_width: float, labels: int
) -> int:
    """The size that is planned after a pilot.

    figures      how many the plan asks for
    items        that can be labelled
    planned      the least: for plans of earlier rules the size forecast before, for one look the
                 items drawn
    half_width   of the widest interval of a fixed size at the end of the pilot
    labels       those of the pilot
    """
    wanted = size_again(
        min(half_width, NOTHING_KNOWN),
        labels,
        plan.goal,
        plan.confidence_of_each(figures),
        horizon=plan.horizon,
        items=items if plan.target == "file" else np.inf,
    )
    return min(max(wanted, labels, planned), max(items, 1))


def after_pilot(
    plan: Plan,
    figures: int,
    items: int,
    forecast: int,
    given: int,
    asked: int,
    half_width: float,
    labels: int,
) -> tuple[int, int]:
    """The size to plan for after a pilot that ends now, and to how many labels the pilot goes on, 0
    if it does not; arguments as in ``size_after`` and ``further_pilot``.

    forecast   the size before the pilot
    asked      items drawn
    """
    least = 0
    if plan.interval_rules < PILOT_RULES:
        least = forecast
    elif plan.promised == Promise.FIXED:
        least = asked + given
    size = size_after(plan, figures, items, least, half_width, labels)
    return size, further_pilot(half_width, labels, size, given, far=far_ahead(plan))


def largest_size(plan: Plan, figures: int, items: int, planned: int, given: int) -> int:
    """The largest size that may come of the pilot: that of the longest which tells nothing. Until
    its end the watched band is for this size, so that it only narrows."""
    return size_after(plan, figures, items, planned, NOTHING_KNOWN, _last_pilot(given))
