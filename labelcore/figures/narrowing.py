"""Watched bands that only narrow: each is cut by those at all earlier looks of a fixed grid.

"Never wrong at any look" is said of all looks together, so that a band cut by all earlier ones
keeps the same promise. The looks are those of the draw order, whether anybody looked or not:
sessions, scripts, simulations and a replay of the log agree.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from labelcore.designs.base import CERTAIN
from labelcore.log.engine import Engine
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import looking
from labelcore.promises import Promise
from labelcore.stats.profile import BoolArray, FloatArray

Limits = FloatArray
"""The least and the largest value of each row, (2, n_rows)."""
EVERY_LABEL, THEN_EVERY, UNTIL, PARTS = 20, 5, 500, 100
"""A look at every label to 20, then at every fifth; beyond 500 at every hundredth part of the plan.
"""

MEASURED = ((100, 0.93), (300, 0.89), (1000, 0.87))
"""Planned labels, and the square of the ratio of both mean widths at the end, by which a forecast
goes: means over six classifiers of three files (docs/narrowing.md)."""


def grid(planned: int, until: int, first: int = 1) -> list[int]:
    """The draws of the looks, up to ``until``.

    >>> grid(100, 33)[-5:], grid(2_000, 545)[-4:]
    ([18, 19, 20, 25, 30], [495, 500, 520, 540])
    """
    step = max(THEN_EVERY, planned // PARTS)
    return [
        *range(first, min(EVERY_LABEL, until) + 1),
        *range(EVERY_LABEL + THEN_EVERY, min(UNTIL, until) + 1, THEN_EVERY),
        *range(UNTIL + step, until + 1, step),
    ]


def looks_before(engine: Engine) -> list[int]:
    """The looks of the grid before the last answered draw; with a random sample from before the
    project also the one before the first draw."""
    return grid(engine.setup.planned, engine.prefix() - 1, 0 if engine.given else 1)


def narrows(plan: Plan) -> bool:
    """Whether the plan's bands only narrow: watched for a planned size, in a session that no figure
    ends. Not where a margin or claims may end it, for which this was not measured."""
    watched = plan.promised == Promise.WATCHED and plan.horizon is not None
    return plan.interval_rules >= CERTAIN and watched and not looking(plan.stop_rules)


def expected_share(labels: int) -> float:
    """How wide a band that only narrows is at the end, of its width alone: what was measured.

    >>> round(expected_share(300), 3)
    0.943
    """
    sizes, of_labels = zip(*MEASURED, strict=True)
    return float(np.sqrt(np.interp(np.log(max(labels, 1)), np.log(sizes), of_labels)))


def unseen(engine: Engine) -> list[int]:
    """The looks before the present one that are not in ``engine.seen``."""
    looks = looks_before(engine)
    last = engine.seen[-1][0] if engine.seen else -1
    return looks[bisect_left(looks, last + 1) :]


def add_look(engine: Engine, draws: int, ends: Limits, shown: BoolArray) -> None:
    """Keep what the next look of the grid leaves of the bands before it; rows that are not
    ``shown`` have none."""
    last, before = engine.seen[-1] if engine.seen else (-1, whole(ends.shape[1]))
    if last >= draws:
        return  # Another stage of the same session has been there.
    engine.seen.append((draws, np.where(shown, narrowed(before, ends), before)))


def bands_before(engine: Engine) -> Limits:
    """What all looks of the grid before the present one leave, (2, n_questions)."""
    place = bisect_left(engine.seen, engine.prefix(), key=lambda one: one[0])
    found: Limits = engine.seen[place - 1][1] if place else whole(len(engine.questions))
    return found


def whole(n_rows: int) -> Limits:
    """No limit at all."""
    return np.array([np.full(n_rows, -np.inf), np.full(n_rows, np.inf)])


def narrowed(before: Limits, ends: Limits) -> Limits:
    """The part of a band that lies within the one before it. Where none does one of both is wrong,
    and the new one is kept, which more labels stand behind."""
    low, high = np.maximum(before[0], ends[0]), np.minimum(before[1], ends[1])
    return np.where(low <= high, [low, high], ends)
