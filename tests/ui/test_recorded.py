"""The session that an empty start page shows is a real one: recorded again, it is the same."""

import json
from unittest.mock import Mock

import pytest

from docs.make_recording import record
from labelcore.charts.nodes import Node
from labelcore.trials.table import TRIALS
from labelcore.ui import session_picture, trying
from labelcore.ui import start as recorded


def parts(node: Node | str, tag: str) -> list[Node]:
    """Every element with this tag."""
    if isinstance(node, str):
        return []
    inside = [part for child in node[2:] for part in parts(child, tag)]
    return [node, *inside] if node[0] == tag else inside


@pytest.mark.as_shipped
@pytest.mark.slow
def test_it_is_what_label_drew_of_the_trial_answered_by_the_truth() -> None:
    session_picture.expected_widths.clear()  # Tests of pages forecast at fewer sizes.
    again = json.loads(json.dumps(record()))
    assert again == recorded.recording(), "run python -m docs.make_recording"


def test_a_file_that_could_not_be_made_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Mock(side_effect=[OSError(28, "No space left on device"), b"all of it"])
    monkeypatch.setattr(trying, "_made", made)
    monkeypatch.setitem(TRIALS, "once full", TRIALS["digits"])
    with pytest.raises(OSError, match="No space left"):
        trying._data("once full").result()
    assert trying._data("once full").result() == b"all of it"


def test_both_charts_have_one_scale_and_the_truth_stands_at_the_end() -> None:
    found = recorded.recording()
    assert found["labels"] == TRIALS[recorded.TRIAL].plan.budget
    before, after = found["charts"]
    assert before[1]["viewBox"] == after[1]["viewBox"]

    def scale(chart: Node) -> list[list[object]]:
        return [one[2:] for one in parts(chart, "text") if str(one[2]).isdigit()]

    assert scale(before) == scale(after) and len(scale(after)) > 4
    assert any("truth" in str(one[1].get("class")) for one in parts(after, "circle"))
    assert not any("truth" in str(one[1].get("class")) for one in parts(before, "circle"))
