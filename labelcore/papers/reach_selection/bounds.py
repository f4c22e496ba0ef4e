"""Bounds on the precision of several candidates that hold after every draw, and what they cost.

Source: Bennett, Chickering, Meek and Zhu (2017), section 3 and theorems 2 and 3, for Hoeffding's
bounds; Waudby-Smith and Ramdas (2020), prior-posterior ratio, for draws without replacement.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from typing import Self

import numpy as np

from labelcore.errors import ArgumentError
from labelcore.stats.arrays import IntArray
from labelcore.stats.sequences import first_inside

Known = tuple[IntArray, IntArray]
NO, YES, DOUBTFUL = 0, 1, 2
"""Verdicts on a drawn item; a doubtful one counts as no in a lower bound, as yes in an upper."""


def check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ArgumentError("delta", "must lie between 0 and 1, both excluded", got=delta)


def check_slacks(precision_threshold: float, precision_slack: float, reach_slack: float) -> None:
    """Raise ValueError unless 0 < PT <= 1, 0 <= gamma <= PT and 0 < epsilon <= 1."""
    if not 0 < precision_threshold <= 1:
        raise ArgumentError(
            "precision_threshold", "must be above 0 and at most 1", got=precision_threshold
        )
    if not 0 <= precision_slack <= precision_threshold:
        raise ArgumentError.naming(
            "precision_slack",
            "must lie between 0 and {params.precision_threshold} = {most}",
            most=precision_threshold,
            got=precision_slack,
        )
    if not 0 < reach_slack <= 1:
        raise ArgumentError("reach_slack", "must be above 0 and at most 1", got=reach_slack)


def draws_for_precision(
    candidates: int, budget: int, delta: float, precision_slack: float
) -> int | None:
    """n_gamma: draws of a candidate after which its bounds lie less than gamma apart.

    None for gamma = 0, where no number is enough.

    >>> draws_for_precision(9, 5000, 0.05, 0.1)
    2881

    Source: Bennett et al. (2017), proof of theorem 2.
    """
    return _draws_for_width(candidates, budget, delta, precision_slack, strictly=True)


def draws_for_reach(
    candidates: int,
    budget: int,
    delta: float,
    precision_threshold: float,
    precision_slack: float,
    reach_slack: float,
) -> int | None:
    """n_epsilon: draws of a candidate after which its bounds lie at most epsilon (PT - gamma)
    apart. None for gamma = PT.

    >>> draws_for_reach(9, 5000, 0.05, 0.9, 0.1, 0.1)
    4502

    Source: Bennett et al. (2017), proof of theorem 2.
    """
    width = reach_slack * (precision_threshold - precision_slack)
    return _draws_for_width(candidates, budget, delta, width, strictly=False)


def _draws_for_width(
    candidates: int, budget: int, delta: float, width: float, *, strictly: bool
) -> int | None:
    if width <= 0:
        return None
    least = 2 * math.log(2 * candidates * budget / delta) / width / width
    if not math.isfinite(least):
        return None
    return math.floor(least) + 1 if strictly else math.ceil(least)


def label_bound(
    candidates: int,
    budget: int,
    delta: float,
    precision_threshold: float,
    precision_slack: float,
    reach_slack: float,
    *,
    size_ratio: float = 1.0,
) -> int | None:
    """m max(n_epsilon r, n_gamma): draws within which a choice is made, if T is as large as that.

    size_ratio   r = 1 for round robin (theorem 2, every run); for pooled sampling the size of the
                 largest acceptable candidate over that of the smallest (theorem 3, on average)
    Returns      None where a slack leaves no finite bound (gamma = 0 or gamma = PT).

    >>> label_bound(9, 5000, 0.05, 0.9, 0.1, 0.1)
    40518
    """
    precision = draws_for_precision(candidates, budget, delta, precision_slack)
    reach = draws_for_reach(
        candidates, budget, delta, precision_threshold, precision_slack, reach_slack
    )
    if precision is None or reach is None:
        return None
    return math.ceil(candidates * max(reach * size_ratio, precision))


def smallest_budget(
    candidates: int,
    delta: float,
    precision_threshold: float,
    precision_slack: float,
    reach_slack: float,
) -> int | None:
    """The smallest T that is at least its own ``label_bound``; None where there is no bound.

    The bound rises with T, so going up from T = 1 ends at the least fixed point.

    >>> smallest_budget(9, 0.05, 0.9, 0.1, 0.1)
    46800

    Source: Bennett et al. (2017), end of the proof of theorem 3.
    """
    budget = 1
    while True:
        needed = label_bound(
            candidates, budget, delta, precision_threshold, precision_slack, reach_slack
        )
        if needed is None or needed <= budget:
            return None if needed is None else budget
        budget = needed


class ReachBounds(ABC):
    """Bounds on the precision of each candidate, narrowed draw by draw and never widened.

    A candidate's bounds are the intersection of its intervals so far (equations 6 and 7). Where an
    interval would leave nothing between them, which a valid one does not, it is passed over, so
    that low <= high always. Once every item has a verdict without replacement, they are what these
    say, whatever was said before.

    low, high   (m,), bounds on each precision
    joint_high  (m,), upper bounds that hold for all candidates together with all lower ones, so
                that every requirement may be read off them
    drawn       (m,), draws that counted for each candidate; hits: of these yes; doubtful

    known       (yes, no), each (m,): items of each candidate known beforehand, however they were
                chosen: they count as they are, and draws are of the others
    """

    def __init__(self, sizes: Sequence[int], known: Known | None = None) -> None:
        count = len(sizes)
        self.sizes = np.array(sizes, dtype=np.int64)
        self.known_yes, no = known or np.zeros((2, count), dtype=np.int64)
        self.rest = self.sizes - self.known_yes - no
        self.low = self.known_yes / self.sizes
        self.high = (self.known_yes + self.rest) / self.sizes
        self.joint_high = self.high.copy()
        self.drawn, self.hits, self.doubtful = np.zeros((3, count), dtype=np.int64)

    def take(self, candidates: Sequence[int], verdict: int) -> None:
        """One drawn item with its verdict, NO, YES or DOUBTFUL, for each of ``candidates``."""
        for at in candidates:
            self.drawn[at] += 1
            self.hits[at] += verdict == YES
            self.doubtful[at] += verdict == DOUBTFUL
            self._narrow(at, int(self.drawn[at]), int(self.hits[at]), int(self.doubtful[at]))

    def copy(self) -> Self:
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(other, name, value.copy())
        return other

    @abstractmethod
    def _narrow(self, place: int, drawn: int, hits: int, doubtful: int) -> None:
        """Put the interval of one candidate's draws into ``low``, ``high`` and ``joint_high``."""


class HoeffdingBounds(ReachBounds):
    """The share of yes plus and minus U(t).

    Promise: all bounds of all candidates hold at every draw up to T with probability 1 - delta.
    Assumption: draws with replacement, T fixed before the first one.
    Source: Bennett et al. (2017), equations 6 to 9. Departure: low <= high is kept.
    """

    def __init__(self, sizes: Sequence[int], budget: int, delta: float) -> None:
        super().__init__(sizes)
        self._scale = math.log(2 * len(sizes) * budget / delta) / 2

    def _narrow(self, place: int, drawn: int, hits: int, doubtful: int) -> None:
        radius = math.sqrt(self._scale / drawn)
        low = max(self.low[place], hits / drawn - radius)
        high = min(self.high[place], (hits + doubtful) / drawn + radius)
        if low <= high:
            self.low[place], self.high[place], self.joint_high[place] = low, high, high


class RatioBounds(ReachBounds):
    """Prior-posterior-ratio bounds for draws without replacement, the error split unequally.

    A choice is wrong only if the lower bound of the candidate chosen is, or the upper bound of the
    one good candidate with the highest reach. That one is fixed before the first draw, so its upper
    bound needs no union: each upper bound runs at delta / 2 and each lower one at delta / (2 m).

    Promise: with probability 1 - delta all lower bounds and the upper bound of any one candidate
    named beforehand hold at every draw, and with the same probability all lower bounds and all of
    ``joint_high``, each of which runs at delta / (2 m), too.
    Assumption: each candidate's items that are not known come in a random order, none of them
    twice, which is drawn whatever is known: then it does not matter how the known ones were chosen,
    nor whether a candidate was made from them.
    Source: Waudby-Smith and Ramdas (2020), prior-posterior ratio; the split is ours.
    """

    def __init__(self, sizes: Sequence[int], delta: float, known: Known | None = None) -> None:
        super().__init__(sizes, known)
        self._joint_level, self._level = math.log(delta / (2 * len(sizes))), math.log(delta / 2)
        self._least = np.zeros(len(sizes), dtype=np.int64)
        self._most, self._joint_most = self.rest.copy(), self.rest.copy()

    def _narrow(self, place: int, drawn: int, hits: int, doubtful: int) -> None:
        size, whole, known = (int(n[place]) for n in (self.rest, self.sizes, self.known_yes))
        missed = drawn - hits - doubtful
        least = _least_hits(int(self._least[place]), hits, drawn, size, self._joint_level)
        most, joint_most = (
            size - _least_hits(size - int(ends[place]), missed, drawn, size, level)
            for ends, level in (
                (self._most, self._level),
                (self._joint_most, self._joint_level),
            )
        )
        if drawn == size:
            least, most, joint_most = hits, hits + doubtful, hits + doubtful
        if least <= most:
            self._least[place], self._most[place], self._joint_most[place] = least, most, joint_most
            self.low[place], self.high[place] = (known + least) / whole, (known + most) / whole
            self.joint_high[place] = (known + joint_most) / whole


def _least_hits(known: int, hits: int, drawn: int, size: int, log_alpha: float) -> int:
    """The larger of ``known`` and the lower end of ``sequences.finite_sequence``.

    By the same inequality, going up from the bound known: from one draw to the next it moves by
    little, and a session of thousands of draws is replayed within a second.
    """
    unlabelled = size - drawn
    if not unlabelled:
        return max(known, hits)
    mode = min(max(math.floor(hits / drawn * (size + 1)), hits), hits + unlabelled)
    known = max(known, hits)
    threshold = (
        log_alpha
        + math.lgamma(hits + 1)
        + math.lgamma(drawn - hits + 1)
        - math.lgamma(drawn + 2)
        - math.lgamma(unlabelled + 1)
        + math.lgamma(size + 1)
    )

    def inside(total: int) -> bool:
        return (
            math.lgamma(total + 1)
            - math.lgamma(total - hits + 1)
            + math.lgamma(size - total + 1)
            - math.lgamma(unlabelled - total + hits + 1)
        ) > threshold

    return known if known >= mode or inside(known) else _climb(inside, known, mode)


def _climb(inside: Callable[[int], bool], outside: int, top: int) -> int:
    """The smallest integer above ``outside`` that is inside, ``top`` being inside."""
    step = 1
    while outside + step < top and not inside(outside + step):
        outside, step = outside + step, 2 * step
    return first_inside(inside, outside, min(outside + step, top))
