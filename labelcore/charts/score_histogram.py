"""How the scores are spread, and where the cut falls."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from labelcore.charts.base import Chart, empty_chart
from labelcore.charts.design import FIRST
from labelcore.charts.drawing import Axis, Bars, Drawing, Numbers, Rule
from labelcore.words import sentences as words
from labelcore.words.sentences import score_words

COLUMNS = ("Score from", "Score to", "Called positive", "Not called positive")
BINS = 40
LOG_FROM_RATIO = 30


def score_histogram_chart(
    scores: ArrayLike, threshold: float | None, descending: bool = False
) -> Chart:
    """Items per score, cut at the threshold (or not cut at all for None).

    descending   a low score means positive: called positive when score <= threshold

    The bar that holds the threshold is cut in two, so every bar is on one side. Counts are on a
    log scale where the rare scores would otherwise not be seen.

    Raises ValueError for a score or a threshold that is not finite.
    """
    values = np.asarray(scores, dtype=float).ravel()
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite, got a missing or infinite one")
    if threshold is not None and not np.isfinite(threshold):
        raise ValueError(f"threshold must be finite, got {threshold!r}")
    if not len(values):
        return empty_chart("There are no scores.", COLUMNS)
    called = _called(values, threshold, descending)
    table = _table(values, called, threshold, descending)
    upright = _counts_axis((table["Called positive"] + table["Not called positive"]).to_numpy())
    if threshold is None:
        table = table.rename(columns={"Not called positive": "Items"}).drop(columns=COLUMNS[2])
        bars, rules = [_bars(table, "Items", FIRST)], []
    else:
        rules = [Rule(threshold, upright=True)]
        bars = [_bars(table, "Called positive", FIRST)]
        bars.append(_bars(table, "Not called positive", "uncalled"))
    drawing = Drawing(Axis("score"), upright, bars, rules, legend=threshold is not None)
    return Chart(drawing, _alt(values, called, threshold, descending), table)


def _called(values: Numbers, threshold: float | None, descending: bool) -> NDArray[np.bool_]:
    if threshold is None:
        return np.zeros(len(values), dtype=bool)
    return values <= threshold if descending else values >= threshold


def _edges(values: Numbers, threshold: float | None) -> Numbers:
    """Equal bins from the lowest score to the highest, with the threshold as one more edge."""
    low, high = float(values.min()), float(values.max())
    edges = np.linspace(low, high, BINS + 1)
    if not (np.diff(edges) > 0).all():  # All alike, or apart by rounding alone.
        edges = high + np.array([-1.0, 1.0]) * max(0.5, 1e-9 * abs(high))
    if threshold is None or not low < threshold <= high:
        return edges
    # The last bin holds both its ends; scores at a threshold that is the highest get their own.
    beyond = [edges[-1] + edges[1] - edges[0]] if threshold == edges[-1] else []
    return np.union1d(edges, [threshold, *beyond])


def _counts_axis(counts: NDArray[np.int64]) -> Axis:
    if counts.max() <= LOG_FROM_RATIO * np.median(counts[counts > 0]):
        return Axis("items")
    return Axis("items (log scale)", ends=(0.5, float(counts.max()) ** 1.05), log=True)


def _table(
    values: Numbers, called: NDArray[np.bool_], threshold: float | None, descending: bool
) -> pd.DataFrame:
    """Counts per bin. Bins hold their lower end; turned round where low scores are positive."""
    sign = -1 if descending else 1
    edges = _edges(sign * values, None if threshold is None else sign * threshold)
    counts = {
        "Called positive": np.histogram(sign * values[called], edges)[0][::sign],
        "Not called positive": np.histogram(sign * values[~called], edges)[0][::sign],
    }
    edges = sign * edges[::sign]
    return pd.DataFrame({"Score from": edges[:-1], "Score to": edges[1:], **counts})


def _bars(table: pd.DataFrame, column: str, role: str) -> Bars:
    low, high = table["Score from"], table["Score to"]
    texts = [
        f"score {score_words(a)} to {score_words(b)}\n{column.lower()}: "
        + words.count(int(n), "item")
        for a, b, n in zip(low, high, table[column], strict=True)
    ]
    middle, width = (low + high) / 2, high - low
    return Bars(middle, table[column], width, name=column.lower(), role=role, hover=texts)


def _alt(
    values: Numbers, called: NDArray[np.bool_], threshold: float | None, descending: bool
) -> str:
    low, middle, high = (score_words(float(q)) for q in np.quantile(values, [0, 0.5, 1]))
    text = (
        f"Scores of {words.count(len(values), 'item')} from {low} to {high}, half of them up to "
        f"{middle}."
    )
    if threshold is None:
        return text
    side = "at or below" if descending else "at or above"
    n = int(called.sum())
    return text + (
        f" {words.count(n, 'item')} ({words.percent(n / len(values))}) {side} the threshold "
        f"{score_words(threshold)} {'is' if n == 1 else 'are'} called positive."
    )
