"""Theorems 1 to 3 on lists that keep their assumptions, and PAULA on lists with binomial noise."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from labelcore.papers.curves.logarithmic_strata import (
    LogarithmicGrid,
    Uniforms,
    logarithmic_band,
    logarithmic_grid,
    printed_draws,
)
from labelcore.papers.curves.paula_bounds import PaulaBounds, PaulaGrid, paula_bounds, paula_grid
from labelcore.papers.curves.random_band import Verdicts, first_rank_within, random_band
from labelcore.stats.arrays import FloatArray as FloatArray
from labelcore.stats.spot_check import hoeffding_half_width, hoeffding_size

SEED, DELTA = 29, 0.05
PPDB, SCIENCE = 35_615, 217_076
RANDOM_DRAWS = 12_000


# --- the theorems --------------------------------------------------------------------------------


def theorems(runs: int) -> dict[str, float]:
    verdicts = staircase()
    found = {**theorem1(verdicts), **theorem3(), **point_estimates(2_000)}
    return (
        found | logarithmic_runs(verdicts, runs) | {"section3.share": random_runs(verdicts, runs)}
    )


def staircase() -> FloatArray:
    """35,615 labels that keep A.1 from rank 1,000 on: all hits, then three of four, one of two, one
    of four."""
    found = np.zeros(PPDB)
    found[:5_000] = 1
    for start, end, hits, of in ((5_000, 15_000, 3, 4), (15_000, 25_000, 1, 2),
                                 (25_000, PPDB, 1, 4)):  # fmt: skip
        found[start:end] = (np.arange(end - start) % of >= of - hits).astype(float)
    grid = logarithmic_grid(PPDB, 0.03, 1_000)
    assert keeps_a1(found, grid.first_rank, grid.m), "else the list proves nothing"
    return found


def precision(verdicts: FloatArray) -> FloatArray:
    return np.asarray(np.cumsum(verdicts) / np.arange(1, len(verdicts) + 1))


def keeps_a1(verdicts: FloatArray, first: int, m: int) -> bool:
    """Assumption A.1: p(r1) >= p(r2) for all r1 >= first, r2 >= r1 + m."""
    p = precision(verdicts)[first - 1 :]
    least = np.minimum.accumulate(p)
    return bool(np.all(least[:-m] >= p[m:] - 1e-12))


def theorem1(verdicts: FloatArray) -> dict[str, float]:
    """The step function through the true p(g_k)."""
    grid, p = paula_grid(PPDB, 0.03, 100), precision(verdicts)
    edges, ranks = np.array(grid.edges), np.arange(1, PPDB + 1)
    place = np.maximum(np.searchsorted(edges, ranks, side="right") - 1, 0)
    steps = np.where(ranks <= edges[0], p, p[edges[place] - 1])
    return {"theorem1.factor": float(np.maximum(steps / p, p / steps).max())}


def theorem3() -> dict[str, float]:
    """PAULA on a list that keeps A.2: hits only up to rank 2,600 of 12,000, then a share that falls
    evenly to 0, set out without chance."""
    grid = paula_grid(12_000, 0.25, 200, 2_400)
    rank = np.arange(12_001.0)
    beyond = np.clip(rank - 2_600, 0, None)
    wanted = np.minimum(rank, 2_600) + beyond - beyond**2 / (2 * (12_000 - 2_600))
    verdicts = np.diff(np.floor(wanted + 1e-9))
    assert keeps_a2(verdicts, grid), "else the list proves nothing"
    bounds, truth = paula_on(grid, verdicts), precision(verdicts)
    inside = (bounds.low <= truth + 1e-12) & (truth <= bounds.high + 1e-12)
    within = bounds.rank <= grid.edges[-1]
    largest = float((bounds.high[within] / bounds.low[within]).max())
    return {
        "theorem3.bounds_hold": float(inside.mean()),
        "theorem3.factor": largest / grid.factor,
    }


def keeps_a2(verdicts: FloatArray, grid: PaulaGrid) -> bool:
    """Assumption A.2 by every pair of ranks."""
    hits = np.append(0, np.cumsum(verdicts))
    local = (hits[grid.window :] - hits[: -grid.window]) / grid.window
    for r1 in range(grid.first_rank, grid.n_items - grid.m + 1):
        r2 = np.arange(r1 + grid.m, grid.n_items + 1)
        mean = (hits[r2] - hits[r1]) / (r2 - r1)
        at_end = local[r2 - grid.window]
        if mean.max() > local[r1 - grid.window] + 1e-12 or np.any(mean < at_end - 1e-12):
            return False
    return True


def paula_on(grid: PaulaGrid, verdicts: FloatArray) -> PaulaBounds:
    seen = np.full(len(verdicts), np.nan)
    for start, end in grid.blocks():
        seen[start - 1 : end] = verdicts[start - 1 : end]
    return paula_bounds(grid, seen, seen, len(grid.edges), np.arange(1, len(verdicts) + 1))


# --- sampling ------------------------------------------------------------------------------------


def uniforms(*seed: int) -> Uniforms:
    return lambda generation, slots: np.random.default_rng((*seed, generation)).random(
        (len(slots), 2)
    )


def fixed_labels(
    grid: LogarithmicGrid, verdicts: FloatArray, random: np.random.Generator
) -> FloatArray:
    """Verdicts of the head and of random items of each stretch, NaN elsewhere."""
    seen = np.full(grid.n_items, np.nan)
    seen[: grid.edges[0]] = verdicts[: grid.edges[0]]
    for (before, after), count in zip(pairwise(grid.edges), grid.counts, strict=True):
        chosen = before + random.choice(after - before, count, replace=False)
        seen[chosen] = verdicts[chosen]
    return seen


def logarithmic_runs(verdicts: FloatArray, runs: int) -> dict[str, float]:
    """Lemma 1 and theorem 2: how often everything is within its factor, and what it costs."""
    grid = logarithmic_grid(PPDB, 0.03, 1_000, None, DELTA, 0.5)
    p, last, edges = precision(verdicts), len(grid.edges), np.array(grid.edges)
    assert p[grid.edges[0] - 1 :].min() >= 0.5
    ranks = np.arange(1, PPDB + 1)
    rows = []
    for run in range(runs):
        draws = printed_draws(grid, uniforms(SEED, run))
        seen = np.full(PPDB, np.nan)
        asked = np.unique(np.append(np.arange(edges[0]), draws.rank - 1))
        seen[asked] = verdicts[asked]
        printed = logarithmic_band(grid, seen, seen, last, DELTA, draws)
        seen = fixed_labels(grid, verdicts, np.random.default_rng((SEED, run)))
        fixed = logarithmic_band(grid, seen, seen, last, DELTA)
        rows.append(
            (
                within(printed.at_edges, p[edges - 1], grid.beta),
                within(fixed.at_edges, p[edges - 1], grid.beta),
                within(printed.estimate / ranks, p, grid.factor),
                int((draws.born > 0).sum()),
                len(asked) - grid.edges[0],
            )
        )
    means = np.mean(rows, axis=0)
    count = grid.printed_labels - grid.edges[0]
    return {
        "lemma1.share": float(means[0]),
        "lemma1.fixed_share": float(means[1]),
        "theorem2.share": float(means[2]),
        "theorem2.draws": float(means[3]) / count,
        "theorem2.labels": float(means[4]) / count,
    }


def within(estimate: FloatArray, truth: FloatArray, factor: float) -> bool:
    """Whether every estimate is at most ``factor`` times too large or too small."""
    return bool(np.all(np.maximum(estimate / truth, truth / estimate) <= factor + 1e-12))


def random_runs(verdicts: FloatArray, runs: int) -> float:
    """Section 3: the share of runs within 1 + alpha at every rank from n_alpha,s on."""
    alpha, p = paula_grid(1, 0.03, 100).factor - 1, precision(verdicts)
    first = int(np.ceil(first_rank_within(PPDB, RANDOM_DRAWS, alpha, float(p.min()), DELTA)))
    assert first < PPDB / 2
    held, ranks = 0, np.arange(first, PPDB + 1)
    for run in range(runs):
        random = np.random.default_rng((SEED + 1, run))
        chosen = np.sort(random.choice(PPDB, RANDOM_DRAWS, replace=False))
        seen = Verdicts(chosen + 1, verdicts[chosen], verdicts[chosen])
        estimate = random_band(PPDB, 0, seen, ranks, None).estimate / ranks
        held += bool(np.all(np.abs(estimate - p[first - 1 :]) <= alpha * p[first - 1 :]))
    return held / runs


def point_estimates(runs: int) -> dict[str, float]:
    """Section 2.1: the share of estimates within the factor, at the size of equation 2."""
    draws = hoeffding_size(0.05, 0.7, DELTA)
    found = np.random.default_rng(SEED).binomial(draws, 0.7, runs) / draws
    return {"section2.share": float(np.mean(np.abs(found - 0.7) <= 0.05 * 0.7))}


# --- lists with noise ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LongList:
    """A synthetic list of the length of Science KB: the truth, PAULA, and three point estimates
    (rank, estimate, half-width)."""

    truth: FloatArray
    bounds: PaulaBounds
    labels: int
    points: list[tuple[int, float, float]]


@dataclass(frozen=True, eq=False)
class Noise:
    values: dict[str, float]
    long_list: LongList


def noisy(n_items: int, run: int) -> FloatArray:
    """Labels whose probability of a hit falls evenly from .95 to .35."""
    random = np.random.default_rng((SEED + 2, n_items, run))
    return (random.random(n_items) < np.linspace(0.95, 0.35, n_items)).astype(float)


def noise(runs: int) -> Noise:
    """How often PAULA's bounds and their envelope hold on such lists."""
    cases: dict[str, tuple[int, float, int]] = {
        "035k_030": (PPDB, 0.03, runs),
        "035k_050": (PPDB, 0.05, runs),
        "217k_030": (SCIENCE, 0.03, runs // 2),
    }
    values, assumption = {}, []
    for key, (n_items, epsilon, number) in cases.items():
        grid = paula_grid(n_items, epsilon, 100)
        rows = [looked_at(grid, noisy(n_items, run)) for run in range(number)]
        misses, envelope, ranks, half, holds = np.mean(rows, axis=0)
        assumption.append(holds)
        values[f"noise.band_{key}"] = misses
        if key == "035k_030":
            values |= {
                f"noise.envelope_{key}": envelope,
                f"noise.ranks_{key}": ranks,
                f"noise.half_width_{key}": 100 * half,
            }
    values["noise.assumption"] = float(np.max(assumption))
    return Noise({key: float(one) for key, one in values.items()}, long_list())


def looked_at(grid: PaulaGrid, verdicts: FloatArray) -> tuple[float, ...]:
    """Misses somewhere, envelope holds, share of ranks inside, mean half-width, A.2 may hold."""
    bounds, truth = paula_on(grid, verdicts), precision(verdicts)
    inside = (bounds.low <= truth + 1e-12) & (truth <= bounds.high + 1e-12)
    wide = (bounds.high / grid.factor <= truth) & (truth <= bounds.low * grid.factor)
    half = np.abs(bounds.high - bounds.low) / 2
    return (
        float(not inside.all()), float(wide.all()), float(inside.mean()), float(half.mean()),
        float(may_keep_a2(grid, verdicts)),
    )  # fmt: skip


def may_keep_a2(grid: PaulaGrid, verdicts: FloatArray) -> bool:
    """What A.2 implies: windows that end at least m apart do not rise."""
    hits = np.append(0, np.cumsum(verdicts))
    ends = np.arange(grid.first_rank, grid.n_items + 1)
    local = (hits[ends] - hits[ends - grid.window]) / grid.window
    least = np.minimum.accumulate(local)
    return bool(np.all(local[grid.m :] <= least[: -grid.m] + 1e-12))


def long_list() -> LongList:
    """Figure 3 on a synthetic list: three point estimates from 2,000 draws each."""
    verdicts, grid = noisy(SCIENCE, 0), paula_grid(SCIENCE, 0.03, 100)
    random, points = np.random.default_rng(SEED + 3), []
    for rank in (SCIENCE // 4, SCIENCE // 2, SCIENCE):
        drawn = verdicts[random.integers(0, rank, 2_000)]
        points.append((rank, float(drawn.mean()), hoeffding_half_width(2_000, DELTA)))
    return LongList(precision(verdicts), paula_on(grid, verdicts), grid.labels, points)


def points() -> dict[str, float]:
    """Whether the intervals of figure 3's points meet PAULA's bounds."""
    found = long_list()
    low, high = found.bounds.low, found.bounds.high
    meet = [
        min(value + half, high[rank - 1]) >= max(value - half, low[rank - 1])
        for rank, value, half in found.points
    ]
    half = np.abs(high - low).mean() / 2
    return {"figure3.points_inside": float(sum(meet)), "figure3.half_width": 100 * float(half)}
