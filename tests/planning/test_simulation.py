"""The simulation's tables against their definitions in INTERFACE.md."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import labelcore as lc
from labelcore.figures.current import results
from labelcore.log.events import Event
from labelcore.planning.runs import beginnings
from labelcore.planning.simulation import COLUMNS, run_seed
from labelcore.planning.truth import true_codes
from labelcore.testing.known import SCALARS, Known, calibrated
from tests.cases import once
from tests.columns import items

SUMMARY = [
    "runs", "truth", "bias", "rmse", "coverage", "coverage_se", "mean_width", "mean_labels",
    "mean_draws", "variance_ratio", "no_value",
]  # fmt: skip
known = once(calibrated, 300, seed=7)


@pytest.fixture(scope="module")
def simulation(known: Known) -> lc.Simulation:
    plan = lc.Plan("recalibrated_neyman", [*SCALARS, "precision_curve"], budget=80)
    return lc.simulate(known.population, plan, truth="truth", runs=6, seed=3)


def test_tables_have_the_promised_columns(simulation: lc.Simulation) -> None:
    table, summary, curves = simulation.table(), simulation.summary(), simulation.curves()
    assert tuple(table.columns) == COLUMNS and len(table) == 6 * 5
    assert list(summary.columns) == SUMMARY and summary.index.name == "estimand"
    assert list(summary.index) == [*SCALARS, "precision_curve"]
    assert list(curves.columns) == ["run", "x", "truth", "value", "low", "high"]


def test_truth_is_that_of_the_file(simulation: lc.Simulation, known: Known) -> None:
    for name in SCALARS:
        assert simulation.summary()["truth"][name] == pytest.approx(known.value(name), abs=1e-12)


def test_summary_follows_from_the_table(simulation: lc.Simulation) -> None:
    table, summary = simulation.table(), simulation.summary()
    for name in SCALARS:
        part = table[table["estimand"] == name]
        error = part["value"] - part["truth"]
        assert summary["bias"][name] == pytest.approx(error.mean())
        assert summary["rmse"][name] == pytest.approx(np.sqrt((error**2).mean()))
        inside = (part["low"] <= part["truth"]) & (part["truth"] <= part["high"])
        assert summary["coverage"][name] == inside.mean() == part["covered"].mean()
        assert summary["mean_width"][name] == pytest.approx((part["high"] - part["low"]).mean())
    assert np.isnan(summary["variance_ratio"]["precision_curve"])


def test_a_curve_is_told_over_the_ranks_that_have_a_value(known: Known) -> None:
    plan = lc.Plan("simple_random", "precision_curve", budget=40, promise="fixed")
    made = lc.simulate(known.population, plan, truth="truth", runs=4, seed=3)
    curves, told = made.curves(), made.summary().loc["precision_curve"]
    (score,) = known.population.scores.values()
    hits = np.cumsum(known.truth[np.argsort(-np.asarray(score))])
    ranks = curves["x"].to_numpy().astype(int)
    np.testing.assert_allclose(curves["truth"], hits[ranks - 1] / ranks)
    errors = (curves["value"] - curves["truth"]).to_numpy().reshape(4, -1)
    missing = np.isnan(errors)
    assert missing.any() and not missing.all(axis=1).any() and told["no_value"] == 0
    assert told["bias"] == pytest.approx(np.nanmean(np.nanmean(errors, axis=0)))
    assert told["rmse"] == pytest.approx(np.nanmean(np.sqrt(np.nanmean(errors**2, axis=0))))


def test_the_truth_of_a_summary_of_a_curve_is_that_of_the_file(known: Known) -> None:
    """Reference values by scikit-learn."""
    plan = lc.Plan("geometric_strata", ["average_precision", "area_under_roc"], budget=60)
    truth = lc.simulate(known.population, plan, truth="truth", runs=1).summary()["truth"]
    (score,) = known.population.scores.values()
    expected = (of(known.truth, score) for of in (average_precision_score, roc_auc_score))
    np.testing.assert_allclose(truth, [*expected], rtol=1e-12)


def test_a_claim_is_settled_or_may_be_both(known: Known) -> None:
    claims = ["accuracy >= 0.5", "accuracy >= 0.99", f"accuracy >= {known.value('accuracy'):.3f}"]
    plan = lc.Plan("recalibrated_neyman", "accuracy", budget=60, claims=claims)
    table = lc.simulate(known.population, plan, truth="truth", runs=1).table()
    told = table.set_index("estimand")[["value", "low", "high"]].drop("accuracy")
    np.testing.assert_equal(told.to_numpy(), [[1, 1, 1], [0, 0, 0], [np.nan, 0, 1]])


def test_variance_ratio_is_against_simple_random_sampling(
    simulation: lc.Simulation, known: Known
) -> None:
    plan = lc.Plan("simple_random", SCALARS, budget=80, promise="fixed")
    base = lc.simulate(known.population, plan, truth="truth", runs=6, seed=3).summary()
    assert (base["variance_ratio"] == 1).all()
    ratio = (simulation.summary()["rmse"][list(SCALARS)] / base["rmse"]) ** 2
    np.testing.assert_allclose(simulation.summary()["variance_ratio"][list(SCALARS)], ratio)
    claim = {"claims": ["accuracy >= 0.9"], "claim_form": "approximate", "promise": "watched"}
    plan = replace(plan, design="recalibrated_neyman", **claim)
    assert lc.simulate(known.population, plan, truth="truth", runs=2).summary()["rmse"].any()


def test_same_seed_same_table_and_the_plan_seed_is_not_used(known: Known) -> None:
    def table(seed: int, plan_seed: int) -> pd.DataFrame:
        plan = lc.Plan("simple_random", ["accuracy"], budget=40, seed=plan_seed)
        return lc.simulate(known.population, plan, truth="truth", runs=3, seed=seed).table()

    pd.testing.assert_frame_equal(table(1, 0), table(1, 99))
    assert not table(1, 0).equals(table(2, 0))
    assert len({run_seed(s, r) for s in range(40) for r in range(40)}) == 1600


def test_a_run_is_a_session(known: Known) -> None:
    """Run 2 finds what a person finds who is asked its items in its order."""
    plan = lc.Plan("recalibrated_neyman", SCALARS, budget=60)
    simulation = lc.simulate(known.population, plan, truth="truth", runs=3, seed=9)
    (engine,) = beginnings(known.population, simulation.plan, [run_seed(9, 2)])
    while engine.peek() is not None:
        index = engine.draw_next()
        label = known.population.classes[known.truth[engine.asked[index - 1].position]]
        engine.answer(index, Event(0, "labelled", "", "me", label=label))
    for key, result in results(engine).items():
        run = simulation.runs[2].results[key]
        for end in ("value", "low", "high"):
            assert getattr(run, end) == pytest.approx(getattr(result, end), abs=1e-8)
        assert run.tail_share == pytest.approx(result.tail_share, abs=1e-8)
        same = ("value", "low", "high", "tail_share")
        numbers = {name: getattr(run, name) for name in same}
        assert replace(result, **numbers) == run


def test_a_run_does_not_depend_on_the_number_of_runs(known: Known) -> None:
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=40)
    few, many = (
        lc.simulate(known.population, plan, truth="truth", runs=runs).table() for runs in (2, 40)
    )
    pd.testing.assert_frame_equal(few, many[:2], atol=1e-8, check_exact=False)


def test_every_form_of_truth(known: Known) -> None:
    plan = lc.Plan("simple_random", ["accuracy"], budget=40)
    ids = known.population.ids()
    forms = [
        "truth", known.truth, known.truth.astype(bool), known.truth.astype(float),
        [("no", "yes")[v] for v in known.truth], pd.Series(known.truth, index=ids)[::-1],
    ]  # fmt: skip
    tables = [lc.simulate(known.population, plan, truth=form, runs=2).table() for form in forms]
    for other in tables[1:]:
        pd.testing.assert_frame_equal(tables[0], other)


def test_classes_called_true_and_false_are_taken_by_their_names() -> None:
    said = [True, False, False]
    population = items(predictions={"m": said}, classes=["False", "True"], positive="False")
    for form in ("m", said, ["True", "False", "False"]):
        assert true_codes(population, form).tolist() == [1, 0, 0], form


def test_row_numbers_are_not_taken_for_the_ids_of_other_rows() -> None:
    frame = pd.DataFrame({"id": range(40), "text": "x", "truth": [1] * 10 + [0] * 30})
    plan = lc.Plan("simple_random", ["prevalence"], budget=40)

    def truth(items: pd.DataFrame, labels: pd.Series) -> float:
        population = lc.read_population(items, id="id", content="text")
        return float(lc.simulate(population, plan, truth=labels, runs=1).summary()["truth"].iloc[0])

    turned = frame[::-1].head(20).reset_index(drop=True)
    with pytest.raises(ValueError, match="truth is a Series whose index is row numbers, not ids"):
        truth(turned, turned["truth"])
    assert truth(turned, turned.set_index("id")["truth"]) == 0
    assert truth(frame, frame["truth"]) == 0.25
    population = lc.read_population(frame, id="id", content="text")
    shown = repr(lc.simulate(population, plan, truth="truth", runs=2))
    assert shown == "<Simulation on 'items': 2 runs of 'simple_random'>"


def test_bad_truth_is_named_with_rows(known: Known) -> None:
    plan = lc.Plan("simple_random", ["accuracy"], budget=40)

    def run(truth: object) -> lc.Simulation:
        return lc.simulate(known.population, plan, truth=truth, runs=1)

    missing = known.truth.astype(float)
    missing[4] = np.nan
    with pytest.raises(ValueError, match="row 5"):
        run(missing)
    with pytest.raises(ValueError, match="300 values"):
        run(known.truth[:-1])
    with pytest.raises(ValueError, match="'nothere'"):
        run("nothere")
    with pytest.raises(ValueError, match="every id in its index, and lacks i299"):
        run(pd.Series(known.truth[:-1], index=known.population.ids()[:-1]))
    with pytest.raises(TypeError, match="truth"):
        run(5)
    for wrong, error in ((0, ValueError), (1.5, TypeError), (True, TypeError)):
        for name in ("runs", "workers"):
            with pytest.raises(error, match=name):
                lc.simulate(known.population, plan, truth="truth", **{name: wrong})  # type: ignore[arg-type]
    for same in (pa.array(known.truth), pd.array(known.truth, dtype="Int64")):
        assert run(same).summary()["truth"].equals(run(known.truth).summary()["truth"])
    with pytest.raises(ValueError, match="^seed must be at least 0, got -1"):
        lc.simulate(known.population, plan, truth="truth", seed=-1)
    given = {"runs": np.int64(2), "workers": np.int8(1), "seed": np.uint32(0)}
    assert len(lc.simulate(known.population, plan, truth="truth", **given).runs) == 2  # type: ignore[arg-type]


def test_stopping_at_a_margin(known: Known) -> None:
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], margin=0.12)
    table = lc.simulate(known.population, plan, truth="truth", runs=5).table()
    assert set(table["status"]) == {"goal reached"} and (table["labels_used"] < 300).all()
    assert ((table["high"] - table["low"]) / 2 <= 0.12).all()


@pytest.mark.filterwarnings("error")
def test_no_value_counts_as_covered_and_is_left_out_of_the_errors(known: Known) -> None:
    plan = lc.Plan("simple_random", ["recall", "accuracy"], budget=1, promise="fixed")
    summary = lc.simulate(known.population, plan, truth="truth", runs=6).summary()
    assert summary["no_value"].tolist() == [6, 0] and summary["coverage"]["recall"] == 1
    assert np.isnan(summary["bias"]["recall"]) and np.isnan(summary["rmse"]["recall"])
