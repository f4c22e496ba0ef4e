"""The preview against what the simulation gives."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.figures.claims import all_settled, claim_results, settled_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.planning.forecast import _imagined, _looks, labels_to_settle, planned_size
from labelcore.planning.spendings import recommended, spendings
from labelcore.tallies import Cells
from labelcore.testing.known import SCALARS, Known, calibrated
from tests.cases import once, sampled
from tests.columns import items
from tests.designs.synthetic import NEEDED, PROMISED, SCALAR_DESIGNS, WATCHED

DESIGNS = SCALAR_DESIGNS
known = once(calibrated, 1500, seed=1)


SIZES = [(*promised, labels) for promised in PROMISED for labels in (150, 400)]
DEFAULT = [("recalibrated_neyman", "fixed", 400), ("recalibrated_neyman", "watched", 150)]


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(("design", "promise", "labels"), sampled(SIZES, 2, seed=1, keep=DEFAULT))
def test_expected_half_width(design: str, labels: int, promise: str, known: Known) -> None:
    """Calibrated scores: within 15 % of the mean of 25 runs (whose own noise is about 2 %)."""
    asked = WATCHED[design] if promise == "watched" else SCALARS
    plan = lc.Plan(design, asked, budget=labels, promise=promise)
    expected = lc.preview(known.population, plan).expected_half_width
    table = lc.simulate(known.population, plan, truth="truth", runs=25, seed=5).table()
    width = (table["high"] - table["low"]).groupby(table["estimand"]).mean() / 2
    for name in asked:
        assert expected[name] == pytest.approx(width[name], rel=0.15), name


@pytest.mark.parametrize("design", sampled(DESIGNS, 2, seed=1))
def test_expected_labels_meet_the_margin(design: str, known: Known) -> None:
    plan = lc.Plan(design, SCALARS, margin=0.08, promise="fixed")
    found = lc.preview(known.population, plan)
    assert max(found.expected_half_width.values()) <= 0.08
    fewer = replace(plan, budget=found.expected_labels - 20)
    assert max(lc.preview(known.population, fewer).expected_half_width.values()) > 0.0795
    assert planned_size(known.population, plan) == found.expected_labels == found.planned
    assert found.labels == found.derived["largest"] > found.planned, "what its pilot may come to"


def test_readings_are_spent_where_they_tell_most(known: Known) -> None:
    """How near the forecast comes is measured in docs/several_people.md."""
    plan = lc.Plan("recalibrated_neyman", SCALARS, budget=300, promise="fixed", overlap=0.1, seed=3)
    table = lc.preview(known.population, plan).readings.set_index("overlap")
    assert (table["readings"] - 330).abs().max() <= 2
    (best,) = table.index[table["recommended"]]
    assert 0.2 <= best < 1 and best < recommended_at(known, plan, 0.4)
    assert table["expected_half_width"][best] < 0.8 * table["expected_half_width"][0.1]
    three = spendings(known.population, replace(plan, readers=3), 330, shares=[0.5])[0]
    assert three.readings == three.items + 2 * three.twice and abs(three.readings - 330) <= 2
    assert spendings(known.population, replace(plan, budget=200), shares=[0.1])[0].items == 200
    near, far = (replace(plan, promise="watched", params={"horizon": times}) for times in (1, 4))
    assert widest(known, far) > 1.02 * widest(known, near), "it may be watched for longer"
    with pytest.raises(PlanError, match=r"disagreement must be a share above 0, up to .5, got 0"):
        spendings(known.population, plan, disagreement=0.0)


def test_readings_are_not_spent_on_a_figure_that_no_label_gives() -> None:
    items = pd.DataFrame({"text": "item", "said": ["no"] * 300})
    population = lc.read_population(
        items, content="text", predictions={"m": "said"}, classes=["no", "yes"], name="items.csv"
    )

    def narrowest(*estimands: str) -> float:
        plan = lc.Plan("recalibrated_neyman", estimands, budget=60, overlap=0.3, seed=1)
        return float(lc.preview(population, plan).readings["expected_half_width"].min())

    assert narrowest("precision", "accuracy") == narrowest("accuracy") < 0.3
    only = lc.Plan("recalibrated_neyman", "precision", budget=60, overlap=0.3, seed=1)
    assert spendings(population, only) == []


def widest(known: Known, plan: lc.Plan) -> float:
    return spendings(known.population, plan, 330, shares=[0.5])[0].half_width


def recommended_at(known: Known, plan: lc.Plan, disagreement: float) -> float:
    return recommended(spendings(known.population, plan, disagreement=disagreement)).overlap


def test_what_is_no_population_or_no_plan_is_refused(known: Known) -> None:
    for given in (("items.csv", lc.Plan("simple_random", "accuracy", budget=9)),
                  (known.population, "simple_random")):  # fmt: skip
        for asked in (lc.Session, lc.preview, partial(lc.simulate, truth="truth")):
            with pytest.raises(TypeError, match="what read_population and Plan give"):
                asked(*given)  # type: ignore[operator]


def test_planned_size_is_the_budget_where_there_is_one(known: Known) -> None:
    """Also beside a margin: the session and the simulation freeze the same size."""
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=300, margin=0.2, stop=())
    assert planned_size(known.population, plan) == 300
    assert planned_size(known.population, replace(plan, budget=9999)) == 1500
    assert lc.Session(known.population, plan).plan.planned == 300
    assert lc.simulate(known.population, plan, truth="truth", runs=1).plan.planned == 300


@pytest.mark.parametrize("design", DESIGNS)
def test_allocation_is_what_a_session_draws(design: str, known: Known) -> None:
    """The first batch exactly, the whole within the little that labels teach."""
    plan = lc.Plan(design, SCALARS, budget=300, promise="fixed")
    derived = lc.preview(known.population, plan).derived
    assert sum(derived["planned"]) == 300 and sum(derived["stratum_sizes"]) == 1500
    assert derived["edges"][-1] == 1500
    engine = known.engine(plan, 3)
    while engine.peek() is not None:
        engine.draw_next()  # no answers: the scores alone decide
    assert engine.drawn.tolist() == derived["planned"]


@pytest.mark.parametrize("budget", [1, 2, 5, 10_000])
@pytest.mark.parametrize("target", ["file", "process"])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.filterwarnings("error")
def test_any_size_has_a_preview(design: str, target: str, budget: int, known: Known) -> None:
    budget = max(budget, NEEDED.get(design, 1))
    plan = lc.Plan(design, list(SCALARS), budget=budget, target=target)
    widths = np.array(list(lc.preview(known.population, plan).expected_half_width.values()))
    assert np.all((widths >= 0) & (widths <= 0.5))


def test_notes_say_which_classifier_a_list_is_of(tmp_path: Path) -> None:
    known = calibrated(tmp_path, 300, seed=1)
    file = known.population.path
    both = lc.read_population(
        file, id="id", content="text", scores={"a": "score", "b": "score"},
        thresholds={"a": 0.5, "b": 0.6},
    )  # fmt: skip
    asked = ["accuracy", "precision_curve"]
    plan = lc.Plan("simple_random", asked, classifier=["a", "b"], budget=100)
    notes = lc.preview(both, plan).derived["notes"]
    assert "Of precision_curve there is one, along the scores of 'a'; none for 'b'." in notes
    alone = lc.Plan("simple_random", asked, classifier="a", budget=100)
    assert not any("none for" in note for note in lc.preview(both, alone).derived["notes"])


@pytest.mark.parametrize("ends", [(-0.5, 1.0), (0.0, 1.5), (0.0, 1.0)])
def test_scores_beyond_0_or_1_are_used_by_their_order(ends: tuple[float, float]) -> None:
    scores = np.linspace(*ends, 300)
    plan = lc.Plan("simple_random", ["accuracy"], budget=50)
    file = items(scores={"m": scores}, predictions={"m": (scores > 0.5).astype(int)})
    told = "The scores of 'm' lie between {:.4g} and {:.4g}, so".format(*ends)
    notes = lc.preview(file, plan).derived["notes"]
    assert any(note.startswith(told) for note in notes) == (ends != (0.0, 1.0))


def test_side_by_side_a_claim_is_settled_at_the_same_label_as_alone(known: Known) -> None:
    """A right answer more adds at most a ninth to the odds: at another error level it would be some
    labels earlier or later."""
    plan = lc.Plan("simple_random", ["accuracy"], claims=("accuracy >= 0.9",))
    begun = Engine(known.population, frozen(known.population, plan, 1500))

    def right_answers() -> Iterator[tuple[Engine, list[Cells]]]:
        engine = begun.beginning()
        claim = engine.claims[0]
        for cell in claim.tally.cell_of[:60]:
            claim.tally.counts[cell, claim.tally.prediction[cell]] += 1
            yield engine, [claim.tally.cells(claim.class_index)]

    first = settled_at(begun, [cells for _, cells in right_answers()]).tolist().index(True)
    near = islice(right_answers(), first - 1, first + 1)
    alone = [all_settled(claim_results(engine)) for engine, _ in near]
    assert alone == [False, True]


@pytest.mark.full
def test_sessions_side_by_side_are_settled_where_each_is(known: Known) -> None:
    """Against ``all_settled`` at each look alone; half of the sessions end in what is told."""
    claims = ("accuracy >= 0.6", "recall >= 0.3")
    plan = lc.Plan("recalibrated_neyman", ["accuracy", "recall"], claims=claims)
    begun = Engine(known.population, frozen(known.population, plan, 1500))
    engine = begun.beginning()
    alone, looks = [], []
    for _, cells in islice(_looks(engine, np.random.default_rng(2), 1500), 30):
        alone.append(all_settled(claim_results(engine)))
        looks.append(cells)
    assert settled_at(begun, looks).tolist() == alone and {*alone} == {False, True}
    found = labels_to_settle(known.population, plan, 1500)
    assert found.low < found.expected == found.planned < found.high
    assert lc.preview(known.population, plan).derived["claims_half"] == [found.low, found.high]


@pytest.mark.parametrize("form", ["strict", "approximate"])
def test_any_seed_forecasts_claims(known: Known, form: str) -> None:
    claim = {"claims": ["accuracy >= 0.6"], "claim_form": form, "budget": 60}
    plan = lc.Plan("simple_random", ["accuracy"], seed=-1, **claim)  # type: ignore[arg-type]
    session = lc.Session(known.population, plan)
    for draw in session.take(40):
        session.answer(draw, "no")
    assert session.errors_in_common().labels > 0


def test_claims_about_several_classes_are_forecast_by_the_scores() -> None:
    """As if 80 % were right a claim that is true would be refuted, and soon."""
    population = items(predictions={"m": [*"abc"] * 300}, scores={"m": [0.97] * 900})
    plan = lc.Plan("simple_random", "accuracy", claims=["accuracy >= 0.9"], budget=900)
    engine = Engine(population, frozen(population, plan, 900))
    codes = np.array([_imagined(engine, np.random.default_rng(seed)) for seed in range(50)])
    assert np.mean(codes == population.predictions["m"]) == pytest.approx(0.97, abs=0.005)
