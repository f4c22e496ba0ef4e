"""Systems that a model judges: pass rates as people judge, pairs, and the judge, on a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from labelcore.figures.judge import JUDGE
from labelcore.session.session import Session
from labelcore.ui.new_cards import system_column
from labelcore.ui.plain import one_line
from labelcore.ui.tables import reading_table
from labelcore.ui.trying import truths
from labelcore.words import sentences as words
from labelcore.words.differences import points_range

HEAD = "The judge passes {judge} of 100 answers; people would pass {range}."
ORDER_DIFFERS = "The judge puts {judge} first; people put {people} first."
OPEN_BY, OPEN, SURE, TIE, SAME = "open +{more:,}", "open", "sure", "too close", ""
LEGEND = "+40: about so many more labels decide it. {pairs}, {sure} together."
KAPPA = "{value:.2f} ({low:.2f} to {high:.2f})"
SHARES = {
    "agreement": "Agreement",
    "true pass rate": "True passes",
    "false pass rate": "False passes",
}
Ends = dict[str, float]
"""value, low and high"""
Measures = dict[str, Ends]
WIDEST, CLOSE = 0.6, 0.1
LONGEST = 40


def systems_panel(session: Session) -> None:
    """Pass rates of the systems, which of two is better, and how the judge stands to people."""
    plan, population = session.plan, session.population
    if "prevalence" not in plan.estimands or not population.has_judge or not population.groups:
        return
    if not session.labels or session.engine.classifiers[0] not in population.predictions:
        return
    by = plan.by or (system_column(population),)
    found, pairs = session.judge(by), session.differences(by, "prevalence")
    every = _measures(found[found["group"].isna()])
    systems = {
        str(name): _measures(rows)
        for name, rows in found[found["group"].notna()].groupby("group", sort=False)
    }
    st.text(HEAD.format(judge=round(100 * every[JUDGE]["value"]),
                        range=_range(every["pass rate"], unit="")))  # fmt: skip
    places = session.ranking(by, "prevalence")
    truth = truths(session, by[0])
    reading_table(_rates(systems, places, truth), "systems-rates")
    judged = max(systems, key=lambda name: systems[name][JUDGE]["value"])
    first = str(places["name"].iloc[0])
    if judged != first and places["place_to"].iloc[0] == 1:
        st.text(
            ORDER_DIFFERS.format(judge=one_line(judged, LONGEST), people=one_line(first, LONGEST))
        )
    if len(systems) > 1:
        reading_table(_matrix(pairs, [str(one) for one in places["name"]]), "systems-pairs")
        sure = words.confidence_words(plan.confidence)
        st.caption(LEGEND.format(pairs=words.count(len(pairs), "pair"), sure=sure))
    reading_table(_judge(every), "systems-judge")


def _measures(rows: pd.DataFrame) -> Measures:
    kept = rows.set_index("measure")[["value", "low", "high"]]
    return {str(name): dict(one) for name, one in kept.to_dict("index").items()}  # type: ignore[arg-type]


def _rates(
    systems: dict[str, Measures], places: pd.DataFrame, truth: Mapping[str, float]
) -> pd.DataFrame:
    rows = []
    for name, low, high in places.to_numpy().tolist():
        rate, own, bias = (systems[name][one] for one in ("pass rate", JUDGE, "bias"))
        low_end, high_end = points_range(bias["low"], bias["high"])
        rows.append(
            {
                "Place": f"{low}" if low == high else f"{low} to {high}",
                "System": one_line(name, LONGEST),
                "Pass rate": _value(rate),
                "Interval": _range(rate),
                **({"Truth": f"{100 * truth[name]:.0f} %"} if name in truth else {}),
                "Judge says": f"{100 * own['value']:.0f} %",
                "Judge too kind by": f"{low_end} to {high_end}",
            }
        )
    return pd.DataFrame(rows)


def _matrix(pairs: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """A row for each system but the last: whether it is better than those after it."""
    said: dict[tuple[str, str], str] = {}
    for row in pairs.to_dict("records"):
        said[row["a"], row["b"]] = said[row["b"], row["a"]] = _told(row)
    rows = [
        {"Better than": one_line(a, LONGEST)}
        | {one_line(b, LONGEST): SAME if order.index(b) <= at else said[a, b] for b in order[1:]}
        for at, a in enumerate(order[:-1])
    ]
    return pd.DataFrame(rows)


def _told(pair: Mapping[Any, Any]) -> str:
    """Whether one of two is surely better; where it is open about how many labels decide it, if
    that can be said; and where both ends are near zero that they are too close to tell."""
    if pair["ahead"]:
        return SURE
    if not pd.isna(pair["more"]):
        return OPEN_BY.format(more=pair["more"])
    return TIE if max(-pair["low"], pair["high"]) <= CLOSE else OPEN


def _judge(every: Measures) -> pd.DataFrame:
    told = {
        label: f"{_value(every[name])} ({_range(every[name], unit='')})".strip()
        for name, label in SHARES.items()
    }
    return pd.DataFrame(
        [{"The judge": "against people", **told, "Kappa": KAPPA.format(**every["kappa"])}]
    )


def _value(row: Ends) -> str:
    """The value where it says something."""
    return "" if row["high"] - row["low"] > WIDEST else words.percent(row["value"], 0)


def _range(row: Ends, unit: str = " %") -> str:
    return words.range_text(row["low"], row["high"], unit)
