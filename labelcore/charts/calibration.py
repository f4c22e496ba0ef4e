"""How many items are positive at each score: the band over the scores, and the mean scores."""

import numpy as np
import pandas as pd

from labelcore.charts.base import Chart, empty_chart
from labelcore.charts.design import FIRST, REFERENCE, THIN
from labelcore.charts.drawing import AnyMark, Axis, Band, Drawing, Line, Unit
from labelcore.results.base import sentence
from labelcore.results.calibration import Calibration
from labelcore.results.told_values import too_wide
from labelcore.safe_text import shortened
from labelcore.words.sentences import range_text, score_words

SCORES, ITEMS, LABELS, MEAN = "Scores", "Items", "Labels", "Mean score"
SHARE, LOW, HIGH = "Share", "Low", "High"
NOTHING = "No picture yet: it starts with the first band."
BAND, SCORE = "all scores together", "if scores were right"
DOT = 8.0


def calibration_chart(curve: Calibration) -> Chart:
    """The band as steps, the shares as dots at the mean scores, and what they would be if the
    scores were right."""
    if not curve.has_band:
        return empty_chart(NOTHING, [SCORES, ITEMS, LABELS, MEAN, SHARE, LOW, HIGH])
    across = np.column_stack([curve.score_from, curve.score_to]).reshape(-1)
    low, high = np.repeat(curve.low, 2), np.repeat(curve.high, 2)
    marks: list[AnyMark] = [
        Band((across, low), (across, high), name=BAND, role="band", kind="band"),
    ]
    if curve.probabilities:
        ends = [0.0, 1.0]
        marks.append(Line(ends, ends, THIN, dash="dash", name=SCORE, role=REFERENCE))
    marks.append(
        Line(
            curve.mean_score,
            told_shares(curve),
            0.0,
            dots=DOT,
            role=FIRST,
            hover=[range_words(curve, place) for place in range(len(curve.items))],
            kind="estimate",
        )
    )
    x = Axis(
        f"score of {shortened(curve.classifier)}", ends=(0.0, 1.0) if curve.probabilities else None
    )
    y = Axis(f"share of {shortened(curve.scope.positive)!r}", Unit.SHARE, (0.0, 1.0))
    drawing = Drawing(x, y, marks, legend=True)
    return Chart(drawing, sentence(curve), calibration_table(curve))


def told_shares(curve: Calibration) -> np.ndarray:
    """The shares that may be told: NaN where the band leaves most open."""
    wide = too_wide(curve.low, curve.high, 1.0)
    return np.where(wide, np.nan, curve.value)


def range_words(curve: Calibration, place: int) -> str:
    """What is known of a range of scores."""
    first, last = score_words(curve.score_from[place]), score_words(curve.score_to[place])
    between = range_text(float(curve.low[place]), float(curve.high[place]))
    return f"scores {first} to {last}, {int(curve.items[place]):,} items\n{between}"


def calibration_table(curve: Calibration) -> pd.DataFrame:
    """A row for each range; a share is empty where it may not be told."""
    ends = zip(curve.score_from, curve.score_to, strict=True)
    return pd.DataFrame(
        {
            SCORES: [f"{score_words(first)} to {score_words(last)}" for first, last in ends],
            ITEMS: curve.items,
            LABELS: curve.labels,
            MEAN: curve.mean_score,
            SHARE: told_shares(curve),
            LOW: curve.low,
            HIGH: curve.high,
        }
    )
