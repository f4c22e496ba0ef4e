"""PAULA: exact powers, and lists on which its assumption holds.

The published figures are in the table of ``python -m benchmarks.papers``.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.papers.curves import paula_bounds as paula
from labelcore.papers.curves.paula_bounds import PaulaGrid, paula_bounds, paula_grid
from tests.cases import searched


def by_fractions(n_items: int, epsilon: str, window: int) -> tuple[int, int, int, list[int]]:
    """ell, L, m and the ceilings of all powers up to N, with nothing rounded."""
    base = 1 + Fraction(epsilon)
    start = math.ceil((window + 2) / Fraction(epsilon))
    powers = [Fraction(1)]
    while powers[-1] * base <= max(n_items, start * base):
        powers.append(powers[-1] * base)
    ell = next(j for j, power in enumerate(powers) if power >= start)
    last = max(j for j, power in enumerate(powers) if power <= n_items)
    m = math.floor(Fraction(epsilon) * powers[ell] - 1)
    return ell, last, m, [math.ceil(power) for power in powers[ell : last + 1]]


EXACT_CASES = [
    (10_000, "1.0", 3), (1_024, "1.0", 3), (1_023, "1.0", 3), (100_000, "0.5", 7),
    (31_250, "0.25", 30), (35_615, "0.03", 100), (3_000_000, "0.017", 11), (400, "0.05", 20),
]  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("case", EXACT_CASES)
@pytest.mark.parametrize("bits", [256, 4])
def test_powers_are_exact(
    case: tuple[int, str, int], bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the enclosure is so coarse that nearly every power must be taken in full."""
    monkeypatch.setattr(paula, "FRACTION_BITS", bits)
    n_items, epsilon, window = case
    ell, last, m, edges = by_fractions(n_items, epsilon, window)
    grid = paula_grid(n_items, float(epsilon), window)
    assert (grid.ell, grid.L, grid.m) == (ell, last, m)
    assert list(grid.edges) == (edges or [n_items])
    assert grid.gamma == pytest.approx(1 + grid.epsilon + (2 + grid.epsilon) / m, abs=1e-15)


@given(st.integers(1, 10**9), st.integers(1, 100), st.integers(1, 300))
def test_grid_properties(n_items: int, percent: int, window: int) -> None:
    grid = paula_grid(n_items, percent / 100, window)
    assert grid.m >= window and grid.factor > grid.gamma > 1
    assert grid.edges[-1] <= n_items
    assert all(b - a >= grid.m for a, b in pairwise(grid.edges))
    blocks = grid.blocks()
    assert grid.labels == sum(end - start + 1 for start, end in blocks)
    assert all(a[1] < b[0] for a, b in pairwise(blocks)), "no item twice"


def test_a_first_rank_that_is_too_small() -> None:
    with pytest.raises(ValueError, match="at least .* = 3,400, got 3,399"):
        paula_grid(10, 0.03, 100, 3399)


# Lists on which the assumption holds: a share of hits that only falls, set out evenly.

GRID = paula_grid(12_000, 0.25, 200, 2_400)


def falling_list(n_items: int = 12_000, full: int = 2_600) -> np.ndarray:
    """Hits only up to rank ``full``, then a share that falls evenly to 0, without chance."""
    rank = np.arange(n_items + 1.0)
    beyond = np.clip(rank - full, 0, None)
    wanted = np.minimum(rank, full) + beyond - beyond**2 / (2 * (n_items - full))
    return np.diff(np.floor(wanted + 1e-9))


def local_precision(verdicts: np.ndarray, window: int) -> np.ndarray:
    """Definition 1 at r = 1, ..., N."""
    hits = np.append(0, np.cumsum(verdicts))
    rank = np.arange(1, len(hits))
    before = np.maximum(rank - window, 0)
    return (hits[rank] - hits[before]) / (rank - before)


def holds_strongly(verdicts: np.ndarray, grid: PaulaGrid) -> bool:
    """Assumption A.2 by trying every pair r1 >= r~, r2 >= r1 + m, on labels."""
    local = local_precision(verdicts, grid.window)
    hits = np.append(0, np.cumsum(verdicts))
    for r1 in range(grid.first_rank, grid.n_items - grid.m + 1):
        r2 = np.arange(r1 + grid.m, grid.n_items + 1)
        mean = (hits[r2] - hits[r1]) / (r2 - r1)
        if mean.max() > local[r1 - 1] + 1e-12 or np.any(mean < local[r2 - 1] - 1e-12):
            return False
    return True


def seen_by(grid: PaulaGrid, verdicts: np.ndarray, finished: int | None = None) -> np.ndarray:
    found = np.full(len(verdicts), np.nan)
    for start, end in grid.blocks()[:finished]:
        found[start - 1 : end] = verdicts[start - 1 : end]
    return found


def precision(verdicts: np.ndarray) -> np.ndarray:
    return np.cumsum(verdicts) / np.arange(1, len(verdicts) + 1)


def test_bounds_hold_where_the_assumption_does() -> None:
    verdicts = falling_list()
    assert holds_strongly(verdicts, GRID), "else the list proves nothing"
    truth, ranks = precision(verdicts), np.arange(1, GRID.n_items + 1)
    for finished in range(1, len(GRID.edges) + 1):
        seen = seen_by(GRID, verdicts, finished)
        bounds = paula_bounds(GRID, seen, seen, finished, ranks)
        assert bounds.head_holds and bounds.violations == ()
        expected = GRID.n_items if finished == len(GRID.edges) else GRID.edges[finished - 1]
        assert bounds.reached == expected == bounds.rank[-1]
        here = truth[bounds.rank - 1]
        assert np.all(bounds.low <= here + 1e-12) and np.all(here <= bounds.high + 1e-12)
        at_grid = np.isin(bounds.rank, GRID.edges)
        assert np.all(bounds.high[at_grid] <= GRID.gamma * bounds.low[at_grid] + 1e-12)
        within = bounds.rank <= GRID.edges[-1]
        assert np.all(bounds.high[within] <= GRID.factor * bounds.low[within] + 1e-12)
        head = bounds.rank <= GRID.edges[0]
        assert np.all(bounds.low[head] == bounds.high[head]) and np.all(bounds.noise[head] == 0)
        assert np.all(bounds.noise[~head] >= 0)


def test_between_two_ranks_of_the_grid_only_the_factor_holds() -> None:
    """A.2 holds where one label bunches right behind g_ell, and the upper bound does not."""
    grid = paula_grid(400, 0.25, 8)
    head, ranks = grid.edges[0], np.arange(1, 401)
    verdicts = np.zeros(400)
    verdicts[: head - 8] = verdicts[head - 4 : head + 1] = 1
    assert holds_strongly(verdicts, grid)
    bounds = paula_bounds(grid, verdicts, verdicts, len(grid.edges), ranks)
    truth = precision(verdicts)
    outside = (truth < bounds.low - 1e-12) | (truth > bounds.high + 1e-12)
    assert bounds.head_holds and ranks[outside].tolist() == [head + 1]
    assert np.all(bounds.high / grid.factor <= truth + 1e-12)
    assert np.all(truth <= bounds.low * grid.factor + 1e-12)


Local = Callable[[int], float]


def plainly(
    grid: PaulaGrid, verdicts: np.ndarray, local: Local, head: int, printed: bool = False
) -> tuple[list[float], list[float]]:
    """Algorithm 2 in loops, from rank ``head``; ``printed``: the lower bound as a step function."""
    truth = precision(verdicts)
    edges = [head, *grid.edges[1:]]
    lower, upper = [head * truth[head - 1]], [head * truth[head - 1]]
    for before, after in pairwise(edges):
        lower.append(lower[-1] + (after - before) * local(after))
        upper.append(upper[-1] + (after - before) * local(before))
    low, high = [], []
    for rank in range(1, grid.n_items + 1):
        if rank <= head:
            low.append(truth[rank - 1])
            high.append(truth[rank - 1])
            continue
        k = max(j for j, edge in enumerate(edges) if edge <= rank)
        slope = local(edges[k + 1]) if k + 1 < len(edges) else 0.0
        step = lower[k] / edges[k]
        low.append(step if printed else (lower[k] + (rank - edges[k]) * slope) / rank)
        high.append(min(upper[k] / edges[k], 1.0))
    return low, high


def test_equal_to_loops_and_readings_of_the_print_that_fail() -> None:
    verdicts = falling_list()
    truth, ranks = precision(verdicts), np.arange(1, GRID.n_items + 1)
    averages = local_precision(verdicts, GRID.window)
    seen = seen_by(GRID, verdicts)
    bounds = paula_bounds(GRID, seen, seen, len(GRID.edges), ranks)
    head = GRID.edges[0]
    low, high = plainly(GRID, verdicts, lambda r: averages[r - 1], head)
    assert bounds.low == pytest.approx(low, abs=1e-12)
    assert bounds.high == pytest.approx(high, abs=1e-12)

    def misses(low: list[float], high: list[float]) -> int:
        return int(np.sum((truth < np.array(low) - 1e-9) | (truth > np.array(high) + 1e-9)))

    assert misses(low, high) == 0
    assert misses(*plainly(GRID, verdicts, lambda r: truth[r - 1], head)) > 1000, "p for labels"
    assert misses(*plainly(GRID, verdicts, lambda r: averages[r - 1], head, True)) > 1000, "steps"


@searched(20)
@given(st.integers(0, 10**6), st.integers(1, 8))
def test_finished_blocks_are_the_list_cut_there(seed: int, finished: int) -> None:
    rng = np.random.default_rng(seed)
    verdicts = (rng.random(GRID.n_items) < np.linspace(0.9, 0.2, GRID.n_items)).astype(float)
    ranks = np.unique(rng.integers(1, GRID.n_items + 1, 300))
    seen = seen_by(GRID, verdicts, finished)
    live = paula_bounds(GRID, seen, seen, finished, ranks)
    end = GRID.edges[finished - 1]
    cut = paula_grid(end, GRID.epsilon, GRID.window, GRID.first_rank)
    whole = paula_bounds(cut, seen[:end], seen[:end], len(cut.edges), ranks)
    inside = live.rank <= end
    assert np.array_equal(live.rank[inside], whole.rank)
    assert np.array_equal(live.low[inside], whole.low)
    assert np.array_equal(live.high[inside], whole.high)


def test_beyond_the_last_rank_nothing_more_is_known() -> None:
    verdicts = falling_list()
    seen = seen_by(GRID, verdicts)
    bounds = paula_bounds(GRID, seen, seen, len(GRID.edges), np.arange(1, GRID.n_items + 1))
    last = GRID.edges[-1]
    assert last < GRID.n_items
    beyond = bounds.rank >= last
    yield_there = bounds.low[last - 1] * last
    assert bounds.low[beyond] * bounds.rank[beyond] == pytest.approx(yield_there)
    assert np.ptp(bounds.high[beyond]) == 0


def test_short_lists() -> None:
    """Up to g_ell items all are labelled and exact; below g_ell+1 only the head is."""
    grid = paula_grid(500, 0.25, 200)
    assert grid.edges == (500,) and grid.blocks() == [(1, 500)] and grid.labels == 500
    verdicts = falling_list(500, 100)
    bounds = paula_bounds(grid, verdicts, verdicts, 1, np.arange(1, 501))
    assert bounds.low == pytest.approx(precision(verdicts), abs=1e-15)
    assert np.array_equal(bounds.low, bounds.high)
    head = GRID.edges[0]
    short = paula_grid(head + 5, 0.25, 200, 2_400)
    assert short.ell == short.L and short.labels == head
    ones = np.ones(head)
    bounds = paula_bounds(short, ones, ones, 1, np.array([head, head + 5]))
    assert bounds.low == pytest.approx([1, head / (head + 5)])
    assert bounds.high.tolist() == [1, 1]


def test_doubtful_items_and_visible_violations() -> None:
    verdicts = falling_list()
    low, high = seen_by(GRID, verdicts), seen_by(GRID, verdicts)
    window = slice(GRID.edges[3] - 150, GRID.edges[3])
    low[window], high[window] = 0.0, 1.0
    ranks = np.array([GRID.edges[2], GRID.edges[3], GRID.edges[5]])
    doubtful = paula_bounds(GRID, low, high, len(GRID.edges), ranks)
    for one in (low, high):
        surely = paula_bounds(GRID, one, one, len(GRID.edges), ranks)
        assert np.all(doubtful.low <= surely.low) and np.all(surely.high <= doubtful.high)
    assert doubtful.violations == (), "a reading of the doubtful items keeps the assumption"
    rises = paula_bounds(GRID, high, high, len(GRID.edges), ranks).violations
    falls = paula_bounds(GRID, low, low, len(GRID.edges), ranks).violations
    assert rises == (GRID.ell + 2,) and falls == (GRID.ell + 3,)
    head = seen_by(GRID, verdicts)
    head[: GRID.edges[0] - GRID.window] = 0.0
    assert not paula_bounds(GRID, head, head, 1, ranks).head_holds
    assert paula_bounds(GRID, high, high, 1, ranks).head_holds
    head[:] = 1.0
    assert paula_bounds(GRID, head, head, 1, ranks).head_holds
    head[0] = 0.0  # One miss before a window of hits: a little less than all of it.
    assert not paula_bounds(GRID, head, head, 1, ranks).head_holds


def test_nothing_finished_and_missing_labels() -> None:
    seen = seen_by(GRID, falling_list())
    ranks = np.array([1, 50])
    nothing = paula_bounds(GRID, seen, seen, 0, ranks)
    assert nothing.reached == 0 and len(nothing.rank) == len(nothing.low) == 0
    seen[GRID.edges[2] - 1] = np.nan
    with pytest.raises(ValueError, match="must all be labelled"):
        paula_bounds(GRID, seen, seen, 3, ranks)
    assert paula_bounds(GRID, seen, seen, 2, ranks).rank.tolist() == [1, 50]


def test_a_billion_items_need_no_long_powers() -> None:
    """The exact numerator of (1.0001)^214,174 has 2.8 million bits; none is computed."""
    grid = paula_grid(2_000_000_000, 0.0001, 100)
    assert (grid.ell, grid.L) == (138_361, 214_174)
    logarithms = np.arange(grid.ell, grid.L + 1) * math.log1p(0.0001)
    assert np.array(grid.edges) == pytest.approx(np.exp(logarithms), rel=1e-6)
