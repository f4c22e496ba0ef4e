"""Shares of labels that narrow both ends of the interval that will be printed."""

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.stats.profile import BoolArray, FloatArray

OWN_SHARE = 0.1
ROUNDS, TINY = 8, 1e-12
MISSED, FORMER_MISSED = 1.0, 0.75
FEWEST_FIRST, MOST_FIRST = 2, 4


def first_labels(planned: int, n_strata: int) -> int:
    """Labels that each stratum gets first: two to four, as far as a quarter of the planned labels
    reaches. A stratum with two labels that are alike by chance looks surer than it is: where a
    third of its 20 items were all the positives missed, the interval covered .89 with two labels
    there and .98 with four.

    >>> first_labels(100, 18), first_labels(216, 18), first_labels(1000, 18)
    (2, 3, 4)
    """
    return min(max(planned // (4 * n_strata), FEWEST_FIRST), MOST_FIRST)


def two_ended_shares(
    sizes: IntArray, rates: FloatArray, costs: FloatArray, labels: int
) -> FloatArray:
    """The share of ``labels`` each stratum should have for one figure, (n_strata,), summing to 1.

    Neyman's rule h_k = c_k W_k sqrt(theta_k (1 - theta_k)) minimises a variance. It asks next to
    nothing where hardly a positive is expected, but there an interval pays for what may have been
    missed: without a positive among n labels its far end is about 2 N_k / n away, as if a share of
    1 / labels more were positive. For that end alone the rule is h'_k = c_k W_k sqrt(theta_k
    (1 - theta_k) + 1 / labels). The shares are in between,

        c_k W_k sqrt(theta_k (1 - theta_k) + (sum h / sum h') / labels),

    the nearer to Neyman's the more the far end outweighs the near one, because labels then gain
    less there. The sum of the two ends is least for sqrt(h_k^2 / sum h + h'_k^2 / sum h'), which
    has sum h / (sum h + sum h') there: the same within a factor of two where both ends weigh alike.

    sizes    (n_strata,), items; rates: (..., n_strata), theta in [0, 1]
    costs    (..., n_strata), c_k >= 0: how much a positive of the stratum moves the figure
    labels   how many labels there will be, at least 1
    Source:  Neyman (1934); the second end is our own, measured in docs/default_allocation.md.

    >>> two_ended_shares(np.array([10, 90]), np.array([0.5, 0.0]), np.ones(2), 100).round(2)
    array([0.48, 0.52])
    """
    weight = costs * sizes / sizes.sum()
    spread = rates * (1 - rates)
    near = (weight * np.sqrt(spread)).sum(axis=-1, keepdims=True)
    far = (weight * np.sqrt(spread + 1 / labels)).sum(axis=-1, keepdims=True)
    even = np.broadcast_to(sizes / sizes.sum(), weight.shape)
    if (far <= 0).all():
        return np.asarray(even)
    some = np.where(far > 0, far, 1.0)
    wanted = weight * np.sqrt(spread + near / some / labels)
    total = wanted.sum(axis=-1, keepdims=True)
    if (total <= 0).any():
        wanted = np.where(total > 0, wanted, np.where(far > 0, weight, even))
        total = wanted.sum(axis=-1, keepdims=True)
    return np.asarray(wanted / total)


def joint_shares(
    sizes: IntArray,
    rates: FloatArray,
    predicted: BoolArray,
    gradients: FloatArray,
    labels: int,
    floor: float,
) -> FloatArray:
    """Shares for one or several figures, (..., n_strata), summing to 1: ``floor`` in proportion to
    the sizes, a tenth to the shares of each figure alone, the rest to the shares for costs

        c_k^2 = sum over figures of g_k^2 / V,

    V the variance that the figure would have in a plain random sample with the predicted positives
    and the others as post-strata. So the variances add up as multiples of those of plain sampling,
    and none of the figures is starved for the sake of another.

    predicted   (n_strata,), whether the stratum is predicted positive
    rates       (..., n_strata), theta in [0, 1]
    gradients   (..., n_figures, n_strata), derivatives g_k of each figure, alike on each side of
                the prediction, in any unit
    """
    even = sizes / sizes.sum()
    costs = np.abs(gradients)
    plain = np.zeros(costs.shape[:-1])
    for side in (True, False):
        mask = predicted == side
        items = sizes[mask].sum()
        if items > 0:
            rate = (sizes * rates)[..., mask].sum(axis=-1, keepdims=True) / items
            plain = plain + costs[..., mask].max(axis=-1) ** 2 * items * rate * (1 - rate)
    if not (plain > 0).all():
        return _of_those_measured(sizes, rates, predicted, gradients, labels, floor, plain)
    of_figures = two_ended_shares(sizes, rates[..., None, :], costs, labels)
    together = np.sqrt((costs**2 / plain[..., None]).sum(axis=-2))
    rest = max(1 - floor - OWN_SHARE * costs.shape[-2], 0.0)
    mixed = floor * even + rest * two_ended_shares(sizes, rates, together, labels)
    mixed = mixed + OWN_SHARE * of_figures.sum(axis=-2)
    return np.asarray(mixed / mixed.sum(axis=-1, keepdims=True))


def widest_shares(
    sizes: IntArray,
    rates: FloatArray,
    slopes: FloatArray,
    labels: int,
    floor: float,
    missed: float = MISSED,
) -> FloatArray:
    """Shares with which the widest of several figures is as narrow as can be, (..., n_strata),
    summing to 1: ``floor`` in proportion to the sizes, the rest two-ended for costs

        c_k^2 = sum over figures of lambda_j g_jk^2,

    where lambda_j is raised in proportion to the variance that figure j would have, until those
    with a weight left are about equally wide: after eight rounds the widest was within 2 % of the
    least variance in 28 of 30 cases, 6 % at the most. A figure's variance counts as larger by the
    square of ``missed`` times the most that one stratum without a surprise may still hide, g N / n:
    where all labels are alike the variance says that no more are needed, and the interval does not.
    Half of that interval is 1.9 g N / n with five labels, so that one is the factor of so few.

    rates    (..., n_strata), theta in [0, 1]
    slopes   (..., n_figures, n_strata), derivatives g_jk, all in one unit
    """
    even, most = sizes / sizes.sum(), np.maximum(sizes, TINY)
    weight = np.ones(slopes.shape[:-1])
    spread = (slopes * sizes) ** 2 * (rates * (1 - rates))[..., None, :]
    mixed = np.broadcast_to(even, rates.shape)
    for _ in range(ROUNDS if slopes.shape[-2] > 1 else 1):
        costs = np.sqrt((weight[..., None] * slopes**2).sum(axis=-2))
        mixed = floor * even + (1 - floor) * two_ended_shares(sizes, rates, costs, labels)
        counts = np.clip(labels * mixed, TINY, most)
        variance = (spread * (1 / counts - 1 / most)[..., None, :]).sum(axis=-1)
        hidden = (np.abs(slopes) * (most / counts - 1)[..., None, :]).max(axis=-1)
        variance = variance + (missed * hidden) ** 2
        widest = variance.max(axis=-1, keepdims=True)
        weight = weight * np.where(widest > 0, variance / np.where(widest > 0, widest, 1.0), 1.0)
    return np.asarray(mixed)


def _of_those_measured(
    sizes: IntArray,
    rates: FloatArray,
    predicted: BoolArray,
    gradients: FloatArray,
    labels: int,
    floor: float,
    plain: FloatArray,
) -> FloatArray:
    """``joint_shares`` where some figures have no variance: of the others alone, line by line."""
    if plain.ndim > 1:
        slopes = np.broadcast_to(gradients, (*plain.shape, len(sizes)))
        given = zip(rates, slopes, plain, strict=True)
        lines = [
            _of_those_measured(sizes, rates_of_line, predicted, slope, labels, floor, plain_of_line)
            for rates_of_line, slope, plain_of_line in given
        ]
        return np.array(lines)
    measured = plain > 0
    if not measured.any():
        return np.asarray(sizes / sizes.sum())
    return joint_shares(sizes, rates, predicted, gradients[measured], labels, floor)
