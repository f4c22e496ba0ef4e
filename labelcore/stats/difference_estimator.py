"""The difference estimator: a plain random sample, helped by a guess for every item.

For items i = 1 .. N with a guess f_i of an outcome y_i (0 or 1) that is known for a random sample
of n, the mean of y is estimated by

    A(lambda) = lambda mean_N(f) + mean_n(y - lambda f),

which is unbiased for any fixed lambda. The best one, Cov(y, f) / Var(f), is taken from the sample:
guesses that say nothing are then left out. With lambda = 1 a bad guess is worse than none.

Source: Angelopoulos, Duchi and Zrnic (2023), PPI++ (arXiv 2311.01453), the mean with a tuned
lambda; in survey sampling the regression estimate, Cochran (1977), chapter 7.
Departures: the sample is part of the file, so that the variance has the finite-population factor
(1 - n/N) and lambda no term in n/N; lambda is not below 0; and the interval is Wilson's at the
effective number of labels, with Student's t and ``DOUBT`` squared surprises added, in place of the
normal one, which covers too little where outcomes are rare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from labelcore.stats.proportion import share_interval

FloatArray = NDArray[np.float64]

LEAST_OF_EACH = 20
"""Labels of either outcome below which the guesses are not used; see docs/existing_labels.md."""

DOUBT = 2.0
"""Squared surprises added to those that were seen. Where a guess is nearly always right, a handful
of surprises makes up the variance, and a sample may hold none of them however many outcomes of
either kind it has: with .5 the interval held .79 where 1.6 surprises a sample were expected."""


@dataclass(frozen=True, slots=True)
class Helped:
    """A share of a file and how far the guesses helped.

    weight       lambda
    correlation  of outcomes and guesses in the sample, 0 to 1; a negative one counts as 0
    saved        the share of the labels that a plain share would have needed beside these to be as
                 sure: the part of the variance that the guesses explain, 0 to 1
    used         whether the guesses were used
    """

    value: float
    low: float
    high: float
    weight: float
    correlation: float
    saved: float
    used: bool


def helped_share(
    outcome: FloatArray,
    guess: FloatArray,
    mean_guess: float,
    size: int,
    confidence: float,
    *,
    target: str = "file",
    weight: float | None = None,
) -> Helped:
    """The share of ones among ``size`` items from a plain random sample without replacement.

    outcome, guess   (n_labels,), 0 or 1, and a number of any scale
    mean_guess       the mean of the guesses over all items
    weight           a fixed lambda; None: the best one by the sample

    Promise: "fixed", approximate: coverage was .94 or more on real files (docs/existing_labels.md).
    With fewer than ``LEAST_OF_EACH`` outcomes of either kind, or a complete census, the ordinary
    interval is given.
    Assumption: the labelled items are a simple random sample; the guesses were not fitted to their
    labels.
    """
    n, hits = len(outcome), float(outcome.sum())
    if min(hits, n - hits) < LEAST_OF_EACH or n >= size:
        whole = size if target == "file" else np.inf
        low, high = share_interval(hits, n, whole, confidence)
        return Helped(hits / n if n else np.nan, low, high, 0.0, 0.0, 0.0, False)
    best, correlation = best_weight(outcome, guess)
    used = best if weight is None else weight
    share = outcome.mean()
    rest = outcome - share - used * (guess - guess.mean())
    spread = (hits * (1 - share) + DOUBT) / (n - 1)
    left = min((float(rest @ rest) + DOUBT) / (n - 2) / spread, 1.0 if weight is None else np.inf)
    value = float(np.clip(share - used * (guess.mean() - mean_guess), 0, 1))
    part = n / size
    factor = left * (1 - part) + (part if target == "process" else 0.0)
    low, high = _wilson(value, n / factor, float(stdtrit(n - 2, (1 + confidence) / 2)))
    return Helped(value, low, high, used, correlation, max(1 - left, 0.0), True)


def best_weight(outcome: FloatArray, guess: FloatArray) -> tuple[float, float]:
    """Cov(y, f) / Var(f) and the correlation, both not below 0; 0 where all guesses are alike."""
    y, f = outcome - outcome.mean(), guess - guess.mean()
    spread, shared = float(f @ f), float(y @ f)
    if spread < 1e-12 or shared <= 0:
        return 0.0, 0.0
    return shared / spread, shared / float(np.sqrt(spread * (y @ y)))


def _wilson(share: float, trials: float, z: float) -> tuple[float, float]:
    """Wilson's interval around a share of an effective number of trials."""
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    return float(max(centre - half, 0.0)), float(min(centre + half, 1.0))
