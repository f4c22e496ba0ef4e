"""Many runs of algorithm 1 at once, one draw of each at a time, for nested candidates.

The same sets and the same choice as the product (``reach_sets``, ``make_choice``); only draws and
bounds are written again, for arrays of runs. tests/papers compares both run by run.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from labelcore.papers.reach_selection.selection import (
    ReachChoice,
    ReachRules,
    make_choice,
    reach_sets,
)
from labelcore.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ends:
    """Where each run ended, (runs,) or (runs, m): draws, distinct labels and all bounds then.

    hits, drawn   draws that counted for each candidate
    """

    draws: IntArray
    labels: IntArray
    low: FloatArray
    high: FloatArray
    hits: IntArray
    drawn: IntArray

    def choices(self, sizes: IntArray, rules: ReachRules) -> list[ReachChoice]:
        share = np.where(self.drawn > 0, self.hits / np.maximum(self.drawn, 1), np.nan)
        return [
            make_choice(low, sizes, mine, reach_sets(low, high, sizes, rules), rules)
            for low, high, mine in zip(self.low, self.high, share, strict=True)
        ]


class Lockstep:
    """Runs side by side; a row of every array is a run.

    truth    (n_items,), the ranked list, 0 or 1; sizes: (m,), increasing, the nested candidates
    rules    delta is taken from ``deltas`` (runs,)
    budget   T
    """

    def __init__(
        self, truth: IntArray, sizes: IntArray, rules: ReachRules, budget: int, deltas: FloatArray
    ) -> None:
        self.truth, self.sizes, self.rules, self.budget = truth, sizes, rules, budget
        runs, m = len(deltas), len(sizes)
        self.deltas, self.row = deltas, np.arange(runs)
        self.hits, self.drawn = np.zeros((2, runs, m), dtype=np.int64)
        self.low, self.high = np.zeros((runs, m)), np.ones((runs, m))
        self.active = np.ones((runs, m), dtype=bool)
        self.seen = np.zeros((runs, int(sizes[-1])), dtype=bool)
        self.ends, self.decided = self.no_ends(), self.no_ends()
        self.noted = np.zeros(runs, dtype=bool)

    def no_ends(self) -> Ends:
        none = np.zeros(len(self.row), dtype=np.int64)
        bounds = self.low.copy(), self.high.copy(), self.hits.copy(), self.drawn.copy()
        return Ends(none.copy(), none.copy(), *bounds)

    def run(self) -> Ends:
        """Where the runs end; ``decided`` is where they would with early stopping."""
        for number in range(self.budget):
            item, counts = self.draw(number)
            self.seen[np.arange(len(item)), item] = True
            self.hits += counts & (self.truth[item] == 1)[:, None]
            self.drawn += counts
            self.narrow(counts)
            sets = reach_sets(self.low, self.high, self.sizes, self.rules)
            over = sets.qualified.any(axis=1) | ~sets.possibly_good.any(axis=1)
            if self.rules.elimination:
                self.active &= sets.active
            if (over & ~self.noted).any():
                self.note(self.decided, over & ~self.noted, number + 1)
                self.noted |= over
            if self.rules.early_stopping and over.any():
                self.finish(over, number + 1)
                if not len(self.row):
                    return self.ends
        self.note(self.decided, ~self.noted, self.budget)
        self.finish(np.ones(len(self.row), dtype=bool), self.budget)
        return self.ends

    def draw(self, number: int) -> tuple[IntArray, NDArray[np.bool_]]:
        """The item of each run, (runs,), and the candidates that it counts for, (runs, m)."""
        raise NotImplementedError

    def narrow(self, counts: NDArray[np.bool_]) -> None:
        """Put the intervals of the candidates drawn for into ``low`` and ``high``."""
        raise NotImplementedError

    def kept(self) -> tuple[str, ...]:
        """Names of the arrays with a row for each run."""
        return ("row", "deltas", "hits", "drawn", "low", "high", "active", "seen", "noted")

    def note(self, ends: Ends, which: NDArray[np.bool_], draws: int) -> None:
        """Write down where these runs are."""
        rows = self.row[which]
        ends.draws[rows] = draws
        ends.labels[rows] = self.seen[which].sum(axis=1)
        for name in ("low", "high", "hits", "drawn"):
            getattr(ends, name)[rows] = getattr(self, name)[which]

    def finish(self, over: NDArray[np.bool_], draws: int) -> None:
        """Write down where these runs end and go on with the others."""
        self.note(self.ends, over, draws)
        for name in self.kept():
            setattr(self, name, getattr(self, name)[~over])


class Replaced(Lockstep):
    """Hoeffding's bounds, draws with replacement by ``words`` (runs, budget)."""

    def __init__(
        self, truth: IntArray, sizes: IntArray, rules: ReachRules, budget: int, deltas: FloatArray,
        words: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        super().__init__(truth, sizes, rules, budget, deltas)
        self.words = words
        self.turn = np.full(len(deltas), -1)
        self.scale = np.log(2 * len(sizes) * budget / deltas)[:, None] / 2

    def kept(self) -> tuple[str, ...]:
        return (*super().kept(), "words", "turn", "scale")

    def draw(self, number: int) -> tuple[IntArray, NDArray[np.bool_]]:
        share = (self.words[:, number] >> np.uint64(11)) * 2.0**-53
        if self.rules.sampler == "pooled":
            item = (share * np.where(self.active, self.sizes, 0).max(axis=1)).astype(np.int64)
            return item, self.active & (item[:, None] < self.sizes)
        m = len(self.sizes)
        order = (self.turn[:, None] + 1 + np.arange(m)) % m
        first = np.take_along_axis(self.active, order, axis=1).argmax(axis=1)
        self.turn = order[np.arange(len(order)), first]
        item = (share * self.sizes[self.turn]).astype(np.int64)
        return item, self.turn[:, None] == np.arange(m)

    def narrow(self, counts: NDArray[np.bool_]) -> None:
        times = np.maximum(self.drawn, 1)
        radius, share = np.sqrt(self.scale / times), self.hits / times
        low = np.maximum(self.low, share - radius)
        high = np.minimum(self.high, share + radius)
        held = counts & (low <= high)
        self.low, self.high = np.where(held, low, self.low), np.where(held, high, self.high)


class Once(Lockstep):
    """Prior-posterior-ratio bounds, pooled draws along ``order`` (runs, n_union), no item twice."""

    def __init__(
        self, truth: IntArray, sizes: IntArray, rules: ReachRules, budget: int, deltas: FloatArray,
        order: IntArray,
    ) -> None:  # fmt: skip
        super().__init__(truth, sizes, rules, min(budget, int(sizes[-1])), deltas)
        self.order, self.place = order.copy(), np.zeros(len(deltas), dtype=np.int64)
        self.reach = np.full(len(deltas), sizes[-1])
        self.log = gammaln(np.arange(int(sizes[-1]) + 2) + 1.0)
        self.least, self.fewest = np.zeros((2, len(deltas), len(sizes)), dtype=np.int64)

    def kept(self) -> tuple[str, ...]:
        return (*super().kept(), "order", "place", "reach", "least", "fewest")

    def draw(self, number: int) -> tuple[IntArray, NDArray[np.bool_]]:
        reach = np.where(self.active, self.sizes, 0).max(axis=1)
        for run in np.flatnonzero(reach != self.reach):
            rest = self.order[run, self.place[run] :]
            rest = rest[rest < reach[run]]
            self.order[run, : len(rest)], self.place[run] = rest, 0
        self.reach = reach
        item = self.order[np.arange(len(reach)), self.place].astype(np.int64)
        self.place = self.place + 1
        return item, self.active & (item[:, None] < self.sizes)

    def narrow(self, counts: NDArray[np.bool_]) -> None:
        run, one = np.nonzero(counts)
        drawn, hits, delta = self.drawn[run, one], self.hits[run, one], self.deltas[run]
        size = self.sizes[one]
        m = len(self.sizes)
        least = self.climbed(self.least[run, one], hits, drawn, size, np.log(delta / (2 * m)))
        missed = drawn - hits
        fewest = self.climbed(self.fewest[run, one], missed, drawn, size, np.log(delta / 2))
        held = least + fewest <= size
        run, one, size = run[held], one[held], size[held]
        self.least[run, one], self.fewest[run, one] = least[held], fewest[held]
        self.low[run, one] = least[held] / size
        self.high[run, one] = (size - fewest[held]) / size

    def climbed(
        self, known: IntArray, hits: IntArray, drawn: IntArray, size: IntArray, level: FloatArray
    ) -> IntArray:
        """``_least_hits`` of the product for arrays: the smallest total inside from known on."""
        log, left = self.log, size - drawn
        known = np.maximum(known, hits)
        mode = np.clip(np.floor(hits / drawn * (size + 1)).astype(np.int64), hits, hits + left)
        limit = level + log[hits] + log[drawn - hits] - log[drawn + 1] - log[left] + log[size]

        def inside(total: IntArray, at: IntArray) -> NDArray[np.bool_]:
            mine, over = hits[at], left[at] - total + hits[at]
            return np.asarray(
                log[total] - log[total - mine] + log[size[at] - total] - log[over] > limit[at]
            )

        low = known.copy()
        at = np.flatnonzero((known < mode) & (left > 0))
        at = at[~inside(known[at], at)]
        low_end, high_end = known[at], mode[at]
        while (high_end - low_end > 1).any():
            middle = (low_end + high_end) // 2
            within = inside(middle, at)
            high_end = np.where(within, middle, high_end)
            low_end = np.where(within, low_end, middle)
        low[at] = high_end
        return low


def replaced(
    truth: IntArray, sizes: IntArray, rules: ReachRules, budget: int, deltas: FloatArray,
    words: NDArray[np.uint64],
) -> tuple[Ends, Ends]:  # fmt: skip
    """Where the runs end and where early stopping ends them; every delta on the same words: run r
    of delta d is row d * runs + r."""
    spread = np.repeat(deltas, len(words))
    given = np.tile(words, (len(deltas), 1))
    found = Replaced(truth, sizes, replace(rules, bound="hoeffding"), budget, spread, given)
    return found.run(), found.decided


def once(
    truth: IntArray, sizes: IntArray, rules: ReachRules, budget: int, delta: float, order: IntArray
) -> Ends:
    """One delta, run r along row r of ``order``."""
    return Once(truth, sizes, rules, budget, np.full(len(order), delta), order).run()


def words_of(seed: int, runs: int, budget: int) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, (runs, budget), dtype=np.uint64)


def orders_of(seed: int, runs: int, items: int) -> IntArray:
    random = np.random.default_rng(seed)
    first = np.tile(np.arange(items, dtype=np.int32), (runs, 1))
    return random.permuted(first, axis=1)
