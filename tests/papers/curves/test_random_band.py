"""The random-sampling baseline: sizes, and a band that holds at all ranks together."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from labelcore.papers.curves.random_band import (
    RandomBand,
    Verdicts,
    curve_labels,
    expected_half_widths,
    first_rank_within,
    random_band,
)
from labelcore.testing.known import fewest

N_ITEMS = 300


def a_list(first: float = 0.9, last: float = 0.2) -> np.ndarray:
    """A share of hits that falls from ``first`` to ``last``."""
    rng = np.random.default_rng(5)
    return (rng.random(N_ITEMS) < np.linspace(first, last, N_ITEMS)).astype(float)


def sampled(verdicts: np.ndarray, head: int, sample: int, rng: np.random.Generator) -> np.ndarray:
    """The head and random items of the rest, NaN elsewhere."""
    chosen = np.append(
        np.arange(head), head + rng.choice(len(verdicts) - head, sample, replace=False)
    )
    found = np.full(len(verdicts), np.nan)
    found[chosen] = verdicts[chosen]
    return found


def whole_band(
    head: int, hits_low: np.ndarray, hits_high: np.ndarray, delta: float | None
) -> RandomBand:
    """The band at all ranks, from verdicts in rank order, (n_items,), NaN where unlabelled."""
    rank = np.flatnonzero(~np.isnan(hits_low)) + 1
    verdicts = Verdicts(rank, hits_low[rank - 1], hits_high[rank - 1])
    return random_band(len(hits_low), head, verdicts, np.arange(1, len(hits_low) + 1), delta)


def test_the_two_parts_are_equal_where_their_sum_is_least() -> None:
    """Section 3: s + n_alpha,s is least where both are equal, and that is equation 5."""
    arguments = (0.08, 0.7, 0.05)

    def total(draws: float) -> float:
        return draws + first_rank_within(217_077, 1, *arguments) / draws

    best = minimize_scalar(total, bounds=(1_000, 200_000), method="bounded", options={"xatol": 0.1})
    labels = curve_labels(217_077, *arguments)
    assert best.fun == pytest.approx(labels, rel=1e-9)
    half = math.ceil(labels / 2)
    assert first_rank_within(217_077, half, *arguments) == pytest.approx(half, rel=1e-4)


def test_band_by_hand() -> None:
    """N = 5, head 1, items 2 and 4 sampled: ln(2 * 4 / delta) for the four ranks beyond."""
    labels = np.array([1, 0, np.nan, 1, np.nan])
    band = whole_band(1, labels, labels, 0.9999)
    assert band.sampled.tolist() == [0, 1, 1, 2, 2]
    assert band.estimate.tolist() == [1, 1, 1, 1 + 3 / 2, 1 + 4 / 2]
    reach = math.sqrt(math.log(8 / 0.9999) / 4)
    assert reach > 0.7, "so wide that only the labels count"
    assert band.low.tolist() == [1, 1, 1, 2, 2] and band.high.tolist() == [1, 1, 2, 3, 4]
    longer = np.tile([1.0, 0.0, 1.0, 0.0, np.nan, np.nan], 200)
    band = whole_band(0, longer, longer, 0.05)
    reach = 1200 * math.sqrt(math.log(2400 / 0.05) / 1600)
    assert 600 - reach > 400 and 600 + reach < 800, "the labels alone say less"
    assert [band.low[-1], band.high[-1]] == pytest.approx([600 - reach, 600 + reach])
    longer[:100] = 1.0
    band = whole_band(100, longer, longer, 0.05)
    reach = 1100 * math.sqrt(math.log(2200 / 0.05) / (2 * band.sampled[-1]))
    middle = 100 + 1100 * np.nanmean(longer[100:])
    assert [band.low[-1], band.high[-1]] == pytest.approx([middle - reach, middle + reach])


def hits_within(verdicts: np.ndarray, band: Any) -> bool:
    truth = np.cumsum(verdicts)
    return bool(np.all((band.low <= truth + 1e-9) & (truth <= band.high + 1e-9)))


def share_of_runs(head: int, look: Callable[[np.ndarray], Any], runs: int = 200) -> float:
    verdicts, held = a_list(0.6, 0.4), 0
    for seed in range(runs):
        labels = sampled(verdicts, head, 60, np.random.default_rng((7, seed)))
        held += hits_within(verdicts, look(labels))
    return held / runs


@pytest.mark.parametrize("head", [0, 40])
def test_band_holds_at_all_ranks_together(head: int) -> None:
    """Confidence 80 %, 200 runs of 60 sampled items; limit of the binomial noise. The twin takes
    the whole sample for every rank's share of it."""
    held = share_of_runs(head, lambda labels: whole_band(head, labels, labels, 0.2))
    assert held >= fewest(200, 0.8)

    def whole_sample(labels: np.ndarray) -> Any:
        band = whole_band(head, labels, labels, 0.2)
        length = np.maximum(np.arange(1, N_ITEMS + 1) - head, 0)
        reach = length * math.sqrt(math.log(2 * N_ITEMS / 0.2) / (2 * 60))
        low, high = band.estimate - reach, band.estimate + reach
        seen = band.sampled > 0
        low, high = np.where(seen, low, band.low), np.where(seen, high, band.high)
        return replace(band, low=low, high=high)

    assert share_of_runs(head, whole_sample) < fewest(200, 0.8)


def test_estimate_is_unbiased_and_the_first_items_drawn_are_not_a_sample() -> None:
    """300 runs, the yield of the whole list; within 4 standard errors, and the twin outside."""
    verdicts, errors, wrong = a_list(), [], []
    for seed in range(300):
        rng = np.random.default_rng((8, seed))
        labels = sampled(verdicts, 40, 60, rng)
        errors.append(whole_band(40, labels, labels, None).estimate[-1] - verdicts.sum())
        ranked = verdicts.copy()
        ranked[40 + 60 + int(rng.integers(0, 5)) :] = np.nan
        wrong.append(whole_band(40, ranked, ranked, None).estimate[-1] - verdicts.sum())
    for found, sound in ((errors, True), (wrong, False)):
        assert bool(abs(np.mean(found)) < 4 * np.std(found) / math.sqrt(300)) is sound


def test_everything_labelled_and_nothing_labelled() -> None:
    verdicts = a_list()
    band = whole_band(0, verdicts, verdicts, 0.05)
    truth = np.cumsum(verdicts)
    for one in (band.low, band.high, band.estimate):
        assert one == pytest.approx(truth, abs=1e-9)
    nothing = np.full(N_ITEMS, np.nan)
    band = whole_band(0, nothing, nothing, 0.05)
    assert np.isnan(band.estimate).all()
    assert np.all(band.low == 0) and np.all(band.high == np.arange(1, N_ITEMS + 1))


def test_expected_widths_are_those_of_a_sample_in_proportion() -> None:
    """Every fifth item sampled: as many before each rank as expected, up to one; rate 1/2, so that
    no bound is cut off at the labels."""
    verdicts = np.tile([1.0, 0.0], 5_000)
    labels = np.full(10_000, np.nan)
    labels[500:][::5] = verdicts[500:][::5]
    labels[:500] = verdicts[:500]
    band = whole_band(500, labels, labels, 0.05)
    ranks = np.arange(1, 10_001)
    expected = expected_half_widths(10_000, 500, 1_900, 0.05)
    real = (band.high - band.low) / 2 / ranks
    assert np.all(expected[:500] == 0)
    assert expected[5_000:] == pytest.approx(real[5_000:], abs=0.002)
    assert np.all(expected_half_widths(100, 30, 70, 0.05) == 0)


def test_the_head_must_be_labelled() -> None:
    with pytest.raises(ValueError, match="rank 2 is not"):
        whole_band(2, np.array([1, np.nan, 1]), np.ones(3), 0.1)


@pytest.mark.parametrize("head", [0, 1, 30])
@pytest.mark.parametrize("delta", [None, 0.05, 0.9999])
def test_a_band_at_some_ranks_is_that_of_all_ranks_there(head: int, delta: float | None) -> None:
    random = np.random.default_rng(head)
    for sample in (1, 5, 60, 370 - head):
        low = np.full(400, np.nan)
        asked = np.append(np.arange(head), head + random.choice(400 - head, sample, replace=False))
        low[asked] = random.random(len(asked)) < np.linspace(1, 0, 400)[asked]
        high = np.where(random.random(400) < 0.1, np.maximum(low, np.isfinite(low)), low)
        high[np.isnan(low)] = np.nan
        whole = whole_band(head, low, high, delta)
        rank = np.flatnonzero(~np.isnan(low)) + 1
        verdicts = Verdicts(rank, low[rank - 1], high[rank - 1])
        at = random.choice(400, 25) + 1
        part = random_band(400, head, verdicts, at, delta)
        for name in ("estimate", "low", "high", "sampled", "rank", "rising"):
            expected = getattr(whole, name)[at - 1]
            np.testing.assert_allclose(getattr(part, name), expected, rtol=1e-12, atol=1e-12)
