"""PAULA: bounds on precision along the ranks from logarithmically many chosen labels.

The first g_ell items are labelled, then the last Delta items before each of the growing ranks
g_ell+1, ..., g_L. If the share of hits falls along the list (Assumption A.2), the windows bound
what lies between them. Nothing is random here, so nothing of it is a confidence band.

Source: Sabharwal and Sedghi (2017), sections 4.1 to 4.4.2, algorithm 2. Where the print is silent
or wrong the docstrings say what is done instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from labelcore.errors import ArgumentError
from labelcore.stats.arrays import FloatArray, IntArray

FRACTION_BITS = 256
GRID_WORDS = {
    "g_ell": "items at the head that are all labelled",
    "ell": "first step of the grid",
    "L": "last step of the grid",
    "m": "ranks apart from which precision is assumed to fall",
}


@dataclass(frozen=True, slots=True)
class PaulaGrid:
    """What PAULA derives before the first label (section 4.2).

    epsilon     spacing of the ranks, in (0, 1]; window: Delta; first_rank: r~
    ell, L      first and last exponent: the smallest with (1 + epsilon)^ell >= r~, the largest
                with (1 + epsilon)^L <= n_items
    m           floor(epsilon (1 + epsilon)^ell - 1), the distance of Assumption A.2, >= Delta
    gamma       1 + epsilon + (2 + epsilon) / m; factor: gamma (1 + epsilon)
    edges       g_ell, ..., g_L, (L - ell + 1,); only (n_items,) where n_items <= g_ell
    """

    n_items: int
    epsilon: float
    window: int
    first_rank: int
    ell: int
    L: int
    m: int
    gamma: float
    factor: float
    edges: tuple[int, ...]

    @property
    def labels(self) -> int:
        """g_ell + Delta (L - ell), or all items where there are no more than g_ell."""
        return self.edges[0] + self.window * (len(self.edges) - 1)

    def facts(self) -> dict[str, Any]:
        """What ``GRID_WORDS`` names, and gamma."""
        ranks = {"ell": self.ell, "g_ell": self.edges[0], "L": self.L}
        return {**ranks, "m": self.m, "gamma": self.gamma}

    def blocks(self) -> list[tuple[int, int]]:
        """First and last rank of each block in the order asked, 1-based and inclusive."""
        windows = [(edge - self.window + 1, edge) for edge in self.edges[1:]]
        return [(1, self.edges[0]), *windows]


def paula_grid(
    n_items: int, epsilon: float, window: int, first_rank: int | None = None
) -> PaulaGrid:
    """The ranks PAULA looks at; ``epsilon`` counts as the decimal number it prints as.

    All whole numbers are exact: powers are enclosed between two fixed-point numbers, and where an
    integer lies between those two the power is taken in full.

    n_items      N >= 1; epsilon: in (0, 1]; window: Delta >= 1
    first_rank   r~ >= ceil((Delta + 2) / epsilon), which is the default
    Raises       ValueError for a first rank below that.
    Source:      Sabharwal and Sedghi (2017), section 4.2 and definition 4.
    """
    exact = Fraction(str(epsilon))
    least = math.ceil((window + 2) / exact)
    start = least if first_rank is None else first_rank
    if start < least:
        raise ArgumentError.naming(
            "first_rank",
            "must be at least ({params.window} + 2) / {params.epsilon} = {least:,}, got {value:,}",
            least=least,
            value=start,
        )
    power = _Power(1 + exact)
    ell = power.first_reaching(start)
    last = power.first_reaching(n_items + 1) - 1
    while power.ceilings(last, last)[0] > n_items:
        last -= 1
    m = power.floor(ell, exact) - 1
    gamma = 1 + epsilon + (2 + epsilon) / m
    edges = tuple(power.ceilings(ell, last))
    return PaulaGrid(
        n_items=n_items,
        epsilon=epsilon,
        window=window,
        first_rank=start,
        ell=ell,
        L=last,
        m=m,
        gamma=gamma,
        factor=gamma * (1 + epsilon),
        edges=edges if edges and edges[0] < n_items else (n_items,),
    )


class _Power:
    """Powers of a rational base above 1, enclosed in fixed point, exact where that matters."""

    def __init__(self, base: Fraction) -> None:
        self.base = base

    def enclosure(self, exponent: int) -> tuple[int, int]:
        """low <= base^exponent * 2^FRACTION_BITS <= high."""
        low = high = 1 << FRACTION_BITS
        for bit in f"{exponent:b}":
            low, high = low * low >> FRACTION_BITS, -(-high * high >> FRACTION_BITS)
            if bit == "1":
                low, high = self._times(low, high)
        return low, high

    def _times(self, low: int, high: int) -> tuple[int, int]:
        above, below = self.base.numerator, self.base.denominator
        return low * above // below, -(-high * above // below)

    def first_reaching(self, goal: int) -> int:
        """The smallest exponent whose power is at least ``goal``."""
        exponent = max(round(math.log(goal) / math.log1p(float(self.base - 1))) - 2, 0)
        while not self._reaches(exponent, goal):
            exponent += 1
        return exponent

    def _reaches(self, exponent: int, goal: int) -> bool:
        low, high = self.enclosure(exponent)
        if low >= goal << FRACTION_BITS:
            return True
        if high < goal << FRACTION_BITS:
            return False
        return self.base**exponent >= goal

    def floor(self, exponent: int, scale: Fraction) -> int:
        """The whole part of scale * base^exponent."""
        low, high = (
            part * scale.numerator // (scale.denominator << FRACTION_BITS)
            for part in self.enclosure(exponent)
        )
        return low if low == high else math.floor(scale * self.base**exponent)

    def ceilings(self, first: int, last: int) -> list[int]:
        """Powers rounded up, for the exponents first, ..., last."""
        low, high = self.enclosure(first)
        powers = []
        for exponent in range(first, last + 1):
            up, same = -(-low >> FRACTION_BITS), -(-high >> FRACTION_BITS)
            powers.append(up if up == same else math.ceil(self.base**exponent))
            low, high = self._times(low, high)
        return powers


@dataclass(frozen=True, eq=False, slots=True)
class PaulaBounds:
    """PAULA's bounds on the precision of the first r items.

    rank         (n,), the ranks spoken about; reached: the largest rank that can be
    low, high    (n,), q-(r) and q+(r), proportions
    noise        (n,), sqrt(p (1 - p) / Delta) at the midpoint p of the bounds: the chance error of
                 one window if its labels were independent; 0 within the head, which is exact
    head_holds   p(g_ell) >= p_Delta(g_ell), which the factor gamma (1 + epsilon) needs, for every
                 reading of doubtful items
    violations   each k where p_Delta(g_k+1) > p_Delta(g_k), for every reading: there Assumption A.2
                 visibly fails
    """

    rank: IntArray
    low: FloatArray
    high: FloatArray
    noise: FloatArray
    reached: int
    head_holds: bool
    violations: tuple[int, ...]


def paula_bounds(
    grid: PaulaGrid,
    hits_low: FloatArray,
    hits_high: FloatArray,
    finished: int,
    ranks: IntArray,
    at: IntArray | None = None,
) -> PaulaBounds:
    """The bounds after the first ``finished`` blocks: PAULA's for the list cut at that g_k.

    Within the head both bounds are the precision itself (the paper prints ell for g_ell). Above:
    q-(r) = (Y-_k + (r - g_k) p_Delta(g_k+1)) / r for g_k <= r < g_k+1, because the printed step
    function is no lower bound between grid points, and Y-_L / r beyond g_L; q+(r) is the printed
    step function Y+_k / g_k, clipped at 1. p_Delta averages labels, not values of p (definition 3
    prints p(r)).

    hits_low, hits_high   verdicts in rank order, 0 or 1, NaN where unlabelled, as long as the
                          ranks reached; a doubtful item is 0 in one and 1 in the other
    finished     finished blocks, 0 to len(grid.edges); with all of them the bounds go on to N
    ranks        (n,), 1-based and increasing; those beyond what is reached are left out
    at           increasing ranks that the verdicts are of, every labelled one among them; None:
                 each rank
    Promise      none without Assumption A.2: windows that end at r1 and r2 >= r1 + m bound the
                 mean between them. Real labels break it by their noise alone. With it both bounds
                 hold up to g_ell and at each g_k (lemma 3), the factor at every rank (theorem 3).
                 Between two g_k neither bound is strict: A.2 says nothing of fewer than m labels,
                 which may bunch behind g_k.
    Raises       ValueError if a label of a finished block is missing.
    Source:      Sabharwal and Sedghi (2017), definitions 1, 5 and 6, algorithm 2, lemma 2.
    """
    if finished == 0:
        nothing = np.zeros(0)
        return PaulaBounds(nothing.astype(np.int64), nothing, nothing, nothing, 0, False, ())
    reached = grid.n_items if finished == len(grid.edges) else grid.edges[finished - 1]
    rank = np.asarray(ranks[ranks <= reached], dtype=np.int64)
    least, most = (_Windows.of(grid, hits, finished, at) for hits in (hits_low, hits_high))
    low, high = least.lower(rank), most.upper(rank)
    middle = (low + high) / 2
    noise = np.where(rank <= grid.edges[0], 0.0, np.sqrt(middle * (1 - middle) / grid.window))
    rises = np.flatnonzero(least.local[1:] > most.local[:-1] + 1e-12)
    return PaulaBounds(
        rank=rank,
        low=low,
        high=high,
        noise=noise,
        reached=reached,
        head_holds=_head_holds(least, most, min(grid.window, grid.edges[0])),
        violations=tuple(int(grid.ell + k) for k in rises),
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Windows:
    """Yields of the head, (g_ell + 1,), and local precisions p_Delta at the edges reached."""

    edges: IntArray
    head: FloatArray
    local: FloatArray

    @classmethod
    def of(cls, grid: PaulaGrid, hits: FloatArray, finished: int, at: IntArray | None) -> _Windows:
        blocks = np.array(grid.blocks()[:finished], dtype=np.int64)
        first, last = blocks[:, 0], blocks[:, 1]
        if at is None:
            at = np.arange(1, len(hits) + 1)
        place, end = np.searchsorted(at, first), np.searchsorted(at, last, side="right")
        labelled = ~np.isnan(hits)
        until, sums = (
            np.append(0, np.cumsum(mask)) for mask in (labelled, np.where(labelled, hits, 0.0))
        )
        lacking = np.flatnonzero(until[end] - until[place] < last - first + 1)
        if len(lacking):
            start, stop = blocks[lacking[0]].tolist()
            raise ValueError(f"ranks {start:,} to {stop:,} must all be labelled")
        place[0] = max(end[0] - grid.window, 0)
        local = (sums[end] - sums[place]) / (end - place)
        return cls(last, sums[: end[0] + 1], local)

    def lower(self, rank: IntArray) -> FloatArray:
        """q-(r), the yield form."""
        steps = np.diff(self.edges) * self.local[1:]
        yields = self.head[-1] + np.concatenate([[0.0], np.cumsum(steps)])
        place = self._place(rank)
        slope = np.append(self.local[1:], 0.0)[place]
        beyond = (yields[place] + (rank - self.edges[place]) * slope) / rank
        return np.where(rank <= self.edges[0], self._exact(rank), beyond)

    def upper(self, rank: IntArray) -> FloatArray:
        """q+(r), the step function of definition 5."""
        steps = np.diff(self.edges) * self.local[:-1]
        yields = self.head[-1] + np.concatenate([[0.0], np.cumsum(steps)])
        place = self._place(rank)
        beyond = np.minimum(yields[place] / self.edges[place], 1.0)
        return np.where(rank <= self.edges[0], self._exact(rank), beyond)

    def _place(self, rank: IntArray) -> IntArray:
        """The last edge not beyond each rank; it is g_j with j = floor(log_{1+epsilon} r)."""
        return np.maximum(np.searchsorted(self.edges, rank, side="right") - 1, 0)

    def _exact(self, rank: IntArray) -> FloatArray:
        return np.asarray(self.head[np.minimum(rank, self.edges[0])] / rank)


def _head_holds(least: _Windows, most: _Windows, window: int) -> bool:
    """Whether p(g_ell) >= p_Delta(g_ell) even if the doubtful items of the window are hits and
    those before it are not."""
    worst = float(least.head[-1 - window]) + float(most.local[0]) * window
    return worst / (len(least.head) - 1) >= float(most.local[0]) - 1e-12
