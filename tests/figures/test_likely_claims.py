"""Approximate claims: the region that settles them, what it counts, and what it promises."""

import operator
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest

import labelcore as lc
from benchmarks.horizon import of_plan, one_end, worst
from labelcore.figures import claims
from labelcore.figures.claims import all_settled, claim_results, likely_of
from labelcore.figures.from_counts import look_at
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning import forecast as planning
from labelcore.promises import ClaimStatus
from labelcore.stats.horizon import ONE_SIDED
from labelcore.testing.known import Known, calibrated
from tests.answering import labelled_to
from tests.cases import once
from tests.figures.test_scalars import give

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

FIGURES = ("accuracy", "precision", "recall", "f1")
known = once(calibrated, 600, seed=8)


def plan_of(design: str, *claims: str, **values: object) -> lc.Plan:
    given = {"budget": 80, "claim_form": "approximate", **values}
    return lc.Plan(design, FIGURES, claims=claims, stop=(), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("design", ["simple_random", "recalibrated_neyman", "oversampling"])
@pytest.mark.parametrize("labels", [1, 7, 40, 80])
def test_the_ends_are_those_of_an_interval_with_nearly_twice_the_error_level(
    design: str, labels: int, known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two claims share .1 / 1.9: the interval of both ends of each is the one at 95 %, before it is
    cut by earlier looks."""
    monkeypatch.setattr("labelcore.figures.scalars.narrows", lambda engine: False)
    engine = labelled_to(
        known.engine(
            plan_of(design, "recall >= 0.6", "precision <= 0.5", confidence=1 - 0.1 / ONE_SIDED), 3
        ),
        known,
        labels,
    )
    asked = lc.Plan(design, FIGURES, budget=80, confidence=0.95)
    figures = scalar_results(labelled_to(known.engine(asked, 3), known, labels))
    claims = claim_results(engine)
    for name, text in (("recall", "recall >= 0.6"), ("precision", "precision <= 0.5")):
        ends = (figures[name].low, figures[name].high) if figures[name].has_interval else (0, 1)
        assert (claims[text].low, claims[text].high) == pytest.approx(ends, abs=1e-9)
    (status,) = likely_of([engine], engine.setup.planned)
    assert status == [one.status for one in claims.values()]


@pytest.mark.parametrize(
    ("relation", "goal", "status"),
    [(">=", "low", "decided"), ("<", "low", "refuted"), (">", "high", "refuted"),
     ("<=", "high", "decided"), (">=", "middle", "undecided")],
)  # fmt: skip
def test_a_claim_is_settled_where_an_end_passes_its_number(
    relation: str, goal: str, status: str, known: Known
) -> None:
    engine = labelled_to(known.engine(plan_of("simple_random", "accuracy >= 0.5"), 5), known, 60)
    (before,) = claim_results(engine).values()
    number = {"low": before.low, "high": before.high, "middle": 0.5 * (before.low + before.high)}
    text = f"accuracy {relation} {number[goal]:.15f}"
    engine = labelled_to(known.engine(plan_of("simple_random", text), 5), known, 60)
    (found,) = claim_results(engine).values()
    assert found.status == status and found.form == "approximate"
    assert all_settled(claim_results(engine)) == (status != "undecided")


@pytest.mark.parametrize("name", ["ge", "gt", "le", "lt"])
def test_ends_settle_a_claim_where_it_holds_at_both_or_at_none(name: str) -> None:
    read = SimpleNamespace(above=name[0] == "g", strictly=name[1] == "t")
    claim, holds = SimpleNamespace(goal=0.5, read=read), getattr(operator, name)
    for ends in combinations((0.1, 0.49, 0.5, 0.51, 0.9), 2):
        at = [holds(end, 0.5) for end in ends]
        expected = "decided" if all(at) else "undecided" if any(at) else "refuted"
        assert claims._by_region(claim, *ends) == expected, ends  # type: ignore[arg-type]


@pytest.mark.parametrize("unknown", ["", "value", "part"])
@pytest.mark.parametrize("least", [True, False])
def test_the_ends_of_several_groups_are_those_that_hold_for_the_claim(
    least: bool, unknown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One's own end where each must be there, a shared one where one of them is enough."""
    monkeypatch.setattr(claims, "lacking_side", lambda engine, asked, lacks: ("", lacks))
    monkeypatch.setattr(claims, "_question", lambda claim: None)
    lacks = (False, unknown == "part", False)
    parts = [SimpleNamespace(cells=lambda index, one=one: one) for one in lacks]
    claim = SimpleNamespace(tallies=parts, class_index=0, of_least=least)
    own, shared = [(0.3, 0.6), (0.2, 0.8), (0.5, 0.7)], [(0.25, 0.65), (0.1, 0.95), (0.45, 0.75)]
    sides = [[SimpleNamespace(value=[np.nan if unknown == "value" and n == 1 else 0.5],
                              low=[low], high=[high]) for n, (low, high) in enumerate(side)]
             for side in (own, shared)]  # fmt: skip
    expected = (0.0 if unknown else 0.2, 0.65) if least else (0.45, 1.0 if unknown else 0.8)
    assert claims._known_ends(None, claim, sides) == expected  # type: ignore[arg-type]


def test_evidence_settles_on_the_side_of_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_by_all", lambda *_: ClaimStatus.UNDECIDED)
    monkeypatch.setattr(claims, "plug_in_totals", lambda cells, rates: cells)
    for lean, for_it, against in product((-1, 0, 1), (0.0, 3.0, 5.0), (0.0, 3.0, 5.0)):
        claim = SimpleNamespace(lean=lambda totals: totals, rates=None)
        reached = (lean > 0 and for_it > 0) or (lean < 0 and against > 0)
        expected = ("refuted" if lean < 0 else "decided") if reached else "undecided"
        found = claims._proved(None, claim, lean, (for_it, against), 3.0)  # type: ignore[arg-type]
        assert found == expected, (lean, for_it, against)


def test_items_without_a_verdict_count_both_ways(known: Known) -> None:
    text = "accuracy >= 0.5"
    engine = labelled_to(known.engine(plan_of("recalibrated_neyman", text), 5), known, 60)
    (before,) = claim_results(engine).values()
    give(engine, "unsure")
    (after,) = claim_results(engine).values()
    assert after.low < before.low and after.high > before.high


def test_items_without_a_verdict_are_no_way_to_the_size_of_a_claim(known: Known) -> None:
    """Figures leave them out and count them as planned for; a claim counts them both ways."""
    plan = plan_of("recalibrated_neyman", "accuracy >= 0.5")
    engine = labelled_to(known.engine(plan, 5), known, 60)
    give(engine, "unsure")
    assert (claims._one_sided(engine).answered, look_at(engine).answered) == (60, 61)


def test_beyond_its_labels_a_claim_keeps_what_they_said(known: Known) -> None:
    engine = known.engine(plan_of("simple_random", "accuracy >= 0.5"), 5)
    at_planned = claim_results(labelled_to(engine, known, 80))["accuracy >= 0.5"]
    engine.extend(160)
    labelled_to(engine, known, 160)
    now = claim_results(engine)["accuracy >= 0.5"]
    assert (now.low, now.high) == (at_planned.low, at_planned.high)
    assert now.log_evidence != at_planned.log_evidence, "evidence has no end"
    assert (now.value, now.labels_used, now.draws_used) == (at_planned.value, 80, 80)


@pytest.mark.parametrize("status", list(ClaimStatus))
def test_nothing_but_evidence_shows_a_claim(status: ClaimStatus, known: Known) -> None:
    engine = labelled_to(known.engine(plan_of("simple_random", "accuracy >= 0.5"), 5), known, 60)
    (found,) = claim_results(engine).values()
    said = replace(found, status=status).sentence()
    for word in ("show", "guarantee", "decided", "surely"):
        assert word not in said
    assert ("likely" in said) == (status != "undecided") and "approximate" in said
    assert "prove" in said or status == "undecided"


def test_the_forecast_shows_the_labels_of_both_forms(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "SESSIONS", 3)
    claims = ["accuracy >= 0.5"]
    strict = lc.Plan("simple_random", "accuracy", claims=claims)
    likely = replace(strict, claim_form="approximate")
    found = lc.preview(known.population, strict).derived["claims"]
    assert list(found) == ["strict", "approximate"]
    ahead = lc.preview(known.population, likely)
    assert ahead.derived["claims"] == found and ahead.expected_labels == found["approximate"]
    assert ahead.expected_labels <= ahead.planned
    session = lc.Session(known.population, likely)
    assert session.plan.planned == ahead.planned
    assert lc.Plan.from_json(session.plan.to_json()) == session.plan


@pytest.mark.parametrize("design", ["simple_random", "recalibrated_neyman"])
def test_a_budget_ends_the_labelling_and_delays_no_decision(design: str, known: Known) -> None:
    """The ends at 40 labels are the same whatever the budget is; with the error spent over the
    budget, as older plans do, they are not."""

    def ends(budget: int, planned: int | None) -> tuple[float | None, float | None]:
        plan = plan_of(design, "accuracy >= 0.5", budget=budget).with_planned(80)
        plan = replace(plan, planned=budget, claims_planned=planned)
        engine = Engine(known.population, plan)
        said, classes = known.population.predictions["lr"], known.population.classes
        for number in range(40):  # The same answers in turn: the items follow from the batch.
            index = engine.draw_next()
            called = int(said[engine.asked[index - 1].position])
            name = classes[1 - called if number % 5 == 0 else called]
            engine.answer(index, Event(0, "labelled", "", "test", label=name))
        (found,) = claim_results(engine).values()
        assert likely_of([engine]) == [[found.status]]
        return found.low, found.high

    assert ends(80, 60) == ends(160, 60)
    assert ends(80, None) != ends(160, None)
    assert ends(60, 60) == ends(60, None), "a budget that is spent over leaves nothing for later"


def test_what_claims_are_expected_to_need_is_frozen_and_follows_no_budget(known: Known) -> None:
    asked = plan_of("simple_random", "accuracy >= 0.72", budget=None)
    planned = [
        lc.Session(known.population, replace(asked, budget=budget, stop=None)).plan
        for budget in (None, 400, 550)
    ]
    scales = [int(plan.claims_planned or 0) for plan in planned]
    assert max(scales) <= 1.15 * min(scales), "a step of the looks of 21 sessions apart"
    assert [plan.planned for plan in planned] == [scales[0], 400, 550]
    small = lc.Session(known.population, replace(asked, budget=90)).plan
    assert small.claims_planned == 90
    assert lc.Plan.from_json(planned[1].to_json()) == planned[1]
    strict = lc.Session(known.population, replace(asked, budget=90, claim_form="strict")).plan
    assert "claims_planned" not in strict.to_dict()


@pytest.mark.parametrize(
    ("design", "values", "words"),
    [
        ("simple_random", {"claims": ()}, "needs a claim"),
        ("simple_random", {"claim_form": "sure"}, "must be one of strict, approximate"),
        ("simple_random", {"promise": "fixed"}, "needs promise 'watched'"),
        ("simple_random", {"claims": ("accuracy[a] > accuracy[b]",)}, "two classifiers"),
        ("simple_random", {"params": {"interval": "sequence"}}, "for a planned size"),
    ],
)
def test_what_an_approximate_claim_needs(
    design: str, values: dict[str, object], words: str
) -> None:
    given: dict[str, object] = {"claims": ("accuracy >= 0.5",), "claim_form": "approximate"}
    with pytest.raises(ValueError, match=words):
        lc.Plan(design, ["accuracy"], budget=80, **{**given, **values})  # type: ignore[arg-type]


def test_an_approximate_claim_may_be_followed_further() -> None:
    plan = lc.Plan("simple_random", ["accuracy"], claims=["accuracy >= 0.5"], budget=80)
    assert plan.horizon == 1
    likely = replace(plan, claim_form="approximate", budget=None)
    assert likely.horizon == 16 and likely.furthest(100) == 1600


@pytest.mark.parametrize("lower", [True, False])
def test_each_end_of_a_plain_sample_keeps_its_level_by_calculation(lower: bool) -> None:
    """Every look from the first label on, every rate up to one half; the twin, 1.645 standard
    errors at every look, must fail."""
    statistic = partial(one_end, lower=lower)
    kept = worst(60, statistic=statistic, standard_errors=of_plan(60, alpha=ONE_SIDED * 0.05))[0]
    twin = worst(60, statistic=statistic, standard_errors=lambda _: 1.645)[0]
    assert kept <= 0.05 < 0.2 < twin


def test_a_region_needs_labels(known: Known) -> None:
    engine = known.engine(plan_of("recalibrated_neyman", "f1 >= 0.5"), 5)
    (found,) = claim_results(engine).values()
    assert (found.low, found.high) == (0.0, 1.0) and found.status == "undecided"
    assert np.isfinite(found.log_evidence)
