"""The evidence chart: exact numbers, the deciding line, words, states, looks taken back."""

from typing import Any

import pytest

from labelcore.charts.evidence import (
    HIGHEST,
    LOWEST,
    NOTHING,
    evidence_chart,
    evidence_table,
    first_settled,
)

CLAIM = "precision >= 0.9"


def look(labels: int, evidence: float, against: float, state: str = "undecided") -> dict[str, Any]:
    found = {
        "value": 0.9, "state": state, "promise": "watched",
        "evidence": evidence, "evidence_against": against,
    }  # fmt: skip
    return {"labels": labels, "results": {CLAIM: found}, "at": "2026-01-01T00:00:00+00:00"}


LOOKS = [look(10, 2.0, 0.5), look(20, 15.0, 0.1), look(30, 25.0, 0.02, "decided")]


def test_lines_hold_the_numbers_given() -> None:
    chart = evidence_chart(LOOKS, CLAIM, alpha=0.05)
    supporting, opposing = chart.figure.data
    assert (supporting.x, supporting.y) == ((10, 20, 30), (2.0, 15.0, 25.0))
    assert opposing.y == (0.5, 0.1, 0.02)
    assert supporting.line.dash != opposing.line.dash, "not by colour alone"
    assert supporting.marker.symbol != opposing.marker.symbol
    assert chart.table["Evidence for"].tolist() == [2.0, 15.0, 25.0]
    assert chart.figure.layout.yaxis.type == "log"


def test_the_deciding_line_stands_at_one_over_alpha() -> None:
    chart = evidence_chart(LOOKS, CLAIM, alpha=0.025)
    (line,) = chart.figure.layout.shapes
    assert line.y0 == line.y1 == 40
    (note,) = chart.figure.layout.annotations
    assert note.text == "40 times decides" and 10**note.y == pytest.approx(40)
    low, high = chart.figure.layout.yaxis.range
    assert 10**low < 0.02 and 10**high > 40


def test_certainty_is_drawn_at_the_edge_and_kept_in_the_table() -> None:
    chart = evidence_chart([look(10, 1e300, 0.0, "decided")], CLAIM, alpha=0.05)
    assert (chart.figure.data[0].y, chart.figure.data[1].y) == ((HIGHEST,), (LOWEST,))
    assert chart.table["Evidence for"].tolist() == [1e300]
    assert "over 1,000,000 times" in chart.alt and "under 0.001 times" in chart.alt


def test_words_say_status_evidence_and_since_when() -> None:
    alt = evidence_chart(LOOKS, CLAIM, alpha=0.05, statement="the precision is at least 90 %").alt
    assert alt.startswith("Claim: the precision is at least 90 %. The labels show it.")
    assert "From 30 labels, the evidence for it is 25 times and against it 0.02 times" in alt
    assert "20 times decides. So at every look from 30 labels on." in alt
    assert "It is not decided" in evidence_chart(LOOKS[:2], CLAIM, alpha=0.05).alt
    refuted = [look(10, 0.01, 30.0, "refuted")]
    assert "The labels show it to be false" in evidence_chart(refuted, CLAIM, alpha=0.05).alt


def test_labels_taken_back_are_left_out() -> None:
    table = evidence_table([*LOOKS, look(20, 14.0, 0.2)], CLAIM)
    assert table["Labels"].tolist() == [10, 20]
    assert table["Evidence for"].tolist() == [2.0, 14.0]
    assert first_settled(table) is None
    assert first_settled(evidence_table(LOOKS, CLAIM))["Labels"] == 30


def test_nothing_yet() -> None:
    assert evidence_chart([], CLAIM, alpha=0.05).alt == NOTHING
    assert evidence_chart(LOOKS, "recall >= 0.9", alpha=0.05).table.empty


def test_bad_alpha() -> None:
    with pytest.raises(ValueError, match="alpha must lie between 0 and 1, got 0"):
        evidence_chart(LOOKS, CLAIM, alpha=0)
