"""Which state a result is in, and what may be shown in it."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import PlanError
from labelcore.estimands import DIFFERENCES
from labelcore.figures.from_counts import figures_of, look_at
from labelcore.figures.readiness import is_settled, promised_until
from labelcore.figures.scalars import (
    _draws_to_planned,
    both_bands,
    first_stage,
    first_stage_end,
    headline_stage,
    kept_band,
    scalar_results,
    scalar_results_of,
    second_stage_started,
    within_margin,
)
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning.forecast import kept_plan
from labelcore.promises import Promise, State
from labelcore.stats.profile import Cells
from labelcore.tallies import Question
from labelcore.testing.known import SCALARS, Known, calibrated, label, labelled, write
from tests.answering import answer_draws, labelled_to
from tests.cases import once, sampled
from tests.columns import items
from tests.designs.synthetic import NEEDED, PROMISED, SCALAR_DESIGNS, WATCHED
from tests.existing_files import at_random, made, read

ALL = (*SCALARS, "specificity", "prevalence", "false_omission_rate", "negative_predictive_value")
DESIGNS = [name for name in SCALAR_DESIGNS if name not in NEEDED]
TWO_CLASSES = {"agreement_patterns"}
Numbers = tuple[float, float, float]
ADAPTIVE = {"recalibrated_neyman", "agreement_patterns"}
WATCHABLE = [name for name in DESIGNS if name in WATCHED]
"""Those that take any file and any number of labels."""

known = once(calibrated, 300, seed=5)


def give(engine: Engine, answer: str) -> int:
    index = engine.draw_next()
    kind = answer if answer in ("unsure", "later", "broken") else "labelled"
    engine.answer(index, Event(0, kind, "", "me", label=None if kind != "labelled" else answer))
    return index


@pytest.mark.parametrize("design", DESIGNS)
def test_states_of_a_fixed_promise(design: str, known: Known) -> None:
    engine = known.engine(lc.Plan(design, SCALARS, budget=60, promise="fixed"), 1)
    seen = []
    for labels in label(engine, known.truth):
        found = scalar_results(engine)
        for one in found.values():
            assert one.has_interval == (labels == 60), "no fixed interval before the planned size"
            if not one.has_interval:
                drawn = [asked.position for asked in engine.asked]
                certain = known.certain(one.estimand, drawn)
                assert (one.low, one.high) == pytest.approx(certain, abs=1e-12)
            assert (one.value is None) == (one.state == "too few")
        accuracy = found["accuracy"]
        assert not (accuracy.told is not None and labels < 30)
        seen.append(accuracy.state)
    assert seen == ["provisional"] * 59 + ["interval"]


@pytest.mark.parametrize("design", WATCHABLE)
def test_states_of_a_watched_promise(design: str, known: Known) -> None:
    engine = known.engine(lc.Plan(design, ["accuracy"], budget=60), 1)
    found = [scalar_results(engine)["accuracy"] for _ in label(engine, known.truth)]
    assert [one.state for one in found] == ["interval"] * 60
    wide = [one.high - one.low > 0.6 for one in found]
    assert [one.told is None for one in found] == wide and wide[0] and not wide[-1]


@pytest.mark.full
@pytest.mark.parametrize("design", sampled(DESIGNS, 1, seed=1, keep=["recalibrated_neyman"]))
def test_labels_beyond_the_horizon_are_a_second_stage(design: str, known: Known) -> None:
    """Nothing is claimed of them: the band stays that of the planned size, or of the horizon."""
    for horizon in (1, 2):
        plan = lc.Plan(design, ["accuracy"], budget=60, params={"horizon": horizon})
        engine = known.engine(plan, 1)
        engine.extend(200)
        ends = {}
        for labels in label(engine, known.truth):
            stage = headline_stage(engine)
            assert stage.labels == min(labels, 60 * horizon)
            assert second_stage_started(engine) == (labels > 60 * horizon)
            if labels not in (1, 59, 60, 61, 119, 120, 121, 200):
                continue
            one = scalar_results(stage)["accuracy"]
            ends[labels] = one.low, one.high
            assert f"up to {60 * horizon} labels" in one.sentence()
        beyond = {ends[labels] for labels in ends if labels >= 60 * horizon}
        assert len(beyond) == 1 and ends[59] not in beyond


@pytest.mark.parametrize(
    ("change", "started"),
    [
        ({}, True),
        ({"asked": 60}, False),
        ({"given": 30, "asked": 31}, True),
        ({"watched_for": 45, "asked": 90}, False),
        ({"most": 61}, False),
        ({"most": 61, "target": "process"}, True),
        ({"superseded": True}, False),
        ({"superseded": True, "most": 61}, False),
        ({"horizon": None, "watched_for": 60}, True),
        ({"horizon": None, "watched_for": 60, "most": 61}, True),
        ({"horizon": None, "watched_for": 61}, False),
        ({"horizon": None, "watched_for": 60, "extended": False}, False),
        ({"horizon": None, "watched_for": 60, "promise": Promise.WATCHED}, False),
    ],
)
def test_when_a_second_stage_has_started(change: dict[str, Any], started: bool) -> None:
    """Beyond the horizon, until all items have a class; of a fixed promise after an extension."""
    case = {
        "horizon": 2, "superseded": False, "promise": Promise.FIXED,
        "target": "file", "extended": True, "asked": 61, "watched_for": 30, "given": 0,
        "most": 200, "labelled": 61, **change,
    }  # fmt: skip
    seen = {**case, "asked": [None] * case["asked"], "kinds": {"labelled": case["labelled"]}}
    engine: Any = SimpleNamespace(**seen, plan=SimpleNamespace(**case))
    assert second_stage_started(engine) == started


def test_the_planned_band_is_kept_until_the_new_one_lies_inside(known: Known) -> None:
    """In plans that a margin may end; bands of others narrow all the way."""
    plan = lc.Plan("simple_random", ["accuracy"], budget=30, margin=0.001, params={"horizon": 4})
    engine = known.engine(plan, 1)
    engine.extend(120)
    bands = {}
    for labels in label(engine, known.truth):
        one = scalar_results(engine)["accuracy"]
        bands[labels] = one.low, one.high
    assert bands[31] == bands[30]
    low, high = bands[30]
    for labels in range(31, 121):
        assert bands[labels] == (low, high) or low <= bands[labels][0] <= bands[labels][1] <= high
    assert bands[120] != bands[30]


@pytest.mark.parametrize(
    ("now", "kept", "both"),
    [
        ((0.5, 0.45, 0.55), (0.5, 0.45, 0.55), (0.5, 0.45, 0.55)),
        ((0.58, 0.5, 0.7), (0.58, 0.4, 0.6), (0.58, 0.5, 0.6)),
        ((0.45, 0.4, 0.7), (0.45, 0.4, 0.6), (0.45, 0.4, 0.6)),
        ((0.7, 0.55, 0.8), (0.7, 0.55, 0.8), (0.6, 0.55, 0.6)),
        ((0.7, 0.6, 0.8), (0.7, 0.6, 0.8), (0.6, 0.6, 0.6)),
        ((0.75, 0.7, 0.8), (0.75, 0.7, 0.8), (0.75, 0.7, 0.8)),
    ],
)
def test_what_is_left_of_the_band_of_the_planned_size(
    known: Known, now: Numbers, kept: Numbers, both: Numbers
) -> None:
    """The planned band is 0.4 to 0.6; a value is never outside what is shown."""
    engine = known.engine(lc.Plan("simple_random", "accuracy", budget=30), 1)
    one = replace(scalar_results(engine)["accuracy"], state=State.INTERVAL)
    planned, given = (
        replace(one, value=value, low=low, high=high) for value, low, high in ((0.5, 0.4, 0.6), now)
    )
    for merged, wanted in ((kept_band, kept), (both_bands, both)):
        found = merged(planned, given)
        assert (found.value, found.low, found.high) == wanted
    early = replace(given, state=State.TOO_FEW)
    assert both_bands(planned, early) == early


@pytest.mark.parametrize(("unsure", "draws"), [("either way", 15), ("judged", 12)])
def test_the_planned_size_is_reached_by_answers_that_count(
    known: Known, unsure: str, draws: int
) -> None:
    engine = known.engine(lc.Plan("simple_random", "accuracy", budget=10, unsure=unsure), 1)
    engine.extend(20)
    for number in range(17):
        give(engine, "later" if number in (3, 7) else "unsure" if number in (4, 5, 9) else "yes")
    assert _draws_to_planned(engine) == draws


def test_a_margin_is_met_by_every_figure_that_has_one_and_none_that_waits() -> None:
    def met(*found: tuple[float, State]) -> bool:
        """Of the figures of all items, 0.1 wide at most, and of a group, of any width."""
        questions = [SimpleNamespace(key=f"{n}", group=None) for n in range(len(found))]
        questions.append(SimpleNamespace(key="in a group", group=1))
        results = {
            f"{n}": SimpleNamespace(state=state, has_interval=state.has_interval, half_width=half)
            for n, (half, state) in enumerate([*found])
        }
        plan = SimpleNamespace(margin_of=lambda grouped: None if grouped else 0.1)
        return within_margin(SimpleNamespace(questions=questions, plan=plan), results)  # type: ignore[arg-type]

    near = (0.1, State.INTERVAL)
    assert met(near, (0.05, State.INTERVAL)) and not met(near, (0.11, State.INTERVAL))
    assert not met(near, (0.05, State.WAITING)) and not met(near, (0.05, State.TOO_FEW))


def test_of_items_like_these_nothing_is_exact(known: Known) -> None:
    for target, state in (("file", "exact"), ("process", "interval")):
        plan = lc.Plan("simple_random", "accuracy", budget=300, target=target, promise="fixed")
        found = scalar_results(labelled(known.engine(plan, 1), known.truth))["accuracy"]
        assert found.state == state and (found.high > found.low) == (target == "process")


@pytest.mark.parametrize("design", DESIGNS)
def test_finishing_early_leaves_an_interval_without_a_promise(design: str, known: Known) -> None:
    engine = known.engine(lc.Plan(design, SCALARS, budget=100, promise="fixed"), 1)
    steps = label(engine, known.truth)
    while engine.labels < 60:
        next(steps)
    engine.finished = True
    for one in scalar_results(engine).values():
        assert (one.state, one.promise) == ("stopped early", "none") and one.high - one.low < 1
        assert "no promise" in one.sentence()


def test_goal_reached_and_not_reached(known: Known) -> None:
    for margin, expected in ((0.3, "goal reached"), (0.01, "not reached")):
        plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=100, margin=margin, stop=())
        engine = labelled(known.engine(plan, 1), known.truth)
        assert scalar_results(engine)["accuracy"].state == expected


def test_an_extension_leaves_the_first_stage_as_the_result(known: Known) -> None:
    plan = lc.Plan("recalibrated_neyman", SCALARS, budget=80, promise="fixed", seed=1)
    session = lc.Session(known.population, plan)

    def go() -> None:
        answer_draws(session, known)

    go()
    first = session.results()
    session.extend(budget=140)
    go()
    assert session.labels == 140
    assert session.results() == first
    assert all(one.labels_used == 80 for one in session.results().values())
    stage = first_stage(session.engine)
    assert stage.labels == 80 and stage.drawn.sum() == 80 and session.engine.labels == 140


@pytest.mark.parametrize(("design", "promise"), [one for one in PROMISED if one[0] in DESIGNS])
def test_later_inside_the_prefix_counts_both_ways(design: str, promise: str, known: Known) -> None:
    """Two sessions, the same draws: in one of them ten items are put off. The interval must hold
    what it would be with the ten answered in the worst and in the best way."""
    ends = {}
    for answer in ("later", "all yes", "all no"):
        engine = known.engine(lc.Plan(design, ["prevalence"], budget=90, promise=promise), 1)
        put_off = range(20, 30)
        while engine.peek() is not None:
            index = len(engine.asked) + 1
            position = engine.peek()[1]  # type: ignore[index]
            truth = known.population.classes[known.truth[position]]
            words = {"later": "later", "all yes": "yes", "all no": "no"}
            give(engine, words[answer] if index in put_off else truth)
            if design in ADAPTIVE and len(engine.asked) == 36:
                break  # adaptive from here on: the sessions would draw other items
        engine.finished = True
        ends[answer] = scalar_results(engine)["prevalence"]
    put, low, high = ends["later"], ends["all no"], ends["all yes"]
    assert put.low <= low.low + 1e-9 and high.high <= put.high + 1e-9
    assert put.high - put.low > high.high - high.low


@pytest.mark.parametrize("kind", ["unsure", pytest.param("broken", marks=pytest.mark.full)])
def test_unsure_items_of_a_method_that_judges_none_count_both_ways(kind: str, known: Known) -> None:
    widths = {}
    for every in (0, 100, 10):
        plan = lc.Plan("oversampling", ["accuracy"], budget=200, promise="fixed")
        engine = known.engine(plan, 1)
        while engine.peek() is not None:
            index = len(engine.asked) + 1
            truth = known.population.classes[known.truth[engine.peek()[1]]]  # type: ignore[index]
            give(engine, kind if every and index % every == 0 else truth)
        one = scalar_results(engine)["accuracy"]
        widths[every] = one.high - one.low
        assert ("worst to best" in " ".join(one.assumptions)) == (every > 0)
        assert engine.answers_given == 200
    assert widths[0] < widths[100] < widths[0] + 0.04 < widths[10]


@pytest.mark.parametrize("design", DESIGNS)
def test_broken_item_at_the_census_is_not_exact_of_all_items(design: str, tmp_path: Path) -> None:
    small = calibrated(tmp_path, 90, seed=5)
    engine = small.engine(lc.Plan(design, ALL, budget=90, unsure="either way"), 1)
    while engine.peek() is not None:
        truth = small.population.classes[small.truth[engine.peek()[1]]]  # type: ignore[index]
        give(engine, "broken" if len(engine.asked) == 45 else truth)
    found = scalar_results(engine)
    assert all(one.has_interval for one in found.values())
    assert {found[key].state for key in ("accuracy", "prevalence", "f1")} == {"interval"}
    assert found["accuracy"].half_width > 0


@pytest.mark.parametrize("design", DESIGNS)
def test_a_census_with_a_broken_item_still_gives_a_figure_in_a_small_file(
    design: str, tmp_path: Path
) -> None:
    small = write(tmp_path, np.array([1, 0, 1, 1, 0, 1, 0]), score=np.arange(7) / 7,
                  thresholds={"lr": 0.5})  # fmt: skip
    engine = small.engine(lc.Plan(design, ["accuracy"], margin=0.1, unsure="either way"), 1)
    while engine.peek() is not None:
        give(engine, "broken" if len(engine.asked) == 2 else "yes")
    one = scalar_results(engine)["accuracy"]
    assert one.has_interval and one.value is not None and one.half_width > 0


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("confidence", [1e-9, 0.01])
def test_narrow_is_not_exact(design: str, confidence: float, known: Known) -> None:
    """At a low confidence an interval may have no width; only a census is exact."""
    plan = lc.Plan(design, SCALARS, budget=100, confidence=confidence, promise="fixed")
    engine = labelled(known.engine(plan, 1), known.truth)
    assert {one.state for one in scalar_results(engine).values()} == {"interval"}


@pytest.mark.parametrize("design", DESIGNS)
def test_no_value_rests_on_the_scores_alone(design: str, tmp_path: Path) -> None:
    """One label, on one side of the prediction: what needs the other side has no value."""
    rng = np.random.default_rng(0)
    score = np.round(rng.random(200), 4)
    one_label = write(tmp_path, (score > 0.5).astype(int), score=score, thresholds={"lr": 0.5})
    for seed in range(6):
        engine = labelled(one_label.engine(lc.Plan(design, ALL, budget=1), seed), one_label.truth)
        found = scalar_results(engine)
        above = score[engine.asked[0].position] >= 0.5
        missing = {"recall", "f1", "specificity"} | (
            {"false_omission_rate", "negative_predictive_value"} if above else {"precision"}
        )
        for key, one in found.items():
            assert (one.value is None) == (key in missing), key
            if key in missing:
                certain = one_label.certain(key, [engine.asked[0].position])
                assert (one.low, one.high) == pytest.approx(certain, abs=1e-12)
                assert "0 of 1 labels among" in one.sentence()


TRUTHS = {"all": np.ones(120, int), "none": np.zeros(120, int), "half": np.arange(120) % 2}
SAID = {"all": np.ones(120, int), "none": np.zeros(120, int), "some": (np.arange(120) < 40) * 1}


DEGENERATE = [
    (truth, said, *promised, target)
    for truth in TRUTHS
    for said in SAID
    for promised in PROMISED
    if promised[0] in (*DESIGNS, "oversampling")
    for target in ("file", "process")
]
EDGES = [
    *(one for one in DEGENERATE if (*one[:2], *one[3:]) == ("all", "none", "watched", "file")),
    ("none", "none", "recalibrated_neyman", "watched", "process"),
]
"""Every answer contradicts the classifier; and nothing is positive anywhere, by the default."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("truth", "said", "design", "promise", "target"), sampled(DEGENERATE, 6, seed=1, keep=EDGES)
)
@pytest.mark.filterwarnings("error")
def test_degenerate_files(
    truth: str, said: str, design: str, promise: str, target: str, tmp_path: Path
) -> None:
    """Everything or nothing positive, everything or nothing called positive: each quantity holds
    its true value, at the end of a sample and of the census, or says what is missing."""
    file = write(tmp_path, TRUTHS[truth], prediction=SAID[said], classes=("no", "yes"))
    if design == "oversampling" and said != "some":
        with pytest.raises(PlanError, match="draws from two groups"):
            file.engine(lc.Plan(design, ALL, budget=60, promise=promise), 2)
        return
    for budget in (60, 120, 10_000):
        plan = lc.Plan(design, ALL, budget=budget, promise=promise, target=target)
        engine = labelled(file.engine(plan, 2), file.truth)
        for key, one in scalar_results(engine).items():
            real = file.value(key)
            assert 0 <= one.low <= one.high <= 1 and one.sentence()
            if np.isnan(real):
                assert one.value is None and (one.low, one.high) == (0, 1), key
                continue
            assert one.low - 1e-9 <= real <= one.high + 1e-9, (key, one)
            if one.value is not None:
                assert one.low <= one.value <= one.high
            if budget >= 120 and target == "file":
                assert one.state == "exact" and one.value == pytest.approx(real)


def test_further_classifiers_over_the_same_labels() -> None:
    """Cells that mix, with empty ones: the second classifier's census is exact as well, and its
    interval on the way holds the truth."""
    rng = np.random.default_rng(1)
    score = np.round(rng.random(400), 5)
    truth = (rng.random(400) < score).astype(int)
    scores = {"A": score, "B": np.round(rng.random(400), 5)}
    population = items(scores=scores, thresholds={"A": 0.6, "B": 0.9})
    for design in DESIGNS:
        for budget in (100, 400):
            plan = lc.Plan(design, SCALARS, classifier=["A", "B"], budget=budget, promise="fixed")
            simulation = lc.simulate(population, plan, truth=truth, runs=3)
            table = simulation.table()
            assert set(table["estimand"]) == {f"{n}{at}" for n in SCALARS for at in ("", "@B")}
            assert table["covered"].mean() > 0.7
            if budget == 400:
                assert np.allclose(table["value"], table["truth"])
                assert np.allclose(table["low"], table["high"])


def test_several_classes() -> None:
    rng = np.random.default_rng(2)
    names = np.array(["a", "b", "c"])
    truth = names[rng.integers(0, 3, 300)]
    said = np.where(rng.random(300) < 0.7, truth, names[rng.integers(0, 3, 300)])
    population = items(predictions={"m": said}, scores={"m": rng.random(300).round(3)})
    for design in DESIGNS:
        plan = lc.Plan(design, ["accuracy", "precision", "recall"], budget=300, promise="fixed")
        if design in TWO_CLASSES:
            with pytest.raises(ValueError, match="two classes"):
                lc.preview(population, plan)
            continue
        table = lc.simulate(population, plan, truth=truth, runs=1).table().set_index("estimand")
        assert table["value"]["accuracy"] == pytest.approx(np.mean(said == truth))
        for name in names:
            called, real = said == name, truth == name
            both = (called & real).sum()
            assert table["value"][f"precision[{name}]"] == pytest.approx(both / called.sum())
            assert table["value"][f"recall[{name}]"] == pytest.approx(both / real.sum())
        with pytest.raises(ValueError, match="two classes"):
            lc.preview(population, lc.Plan(design, ["f1"], budget=10))


@pytest.mark.parametrize("design", WATCHABLE)
def test_an_item_put_off_at_the_end_counts_both_ways(design: str, known: Known) -> None:
    """What a person puts off is not a random part, wherever it stands in the order."""
    engine = known.engine(lc.Plan(design, ["recall"], budget=120, promise="watched"), 1)
    labelled_to(engine, known, 100)
    before = scalar_results_of([engine], alone=True)[0]["recall"]
    give(engine, "later")
    after = scalar_results_of([engine], alone=True)[0]["recall"]
    assert after.low <= before.low and after.high >= before.high
    assert after.half_width > before.half_width


@pytest.mark.parametrize(
    ("called", "truth", "name", "told"),
    [
        (0, 0.3, "precision", "no item is called 'yes', whatever is labelled"),
        (1, 0.3, "negative_predictive_value", "every item is called 'yes', whatever is labelled"),
        (1, 1.0, "specificity", "no item that is not 'yes' was found"),
        (0, 0.0, "recall", "no 'yes' item was found"),
    ],
)
def test_why_there_is_no_value(
    tmp_path: Path, called: int, truth: float, name: str, told: str
) -> None:
    labels = (np.arange(200) < 200 * truth).astype(int)
    known = write(tmp_path, labels, prediction=np.full(200, called), classes=["no", "yes"])
    engine = labelled(known.engine(lc.Plan("simple_random", [name], budget=100), 1), labels)
    found = scalar_results(engine)[name]
    assert (found.state, found.value, found.missing) == ("too few", None, told)
    later = "An interval is shown once the labels allow one" in found.sentence()
    assert later == (not told.endswith("labelled"))


def test_no_difference_of_classifiers_that_say_the_same_has_no_sign() -> None:
    random = np.random.default_rng(1)
    said = (random.random(80) < 0.5).astype(int)
    same = items(predictions={"a": said, "b": said})
    plan = lc.Plan("recalibrated_neyman", "accuracy_difference", classifier=("a", "b"), budget=30)
    engine = labelled(Engine(same, kept_plan(same, plan)), said)
    found = scalar_results(engine)["accuracy_difference"]
    assert [str(end) for end in (found.value, found.low, found.high)] == ["0.0"] * 3


def test_a_difference_whose_denominator_is_open_is_not_exact() -> None:
    """All items on which the two differ have a label, hardly one of the others: the difference of
    recalls is d / (positives), of which nobody knows how many there are."""
    sizes = np.array([3, *[9] * 6, 340, 6600], dtype=float)
    labelled, positive = np.array([[3, *[9] * 6, 2, 2], [3, *[0] * 6, 2, 0]], dtype=float)
    first, second = np.array([[1, *[0] * 6, 1, 0], [0, *[1] * 6, 1, 0]], dtype=bool)
    cells = Cells(sizes, labelled, positive, first, np.arange(9), second)

    def settled(name: str) -> bool:
        return is_settled(Question(name, DIFFERENCES[name], "a", 1, "b"), cells)

    assert settled("accuracy_difference") and not settled("recall_difference")


def test_answers_from_before_are_part_of_the_promised_stage(tmp_path: Path) -> None:
    """60 known answers of a plain sample and 40 new ones are the planned hundred: the promised
    stage ends with the 40th draw, and what is labelled beyond it changes nothing."""
    population = read(tmp_path, at_random(60), scores={"a": "s"}, thresholds={"a": 0.5})
    plan = lc.Plan("simple_random", ["accuracy"], budget=40, existing="random", seed=3)
    session, truth = lc.Session(population, plan), made()[1]

    def go() -> None:
        answer_draws(session, lambda draw: bool(truth[population.position(draw.item_id)]))

    go()
    first = session.results()["accuracy"]
    assert session.engine.setup.planned == 100 and first_stage_end(session.engine) == 40
    session.extend(budget=70)
    go()
    after = session.results()["accuracy"]
    assert session.labels == 70 + 60 and after.labels_used == first.labels_used == 100
    assert (after.low, after.high) == (first.low, first.high)


@pytest.mark.parametrize(("answered", "waits"), [(19, False), (18, True)])
def test_more_than_a_twentieth_open_waits(answered: int, waits: bool, known: Known) -> None:
    """One item put off: a twentieth of 20 items is not more than that, one of 19 is."""
    engine = known.engine(lc.Plan("simple_random", ["accuracy"], budget=100), 1)
    for number in range(answered + 1):
        truth = known.population.classes[known.truth[engine.peek()[1]]]  # type: ignore[index]
        give(engine, "later" if number == 3 else truth)
    assert engine.answers_given == answered and len(engine.open_positions()) == 1
    state = scalar_results(engine)["accuracy"].state
    assert state == (State.WAITING if waits else State.INTERVAL)


def test_no_look_is_promised_beyond_the_file() -> None:
    """Those of a random sample that was there before count."""
    until = []
    for horizon in (2, 3):
        plan = SimpleNamespace(horizon=horizon)
        engine: Any = SimpleNamespace(plan=plan, watched_for=100, most=200, given=30)
        until.append(promised_until(engine))
    assert until == [200, 230]


@pytest.mark.parametrize("target", ["file", "process"])
def test_a_file_without_any_item_called_positive(target: str, tmp_path: Path) -> None:
    """Its recall is 0; of items like these some may be called so."""
    truth = (np.arange(60) % 3 == 0).astype(int)
    known = write(tmp_path, truth, prediction=0 * truth)
    plan = lc.Plan("simple_random", ["recall"], budget=40, target=target, promise="fixed")
    found = scalar_results(labelled(known.engine(plan, 1), known.truth))["recall"]
    if target == "file":
        assert found.has_interval and (found.low, found.high) == (0, 0)
    else:
        assert not found.has_interval and found.missing == "no item is called 'yes'"


@pytest.mark.parametrize("promise", ["watched", "fixed"])
@pytest.mark.parametrize("design", ["recalibrated_neyman", "simple_random"])
def test_figures_of_several_classes_are_those_of_each_alone(
    design: str, promise: str, tmp_path: Path
) -> None:
    random = np.random.default_rng(3)
    said, truth = random.integers(0, 4, 400), random.integers(0, 4, 400)
    truth = np.where(random.random(400) < 0.7, said, truth)
    file = write(tmp_path, truth, prediction=np.array([*"abcd"])[said])
    plan = lc.Plan(design, ["accuracy", "precision", "recall"], budget=150, promise=promise)
    engine = labelled(file.engine(plan, 1), file.truth)
    together = {group[0].class_index: of_runs[0] for group, of_runs in figures_of([engine])}
    assert set(together) == {None, 0, 1, 2, 3}
    for answers, figures in together.values():
        alone = EstimatesScalars.of(engine.design).figures(answers, look_at(engine))
        np.testing.assert_allclose(figures.value, alone.value, rtol=1e-12)
        np.testing.assert_allclose(figures.low, alone.low, atol=1e-9)
        np.testing.assert_allclose(figures.high, alone.high, atol=1e-9)
        assert figures.method == alone.method
