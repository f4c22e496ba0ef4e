"""The difference estimator: its parts, its coverage, and what happens without tuning."""

import numpy as np
import pytest

from labelcore.stats import difference_estimator
from labelcore.stats.difference_estimator import (
    FOLDS,
    Helped,
    best_weight,
    cross_fitted,
    helped_share,
)
from labelcore.stats.proportion import share_interval
from tests.cases import repeated

RUNS = repeated(1500)
LEAST = 0.95 - 3 * np.sqrt(0.95 * 0.05 / RUNS)


def population(rate: float, items: int = 8000, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes and guesses that are their chances, mean ``rate``."""
    rng = np.random.default_rng(seed)
    guess = rng.beta(0.3, 0.3 * (1 - rate) / rate, items)
    return (rng.random(items) < guess).astype(float), guess


def repeated(
    outcome: np.ndarray, guess: np.ndarray, labels: int, seed: int = 5, **given: float
) -> list[Helped]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(RUNS):
        at = rng.choice(len(outcome), labels, replace=False)
        found.append(
            helped_share(outcome[at], guess[at], guess.mean(), len(outcome), 0.95, **given)  # type: ignore[arg-type]
        )
    return found


def covered(found: list[Helped], truth: float) -> float:
    return float(np.mean([one.low <= truth <= one.high for one in found]))


def test_the_weight_is_the_slope_of_least_squares() -> None:
    outcome, guess = population(0.3, 400)
    weight, correlation = best_weight(outcome, guess)
    assert weight == pytest.approx(np.polyfit(guess, outcome, 1)[0], rel=1e-12)
    assert correlation == pytest.approx(np.corrcoef(guess, outcome)[0, 1], rel=1e-12)
    assert best_weight(outcome, -guess) == (0.0, 0.0)
    assert best_weight(outcome, np.ones(400)) == (0.0, 0.0)


def test_the_estimate_is_the_one_of_the_formula() -> None:
    outcome, guess = population(0.3, 400)
    y, f = outcome[:150], guess[:150]
    found = helped_share(y, f, guess.mean(), 400, 0.95)
    lam = np.cov(y, f)[0, 1] / np.var(f, ddof=1)
    assert found.value == pytest.approx(lam * guess.mean() + (y - lam * f).mean(), rel=1e-12)
    assert found.low < found.value < found.high
    spread, doubt = 150 * y.var(), difference_estimator.DOUBT
    unexplained = ((1 - found.correlation**2) * spread + doubt) / (spread + doubt) * 149 / 148
    assert found.saved == pytest.approx(1 - unexplained, rel=1e-9)
    plain, bad = (helped_share(y, f, 0.3, 400, 0.95, weight=weight) for weight in (0.0, -3.0))
    assert bad.high - bad.low > 1.5 * (plain.high - plain.low)
    judged = np.arange(150) < 100
    assert helped_share(y, f, 0.3, 400, 0.95, weight=0.0, judged=judged).saved == 0


@pytest.mark.parametrize(("hits", "labels"), [(19, 100), (81, 100), (0, 50), (60, 400)])
def test_few_outcomes_or_a_census_give_the_ordinary_interval(hits: int, labels: int) -> None:
    outcome = np.repeat([1.0, 0.0], [hits, labels - hits])
    found = helped_share(outcome, outcome, 0.5, 400, 0.95)
    assert not found.used
    assert (found.low, found.high) == share_interval(hits, labels, 400, 0.95)


@pytest.mark.parametrize(("rate", "labels"), [(0.05, 600), (0.3, 100), (0.3, 1000)])
def test_coverage(rate: float, labels: int) -> None:
    outcome, guess = population(rate)
    found = repeated(outcome, guess, labels)
    assert covered(found, outcome.mean()) >= LEAST
    helped = [one for one in found if one.used]
    assert np.mean([one.value for one in found]) == pytest.approx(outcome.mean(), abs=0.003)
    assert np.mean([one.saved for one in helped]) > 0.1


def test_coverage_of_items_like_these() -> None:
    """Each run draws the file, too: half of it is labelled."""
    rng, truth, hit = np.random.default_rng(8), 0.3, 0
    for _ in range(RUNS):
        guess = rng.beta(0.3, 0.7, 400)
        outcome = (rng.random(400) < guess).astype(float)
        found = helped_share(outcome[:200], guess[:200], guess.mean(), 400, 0.95, target="process")
        hit += found.low <= truth <= found.high
    assert hit / RUNS >= LEAST


def test_coverage_where_a_sample_may_hold_no_surprise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guess that is wrong about positives only, 1.6 times in a sample; the broken twin adds half
    a squared surprise to those that were seen."""
    place = np.arange(8000)
    outcome = (place < 2400).astype(float)
    guess = np.where((place < 2400) & (place >= 64), 0.98, 0.02)
    assert covered(repeated(outcome, guess, 200), outcome.mean()) >= LEAST
    monkeypatch.setattr(difference_estimator, "DOUBT", 0.5)
    assert covered(repeated(outcome, guess, 200), outcome.mean()) < LEAST


def test_broken_twin_untuned_a_bad_guess_is_worse_than_none() -> None:
    """A guess that says nothing, with a quarter of the outcomes' variance: 1.25 times the variance
    with lambda = 1; with the best lambda it costs no more than its noise."""
    outcome, guess = population(0.3)
    rng = np.random.default_rng(9)
    noise = rng.permutation(guess)
    noise = noise * 0.5 * outcome.std() / noise.std()
    plain = np.var([one.value for one in repeated(outcome, noise, 300, weight=0.0)])
    tuned = np.var([one.value for one in repeated(outcome, noise, 300)])
    untuned = np.var([one.value for one in repeated(outcome, noise, 300, weight=1.0)])
    assert tuned / plain < 1.05
    assert untuned / plain == pytest.approx(1.25, abs=0.1)


def test_cross_fitted_guesses_are_those_of_the_other_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference_estimator, "RIDGE", 0.0)
    rng = np.random.default_rng(1)
    columns, seen = rng.normal(3, 5, (200, 2)), rng.permutation(200)[:53]
    outcome = (rng.random(53) < 0.4).astype(float)
    guess, mean = cross_fitted(outcome, columns, seen)
    design, means = np.column_stack([np.ones(200), columns]), 0.0
    for fold in range(FOLDS):
        mine = np.arange(53) % FOLDS == fold
        slopes, *_ = np.linalg.lstsq(design[seen[~mine]], outcome[~mine])
        assert guess[mine] == pytest.approx(design[seen[mine]] @ slopes, rel=1e-9)
        means += mine.mean() * float((design @ slopes).mean())
    assert mean == pytest.approx(means, rel=1e-9)


def test_too_few_labels_for_the_folds_are_no_guess() -> None:
    guess, mean = cross_fitted(np.ones(9), np.ones((50, 2)), np.arange(9))
    assert (guess == 0).all() and mean == 0


@pytest.mark.full
def test_coverage_of_guesses_fitted_to_the_labels() -> None:
    """60 labels, 30 columns that know nothing. The twin fits each guess to its own label, too."""
    rng = np.random.default_rng(8)
    columns, outcome = rng.normal(size=(2000, 30)), (rng.random(2000) < 0.5).astype(float)
    design = np.column_stack([np.ones(2000), columns])
    held = np.zeros((2, RUNS))
    for run in range(RUNS):
        seen = rng.permutation(2000)[:60]
        slopes, *_ = np.linalg.lstsq(design[seen], outcome[seen])
        every = design @ slopes
        guesses = cross_fitted(outcome[seen], columns, seen), (every[seen], float(every.mean()))
        for place, (guess, mean) in enumerate(guesses):
            found = helped_share(outcome[seen], guess, mean, 2000, 0.95)
            held[place, run] = found.low <= outcome.mean() <= found.high
    fair, twin = held.mean(axis=1)
    assert fair >= LEAST
    assert twin < LEAST
