"""What figures take the items for that people call unsure or broken."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import labelcore as lc
from labelcore.designs.base import COUNTED_RULES, JUDGED_RULES, LEARNED_RULES
from labelcore.errors import PlanError
from labelcore.figures.from_counts import answers_of, look_at
from labelcore.figures.scalars import scalar_results, scalar_results_of
from labelcore.figures.settled import settled_results
from labelcore.figures.unsure import TIMES
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings
from labelcore.promises import UNSURE
from labelcore.results.types import Estimate
from labelcore.stats.judged import in_the_file
from labelcore.testing.known import NOISE, Known, calibrated, write
from labelcore.words.short_sentences import short_sentence
from labelcore.words.unsure import either_way_words, odds_words
from tests.cases import once
from tests.columns import items
from tests.contracts.test_settled import settle
from tests.designs.paired_files import nearly_equal

ASKED = ("accuracy", "precision", "recall", "f1")
known = once(calibrated, 4000, seed=5)


def plan_of(design: str = "recalibrated_neyman", budget: int = 300, **values: object) -> lc.Plan:
    values.setdefault("promise", "fixed")
    return lc.Plan(design, values.pop("estimands", ASKED), budget=budget, **values)  # type: ignore[arg-type]


def give(engine: Engine, kind: str, name: str | None = None) -> None:
    engine.answer(engine.draw_next(), Event(0, kind, "", "me", label=name))


def answered(
    known: Known, plan: lc.Plan, unsure: np.ndarray | set[int], *,
    truth: np.ndarray | None = None, kind: str = "unsure", seed: int = 1,
) -> Engine:  # fmt: skip
    """All answers of a plan; ``unsure`` says of which items, (n_items,), or at which places."""
    engine, truth = known.engine(plan, seed), known.truth if truth is None else truth
    while (ahead := engine.peek()) is not None:
        place = len(engine.asked)
        if place in unsure if isinstance(unsure, set) else unsure[ahead[1]]:
            give(engine, kind)
        else:
            give(engine, "labelled", engine.population.classes[truth[ahead[1]]])
    return engine


def widths(engine: Engine) -> np.ndarray:
    return np.array([one.high - one.low for one in scalar_results(engine).values()])


@pytest.mark.parametrize("promise", ["fixed", pytest.param("watched", marks=pytest.mark.full)])
def test_one_unsure_answer_more_makes_no_jump(
    promise: str, known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six and seven of 300 answers. The twin leaves up to 2 % out, as rules before did: there the
    seventh makes every interval much wider, because all of them count both ways from there on."""
    six, seven = ({*range(20, 20 + 40 * number, 40)} for number in (6, 7))
    plan = plan_of(promise=promise)
    step = widths(answered(known, plan, seven)) / widths(answered(known, plan, six))
    assert (step < 1.05).all()
    monkeypatch.setattr(
        "labelcore.figures.unsure.both_ways",
        lambda engine: engine.undecided > 0.02 * engine.answers_given,
    )
    before = widths(answered(known, plan, seven)) / widths(answered(known, plan, six))
    assert (before > 1.15).any(), "otherwise this shows nothing"


def test_of_unsure_answers_alone_no_share_is_told(known: Known) -> None:
    """It was the roughly 0 % of the items that a person can judge."""
    engine = answered(known, plan_of(budget=60, promise="watched"), {*range(60)})
    (first, *_) = scalar_results(engine).values()
    assert first.sentence().startswith("For those of the 4,000 items in ")


DESIGNS = ("recalibrated_neyman", "simple_random", "agreement_patterns", "paired_comparison")


@pytest.mark.parametrize(("design", "promise"), [*product(DESIGNS, ("fixed", "watched"))])
def test_without_unsure_answers_every_reading_says_the_same(
    design: str, promise: str, two: Known
) -> None:
    asked = ("accuracy_difference",) if design == "paired_comparison" else ("recall", "accuracy")
    found = []
    for unsure in UNSURE:
        plan = plan_of(
            design, 60, promise=promise, unsure=unsure, estimands=asked, classifier=["a", "b"]
        )
        nobody = np.zeros(len(two.truth), dtype=bool)
        found.append(scalar_results(answered(two, plan, nobody)))
    assert found[0] == found[1] == found[2]


@pytest.fixture(scope="module")
def two() -> Known:
    """A file with two classifiers that disagree on many items."""
    random = np.random.default_rng(2)
    truth = (random.random(1500) < 0.3).astype(int)
    score = np.clip(truth * 0.4 + 0.6 * random.random(1500), 0, 1).round(4)
    other = np.clip(truth * 0.2 + 0.8 * random.random(1500), 0, 1).round(4)
    cuts = dict.fromkeys("ab", 0.5)
    population = items(scores={"a": score, "b": other}, thresholds=cuts, ids="{}")
    return Known(population, truth)


@pytest.mark.parametrize("kind", ["unsure", "broken"])
def test_nothing_sees_the_class_of_an_unsure_item(kind: str, known: Known) -> None:
    """Neither the draws nor a figure change with it; the twin, which sees it, draws others."""
    random = np.random.default_rng(4)
    unsure = random.random(len(known.truth)) < 0.2
    other = np.where(unsure, 1 - known.truth, known.truth)
    one, two = (answered(known, plan_of(), unsure, truth=t, kind=kind) for t in (None, other))
    assert one.drawn_positions.tolist() == two.drawn_positions.tolist()
    assert scalar_results(one) == scalar_results(two)
    nobody = np.zeros_like(unsure)
    seen = [answered(known, plan_of(), nobody, truth=t) for t in (None, other)]
    assert seen[0].drawn_positions.tolist() != seen[1].drawn_positions.tolist()


def test_an_answer_that_becomes_unsure_leaves_no_trace(known: Known) -> None:
    """Taken back and given as unsure, a class counts nowhere: the next batch is that of a session
    in which it was unsure from the start."""
    engines = [known.engine(plan_of(), 1) for _ in range(3)]
    for name, engine in zip(("yes", "no", None), engines, strict=True):
        if name is None:
            give(engine, "unsure")
        else:
            give(engine, "labelled", name)
            engine.undo(1)
            engine.answer(1, Event(0, "unsure", "", "me"))
    states = [engine.progress for engine in engines]
    for state in states[:2]:
        assert (state.labelled == states[2].labelled).all() and not state.labelled.any()
        assert (state.positive == states[2].positive).all()
        drawn = states[2].asked
        assert state.codes is not None and states[2].codes is not None and drawn is not None
        assert state.codes[drawn].tolist() == states[2].codes[drawn].tolist() == [-2]


def test_the_scope_says_how_many_can_be_judged(known: Known) -> None:
    unsure = np.random.default_rng(1).random(len(known.truth)) < 0.2
    one = scalar_results(answered(known, plan_of("simple_random"), unsure))["accuracy"]
    assert one.scope.judged == pytest.approx(0.8, abs=0.06)
    assert any("a person can judge" in text for text in one.assumptions)
    nobody = np.zeros_like(unsure)
    assert scalar_results(answered(known, plan_of(), nobody))["f1"].scope.judged is None


def test_no_share_is_told_of_items_that_are_never_asked(known: Known) -> None:
    """Precision alone asks only items that are called positive: answers tell nothing of the others,
    nor of one group. The twin told their share as that of all 4,000 items."""
    unsure = np.random.default_rng(1).random(len(known.truth)) < 0.1
    engine = answered(known, plan_of(estimands=("precision",), budget=200), unsure)
    one = scalar_results(engine)["precision"]
    assert not engine.frame.asked.all() and one.scope.judged == 0
    assert one.sentence().startswith("For those of the 4,000 items")
    assert "sure, of those that a person can judge: of the items" in short_sentence(one)


def test_a_census_is_exact_of_the_judged_items(known: Known, tmp_path: Path) -> None:
    small = write(tmp_path, known.truth[:60], score=np.linspace(0, 1, 60), thresholds={"lr": 0.5})
    unsure = np.arange(60) % 7 == 0
    for design in ("recalibrated_neyman", "simple_random"):
        engine = answered(small, plan_of(design, 60), unsure)
        found, said = scalar_results(engine), small.population.predictions["lr"] == 1
        right = (said == (small.truth == 1))[~unsure].mean()
        assert found["accuracy"].value == pytest.approx(right) and found["accuracy"].low == right
        assert {one.state for one in found.values()} == {"exact"}
        least, hidden = right * (1 - unsure.mean()), unsure.mean()
        for one in (found["accuracy"].odds, found["accuracy"].either_way):
            assert one is not None and least - 1e-9 < one.low
            assert one.high < least + hidden + 1e-9, "no more than every unsure item right"


def covered(known: Known, unsure: np.ndarray, runs: int) -> tuple[float, float]:
    """How often accuracy of the judged items is held, by their sizes and, the twin, by those of the
    file."""
    said = known.population.predictions["lr"] == 1
    truth = float((said == (known.truth == 1))[~unsure].mean())
    held = np.zeros((runs, 2), dtype=bool)
    for run in range(runs):
        engine = answered(known, plan_of(budget=150, estimands=["accuracy"]), unsure, seed=run)
        answers, look = answers_of([engine], engine.questions)[0], look_at(engine)
        whole = replace(answers, cells=in_the_file(answers.cells))
        for place, one in enumerate((answers, whole)):
            found = engine.design.figures(one, look)
            held[run, place] = found.low[0] <= truth <= found.high[0]
    return tuple(held.mean(axis=0))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("design", "promise", "budget"),
    [("recalibrated_neyman", "fixed", 20), ("simple_random", "watched", 30)],
)
def test_an_end_is_never_inside_what_may_be_judged(
    design: str, promise: str, budget: int, tmp_path: Path
) -> None:
    """All but one of those called positive are: an interval ends at 1 - 1 / n, n being how many of
    them can be judged, which nobody knows before each is answered. A plain sample rounds it."""
    called, unsure = (np.arange(60) < number for number in (30, 6))
    truth = called & (np.arange(60) != 20)
    known = write(tmp_path, truth.astype(int), prediction=called.astype(int))
    wanted = truth[called & ~unsure].mean()

    def found(**values: int) -> list[Estimate]:
        plan = plan_of(design, budget, estimands=("precision",), promise=promise, **values)
        engines = (answered(known, plan, unsure, seed=seed) for seed in range(12))
        return [scalar_results(engine)["precision"] for engine in engines]

    assert {one.low <= wanted <= one.high for one in found()} == {True}
    assert min(one.high for one in found()) < 1, "that one was found"
    before = found(rules=LEARNED_RULES - 1)
    assert any(one.high < wanted for one in before), "stored plans have the ends that they had"


def settled_differences(known: Known, runs: int, rules: int) -> tuple[float, float, set[str]]:
    """The share of sessions that hold the true difference in accuracy of the items that a person
    can judge, that by what another person settles of each label, and the states: every item on
    which the two differ is answered, a fifth are unsure."""
    plan = plan_of("paired_comparison", 90, estimands=["accuracy_difference", "recall_difference"],
                   classifier=["a", "b"], overlap=0.9)  # fmt: skip
    plan = replace(kept_plan(known.population, plan), rules=rules)
    a, b = (known.population.predictions[name] == known.truth for name in ("a", "b"))
    held, settled, states = [], [], set()
    for engine in beginnings(known.population, plan, range(runs)):
        unsure = np.random.default_rng((4, len(held))).random(len(a)) < 0.2
        while (ahead := engine.peek()) is not None:
            name = engine.population.classes[known.truth[ahead[1]]]
            give(engine, *(("unsure",) if unsure[ahead[1]] else ("labelled", name)))
        assert {*np.flatnonzero(a != b)} <= {*engine.drawn_positions}
        found, truth = scalar_results(engine)["accuracy_difference"], (a * 1.0 - b)[~unsure].mean()
        held.append(found.low - 1e-12 <= truth <= found.high + 1e-12)
        states |= {str(found.state)} if truth else set()  # 0 is 0, however many can be judged.
        settle(engine, lambda position, label: label, every=1)
        one = settled_results(engine)["accuracy_difference@settled"]
        settled.append(one.low - 1e-12 <= truth <= one.high + 1e-12)
    return float(np.mean(held)), float(np.mean(settled)), states


@pytest.mark.full
def test_how_many_can_be_judged_moves_a_difference_whose_items_are_all_answered() -> None:
    """200 sessions of 90 answers in 400 items, at least 93 %; the twins, plans of before, divide by
    the estimated number as if it were known, last for what is settled."""
    known, runs = nearly_equal(400, 40, seed=3), 200
    held, settled, states = settled_differences(known, runs, COUNTED_RULES)
    assert min(held, settled) >= binom.ppf(NOISE, runs, 0.93) / runs and states == {"interval"}
    same, settled, _ = settled_differences(known, runs, JUDGED_RULES)
    assert same == held and settled < 0.7
    held, _, states = settled_differences(known, runs, JUDGED_RULES - 1)
    assert held < 0.7 and states == {"exact"}


def test_a_part_that_is_never_asked_may_all_be_judged() -> None:
    """Accuracy alone asks nothing where the two say the same: that three in ten are unsure where
    they differ says little of the others, of whom here nobody is."""
    known = nearly_equal(400, 40, seed=3)
    a, b = (known.population.predictions[name] == known.truth for name in ("a", "b"))
    unsure = (a != b) & (np.arange(400) % 3 == 0)
    plan = plan_of("paired_comparison", 90, estimands=["accuracy_difference"],
                   classifier=["a", "b"])  # fmt: skip
    engine = answered(known, plan, unsure)
    found, truth = scalar_results(engine)["accuracy_difference"], (a * 1.0 - b)[~unsure].mean()
    assert engine.labels < 40 and found.low - 1e-12 <= truth <= found.high


def test_a_part_that_is_never_asked_leaves_a_sampled_difference_as_wide_as_it_is() -> None:
    """A sample of the items on which two differ, a tenth unsure: at most 1.3 times as wide as where
    nobody is. The twin, rules of before, went to all that the items without an answer leave open.
    """
    known = nearly_equal(1500, 300, seed=3)
    plan = plan_of("paired_comparison", 100, estimands=["accuracy_difference"],
                   classifier=["a", "b"])  # fmt: skip
    frozen = kept_plan(known.population, plan)

    def wide(unsure: np.ndarray, rules: int = COUNTED_RULES) -> float:
        return float(widths(answered(known, replace(frozen, rules=rules), unsure))[0])

    unsure = np.arange(1500) % 10 == 0
    alone = wide(np.zeros(1500, dtype=bool))
    assert alone < wide(unsure) < 1.3 * alone < 3 * alone < wide(unsure, JUDGED_RULES)


def test_what_all_items_judged_would_make_a_difference_cuts_none_of_judged_items() -> None:
    """One of two is right on all 40 of 400 items on which they differ: before the first unsure
    answer a watched band ends at 40 of 400. Once there is one, whoever looked when, that band cuts
    nothing. The twin, plans of before, kept it and never held the true difference again."""
    known = nearly_equal(400, 40, seed=3)
    a, b = (known.population.predictions[name] for name in ("a", "b"))
    known.truth = np.where(a != b, a, known.truth)
    plan = plan_of("paired_comparison", 60, estimands=["accuracy_difference", "recall_difference"],
                   promise="watched", classifier=["a", "b"])  # fmt: skip
    plan, held = kept_plan(known.population, plan), {JUDGED_RULES: 0, COUNTED_RULES: 0}
    for seed, rules in product(range(12), held):
        unsure = np.random.default_rng(seed).random(400) < 0.2
        engine = answered(known, replace(plan, rules=rules), unsure, seed=seed)
        (stage,) = engine.stages([len(engine.asked)])
        looked, ended = scalar_results(engine), scalar_results_of([stage], ended=True)[0]
        found = looked["accuracy_difference"]
        truth = ((a == known.truth) * 1.0 - (b == known.truth))[~unsure].mean()
        held[rules] += found.low - 1e-12 <= truth <= found.high + 1e-12
        if rules == COUNTED_RULES:
            assert found.low == pytest.approx(ended["accuracy_difference"].low, abs=1e-7)
            assert found.high == pytest.approx(ended["accuracy_difference"].high, abs=1e-7)
    assert held[JUDGED_RULES] < 8 and held[COUNTED_RULES] > 10


@pytest.mark.full
@pytest.mark.slow
def test_judged_sizes_cover_where_people_are_unsure_near_the_cut(known: Known) -> None:
    """200 sessions of 150 answers, seeds 0 to 199; the twin leaves the unsure out and keeps the
    sizes of the file, of which those near the cut are then too large."""
    score = known.population.scores["lr"]
    chance = 0.8 * np.exp(-(((score - 0.5) / 0.2) ** 2))
    unsure = np.random.default_rng(8).random(len(score)) < chance
    judged, twin = covered(known, unsure, 200)
    limit = binom.ppf(NOISE, 200, 0.95) / 200
    assert judged >= limit
    assert twin < limit, "with the sizes of the file it must fail"


def test_the_odds_move_both_ends(known: Known) -> None:
    """Prevalence of a plain sample: with u of the items unsure and p positive among the others, the
    lower end goes down by u (p - p'), p' having a third of the odds of p; likewise upwards."""
    unsure = np.random.default_rng(1).random(len(known.truth)) < 0.2
    plan = plan_of("simple_random", estimands=["prevalence"], unsure="odds", classifier=None)
    engine = answered(known, plan, unsure)
    found = scalar_results(engine)["prevalence"]
    answers = answers_of([engine], engine.questions)[0]
    plain = engine.design.figures(answers, look_at(engine))
    cells = answers.cells
    rate = (cells.positive + 0.5) / (cells.labelled + 1)
    tally = engine.tallies[engine.questions[0].subject]
    none = tally.unresolved(engine.undecided_positions())
    whole = none.sum() / (none + cells.labelled).sum()
    share = (none + 2 * whole) / (none + cells.labelled + 2)
    hidden = none + (cells.size - none - cells.labelled) * share
    for end, bare, times in (
        (found.low, plain.low[0], 1 / TIMES), (found.high, plain.high[0], TIMES),
    ):  # fmt: skip
        odds = times * rate / (1 - rate)
        moved = (hidden * (odds / (1 + odds) - rate)).sum() / cells.size.sum()
        assert end == pytest.approx(bare + moved, abs=1e-12)
    assert found.low < plain.low[0] and found.high > plain.high[0]


def test_the_odds_move_both_ends_of_what_is_settled(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prevalence of a plain sample, of which every second label is settled, a fifth of the positive
    ones otherwise: with u of the items unsure the ends move by u (p - p'), p the settled share."""
    unsure = np.random.default_rng(1).random(len(known.truth)) < 0.2
    plan = plan_of("simple_random", estimands=["prevalence"], unsure="odds", overlap=0.5)
    engine = answered(known, plan, unsure)
    other = engine.population.classes[0]
    settle(engine, lambda position, label: other if position % 5 == 0 else label)
    found = settled_results(engine)["prevalence@settled"]
    monkeypatch.setattr("labelcore.figures.settled.counts_at_odds", lambda engine: False)
    bare = settled_results(engine)["prevalence@settled"]
    rate, hidden = found.value, engine.undecided / 300
    down, up = (rate - times * rate / (1 - rate + times * rate) for times in (1 / TIMES, TIMES))
    assert bare.low - found.low == pytest.approx(hidden * down, rel=0.2)
    assert bare.high - found.high == pytest.approx(hidden * up, rel=0.2)
    assert 0.1 < rate < known.truth.mean() and hidden > 0.15


def test_the_readings_are_one_wider_than_the_other(known: Known) -> None:
    unsure = np.random.default_rng(1).random(len(known.truth)) < 0.1
    found = [widths(answered(known, plan_of(unsure=one), unsure)) for one in UNSURE]
    assert (found[0] < found[1]).all() and (found[1] < found[2]).all()


def test_the_progress_of_a_plan_counts_unsure_answers(known: Known) -> None:
    """A plan of 300 answers has come to its end with the 300th, whatever it was."""
    unsure = np.random.default_rng(1).random(len(known.truth)) < 0.2
    engine = answered(known, plan_of(promise="watched"), unsure)
    assert engine.labels < 260 and look_at(engine).progress == 1.0
    either = answered(known, plan_of(promise="watched", unsure="either way"), unsure)
    assert look_at(either).progress == either.labels / 300


def test_a_helped_share_of_many_answers_is_that_of_the_judged_items(known: Known) -> None:
    score = known.population.scores["lr"]
    unsure = np.random.default_rng(8).random(len(score)) < 0.8 * score
    plan = plan_of(
        "simple_random", 1000, estimands=["prevalence"], params={"interval": "difference"}
    )
    found = scalar_results(answered(known, plan, unsure))["prevalence"]
    as_negative = (known.truth[~unsure] == 1).sum() / len(score)
    assert as_negative < found.low <= known.truth[~unsure].mean() <= found.high < known.truth.mean()


def test_helped_shares_are_of_judged_items(known: Known) -> None:
    """With the difference estimator the mean over 60 sessions is that of the judged items, not that
    of all; people are unsure where the score is high."""
    score = known.population.scores["lr"]
    unsure = np.random.default_rng(8).random(len(score)) < 0.8 * score
    plan = plan_of(
        "simple_random", 200, estimands=["prevalence"], params={"interval": "difference"}
    )
    runs = [scalar_results(answered(known, plan, unsure, seed=one)) for one in range(60)]
    values = np.array([one["prevalence"].value for one in runs])
    judged, every = known.truth[~unsure].mean(), known.truth.mean()
    error = values.std() / np.sqrt(60)
    assert abs(values.mean() - judged) < 4 * error < abs(every - judged)
    held = [one["prevalence"].low <= judged <= one["prevalence"].high for one in runs]
    assert np.mean(held) >= binom.ppf(NOISE, 60, 0.95) / 60


@pytest.mark.parametrize(
    ("design", "unsure", "told"),
    [
        ("recalibrated_neyman", "maybe", "unsure must be one of 'judged', 'odds', 'either way'"),
        ("oversampling", "odds", "unsure must be 'judged' or 'either way' for design 'over"),
        ("paula", "either way", "unsure must be 'judged' for design 'paula', got 'either way'"),
    ],
)
def test_unknown_readings_are_refused(design: str, unsure: str, told: str) -> None:
    asked = "precision_curve" if design == "paula" else "precision"
    with pytest.raises(PlanError, match=told):
        lc.Plan(design, asked, budget=100, unsure=unsure)
    with pytest.raises(TypeError, match="unsure must be one of"):
        lc.Plan("simple_random", "accuracy", budget=100, unsure=3)  # type: ignore[arg-type]


def test_a_method_that_judges_no_item_away_reads_either_way() -> None:
    assert plan_of(unsure="odds").unsure_reading == "odds"
    assert plan_of("oversampling", estimands=["precision"]).unsure_reading == "either way"


def test_the_words_say_of_which_items(known: Known) -> None:
    """The sentence speaks of the judged items, and beside it stands the range of all by the odds;
    the widest one is kept apart."""
    unsure = np.random.default_rng(1).random(len(known.truth)) < 0.1
    one = scalar_results(answered(known, plan_of(), unsure))["precision"]
    assert one.scope.judged is not None and one.odds is not None and one.either_way is not None
    share = f"{100 * one.scope.judged:.0f} %"
    assert f"For the roughly {share} of the 4,000 items" in one.sentence() and TIMES == 3
    assert (
        "that a person can judge" in one.sentence()
        and "unsure ones have ⅓ to 3 times the odds of others" in one.sentence()
    )
    left = f"{100 * (1 - one.scope.judged):.0f} %"
    assert f"sure, of all but about {left} that nobody can judge: of the items" in short_sentence(
        one
    )
    assert one.either_way.low < one.odds.low < one.low < one.high < one.odds.high
    assert "of all items" in either_way_words(one, "Precision")
    assert odds_words(one).startswith("Of all items ") and len(odds_words(one).split()) <= 20
    assert odds_words(replace(one, low=0.0, high=1.0)) == "", "where nothing is known"
    assert Estimate.from_dict(one.to_dict()) == one
    odds = answered(known, plan_of(unsure="odds"), unsure)
    two = scalar_results(odds)["precision"]
    assert one.odds.low <= two.low < one.low < one.high < two.high <= one.odds.high
    assert two.odds is None and "This holds if unsure ones" in two.sentence()
    either = answered(known, plan_of(unsure="either way"), unsure)
    last = scalar_results(either)["precision"]
    assert last.odds is last.either_way is None and last.scope.judged is None
    assert "judge" not in short_sentence(last)


def test_either_way_holds_what_a_figure_is_by_the_odds_at_every_label(known: Known) -> None:
    plan = plan_of("simple_random", 40, promise="watched", estimands=("accuracy", "recall"))
    engine = known.engine(plan, 1)
    number = 0
    while (ahead := engine.peek()) is not None:
        number += 1
        if number % 9 == 2:
            give(engine, "unsure")
        else:
            give(engine, "labelled", engine.population.classes[known.truth[ahead[1]]])
        for one in scalar_results(engine).values():
            if one.odds is not None and one.either_way is not None:
                assert one.either_way.low <= one.odds.low
                assert one.odds.high <= one.either_way.high


def test_without_a_figure_the_odds_move_no_end() -> None:
    """The second classifier calls nothing positive, so that it has no precision."""
    random = np.random.default_rng(3)
    said = {"a": np.where(random.random(120) < 0.4, "yes", "no"), "b": ["no"] * 120}
    population = items(predictions=said, classes=["no", "yes"])
    plan = plan_of("simple_random", 60, unsure="odds", target="process", classifier=["a", "b"])
    session = lc.Session(population, replace(plan, estimands=("accuracy",)))
    while (draw := session.next()) is not None:
        session.answer(draw, "unsure" if draw.index % 5 == 0 else draw.index % 2 == 0)
    (row,) = session.differences(estimand="precision").to_dict("records")
    assert np.isnan(row["value"])
    assert -1 <= row["low"] < row["high"] <= 1
