"""How many items are positive at each score: the band over the scores, and the mean scores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from labelcore.charts.base import Chart, empty_chart
from labelcore.charts.design import FIRST, REFERENCE, THIN
from labelcore.charts.drawing import AnyMark, Axis, Band, Drawing, Line, Unit
from labelcore.results.base import sentence
from labelcore.results.calibration import Calibration
from labelcore.results.told_values import too_wide
from labelcore.words.sentences import range_text, score_words

SCORES, ITEMS, LABELS, MEAN = "Scores", "Items", "Labels", "Mean score"
SHARE, LOW, HIGH = "Share", "Low", "High"
NOTHING = "No picture yet: it starts with the first band."
BAND, SCORE = "all scores together", "if scores were right"
DOT = 8.0


def calibration_chart(found: Calibration) -> Chart:
    """The band as steps, the shares as dots at the mean scores, and what they would be if the
    scores were right."""
    if not found.has_band:
        return empty_chart(NOTHING, [SCORES, ITEMS, LABELS, MEAN, SHARE, LOW, HIGH])
    across = np.column_stack([found.score_from, found.score_to]).reshape(-1)
    low, high = np.repeat(found.low, 2), np.repeat(found.high, 2)
    marks: list[AnyMark] = [
        Band((across, low), (across, high), name=BAND, role="band", kind="band"),
    ]
    if found.probabilities:
        ends = [0.0, 1.0]
        marks.append(Line(ends, ends, THIN, dash="dash", name=SCORE, role=REFERENCE))
    marks.append(
        Line(
            found.mean_score,
            told_shares(found),
            0.0,
            dots=DOT,
            role=FIRST,
            hover=[range_words(found, place) for place in range(len(found.items))],
            kind="estimate",
        )
    )
    x = Axis(f"score of {found.classifier}", ends=(0.0, 1.0) if found.probabilities else None)
    y = Axis(f"share of {found.scope.positive!r}", Unit.SHARE, (0.0, 1.0))
    drawing = Drawing(x, y, marks, legend=True)
    return Chart(drawing, sentence(found), calibration_table(found))


def told_shares(found: Calibration) -> np.ndarray:
    """The shares that may be told: NaN where the band leaves most open."""
    wide = too_wide(found.low, found.high, 1.0)
    return np.where(wide, np.nan, found.value)


def range_words(found: Calibration, place: int) -> str:
    """What is known of a range of scores."""
    first, last = score_words(found.score_from[place]), score_words(found.score_to[place])
    between = range_text(float(found.low[place]), float(found.high[place]))
    return f"scores {first} to {last}, {int(found.items[place]):,} items\n{between}"


def calibration_table(found: Calibration) -> pd.DataFrame:
    """A row for each range; a share is empty where it may not be told."""
    ends = zip(found.score_from, found.score_to, strict=True)
    return pd.DataFrame(
        {
            SCORES: [f"{score_words(first)} to {score_words(last)}" for first, last in ends],
            ITEMS: found.items,
            LABELS: found.labels,
            MEAN: found.mean_score,
            SHARE: told_shares(found),
            LOW: found.low,
            HIGH: found.high,
        }
    )
