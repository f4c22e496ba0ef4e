"""How many draws recycling saves: the exact distribution of lemma 3, known before any label.

Source: Tripathi, Jagannathan and Dhamodharaswamy, "Estimating Precisions for Multiple Binary
Classifiers Under Limited Samples", lemma 3.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from labelcore.stats.arrays import FloatArray, IntArray
from labelcore.stats.chances import binomial

NEGLIGIBLE = 1e-14


@dataclass(frozen=True, eq=False, slots=True)
class Savings:
    """The distribution of the number of a child's draws that come from its parent's sample.

    chance   (n_child + 1,), the probability of each number
    """

    chance: FloatArray

    @property
    def mean(self) -> float:
        return float(self.chance @ np.arange(len(self.chance)))

    @property
    def mean_share(self) -> float:
        """Mean savings as a share of the child's sample size."""
        return self.mean / (len(self.chance) - 1)

    def quantile(self, share: float) -> int:
        """The smallest number that is not exceeded with a probability of at least ``share``."""
        return int(np.searchsorted(np.cumsum(self.chance), share - 1e-12))


def savings(
    n_parent: int,
    n_child: int,
    parent_intersection: float,
    child_intersection: float,
) -> Savings:
    """The exact distribution of the savings of one child.

    X = |S+| is binomial (n_P, PIR): all of X where S+ + S- is no longer than n_C, else the elements
    of S+ among the first n_C, which are hypergeometric.

    n_parent, n_child     n_P and n_C, at least 1
    parent_intersection   PIR = |A_P and A_C| / |A_P|; child_intersection: CIR, over |A_C|
    Promise    exact for a parent's sample drawn with replacement; for a child of a child, whose
               sample above is no plain one, only the mean is near.
    Assumption UniformShuffle: with option "sample" elements repeat, and only the mean is this one.
    Source:    lemma 3. |S-| is a whole number here, a mixture of its two neighbours (see
               ``samples.child_sample``).

    >>> found = savings(1100, 1100, 0.25, 0.85)
    >>> round(100 * found.mean_share, 2), found.quantile(0.025), found.quantile(0.975)
    (25.0, 247, 303)
    """
    available, new, weight = _pairs(n_parent, parent_intersection, child_intersection)
    total, numbers = available + new, np.arange(n_child + 1)
    chance = np.zeros(n_child + 1)
    whole = total <= n_child
    np.add.at(chance, available[whole], weight[whole])
    cut = ~whole
    chance += weight[cut] @ _hypergeometric(numbers, available[cut], new[cut], n_child)
    return Savings(chance / chance.sum())


def mean_savings(
    n_parent: int, n_child: int, parent_intersection: float, child_intersection: float
) -> float:
    """The mean of ``savings`` as a share of n_C, the same for both options, without the rest of
    the distribution.

    >>> round(mean_savings(1100, 1100, 0.85, 0.85), 4)
    0.8457
    """
    available, new, weight = _pairs(n_parent, parent_intersection, child_intersection)
    kept = np.minimum(1.0, n_child / np.maximum(available + new, 1))
    return float((weight * available * kept).sum() / weight.sum() / n_child)


def _pairs(n_parent: int, pir: float, cir: float) -> tuple[IntArray, IntArray, FloatArray]:
    """|S+|, |S-| and the chance of each pair that is not negligible, each (n_pairs,)."""
    plus = np.arange(n_parent + 1)
    weight = binomial(n_parent, pir)
    plus, weight = plus[weight > NEGLIGIBLE], weight[weight > NEGLIGIBLE]
    exact = plus * (1 - cir) / cir if cir > 0 else np.zeros(len(plus))
    near = np.rint(exact)
    exact = np.where(np.abs(exact - near) < 1e-9, near, exact)  # the rounding of a quotient
    whole = np.floor(exact)
    part = exact - whole
    available = np.concatenate([plus, plus])
    new = np.concatenate([whole, whole + 1]).astype(np.int64)
    chance = np.concatenate([weight * (1 - part), weight * part])
    return available[chance > 0], new[chance > 0], chance[chance > 0]


def _hypergeometric(numbers: IntArray, good: IntArray, bad: IntArray, drawn: int) -> FloatArray:
    """The chance of each of ``numbers`` good ones among ``drawn``, (n_pairs, n_numbers)."""
    good, bad = good[:, None], bad[:, None]
    log = _log_choose(good, numbers) + _log_choose(bad, drawn - numbers)
    return np.asarray(np.exp(log - _log_choose(good + bad, np.array([drawn]))))


def _log_choose(of: IntArray, number: IntArray) -> FloatArray:
    """ln C(of, number); minus infinity where there is no such choice."""
    left = of - number
    possible = (number >= 0) & (left >= 0)
    log = gammaln(of + 1.0) - gammaln(np.maximum(number, 0) + 1.0)
    return np.where(possible, log - gammaln(np.maximum(left, 0) + 1.0), -np.inf)
