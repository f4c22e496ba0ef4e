"""Logarithmic stratified sampling: precision at ranks in constant ratio from random samples.

The first g_ell items are labelled. For each further rank g_k a sample of s of the first g_k items
estimates p(g_k) by Hoeffding's inequality; most of it is taken over from the rank before, so that a
step costs about s epsilon / (1 + epsilon) new draws. Those from the labelled head cost nothing.

Source: Sabharwal and Sedghi (2017), section 4.4.1, algorithm 1, lemma 1, theorem 2.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from labelcore.errors import ArgumentError
from labelcore.papers.curves.paula_bounds import PaulaGrid, paula_grid
from labelcore.papers.curves.yield_closure import certain_yields, closed_yields
from labelcore.stats.arrays import FloatArray, IntArray

# (generation, slots (n,)) -> numbers in (0, 1), (n, 2)
Uniforms = Callable[[int, IntArray], FloatArray]

FIRST_RANK = 1000
MOST_DRAWS = 5_000_000


@dataclass(frozen=True, slots=True)
class LogarithmicGrid(PaulaGrid):
    """What the method derives before the first label: ranks like PAULA's with a window of one item,
    and the samples at them.

    beta       the factor wanted at the ranks g_k; factor: beta (1 + epsilon), at all ranks
    reach      (beta - 1) p_min, the additive error that s is chosen for
    draws      s, the size of the sample at each rank; 0 where there is no rank beyond the head
    counts     (L - ell,), labels in each stretch g_k-1 + 1, ..., g_k with fixed sizes
    """

    beta: float
    delta: float
    minimum_precision: float
    reach: float
    draws: int
    counts: tuple[int, ...]

    @property
    def labels(self) -> int:
        """Labels with fixed sizes; all items where there are no more than g_ell."""
        return self.edges[0] + sum(self.counts)

    @property
    def steps(self) -> int:
        """Ranks beyond the head, L - ell where N > g_ell."""
        return len(self.edges) - 1

    @property
    def printed_labels(self) -> float:
        """g_ell and the number of draws in theorem 2, s not rounded."""
        return self.edges[0] + self.steps * self.step_coefficient * self.logarithm

    @property
    def step_coefficient(self) -> float:
        """epsilon / (2 (beta - 1)^2 (1 + epsilon) p_min^2)."""
        return self.epsilon / (2 * self.reach**2 * (1 + self.epsilon))

    @property
    def logarithm(self) -> float:
        """ln((L - ell) / (delta / 2)), 0 without a rank beyond the head."""
        return math.log(2 * self.steps / self.delta) if self.steps else 0.0


def logarithmic_grid(
    n_items: int,
    epsilon: float,
    first_rank: int | None = None,
    beta: float | None = None,
    delta: float = 0.05,
    minimum_precision: float = 0.5,
) -> LogarithmicGrid:
    """The ranks and sizes of algorithm 1.

    n_items      N >= 1; epsilon in (0, 1], counted as the decimal number it prints as
    first_rank   r~, at least 3 / epsilon (so that m >= 1); None: 1000 as in section 4.4.4, or 3 /
                 epsilon where that is more
    beta         above 1; None: gamma, which gives the factor of PAULA
    delta        the chance that any p(g_k) is missed, in (0, 1)
    minimum_precision   p_min, in (0, 1]
    Promise      with probability at least 1 - delta every q(g_k) is within (beta - 1) p_min of
                 p(g_k), so within the factor where p(g_k) >= p_min (below by 2 - beta, as
                 equation 2 has it, where the theorem says 1 / beta).
    Raises       ValueError for a first rank below that.
    Source:      algorithm 1 and lemma 1; powers are exact, where the paper multiplies.

    >>> grid = logarithmic_grid(100_000, 0.03)
    >>> grid.ell, grid.L, grid.draws, round(grid.step_coefficient, 1)
    (234, 389, 1747, 5.8)
    """
    least = math.ceil(3 / Fraction(str(epsilon)))
    start = max(FIRST_RANK, least) if first_rank is None else first_rank
    if start < least:
        raise ArgumentError.naming(
            "first_rank",
            "must be at least 3 / {params.epsilon} = {least:,}, got {value:,}",
            least=least,
            value=start,
        )
    grid = paula_grid(n_items, epsilon, 1, start)
    wanted = grid.gamma if beta is None else beta
    reach, steps = (wanted - 1) * minimum_precision, len(grid.edges) - 1
    draws = math.ceil(math.log(2 * steps / delta) / (2 * reach**2)) if steps else 0
    widths = [after - before for before, after in pairwise(grid.edges)]
    counts = [
        min(width, -(-draws * width // edge))
        for width, edge in zip(widths, grid.edges[1:], strict=True)
    ]
    ranks = {**asdict(grid), "factor": wanted * (1 + epsilon)}
    return LogarithmicGrid(**ranks, beta=wanted, delta=delta, minimum_precision=minimum_precision,
                           reach=reach, draws=draws, counts=tuple(counts))  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Draws:
    """The samples X_ell, ..., X_L of algorithm 1: each draw with the steps it is part of.

    rank    (n,), from 1; a rank may be drawn more than once
    born, died   (n,), the draw is in X_ell+i for born <= i < died; born 0: from the head, free;
            born i: from the stretch that ends at g_ell+i
    """

    rank: IntArray
    born: IntArray
    died: IntArray

    def distinct(self, step: int) -> IntArray:
        """The different ranks of the stretch that ends at g_ell+step, increasing."""
        return np.unique(self.rank[self.born == step])


def printed_draws(grid: LogarithmicGrid, uniforms: Uniforms) -> Draws:
    """Algorithm 1's samples: s slots, each filled from the first g_ell ranks; a slot is kept at the
    next rank with probability g_k / g_k+1 and else filled from the stretch up to it.

    So at every g_k the slots are independent and uniform over the first g_k ranks. One number
    decides how long a slot keeps its rank: to the last g_k that is at most g_born / u.

    uniforms   (generation, slots) -> for each slot numbers in (0, 1), (n, 2): how long, which rank
    Raises     ValueError for more than five million slots.
    Source:    algorithm 1, draws with replacement as in section 2.1.
    """
    if grid.draws > MOST_DRAWS:
        raise ArgumentError.naming(
            "beta",
            "and {params.minimum_precision} ask for {draws:,} draws at each rank; with the "
            "printed sampling they may be at most {most:,}",
            draws=grid.draws,
            most=MOST_DRAWS,
        )
    edges = np.array(grid.edges, dtype=np.int64)
    slots = np.arange(grid.draws)
    birth = np.zeros(grid.draws, dtype=np.int64)
    parts: list[tuple[IntArray, IntArray, IntArray]] = []
    while len(slots):
        chance = uniforms(len(parts), slots)
        start = np.append(0, edges)[birth]
        size = edges[birth] - start
        rank = start + 1 + np.minimum((chance[:, 1] * size).astype(np.int64), size - 1)
        death = np.searchsorted(edges, edges[birth] / chance[:, 0], side="right")
        parts.append((rank, birth, death))
        slots, birth = slots[death < len(edges)], death[death < len(edges)]
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return Draws(nothing, nothing, nothing)
    rank, born, died = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Draws(rank, born, died)


@dataclass(frozen=True, eq=False, slots=True)
class LogarithmicBand:
    """Hits among the first r items for r = 1..N, (n_items,) each.

    estimate    algorithm 1: r times the step function of definition 5 through the estimates at the
                ranks g_k; fixed sizes: their yields joined by straight lines, so that each value
                lies between those of the two steps; NaN beyond the last finished rank while some
                are unfinished
    low, high   hold at all ranks together
    at_edges    (finished,), estimates of p(g_k), the first one exact
    half_width  (finished,), of their bounds before anything else is used, proportions
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    at_edges: FloatArray
    half_width: FloatArray


def logarithmic_band(
    grid: LogarithmicGrid,
    hits_low: FloatArray,
    hits_high: FloatArray,
    finished: int,
    delta: float,
    draws: Draws | None = None,
    at: IntArray | None = None,
) -> LogarithmicBand:
    """The curve after the first ``finished`` blocks: the head, then the stretch up to each g_k.

    With ``draws`` the estimates are algorithm 1's S_k / s, plus and minus
    sqrt(ln(2 (L - ell) / delta) / (2 s)). Without, the sizes are fixed: the labelled items of a
    stretch j of w_j items are n_j random ones, all are kept, the head counts as it is, and the mean
    of each stretch is weighted by w_j. Hoeffding's inequality for independent terms then gives
    sqrt(ln(2 (L - ell) / delta) sum_j (w_j / g_k)^2 / (2 n_j)), never more than algorithm 1 has,
    and about .7 of it far down the list; stretches labelled completely add nothing.
    Between the ranks g_k the bounds allow whatever labels and unlabelled items allow.

    hits_low, hits_high   (n_items,), verdicts in rank order, 0 or 1, NaN where unlabelled; a
                doubtful item is 0 in one and 1 in the other, and counts half in the estimate
    finished    finished blocks, 0 to len(grid.edges)
    delta       the chance that the band is wrong anywhere, after any of the blocks
    at          increasing ranks that the verdicts are of, every labelled one, each g_k and the last
                one among them, and the hits likewise; None: each rank
    Promise     at least 1 - delta for all ranks together and after all blocks together: one event
                bounds them all. Without Assumption A.1, and without p >= p_min.
    Assumption  the draws are those of ``printed_draws``; or, with fixed sizes, the labelled items
                of each stretch are a simple random sample of it, of a size fixed before the first
                label.
    Raises      ValueError if a label of a finished block is missing.
    Source:     algorithm 1, lemma 1; Hoeffding (1963), theorems 2 and 4. Departure: fixed sizes
                without thinning, straight lines in place of steps there, and bounds between the
                ranks from the hits alone.
    """
    certain = certain_yields(hits_low, hits_high, at)
    ranks = np.arange(1, grid.n_items + 1) if at is None else at
    edges = np.array(grid.edges[:finished], dtype=np.int64)
    if finished == 0:
        nothing = np.zeros(0)
        return LogarithmicBand(np.full(len(ranks), np.nan), *certain, nothing, nothing)
    _check_head(hits_low, ranks, grid.edges[0])
    ends = np.searchsorted(ranks, edges, side="right")
    if draws is None:
        parts = [_fixed(edges, ends, hits) for hits in (hits_low, hits_high)]
        spread = _fixed_spread(edges, ends, hits_low)
    else:
        parts = [_printed(grid, draws, hits, ranks, finished) for hits in (hits_low, hits_high)]
        spread = np.append(0.0, np.full(finished - 1, 1 / max(grid.draws, 1)))
    half = np.sqrt(math.log(2 * max(grid.steps, 1) / delta) * spread / 2)
    bounds = (edges, edges * (parts[0] - half), edges * (parts[1] + half))
    low, high = closed_yields(bounds, certain, at)
    middle = (parts[0] + parts[1]) / 2
    head = (certain[0] + certain[1])[: grid.edges[0]] / 2
    estimate = _steps(edges, middle, head, ranks)
    if draws is None:
        inside = slice(len(head), int(ends[-1]))
        estimate[inside] = np.interp(ranks[inside], edges, edges * middle)
    if finished < len(grid.edges):
        estimate[ends[-1] :] = np.nan
    return LogarithmicBand(estimate, low, high, middle, half)


def expected_half_widths(
    grid: LogarithmicGrid,
    rates: FloatArray,
    delta: float,
    *,
    printed: bool,
    at: IntArray | None = None,
) -> FloatArray:
    """Half the width of the band of the precision at r = 1..N, (n_items,), or at these ranks.

    rates     (L - ell + 2,), the rate of hits that is expected in the head, in each stretch, and
              beyond the last one
    delta     as in ``logarithmic_band``; printed: for the draws of algorithm 1, else fixed sizes
    Promise   none: the width at the expected hits, which a session need not have.
    """
    edges = np.array(grid.edges)
    limits = np.append(0, np.append(edges, grid.n_items))
    sizes = np.diff(limits)
    free = np.append(0.0, np.append(_unlabelled(grid, printed), 1.0))
    if printed:
        spread = np.append(0.0, edges[1:] ** 2 / max(grid.draws, 1))
    else:
        counts = np.array(grid.counts, dtype=float)
        spread = np.cumsum(np.append(0.0, np.where(free[1:-1] > 0, sizes[1:-1] ** 2 / counts, 0)))
    reach = np.sqrt(math.log(2 * max(grid.steps, 1) / delta) * spread / 2)
    unlabelled = np.cumsum(sizes[:-1] * free[:-1]) / 2
    reach = np.minimum.accumulate(reach - unlabelled) + unlabelled
    ranks = np.arange(1, grid.n_items + 1) if at is None else at
    place = np.searchsorted(edges, ranks)
    before = (ranks - limits[place]) * free[place]
    after = (limits[place + 1] - ranks) * free[place]
    ends = np.concatenate([[0.0], reach, [np.inf]])
    first, last = ends[place], ends[place + 1]
    above = np.minimum(first + before * (1 - rates[place]), last + after * rates[place])
    below = np.minimum(first + before * rates[place], last + after * (1 - rates[place]))
    return np.asarray(np.minimum((above + below) / 2 / ranks, 0.5))


def _unlabelled(grid: LogarithmicGrid, printed: bool) -> FloatArray:
    """The share of each stretch that is expected to stay without a label, (L - ell,)."""
    edges = np.array(grid.edges, dtype=float)
    sizes = np.diff(edges)
    if printed:
        return np.asarray(np.exp(grid.draws * sizes / edges[1:] * np.log1p(-1 / (sizes + 1e-9))))
    return np.asarray(1 - np.array(grid.counts) / sizes)


def _check_head(hits: FloatArray, ranks: IntArray, edge: int) -> None:
    labelled = ranks[~np.isnan(hits)][:edge]
    missing = np.flatnonzero(
        np.append(labelled, 0)[:edge] != np.arange(1, len(labelled) + 2)[:edge]
    )
    if len(missing):
        raise ValueError(
            f"the first {edge:,} items must all be labelled, rank {int(missing[0]) + 1:,} is not"
        )


def _fixed(edges: IntArray, ends: IntArray, hits: FloatArray) -> FloatArray:
    """p(g_k) from weighted means of the stretches, (finished,).

    ends   (finished,), how many of the verdicts are of ranks up to each g_k
    """
    labelled = ~np.isnan(hits)
    number, positives = (
        np.diff(np.append(0, np.cumsum(counted))[ends])
        for counted in (labelled, np.where(labelled, hits, 0.0))
    )
    empty = np.flatnonzero(number == 0)
    if len(empty):
        before, after = edges[empty[0]], edges[empty[0] + 1]
        raise ValueError(f"ranks {before + 1:,} to {after:,} must hold a label")
    sums = np.append(hits[: ends[0]].sum(), np.diff(edges) * (positives / number))
    return np.asarray(np.cumsum(sums) / edges)


def _fixed_spread(edges: IntArray, ends: IntArray, hits: FloatArray) -> FloatArray:
    """sum_j (w_j / g_k)^2 / n_j over the stretches not labelled completely, (finished,)."""
    sizes = np.diff(edges)
    labelled = np.diff(np.append(0, np.cumsum(~np.isnan(hits)))[ends])
    parts = np.where(labelled < sizes, sizes**2 / np.maximum(labelled, 1), 0.0)
    return np.asarray(np.append(0.0, np.cumsum(parts)) / edges**2)


def _printed(
    grid: LogarithmicGrid, draws: Draws, hits: FloatArray, ranks: IntArray, finished: int
) -> FloatArray:
    """S_k / s, (finished,), the first one p(g_ell) itself."""
    head = float(hits[: grid.edges[0]].mean())
    if finished == 1:
        return np.array([head])
    used = draws.born < finished
    place = np.minimum(np.searchsorted(ranks, draws.rank[used]), len(ranks) - 1)
    drawn = np.where(ranks[place] == draws.rank[used], hits[place], np.nan)
    if np.isnan(drawn).any():
        rank = int(draws.rank[used][np.isnan(drawn)].min())
        raise ValueError(f"every drawn item of a finished block must be labelled, rank {rank:,}")
    size = len(grid.edges) + 1
    change = np.bincount(draws.born[used], drawn, size) - np.bincount(draws.died[used], drawn, size)
    return np.append(head, np.cumsum(change)[1:finished] / grid.draws)


def _steps(edges: IntArray, at_edges: FloatArray, head: FloatArray, ranks: IntArray) -> FloatArray:
    """r times the step function of definition 5, (n_ranks,)."""
    place = np.maximum(np.searchsorted(edges, ranks, side="right") - 1, 0)
    yields = ranks * at_edges[place]
    yields[: len(head)] = head
    return np.asarray(yields)
