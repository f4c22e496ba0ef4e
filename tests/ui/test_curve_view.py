"""Which estimates along the ranks are told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from labelcore.promises import Promise, State
from labelcore.results.types import Band, Cut
from labelcore.ui.curve_view import band_figure, curve_chart, says_little, told
from labelcore.ui.cutting import estimate_words
from labelcore.ui.explore import barely


def band(value: float, low: float, high: float, rank: float = 10.0, **more: object) -> Band:
    point = {name: np.array([one]) for name, one in (("value", value), ("low", low))}
    given = {"state": State.INTERVAL, "confidence": 0.95, **more}
    return Band(
        estimand="precision_curve", x=np.array([rank]), high=np.array([high]),
        threshold=np.array([0.5]), simultaneous=True, labels_used=9, draws_used=9, method="",
        promise=Promise.WATCHED, assumptions=(), source="", **point, **given,
    )  # type: ignore[arg-type]  # fmt: skip


def test_an_estimate_that_says_little_is_not_told() -> None:
    assert band_figure(band(0.66, 0.1, 0.99)) == "10.0 to 99.0 %"
    assert estimate_words("precision", band(0.66, 0.1, 0.99)) == "not yet"
    assert band_figure(band(0.66, 0.4, 0.99)).startswith("66.0 %")
    assert estimate_words("precision", band(0.66, 0.4, 0.99)) == "66.0 %"


def along(*lows: float) -> Band:
    many, ones = len(lows), np.ones(len(lows))
    x = np.arange(1.0, many + 1)
    shown = {"x": x, "value": 0.9 * ones, "low": np.array(lows), "high": ones, "threshold": ones}
    return replace(band(0.9, 0, 1), **shown)  # type: ignore[arg-type]


@dataclass(frozen=True)
class OneBand:
    """What gives the same band for every reading."""

    one: Band

    def band(self, name: str, curve: object) -> Band:
        return self.one


def test_the_line_is_grey_while_most_of_it_says_little() -> None:
    assert says_little("precision", along(0.1, 0.2, 0.7))
    assert not says_little("precision", along(0.1, 0.7, 0.7))
    assert not says_little("precision", replace(along(0.1), value=np.array([np.nan])))


def test_the_band_is_drawn_where_the_estimate_says_little() -> None:
    session: Any = OneBand(replace(along(0.1, 0.2, 0.1), provisional=np.full(3, 0.4)))
    curve: Any = None
    drawn = curve_chart(session, curve, "precision").figure.data
    (area,) = (trace for trace in drawn if trace.fill == "toself")
    assert (min(area.y), max(area.y)) == (0.1, 1.0)
    assert [trace.name for trace in drawn if trace is not area] == ["first guess: the band is wide"]


def test_of_a_number_of_items_the_rank_is_what_is_possible() -> None:
    assert np.isnan(told("yield", band(6.0, 1.0, 9.0)).value[0])
    assert told("yield", band(6.0, 1.0, 9.0, rank=100.0)).value[0] == 6.0


def test_what_has_no_confidence_or_no_limit_stays() -> None:
    assert told("precision", band(0.66, 0.1, 0.99, confidence=None)).value[0] == 0.66
    assert told("gain", band(3.0, 0.1, 9.0)).value[0] == 3.0


@pytest.mark.parametrize(
    ("rank", "n_items", "state", "little"),
    [
        (2, 1547, State.INTERVAL, True),
        (10, 1547, State.INTERVAL, False),
        (2, 1547, State.EXACT, False),
        (5, 5, State.INTERVAL, False),
    ],
)
def test_a_few_items_are_no_deepest_cut(
    rank: int, n_items: int, state: State, little: bool
) -> None:
    assert barely(state, Cut(rank, n_items, 0.9, (rank, rank), {})) == little
