"""What else a curve tells, each behind a line of Explore."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.charts.calibration import calibration_chart
from labelcore.charts.readings import READINGS
from labelcore.designs.curves import Curve
from labelcore.estimands import SCALARS
from labelcore.figures.cuts import ranks_that_matter
from labelcore.results.curves import Band, Cut
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.stats.spot_check import hoeffding_interval, hoeffding_size
from labelcore.ui import curve_view
from labelcore.ui.chart import show_chart
from labelcore.ui.cutting import VIEWS, own_cut_of
from labelcore.ui.downloads import table_button
from labelcore.ui.facts import decision, existing_line
from labelcore.ui.params import within
from labelcore.ui.plain import plain
from labelcore.ui.progress import choose_reading
from labelcore.words import sentences as words
from labelcore.words.calibration import CORRECTED
from labelcore.words.quantities import key_parts

MISS, ALARM = "explore-miss", "explore-alarm"
HEIGHT = 430
FIRST_PACKAGES = (90, 80, 70)
OWN = " (the classifier's own cut)"
QUOTE = (
    "Of the classifier's own cut quote the figures on Label: they are about it alone, and narrower."
)


def all_readings(session: Session, curve: Curve, cut: Cut) -> None:
    """Any reading that is not drawn above, and its numbers to take away."""
    choice = choose_reading(curve, "explore-reading", VIEWS)
    chart = curve_view.curve_chart(session, curve, choice, cut=cut.rank, own=own_cut_of(session))
    if chart.table.empty:
        st.text(plain(curve_view.nothing_drawn(session, choice, curve, chart)))
        return
    show_chart(chart, "explore-curve", height=HEIGHT)
    with st.expander("The curve as a table"):
        st.dataframe(chart.table, hide_index=True, key="explore-table")
        table_button(session, "Take this table", "curve", lambda: chart.table)


def at_each_score(session: Session) -> None:
    """How many items are positive at each score, and the scores corrected by the labels."""
    found = session.calibration(curve_view.ranked_by(session))
    st.text(found.sentence())
    show_chart(calibration_chart(found), "explore-calibration", height=HEIGHT)
    if found.labels_used:
        with st.container(horizontal=True, key="corrected", vertical_alignment="center"):
            table_button(
                session,
                "Take corrected scores",
                "corrected",
                lambda: session.corrected_scores(found.classifier),
            )
            st.caption(CORRECTED)


def in_full(session: Session, curve: Curve, cut: Cut) -> None:
    """The sentence to quote, every reading there, the ranks that matter, and the promise."""
    with st.container(key="sentence"):
        st.text(cut.sentence())
    left, right = st.columns(2, gap="large")
    with left:
        st.dataframe(cut_table(cut), hide_index=True, key="cut-table")
    with right:
        show_ranks(session)
    show_promise(session, curve)
    with st.container(key="about-file"):
        items = f"{session.population.name}, {len(session.population):,} items"
        st.text(f"{items} · {decision(session)}")
        if there := existing_line(session):
            st.text(f"Beside {there}.")


def show_promise(session: Session, curve: Curve) -> None:
    said = session.band("precision", curve).sentence()
    if own_cut_of(session) is not None and any(
        isinstance(one, Estimate) and key_parts(one.estimand)[0] in SCALARS
        for one in session.results().values()
    ):
        said += f" {QUOTE}"
    with st.container(key="promise"):
        st.caption(plain(said))


def show_ranks(session: Session) -> None:
    """What is known at the ranks that matter."""
    own = own_cut_of(session)
    rows = []
    for cut in session.cuts(ranks_that_matter(session.population, curve_view.ranked_by(session))):
        row = {"the first": f"{cut.rank:,}" + (OWN if cut.rank == own else "")}
        for name in ("precision", "recall"):
            if name in cut.readings:
                row[READINGS[name].label.lower()] = curve_view.band_figure(cut.readings[name])
        rows.append(row)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="explore-ranks")


def cut_table(cut: Cut) -> pd.DataFrame:
    """The readings of a cut as people read them."""
    rows = []
    for name, band in cut.readings.items():
        low, high = ends(name, band)
        rows.append(
            {
                "reading": READINGS[name].label,
                "estimate": estimate_words(name, band),
                "at least": low,
                "at most": high,
            }
        )
    return pd.DataFrame(rows, columns=["reading", "estimate", "at least", "at most"])


def estimate_words(name: str, band: Band) -> str:
    """The estimate of a band of one point; the midpoint of bounds without confidence is none."""
    if np.isnan(band.value[0]):
        return "unknown"
    if band.has_interval and band.confidence is None:
        return "none by this method"
    value = float(band.told[0])
    if np.isnan(value):
        return "not yet"
    width = float(band.high[0] - band.low[0]) if band.has_interval else 1.0
    return READINGS[name].number(value, width)


def ends(name: str, band: Band) -> tuple[str, str]:
    """Both bounds in words; empty where there are none."""
    if not band.has_interval or band.low[0] != band.low[0]:
        return "", ""
    return READINGS[name].span(float(band.low[0]), float(band.high[0]))


def package_table(session: Session) -> None:
    chosen = st.multiselect(
        "The list down to the end of a package keeps at least this many per cent",
        list(range(99, 0, -1)),
        default=FIRST_PACKAGES,
        key="explore-packages",
        format_func=lambda percent: f"{percent} %",
        placeholder="Choose one or more",
    )
    if not chosen:
        return
    table = session.packages([percent / 100 for percent in chosen])
    if table.empty:
        st.text("The packages come with the first bounds.")
        return
    st.dataframe(readable_packages(table), hide_index=True, key="packages")


def readable_packages(table: pd.DataFrame) -> pd.DataFrame:
    """The packages as people read them."""
    rows = []
    for one in table.to_dict("records"):
        there = one["items"] > 0
        own = READINGS["precision"].range(one["own_low"], one["own_high"]) if there else ""
        rows.append(
            {
                "list keeps": f"{100 * one['precision']:g} %",
                "ranks": f"{int(one['first']):,} to {int(one['last']):,}" if there else "none",
                "items": f"{int(one['items']):,}",
                "down to score": words.score_words(one["score"]) if there else "",
                "positive in the package": own,
            }
        )
    return pd.DataFrame(rows)


def what_mistakes_cost(session: Session) -> None:
    """Where to cut when a miss and a false alarm have their prices."""
    left, right = st.columns(2, gap="large")
    with left:
        miss = st.number_input("A positive item that is missed", value=5.0, step=1.0, key=MISS)
    with right:
        alarm = st.number_input("Another item that is kept", value=1.0, step=1.0, key=ALARM)
    if not (within(miss, 1e-6, 1e9) and within(alarm, 1e-6, 1e9)):
        return
    try:
        cut = session.cheapest_cut(miss, alarm)
    except ValueError:
        return  # Why there are no such bounds stands above.
    st.text("The answer comes with the first bounds." if cut is None else cut.sentence())


def spot_check(cut: Cut, confidence: float) -> None:
    """What a plain random sample of the first items would cost and give."""
    head = f"the first {words.count(cut.rank, 'item')}"
    left, middle, right = st.columns(3)
    with left:
        expected = st.number_input(
            "Expected precision in per cent",
            value=round(100 * _guess(cut), 1),
            step=5.0,
            format="%g",
            key=f"spot-expected-{cut.rank}",
        )
    with middle:
        off = st.number_input(
            "Off by at most this many per cent of it",
            value=5.0,
            step=1.0,
            format="%g",
            key="spot-off",
        )
    with right:
        labels = st.number_input("... or with this many labels", value=200, key="spot-labels")
    sound = [within(expected, 1, 100), within(off, 0.1, 100), within(labels, 1, 10**9)]
    if not all(sound) or None in (expected, off, labels):
        return
    delta = 1 - confidence
    st.text(size_words(head, cut.rank, expected / 100, off / 100, delta))
    st.text(interval_words(head, expected / 100, int(labels), delta))
    st.caption(
        "Hoeffding's inequality (Sabharwal and Sedghi 2017, equations 2 and 3): it holds for "
        "every list, and costs several times the labels of this project's method."
    )


def size_words(head: str, rank: int, expected: float, off: float, delta: float) -> str:
    """
    >>> size_words("the first 99 items", 99, 0.7, 0.05, 0.05)[-79:]
    'needs 1,506 labels. That is more than there are: judging all 99 makes it exact.'
    """
    size = hoeffding_size(off, expected, delta)
    text = (
        f"To know the precision of {head} within {words.points(off * expected)} of "
        f"{words.percent(expected)} with {words.confidence_words(1 - delta)} confidence, a plain "
        f"random sample of them needs {words.count(size)}."
    )
    more = f" That is more than there are: judging all {rank:,} makes it exact."
    return text + (more if size > rank else "")


def interval_words(head: str, expected: float, labels: int, delta: float) -> str:
    """
    >>> interval_words("the first 9 items", 0.7, 2000, 0.05)
    '2,000 labels drawn from the first 9 items, 70.0 % of them positive, would say: 66.9 % to
    73.1 %.'
    """
    low, high = words.percent_range(*hoeffding_interval(expected, labels, delta))
    return (
        f"{words.count(labels)} drawn from {head}, {words.percent(expected)} of them positive, "
        f"would say: {low} to {high}."
    )


def _guess(cut: Cut) -> float:
    """The precision known at a cut, else one to begin with."""
    band = cut.readings.get("precision")
    value = float(band.told[0]) if band is not None else float("nan")
    return min(max(value, 0.01), 1.0) if value == value else 0.7
