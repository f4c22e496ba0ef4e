"""Twenty sessions as bars: which hit the truth, and which missed it."""

from labelcore.charts.sessions import BOX, sessions_strip
from tests.charts.test_live_picture import of_class, texts


def test_each_session_is_a_bar_and_those_that_miss_are_told_apart() -> None:
    drawn = sessions_strip([(0.8, 0.97), (0.5, 0.9), (0.95, 1.0)], 0.95, "Accuracy", "words")
    assert len(of_class(drawn, "hit")) == 2
    (missed,) = of_class(drawn, "missed")
    (line,) = of_class(drawn, "known")
    # The scale begins at the quarter below the lowest end.
    assert {"50", "75", "100"} < set(texts(drawn))
    assert "Accuracy, %, of 3 simulated sessions; line: the truth" in texts(drawn)
    heights = [float(pair.split(",")[1]) for pair in missed[1]["points"].split()]
    assert heights == [BOX.bottom, round(BOX.bottom - (BOX.bottom - BOX.top) * 0.8, 1)]
    assert float(line[1]["y1"]) < min(heights)
