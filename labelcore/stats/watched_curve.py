"""How far a band along the ranks must reach that is looked at all the way to a planned size.

The hits among the first r items are estimated by sums over pieces of a list, each a random sample
that grows in proportion to the labels. At the share t of the planned labels a band of all ranks
reaches

    z(t) = c t^(DELTA - 1/2)

standard deviations, as far as an interval of ``labelcore.stats.horizon``, but with a c that serves
all edges and all looks of a plan: the 1 - alpha quantile of the largest |deviation| over its
standard deviation times t^(1/2 - DELTA), the deviations being sums of independent Gaussian
processes, one a piece, with the variances of samples without replacement. It is found by seeded
draws from what is planned, so it is fixed before the first label; the pieces count as if all their
rates were alike. A piece of which more than ``LAST_SHARE`` is planned counts as if labelled up to
there: its information grows without end towards the last item. One without a planned label counts
as if it had one, as in the band itself.

Source: Wang and Tsiatis (1987) for the boundary; Jennison and Turnbull (1989) for repeated
confidence intervals; Hothorn, Bretz and Westfall (2008) for the quantile of a largest deviation;
Siegmund (1985) for what it is between the times that are drawn.
Departure: ``LAST_SHARE``, chosen on synthetic lists; docs/watched_curves.md says how often the
bands are wrong.
"""

from functools import lru_cache
from math import log, sqrt

import numpy as np

from labelcore.stats.arrays import FloatArray, IntArray
from labelcore.stats.horizon import DELTA

LAST_SHARE = 0.5
FIRST_SHARE = 0.02
PATHS, FEW_PATHS, TIMES = 8_000, 500, 60
AT_ONCE = 500
"""Paths that take a step together: what they hold stays in the cache of a processor."""
BETWEEN_TIMES = 0.5826
"""By how many standard deviations of a step the largest value of a path is beyond that at steps."""


def watched_critical(
    edges: IntArray,
    planned: FloatArray,
    looks: int,
    progress: float,
    alpha: float,
    seed: int,
    paths: int = PATHS,
) -> float:
    """The number of standard deviations that the band of all ranks reaches at a look.

    edges      (n_pieces,), last ranks of the pieces
    planned    (n_pieces,), the labels of each at the planned size
    looks      how many looks there are up to the planned size, evenly spaced
    progress   labels over the planned size; from 1 on as at 1
    alpha      the error level of all looks together, two-sided
    seed       at least 0
    paths      how many are simulated; ``FEW_PATHS`` give it to some per cent

    Promise      the chance that the band is wrong at any rank at any look up to the planned size is
                 at most ``alpha``, approximate.
    Assumption   sizes, pieces and ``alpha`` were fixed before the first label; every prefix of the
                 labels is in proportion to ``planned``.

    >>> edges, planned = np.array([50, 100, 200]), np.array([50.0, 20.0, 20.0])
    >>> first, last = (watched_critical(edges, planned, 18, t, 0.05, 0) for t in (0.25, 1.0))
    >>> round(first / last, 3)
    1.625
    """
    sizes = np.diff(edges, prepend=0)
    labels = np.minimum(np.where(planned > 0, planned, 1.0), LAST_SHARE * sizes)
    constant = _constant(tuple(sizes.tolist()), tuple(labels.tolist()), alpha, seed, paths)
    steps = sqrt(-log(FIRST_SHARE) / (TIMES - 1)) - sqrt(1 / max(looks, 1))
    constant += BETWEEN_TIMES * max(steps, 0.0)
    return float(constant * min(max(progress, 1e-9), 1.0) ** (DELTA - 0.5))


@lru_cache(maxsize=64)
def _constant(
    sizes: tuple[float, ...], planned: tuple[float, ...], alpha: float, seed: int, paths: int
) -> float:
    """c at ``TIMES`` looks, from paths that are drawn backwards from the planned size: what a
    sample lacks grows by independent steps the smaller it gets."""
    size, labels = np.array(sizes), np.array(planned)
    random = np.random.default_rng(seed)
    deviation = np.zeros((paths, len(size)), dtype=np.float32)
    normal = np.empty((AT_ONCE, len(size)), dtype=np.float32)
    largest, before = np.zeros(paths), np.zeros(len(size))
    for share in np.geomspace(1.0, FIRST_SHARE, TIMES):
        variance = size**2 * (1 / (share * labels) - 1 / size)
        step = np.sqrt(variance - before).astype(np.float32)
        before, scale = variance, np.sqrt(np.cumsum(variance))
        for first in range(0, paths, AT_ONCE):
            some = slice(first, first + AT_ONCE)
            random.standard_normal(out=normal, dtype=np.float32)
            deviation[some] += step * normal
            furthest = np.abs(np.cumsum(deviation[some], axis=1) / scale).max(axis=1)
            largest[some] = np.maximum(largest[some], furthest * share ** (0.5 - DELTA))
    return float(np.quantile(largest, 1 - alpha, method="higher"))
