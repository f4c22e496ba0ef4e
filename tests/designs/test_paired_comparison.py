"""Where the labels go, what is refused, and how often the interval holds the truth."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.estimands import DIFFERENCES as ROWS
from labelcore.estimands import ratios, table_of
from labelcore.figures.curves import ranked_curve
from labelcore.figures.scalars import scalar_results, scalar_results_of
from labelcore.stats.profile import Cells, fixed_critical, profile_bounds
from labelcore.stats.profile_interval import difference_bounds
from labelcore.testing.known import Known, fewest, label, labelled, most
from tests.answering import answer_draws, many_labelled
from tests.cases import once, repeated
from tests.columns import items
from tests.designs.paired_files import BOTH, DIFFERENCES, paired, true_difference

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

NAME = "paired_comparison"
known = once(paired, 1500, seed=8)


def plan_of(estimands: tuple[str, ...] = DIFFERENCES, **values: object) -> lc.Plan:
    return lc.Plan(NAME, estimands, **{"classifier": list(BOTH), "budget": 120, **values})  # type: ignore[arg-type]


def test_strata_never_mix_pairs_of_predictions(known: Known) -> None:
    engine = known.engine(plan_of(), 1)
    pair = known.population.predictions["a"] * 2 + known.population.predictions["b"]
    for stratum in range(engine.frame.n_strata):
        assert len(set(pair[engine.frame.stratum == stratum])) == 1
    # Six for each kind of disagreement, three where both and where neither says yes.
    assert engine.frame.n_strata == 18


def test_accuracy_asks_only_where_they_disagree_and_ends_there(known: Known) -> None:
    a, b = (known.population.predictions[one] for one in BOTH)
    number = int((a != b).sum())
    plan = plan_of(("accuracy_difference",), budget=1000, promise="fixed")
    engine = labelled(known.engine(plan, 1), known.truth)
    asked = [one.position for one in engine.asked]
    assert len(asked) == number and (a != b)[asked].all()
    found = scalar_results(engine)["accuracy_difference"]
    assert found.state == "exact"
    assert found.value == pytest.approx(true_difference(known, "accuracy_difference"), abs=1e-12)


def test_planning_says_how_many_they_disagree_on_and_when_all_are_reached(known: Known) -> None:
    a, b = (known.population.predictions[one] for one in BOTH)
    number = int((a != b).sum())
    for budget, reached in ((number - 1, False), (number, True)):
        plan = plan_of(("accuracy_difference",), budget=budget, promise="fixed")
        notes = lc.preview(known.population, plan).derived["notes"]
        assert f"The two disagree on {number:,} of the 1,500 items." in notes
        assert any("expected to reach all items" in one for one in notes) == reached


def test_what_is_never_asked_has_no_curve(known: Known) -> None:
    plan = plan_of(("accuracy_difference",), budget=60)
    with pytest.raises(ValueError, match="nothing is asked about some items"):
        ranked_curve(labelled(known.engine(plan, 1), known.truth))
    every = ranked_curve(labelled(known.engine(plan_of(budget=60), 1), known.truth))
    assert np.isfinite(every.read("precision")[0]).all()


@pytest.mark.parametrize(
    ("silent", "promise"),
    [*product(["first", "both opposite", "nobody right"], ["fixed", "watched"])],
)  # fmt: skip
def test_constant_classifiers(silent: str, promise: str) -> None:
    """One that calls nothing positive has no precision, all else stays exact in the end."""
    rng = np.random.default_rng(7)
    truth = (rng.random(60) < 0.4).astype(int)
    other = np.where(rng.random(60) < 0.3, 1 - truth, truth)
    b = np.ones(60, dtype=int) if silent == "both opposite" else other
    if silent == "nobody right":
        truth = np.zeros(60, dtype=int)
    said = {"a": [0] * 60, "b": b}
    engine = Known(items(predictions=said), truth).engine(plan_of(promise=promise), 2)
    for labels in label(engine, truth):
        if labels % 5 == 1:
            scalar_results(engine)
    found = scalar_results(engine)
    assert found["precision_difference"].value is None
    assert "'a' calls no item 'yes' and so has no precision" in (
        found["precision_difference"].sentence()
    )
    assert found["accuracy_difference"].state == "exact"
    assert found["accuracy_difference"].value == pytest.approx(
        np.mean(truth == 0) - np.mean(truth == b), abs=1e-12
    )
    if silent == "nobody right":
        assert "no 'yes' item was found" in found["recall_difference"].sentence()
    else:
        right = float(np.mean(b[truth == 1]))
        assert found["recall_difference"].value == pytest.approx(-right, abs=1e-12)


def test_items_like_these_need_disagreements() -> None:
    truth = np.arange(100) % 2

    def engine(differ: int, *estimands: str) -> object:
        said = {"a": truth, "b": np.where(np.arange(100) < differ, 1 - truth, truth)}
        plan = plan_of(estimands or DIFFERENCES, promise="fixed", target="process")
        return Known(items(predictions=said), truth).engine(plan, 1)

    engine(15)
    with pytest.raises(PlanError, match="at least 15 items on which .* this file has 14"):
        engine(14)
    engine(14, "precision")  # Of each by itself: it rests on no count of disagreements.


def test_a_focus_moves_the_labels(known: Known) -> None:
    """Alone in focus, a difference has a narrower interval than as one of four."""
    plain, focused = (
        lc.preview(known.population, plan_of(budget=100, params=params)).expected_half_width
        for params in ({}, {"focus": "accuracy_difference"})
    )
    assert focused["accuracy_difference"] < plain["accuracy_difference"]


def test_most_labels_go_where_they_disagree(known: Known) -> None:
    a, b = (known.population.predictions[one] for one in BOTH)
    engine = labelled(known.engine(plan_of(), 1), known.truth)
    share = np.mean([(a != b)[one.position] for one in engine.asked])
    assert share > 0.6 > 3 * (a != b).mean()


def test_figures_of_each_alone_come_from_the_same_labels(known: Known) -> None:
    plan = plan_of(("recall_difference", "recall"), budget=1500, promise="fixed")
    found = scalar_results(labelled(known.engine(plan, 1), known.truth))
    assert list(found) == ["recall_difference", "recall", "recall@b"]
    gap = found["recall"].value - found["recall@b"].value  # type: ignore[operator]
    assert found["recall_difference"].value == pytest.approx(gap, abs=1e-12)


def test_predictions_without_scores(tmp_path: Path) -> None:
    bare = paired(tmp_path, 1500, seed=8, scores=False)
    plan = plan_of(promise="fixed", budget=1500)
    for key, one in scalar_results(labelled(bare.engine(plan, 2), bare.truth)).items():
        assert one.value == pytest.approx(true_difference(bare, key), abs=1e-12)


def test_sentences_and_looks_of_a_session(known: Known) -> None:
    session = lc.Session(known.population, plan_of(("accuracy_difference",), promise="watched"))
    answer_draws(session, known)
    said = session.results()["accuracy_difference"].sentence()
    assert "points better in accuracy than 'b'" in said or "may be equally good" in said
    assert "valid at every look" in said
    again = lc.Estimate.from_dict(session.results()["accuracy_difference"].to_dict())
    assert again.scope.versus == "b"


def test_a_claim_is_settled_where_they_disagree(known: Known) -> None:
    plan = lc.Plan(
        NAME, ["accuracy_difference"], classifier=list(BOTH), claims=["accuracy[a] > accuracy[b]"],
        budget=600,
    )  # fmt: skip
    session = lc.Session(known.population, plan)
    while session.status == "open" and (draw := session.next()) is not None:
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
    a, b = (known.population.predictions[one] for one in BOTH)
    assert all((a != b)[one.position] for one in session.engine.asked)
    assert session.results()["accuracy[a] > accuracy[b]"].status == "decided"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"classifier": "a"}, "must name exactly two"),
        ({"classifier": ["a", "b", "c"]}, "the file lacks"),
        ({"promise": "watched", "params": {"n_differ": 2}}, "at least 5 strata"),
        ({"params": {"n_differ": 0}}, "n_differ"),
    ],
)
def test_what_is_refused(known: Known, values: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lc.preview(known.population, plan_of(**values))


def test_several_classes_are_refused_with_a_way_out() -> None:
    population = items(predictions={"a": ["c0", "c1", "c2"] * 20, "b": ["c0", "c1"] * 30})
    with pytest.raises(ValueError, match=r"claim 'accuracy\[A\] > accuracy\[B\]'"):
        lc.preview(population, plan_of(("accuracy_difference",)))


def test_two_that_say_the_same_need_no_label() -> None:
    with pytest.raises(ValueError, match="say the same about every item"):
        lc.preview(items(predictions=dict.fromkeys("ab", [0, 1] * 30)), plan_of())


SIZE = np.array([150.0, 100, 200, 60, 120, 900, 3000])
RATE = np.array([0.6, 0.3, 0.35, 0.5, 0.85, 0.06, 0.01])
FIRST = np.array([True, True, False, False, True, False, False])
SECOND = np.array([False, False, True, True, True, False, False])
LABELLED = np.array([32.0, 8, 36, 8, 20, 25, 25])
RUNS, CONFIDENCE = repeated(150), 0.9


def drawn_cells(rng: np.random.Generator) -> tuple[Cells, np.ndarray]:
    """One sample without replacement of a fixed file, and the file's positives."""
    true = np.rint(SIZE * RATE)
    good = rng.hypergeometric(true.astype(int), (SIZE - true).astype(int), LABELLED.astype(int))
    return Cells(SIZE, LABELLED, good.astype(float), FIRST, None, SECOND), true


def simulated(interval: object) -> tuple[np.ndarray, np.ndarray]:
    """Coverage and mean width of each difference over the runs, seed 17."""
    rng, rows = np.random.default_rng(17), [ROWS[name] for name in DIFFERENCES]
    inside, width = np.zeros(4), np.zeros(4)
    for _ in range(RUNS):
        cells, true = drawn_cells(rng)
        low, high = interval(rows, cells)  # type: ignore[operator]
        value = table_of(rows, cells).value(true)
        inside += (low <= value) & (value <= high)
        width += high - low
    return inside / RUNS, width / RUNS


def paired_interval(rows: list, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    table = table_of(rows, cells)
    return difference_bounds(cells, table, fixed_critical(cells, table, CONFIDENCE))


def as_two_samples(rows: list, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Mistake: each classifier's own interval, joined as if they came from separate samples."""
    turned = Cells(cells.size, cells.labelled, cells.positive, SECOND)
    (one, up), (two, top) = (
        profile_bounds(part, table, fixed_critical(part, table, CONFIDENCE))
        for part in (cells, turned)
        for table in [ratios(rows, part)]
    )
    middle, half = ((one + up) - (two + top)) / 2, np.hypot(up - one, top - two) / 2
    return middle - half, middle + half


def as_random_sample(rows: list, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Mistake: the labels read as a plain random sample, each standing for as many items."""
    even = cells.labelled * SIZE.sum() / cells.labelled.sum()
    return paired_interval(rows, Cells(even, cells.labelled, cells.positive, FIRST, None, SECOND))


@pytest.fixture(scope="module")
def sound() -> tuple[np.ndarray, np.ndarray]:
    return simulated(paired_interval)


def test_interval_covers(sound: tuple[np.ndarray, np.ndarray]) -> None:
    """150 samples at 90 %: coverage of each difference not below the binomial limit (.80)."""
    assert sound[0].min() >= fewest(RUNS, CONFIDENCE)


@pytest.mark.full
def test_the_two_as_separate_samples_are_too_wide(sound: tuple[np.ndarray, np.ndarray]) -> None:
    """They share the items that both get right or wrong: read apart, three intervals are wider,
    and that of recall covers more often than the binomial noise of 90 % allows."""
    coverage, width = simulated(as_two_samples)
    assert (width > sound[1])[[0, 2, 3]].all()
    assert coverage[2] > most(RUNS, CONFIDENCE)


def test_read_as_a_random_sample_it_fails() -> None:
    assert simulated(as_random_sample)[0].min() < fewest(RUNS, CONFIDENCE)


def test_a_session_covers(known: Known) -> None:
    """60 sessions of 60 labels at 80 %: not below the binomial limit (.58); half
    the width falls below it."""
    runs, inside, narrow = 60, 0, 0
    plan = plan_of(("accuracy_difference",), budget=60, promise="fixed", confidence=0.8)
    true = true_difference(known, "accuracy_difference")
    for found in scalar_results_of(many_labelled(known, plan, runs)):
        (one,) = found.values()
        inside += one.low <= true <= one.high
        assert one.value is not None
        narrow += (one.low + one.value) / 2 <= true <= (one.high + one.value) / 2
    assert inside / runs >= fewest(runs, 0.8) > narrow / runs


def test_watched_starts_at_the_first_label(known: Known) -> None:
    engine = known.engine(plan_of(("accuracy_difference",), promise="watched"), 3)
    shown = next(
        labels
        for labels in label(engine, known.truth)
        if next(iter(scalar_results(engine).values())).has_interval
    )
    assert shown <= 5, "as soon as both sides of the disagreements have a label"
