"""Candidates and the bounds of their precision: which are in, which are out, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from labelcore.charts.base import (
    FIRST,
    REFERENCE,
    SECOND,
    SERIES,
    Chart,
    across,
    empty_chart,
    hover,
    interval_words,
    new_figure,
    remark,
    upright,
)
from labelcore.charts.design import LINE, STRONG
from labelcore.charts.history_table import thinned
from labelcore.charts.names import escape, shortened
from labelcore.promises import CandidateState
from labelcore.results.telling import known_ends, too_wide
from labelcore.results.types import Choice
from labelcore.words import sentences as words

COLUMNS = ("Candidate", "Items", "Precision", "Low", "High", "Reach from", "Reach to", "State")
MOVED_COLUMNS = ("Labels", "Candidate", "Low", "High", "State")
NOTHING = "No bounds yet: they start with the first labels."
ROW_HEIGHT, FRAME_HEIGHT = 34, 90


def candidates_chart(choice: Choice) -> Chart:
    """A row for each candidate: its precision as a point, where its bounds are not too wide for
    one, and these as a line; the wanted precision dashed, the tolerated one dotted. The chosen one
    is drawn in its own colour, those that are out are grey."""
    table = candidates_table(choice)
    if table.empty:
        return empty_chart(NOTHING, COLUMNS)
    figure = new_figure(x="precision", y="", x_share=True)
    places = [f"{row}" for row in range(len(table))]
    for row, one in enumerate(table.to_dict("records")):
        figure.add_trace(_row(one, places[row], _colour(one, choice)))
    wanted, tolerated = (
        choice.precision_threshold,
        choice.precision_threshold - choice.precision_slack,
    )
    figure.update_layout(
        height=FRAME_HEIGHT + ROW_HEIGHT * len(table),
        margin_t=28,
        shapes=[upright(wanted, "dash"), upright(tolerated, "dot")],
        annotations=[remark("wanted", x=wanted, y=1, yref="paper", xanchor="left")],
    )
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=places[::-1],
        tickmode="array",
        range=[-0.6, len(places) - 0.4],
        tickvals=places,
        tickformat="",
        ticktext=[escape(str(name)) for name in table["Candidate"]],
    )
    figure.layout.yaxis.minallowed = figure.layout.yaxis.maxallowed = None
    return Chart(figure, _alt(table, choice), table)


def candidates_table(choice: Choice) -> pd.DataFrame:
    """A row per candidate: the bounds of its precision, and of its reach in items."""
    bounds = choice.bounds
    size = bounds["size"].to_numpy(dtype=float)
    low, high = (bounds[end].to_numpy(dtype=float) for end in ("low", "high"))
    return pd.DataFrame(
        {
            "Candidate": bounds["classifier"].astype(str),
            "Items": size.astype(int),
            "Precision": np.where(too_wide(low, high), np.nan, bounds["value"]).astype(float),
            "Low": low,
            "High": high,
            "Reach from": np.ceil(low * size - 1e-9).astype(int),
            "Reach to": np.floor(high * size + 1e-9).astype(int),
            "State": bounds["state"].astype(str),
        }
    )


def moving_bounds_chart(looks: Sequence[Mapping[str, Any]], key: str, choice: Choice) -> Chart:
    """The bounds of every candidate's precision against labels, look by look: one that is out ends
    where it went out."""
    table = moving_bounds_table(looks, key)
    if table.empty:
        return empty_chart(NOTHING, MOVED_COLUMNS)
    figure = new_figure(x="labels", y="precision")
    for place, (name, rows) in enumerate(table.groupby("Candidate", sort=False)):
        colour = SERIES[place % len(SERIES)]
        kept = rows.iloc[thinned(len(rows))]
        said = [_moved_words(escape(str(name)), row) for row in kept.to_dict("records")]
        for end in ("High", "Low"):
            figure.add_trace(
                go.Scatter(
                    x=kept["Labels"],
                    y=kept[end],
                    mode="lines",
                    name=escape(str(name)),
                    legendgroup=str(place),
                    showlegend=end == "High",
                    line={
                        "color": colour,
                        "width": LINE,
                        "dash": "solid" if end == "Low" else "dot",
                    },
                    **hover(said),
                )
            )
    limits = choice.precision_threshold, choice.precision_threshold - choice.precision_slack
    shapes = [across(at, dash) for at, dash in zip(limits, ("dash", "dot"), strict=True)]
    figure.update_layout(showlegend=True, shapes=shapes)
    last = table[table["Labels"] == table["Labels"].max()]
    alt = (
        "Bounds of each candidate's precision against labels, lower bounds solid, upper ones "
        f"dotted. At {words.count(int(table['Labels'].max()))}: "
        + "; ".join(
            _moved_words(shortened(str(row["Candidate"])), row) for row in last.to_dict("records")
        )
        + "."
    )
    return Chart(figure, alt, table)


def moving_bounds_table(looks: Sequence[Mapping[str, Any]], key: str) -> pd.DataFrame:
    """A row per look and candidate; the last look counts for each number of labels."""
    by_labels: dict[int, Mapping[str, Any]] = {}
    for look in looks:
        found = look.get("results", {}).get(key)
        if found:
            by_labels = {n: one for n, one in by_labels.items() if n < look["labels"]}
            by_labels[int(look["labels"])] = found["candidates"]
    rows = [
        (labels, name, one["low"], one["high"], one["state"])
        for labels, candidates in by_labels.items()
        for name, one in candidates.items()
    ]
    return pd.DataFrame(rows, columns=list(MOVED_COLUMNS))


def _colour(one: Mapping[Any, Any], choice: Choice) -> str:
    if one["Candidate"] == choice.chosen:
        return SECOND
    return REFERENCE if CandidateState(one["State"]).out else FIRST


def _row(one: Mapping[Any, Any], place: str, colour: str) -> go.Scatter:
    known = not np.isnan(one["Precision"])
    ends = [one["Low"], one["Precision"], one["High"]] if known else [one["Low"], one["High"]]
    return go.Scatter(
        x=ends,
        y=[place] * len(ends),
        mode="lines+markers",
        cliponaxis=False,
        line={"color": colour, "width": STRONG},
        marker={"color": colour, "size": [0, 11, 0] if known else 0},
        **hover([_words(one)] * len(ends)),
    )


def _words(one: Mapping[Any, Any]) -> str:
    name, said = escape(str(one["Candidate"])), _precision_words(one)
    return f"{name} ({words.count(one['Items'], 'item')}): {said}<br>{escape(str(one['State']))}"


def _precision_words(one: Mapping[Any, Any]) -> str:
    if np.isnan(one["Precision"]) and not any(known_ends(one["Low"], one["High"])):
        return "nothing known"
    return interval_words(one["Precision"], one["Low"], one["High"])


def _moved_words(name: str, row: Mapping[Any, Any]) -> str:
    low, high = words.percent_range(row["Low"], row["High"])
    return f"{name} {low} to {high}, {row['State']}"


def _alt(table: pd.DataFrame, choice: Choice) -> str:
    rows = "; ".join(
        f"{shortened(str(one['Candidate']))}: {_precision_words(one)}, {one['State']}"
        for one in table.to_dict("records")
    )
    return (
        f"Precision of each candidate with its bounds; wanted is "
        f"{words.exact_percent(choice.precision_threshold)}. {rows}."
    )
