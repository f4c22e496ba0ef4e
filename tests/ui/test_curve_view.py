"""Which estimates along the ranks are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from labelcore.promises import Promise, State
from labelcore.results.types import Band
from labelcore.ui.curve_view import band_figure, says_little, told
from labelcore.ui.cutting import estimate_words


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


def test_the_line_is_grey_while_most_of_it_says_little() -> None:
    def along(*lows: float) -> Band:
        many, ones = len(lows), np.ones(len(lows))
        x = np.arange(1.0, many + 1)
        return replace(band(0.9, 0, 1), x=x, value=0.9 * ones, low=np.array(lows), high=ones)

    assert says_little("precision", along(0.1, 0.2, 0.7))
    assert not says_little("precision", along(0.1, 0.7, 0.7))
    assert not says_little("precision", replace(along(0.1), value=np.array([np.nan])))


def test_of_a_number_of_items_the_rank_is_what_is_possible() -> None:
    assert np.isnan(told("yield", band(6.0, 1.0, 9.0)).value[0])
    assert told("yield", band(6.0, 1.0, 9.0, rank=100.0)).value[0] == 6.0


def test_what_has_no_confidence_or_no_limit_stays() -> None:
    assert told("precision", band(0.66, 0.1, 0.99, confidence=None)).value[0] == 0.66
    assert told("gain", band(3.0, 0.1, 9.0)).value[0] == 3.0
