"""Precision at one rank from plain random draws.

Source: Hoeffding (1963), as used by Sabharwal and Sedghi (2017), sections 2.1 and 3. These bounds
hold at any size but need several times the labels of ``geometric_strata``.
"""

import math


def hoeffding_size(relative_error: float, precision: float, delta: float) -> int:
    """Labels drawn from the first r items after which their share of hits is, with probability
    1 - ``delta``, within ``relative_error`` times the precision of it; rounded up.

    precision   of the first r items, as expected; the smaller, the more labels
    Promise     fixed size, drawn with repetition (without it is no worse).
    Source:     Sabharwal and Sedghi (2017), equation 2.

    >>> hoeffding_size(0.05, 0.7, 0.05)
    1506
    """
    return math.ceil(math.log(2 / delta) / (2 * (relative_error * precision) ** 2))


def hoeffding_half_width(labels: int, delta: float) -> float:
    """sqrt(ln(2 / delta) / (2 labels)): half the width of ``hoeffding_interval``.

    >>> round(hoeffding_half_width(2000, 0.05), 4)
    0.0304
    """
    return math.sqrt(math.log(2 / delta) / (2 * labels))


def hoeffding_interval(mean: float, labels: int, delta: float) -> tuple[float, float]:
    """mean plus or minus sqrt(ln(2 / delta) / (2 labels)), kept within 0 and 1.

    mean        share of hits among the labels; labels: at least 1, a number fixed beforehand
    Source:     Sabharwal and Sedghi (2017), equation 3.

    >>> [round(end, 4) for end in hoeffding_interval(0.7, 2000, 0.05)]
    [0.6696, 0.7304]
    """
    half = hoeffding_half_width(labels, delta)
    return max(mean - half, 0.0), min(mean + half, 1.0)
