"""The G-profile of grades: bounds of a mean of numbers, such as grades of 1 to 5, over cells.

Each cell has some labelled items of each grade. The region holds every share p of the grades in
the cells whose likelihood-ratio statistic against the labelled shares,

    D(p) = 2 sum_k h_k sum_c s_kc ln(s_kc / (n_k p_kc)),
    h_k = (1 - 1 / n_k) / (1 - n_k / N_k),

does not exceed a critical value; the interval runs from the smallest to the largest mean over it.
On the edge p_kc = h_k s_kc / (x_k + t N_k gap_c), gap_c being the distance of the grade from the
end that the bound lies towards. That end's grade is possible in each cell, seen or not, and a
quarter of a label of it is shared over the cells by their labels: where nine in ten items are
graded 5, no 1 may be labelled, and an interval by the labelled spread then holds .6 to .9
(docs/graded.md). In h_k the numerator, at least a half, is what a labelled spread falls short of
the true one: without it the intervals of 18 cells held .90 with two or three labels in each.

Counts may have leading axes, for many runs side by side.

Source: Owen (1990), empirical likelihood, here of grades in strata; the factor for a finite file as
in Cochran (1977), section 5.3; the quarter is our own.
Assumption: within each cell the labelled items are a simple random sample without replacement.
"""

import numpy as np

from labelcore.stats.profile import FloatArray

QUARTER = 0.25
RANGE, STEPS, NEWTON_STEPS = (-16.0, 12.0), 26, 6


def mean_bounds(
    counts: FloatArray,
    size: FloatArray,
    grades: FloatArray,
    critical: FloatArray,
    *,
    target: str = "file",
) -> tuple[FloatArray, FloatArray]:
    """The smallest and the largest mean grade of all items over the region, (...) each.

    counts     (..., n_cells, n_grades), the labelled items of each grade
    size       (..., n_cells), the items of each cell
    grades     (n_grades,), their numbers
    critical   (...), for instance ``labelcore.stats.profile.fixed_critical``
    target     "file": these items; "process": items like these

    >>> counts = np.array([[0.0, 1, 2, 6, 11], [3, 4, 2, 1, 0]])
    >>> ends = mean_bounds(counts, np.array([300.0, 100.0]), np.arange(1.0, 6.0), np.array(3.84))
    >>> [round(float(end), 2) for end in ends]
    [3.38, 4.09]
    """
    labelled = counts.sum(axis=-1)
    left = np.ones(labelled.shape) if target == "process" else 1 - labelled / size
    share = size / size.sum(axis=-1, keepdims=True)
    mean = (counts * grades).sum(axis=-1) / np.maximum(labelled, 1.0)
    known = np.where(left > 1e-12, 0.0, share * mean).sum(axis=-1)
    share, left = np.where(left > 1e-12, share, 0.0), np.maximum(left, 1e-12)
    left = left / np.maximum(1 - 1 / np.maximum(labelled, 1.0), 0.5)
    phantom = QUARTER * labelled / np.maximum(labelled.sum(axis=-1, keepdims=True), 1.0)
    ends = []
    for sign in (-1.0, 1.0):
        far = int(np.argmax(sign * grades))
        seen = counts.copy()
        seen[..., far] += phantom
        weight = seen / left[..., None] * (share > 0)[..., None]
        gap = np.abs(grades - grades[far])
        farthest = _farthest(weight, share, gap, np.asarray(critical))
        ends.append(known + share.sum(axis=-1) * grades[far] - sign * farthest)
    return ends[0], ends[1]


def _farthest(
    weight: FloatArray, share: FloatArray, gap: FloatArray, critical: FloatArray
) -> FloatArray:
    """The smallest mean gap of all cells over the region, (...): D rises with t, which is found by
    halving."""
    total = np.maximum(weight.sum(axis=(-1, -2)), 1e-12)
    low, high = (np.full(total.shape, end) for end in RANGE)
    for _ in range(STEPS):
        middle = (low + high) / 2
        statistic, _gap = _on_the_edge(weight, share, gap, total * np.exp(middle))
        beyond = statistic > critical
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return _on_the_edge(weight, share, gap, total * np.exp(high))[1]


def _on_the_edge(
    weight: FloatArray, share: FloatArray, gap: FloatArray, t: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """D and the mean gap for a multiplier. Of x, for which the shares of a cell sum to one, Newton
    steps on 1 / sum come from below and never pass it."""
    pull = (t[..., None] * share)[..., None] * gap
    there = weight.sum(axis=-1) > 0
    x = np.where(there, (weight - pull).max(axis=-1), 1.0)
    for _ in range(NEWTON_STEPS):
        part = weight / (x[..., None] + pull)
        whole = np.where(there, part.sum(axis=-1), 1.0)
        steep = np.where(there, (part / (x[..., None] + pull)).sum(axis=-1), 1.0)
        x = x + (whole - 1) * whole / steep
    p = weight / (x[..., None] + pull)
    p = p / np.where(there, p.sum(axis=-1), 1.0)[..., None]
    observed = weight / np.where(there, weight.sum(axis=-1), 1.0)[..., None]
    ratio = np.divide(observed, p, out=np.ones(p.shape), where=p > 0)
    statistic = 2 * (weight * np.log(ratio)).sum(axis=(-1, -2))
    return statistic, (share * (p * gap).sum(axis=-1)).sum(axis=-1)
