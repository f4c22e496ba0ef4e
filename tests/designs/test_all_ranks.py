"""The curve of the default method: one band for all ranks together, from its own draws."""

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs import stratified as all_ranks
from labelcore.figures.curves import ranked_curve
from labelcore.figures.cuts import cut_at, deepest_cut, packages
from labelcore.figures.scalars import stage_until
from labelcore.log.engine import Engine
from labelcore.stats.curve_readings import Yields, falls_below
from labelcore.testing.known import Known, calibrated, label, labelled
from tests.cases import once
from tests.curves import precision_curve

N_ITEMS, BUDGET = 600, 150
DEFAULT = "recalibrated_neyman"
known = once(calibrated, N_ITEMS, seed=7, a=1.0, b=1.2)


def plan_of(**changes: object) -> lc.Plan:
    given = {"budget": BUDGET, "promise": "fixed", **changes}
    return lc.Plan(DEFAULT, ["precision", "precision_curve"], **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def done(known: Known) -> Engine:
    return labelled(known.engine(plan_of(), 2), known.truth)


def test_it_says_what_it_promises(done: Engine) -> None:
    band = precision_curve(done)
    assert band.simultaneous and band.form == "approximate"
    assert "for all ranks together (95 % confidence, approximate" in band.sentence()
    assert "all ranks together" in cut_at(done, 100).sentence()


def test_packages_and_cuts_are_read_off_the_band(known: Known, done: Engine) -> None:
    asked = [0.5, 0.4, 0.3]
    table, hits = packages(done, asked), np.cumsum(known.truth[done.rank_order])
    yields = ranked_curve(done, np.arange(1, N_ITEMS + 1)).yields
    assert yields is not None
    for row, precision in zip(table.itertuples(), asked, strict=True):
        cut = deepest_cut(done, precision)
        assert cut is not None and cut.rank == row.last == falls_below(yields, precision)[0]
        assert row.precision <= row.low <= hits[row.last - 1] / row.last <= row.high
    assert deepest_cut(done, 0.99) is None


def test_all_readings_are_of_one_curve(done: Engine) -> None:
    curve = ranked_curve(done)
    assert {"precision", "recall", "yield", "f1", "gain"} <= set(curve.names)
    for name in curve.names:
        value, low, high = curve.read(name)
        assert np.all((low <= value + 1e-9) & (value <= high + 1e-9)), name
    hits = curve.read("yield")[0]
    assert np.all(np.diff(hits) >= -1e-9) and np.all(np.diff(hits) <= np.diff(curve.rank) + 1e-9)


def test_it_is_wider_than_that_of_each_rank_by_itself(
    done: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = np.array([100, 200, 400, 600])
    together = ranked_curve(done, ranks).read("precision")
    monkeypatch.setattr(type(done.design), "for_all_ranks", False)
    alone = ranked_curve(done, ranks).read("precision")
    assert not precision_curve(done).simultaneous
    assert np.all(together[2] - together[1] > alone[2] - alone[1])


@pytest.mark.parametrize("target", ["file", "process"])
def test_nothing_is_promised_before_the_planned_size(known: Known, target: str) -> None:
    """Nor of each rank by itself, which says likewise what it lacks."""
    engine = known.engine(plan_of(target=target), 2)
    for labels in label(engine, known.truth):
        if labels == 100:
            band = precision_curve(engine)
            assert not band.has_interval and band.missing == "100 of 150 labels before the band"
            assert f"without a band: {band.missing}" in band.sentence()
            assert deepest_cut(engine, 0.5) is None


def test_a_census_is_exact(known: Known) -> None:
    engine = labelled(known.engine(plan_of(budget=N_ITEMS), 1), known.truth)
    band = precision_curve(engine)
    truth = np.cumsum(known.truth[engine.rank_order])[band.x.astype(int) - 1] / band.x
    assert band.state == "exact" and "is exact" in band.sentence()
    for part in (band.value, band.low, band.high):
        np.testing.assert_allclose(part, truth, rtol=0, atol=1e-9)


def test_a_process_has_each_rank_by_itself(known: Known) -> None:
    engine = labelled(known.engine(plan_of(target="process"), 2), known.truth)
    assert not precision_curve(engine).simultaneous


def band_after(engine: Engine, labels: int) -> Yields | None:
    return ranked_curve(stage_until(engine, labels), np.arange(1, N_ITEMS + 1)).yields


@pytest.fixture(scope="module")
def watched(known: Known) -> Engine:
    return labelled(known.engine(plan_of(promise="watched"), 2), known.truth)


def test_a_watched_band_is_renewed_after_every_fifth_label(watched: Engine) -> None:
    assert band_after(watched, 4) is None
    five, nine, ten = (band_after(watched, labels) for labels in (5, 9, 10))
    assert five is not None and nine is not None and ten is not None
    np.testing.assert_array_equal(five.high, nine.high)
    assert np.any((ten.high != nine.high) | (ten.low != nine.low))
    text = precision_curve(watched).sentence()
    assert "valid at every look up to 150 labels" in text and "all ranks together" in text


def test_every_look_is_paid_for(known: Known, watched: Engine, done: Engine) -> None:
    """The same number of labels, wider than a band that is looked at once."""
    ranks = np.array([100, 200, 400, 600])
    all_the_way, once = (ranked_curve(one, ranks).read("precision") for one in (watched, done))
    ratio = (all_the_way[2] - all_the_way[1]) / (once[2] - once[1])
    assert np.all((ratio > 1.02) & (ratio < 1.35))


def test_labels_beyond_the_planned_size_do_not_change_it(known: Known) -> None:
    plan = plan_of(promise="watched", budget=100, params={"horizon": 2})
    engine = known.engine(plan, 3)
    engine.extend(130)
    for _ in label(engine, known.truth):
        pass
    at_size, later = band_after(engine, 100), band_after(engine, 130)
    assert at_size is not None and later is not None and engine.labels == 130
    np.testing.assert_array_equal(at_size.low, later.low)
    band = precision_curve(engine)
    assert "The band is that of the planned 100 items" in band.sentence()
    assert band.labels_used == 100 and band.provisional is not None


def ever_wrong(known: Known, runs: int) -> float:
    """The share of sessions of 100 labels, at confidence 80 %, that are wrong at any look."""
    wrong = 0
    plan = plan_of(promise="watched", budget=100, confidence=0.8)
    for seed in range(runs):
        engine = labelled(known.engine(plan, seed), known.truth)
        hits = np.cumsum(known.truth[engine.rank_order])
        for labels in range(5, 101, 5):
            yields = band_after(engine, labels)
            assert yields is not None
            if np.any((hits < yields.low - 1e-9) | (hits > yields.high + 1e-9)):
                wrong += 1
                break
    return wrong / runs


@pytest.mark.full
def test_looks_hold_together(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """120 sessions: wrong in at most 20 % and three binomial standard errors (31 %). The band of
    one look, looked at all the way, is wrong in more; 60 sessions do not tell them apart."""
    limit = 0.2 + 3 * np.sqrt(0.2 * 0.8 / 120)
    assert ever_wrong(known, 120) <= limit
    monkeypatch.setattr(all_ranks, "critical_of", lambda *_: None)
    assert ever_wrong(known, 120) > limit
