"""What the page plays is what the session said at that number of labels."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.report import replayed, report_html
from labelcore.report.facts import Facts
from labelcore.report.figures import figures
from labelcore.report.first_page import drawn_rows, short_answer
from tests.answering import answer_draws
from tests.report.sessions import begun

AT = (1, 20, 50)
TWO = {"scores": {"lr": "score", "nb": "score"}, "thresholds": {"lr": 0.5, "nb": 0.7}}
PLANS: dict[str, dict[str, Any]] = {
    "accuracy": {"design": "simple_random", "estimands": ["accuracy"]},
    "precision and recall": {},
    "curve": {"design": "geometric_strata", "estimands": ["precision_curve"], "budget": 160},
    "A or B": {"design": "paired_comparison",
        "estimands": ["accuracy_difference", "precision_difference"], "classifier": ["lr", "nb"],
        "arguments": TWO},
    "several": {"design": "agreement_patterns", "estimands": ["accuracy", "f1"],
        "classifier": ["lr", "nb"], "arguments": TWO},
}  # fmt: skip


def replay_of(html: str) -> Any:
    """What the page's script is told."""
    found = re.search(r'<script type="application/json" id="replay">(.*?)</script>', html)
    assert found is not None
    return json.loads(found[1])


def said(session: lc.Session) -> dict[str, list[Any]]:
    """Ends, value and texts of each row of the picture now."""
    rows = {}
    for key, one in drawn_rows(Facts(session)).items():
        ends = (None if end is None else round(end, 6) for end in (one.low, one.high, one.value))
        rows[key] = [*ends, *one.said]
    return rows


@pytest.mark.parametrize("kind", PLANS)
def test_each_label_has_the_figures_that_the_session_had(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replayed, "MOST_FRAMES", 400)
    session, truth = begun(tmp_path, 1_000, **{"budget": 60, **PLANS[kind]})
    then = {}
    while (draw := session.next()) is not None:
        session.answer(draw, truth[draw.item_id])
        if session.labels in AT:
            then[session.labels] = said(session), short_answer(Facts(session))
    html = report_html(session)
    told = replay_of(html)
    keys = list(drawn_rows(Facts(session), 8))
    frames = {frame[0]: frame for frame in told["frames"]}
    assert list(frames)[-1] == session.labels and 0 in frames
    places = [max(one for one in frames if one <= labels) for labels in AT]
    if kind != "curve":
        assert places == list(AT) and len(frames) == session.labels + 1
    found = []
    for place in places:
        rows, sentence = then.get(place, ({}, ""))
        if place in then:
            got = dict(zip(keys, frames[place][3], strict=True))
            nothing = [None, None, None, "", "not yet"]
            assert got == {key: rows.get(key, nothing) for key in keys}
            assert told["sentences"][frames[place][1]] == sentence
            found.append(place)
    assert len(found) == len(AT) or kind == "curve"
    assert frames[20 if 20 in frames else places[1]][3] != frames[session.labels][3]
    now = said(session)
    assert frames[session.labels][3] == [now[key] for key in keys]
    assert len(html.encode()) < 600_000


def test_a_race_is_drawn_on_the_page_of_a_difference(tmp_path: Path) -> None:
    """What is certain of the accuracies; of precisions nothing is."""
    for name, certain in (("accuracy", True), ("precision", False)):
        plan = {**PLANS["A or B"], "estimands": [f"{name}_difference"], "budget": 60}
        session, truth = begun(tmp_path, **plan)
        answer_draws(session, lambda draw, truth=truth: truth[draw.item_id], 20)
        assert ('<polygon class="expected"' in report_html(session)) == certain


def test_the_report_of_a_comparison_says_whose_each_figure_is(tmp_path: Path) -> None:
    asked = [f"{name}_difference" for name in ("accuracy", "precision", "recall")]
    plan = {**PLANS["A or B"], "design": "recalibrated_neyman", "estimands": asked, "budget": 100}
    session, truth = begun(tmp_path, **plan)
    answer_draws(session, lambda draw: truth[draw.item_id], 100)
    html, (front, rest) = report_html(session), map(repr, figures(Facts(session)))
    assert "Precision along the ranks of the score (lr)" in front
    assert "Precision against recall (lr)" in rest
    assert "lr is better" in rest and "the first one" not in rest
    low = re.search(r"minus nb\)</bdi>.*?Low\">([^<]*)<", html)
    assert low is not None and low[1].endswith(" points")
