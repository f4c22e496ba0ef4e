"""What the living picture writes: intervals, and the classifiers that are compared."""

from pathlib import Path

import labelcore as lc
from labelcore.charts.nodes import Node
from labelcore.testing.known import calibrated
from labelcore.ui.session_picture import beside, picture
from labelcore.words.short_sentences import range_of
from tests.answering import answer_draws
from tests.designs.paired_files import BOTH, DIFFERENCES, nearly_equal
from tests.ui.test_recorded import parts


def texts(node: Node | str) -> str:
    return node if isinstance(node, str) else "".join(map(texts, node[2:]))


def intervals(bars: Node) -> list[str]:
    """What stands beside the bars, and is not hidden by a class of its own."""
    return [texts(one) for one in parts(bars, "span") if one[1].get("class") == "range"]


def test_each_bar_has_its_interval_that_of_the_sentence_too(tmp_path: Path) -> None:
    known = calibrated(tmp_path, 600, seed=3)
    plan = lc.Plan("recalibrated_neyman", ["accuracy", "recall"], budget=120, seed=5)
    session = answer_draws(lc.Session(known.population, plan), known, until=120)
    said = [range_of(found.low, found.high) for found in session.results().values()]
    for place, figure in enumerate(("accuracy", "recall")):
        shown = picture(session, beside(session), None, figure)
        assert intervals(shown.bars) == said and said[place] in shown.sentence


def test_two_are_shown_as_a_race_on_an_axis_as_wide_as_what_is_possible() -> None:
    known = nearly_equal(500, 12, seed=2)
    plan = lc.Plan("paired_comparison", DIFFERENCES[:2], classifier=list(BOTH), budget=60, seed=5)
    session = answer_draws(lc.Session(known.population, plan), known, until=0)
    assert "race" not in str(picture(session, beside(session), None).bars), "the dots are off"
    session.reword(dots=True)
    before = picture(session, beside(session), None)
    assert "They disagree on 12 of 500 items" in texts(before.bars)
    assert "+2.4" in texts(before.chart or "") and "100" not in texts(before.chart or "")
    session.answer(session.next(), True)  # type: ignore[arg-type]
    shown = picture(session, beside(session), None)
    assert "a right" in texts(shown.legend or "") and "b right" in texts(shown.legend or "")
    now = texts(shown.bars)
    assert "open 11" in now and "open" in now and "Precision" in now
    assert "Accuracy difference" in now, "its chart can be asked for"
