"""Which values may be told: the one rule that numbers, curves, words, tables and charts ask.

A value whose interval leaves more than 60 % of what is possible says little. It is ``tentative``:
no sentence and no table tells it, and no line of a curve stands there. What may be drawn of it is
said by ``drawable``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

WIDE = 0.6
"""An interval over more than this share of what is possible allows no value."""
NEXT_TO_ALL = 0.98
"""An interval over this share of all that is possible, or more, says nothing."""
NO_LINE = "no line yet: the bounds are wide"


def too_wide(low: ArrayLike, high: ArrayLike, possible: ArrayLike = 1.0) -> NDArray[np.bool_]:
    """Whether the bounds leave more than 60 % of what is possible, of any shape; not where a bound
    is NaN.

    >>> bool(too_wide(0.2, 0.81)), bool(too_wide(0.2, 0.8)), too_wide([1, 1], [9, 9], [10, 100])
    (True, False, array([ True, False]))
    """
    width = np.asarray(high, dtype=float) - np.asarray(low, dtype=float)
    return np.asarray(width > WIDE * np.asarray(possible, dtype=float) + 1e-12)


def leaves_all(low: float, high: float, possible: float = 1.0) -> bool:
    """Whether the bounds leave 98 % of what is possible, or more.

    >>> leaves_all(0.01, 1.0), leaves_all(0.03, 1.0), leaves_all(-1.0, 0.97, possible=2.0)
    (True, False, True)
    """
    return high - low >= NEXT_TO_ALL * possible


def drawable(value: float | None, *, tentative: bool, difference: bool = False) -> float | None:
    """A value as a chart against labels may draw it: a tentative one is a first guess, drawn grey,
    and None where it only says that every label, of a handful, was alike: 0 or 100 %, of a
    difference -100 or 100 points.

    >>> drawable(0.4, tentative=True), drawable(1.0, tentative=False)
    (0.4, 1.0)
    >>> drawable(0.0, tentative=True), drawable(1.0, tentative=True), drawable(None, tentative=True)
    (None, None, None)
    >>> drawable(0.0, tentative=True, difference=True)
    0.0
    """
    if value is None or not tentative:
        return value
    least = -1.0 if difference else 0.0
    return None if value <= least + 1e-9 or value >= 1 - 1e-9 else value
