"""Over-sampled predicted positives: sizes, plans, intervals and promises on files."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import Look, Setup
from labelcore.estimands import SCALARS
from labelcore.figures.scalars import scalar_results
from labelcore.papers.oversampling.design import Oversampling
from labelcore.papers.oversampling.groups import Counts, group_rates, optimal_ratio
from labelcore.papers.oversampling.intervals import (
    INTERVALS,
    Groups,
    bayes_intervals,
    normal_intervals,
)
from labelcore.stats.profile import Cells
from labelcore.testing.known import Known, labelled, write
from tests.columns import items

CELLS = Cells(
    np.array([200.0, 800]), np.array([60.0, 80]), np.array([45.0, 4]), np.array([True, False])
)
COUNTS = Counts.of(45, 15, 4, 76)
BOTH = ("precision", "recall")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """2,000 items, 10 % predicted positive, precision .8, recall .64."""
    return groups_file(tmp_path_factory.mktemp("groups"), 160, 40, 90, 1710)


def groups_file(folder: Path, tp: int, fp: int, fn: int, tn: int) -> Known:
    truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    said = np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])
    order = np.random.default_rng(8).permutation(len(truth))
    return write(folder, truth[order], prediction=said[order])


def plan(**values: Any) -> lc.Plan:
    given = {"budget": 200, "promise": "fixed", "seed": 3, **values}
    return lc.Plan("oversampling", given.pop("estimands", BOTH), **given)


def look(promise: str, target: str = "file", **params: Any) -> Look:
    setup = Setup(None, "lr", BOTH, Oversampling.Params(**params), 3, 140)  # type: ignore[arg-type]
    return Look(0.95, promise, 140, 140, target, 2, setup=setup)


def test_ratio_by_theorem_1(known: Known) -> None:
    params = {"assumed_precision": 0.8, "assumed_recall": 0.64}
    found = lc.preview(known.population, plan(budget=600, params=params)).derived
    rates = group_rates(200 / 1800, 0.8, 0.64)
    assert found["k"] == pytest.approx(1 / 9)
    assert (found["pi_1"], found["pi_0"]) == pytest.approx(rates)
    assert found["s_star"] == pytest.approx(optimal_ratio(1 / 9, *rates))
    assert found["ratio"] == found["s_star"] > 1
    assert found["n_1"] + found["n_0"] == 600 and found["planned"] == [found["n_1"], found["n_0"]]
    assert found["n_1"] == np.ceil(600 * found["ratio"] / 9 / (found["ratio"] / 9 + 1))
    assert found["assumption"] == "planned as if precision were 80.0% and recall 64.0%"


def test_ratio_by_theorem_2_and_by_hand(known: Known) -> None:
    found = lc.preview(known.population, plan(params={"prior_counts": [80, 20, 9, 171]})).derived
    assert found["s_star"] == pytest.approx(
        9 * np.sqrt((9 * 181 / (171 * 180)) / (80 * 101 / (20 * 100)))
    )
    assert found["assumption"] == "planned by 280 earlier labels"
    by_hand = lc.preview(known.population, plan(params={"ratio": 4})).derived
    assert by_hand["ratio"] == 4.0 and by_hand["n_1"] == np.ceil(200 * 4 / 13)
    low = lc.preview(known.population, plan(params={"prior_counts": [1, 99, 0, 900]})).derived
    assert low["s_star"] > 1 and np.isfinite(low["s_star"])


def test_ratio_below_one_is_raised(tmp_path: Path) -> None:
    half = groups_file(tmp_path, 450, 50, 25, 475)
    params = {"assumed_precision": 0.9, "assumed_recall": 0.947}
    found = lc.preview(half.population, plan(params=params)).derived
    assert found["s_star"] < 1 and found["ratio"] == 1.0


def test_rare_positives_get_thirty_labels(tmp_path: Path) -> None:
    """.6 % predicted positive; the plain rule would label 8 of them."""
    rare = groups_file(tmp_path, 20, 4, 12, 3964)
    found = lc.preview(rare.population, plan(budget=300, params={"ratio": 4})).derived
    assert (found["n_1"], found["n_0"]) == (24, 276)
    few = lc.preview(rare.population, plan(budget=30, params={"ratio": 4})).derived
    assert (few["n_1"], few["n_0"]) == (15, 15)


@pytest.mark.parametrize("promise", ["fixed", "watched"])
def test_sizes_are_kept_and_grow_beyond_the_plan(known: Known, promise: str) -> None:
    engine = labelled(known.engine(plan(promise=promise, params={"ratio": 5}), 3), known.truth)
    assert engine.drawn.tolist() == [72, 128]
    whole = plan(promise=promise, budget=2000, params={"ratio": 5})
    assert labelled(known.engine(whole, 3), known.truth).drawn.tolist() == [200, 1800]


@pytest.mark.parametrize("name", INTERVALS)
def test_fixed_intervals_are_those_of_the_paper(name: str) -> None:
    rows = [SCALARS[one] for one in BOTH]
    found = Oversampling().estimate(rows, CELLS, look("fixed", interval=name), None)
    rng = np.random.default_rng([3, 3])
    pair = INTERVALS[name](COUNTS, Groups(200, 800), 0.95, None, rng)
    assert found.low.tolist() == [float(pair.precision[0]), float(pair.recall[0])]
    assert found.high.tolist() == [float(pair.precision[1]), float(pair.recall[1])]
    assert found.value.tolist() == pytest.approx([0.75, 150 / 190])
    assert found.promise is None and all("Shang" in one.source for one in found.method)
    assert np.all(found.low < found.value) and np.all(found.value < found.high)


def test_prior_counts_enter_the_posterior_without_a_promise() -> None:
    rows, prior = [SCALARS["recall"]], (450, 150, 40, 760)
    found = Oversampling().estimate(
        rows, CELLS, look("fixed", interval="bayes", prior_counts=prior), None
    )
    pair = bayes_intervals(COUNTS, Groups(200, 800), 0.95, Counts.of(*prior))
    assert (found.low[0], found.high[0]) == pair.recall
    assert found.promise == "none" and "1,400 earlier labels as prior" in found.method[0].name
    plain = Oversampling().estimate(rows, CELLS, look("fixed", prior_counts=prior), None)
    assert (plain.low[0], plain.high[0]) == normal_intervals(COUNTS, Groups(200, 800), 0.95).recall
    assert plain.promise is None


@pytest.mark.parametrize("name", ["accuracy", "f1", "specificity", "prevalence"])
def test_other_numbers_by_the_profile_over_both_groups(name: str) -> None:
    for target in ("file", "process"):
        found = Oversampling().estimate([SCALARS[name]], CELLS, look("fixed", target), None)
        assert "G-profile" in found.method[0].name and found.low[0] < found.value[0] < found.high[0]


def test_watched_process_is_wider() -> None:
    rows = [SCALARS["recall"]]
    own, like = (
        Oversampling().estimate(rows, CELLS, look("watched", target), None)
        for target in ("file", "process")
    )
    assert like.low[0] < own.low[0] and own.high[0] < like.high[0]


@pytest.mark.parametrize("cells", list(itertools.product((0, 6), (0, 5), (0, 7), (0, 30))))
def test_any_count_may_be_zero(cells: tuple[int, ...]) -> None:
    tp, fp, fn, tn = map(float, cells)
    made = Cells(
        np.array([200.0, 800]), np.array([tp + fp, fn + tn]), np.array([tp, fn]),
        np.array([True, False]),
    )  # fmt: skip
    rows = list(SCALARS.values())
    for promise, target, name in itertools.product(
        ("fixed", "watched"), ("file", "process"), ("normal", "bayes")
    ):
        found = Oversampling().estimate(rows, made, look(promise, target, interval=name), None)
        assert np.all((found.low >= 0) & (found.low <= found.high) & (found.high <= 1))
        known_value = ~np.isnan(found.value)
        assert np.all(found.low[known_value] <= found.value[known_value] + 1e-9)
        assert np.all(found.high[known_value] >= found.value[known_value] - 1e-9)
        assert np.all(found.high - found.low > 1e-6)


def test_another_classifier_is_read_off_the_same_labels() -> None:
    rng = np.random.default_rng(1)
    truth, said = rng.random(1500) < 0.2, rng.random(1500) < 0.3
    rival = said ^ (rng.random(1500) < 0.1)
    population = items(predictions={"a": said * 1, "b": rival * 1})
    both = plan(classifier=["a", "b"], estimands=["accuracy", "recall"])
    engine = labelled(Known(population, truth * 1).engine(both, 3), truth * 1)
    found = scalar_results(engine)
    assert set(found) == {"accuracy", "recall", "accuracy@b", "recall@b"}
    assert "G-profile" in found["recall@b"].method and "equation 4" in found["recall"].source
    assert found["accuracy@b"].low <= np.mean(rival == truth) <= found["accuracy@b"].high


@pytest.mark.parametrize(("counts", "called"), [((150, 50, 0, 0), "every one"),
                                                ((0, 0, 20, 180), "none")])  # fmt: skip
def test_a_file_of_one_side_is_refused(
    tmp_path: Path, counts: tuple[int, int, int, int], called: str
) -> None:
    one = groups_file(tmp_path, *counts)
    with pytest.raises(ValueError, match=f"calls {called} of the 200 items 'yes'"):
        lc.preview(one.population, plan(budget=80))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"ratio": 0}, r"params\['ratio'\] must lie between 0.01 and 1000000, got 0"),
        ({"ratio": "best"}, r"params\['ratio'\] must be one of optimal, got 'best'"),
        ({"assumed_precision": 1.4}, r"params\['assumed_precision'\] must lie between .* got 1.4"),
        ({"assumed_precision": 0.9}, r"params\['assumed_precision'\] = 0.9 needs .*assumed_recall"),
        ({"assumed_recall": 0.7}, r"params\['assumed_recall'\] = 0.7 needs .*assumed_precision"),
        ({"prior_counts": [1, 2, 3]},
         r"params\['prior_counts'\] must be the 4 numbers .*\(1, 2, 3\)"),
        ({"prior_counts": [1, 2, 3, -4]}, r"params\['prior_counts'\] must lie between 0 .* got -4"),
        ({"prior_counts": [1, 2, 3, 4], "assumed_precision": 0.9, "assumed_recall": 0.8},
         "give one of them"),
        ({"interval": "wald"}, r"params\['interval'\] must be one of normal, .* got 'wald'"),
    ],
)  # fmt: skip
def test_refused(params: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plan(params=params)


def test_an_interval_is_for_the_planned_size() -> None:
    assert plan(params={"interval": "bayes"}, promise=None).promise == "fixed"
    assert plan(promise=None).promise == "watched"
    with pytest.raises(ValueError, match=r"params\['interval'\] = 'bayes' is given at the planned"):
        plan(params={"interval": "bayes"}, promise="watched")


def test_refused_with_the_file(known: Known) -> None:
    impossible = plan(params={"assumed_precision": 1.0, "assumed_recall": 0.01})
    with pytest.raises(ValueError, match=r"params\['assumed_recall'\].*would miss 11 positives"):
        lc.preview(known.population, impossible)
    bare = replace(known.population, predictions={}, scores={"lr": np.zeros(2000)})
    with pytest.raises(ValueError, match="needs a classifier with predictions or a threshold"):
        lc.preview(bare, plan(estimands=["prevalence"]))
