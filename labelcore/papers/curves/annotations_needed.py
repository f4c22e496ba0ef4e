"""How many labels PAULA, logarithmic stratified sampling and random sampling need for one curve.

All three are asked for the same factor between estimate and truth at every rank. PAULA gives it on
assumptions and without chance, the other two with probability 1 - delta, between the ranks g_k of
logarithmic sampling on assumption A.1.

Source: Sabharwal and Sedghi (2017), sections 4.4.3, 4.4.4 and 5.1.
"""

import math
from dataclasses import dataclass

from labelcore.papers.curves.logarithmic_strata import logarithmic_grid
from labelcore.papers.curves.paula_bounds import paula_grid
from labelcore.papers.curves.random_band import curve_labels

STEP = 100_000
"""epsilon is looked for among the multiples of 1 / STEP."""


@dataclass(frozen=True, slots=True)
class LabelsNeeded:
    """Labels for the whole curve within ``factor``, none above ``n_items``.

    paula         g_ell + Delta (L - ell)
    logarithmic   theorem 2 with beta = gamma: draws below the head counted as labels, rounded up
    fixed         the same with sizes fixed in advance: a stretch never counts more than its items
    random        equation 5 with alpha = factor - 1, rounded up
    """

    n_items: int
    epsilon: float
    factor: float
    paula: int
    logarithmic: int
    fixed: int
    random: int


def labels_needed(
    n_items: int,
    *,
    epsilon: float,
    window: int = 100,
    precision: float = 0.5,
    delta: float = 0.05,
) -> LabelsNeeded:
    """Labels of the three methods for the same factor gamma (1 + epsilon).

    epsilon      the spacing of the ranks; ``epsilon_for`` has that of a factor
    window       Delta of PAULA, which sets the labelled head of logarithmic sampling too
    precision    p(r) for random sampling and p_min for logarithmic sampling
    delta        the chance that the sampling methods miss anywhere
    Source:      sections 4.4.3 to 5.1, beta = gamma as there.

    >>> found = labels_needed(217_077, epsilon=0.03, precision=0.7)
    >>> found.paula, found.random
    (17392, 46336)
    """
    grid = paula_grid(n_items, epsilon, window)
    logarithmic = logarithmic_grid(n_items, epsilon, grid.first_rank, grid.gamma, delta, precision)
    random = curve_labels(n_items, grid.factor - 1, precision, delta)
    return LabelsNeeded(
        n_items=n_items,
        epsilon=epsilon,
        factor=grid.factor,
        paula=min(grid.labels, n_items),
        logarithmic=min(math.ceil(logarithmic.printed_labels), n_items),
        fixed=min(logarithmic.labels, n_items),
        random=min(math.ceil(random), n_items),
    )


def epsilon_for(factor: float, window: int = 100) -> float:
    """The largest epsilon, in steps of a hundred thousandth, whose gamma (1 + epsilon) is at most
    ``factor``.

    gamma (1 + epsilon) does not grow evenly, because m is a whole number, so all steps below the
    last possible one are tried in turn.

    Raises   ValueError for a factor that is too close to 1: m is at most about Delta + 1, so gamma
             stays away from 1 however small epsilon is.
    Source:  section 4.2; the search is ours.

    >>> epsilon_for(1.0812001)
    0.03
    """
    for step in range(_last_possible(factor, window), 0, -1):
        if paula_grid(1, step / STEP, window).factor <= factor:
            return step / STEP
    raise ValueError(
        f"factor must be above {_least(1 / STEP, window):.4f} with window = {window:,}, got "
        f"{factor:g}: no epsilon has a smaller gamma (1 + epsilon)"
    )


def _last_possible(factor: float, window: int) -> int:
    """The last step, at most all of them, at which the factor is not certainly passed."""
    low, high = 0, STEP + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _least(middle / STEP, window) <= factor else (low, middle)
    return low


def _least(epsilon: float, window: int) -> float:
    """A number below gamma (1 + epsilon), growing with epsilon: m is below
    (1 + epsilon) (Delta + 2 + epsilon) - 1."""
    m = (1 + epsilon) * (window + 2 + epsilon) - 1
    return (1 + epsilon) * (1 + epsilon + (2 + epsilon) / m)
