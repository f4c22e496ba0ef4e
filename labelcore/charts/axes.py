"""Axes on which nothing moves but the data, the same on *Label*, on other pages and in a report."""

import math
from collections.abc import Iterable

from labelcore.charts.drawing import Axis, Ends, Scale
from labelcore.words.differences import MINUS

SHARES: Ends = (0.0, 1.0)
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
LABELS, PRECISION = "labels", "Precision, %"


def whole_numbers(title: str, ends: Ends, places: Iterable[float], *, log: bool = False) -> Scale:
    """Whole numbers along the chart."""
    ticks = tuple((at, f"{at:,.0f}") for at in places)
    name = f"{title} (log scale)" if log else title
    return Scale(Axis(name, ends=ends, log=log, ticks=ticks), ends)


def labels_along(last: float) -> Scale:
    return whole_numbers(LABELS, (0.0, last), steps(last))


def upright(title: str, ends: Ends = SHARES) -> Scale:
    """Quarters of the height, in per cent; the unit is in the title."""
    places = [ends[0] + (ends[1] - ends[0]) * share for share in QUARTERS]
    ticks = tuple((at, _per_cent(at, signed=ends[0] < 0)) for at in places)
    return Scale(Axis(title, ends=ends, ticks=ticks), ends)


def steps(last: float) -> list[float]:
    """Three to five round numbers from 0 on, and the last.

    >>> steps(150.0), steps(1180.0)
    ([0.0, 50.0, 100.0, 150.0], [0.0, 500.0, 1180.0])
    """
    rough = last / 3
    scale = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= rough - 1e-9)
    inside = [n * step for n in range(math.ceil(last / step)) if last - n * step > 0.4 * step]
    return [*map(float, inside), last]


def _per_cent(at: float, *, signed: bool) -> str:
    """
    >>> _per_cent(0.25, signed=False), _per_cent(0.00443, signed=True)
    ('25', '+0.44')
    """
    digits = 3 if abs(at) >= 0.1 else 2
    return f"{100 * at:{'+' if signed and at > 0 else ''}.{digits}g}".replace("-", MINUS)
