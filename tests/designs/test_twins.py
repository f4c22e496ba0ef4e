"""Statistical tests of the default design, each beside the nearest plausible mistake.

Every test is a function of seeds 0, 1, ... with a stated size, and a limit from the noise of that
many runs (the chance of failing by bad luck is 1e-4). The same check must reject the mistake.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import labelcore as lc
from labelcore.designs.curves import grid
from labelcore.designs.stratified import cut_cells
from labelcore.figures.curves import ranked
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.stats import profile_interval
from labelcore.testing.known import NOISE, SCALARS, Known, calibrated, fewest, labelled
from tests.answering import many_labelled
from tests.cases import once, repeated, sampled
from tests.curves import precision_curve
from tests.designs.synthetic import SCALAR_DESIGNS

pytestmark = pytest.mark.slow
RUNS, SEVERAL = repeated(300), repeated(200)
LIMIT = float(norm.isf(NOISE / 2))
NEYMAN = "recalibrated_neyman"
known = once(calibrated, 800, seed=3)


def width_against_noise(known: Known, design: str, target: str) -> float:
    """Mean half-width over z standard deviations of the estimate, 60 runs of 80 % of the file;
    the ratio is 1 for a perfect normal interval, and the standard deviation is known to 9 %."""
    plan = lc.Plan(design, ["accuracy"], budget=640, promise="fixed", target=target)
    found = lc.simulate(known.population, plan, truth=known.truth.tolist(), runs=60).table()
    half_width = (found["high"] - found["low"]).mean() / 2
    return float(half_width / (1.96 * found["value"].std(ddof=1)))


@pytest.mark.parametrize("design", SCALAR_DESIGNS)
def test_width_at_80_percent_fits_the_noise(known: Known, design: str) -> None:
    assert 0.8 < width_against_noise(known, design, "file") < 1.5


@pytest.mark.full
@pytest.mark.parametrize("design", sampled(SCALAR_DESIGNS, 1, seed=1))
def test_without_the_factor_it_is_too_wide(known: Known, design: str) -> None:
    """1 / sqrt(1 - .8) = 2.2 times."""
    assert width_against_noise(known, design, "process") > 1.5


def weighted(engine: Engine) -> dict[str, float]:
    return {key: float(one.value or 0) for key, one in scalar_results(engine).items()}


def unweighted(engine: Engine) -> dict[str, float]:
    """The sample's own shares."""
    tally = engine.tallies["lr"].cells(1)
    said, s, n = tally.predicted, tally.positive, tally.labelled
    tp, fn = s[said].sum(), s[~said].sum()
    called, right = n[said].sum(), tp + (n - s)[~said].sum()
    return {
        "accuracy": right / n.sum(), "precision": tp / called, "recall": tp / (tp + fn),
        "f1": 2 * tp / (tp + fn + called),
    }  # fmt: skip


@cache
def labelled_runs(known: Known) -> list[Engine]:
    """200 sessions of 150 labels."""
    plan = lc.Plan(NEYMAN, SCALARS, budget=150, promise="fixed")
    return many_labelled(known, plan, SEVERAL)


def worst_bias(known: Known, read: Callable[[Engine], dict[str, float]]) -> dict[str, float]:
    """Mean error of each estimate over 200 runs of 150 labels, in its standard deviations: the
    part of the error that more runs would not remove."""
    rows = [read(engine) for engine in labelled_runs(known)]
    found = {}
    for name in SCALARS:
        errors = np.array([row[name] for row in rows]) - known.value(name)
        found[name] = float(errors.mean() / errors.std(ddof=1))
    return found


def test_weighted_estimates_are_nearly_unbiased(known: Known) -> None:
    """Ratios and the recalibration leave a little bias: METHODS 7.2. A tenth of a standard
    deviation is allowed on top of the noise of 200 runs."""
    limit = 0.1 + LIMIT / np.sqrt(SEVERAL)
    assert max(map(abs, worst_bias(known, weighted).values())) < limit


def test_unweighted_estimates_are_biased(known: Known) -> None:
    bias = worst_bias(known, unweighted)
    assert abs(bias["recall"]) > 1 and abs(bias["accuracy"]) > 0.1 + LIMIT / np.sqrt(SEVERAL)


@cache
def runs_with_a_curve(known: Known) -> list[Engine]:
    asked = ["precision", "recall", "precision_curve"]
    return many_labelled(known, lc.Plan(NEYMAN, asked, budget=150, promise="fixed"), 100)


def curve_bias(known: Known, read: Callable[[Engine, np.ndarray], np.ndarray]) -> np.ndarray:
    """Mean error of the curve at each rank over 100 sessions in standard errors, from rank 40 on
    (above it a part of a stratum often has no label and borrows the stratum's rate)."""
    errors = []
    for engine in runs_with_a_curve(known):
        order = engine.rank_order
        ranks, value = read(engine, order)
        hits = np.cumsum(known.truth[order])
        errors.append((value - hits[ranks - 1] / ranks)[ranks >= 40])
    table = np.array(errors)
    spread = np.maximum(table.std(axis=0, ddof=1), 1e-12)
    return np.asarray(table.mean(axis=0) / (spread / np.sqrt(len(table))))


def by_design(engine: Engine, order: np.ndarray) -> Any:
    """At the last rank of each stratum: between them hits count as spread evenly over a piece,
    which is a little off at a given rank of a given file, and steadier."""
    band, stratum = precision_curve(engine), engine.frame.stratum[order]
    ends = {int(np.flatnonzero(stratum == one)[-1]) + 1 for one in np.unique(stratum)}
    there = np.isin(band.x.astype(int), sorted(ends))
    return band.x[there].astype(int), band.value[there]


def by_sample(engine: Engine, order: np.ndarray) -> Any:
    """Labelled positives over labelled items among the first r: the sample's own curve."""
    table = ranked(engine)
    ranks = grid(len(order))
    seen = [table.rank <= r for r in ranks]
    return ranks, np.array([table.verdict[s].sum() / max(s.sum(), 1) for s in seen])


@pytest.mark.full
def test_design_weighted_curve_is_the_true_one_in_the_mean(known: Known) -> None:
    """Bonferroni's limit over the ranks that are looked at."""
    bias = curve_bias(known, by_design)
    assert np.abs(bias).max() < norm.isf(NOISE / 2 / len(bias))


def test_unweighted_curve_is_not(known: Known) -> None:
    bias = curve_bias(known, by_sample)
    assert np.abs(bias).max() > 3 * norm.isf(NOISE / 2 / len(bias))


def test_cut_cells_keep_every_item_and_label(known: Known) -> None:
    plan = lc.Plan(NEYMAN, ["precision_curve"], budget=150)
    engine = labelled(known.engine(plan, 1), known.truth)
    table = ranked(engine)
    ranks = np.array([1, 7, 400, 800])
    found = cut_cells(engine.frame, ranks, table.order, table, 0.0, 0.0)
    for rank, cells in zip(ranks, found, strict=True):
        assert cells.size.sum() == 800 and cells.labelled.sum() == 150
        assert cells.size[cells.predicted].sum() == rank


def coverage(known: Known, design: str) -> float:
    """The least share over three quantities of 300 runs of 100 labels at confidence 80 %."""
    figures = ["accuracy", "precision", "recall"]
    plan = lc.Plan(design, figures, budget=100, confidence=0.8, promise="fixed")
    found = lc.simulate(known.population, plan, truth=known.truth.tolist(), runs=RUNS).table()
    return float(found.groupby("estimand")["covered"].mean().min())


def test_two_sided_level_covers(known: Known) -> None:
    assert coverage(known, NEYMAN) >= fewest(RUNS, 0.8)


def test_one_sided_level_does_not(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quantile at 1 - alpha instead of 1 - alpha/2: an interval of confidence 60 %."""
    two_sided = profile_interval.fixed_critical

    def one_sided(cells: Any, table: Any, confidence: float, rates: Any, *, target: str) -> Any:
        return two_sided(cells, table, 2 * confidence - 1, rates, target=target)

    monkeypatch.setattr(profile_interval, "fixed_critical", one_sided)
    assert coverage(known, NEYMAN) < fewest(RUNS, 0.8)


def test_every_stratum_keeps_its_floor(known: Known) -> None:
    """At least floor x W_k of the labels, however sure the scores are (METHODS 8)."""
    plan = lc.Plan(NEYMAN, SCALARS, budget=300, promise="fixed")
    engine = labelled(known.engine(plan, 1), known.truth)
    least = np.minimum(0.2 * 300 * engine.frame.sizes / 800, engine.frame.sizes)
    assert np.all(engine.drawn >= np.floor(least) - 1) and np.all(engine.drawn >= 2)


def test_batch_is_asked_in_random_order_across_strata(known: Known) -> None:
    """Mean place of a stratum's two items in the first batch over 300 seeds: all alike."""
    plan = lc.Plan(NEYMAN, SCALARS, budget=150, promise="fixed")
    seeds, places = repeated(300), dict[int, list[int]]()
    for seed in range(seeds):
        engine = known.engine(plan, seed)
        ahead = engine.peek()
        while ahead is not None and ahead[2] == 1:
            index = engine.draw_next()
            places.setdefault(engine.asked[index - 1].stratum, []).append(index)
            ahead = engine.peek()
    n = len(engine.asked)
    spread = np.sqrt((n * n - 1) / 12 / (2 * seeds))
    assert len(places) == engine.frame.n_strata and n == 2 * len(places)
    for found in places.values():
        assert abs(np.mean(found) - (n + 1) / 2) < norm.isf(NOISE / 2 / len(places)) * spread
