"""How the scores are spread, and where the cut falls."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from labelcore.charts.band import Numbers
from labelcore.charts.base import FIRST, REFERENCE, Chart, empty_chart, hover, new_figure
from labelcore.charts.design import LIGHT, THIN
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
    figure = new_figure(x="score", y="items", y_share=False)
    figure.update_layout(barmode="overlay", bargap=0, showlegend=threshold is not None)
    _choose_scale(figure, (table["Called positive"] + table["Not called positive"]).to_numpy())
    if threshold is None:
        table = table.rename(columns={"Not called positive": "Items"}).drop(columns=COLUMNS[2])
        figure.add_trace(_bars(table, "Items", FIRST))
    else:
        figure.add_trace(_bars(table, "Called positive", FIRST))
        figure.add_trace(_bars(table, "Not called positive", LIGHT.uncalled))
        figure.add_vline(x=threshold, line={"color": REFERENCE, "width": THIN, "dash": "dash"})
    return Chart(figure, _alt(values, called, threshold, descending), table)


def _called(values: Numbers, threshold: float | None, descending: bool) -> NDArray[np.bool_]:
    if threshold is None:
        return np.zeros(len(values), dtype=bool)
    return values <= threshold if descending else values >= threshold


def _edges(values: Numbers, threshold: float | None) -> Numbers:
    """Equal bins from the lowest score to the highest, with the threshold as one more edge."""
    edges = np.histogram_bin_edges(values, BINS if values.min() < values.max() else 1)
    if threshold is None or not values.min() < threshold <= values.max():
        return edges
    # The last bin holds both its ends; scores at a threshold that is the highest get their own.
    beyond = [edges[-1] + edges[1] - edges[0]] if threshold == edges[-1] else []
    return np.union1d(edges, [threshold, *beyond])


def _choose_scale(figure: go.Figure, counts: NDArray[np.int64]) -> None:
    if counts.max() > LOG_FROM_RATIO * np.median(counts[counts > 0]):
        top = float(np.log10(counts.max()))
        figure.update_yaxes(
            type="log", dtick=1, range=[-0.3, 1.05 * top], title_text="items (log scale)"
        )


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


def _bars(table: pd.DataFrame, column: str, colour: str) -> go.Bar:
    low, high = table["Score from"], table["Score to"]
    texts = [
        f"score {score_words(a)} to {score_words(b)}<br>{column.lower()}: "
        + words.count(int(n), "item")
        for a, b, n in zip(low, high, table[column], strict=True)
    ]
    return go.Bar(
        x=((low + high) / 2).tolist(),
        y=table[column].tolist(),
        width=(high - low).tolist(),
        name=column.lower(),
        marker={"color": colour, "line": {"width": 0}},
        **hover(texts),
    )


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
