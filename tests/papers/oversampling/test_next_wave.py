"""The predictive distribution of the next sample's estimates."""

import numpy as np
import pytest
from scipy.stats import betabinom

from benchmarks.papers.oversampling_printed import monte_carlo_predictive, predictive
from labelcore.papers.oversampling import next_wave
from labelcore.papers.oversampling.groups import Counts
from labelcore.papers.oversampling.next_wave import Forecast, forecast, share_forecast

ZETA = Counts.of(138.5, 22.5, 108.5, 4732.5)


def test_precision_is_beta_binomial() -> None:
    found, _ = forecast(ZETA, 0.033, 200, 3000)
    chance = betabinom.pmf(np.rint(found.value * 200), 200, 138.5, 22.5)
    assert np.allclose(found.chance, chance, atol=1e-9)
    low, high = found.limits(0.9)
    wanted = betabinom.ppf([0.05, 0.95], 200, 138.5, 22.5) / 200
    assert (low, high) == pytest.approx(tuple(wanted), abs=1e-12)


def test_agrees_with_equations_6_to_8_and_with_drawing() -> None:
    rng = np.random.default_rng(1)
    exact = forecast(ZETA, 0.033, 300, 4000)
    formula = predictive(ZETA, 0.033, 300, 4000, 0.95)
    drawn = monte_carlo_predictive(ZETA, 0.033, 300, 4000, 0.95, rng, replicas=40_000)
    for one, by_formula, by_draws in zip(
        exact, (formula.precision, formula.recall), (drawn.precision, drawn.recall), strict=True
    ):
        for other, apart in ((by_draws, 0.005), (by_formula, 0.012)):
            assert one.limits(0.95) == pytest.approx(tuple(map(float, other)), abs=apart)


def test_neighbours_put_together_hardly_change_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = forecast(ZETA, 0.033, 700, 9000)[1].limits(0.99)
    monkeypatch.setattr(next_wave, "MOST_POINTS", 60)
    assert forecast(ZETA, 0.033, 700, 9000)[1].limits(0.99) == pytest.approx(fine, abs=0.004)


def test_limits_leave_out_at_most_the_tails() -> None:
    found = Forecast(np.array([0.0, 0.5, 1.0]), np.array([0.03, 0.94, 0.03]))
    assert found.limits(0.9) == (0.5, 0.5)
    assert found.limits(0.95) == (0.0, 1.0)
    assert found.mean == pytest.approx(0.5)


@pytest.mark.parametrize("cells", [(0.5, 30.5, 0.5, 900.5), (30.5, 0.5, 0.5, 0.5)])
def test_hardly_any_positives(cells: tuple[float, ...]) -> None:
    for one in forecast(Counts.of(*cells), 0.1, 40, 300):
        low, high = one.limits(0.999)
        assert 0 <= low <= one.mean <= high <= 1 and np.isfinite([low, high]).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((0.0, 10, 10), "k must be above 0, got 0.0"), ((0.1, 0, 10), "above must be above 0, got 0")],
)
def test_refused(arguments: tuple[float, int, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        forecast(ZETA, *arguments)


def test_many_labels_put_together_keep_the_ends() -> None:
    """A large wave without a miss is a value that can come: the ends of the values stay in."""
    whole = share_forecast(0.5, 20_000.5, 20_000)
    assert len(whole.value) > 1 and whole.value[0] == 0.0
    assert whole.limits(0.95)[0] == 0.0
    other = share_forecast(475.5, 25.5, 5_000)
    assert len(other.value) <= 800 and abs(other.mean - 475.5 / 501) < 0.002
