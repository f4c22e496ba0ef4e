"""Ways of cutting a file into strata: what each is expected to save, against how many strata."""

from __future__ import annotations

import pandas as pd

from labelcore.charts.base import Chart, empty_chart, in_turn, require_columns
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Unit
from labelcore.charts.names import shortened
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

    table       as from ``labelcore.papers.stratified.comparison.compare_stratifications``, with
                names for the screen; the chart's own table keeps the rows of every allocation
    allocation  the one that is drawn
    """
    require_columns(table, list(READABLE))
    shown = table[table["allocation"] == allocation]
    if shown.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    parts = [
        (str(name), part.sort_values("n_strata"))
        for name, part in shown.groupby("stratification", sort=False)
    ]
    drawing = Drawing(
        Axis("strata", ticks=tuple((n, f"{n:g}") for n in sorted({*shown["n_strata"]}))),
        Axis("variance", Unit.RATIO),
        [_line(name, part, place) for place, (name, part) in enumerate(parts)],
        [Rule(1.0)],
        [Remark("plain random sample", y=1.0, across=1.0)],
        legend=True,
    )
    said = " ".join(_words(name, part) for name, part in parts)
    alt = (
        "Variance of the estimated accuracy against the number of strata, labels shared: "
        f"{shortened(allocation)}; a plain random sample is 100 %. {said}"
    )
    readable = table[list(READABLE)].rename(columns=READABLE).reset_index(drop=True)
    return Chart(drawing, alt, readable)


def _line(name: str, part: pd.DataFrame, place: int) -> Line:
    shown = shortened(name)
    texts = [
        f"{shown}, {int(number)} strata\n{words.percent(float(ratio))} of the variance"
        for number, ratio in zip(part["n_strata"], part["ratio"], strict=True)
    ]
    return Line(part["n_strata"], part["ratio"], dots=5, name=shown, hover=texts, **in_turn(place))


def _words(name: str, part: pd.DataFrame) -> str:
    first, last = part.iloc[0], part.iloc[-1]
    return (
        f"{shortened(name)}: {words.percent(float(first['ratio']))} with "
        f"{int(first['n_strata'])} strata, {words.percent(float(last['ratio']))} with "
        f"{int(last['n_strata'])}."
    )
