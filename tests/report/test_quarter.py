"""The last waves of a monitor on a page."""

from html import unescape

import pandas as pd

from labelcore.charts.base import empty_chart
from labelcore.report.quarter import Quarter, WaveUsed, quarter_html


def test_a_wave_names_its_figure_and_rounds_no_evidence_up_to_an_alarm() -> None:
    row = {"wave": "w1", "estimand": "recall[spam][language=de]", "value": 0.8, "low": 0.7,
           "high": 0.9, "required": None, "alarm": False, "evidence": 19.95,
           "threshold": 20.0}  # fmt: skip
    at = "2026-05-03T14:05:09+00:00"
    facts = Quarter(
        "m", "", "quiet", pd.DataFrame([row]), empty_chart("nothing", []), (), (),
        (WaveUsed("w1", at, 40, 40, "seal"),), (), 52, 0.05, at, "0",
    )  # fmt: skip
    html = unescape(quarter_html(facts))
    assert "<bdi>Recall of 'spam', de</bdi>" in html
    assert ">99 %<" in html.replace("\xa0", " ") and "100 %" not in html
