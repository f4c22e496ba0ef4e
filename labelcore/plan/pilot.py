"""The pilot of a plan that ends at a margin: after it the size is forecast anew."""

from __future__ import annotations

import numpy as np

from labelcore.plan.plan import Plan
from labelcore.stats.horizon import size_again

PILOT, TIMES = 60, 10
"""The labels of a pilot, those that were there before included; and how many pilots the watched
band is for at the least until it has ended."""
NOTHING_KNOWN = 0.5
"""The half-width of a pilot that tells nothing."""


def pilot_of(given: int) -> int:
    """The labels at which a pilot ends where so many were there before: at least one is new."""
    return max(PILOT, given + 1)


def size_after(
    plan: Plan, figures: int, items: int, planned: int, half_width: float, labels: int
) -> int:
    """The size that is planned after a pilot.

    figures      how many the plan asks for
    items        that can be labelled
    planned      the size forecast before; it is never less
    half_width   of the widest interval of a fixed size at the end of the pilot
    labels       those of the pilot
    """
    found = size_again(
        min(half_width, NOTHING_KNOWN),
        labels,
        float(plan.margin or 1),
        plan.confidence_of_each(figures),
        horizon=plan.horizon or 1,
        items=items if plan.target == "file" else np.inf,
    )
    return min(max(found, labels, planned), max(items, 1))


def largest_size(plan: Plan, figures: int, items: int, planned: int, given: int) -> int:
    """The largest size that may come of the pilot: that of one which tells nothing, and at least
    ``TIMES`` pilots. Until its end the watched band is for this size, so that it only narrows."""
    labels = pilot_of(given)
    found = size_after(plan, figures, items, planned, NOTHING_KNOWN, labels)
    return min(max(found, TIMES * labels), max(items, 1))
