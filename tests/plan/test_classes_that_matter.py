"""The classes that matter: only they have figures of their own, and the labels go to them."""

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.errors import PlanError
from labelcore.planning.methods import dearest_class
from labelcore.planning.outlook import Outlook
from tests.answering import answer_draws
from tests.columns import items

CLASSES = ("invoice", "letter", "offer", "order")
SHARES = (0.62, 0.25, 0.1, 0.03)
ASKED = ("accuracy", "precision", "recall")


@pytest.fixture(scope="module")
def population() -> lc.Population:
    rng = np.random.default_rng(3)
    truth = rng.choice(CLASSES, 3_000, p=SHARES)
    said = np.where(rng.random(3_000) < 0.85, truth, rng.choice(CLASSES, 3_000))
    table = pd.DataFrame({"text": "a", "pred": said, "truth": truth})
    return lc.read_population(table, content="text", predictions={"c": "pred"}, name="items.csv")


def plan(classes: tuple[str, ...] | None = None, **goal: float) -> lc.Plan:
    return lc.Plan("recalibrated_neyman", ASKED, classes=classes, **(goal or {"margin": 0.1}))


def labelled(population: lc.Population, chosen: lc.Plan) -> lc.Session:
    session = lc.Session(population, chosen)
    truth = dict(zip(population.ids(), population.column("truth"), strict=True))
    return answer_draws(session, lambda draw: truth[draw.item_id])


def test_the_labels_go_to_the_classes_that_matter(population: lc.Population) -> None:
    """The twin, all classes, spends ten times as much of its labels on the rare one."""
    share = {
        chosen: Outlook(population, plan(chosen, budget=400)).shares_by_class(400)["order"]
        for chosen in (None, ("invoice", "letter", "offer"))
    }
    assert share[None] > 3 * share["invoice", "letter", "offer"]
    for shares in (Outlook(population, plan(budget=400)).shares_by_class(400),):
        assert [*shares] == list(CLASSES) and sum(shares.values()) == pytest.approx(1)


def test_one_class_that_matters_gets_more_than_by_the_accuracy_alone(
    population: lc.Population,
) -> None:
    accuracy = lc.Plan("recalibrated_neyman", "accuracy", budget=400)
    alone = Outlook(population, accuracy).shares_by_class(400)["invoice"]
    assert (
        Outlook(population, plan(("invoice",), budget=400)).shares_by_class(400)["invoice"] > alone
    )


def test_where_every_item_is_asked_the_shares_are_those_of_the_file() -> None:
    alone = items(predictions={"c": [*"aaab"]})
    outlook = Outlook(alone, lc.Plan("recalibrated_neyman", "accuracy", budget=4))
    assert outlook.shares_by_class(4) == pytest.approx({"a": 0.75, "b": 0.25})


def test_without_the_rare_class_fewer_labels_are_needed(population: lc.Population) -> None:
    whole = lc.preview(population, plan())
    without = lc.preview(population, plan(("invoice", "letter", "offer")))
    assert without.expected_labels < 0.6 * whole.expected_labels
    found = dearest_class(population, plan())
    assert found is not None and found.name == "order"
    assert found.part == pytest.approx(without.expected_labels / whole.expected_labels)
    planned = Outlook(population, plan()).shares_by_class(whole.expected_labels)
    assert found.share == pytest.approx(planned["order"])


def test_with_a_budget_the_part_is_that_of_the_same_width(population: lc.Population) -> None:
    found = dearest_class(population, plan(budget=300))
    widths = [
        max(lc.preview(population, plan(one, budget=300)).expected_half_width.values())
        for one in (("invoice", "letter", "offer"), None)
    ]
    assert found is not None and found.part == pytest.approx((widths[0] / widths[1]) ** 2)
    assert dearest_class(population, plan(("order", "offer", "letter"), budget=300)) is not None


def test_nothing_is_dear_where_no_class_has_a_figure(population: lc.Population) -> None:
    assert dearest_class(population, lc.Plan("simple_random", ["accuracy"], budget=100)) is None
    assert dearest_class(population, plan(("order", "offer"))) is None


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (("order", "order"), "classes names one twice: order, order"),
        ((), "classes must name at least one"),
        (("order", "memo"), "classes names 'memo', which the file lacks; it has invoice"),
    ],
)
def test_faults_are_told_before_the_first_label(
    population: lc.Population, classes: tuple[str, ...], said: str
) -> None:
    with pytest.raises(PlanError, match=said):
        lc.Session(population, plan(classes, budget=100))


def test_two_classes_leave_no_choice() -> None:
    two = items(predictions={"c": [0, 1] * 50})
    with pytest.raises(PlanError, match="more than two"):
        lc.Session(two, lc.Plan("simple_random", ["precision"], classes=["yes"], budget=50))
