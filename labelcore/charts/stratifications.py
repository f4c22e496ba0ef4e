"""Ways of cutting a file into strata: what each is expected to save, against how many strata."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.base import (
    DASHES,
    SERIES,
    SHARE_TICKS,
    Chart,
    across,
    empty_chart,
    hover,
    new_figure,
    remark,
    require_columns,
)
from labelcore.charts.design import LINE
from labelcore.charts.names import escape, shortened
from labelcore.words import sentences as words

READABLE = {
    "stratification": "Stratification",
    "n_strata": "Strata",
    "allocation": "Labels shared",
    "found": "Strata found",
    "smallest": "Smallest stratum",
    "ratio": "Variance against a random sample",
    "saved": "Labels saved",
}
NOTHING = "There is nothing to compare yet."


def stratifications_chart(table: pd.DataFrame, allocation: str) -> Chart:
    """Variance of estimated accuracy over that of a plain random sample, against the number of
    strata: a line for each stratification with one allocation.

    table       as from ``compare_stratifications`` in ``labelcore.planning.stratifications``, with
                names for the screen; the chart's own table keeps the rows of every allocation
    allocation  the one that is drawn
    """
    require_columns(table, list(READABLE))
    shown = table[table["allocation"] == allocation]
    if shown.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    figure = new_figure(x="strata", y="variance", y_share=False)
    parts = [
        (str(name), part.sort_values("n_strata"))
        for name, part in shown.groupby("stratification", sort=False)
    ]
    for series, (name, part) in enumerate(parts):
        figure.add_trace(_line(name, part, series))
    note = remark("plain random sample", x=1, xref="paper", xanchor="right", y=1)
    figure.update_layout(showlegend=True, shapes=[across(1.0)], annotations=[note])
    figure.update_xaxes(dtick=1)
    figure.update_yaxes(tickformat=SHARE_TICKS)
    said = " ".join(_words(name, part) for name, part in parts)
    alt = (
        "Variance of the estimated accuracy against the number of strata, labels shared: "
        f"{shortened(allocation)}; a plain random sample is 100 %. {said}"
    )
    readable = table[list(READABLE)].rename(columns=READABLE).reset_index(drop=True)
    return Chart(figure, alt, readable)


def _line(name: str, part: pd.DataFrame, series: int) -> go.Scatter:
    shown, turn = escape(name), series // len(SERIES)
    texts = [
        f"{shown}, {int(number)} strata<br>{words.percent(float(ratio))} of the variance"
        for number, ratio in zip(part["n_strata"], part["ratio"], strict=True)
    ]
    return go.Scatter(
        x=part["n_strata"].tolist(),
        y=part["ratio"].tolist(),
        name=shown,
        mode="lines+markers",
        line={
            "color": SERIES[series % len(SERIES)],
            "width": LINE,
            "dash": DASHES[(series + turn) % len(DASHES)],
        },
        marker={"size": 5},
        **hover(texts),
    )


def _words(name: str, part: pd.DataFrame) -> str:
    first, last = part.iloc[0], part.iloc[-1]
    return (
        f"{shortened(name)}: {words.percent(float(first['ratio']))} with "
        f"{int(first['n_strata'])} strata, {words.percent(float(last['ratio']))} with "
        f"{int(last['n_strata'])}."
    )
