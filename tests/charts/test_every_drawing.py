"""Charts of edge cases: the words, the table and all that is drawn, as nodes of SVG, stay."""

import json
import re
from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

from labelcore.charts.against import precision_recall_chart, roc_chart
from labelcore.charts.base import Chart
from labelcore.charts.candidates import candidates_chart, moving_bounds_chart
from labelcore.charts.cut_picture import CutPicture, window
from labelcore.charts.evidence import evidence_chart
from labelcore.charts.history import history_chart
from labelcore.charts.labels_margin import labels_margin_chart
from labelcore.charts.live_picture import Bar, Track, bars, labels_drawing
from labelcore.charts.nodes import Node
from labelcore.charts.rank import rank_chart
from labelcore.charts.score_histogram import score_histogram_chart
from labelcore.charts.strata import strata_chart
from labelcore.charts.svg import svg
from tests.pinned import cases, holds, or_refused
from tests.words.test_choices import BOUNDS, choice

pytestmark = pytest.mark.slow
DRAWN = cases("drawn")
"""Name -> what draws it, and with what; null is a value that is not there."""


def array(values: Any) -> Any:
    """Numbers, or several lists of them, as arrays."""
    if isinstance(values, list) and values and isinstance(values[0], list):
        return tuple(array(one) for one in values)
    return np.array([np.nan if one is None else one for one in values or ()], dtype=float)


def track(given: dict[str, Any]) -> Node:
    arrays = {"labels", "value", "low", "high", "ahead", "certain"} & {*given}
    ends = {"scale", "sides"} & {*given}
    made = Track(**{**given, **{key: array(given[key]) for key in arrays},
                    **{key: tuple(given[key]) for key in ends}})  # fmt: skip
    first = str((made.first_figure(), made.until_first_figure))
    return svg(labels_drawing(made), "picture", first)


def cut(given: dict[str, Any], make_band: Any) -> Node:
    """The curve under the handle, whose own place is a band of one rank."""
    band = make_band("precision", array(given.pop("value")), half=given.pop("half"))
    few = band.part(band.x != given["cut"]) if given.pop("few", False) else band
    picture = CutPicture(few, band.part(band.x == given["cut"]), **given)
    ranks = [given["cut"], given.get("own")]
    return [picture.node("words"), picture.places(), window(ranks, given["last"])]


def chart(kind: str, given: dict[str, Any], look: Any, make_band: Any) -> Chart:
    match kind:
        case "history" | "evidence":
            draw = history_chart if kind == "history" else evidence_chart
            looks = [one if isinstance(one, dict) else look(*one, key=given.get("key", "recall"))
                     for one in given.pop("looks")]  # fmt: skip
            return draw(looks, given.pop("key"), **given)
        case "scores":
            return score_histogram_chart(**given)
        case "margins":
            return labels_margin_chart(pd.DataFrame(given.pop("table")), **given)
        case "strata":
            table = pd.DataFrame(given["table"])
            table.attrs = given.get("attrs", {})
            return strata_chart(table, given.get("names"))
        case "candidates":
            few = BOUNDS.iloc[:0] if given.pop("none", False) else BOUNDS
            return candidates_chart(choice(bounds=few.assign(**given)))
        case "moving":
            rows = [(n, {"value": v, "low": a, "high": b, "state": s})
                    for n, v, a, b, s in given["looks"]]  # fmt: skip
            looks = [{"labels": n, "results": {"selection": {"candidates": {"top 50": one}}}}
                     for n, one in rows]  # fmt: skip
            return moving_bounds_chart(looks, "selection", choice())
        case "rank":
            values = [np.nan if one is None else one for one in given.pop("value")]
            band = make_band("precision", values, half=given.pop("half"), state=given.pop("state"))
            return rank_chart(band, **given)
    one, other = (make_band(*pair) for pair in given["bands"])
    return (roc_chart if kind == "roc" else precision_recall_chart)(one, other, cut=given["cut"])


def rounded(found: object) -> str:
    digits = re.sub(r"-?\d+\.\d{5,}(e-?\d+)?", lambda one: f"{float(one[0]):.5g}", str(found))
    return digits.replace("np.float64", "")


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_stays(
    name: str, look: Callable[..., Any], make_band: Callable[..., Any]
) -> None:
    kind, given = json.loads(json.dumps(DRAWN[name]))
    pictures = {
        "track": lambda: track(given),
        "bars": lambda: bars([Bar(**one) for one in given["bars"]], *given["more"]),
        "cut": lambda: cut(given, make_band),
    }
    if kind in pictures:
        nodes = pictures[kind]()
        holds("drawn", name, [crc32(rounded(nodes).encode()), rounded(nodes)[:900]])
        return
    made = or_refused(lambda: chart(kind, given, look, make_band))
    if isinstance(made, Chart):
        drawn = rounded(svg(made.drawing, "chart", ""))
        table = rounded(made.table.to_csv(index=False))
        sent = made.figure.to_plotly_json()
        sent["layout"].pop("template", None)
        plotted = rounded(json.dumps(sent, default=np.ndarray.tolist))
        sums = [crc32(one.encode()) for one in (table, drawn, plotted)]
        made = [made.alt, table[:400], len(made.table), *sums]
    holds("drawn", name, made)
