"""The confusion table against a hand count, the estimates and the whole truth."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.figures.confusion import UNLABELLED, cell_bounds, confusion, labelled_cells
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.results.types import Estimate
from labelcore.testing.known import Known, calibrated, label, labelled, write
from tests.answering import many_labelled
from tests.cases import once, repeated
from tests.designs.synthetic import standard_errors
from tests.designs.test_several_classes import EACH, NAMES, NEYMAN, five_classes

RUNS, MOST_STANDARD_ERRORS = repeated(100), 4.4
COVERED_RUNS = 60
five = once(five_classes, 1000, seed=2)


def truly(known: Known) -> np.ndarray:
    """(5, 5) items by predicted and true class, counted one by one."""
    table = np.zeros((5, 5))
    np.add.at(table, (known.population.predictions["lr"], known.truth), 1)
    return table


def test_by_hand(tmp_path: Path) -> None:
    """Ten items called a, of whose four labels three are a; five called b without a label."""
    said = np.array(["a"] * 10 + ["b"] * 5 + ["c"])
    truth = np.array([0, 0, 0, 1, *[0] * 6, *[1] * 5, 2])
    file = write(tmp_path, truth, prediction=said)
    plan = lc.Plan(NEYMAN, ["accuracy"], budget=16, params={"n_above": 1, "n_below": 1},
                   promise="fixed")  # fmt: skip
    engine = file.engine(plan, 1)
    tally = engine.tallies["lr"]
    for position in range(4):
        tally.add(position, int(truth[position]))
    table = confusion(engine)
    assert table.to_numpy().tolist() == [[7.5, 2.5, 0, 0], [0, 0, 0, 5], [0, 0, 0, 1]]
    assert list(table.columns) == ["a", "b", "c", UNLABELLED]
    assert list(table.index) == ["a", "b", "c"]
    assert labelled_cells(engine).to_numpy().tolist() == [[3, 1, 0], [0, 0, 0], [0, 0, 0]]


def test_rows_sum_to_the_known_predictions_at_every_look(five: Known) -> None:
    engine = five.engine(lc.Plan(NEYMAN, EACH, budget=120), 3)
    called = np.bincount(five.population.predictions["lr"])
    assert confusion(engine)[UNLABELLED].tolist() == called.tolist()
    for number in label(engine, five.truth):
        if number % 10 == 0:
            np.testing.assert_allclose(confusion(engine).sum(axis=1), called)


@pytest.fixture(scope="module")
def at_200(five: Known) -> tuple[Engine, dict[str, Estimate]]:
    """A session of 200 labels and its results; treat as read-only."""
    engine = labelled(five.engine(lc.Plan(NEYMAN, EACH, budget=200), 3), five.truth)
    return engine, scalar_results(engine)


def test_a_census_is_the_truth(five: Known) -> None:
    engine = labelled(five.engine(lc.Plan(NEYMAN, ["accuracy"], budget=1000), 3), five.truth)
    np.testing.assert_allclose(confusion(engine).drop(columns=UNLABELLED), truly(five))
    for end in np.moveaxis(cell_bounds(engine), -1, 0):
        np.testing.assert_allclose(end, truly(five), atol=1e-6)


def test_bounds_are_those_of_the_figures_and_as_shy(
    five: Known, at_200: tuple[Engine, dict[str, Estimate]]
) -> None:
    early = five.engine(lc.Plan(NEYMAN, EACH, budget=200), 3)
    for number in label(early, five.truth):
        if number == 40:
            break
    told = []
    for engine, results in ((early, scalar_results(early)), at_200):
        table, bounds = confusion(engine), cell_bounds(engine)
        for place, name in enumerate(NAMES):
            one, mine = results[f"precision[{name}]"], bounds[place]
            told.append(not np.isnan(mine).any())
            if told[-1]:
                row = table.iloc[place].to_numpy()
                assert one.has_interval and one.told is not None and row[-1] == 0
                np.testing.assert_allclose(mine[place] / row.sum(), [one.low, one.high])
                assert ((mine[:, 0] <= row[:-1]) & (row[:-1] <= mine[:, 1])).all()
            else:
                assert np.isnan(mine).all()
    assert not any(told[:5]) and all(told[-5:])


def test_bounds_of_two_classes_add_up_and_others_have_none(tmp_path: Path) -> None:
    one = calibrated(tmp_path, 400, seed=4)
    engine = labelled(one.engine(lc.Plan(NEYMAN, ["recall"], budget=120), 1), one.truth)
    bounds, totals = cell_bounds(engine), confusion(engine).sum(axis=1).to_numpy()
    np.testing.assert_allclose(bounds[:, 0, 0] + bounds[:, 1, 1], totals)
    np.testing.assert_allclose(bounds[:, 0, 1] + bounds[:, 1, 0], totals)
    fixed = one.engine(lc.Plan(NEYMAN, ["recall"], budget=120, promise="fixed"), 1)
    before = [np.isnan(cell_bounds(fixed)).all() for _ in label(fixed, one.truth)]
    assert all(before[:-1]) and not before[-1]


UNBOUND = {
    "scores help": {
        "design": "simple_random", "params": {"interval": "difference"}, "promise": "fixed",
    },
    "watched accuracy": {"design": "stratified", "promise": "watched"},
    "as printed": {"design": "stratified", "params": {"allocation": "opt_a2"}, "promise": "fixed"},
}  # fmt: skip


@pytest.mark.parametrize("name", UNBOUND)
def test_a_row_has_no_bounds_that_the_plan_does_not_promise(tmp_path: Path, name: str) -> None:
    """The scores' help is that of the positive class: it bounded the other row by its shares."""
    one = calibrated(tmp_path, 400, seed=4)
    arguments = {"estimands": ["accuracy"], "budget": 240, **UNBOUND[name]}
    engine = labelled(one.engine(lc.Plan(**arguments), 1), one.truth)
    assert scalar_results(engine)["accuracy"].has_interval
    assert np.isnan(cell_bounds(engine)).all()


def test_the_same_methods_have_bounds_where_precision_would_have_them(tmp_path: Path) -> None:
    one = calibrated(tmp_path, 400, seed=4)
    for design in ("simple_random", "stratified"):
        plan = lc.Plan(design, ["accuracy"], budget=240, promise="fixed")
        engine = labelled(one.engine(plan, 1), one.truth)
        assert not np.isnan(cell_bounds(engine)).any()


def missed(five: Known, as_random: bool) -> tuple[float, float]:
    """The share of true numbers outside their bounds at 200 labels, with its standard error;
    ``as_random`` is the nearest mistake: as wide, but around the unweighted labels."""
    plan = lc.Plan(NEYMAN, EACH, budget=200)
    shares = []
    for engine in many_labelled(five, plan, COVERED_RUNS):
        bounds = cell_bounds(engine)
        if as_random:
            half = np.diff(bounds, axis=-1) / 2
            bounds = as_if_random(engine)[..., None] + half * np.array([-1, 1])
        out = (truly(five) < bounds[..., 0] - 1e-6) | (truly(five) > bounds[..., 1] + 1e-6)
        shares.append(out[~np.isnan(bounds[..., 0])].mean())
    return float(np.mean(shares)), float(np.std(shares, ddof=1) / np.sqrt(COVERED_RUNS))


@pytest.mark.full
def test_bounds_of_cells_hold_as_often_as_promised(five: Known) -> None:
    """25 cells of 60 sessions; three standard errors of the mean of the sessions."""
    share, error = missed(five, False)
    assert share <= 0.05 + 3 * error
    share, error = missed(five, True)
    assert share > 0.05 + 3 * error


def bias(five: Known, read: object) -> float:
    """The largest mean error over 150 runs of any place of the table, in standard errors."""
    plan = lc.Plan(NEYMAN, EACH, budget=150)
    tables = [read(engine) for engine in many_labelled(five, plan, RUNS)]  # type: ignore[operator]
    errors = np.array(tables) - truly(five)
    return max(abs(standard_errors(one)) for one in errors.reshape(RUNS, 25).T)


def by_weights(engine: Engine) -> np.ndarray:
    return confusion(engine).drop(columns=UNLABELLED).to_numpy()


def as_if_random(engine: Engine) -> np.ndarray:
    """The nearest mistake: the labels blown up to the file, whichever strata they came from."""
    tally = engine.tallies["lr"]
    table = np.zeros((5, 5))
    np.add.at(table, tally.prediction, tally.counts)
    return table * 1000 / table.sum()


def test_no_place_is_biased_and_unweighted_counts_are(five: Known) -> None:
    """25 places: a correct table fails less than once in 1,000 times."""
    assert bias(five, by_weights) < MOST_STANDARD_ERRORS
    assert bias(five, as_if_random) > 2 * MOST_STANDARD_ERRORS


def test_two_classes_and_a_second_classifier(tmp_path: Path) -> None:
    one = calibrated(tmp_path, 400, seed=4)
    path = one.population.path
    both = lc.read_population(
        path, id="id", content="text", scores={"lr": "score"}, thresholds={"lr": [0.3, 0.5]}
    )
    plan = lc.Plan(NEYMAN, ["accuracy"], classifier=["lr>=0.3", "lr>=0.5"], budget=400)
    engine = labelled(Known(both, one.truth).engine(plan, 1), one.truth)
    for name in both.classifiers:
        truth = pd.crosstab(both.predictions[name], one.truth).to_numpy()
        table = confusion(engine, name).drop(columns=UNLABELLED)
        np.testing.assert_allclose(table, truth)


def test_what_cannot_be_tabled_is_told(tmp_path: Path) -> None:
    score = np.linspace(0, 1, 60)
    file = write(tmp_path, (score > 0.5).astype(int), score=score)
    engine = file.engine(lc.Plan(NEYMAN, ["prevalence"], budget=50), 1)
    with pytest.raises(ValueError, match="'lr' has neither"):
        confusion(engine)
    with pytest.raises(ValueError, match="names: 'lr', got 'svm'"):
        confusion(engine, "svm")


def test_bounds_hold_their_own_numbers_where_some_items_cannot_be_judged(tmp_path: Path) -> None:
    """Seed 5; most of the items called positive with little confidence, of which few are, are
    unsure: the table takes each for one of its stratum, and its bounds do so, too."""
    random = np.random.default_rng(5)
    score = np.linspace(0, 1, 1500)
    truth = (random.random(1500) < np.where(score > 0.75, 0.95, 0.15)).astype(int)
    hard = (score > 0.5) & (score < 0.75) & (random.random(1500) < 0.7)
    known = write(tmp_path, truth, score=score, thresholds={"lr": 0.5})
    session = lc.Session(known.population, lc.Plan(NEYMAN, ["precision"], budget=400, seed=1,
                                                   promise="fixed"))  # fmt: skip
    while (draw := session.next()) is not None:
        at = known.population.position(draw.item_id)
        session.answer(draw, "unsure" if hard[at] else bool(truth[at]))
    value, bounds = confusion(session.engine).to_numpy()[1, :2], cell_bounds(session.engine)[1]
    assert (bounds[:, 0] <= value).all() and (value <= bounds[:, 1]).all()
