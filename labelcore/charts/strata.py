"""The strata: how large, how many labels, which rate, and where the uncertainty is."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from labelcore.charts.base import Chart, empty_chart, require_columns
from labelcore.charts.design import PATTERNS, SERIES
from labelcore.charts.drawing import Axis, Bars, Drawing, Unit, named_axis
from labelcore.safe_text import shortened
from labelcore.words import sentences as words

# column, title, unit
Panel = tuple[str, str, Unit]
PANELS: tuple[Panel, ...] = (
    ("items", "items", Unit.NUMBER),
    ("labels", "labels", Unit.NUMBER),
    ("rate", "positive", Unit.RATIO),
    ("uncertainty", "uncertainty", Unit.RATIO),
)
READABLE = {
    "stratum": "Stratum",
    "called": "Called",
    "items": "Items",
    "labels": "Labels",
    "positives": "{rate} labels",
    "rate": "{rate} share",
    "uncertainty": "Share of uncertainty",
}
SHORT, LONG = 16, 40
HEIGHT = 460.0


def strata_chart(table: pd.DataFrame, names: Sequence[str] | None = None) -> Chart:
    """Rows of bars over the strata in order, coloured by the predicted class.

    table   as ``Session.strata()`` gives it: stratum, called, items, labels, positives, rate,
            uncertainty; a rate or share that is not known yet has no bar, and a row without any
            bar is left out. In ``attrs``: "classes" fixes the colour of each predicted class,
            whichever of them have strata; "known" items and "apart" labels stand in no row;
            "order" says what the order means, with places for the names from the file in "names"
    names   a name for each row of the table, such as "ranks 51 to 63"; None: "stratum 1" ...

    Raises ValueError for another number of names than rows.
    """
    require_columns(table, list(READABLE))
    if table.empty:
        return empty_chart("There are no strata.", list(_readable("positive").values()))
    if names is not None:
        if len(names) != len(table):
            raise ValueError(f"names must be {len(table)}, one for each row, got {len(names)}")
        table = table.assign(stratum=list(names))
    rate = rate_name(table)
    panels = [
        (column, rate if column == "rate" else title, unit)
        for column, title, unit in PANELS
        if table[column].fillna(0).any() or (column == "rate" and table["labels"].any())
    ]
    present = set(table["called"])
    colours = dict.fromkeys([*table.attrs.get("classes", ()), *table["called"]])
    calls = [(series, called) for series, called in enumerate(colours) if called in present]
    bars = [bar for series, called in calls for bar in _bars(table, called, series, panels)]
    order = _order(table)
    title = (
        order
        if names is not None
        else (",\n" if len(order) > LONG else ", ").join(filter(None, ["stratum", order]))
    )
    drawing = Drawing(
        named_axis(_places(table), title),
        tuple(Axis(title, unit, zero=True) for _, title, unit in panels),
        bars,
        legend=present != {""},
        height=HEIGHT,
    )
    shown = [n for n in READABLE if n != "uncertainty" or table["uncertainty"].notna().any()]
    return Chart(drawing, _alt(table), table[shown].rename(columns=_readable(rate)))


def _readable(rate: str) -> dict[str, str]:
    """The columns as people read them; ``rate``: what is counted in each stratum."""
    return {name: text.format(rate=rate.capitalize()) for name, text in READABLE.items()}


def _order(table: pd.DataFrame) -> str:
    names = {name: shortened(x, SHORT) for name, x in table.attrs.get("names", {}).items()}
    return str(table.attrs.get("order", "")).format(**names)


def _places(table: pd.DataFrame) -> list[str]:
    """A name for each row: the stratum, with the predicted class where a stratum has several."""
    several = table["stratum"].duplicated(keep=False)
    return [
        f"{stratum} {shortened(called)}" if both else str(stratum)
        for stratum, called, both in zip(table["stratum"], table["called"], several, strict=True)
    ]


def _bars(table: pd.DataFrame, called: str, series: int, panels: Sequence[Panel]) -> list[Bars]:
    """The bars of one predicted class in all panels."""
    places = np.flatnonzero(table["called"] == called)
    part, rate = table.iloc[places], rate_name(table)
    sentences = [_row_words(values, rate) for values in part.to_dict("records")]
    return [
        Bars(
            places,
            part[column].to_numpy(dtype=float),
            pattern=PATTERNS[series % len(PATTERNS)],
            name=f"called {shortened(called)}" if called else "items",
            role=SERIES[series % len(SERIES)],
            hover=sentences,
            panel=panel,
        )
        for panel, (column, _, _) in enumerate(panels)
    ]


def _named(stratum: object) -> str:
    """A stratum that has a number only is called so."""
    return stratum if isinstance(stratum, str) else f"stratum {stratum}"


def rate_name(table: pd.DataFrame) -> str:
    """What the rates are rates of: positive items, with several classes those judged rightly."""
    return str(table.attrs.get("rate", "positive"))


def _row_words(row: Mapping[Any, Any], name: str) -> str:
    rate = "no labels" if np.isnan(row["rate"]) else f"{words.percent(row['rate'])} {name}"
    called = f", called {shortened(row['called'])}" if row["called"] else ""
    share = row["uncertainty"]
    owed = "" if np.isnan(share) else f"\n{words.percent(share)} of the uncertainty"
    return (
        f"{_named(row['stratum'])}{called}\n{words.count(row['items'], 'item')}, "
        f"{words.count(row['labels'])}, {rate}{owed}"
    )


def left_out_words(table: pd.DataFrame) -> str:
    """Which items and labels stand in no row, "" where there are none.

    >>> table = pd.DataFrame()
    >>> table.attrs.update(known=0, apart=45)
    >>> left_out_words(table)
    '45 labels are left out: they are no random sample of a stratum.'
    """
    known, apart = table.attrs.get("known", 0), table.attrs.get("apart", 0)
    are, they = ("is", "it is") if apart == 1 else ("are", "they are")
    sentences = [
        f"Without {words.count(known, 'known item')}: none was asked." if known else "",
        f"{words.count(apart)} {are} left out: {they} no random sample of a stratum."
        if apart
        else "",
    ]
    return " ".join(filter(None, sentences))


def _alt(table: pd.DataFrame) -> str:
    n = len(table["stratum"].unique())
    items, labels = int(table["items"].sum()), int(table["labels"].sum())
    text = (
        f"{n} {'stratum' if n == 1 else 'strata'} with {words.count(items, 'item')} and "
        f"{words.count(labels)}."
    )
    if table["uncertainty"].notna().any() and table["uncertainty"].max() > 0:
        most = table.iloc[int(np.nanargmax(table["uncertainty"].to_numpy(dtype=float)))]
        called = f" (called {shortened(most['called'])!r})" if most["called"] else ""
        text += (
            f" Most of what is still uncertain lies in {_named(most['stratum'])}{called}: "
            f"{words.percent(float(most['uncertainty']))} of it, with "
            f"{words.count(int(most['labels']))} on {words.count(int(most['items']), 'item')}."
        )
    return " ".join(filter(None, [text, left_out_words(table)]))
