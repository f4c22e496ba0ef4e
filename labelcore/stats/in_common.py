"""What the wrong ones among labelled items have in common, as far as chance does not explain it.

Items come in parts, within which wrong and right ones are compared: those that a classifier calls
the same. A feature is something that an item has or has not. If wrong items were any of their part,
how many of them have a feature would be hypergeometric; the smallest of all tail chances, over
features and parts, is held against that of ``DRAWS`` permutations within the parts.

Promise      the chance that anything is told where being wrong has nothing to do with the features
             is at most ``alpha``, whatever the features have to do with each other (strict). The
             ends of what is told miss the truth with a chance of at most ``alpha``, too: each takes
             half of it, and the lower one is no less than 1, as what is told says. That of one
             feature is strict; of several it rests on the permutations being like the truth.
Assumption   features were chosen without looking at what is wrong. It is about these items alone.
Source       Westfall and Young (1993), single-step min-P; Fisher (1935).
"""

from dataclasses import dataclass

import numpy as np

from labelcore.stats.arrays import IntArray
from labelcore.stats.profile import BoolArray, FloatArray

DRAWS, FEWEST = 2_000, 5
"""Permutations, and so many items with and without a feature, wrong and right, are needed."""
WIDEST = 12.0


@dataclass(frozen=True, slots=True)
class InCommon:
    """A feature that the wrong items of a part have more often than chance explains.

    feature, part          which
    wrong, items           with the feature
    wrong_else, items_else without it
    times, low, high       the rate of wrong ones with it over that without it, and its interval,
                           both ends as sure for all that is told as ``alpha`` says; high may be
                           infinite
    chance                 of anything so clear, over all features
    """

    feature: int
    part: int
    wrong: int
    items: int
    wrong_else: int
    items_else: int
    times: float
    low: float
    high: float
    chance: float


def in_common(
    features: BoolArray,
    wrong: BoolArray,
    part: IntArray,
    alpha: float,
    random: np.random.Generator,
) -> list[InCommon]:
    """What is told, the least likely by chance first.

    features      (n_features, n_items)
    wrong, part   (n_items,)
    """
    from scipy.stats import hypergeom  # Takes long to load, and a session asks seldom.

    tried: list[tuple[int, int, float]] = []
    least = np.ones(DRAWS)
    for group in np.unique(part).tolist():
        mine = part == group
        total, bad = int(mine.sum()), int(wrong[mine].sum())
        if min(bad, total - bad) < FEWEST:
            continue
        having = features[:, mine]
        number = having.sum(axis=1)
        able = np.flatnonzero((number >= FEWEST) & (number <= total - FEWEST))
        if not len(able):
            continue
        chance = {
            int(n): hypergeom.sf(np.arange(-1, min(n, bad)), total, n, bad)
            for n in np.unique(number[able])
        }
        seen = (having[able] & wrong[mine]).sum(axis=1)
        tried += [
            (at, group, float(chance[int(number[at])][count]))
            for at, count in zip(able.tolist(), seen.tolist(), strict=True)
        ]
        order = np.argsort(random.random((DRAWS, total)), axis=1)
        drawn = np.zeros((DRAWS, total), dtype=np.float32)
        np.put_along_axis(drawn, order[:, :bad], 1.0, axis=1)
        counts = (drawn @ having[able].T.astype(np.float32)).astype(np.int64)
        for column, at in enumerate(able.tolist()):
            least = np.minimum(least, chance[int(number[at])][counts[:, column]])
    patterns = []
    level = _level(least, alpha / 2, len(tried)) if tried else 0.0
    for at, group, p in sorted(tried, key=lambda each: each[2]):
        adjusted = (1 + int((least <= p * (1 + 1e-9)).sum())) / (DRAWS + 1)
        if adjusted > alpha:
            break
        patterns.append(_told(features[at], wrong, part == group, at, group, level, adjusted))
    return patterns


def _level(least: FloatArray, alpha: float, tried: int) -> float:
    """The chance that one of so many features has at most, so that the smallest of all has it or
    less with a chance of at most ``alpha``: by the permutations, or by Bonferroni where that is
    more.

    least   (n_draws,), the smallest chance of each permutation
    """
    ranked = np.sort(least)
    share = (1 + np.searchsorted(ranked, ranked, side="right")) / (len(ranked) + 1)
    return max(float(ranked[share <= alpha].max(initial=0.0)), alpha / tried)


def _told(
    feature: BoolArray,
    wrong: BoolArray,
    mine: BoolArray,
    at: int,
    part: int,
    level: float,
    p: float,
) -> InCommon:
    items, others = int((feature & mine).sum()), int((~feature & mine).sum())
    bad, bad_else = int((feature & mine & wrong).sum()), int((~feature & mine & wrong).sum())
    low, high = ratio_interval(bad, items, bad_else, others, level)
    low = max(low, 1.0)
    times = bad / items / (bad_else / others) if bad_else else float("inf")
    return InCommon(at, part, bad, items, bad_else, others, times, low, high, p)


def ratio_interval(
    wrong: int, items: int, wrong_else: int, items_else: int, level: float
) -> tuple[float, float]:
    """Ends of the ratio of two rates, each beyond the truth with a chance of at most ``level``: the
    exact conditional ends of the odds ratio (Fisher 1935), turned into the ratio of the rates that
    are expected there with as many wrong ones in all.

    >>> [round(one, 2) for one in ratio_interval(8, 10, 4, 30, 0.025)]
    [2.14, 12.76]
    """
    from scipy.optimize import brentq
    from scipy.stats import nchypergeom_fisher

    whole, bad = items + items_else, wrong + wrong_else

    def ratio(log_odds: float) -> float:
        expected = float(nchypergeom_fisher.mean(whole, items, bad, np.exp(log_odds)))
        return expected / items / max((bad - expected) / items_else, 1e-12)

    def above(log_odds: float) -> float:
        return float(nchypergeom_fisher.sf(wrong - 1, whole, items, bad, np.exp(log_odds))) - level

    def below(log_odds: float) -> float:
        return float(nchypergeom_fisher.cdf(wrong, whole, items, bad, np.exp(log_odds))) - level

    low, high = 0.0, float("inf")
    if wrong > max(0, bad - items_else) and above(-WIDEST) < 0 < above(WIDEST):
        low = ratio(float(brentq(above, -WIDEST, WIDEST)))
    if wrong < min(items, bad) and below(WIDEST) < 0 < below(-WIDEST):
        high = ratio(float(brentq(below, -WIDEST, WIDEST)))
    return low, high
