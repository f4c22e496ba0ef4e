"""Claims that one classifier has the higher accuracy, in files with several classes."""

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures import claims as claim_results
from labelcore.log.engine import Engine
from labelcore.plan.claim_totals import Disagreements, claim_totals
from labelcore.planning.forecast import _imagined, labels_to_settle
from labelcore.replay import replay_project
from labelcore.report import estimates_csv, report_html, report_json
from labelcore.results.types import Claim
from labelcore.testing.known import Known
from tests.answering import answer_draws
from tests.cases import once
from tests.columns import items

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")
NAMES = np.array(["x", "y", "z"])
CLAIM = "accuracy[A] > accuracy[B]"
N_ITEMS = 600


def made(only_a: int, only_b: int, neither: int = 12, n_items: int = N_ITEMS) -> Known:
    """Three classes; on so many items only A is right, only B, or neither and they disagree."""
    random = np.random.default_rng(4)
    kinds = [only_a, only_b, neither, 20]
    kind = random.permutation(np.repeat(np.arange(5), [*kinds, n_items - sum(kinds)]))
    truth = random.integers(0, 3, n_items)
    wrong = (truth + random.integers(1, 3, n_items)) % 3
    left = np.where((kind == 0) | (kind == 4), truth, wrong)
    right = np.select([kind == 0, kind == 2, kind == 3], [wrong, 3 - truth - wrong, wrong], truth)
    return Known(items(predictions={"A": NAMES[left], "B": NAMES[right]}), truth)


better = once(made, 110, 30)
clearly = once(made, 300, 5)
worse = once(made, 30, 110)
tied = once(made, 40, 40, n_items=160)


def test_without_scores_neither_is_expected_to_be_right_more_often(better: Known) -> None:
    codes = better.population.predictions
    tally = Disagreements(np.zeros(N_ITEMS, dtype=np.int64), codes["A"], codes["B"], 3)
    left, right = np.split(tally.rates(better.population, "A", "B"), 2)
    np.testing.assert_allclose(left, right)


def true_claim(known: Known, text: str) -> bool:
    claim = claim_totals(known.population, text, "A", np.arange(N_ITEMS) % 3)
    np.add.at(claim.tally.counts, (claim.tally.cell_of, known.truth), 1.0)
    return claim.holds(claim.tally.cells(claim.class_index).positive)


def test_a_comparison_holds_exactly_where_one_is_right_more_often(
    better: Known, worse: Known
) -> None:
    for known, a_leads in ((better, True), (worse, False)):
        assert true_claim(known, CLAIM) == a_leads
        assert true_claim(known, "accuracy[B] < accuracy[A]") == a_leads
        assert true_claim(known, "accuracy[B] > accuracy[A]") != a_leads


def test_the_counts_of_disagreements_by_stratum(better: Known) -> None:
    """Against a count by hand; items on which the two agree are left out."""
    stratum = np.arange(N_ITEMS) % 2
    claim = claim_totals(better.population, CLAIM, "A", stratum)
    a, b = (better.population.predictions[name] for name in "AB")
    some = np.arange(0, N_ITEMS, 3)
    for position in some:
        claim.tally.add(int(position), int(better.truth[position]))
    cells = claim.tally.cells(None)
    labelled = np.isin(np.arange(N_ITEMS), some)
    for group in (0, 1):
        inside = (stratum == group) & (a != b)
        seen = inside & labelled
        assert cells.size[group] == cells.size[group + 2] == inside.sum()
        assert cells.labelled[group] == cells.labelled[group + 2] == seen.sum()
        assert cells.positive[group] == (seen & (a == better.truth)).sum()
        assert cells.positive[group + 2] == (seen & (b == better.truth)).sum()
    assert claim.tally.unresolved(list(some)).tolist() == cells.labelled[:2].tolist()
    assert claim.tally.emptied().cells(None).labelled.sum() == 0
    assert claim.rates.shape == (4,) and (claim.rates[:2] + claim.rates[2:] <= 1).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f1[A] > f1[B]", "needs a file with two classes"),
        ("precision[x]@A > precision[x]@B", "in a file with several classes; compare their acc"),
        ("recall[x]@A > recall[x]@B", "in a file with several classes; compare their accuracy"),
        ("accuracy[A] > accuracy[A]", "two different classifiers"),
    ],
)
def test_what_several_classes_cannot_answer(better: Known, text: str, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        claim_totals(better.population, text, "A", np.zeros(N_ITEMS, dtype=np.int64))


def test_of_items_like_these_a_plain_random_sample_can_be_asked(better: Known) -> None:
    zeros = np.zeros(N_ITEMS, dtype=np.int64)
    claim_totals(better.population, CLAIM, "A", zeros, "process")
    with pytest.raises(PlanError, match="claim it of this file"):
        claim_totals(better.population, CLAIM, "A", np.arange(N_ITEMS) % 2, "process")


def session_of(known: Known, design: str, **asked: object) -> lc.Session:
    plan = lc.Plan(design, ["accuracy"], classifier="A", **{"claims": [CLAIM], "seed": 3, **asked})
    return lc.Session(known.population, plan)


def claim_of(session: lc.Session) -> Claim:
    (found,) = (one for one in session.results().values() if isinstance(one, Claim))
    return found


@pytest.mark.parametrize(
    ("design", "known", "text", "status"),
    [
        pytest.param("simple_random", "better", CLAIM, "decided", marks=pytest.mark.full),
        ("simple_random", "worse", CLAIM, "refuted"),
        ("recalibrated_neyman", "clearly", CLAIM, "decided"),
    ],
)
def test_a_session_decides_or_refutes(
    request: pytest.FixtureRequest, design: str, known: str, text: str, status: str
) -> None:
    file: Known = request.getfixturevalue(known)
    session = session_of(file, design, claims=[text])
    found = claim_of(answer_draws(session, file))
    assert found.status == status and session.labels < N_ITEMS
    assert session.status == "goal reached"
    assert max(found.log_evidence, found.log_evidence_against) >= math.log(20)
    assert ("signs" in found.method) == (design == "simple_random")
    assert found.source.endswith("labelcore.stats.three_outcomes")
    replay_project(session.store, session.project)


@pytest.mark.full
@pytest.mark.parametrize("design", ["simple_random", "recalibrated_neyman"])
def test_a_tie_is_open_as_long_as_a_disagreement_is(tied: Known, design: str) -> None:
    session, asked = session_of(tied, design), set()
    left = set(np.flatnonzero(np.diff([*tied.population.predictions.values()], axis=0)[0]))
    while left - asked:
        draw = session.next()
        place = tied.population.position(draw.item_id)
        session.answer(draw, tied.population.classes[tied.truth[place]])
        asked.add(place)
        if len(left - asked) in (1, 2):
            found = claim_of(session)
            assert found.status == "undecided"
            assert max(found.log_evidence, found.log_evidence_against) < math.log(20)
    assert claim_of(session).status == "refuted" and session.labels >= 158


def test_the_words_and_the_files(better: Known) -> None:
    session = session_of(better, "simple_random")
    found = claim_of(answer_draws(session, better))
    statement = "the accuracy of 'A' is above the accuracy of 'B'"
    assert found.statement == statement and statement in found.sentence()
    assert json.loads(found.to_json())["claim"] == CLAIM and found.value is None
    assert "from the signs of disagreements (strict)" in report_html(session)
    (row,) = (
        one for one in csv.DictReader(io.StringIO(estimates_csv(session))) if CLAIM in one.values()
    )
    assert "decided" in row.values()
    stored = json.dumps(report_json(session))
    assert statement in stored and "three_outcomes" in stored


def test_open_items_count_as_the_worst_of_three_outcomes(
    better: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The evidence is the least over every filling, found here by hand; none beyond the limit."""
    session = session_of(better, "recalibrated_neyman", budget=200, stop=())
    later: list[int] = []
    a, b = (better.population.predictions[name] for name in "AB")
    while (draw := session.next()) is not None and draw.index <= 150:
        position = better.population.position(draw.item_id)
        if draw.index >= 60 and len(later) < 3 and a[position] != b[position]:
            later.append(position)
            session.answer(draw, "later")
        else:
            session.answer(draw, better.population.classes[better.truth[position]])
    engine = session.engine
    (claim,) = engine.claims
    found = claim_of(session)
    by_hand = {1: math.inf, -1: math.inf}
    for answers in np.ndindex(3, 3, 3):
        filled = claim.on(claim.tally.emptied())
        filled.tally.counts[:] = claim.tally.counts
        for position, answer in zip(later, answers, strict=True):
            outcome = (a[position], b[position], 3 - a[position] - b[position])[answer]
            filled.tally.add(position, int(outcome))
        cells = filled.tally.cells(None)
        for sign, linear in ((1, claim.linear[0]), (-1, claim.linear[0].opposite)):
            value = filled.log_evidence(
                cells, cells.labelled[None], cells.positive[None], linear, "file"
            )[0]
            by_hand[sign] = min(by_hand[sign], value)
    assert len(later) == 3
    assert found.log_evidence == pytest.approx(by_hand[1], abs=1e-9)
    assert found.log_evidence_against == pytest.approx(by_hand[-1], abs=1e-9)
    monkeypatch.setattr(claim_results, "MOST_WAYS", 2)
    assert claim_results.claim_results(engine)[CLAIM].log_evidence == -math.inf


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize(
    ("open_items", "alone", "of_two"), [([2, 0], 3, 6), ([1, 2], 6, 18), ([0, 0], 1, 1)]
)
def test_every_filling_is_tried_or_none(
    open_items: list[int], alone: int, of_two: int, pairs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways, number = of_two if pairs else alone, np.array(open_items, dtype=float)
    monkeypatch.setattr(claim_results, "MOST_WAYS", ways)
    found = claim_results._fillings(number, pairs)
    assert found is not None and found.shape == (ways, 4 if pairs else 2)
    assert len(np.unique(found, axis=0)) == ways
    both = found[:, :2] + found[:, 2:] if pairs else found
    assert (both <= open_items).all() and found.min() >= 0
    monkeypatch.setattr(claim_results, "MOST_WAYS", ways - 1)
    assert claim_results._fillings(number, pairs) is None


def test_simulated_comparisons_are_rows_like_others(better: Known, worse: Known) -> None:
    for known, truth, chosen in ((better, 1.0, "decided"), (worse, 0.0, "refuted")):
        plan = lc.Plan("simple_random", ["accuracy"], classifier="A", claims=[CLAIM], budget=500)
        codes = [known.population.classes[code] for code in known.truth]
        table = lc.simulate(known.population, plan, truth=codes, runs=4).table()
        rows = table[table["estimand"] == CLAIM]
        assert set(rows["truth"]) == {truth} and set(rows["chosen"]) == {chosen}
        assert rows["covered"].all()


def test_imagined_labels_follow_both_classifiers(better: Known) -> None:
    """80 % each without scores: A is right on 80 %, B on 80 % of the rest of the disagreements."""
    plan = lc.Plan("simple_random", ["accuracy"], classifier="A", claims=[CLAIM], budget=300)
    engine = Engine(better.population, plan.with_planned(300))
    codes = np.array([_imagined(engine, np.random.default_rng(seed)) for seed in range(300)])
    a, b = (better.population.predictions[name] for name in "AB")
    differ = a != b
    assert set(np.unique(codes)) == {0, 1, 2}
    assert np.mean(codes == a) == pytest.approx(0.8, abs=0.01)
    assert np.mean((codes == b)[:, differ]) == pytest.approx(0.16, abs=0.01)
    neither = ((codes != a) & (codes != b))[:, differ]
    assert np.mean(neither) == pytest.approx(0.04, abs=0.01)


def test_the_expected_size_is_within_what_sessions_need(better: Known) -> None:
    plan = lc.Plan("simple_random", ["accuracy"], classifier="A", claims=[CLAIM], seed=5)
    expected = labels_to_settle(better.population, plan, N_ITEMS).expected
    codes = _imagined(
        Engine(better.population, plan.with_planned(N_ITEMS)), np.random.default_rng(1)
    )
    labels = [better.population.classes[code] for code in codes]
    found = lc.simulate(better.population, plan, truth=labels, runs=25, seed=2).table()
    needed = found[found["estimand"] == CLAIM]["labels_used"]
    assert needed.min() <= expected <= needed.max() < N_ITEMS
    backwards = replace(plan, claims=["accuracy[B] > accuracy[A]"])
    assert labels_to_settle(better.population, backwards, N_ITEMS).expected < N_ITEMS
