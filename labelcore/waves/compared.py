"""Two waves side by side, by the difference of each figure."""

from __future__ import annotations

import math

import pandas as pd

from labelcore.waves.measured import Figure, Measured

ENDS = ("value", "low", "high")


def compared(now: Measured, then: Measured | None = None) -> pd.DataFrame:
    """A row for each figure of a finished wave, as ``Monitor.compare`` gives it."""
    rows = []
    for key, figure in now.figures.items():
        row = {"estimand": key, **{end: getattr(figure, end) for end in ENDS}}
        if then is not None:
            before = then.figures.get(key, Figure(None, 0.0, 1.0, [], None))
            row |= {f"earlier_{end}": getattr(before, end) for end in ENDS}
            ends = zip(ENDS, difference(figure, before), strict=True)
            row |= {f"difference_{end}": number for end, number in ends}
        rows.append(row)
    return pd.DataFrame(rows)


def difference(now: Figure, then: Figure) -> tuple[float, float, float]:
    """Value, low and high of a difference; NaN, -1 and 1 where one of both is not known.

    Promise: approximate, by itself: whoever looks at several, or chooses two waves after having
    seen them, is wrong more often. Assumption: no label counts for both waves; where some do, both
    err in one direction, and the interval is wider than it need be.
    Source: Zou and Donner (2008), MOVER.
    """
    if now.value is None or then.value is None:
        return math.nan, -1.0, 1.0
    found = now.value - then.value
    below = math.hypot(now.value - now.low, then.high - then.value)
    above = math.hypot(now.high - now.value, then.value - then.low)
    return found, max(found - below, -1.0), min(found + above, 1.0)
