"""Precision at one rank from plain random draws, and a whole curve from one random sample.

Source: Hoeffding (1963), as used by Sabharwal and Sedghi (2017), sections 2.1 and 3. These bounds
hold at any size but need several times the labels of ``geometric_strata``.
"""

from __future__ import annotations

import math


def _checked(**arguments: float) -> None:
    for name, value in arguments.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name} must be above 0, got {value}")
        if name == "delta" and value >= 1:
            raise ValueError(f"delta must be below 1, got {value}")
        if name == "precision" and value > 1:
            raise ValueError(f"precision must be at most 1, got {value}")


def hoeffding_size(relative_error: float, precision: float, delta: float) -> int:
    """Labels drawn from the first r items after which their share of hits is, with probability
    1 - ``delta``, within ``relative_error`` times the precision of it; rounded up.

    precision   of the first r items, as expected; the smaller, the more labels
    Promise     fixed size, drawn with repetition (without it is no worse).
    Source:     Sabharwal and Sedghi (2017), equation 2.

    >>> hoeffding_size(0.05, 0.7, 0.05)
    1506
    """
    _checked(relative_error=relative_error, precision=precision, delta=delta)
    return math.ceil(math.log(2 / delta) / (2 * (relative_error * precision) ** 2))


def hoeffding_interval(mean: float, labels: int, delta: float) -> tuple[float, float]:
    """mean plus or minus sqrt(ln(2 / delta) / (2 labels)), kept within 0 and 1.

    mean        share of hits among the labels; labels: at least 1, a number fixed beforehand
    Source:     Sabharwal and Sedghi (2017), equation 3.

    >>> [round(end, 4) for end in hoeffding_interval(0.7, 2000, 0.05)]
    [0.6696, 0.7304]
    """
    _checked(labels=labels, delta=delta)
    if not 0 <= mean <= 1:
        raise ValueError(f"mean must lie between 0 and 1, got {mean}")
    half = math.sqrt(math.log(2 / delta) / (2 * labels))
    return max(mean - half, 0.0), min(mean + half, 1.0)


def random_sample_reach(
    n_items: int, labels: int, relative_error: float, precision: float, delta: float
) -> float:
    """n_{alpha,s}: the rank from which on the curve of ``labels`` random draws is within a factor
    1 + ``relative_error``, at all ranks together with probability 1 - ``delta``.

    Source:     Sabharwal and Sedghi (2017), equation 4. Their example (N = 217,077, s = 17,392,
                delta = .05, precision .7) gives 31,794 with alpha = .08 and 30,862 with the exact
                .0812, not the printed 41,056.
    """
    _checked(
        n_items=n_items,
        labels=labels,
        relative_error=relative_error,
        precision=precision,
        delta=delta,
    )
    spread = 2 * labels * (relative_error * precision) ** 2
    return n_items / spread * math.log(2 * n_items / delta)


def random_sample_size(n_items: int, relative_error: float, precision: float, delta: float) -> int:
    """Labels for the whole curve within a factor 1 + ``relative_error``: s random draws and the
    first n_{alpha,s} items, with s = n_{alpha,s}; the fraction of a label is cut off, as printed.

    Source:     Sabharwal and Sedghi (2017), equation 5 and section 4.4.3: their example gives the
                printed 47,030 with alpha rounded to .08, and 46,335 with the exact .0812.

    >>> random_sample_size(217077, 0.08, 0.7, 0.05)
    47030
    """
    _checked(n_items=n_items, relative_error=relative_error, precision=precision, delta=delta)
    spread = (relative_error * precision) ** 2
    return math.floor(math.sqrt(2 * n_items / spread * math.log(2 * n_items / delta)))
