"""Names of candidates in pictures; what else is drawn of them is asked by test_every_drawing."""

from collections.abc import Callable
from typing import Any

from labelcore.charts.candidates import candidates_chart, moving_bounds_chart
from tests.words.test_choices import BOUNDS, choice


def test_names_do_nothing(hostile: str, inert: Callable[[Any], bool]) -> None:
    bounds = BOUNDS.assign(classifier=[hostile, "b", "c"])
    assert inert(candidates_chart(choice(bounds=bounds)).figure)
    one = {"value": None, "low": 0.1, "high": 0.9, "state": "in"}
    looks = [{"labels": 5, "results": {"selection": {"candidates": {hostile: one}}}}]
    assert inert(moving_bounds_chart(looks, "selection", choice()).figure)
