"""What New project says that labels will give."""

import math
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.paired_comparison import PairedComparison
from labelcore.planning.methods import Line
from labelcore.planning.spendings import Spending
from labelcore.ui import forecasts, new_price
from labelcore.ui.new_price import RANDOM, THIS_PLAN, WITH_SCORES, Ahead, Row, words_of
from labelcore.ui.new_price_words import plan_price
from tests.columns import items

SAID = (["no", "yes", "yes"] * 67)[:200]


def read(*, scored: bool) -> lc.Population:
    scores = {"model": [n / 200 for n in range(200)]} if scored else {}
    return items(predictions={"model": SAID}, scores=scores)


@pytest.mark.parametrize(
    ("design", "scored", "name"),
    [
        ("recalibrated_neyman", True, WITH_SCORES),
        ("recalibrated_neyman", False, THIS_PLAN),
        ("simple_random", True, RANDOM),
    ],
)
def test_a_curve_is_called_by_what_its_plan_uses(design: str, scored: bool, name: str) -> None:
    population, plan = read(scored=scored), lc.Plan(design, ["accuracy"], budget=20)
    assert Ahead(plan, population, [Line(design, design)]).called(design) == name


def test_slider_and_picture_begin_at_the_fewest_labels_that_may_be_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(new_price, "show_chart", lambda chart, *given, **more: drawn.append(chart))
    population = read(scored=True)
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=100)
    ahead = Ahead(plan, population, [forecasts.forecast(population, plan)], 70)
    ahead.show()
    (chart,) = drawn
    assert ahead.stops[0] == 70 == chart.drawing.x.ends[0] == chart.table["Labels"].min()


@pytest.mark.parametrize(("labels", "warned"), [(100, True), (200, False)])
def test_scores_cannot_mislead_where_every_item_is_labelled(
    monkeypatch: pytest.MonkeyPatch, labels: int, warned: bool
) -> None:
    said: list[str] = []
    monkeypatch.setattr(new_price.st, "caption", lambda text, **more: said.append(text))
    population = read(scored=True)
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=labels)
    Ahead(plan, population, [forecasts.forecast(population, plan)]).show_promise()
    assert ("If your scores mislead" in said[0]) == warned


@pytest.mark.parametrize(
    ("design", "asked", "labels"),
    [
        ("recalibrated_neyman", "accuracy", 84),
        ("recalibrated_neyman", "accuracy", 110),
        ("geometric_strata", "precision_curve", 130),
        ("geometric_strata", "precision_curve", 150),
    ],
)
def test_the_slider_stands_below_the_number_in_the_picture(
    design: str, asked: str, labels: int
) -> None:
    """Its stops are as far from each other as numbers whose logarithms differ by as much."""
    population, plan = read(scored=True), lc.Plan(design, [asked], budget=labels)
    ahead = Ahead(plan, population, [forecasts.forecast(population, plan)], 70)
    stops = ahead.stops
    at = math.log(labels / stops[0]) / math.log(stops[-1] / stops[0])
    assert stops.index(labels) / (len(stops) - 1) == pytest.approx(at, abs=0.01)


def test_one_number_that_can_be_asked_has_no_picture_and_no_slider(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(new_price, "show_chart", lambda chart, *given, **more: drawn.append(chart))
    population = items(scores={"model": [n / 30 for n in range(30)]})
    plan = lc.Plan("geometric_strata", ["precision_curve"], budget=30)
    ahead = Ahead(plan, population, [forecasts.forecast(population, plan)], 30)
    ahead.show()
    assert ahead.stops == [30] and not drawn


def test_the_price_of_answers_that_two_people_give_is_that_of_their_items(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(new_price, "show_chart", lambda chart, *given, **more: drawn.append(chart))
    population = read(scored=True)
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=120)
    spent = Spending(0.5, 80, 40, 120, {"accuracy": 0.1})
    ahead = Ahead(plan, population, [forecasts.forecast(population, plan)], spent=spent)
    (width,) = ahead.half_widths.values()
    assert width == ahead.width_at(80) > 1.1 * ahead.width
    words = plan_price(plan, 120, ahead.half_widths, False, 2, ahead.spent)
    assert words.startswith("With 120 answers to 80 items, 16 min: ± ")
    ahead.show()
    own = drawn[0].table.query("Design == @WITH_SCORES")
    there = np.interp(np.log(120), np.log(own["Labels"]), own["Expected half-width"])
    assert there == pytest.approx(width, rel=0.03), "the dot is where the words say"


def test_rows_are_offered_where_there_are_two_and_one_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offered: list[list[str]] = []
    monkeypatch.setattr(new_price, "ask", lambda _, options, **more: offered.append([*options]))
    names = ["recalibrated_neyman", "simple_random"]
    rows = [Row(name, "watched", 100, False, name) for name in names]
    plan = lc.Plan(names[0], ["accuracy"], budget=100, promise="watched")
    for some, best in ((rows, 0), (rows, 1), (rows[:1], 0), (rows[1:], 1)):
        new_price.choose_row(some, plan, names[best])
    assert offered == [[f"{name} watched" for name in names]] * 2


def test_a_method_that_is_not_the_cheapest_says_why_it_is_recommended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    another = type("Duel", (PairedComparison,), {"settles": "recall_difference"})
    monkeypatch.setitem(lc.DESIGNS, "duel", another())
    names = ("recalibrated_neyman", "paired_comparison", "duel")
    rows = [Row(name, "watched", 180, False, name) for name in names]
    for best, why in (("paired_comparison", "accuracy"), ("duel", "recall")):
        told = words_of(rows, best).values()
        assert [*told] == [name + f" · its first labels settle {why}" * (name == best)
                           for name in names]  # fmt: skip
    assert [*words_of(rows, "recalibrated_neyman").values()] == [*names]


@pytest.mark.parametrize(
    ("place", "begun"),
    [
        (0, ("", "watched", None)),
        (1, ("simple_random", "watched", None)),
        (2, ("recalibrated_neyman", "fixed", None)),
    ],
)
def test_a_row_brings_the_method_that_it_names(
    monkeypatch: pytest.MonkeyPatch, place: int, begun: tuple[str, str, int | None]
) -> None:
    """With another promise another method may be the recommended one."""
    said: list[Any] = []
    kinds = [("recalibrated_neyman", "watched"), ("simple_random", "watched"),
             ("recalibrated_neyman", "fixed")]  # fmt: skip
    rows = [Row(design, promise, 100, False, design) for design, promise in kinds]
    monkeypatch.setattr(new_price, "ask", lambda name, take, **more: take(rows[place].name))
    monkeypatch.setattr(new_price, "begin", said.append)
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], margin=0.05, promise="watched")
    new_price.choose_row(rows, plan, "recalibrated_neyman")
    assert [(one.design, one.promise, one.budget) for one in said] == [begun]


def test_as_many_answers_as_items_are_not_exact_where_two_people_give_them() -> None:
    population = read(scored=True)
    plan = lc.Plan("simple_random", ["accuracy"], budget=200)
    spent = Spending(0.5, 133, 67, 200, {"accuracy": 0.05})
    ahead = Ahead(plan, population, [forecasts.forecast(population, plan)], spent=spent)
    fewer = forecasts.forecast(population, lc.Plan("simple_random", ["accuracy"], budget=133))
    assert ahead.half_widths == fewer.half_widths != {"accuracy": 0.0}
