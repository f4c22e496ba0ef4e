"""Logarithmic stratified sampling: sizes, algorithm 1 against plain loops, bounds that hold."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi2

from labelcore.papers.curves.logarithmic_strata import (
    Draws,
    LogarithmicBand,
    LogarithmicGrid,
    expected_half_widths,
    logarithmic_band,
    logarithmic_grid,
    printed_draws,
)
from labelcore.papers.curves.paula_bounds import paula_grid
from labelcore.testing.known import NOISE, fewest

GRID = logarithmic_grid(2_000, 0.2, 60, beta=1.2, delta=0.2)


def a_list(n_items: int = 2_000, first: float = 0.9, last: float = 0.2) -> np.ndarray:
    rng = np.random.default_rng(3)
    return (rng.random(n_items) < np.linspace(first, last, n_items)).astype(float)


def uniforms(seed: int) -> Callable[[int, np.ndarray], np.ndarray]:
    return lambda generation, slots: np.random.default_rng((seed, generation)).random(
        (len(slots), 2)
    )


def fixed_sample(
    grid: LogarithmicGrid, verdicts: np.ndarray, seed: int, finished: int | None = None
) -> np.ndarray:
    """The labels after ``finished`` blocks with fixed sizes, NaN elsewhere."""
    rng = np.random.default_rng((9, seed))
    found = np.full(grid.n_items, np.nan)
    found[: grid.edges[0]] = verdicts[: grid.edges[0]]
    stretches = list(zip(pairwise(grid.edges), grid.counts, strict=True))
    for (before, after), count in stretches[: None if finished is None else finished - 1]:
        chosen = before + rng.choice(after - before, count, replace=False)
        found[chosen] = verdicts[chosen]
    return found


def printed_sample(
    grid: LogarithmicGrid, draws: Draws, verdicts: np.ndarray, finished: int
) -> np.ndarray:
    found = np.full(grid.n_items, np.nan)
    found[: grid.edges[0]] = verdicts[: grid.edges[0]]
    chosen = draws.rank[draws.born < finished] - 1
    found[chosen] = verdicts[chosen]
    return found


@pytest.mark.parametrize(
    ("n_items", "epsilon", "beta", "delta", "p"),
    [
        (100_000, 0.03, None, 0.05, 0.5),
        (35_615, 0.05, 1.05, 0.1, 0.7),
        (2_000, 0.2, 1.2, 0.2, 0.5),
        (5_000, 1.0, 2.0, 0.01, 0.2),
    ],
)
def test_sizes(n_items: int, epsilon: float, beta: float | None, delta: float, p: float) -> None:
    grid = logarithmic_grid(n_items, epsilon, None, beta, delta, p)
    same = paula_grid(n_items, epsilon, 1, grid.first_rank)
    assert (grid.edges, grid.ell, grid.L, grid.m) == (same.edges, same.ell, same.L, same.m)
    assert grid.beta == (same.gamma if beta is None else beta)
    wanted = math.log((grid.L - grid.ell) / (delta / 2)) / (2 * (grid.beta - 1) ** 2 * p**2)
    assert wanted <= grid.draws < wanted + 1
    steps = grid.L - grid.ell
    below = epsilon * steps / (1 + epsilon) * wanted
    assert grid.printed_labels == pytest.approx(grid.edges[0] + below)
    for count, (before, after) in zip(grid.counts, pairwise(grid.edges), strict=True):
        share = Fraction(grid.draws * (after - before), after)
        assert count == min(after - before, math.ceil(share)) >= 1
    assert grid.labels <= min(grid.edges[0] + below * (1 + 1 / wanted) + 2 * steps, n_items)


def test_a_list_of_the_head_only() -> None:
    grid = logarithmic_grid(50, 0.2, 60)
    assert (grid.edges, grid.counts, grid.draws, grid.labels) == ((50,), (), 0, 50)
    verdicts = a_list(50)
    band = logarithmic_band(grid, verdicts, verdicts, 1, 0.05)
    for one in (band.estimate, band.low, band.high):
        assert one == pytest.approx(np.cumsum(verdicts), abs=1e-12)
    grid = logarithmic_grid(70, 0.2, 60)
    assert grid.edges == (67,) and grid.steps == 0 and grid.labels == 67
    verdicts = np.append(np.ones(67), [np.nan] * 3)
    band = logarithmic_band(grid, verdicts, verdicts, 1, 0.05)
    assert (band.low[-1], band.high[-1], band.estimate[-1]) == (67, 70, 70)


def test_a_first_rank_that_is_too_small() -> None:
    with pytest.raises(ValueError, match="first_rank must be at least 3 / epsilon = 100, got 99"):
        logarithmic_grid(1000, 0.03, 99)


def slots_at(draws: Draws, step: int) -> np.ndarray:
    """The ranks in X_ell+step."""
    return draws.rank[(draws.born <= step) & (step < draws.died)]


def kept_for_ever(draws: Draws) -> Draws:
    """Broken: no slot of the head is ever given up."""
    last = len(GRID.edges)
    return replace(draws, died=np.where(draws.born == 0, last, draws.died))


def unevenness(change: Callable[[Draws], Draws]) -> list[float]:
    """P-values of a chi-square test that the slots at three ranks are uniform up to it."""
    found = []
    for step in (1, 8, len(GRID.edges) - 1):
        ranks = np.concatenate(
            [slots_at(change(printed_draws(GRID, uniforms(seed))), step) for seed in range(20)]
        )
        edge = GRID.edges[step]
        counts, _ = np.histogram(ranks, bins=np.linspace(0.5, edge + 0.5, 13))
        sizes = np.diff(np.round(np.linspace(0, edge, 13)))
        expected = len(ranks) * sizes / edge
        found.append(float(chi2.sf(((counts - expected) ** 2 / expected).sum(), 11)))
    return found


def test_slots_are_uniform_up_to_every_rank() -> None:
    draws = printed_draws(GRID, uniforms(1))
    for step in range(len(GRID.edges)):
        ranks = slots_at(draws, step)
        assert len(ranks) == GRID.draws and ranks.min() >= 1 and ranks.max() <= GRID.edges[step]
        stretch = draws.distinct(step)
        assert np.all(stretch > (GRID.edges[step - 1] if step else 0))
        assert np.all(stretch <= GRID.edges[step]) and np.all(np.diff(stretch) > 0)
    assert min(unevenness(lambda draws: draws)) > NOISE
    assert min(unevenness(kept_for_ever)) < NOISE


def test_estimates_are_those_of_plain_loops() -> None:
    verdicts = a_list()
    for seed in range(5):
        draws = printed_draws(GRID, uniforms(seed))
        for finished in (1, 2, 9, len(GRID.edges)):
            labels = printed_sample(GRID, draws, verdicts, finished)
            band = logarithmic_band(GRID, labels, labels, finished, 0.2, draws)
            plain = [verdicts[: GRID.edges[0]].mean()]
            for step in range(1, finished):
                plain.append(sum(verdicts[r - 1] for r in slots_at(draws, step)) / GRID.draws)
            assert band.at_edges == pytest.approx(plain, abs=1e-12)
            reach = math.sqrt(math.log(2 * GRID.steps / 0.2) / (2 * GRID.draws))
            assert band.half_width == pytest.approx([0.0] + [reach] * (finished - 1))


def test_fixed_sizes_by_hand_and_never_wider_than_algorithm_1() -> None:
    verdicts = a_list()
    labels = fixed_sample(GRID, verdicts, 1)
    band = logarithmic_band(GRID, labels, labels, len(GRID.edges), 0.2)
    total, spread = verdicts[: GRID.edges[0]].sum(), 0.0
    logarithm = math.log(2 * GRID.steps / 0.2)
    for k, (before, after) in enumerate(pairwise(GRID.edges), start=1):
        part, width = labels[before:after], after - before
        total += width * np.nanmean(part)
        spread += width**2 / GRID.counts[k - 1] if GRID.counts[k - 1] < width else 0.0
        assert band.at_edges[k] == pytest.approx(total / after)
        assert band.half_width[k] == pytest.approx(math.sqrt(logarithm * spread / 2) / after)
        assert band.half_width[k] <= GRID.reach + 1e-12
    assert band.half_width[-1] < 0.75 * math.sqrt(logarithm / (2 * GRID.draws))


def test_between_the_ranks() -> None:
    """Algorithm 1: the step function of definition 5. Fixed sizes: between the two steps."""
    verdicts, last = a_list(), len(GRID.edges)
    draws = printed_draws(GRID, uniforms(2))
    labels = printed_sample(GRID, draws, verdicts, last)
    printed = logarithmic_band(GRID, labels, labels, last, 0.2, draws)
    labels = fixed_sample(GRID, verdicts, 2)
    fixed = logarithmic_band(GRID, labels, labels, last, 0.2)
    for rank in (1, 40, 67, 68, 79, 80, 81, 500, 1782, 1783, 1999, 2000):
        if rank <= GRID.edges[0]:
            expected = verdicts[:rank].sum()
            assert fixed.estimate[rank - 1] == pytest.approx(expected)
        else:
            j = max(k for k in range(GRID.ell, GRID.L + 1) if math.ceil(1.2**k) <= rank) - GRID.ell
            expected = rank * printed.at_edges[j]
            steps = fixed.at_edges[j], fixed.at_edges[min(j + 1, last - 1)]
            value = fixed.estimate[rank - 1] / rank
            assert min(steps) - 1e-12 <= value <= max(steps) + 1e-12
        assert printed.estimate[rank - 1] == pytest.approx(expected)
    at_edges = fixed.estimate[np.array(GRID.edges) - 1] / GRID.edges
    assert at_edges == pytest.approx(fixed.at_edges)


def test_both_are_unbiased_and_without_weights_it_is_not() -> None:
    """200 runs, p at the last rank, within 4 standard errors."""
    verdicts, last = a_list(), GRID.edges[-1]
    truth, errors = verdicts[:last].mean(), {"fixed": [], "printed": [], "unweighted": []}
    for seed in range(200):
        labels = fixed_sample(GRID, verdicts, seed)
        fixed = logarithmic_band(GRID, labels, labels, len(GRID.edges), 0.2)
        errors["fixed"].append(fixed.at_edges[-1] - truth)
        errors["unweighted"].append(np.nanmean(labels) - truth)
        draws = printed_draws(GRID, uniforms(seed))
        labels = printed_sample(GRID, draws, verdicts, len(GRID.edges))
        printed = logarithmic_band(GRID, labels, labels, len(GRID.edges), 0.2, draws)
        errors["printed"].append(printed.at_edges[-1] - truth)
    off = {name: abs(np.mean(e)) / (np.std(e) / math.sqrt(200)) for name, e in errors.items()}
    assert off["fixed"] < 4 and off["printed"] < 4 and off["unweighted"] > 4
    assert np.std(errors["fixed"]) < np.std(errors["printed"])


Taking = Callable[[int, int], LogarithmicBand]


def share_always_right(look: Taking, verdicts: np.ndarray, runs: int) -> float:
    """The share of runs whose band is right at all ranks after every block."""
    truth, held = np.cumsum(verdicts), 0
    for seed in range(runs):
        right = True
        for finished in (2, 6, 12, len(GRID.edges)):
            band = look(seed, finished)
            right &= bool(np.all((band.low <= truth + 1e-9) & (truth <= band.high + 1e-9)))
        held += right
    return held / runs


def test_bounds_hold_at_all_ranks_after_all_blocks() -> None:
    """Confidence 80 %, 150 runs; limit of the binomial noise. The twin has forgotten that only some
    of the slots lie in the last stretch, and takes its mean for that of the list."""
    verdicts = a_list(first=0.3, last=0.9)

    def fixed(seed: int, finished: int) -> LogarithmicBand:
        labels = fixed_sample(GRID, verdicts, seed, finished)
        return logarithmic_band(GRID, labels, labels, finished, 0.2)

    def printed(seed: int, finished: int) -> LogarithmicBand:
        draws = printed_draws(GRID, uniforms(seed))
        labels = printed_sample(GRID, draws, verdicts, finished)
        return logarithmic_band(GRID, labels, labels, finished, 0.2, draws)

    def latest_only(seed: int, finished: int) -> LogarithmicBand:
        band = fixed(seed, finished)
        labels = fixed_sample(GRID, verdicts, seed, finished)
        before, after = GRID.edges[finished - 2], GRID.edges[finished - 1]
        middle, reach = after * np.nanmean(labels[before:after]), after * GRID.reach
        low, high = band.low.copy(), band.high.copy()
        low[after - 1], high[after - 1] = middle - reach, middle + reach
        return replace(band, low=low, high=high)

    limit = fewest(150, 0.8)
    assert share_always_right(fixed, verdicts, 150) >= limit
    assert share_always_right(printed, verdicts, 150) >= limit
    assert share_always_right(latest_only, verdicts, 30) < limit


def test_everything_labelled_is_exact_and_doubtful_items_count_both_ways() -> None:
    verdicts = a_list()
    last = len(GRID.edges)
    band = logarithmic_band(GRID, verdicts, verdicts, last, 0.2)
    truth = np.cumsum(verdicts)
    assert band.low == pytest.approx(truth) and band.high == pytest.approx(truth)
    low, high = fixed_sample(GRID, verdicts, 4), fixed_sample(GRID, verdicts, 4)
    chosen = np.flatnonzero(~np.isnan(low))[[3, 90, 200]]
    low[chosen], high[chosen] = 0.0, 1.0
    both = logarithmic_band(GRID, low, high, last, 0.2)
    for one in (low, high):
        surely = logarithmic_band(GRID, one, one, last, 0.2)
        assert np.all(both.low <= surely.low + 1e-9) and np.all(surely.high <= both.high + 1e-9)


def test_unfinished_blocks() -> None:
    verdicts = a_list()
    nothing = np.full(2_000, np.nan)
    band = logarithmic_band(GRID, nothing, nothing, 0, 0.2)
    assert np.isnan(band.estimate).all() and np.all(band.low == 0)
    labels = fixed_sample(GRID, verdicts, 1, 3)
    band = logarithmic_band(GRID, labels, labels, 3, 0.2)
    edge = GRID.edges[2]
    assert np.isfinite(band.estimate[:edge]).all() and np.isnan(band.estimate[edge:]).all()
    beyond = np.arange(1, 2_000 - edge + 1)
    assert band.high[edge:] - band.high[edge - 1] == pytest.approx(beyond)
    with pytest.raises(ValueError, match=r"ranks \d+ to \d+ must hold a label"):
        logarithmic_band(GRID, labels, labels, 4, 0.2)
    labels[5] = np.nan
    with pytest.raises(ValueError, match="the first 67 items must all be labelled, rank 6 is not"):
        logarithmic_band(GRID, labels, labels, 3, 0.2)
    draws = printed_draws(GRID, uniforms(1))
    labels = fixed_sample(GRID, verdicts, 1)
    first = min(rank for rank in draws.rank[draws.born < 19] if np.isnan(labels[rank - 1]))
    with pytest.raises(ValueError, match=f"of a finished block must be labelled, rank {first}$"):
        logarithmic_band(GRID, labels, verdicts, 19, 0.2, draws)


def test_too_many_slots_are_refused() -> None:
    grid = logarithmic_grid(100_000, 0.03, None, 1.001)
    with pytest.raises(ValueError, match="beta and minimum_precision ask for .* at most 5,000,000"):
        printed_draws(grid, uniforms(1))


def test_expected_widths_are_those_of_a_session() -> None:
    """Mean half-widths of 40 sessions; between the ranks g_k too."""
    verdicts, last = np.tile([1.0, 0.0], 1_000), len(GRID.edges)
    rates, ranks = np.full(GRID.steps + 2, 0.5), np.arange(1, 2_001)
    for printed in (False, True):
        expected = expected_half_widths(GRID, rates, 0.2, printed=printed)
        real = np.zeros(2_000)
        for seed in range(40):
            draws = printed_draws(GRID, uniforms(seed)) if printed else None
            labels = (
                fixed_sample(GRID, verdicts, seed)
                if draws is None
                else printed_sample(GRID, draws, verdicts, last)
            )
            band = logarithmic_band(GRID, labels, labels, last, 0.2, draws)
            real += (band.high - band.low) / 2 / ranks / 40
        assert np.all(expected[: GRID.edges[0]] == 0)
        assert expected == pytest.approx(real, abs=0.02)
        falling = np.linspace(0.9, 0.1, len(rates))  # What is above for hits is below for misses.
        both = [
            expected_half_widths(GRID, of, 0.2, printed=printed) for of in (falling, 1 - falling)
        ]
        assert both[0] == pytest.approx(both[1], abs=1e-12) and both[0].max() < 0.5
