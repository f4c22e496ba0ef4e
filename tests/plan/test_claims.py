"""Claims: read from text, turned into totals, decided by the labels."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.estimands import SCALARS
from labelcore.figures.current import FiguresNow
from labelcore.figures.stops import stop_reason
from labelcore.plan.claim_totals import Disagreements, claim_totals
from labelcore.plan.claims import GroupText, Quantity, read_claim
from labelcore.plan.stop_rules import read_stop
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings, label_all
from labelcore.replay import replay_project
from labelcore.results.types import Claim
from labelcore.stats.evidence import log_evidence_at
from labelcore.testing.known import NOISE, Known, calibrated, write
from tests.answering import answer_draws
from tests.cases import repeated
from tests.columns import items

N_ITEMS = 600
COMPARED = ("accuracy", "precision", "recall", "specificity", "false_omission_rate",
            "negative_predictive_value")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "left", "right", "above"),
    [
        ("precision >= 0.9", Quantity("precision"), 0.9, True),
        (" Recall[spam]  ≤ 80 % ", Quantity("recall", "spam"), 0.8, False),
        ("f1@B < 0.5", Quantity("f1", None, "B"), 0.5, False),
        ("accuracy[lr>=0.3] > 5e-1", Quantity("accuracy", "lr>=0.3"), 0.5, True),
        ("accuracy[A] > accuracy[B]", Quantity("accuracy", "A"), Quantity("accuracy", "B"), True),
        ("recall@A<recall@B", Quantity("recall", None, "A"), Quantity("recall", None, "B"), False),
        ("accuracy@lr>=0.3 > 0.8", Quantity("accuracy", None, "lr>=0.3"), 0.8, True),
        ("accuracy[a]b] > 0.8", Quantity("accuracy", "a]b"), 0.8, True),
        ("accuracy[] ] > 0.8", Quantity("accuracy", "]"), 0.8, True),
        ("precision[x]y]@m[1] ≥ .9", Quantity("precision", "x]y", "m[1]"), 0.9, True),
        ("accuracy@a]>b <= 0.8", Quantity("accuracy", None, "a]>b"), 0.8, False),
        ("accuracy[a > 1] > accuracy[b<=2]", Quantity("accuracy", "a > 1"),
         Quantity("accuracy", "b<=2"), True),
    ],
)  # fmt: skip
def test_read(text: str, left: Quantity, right: Quantity | float, above: bool) -> None:
    found = read_claim(text)
    assert (found.left, found.right, found.above) == (left, right, above)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("accuracy", "is not a claim such as"),
        ("accuracy >=", "is not a claim such as"),
        ("accuracy[] > 0.5", "must begin with one of"),
        ("accuracy[a]b > 0.5", "must begin with one of"),
        ("accuracy@ > 0.5", "must begin with one of"),
        ("accuracy => 0.9", "'accuracy => 0.9', where '=>' is to be '>='"),
        ("accuracy[A] > recall[B]", "compares 'accuracy' with 'recall'"),
        ("accuracy[A] > accuracy[B", "'accuracy.B' must be a share between 0 and 1"),
        ("accuracy >= 0.9 >= 0.8", "'0.9 >= 0.8' must be a share"),
    ],
)
def test_what_cannot_be_read(text: str, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        read_claim(text)


def named(*names: str) -> lc.Population:
    """Two items, called 0 and 1 by every classifier."""
    return items(predictions={name: [0, 1] for name in names})


COMPARISON = "accuracy@p > accuracy@q > 0.3"


@pytest.mark.parametrize(
    ("names", "text", "sides"),
    [
        (["p", "q > 0.3"], COMPARISON, ["p", "q > 0.3"]),
        (["p > accuracy@q", "other"], COMPARISON, ["p > accuracy@q"]),
        (["a[1]", "other"], "accuracy[x]@a[1] > 0.5", ["a[1]"]),
        (["x]@a[1", "other"], "accuracy[x]@a[1] > 0.5", ["x]@a[1"]),
    ],
)
def test_the_names_in_the_file_decide_between_two_readings(
    names: list[str], text: str, sides: list[str]
) -> None:
    population = named(*names)
    found = claim_totals(population, text, names[0], np.zeros(2, dtype=np.int64))
    assert [side.classifier for side in found.sides] == sides


def test_a_claim_with_two_readings_in_one_file_is_refused() -> None:
    population = named("p", "q > 0.3", "p > accuracy@q")
    with pytest.raises(PlanError, match="can be read in 2 ways with the names of this file"):
        claim_totals(population, COMPARISON, "p", np.zeros(2, dtype=np.int64))


@pytest.fixture(scope="module")
def two() -> Known:
    """Two classifiers of different quality on the same items."""
    rng = np.random.default_rng(5)
    truth = (rng.random(N_ITEMS) < 0.4).astype(int)
    sure = np.where(rng.random(N_ITEMS) < 0.85, truth, 1 - truth)
    poor = np.where(rng.random(N_ITEMS) < 0.65, truth, 1 - truth)
    return Known(items(predictions={"A": sure, "B": poor}), truth)


def true_value(known: Known, name: str, classifier: str) -> float:
    population = replace(
        known.population, predictions={"x": known.population.predictions[classifier]}
    )
    return Known(population, known.truth).value(name)


def holds(known: Known, text: str) -> bool:
    strata = np.arange(N_ITEMS) % 3
    claim = claim_totals(known.population, text, "A", strata)
    np.add.at(claim.tally.counts, (claim.tally.cell_of, known.truth), 1.0)
    return claim.holds(claim.tally.cells(claim.class_index).positive)


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_a_claim_holds_exactly_where_the_quantity_does(two: Known, name: str) -> None:
    value = true_value(two, name, "A")
    for step in (-0.01, 0.01):
        assert holds(two, f"{name} >= {value + step}") == (step < 0)
        assert holds(two, f"{name} <= {value + step}") == (step > 0)
        assert holds(two, f"{name}[A] > {value + step}") == (step < 0)


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_holds_exactly_where_one_is_larger(two: Known, name: str) -> None:
    better = true_value(two, name, "A") > true_value(two, name, "B")
    assert holds(two, f"{name}[A] > {name}[B]") == better
    assert holds(two, f"{name}[B] > {name}[A]") == (not better)
    assert holds(two, f"{name}[A] < {name}[B]") == (not better)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f1[A] > f1[B]", "cannot be compared by a count"),
        ("f1[A] > f1[B]", "divided by depends on the labels and on the classifier"),
        ("prevalence[A] > prevalence[B]", "it is the same for every classifier"),
        ("accuracy[A] > accuracy[A]", "two different classifiers"),
        ("accuracy[C] > 0.5", "no classifier 'C'; the file has A, B"),
    ],
)
def test_what_a_file_cannot_answer(two: Known, text: str, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        claim_totals(two.population, text, "A", np.zeros(N_ITEMS, dtype=np.int64))


def test_of_items_like_these_only_one_part_can_be_claimed(two: Known) -> None:
    zeros = np.zeros(N_ITEMS, dtype=np.int64)
    claim_totals(two.population, "precision >= 0.9", "A", zeros, "process")
    with pytest.raises(PlanError, match="claim it of this file"):
        claim_totals(two.population, "accuracy >= 0.9", "A", zeros, "process")
    parts = items(predictions={"said": [1, 0, 1, 1]}, groups={"part": [*"aabb"]})
    with pytest.raises(PlanError, match="claim it of this file"):  # b has but one part.
        claim_totals(parts, "accuracy[every part] >= 0.9", "said", zeros[:4], "process")


def test_several_classes_name_theirs() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 90)
    said = np.array(list("abc"))[np.where(rng.random(90) < 0.7, truth, (truth + 1) % 3)]
    population = items(predictions={"m": said})
    zeros = np.zeros(90, dtype=np.int64)
    with pytest.raises(PlanError, match=r"must name a class, as in 'precision\[c\] >= 0.9'"):
        claim_totals(population, "precision >= 0.9", "m", zeros)
    with pytest.raises(PlanError, match="two classes"):
        claim_totals(population, "f1 >= 0.9", "m", zeros)
    precision = float((truth[said == "b"] == 1).mean())
    accuracy = float((np.array(list("abc"))[truth] == said).mean())
    for text, value in (("precision[b] >= {}", precision), ("accuracy > {}", accuracy)):
        for step in (-0.01, 0.01):
            claim = claim_totals(population, text.format(value + step), "m", zeros)
            np.add.at(claim.tally.counts, (claim.tally.cell_of, truth), 1.0)
            cells = claim.tally.cells(claim.class_index)
            assert claim.holds(cells.positive) == (step < 0)


# --- in a session --------------------------------------------------------------------------------


def claims_of(session: lc.Session) -> list[Claim]:
    return [one for one in session.results().values() if isinstance(one, Claim)]


@pytest.mark.usefixtures("few_sessions_for_claims")
@pytest.mark.parametrize(
    "design", ["simple_random", pytest.param("recalibrated_neyman", marks=pytest.mark.full)]
)
def test_a_session_stops_when_the_claims_are_settled(design: str, two: Known) -> None:
    claims = ["recall >= 0.5", "precision >= 0.99"]
    plan = lc.Plan(design, ["precision"], classifier=["A"], claims=claims, seed=2)
    session = lc.Session(two.population, plan)
    while (draw := session.next()) is not None:
        if draw.index == 25:
            settled = [one.status != "undecided" for one in claims_of(session)]
            assert not all(settled) or session.labels == N_ITEMS
        session.answer(draw, bool(two.truth[two.population.position(draw.item_id)]))
    assert [one.status for one in claims_of(session)] == ["decided", "refuted"]
    assert session.status == "goal reached" and session.labels < N_ITEMS
    stops = [event.text for event in session.events if event.kind == "stopped"]
    assert stops == ["claims"]
    for one in claims_of(session):
        assert one.alpha == pytest.approx(0.05 / 2, abs=1e-12) and one.promise == "watched"
        strongest = max(one.log_evidence, one.log_evidence_against)
        assert strongest >= math.log(40) and "{" not in one.sentence()
        json.loads(one.to_json())
        assert len(one.to_frame()) == 1
    replay_project(session.store, session.project)
    session.extend(budget=session.labels + 5)
    assert session.next() is not None


def test_a_fixed_plan_that_goes_on_keeps_its_figure_and_settles_its_claim(two: Known) -> None:
    plan = lc.Plan(
        "simple_random", ["accuracy"], classifier="A", promise="fixed", budget=30,
        claims=["accuracy >= 0.7"], stop=(), seed=4,
    )  # fmt: skip
    session = lc.Session(two.population, plan)
    answer_draws(session, two)
    before = session.results()
    figure, claim = before["accuracy"], before["accuracy >= 0.7"]
    assert isinstance(figure, lc.Estimate) and isinstance(claim, Claim)
    assert (claim.status, claim.labels_used) == ("undecided", 30)
    session.extend(budget=200)
    answer_draws(session, two)
    after = session.results()
    held, settled = after["accuracy"], after["accuracy >= 0.7"]
    assert isinstance(held, lc.Estimate) and isinstance(settled, Claim)
    assert (held.value, held.low, held.high) == (figure.value, figure.low, figure.high)
    assert held.labels_used == 30, "the first stage stays the result"
    assert (settled.status, settled.labels_used) == ("decided", 200), "evidence takes every label"
    assert settled.log_evidence > claim.log_evidence
    replay_project(session.store, session.project)


@pytest.mark.parametrize("kind", ["later", "unsure", "broken"])
def test_items_without_a_class_count_against_a_claim_and_its_opposite(
    kind: str, two: Known
) -> None:
    """Also those that figures leave out, which are about the items that a person can judge."""
    plan = lc.Plan("simple_random", ["accuracy"], classifier="A", claims=["accuracy >= 0.7"],
                   budget=300, stop=(), seed=2)  # fmt: skip
    session = lc.Session(two.population, plan)
    strengths = []
    while (draw := session.next()) is not None and draw.index <= 150:
        doubtful = draw.index in range(100, 106)
        right = bool(two.truth[two.population.position(draw.item_id)])
        before = claims_of(session)[0] if doubtful else None
        session.answer(draw, kind if doubtful else right)
        if before is not None:
            after = claims_of(session)[0]
            strengths.append(after.log_evidence - before.log_evidence)
            assert after.log_evidence_against < before.log_evidence_against + 1e-9
    assert len(strengths) == 6 and max(strengths) < 0


def crossings(known: Known, plan: lc.Plan, sessions: int) -> tuple[int, int]:
    """Sessions in which the evidence for the first claim is at or above 1/alpha at any label, and
    those in which the ordinary one-sided bound clears .8 at any label: the broken twin."""
    wrong, naive = 0, 0
    engines = list(beginnings(known.population, kept_plan(known.population, plan), range(sessions)))
    label_all(engines, known.truth)
    for engine in engines:
        claim = engine.claims[0]
        drawn = [asked.position for asked in engine.asked]
        in_cell = np.eye(len(claim.tally.size))[claim.tally.cell_of[drawn]]
        labelled = in_cell.cumsum(axis=0)
        positive = (in_cell * known.truth[drawn][:, np.newaxis]).cumsum(axis=0)
        found = log_evidence_at(
            claim.tally.size, labelled, positive, claim.linear[0], claim.rates, target="file"
        )
        wrong += bool((found >= math.log(20)).any())
        n, s = (part[10:, claim.linear[0].weight != 0].sum(axis=1) for part in (labelled, positive))
        naive += bool(((s / n - 0.8) / np.sqrt(0.16 / n) > 1.645).any())
    return wrong, naive


@pytest.mark.parametrize("learns", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_false_claim_is_hardly_ever_decided(tmp_path: Path, learns: bool) -> None:
    """At the boundary, looked at every label; with the default method's learning allocation too."""
    rng = np.random.default_rng(8)
    truth = np.zeros(1000, dtype=int)
    truth[:800] = 1
    score = np.clip(np.where(truth == 1, 0.8, 0.7) + 0.2 * rng.random(1000) - 0.1, 0.51, 0.99)
    known = write(tmp_path, truth, score=np.round(score, 4), thresholds={"lr": 0.5})
    asked = {"estimands": ["precision"], "claims": ["precision > 0.8"], "stop": ()}
    strata = {"n_above": 3, "n_below": 2}
    learning = lc.Plan("recalibrated_neyman", budget=100, params=strata, **asked)
    plain = lc.Plan("simple_random", budget=300, **asked)
    if learns:
        assert crossings(known, learning, 30)[0] <= binom.isf(NOISE, 30, 0.05)
        return
    wrong, naive = crossings(known, plain, 100)
    assert wrong <= binom.isf(NOISE, 100, 0.05) < naive


def test_the_expected_size_lies_among_what_sessions_need(tmp_path: Path) -> None:
    """The median of a few imagined sessions is itself noisy, and sizes vary tenfold."""
    known = calibrated(tmp_path, 800, seed=3, a=0.3, b=1.2)
    expected = {}
    for gap in (0.16, 0.08):
        claim = f"accuracy >= {known.value('accuracy') - gap:.3f}"
        plan = lc.Plan("simple_random", ["accuracy"], claims=[claim])
        expected[gap] = lc.preview(known.population, plan).expected_labels
        if gap == 0.16:
            found = lc.simulate(known.population, plan, truth=known.truth.tolist(), runs=7, seed=1)
            needed = found.table()["labels_used"]
            assert needed.min() <= expected[gap] <= needed.max()
    assert expected[0.08] > 1.5 * expected[0.16]


def test_simulated_claims_are_rows_like_others(tmp_path: Path) -> None:
    known = calibrated(tmp_path, 800, seed=3)
    claims = ["accuracy >= 0.6", "accuracy >= 0.97"]
    plan = lc.Plan("simple_random", ["accuracy"], claims=claims, budget=400)
    table = lc.simulate(known.population, plan, truth=known.truth.tolist(), runs=2).table()
    good, bad = (table[table["estimand"] == text] for text in claims)
    assert set(good["truth"]) == {1.0} and set(good["chosen"]) == {"decided"}
    assert set(bad["truth"]) == {0.0} and set(bad["chosen"]) == {"refuted"}
    assert good["covered"].all() and bad["covered"].all()


# --- stop rules ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_sessions_for_claims")
def test_any_and_all(two: Known) -> None:
    text = "accuracy >= 0.6"
    wide = {"margin": 0.2, "claims": [text], "classifier": "A", "seed": 2}
    ends = {}
    for how in ("any", "all"):
        plan = lc.Plan("simple_random", ["accuracy"], stop=(how, "margin", "claims"), **wide)
        engine = two.engine(plan, 2)
        label_all([engine], two.truth)
        ends[how], now = (engine.labels, stop_reason(engine, None)), FiguresNow(engine)
        assert now.results()[text] is now.claims()[text]  # What stop rules ask, too.
    assert ends["any"][0] <= ends["all"][0] and ends["all"][1] == "margin; claims"
    assert ends["any"][1] in ("margin", "claims", "margin; claims")


def test_a_deadline_stops_at_its_moment(two: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = "deadline 2027-01-31T18:00"
    plan = lc.Plan("simple_random", ["accuracy"], classifier="A", budget=50, stop=stop)
    assert plan.stop == ("deadline 2027-01-31T18:00:00+00:00",)
    engine = two.engine(plan, 1)
    assert stop_reason(engine, "2027-01-31T17:59:59+00:00") == ""
    assert stop_reason(engine, "2027-01-31T19:00:00+01:00") == plan.stop[0]
    assert read_stop("deadline 2027-01-31T18:00-05:00") == ("deadline 2027-01-31T18:00:00-05:00",)
    past = lc.Plan("simple_random", ["accuracy"], classifier="A", budget=50,
                   stop="deadline 2020-01-31T18:00")  # fmt: skip
    monkeypatch.setattr("labelcore.session.projects.now", lambda: "2020-01-01T00:00:00+00:00")
    session = lc.Session(two.population, past)
    assert session.next() is None and session.events[-1].text == past.stop[0]
    replay_project(session.store, session.project)


# --- of groups -----------------------------------------------------------------------------------

GERMAN, FRENCH = GroupText("language", "de"), GroupText("language", "fr")
EVERY_LANGUAGE, SOME_LANGUAGE = (GroupText("language", "", each) for each in ("every", "some"))


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("accuracy[language=de] >= 0.8", Quantity("accuracy", group=GERMAN), 0.8),
        ("precision@lr[language=de] > 0.8", Quantity("precision", None, "lr", GERMAN), 0.8),
        ("recall[spam]@lr[every language] > 0.8",
         Quantity("recall", "spam", "lr", EVERY_LANGUAGE), 0.8),
        ("accuracy[some language] < 0.7", Quantity("accuracy", group=SOME_LANGUAGE), 0.7),
        ("prevalence[language=de] > prevalence[ language = fr ]",
         Quantity("prevalence", group=GERMAN), Quantity("prevalence", group=FRENCH)),
    ],
)  # fmt: skip
def test_read_of_groups(text: str, left: Quantity, right: Quantity | float) -> None:
    found = read_claim(text)
    assert (found.left, found.right) == (left, right)


LANGUAGES = ("de", "en", "fr")


@pytest.fixture(scope="module")
def spoken(two: Known) -> Known:
    """The same items in three languages, the classifiers of another worth in each."""
    random = np.random.default_rng(11)
    language = np.array(LANGUAGES)[random.choice(3, N_ITEMS, p=[0.5, 0.3, 0.2])]
    said = {name: two.population.predictions[name] for name in "AB"}
    return Known(items(predictions=said, groups={"language": language}), two.truth)


def of_language(known: Known, name: str, classifier: str, language: str) -> float:
    column = known.population.groups["language"]
    mine = np.flatnonzero(column.codes == column.names.index(language))
    return true_value(Known(known.population.part(mine), known.truth[mine]), name, classifier)


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_a_claim_on_groups_holds_exactly_where_their_figures_do(spoken: Known, name: str) -> None:
    each = {one: of_language(spoken, name, "A", one) for one in LANGUAGES}
    for step in (-0.001, 0.001):
        below = step < 0
        for language, value in each.items():
            assert holds(spoken, f"{name}[language={language}] >= {value + step}") == below
        least, most = min(each.values()) + step, max(each.values()) + step
        assert holds(spoken, f"{name}[every language] >= {least}") == below
        assert holds(spoken, f"{name}[some language] < {least}") == (not below)
        assert holds(spoken, f"{name}@A[some language] > {most}") == below
        assert holds(spoken, f"{name}[every language] <= {most}") == (not below)


@pytest.mark.parametrize("name", ["accuracy", "precision", "prevalence"])
def test_a_comparison_of_groups_holds_exactly_where_one_is_larger(spoken: Known, name: str) -> None:
    larger = of_language(spoken, name, "A", "de") > of_language(spoken, name, "A", "fr")
    assert holds(spoken, f"{name}[language=de] > {name}[language=fr]") == larger
    assert holds(spoken, f"{name}[language=fr] > {name}[language=de]") == (not larger)


@pytest.mark.parametrize("name", COMPARED[:4])
def test_two_classifiers_are_compared_within_groups(spoken: Known, name: str) -> None:
    ahead = [
        of_language(spoken, name, "A", one) > of_language(spoken, name, "B", one)
        for one in LANGUAGES
    ]
    for each, true in (("every", all(ahead)), ("some", any(ahead))):
        assert holds(spoken, f"{name}@A[{each} language] > {name}@B[{each} language]") == true
    assert holds(spoken, f"{name}@A[language=de] > {name}@B[language=de]") == ahead[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "accuracy[langage=de] >= .7",
            "no column of groups 'langage'; the file has language.*did you mean 'language'",
        ),
        ("accuracy[every lang] >= .7", "no column of groups 'lang'.*did you mean 'language'"),
        ("accuracy[language=dee] >= .7", "no group 'dee' in 'language'; did you mean 'de'"),
        ("accuracy[language=xyz] >= .7", "no group 'xyz' in 'language'; it has de, en, fr"),
        ("recall[language=de] > recall[language=fr]", "depends on the labels and on the group"),
        ("accuracy[language=de] > accuracy", "name groups of one column on both sides"),
        ("accuracy[every language] > accuracy[some language]", "'every' must stand on both sides"),
        ("accuracy@A[language=de] > accuracy@B[language=fr]", "two groups by the same classifier"),
        ("accuracy[language=de] > accuracy[language=de]", "must name two different groups"),
    ],
)
def test_what_groups_cannot_answer(spoken: Known, text: str, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        claim_totals(spoken.population, text, "A", np.zeros(N_ITEMS, dtype=np.int64))


GROUPS, EACH, BOUNDARY, SESSIONS = 10, 60, 0.7, repeated(60)


def decided(shares: np.ndarray, text: str) -> tuple[int, int]:
    """Sessions of a plain random sample in which a claim is ever decided, and those in which its
    broken twin is: all groups shown by their mean, or some group by the largest evidence."""
    group = np.repeat(np.arange(GROUPS), EACH)
    truth = (np.arange(GROUPS * EACH) % EACH < np.round(shares[group] * EACH)).astype(int)
    parts = {"part": [f"g{of}" for of in group]}
    population = items(predictions={"said": ["1"] * len(group)}, groups=parts)
    claim = claim_totals(population, text, "said", np.zeros(len(group), dtype=np.int64))
    random, goal, found = np.random.default_rng(3), math.log(20), np.zeros(2, dtype=int)
    for _ in range(SESSIONS):
        order = random.permutation(len(group))
        cells = claim.tally.after_each(order, truth[order], claim.class_index)
        looks = slice(19, None, 30)

        labelled, positive = cells.labelled[looks], cells.positive[looks]
        each = {
            id(one): claim.log_evidence(cells, labelled, positive, one, "file")
            for one in claim.linear
        }
        nothing, every = np.zeros(len(labelled)), np.array(list(each.values()))
        twin = every.max(axis=0) if claim.of_some else np.log(np.exp(every).mean(axis=0))
        told = claim.evidence(lambda one, each=each, nothing=nothing: each.get(id(one), nothing))
        for place, evidence in enumerate((told[0], twin)):
            found[place] += bool((evidence >= goal).any())
    return int(found[0]), int(found[1])


@pytest.mark.full
def test_false_claims_on_several_groups_are_hardly_ever_decided() -> None:
    """All groups at the boundary of "some", and one of them at that of "every"."""
    most = binom.isf(NOISE, SESSIONS, 0.05)
    at_boundary = np.full(GROUPS, BOUNDARY)
    wrong, twin = decided(at_boundary, f"accuracy[some part] < {BOUNDARY}")
    assert wrong <= most < twin
    one_bad = np.where(np.arange(GROUPS) == 0, BOUNDARY, 0.95)
    wrong, twin = decided(one_bad, f"accuracy[every part] > {BOUNDARY}")
    assert wrong <= most < twin


def test_one_claim_on_all_groups_is_as_strong_as_the_weakest(spoken: Known) -> None:
    """Each group at the full error level; those that one group alone may settle share it."""
    texts = {one: f"accuracy[language={one}] >= 0.75" for one in LANGUAGES}
    every, some = "accuracy[every language] >= 0.75", "accuracy[some language] < 0.75"
    plan = lc.Plan("simple_random", "accuracy", classifier="A",
                   claims=[*texts.values(), every, some],
                   budget=60, stop=(), seed=2)  # fmt: skip
    session = lc.Session(spoken.population, plan)
    answer_draws(session, spoken)
    found = {one.claim: one for one in claims_of(session)}
    each = [found[text] for text in texts.values()]
    assert found[every].log_evidence == pytest.approx(min(one.log_evidence for one in each))
    mean = np.log(np.mean([np.exp(one.log_evidence_against) for one in each]))
    assert found[every].log_evidence_against == pytest.approx(mean)
    assert found[some].log_evidence == pytest.approx(mean)
    assert found[every].value == min(one.value for one in each if one.value is not None)
    assert found[every].statement == "the accuracy of 'A' in every language is at least 75.0 %"
    assert each[0].statement == "the accuracy of 'A' in language 'de' is at least 75.0 %"
    replay_project(session.store, session.project)


@pytest.mark.full
def test_the_ends_of_an_approximate_claim_on_all_groups(spoken: Known) -> None:
    """The lower one that of the weakest group at its full level, the upper one shared."""

    def ends(text: str, error: float) -> tuple[float, float]:
        plan = lc.Plan("simple_random", "accuracy", classifier="A", claims=[text], budget=60,
                       stop=(), seed=2, claim_form="approximate", confidence=1 - error)  # fmt: skip
        session = lc.Session(spoken.population, plan)
        answer_draws(session, spoken)
        (claim,) = claims_of(session)
        assert claim.low is not None and claim.high is not None
        return claim.low, claim.high

    alone = [ends(f"accuracy[language={one}] >= 0.75", 0.06) for one in LANGUAGES]
    shared = [ends(f"accuracy[language={one}] >= 0.75", 0.02) for one in LANGUAGES]
    low, high = ends("accuracy[every language] >= 0.75", 0.06)
    assert low == pytest.approx(min(one for one, _ in alone), abs=1e-9)
    assert high == pytest.approx(min(one for _, one in shared), abs=1e-9)
    assert ends("accuracy[some language] < 0.75", 0.06) == pytest.approx((low, high), abs=1e-9)


def test_counts_after_each_label_are_those_of_labels_given_one_by_one() -> None:
    """40 labels of 300 items of four strata and three classes, of which some are agreed on."""
    random = np.random.default_rng(2)
    stratum, truth = random.integers(0, 4, 300), random.integers(0, 3, 300)
    left, right = (random.integers(0, 3, 300).astype(np.int16) for _ in range(2))
    tally, drawn = Disagreements(stratum, left, right, 3), random.permutation(300)
    tally.add_all(drawn[:60], truth[drawn[:60]])
    ahead = drawn[60:100]
    found = tally.after_each(ahead, truth[ahead], None)
    for place, position in enumerate(ahead):
        tally.add(position, truth[position])
        now = tally.cells(None)
        np.testing.assert_array_equal(found.labelled[place], now.labelled)
        np.testing.assert_array_equal(found.positive[place], now.positive)
    assert now.labelled[:4].sum() < 100


@pytest.fixture
def even() -> Known:
    """40 items, of which A calls 32 rightly and B others, as many; no item is positive in g v."""
    truth = np.tile([0, 0, 0, 1, 0], 8)
    wrong = {"A": np.arange(40) % 5 == 0, "B": np.arange(40) % 5 == 1}
    table = pd.DataFrame({"id": [f"i{place}" for place in range(40)], "text": "x"})
    table["g"] = np.where(truth == 1, "u", np.where(np.arange(40) < 20, "u", "v"))
    for name, other in wrong.items():
        table[name] = np.where(other, 1 - truth, truth)
    return Known(
        lc.read_population(
            table, id="id", content="text", predictions={"A": "A", "B": "B"}, groups=["g"]
        ),
        truth,
    )


@pytest.mark.parametrize(
    ("text", "form", "holds", "words"),
    [
        ("accuracy[A] >= 0.8", "strict", True, "the accuracy of 'A' is at least 80.0 %"),
        ("accuracy[A] > 0.8", "strict", False, "not true that the accuracy of 'A' is above 80.0 %"),
        ("accuracy[A] < 0.8", "strict", False, "not true that the accuracy of 'A' is below 80.0 %"),
        ("accuracy[A] <= 0.8", "approximate", True, "the accuracy of 'A' is at most 80.0 %"),
        ("accuracy[A] > 0.8", "approximate", False, "not true that the accuracy of 'A' is above"),
        ("accuracy[A] >= accuracy[B]", "strict", True, "is at least the accuracy of 'B'"),
        ("accuracy[A] > accuracy[B]", "strict", False, "is above the accuracy of 'B'"),
        ("accuracy[A][some g] > 0.99", "strict", False, "in some g is above 99.0 %"),
        ("recall[A][every g] >= 0.5", "strict", None, "it is not decided whether the recall of"),
    ],
)
def test_a_claim_on_known_items_is_what_it_is(
    even: Known, text: str, form: str, holds: bool | None, words: str
) -> None:
    """Also at its boundary, where no evidence could ever settle it, unless it is about nothing."""
    plan = lc.Plan(
        "recalibrated_neyman", ["accuracy"], classifier=["A", "B"], claims=[text], claim_form=form,
        budget=40, stop=(),
    )  # fmt: skip
    session = lc.Session(even.population, plan)
    answer_draws(session, even)
    claim = session.claim(text)
    settled = {True: "decided", False: "refuted", None: "undecided"}
    assert claim.status == settled[holds] and words in claim.sentence()
    ends = claim.log_evidence, claim.log_evidence_against
    assert [end == math.inf for end in ends] == [holds is True, holds is False]


@pytest.mark.parametrize(("sign", "status"), [(">=", "decided"), ("<", "refuted")])
def test_two_classifiers_that_are_right_as_often_with_several_classes(
    sign: str, status: str
) -> None:
    truth = np.arange(30) % 3
    said = {
        name: [f"c{(k + (place % 5 == wrong)) % 3}" for place, k in enumerate(truth)]
        for wrong, name in enumerate("AB")
    }
    population = items(predictions=said)
    claim = f"accuracy[A] {sign} accuracy[B]"
    plan = lc.Plan(
        "recalibrated_neyman", ["accuracy"], classifier=["A", "B"], claims=[claim], budget=30,
        stop=(),
    )  # fmt: skip
    session = lc.Session(population, plan)
    answer_draws(session, lambda draw: f"c{truth[population.position(draw.item_id)]}")
    assert session.claim(claim).status == status
