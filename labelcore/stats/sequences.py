"""Intervals that may be looked at after every label (confidence sequences)."""

import math
from collections.abc import Callable

from scipy.special import betaln

PRIOR = (1.0, 1.0)


def _log_choose(n: float, k: float) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def finite_sequence(
    positive: float, labelled: float, size: float, alpha: float
) -> tuple[float, float]:
    """Bounds on the number of positives among ``size`` items, drawn at random without replacement.

    The set {K : R_t(K) < 1/alpha} of the prior-posterior ratio

        ln R_t(K) = ln B(a+s, b+t-s) - ln B(a, b) - [ln C(N-t, K-s) - ln C(N, K)],

    a = b = 1, is a confidence sequence: the chance that it ever misses the true K is at most alpha.
    The set is an interval because the hypergeometric likelihood is log-concave in K; the ends are
    found by bisection over the integers. A census gives one point.

    positive   labelled items that are positive (s), labelled (t), size (N)
    Returns    (smallest K, largest K)
    Source:    Waudby-Smith and Ramdas (2020), prior-posterior ratio.
    """
    unlabelled = size - labelled
    if unlabelled <= 0:
        return positive, positive
    if labelled <= 0:
        return 0.0, size
    evidence = betaln(PRIOR[0] + positive, PRIOR[1] + labelled - positive) - betaln(*PRIOR)
    threshold = evidence + math.log(alpha)

    def inside(steps: int) -> bool:
        k = positive + steps
        return bool(_log_choose(unlabelled, steps) - _log_choose(size, k) > threshold)

    steps = int(unlabelled)
    mode = min(max(math.floor(positive / labelled * (size + 1) - positive), 0), steps)
    low = first_inside(inside, 0, mode)
    high = -first_inside(lambda m: inside(-m), -steps, -mode)
    return positive + low, positive + high


def first_inside(inside: Callable[[int], bool], outside: int, known: int) -> int:
    """The smallest integer in [outside, known] that is inside, given that ``known`` is."""
    if inside(outside):
        return outside
    while known - outside > 1:
        middle = (known + outside) // 2
        if inside(middle):
            known = middle
        else:
            outside = middle
    return known


def rate_sequence(positive: float, labelled: float, alpha: float) -> tuple[float, float]:
    """Bounds on a rate p from independent draws: {p : M_t(p) < 1/alpha} of the beta-binomial
    mixture ln M_t(p) = ln B(a+s, b+t-s) - ln B(a, b) - s ln p - (t-s) ln(1-p), a = b = 1.

    Source: Ville (1939); Robbins (1970); Howard, Ramdas, McAuliffe and Sekhon (2021).
    """
    if labelled <= 0:
        return 0.0, 1.0
    evidence = betaln(PRIOR[0] + positive, PRIOR[1] + labelled - positive) - betaln(*PRIOR)
    threshold = evidence + math.log(alpha)
    negative = labelled - positive

    def inside(p: float) -> bool:
        if (positive and p <= 0) or (negative and p >= 1):
            return False
        log_p = positive * math.log(p) if positive else 0.0
        return bool(log_p + (negative * math.log1p(-p) if negative else 0.0) > threshold)

    share = positive / labelled
    low = 0.0 if positive == 0 else _bisect(inside, 0.0, share)
    high = 1.0 if negative == 0 else _bisect(inside, 1.0, share)
    return low, high


def _bisect(inside: Callable[[float], bool], outside: float, known: float) -> float:
    for _ in range(60):
        middle = (outside + known) / 2
        if inside(middle):
            known = middle
        else:
            outside = middle
    return outside


def first_watched_look(planned: int) -> int:
    """The number of labels from which a watched band for strata may be read."""
    return max(40, math.ceil(planned / 10))


MINIMUM_STRATA = 5
