"""The difference estimator: a plain random sample, helped by a guess for every item.

For items i = 1 .. N with a guess f_i of an outcome y_i (0 or 1) that is known for a random sample
of n, the mean of y is estimated by

    A(lambda) = lambda mean_N(f) + mean_n(y - lambda f),

which is unbiased for any fixed lambda. The best one, Cov(y, f) / Var(f), is taken from the sample:
guesses that say nothing are then left out. With lambda = 1 a bad guess is worse than none.
Guesses may be fitted to the labels themselves, as long as each item's is fitted without it
(``cross_fitted``).

Source: Angelopoulos, Duchi and Zrnic (2023), PPI++ (arXiv 2311.01453), the mean with a tuned
lambda; in survey sampling the regression estimate, Cochran (1977), chapter 7; Zrnic and Candes
(2024), Cross-prediction-powered inference, for guesses fitted to the labels.
Departures: the sample is part of the file, so that the variance has the finite-population factor
(1 - n/N) and lambda no term in n/N; lambda is not below 0; and the interval is Wilson's at the
effective number of labels, with Student's t and ``DOUBT`` squared surprises added, in place of the
normal one, which covers too little where outcomes are rare.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from labelcore.stats.arrays import BoolArray, FloatArray, IntArray
from labelcore.stats.proportion import share_interval

LEAST_OF_EACH = 20
"""Labels of either outcome below which the guesses are not used; see docs/existing_labels.md."""

DOUBT = 2.0
"""Squared surprises added to those that were seen. Where a guess is nearly always right, a handful
of surprises makes up the variance, and a sample may hold none of them however many outcomes of
either kind it has: with .5 the interval held .79 where 1.6 surprises a sample were expected."""


FOLDS, RIDGE = 5, 3.0
"""Parts of the sample, and how many labels the pull of all slopes of standardised columns to zero
is worth; 10 came to the same."""


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
    judged: BoolArray | None = None,
) -> Helped:
    """The share of ones among ``size`` items from a plain random sample without replacement.

    outcome, guess   (n_labels,), 0 or 1, and a number of any scale
    mean_guess       the mean of the guesses over all items
    weight           a fixed lambda; None: the best one by the sample
    judged           (n_labels,), where the sample holds items without a label, which nobody can
                     judge: whether each has one. The share, and ``size``, are then those of the
                     items that can be judged; the guesses are of ``over_answers``

    Promise: "fixed", approximate: coverage was .94 or more on real files (docs/existing_labels.md).
    With fewer than ``LEAST_OF_EACH`` outcomes of either kind, or a complete census, the ordinary
    interval is given.
    Assumption: the labelled items are a simple random sample; the guess of an item was not fitted
    to its own label.
    """
    each = over_answers(outcome, judged)
    answers = len(outcome)
    outcome = outcome if judged is None else outcome[judged]
    n, hits = len(outcome), float(outcome.sum())
    if min(hits, n - hits) < LEAST_OF_EACH or n >= size:
        whole = size if target == "file" else np.inf
        low, high = share_interval(hits, n, whole, confidence)
        return Helped(hits / n if n else np.nan, low, high, 0.0, 0.0, 0.0, False)
    best, correlation = best_weight(each, guess)
    used = best if weight is None else weight
    share = outcome.mean()
    rest = (each - share - used * (guess - guess.mean())) * n / answers
    spread = (hits * (1 - share) + DOUBT) / (n - 1)
    varied = (float(rest @ rest) + DOUBT) / (answers - 2) * answers / n
    left = min(varied / spread, 1.0 if weight is None else np.inf)
    value = float(np.clip(share - used * (guess.mean() - mean_guess), 0, 1))
    part = n / size
    factor = left * (1 - part) + (part if target == "process" else 0.0)
    low, high = _wilson(value, n / factor, float(stdtrit(n - 2, (1 + confidence) / 2)))
    return Helped(value, low, high, used, correlation, max(1 - left, 0.0), True)


def over_answers(outcome: FloatArray, judged: BoolArray | None) -> FloatArray:
    """Outcomes whose mean over all answers is the share of ones among the judged ones, and whose
    spread is that of this share: s + j (y - s) a / n for n judged ones of a answers, j being 1 for
    those and s their share (the linearised ratio estimate; Cochran 1977, section 6.3)."""
    if judged is None or judged.all() or not judged.any():
        return outcome
    share = outcome[judged].mean()
    return np.asarray(share + np.where(judged, outcome - share, 0.0) / judged.mean())


def cross_fitted(
    outcome: FloatArray, columns: FloatArray, seen: IntArray
) -> tuple[FloatArray, float]:
    """Guesses by a linear regression of the outcome on ``columns``, each from the labels of the
    other folds: (n_labels,), and the mean of what the folds guess of all items.

    outcome   (n_labels,), in the order of draws, which the folds follow in turn
    columns   (n_items, n_columns), on any scale
    seen      (n_labels,), the place of each labelled item among the n_items

    A guess that was fitted to its own label looks better than it is, the more so the more columns
    there are, and the interval would be too narrow. With fewer than two labels a fold every guess
    is zero.
    """
    guess = np.zeros(len(outcome))
    if len(outcome) < 2 * FOLDS:
        return guess, 0.0
    middle, spread = columns.mean(axis=0), columns.std(axis=0)
    x = (columns[seen] - middle) / np.where(spread > 0, spread, 1.0)
    fold, every = np.arange(len(outcome)) % FOLDS, 0.0
    for part in range(FOLDS):
        mine = fold == part
        at_middle, slopes = _ridge(x[~mine], outcome[~mine])
        guess[mine] = at_middle + x[mine] @ slopes
        every += at_middle * mine.mean()
    return guess, float(every)


def _ridge(x: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """The value at x = 0, and the slopes, (n_columns,)."""
    centre = x.mean(axis=0)
    from_centre = x - centre
    penalty = RIDGE * np.eye(x.shape[1])
    slopes = np.linalg.solve(from_centre.T @ from_centre + penalty, from_centre.T @ y)
    return float(y.mean() - centre @ slopes), slopes


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
