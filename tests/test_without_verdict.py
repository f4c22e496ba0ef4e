"""Items called unsure or broken: what claims and strict intervals make of them."""

import numpy as np
import pytest

import labelcore as lc
from labelcore.plan.claim_totals import claim_totals
from labelcore.results.types import Claim, Estimate
from tests.columns import items

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

ITEMS, LABELS, UNSURE_AT = 400, 120, 60
CLAIM = "accuracy >= 0.6667"


@pytest.fixture(scope="module")
def population() -> lc.Population:
    random = np.random.default_rng(3)
    score = np.round(random.random(ITEMS), 3)
    return items(scores={"c": score}, thresholds={"c": 0.5}, ids="{}")


def session_with(population: lc.Population, answer: object, claims: list[str]) -> lc.Session:
    """Every item judged as its score says but the one at ``UNSURE_AT``."""
    plan = lc.Plan(
        "simple_random", ["accuracy"], claims=claims, stop=(), budget=LABELS, promise="watched",
        params={"interval": "sequence"},
    )  # fmt: skip
    session = lc.Session(population, plan)
    score = population.scores["c"]
    while (draw := session.next()) is not None:
        said = bool(score[population.position(draw.item_id)] >= 0.3)
        session.answer(draw, answer if draw.index == UNSURE_AT else said)
    return session


def claim_of(session: lc.Session) -> Claim:
    found = session.results()[CLAIM]
    assert isinstance(found, Claim)
    return found


def test_a_single_unsure_item_counts_both_ways_in_a_claim(population: lc.Population) -> None:
    yes, no, unsure = (
        claim_of(session_with(population, answer, [CLAIM])) for answer in (True, False, "unsure")
    )
    least = min(yes.log_evidence, no.log_evidence)
    assert unsure.log_evidence == pytest.approx(least, abs=1e-9)
    against = min(yes.log_evidence_against, no.log_evidence_against)
    assert unsure.log_evidence_against == pytest.approx(against, abs=1e-9)
    assert abs(yes.log_evidence - no.log_evidence) > 0.1, "left out it would be neither"
    assert any("both ways" in one or "worst" in one for one in unsure.assumptions)
    assert "at least 66.67 %" in unsure.sentence(), "the number that was tested, not a rounder one"


def test_a_strict_interval_stays_strict_with_an_unsure_item(population: lc.Population) -> None:
    """It holds both cases, and needs no word on what the unsure items are like."""
    yes, no, unsure = (
        session_with(population, answer, []).results()["accuracy"]
        for answer in (True, False, "unsure")
    )
    assert isinstance(yes, Estimate) and isinstance(no, Estimate) and isinstance(unsure, Estimate)
    assert unsure.form == "strict" and "strict, valid" in unsure.sentence()
    assert unsure.low == pytest.approx(min(yes.low, no.low), abs=1e-9)
    assert unsure.high == pytest.approx(max(yes.high, no.high), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "at_a_tie"), [("accuracy >= 0.5", True), ("accuracy > 0.5", False),
                           ("accuracy <= 0.5", True), ("accuracy < 0.5", False)],
)  # fmt: skip
def test_a_tie_is_as_the_sign_says(population: lc.Population, text: str, at_a_tie: bool) -> None:
    claim = claim_totals(population, text, "c", np.zeros(ITEMS, dtype=np.int64))
    cells = claim.tally.cells(claim.class_index)
    half = np.where(cells.predicted, cells.size, 0.0)
    right = half.copy()  # every call right: positives where predicted, none elsewhere
    wrong = ITEMS // 2
    for k in range(len(right)):
        moved = min(wrong, int(cells.size[k]))
        right[k] += -moved if cells.predicted[k] else moved
        wrong -= moved
    assert claim.holds(right) is at_a_tie
