"""The page on which a person moves a cut along the curve; it changes nothing."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.charts.base import Chart
from labelcore.charts.rank import LOG_FROM_ITEMS
from labelcore.charts.readings import READINGS
from labelcore.designs.curves import Curve
from labelcore.estimands import SCALARS
from labelcore.promises import State
from labelcore.report.sections import sentence as full_sentence
from labelcore.results.curves import Cut
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.stats.spot_check import hoeffding_interval, hoeffding_size
from labelcore.ui import curve_view, sessions
from labelcore.ui.chart import show_chart
from labelcore.ui.choice_view import choice_of
from labelcore.ui.cutting import (
    FIRST_REQUIRED,
    REQUIRED,
    choose_cut,
    cut_in_picture,
    own_cut_of,
    required_precision,
    show_cut,
)
from labelcore.ui.downloads import table_button
from labelcore.ui.explore_choice import choice_page
from labelcore.ui.explore_list import SHALLOW, by_ranked_list
from labelcore.ui.facts import decision, existing_line
from labelcore.ui.figures import keeps_back
from labelcore.ui.new_cards import SHIP
from labelcore.ui.new_number import within
from labelcore.ui.plain import plain
from labelcore.ui.pointing import CHART
from labelcore.ui.presses import sentence
from labelcore.ui.progress import choose_reading, how_far, question, tick
from labelcore.words import sentences as words
from labelcore.words.quantities import key_parts

DRAWN = "explore drawn"
MISS, ALARM = "explore-miss", "explore-alarm"
HEIGHT = 430
SCALES = ("Ranks evenly", "Logarithmic")
FIRST_PACKAGES = (90, 80, 70)
REQUIREMENTS = (99, 95, 90, 80, 70, 50)
GUARANTEED = "deepest cut, guaranteed"
ASSUMED = "deepest cut, if precision falls along the list"
OWN = " (the classifier's own cut)"
NO_SCORE = (
    "There is nothing to cut here: a curve needs two classes, a classifier with a score, and "
    "labels from the whole list."
)
ONE_BY_ONE = (
    "Which classifier finds the most at a required precision is not read off here: each interval "
    "holds for its classifier alone. A project that asks {ship!r} has bounds for all of them."
)
QUOTE = (
    "Of the classifier's own cut quote the figures on Label: they are about it alone, and narrower."
)
MISSED = "No cut is sure to keep {precision} yet: more labels may show one."
BARELY = (
    "Down to which item {precision} is kept is not known yet: so far only {first} sure to keep it."
)


def explore_page(project: str) -> None:
    session = sessions.session(project)
    sequence = sessions.store().last_sequence(project)
    question(session)
    if keeps_back(session):
        return
    choice, curve = choice_of(session), curve_of(session)
    st.session_state[DRAWN] = (project, sequence)
    if choice is not None:
        about_lines(session)
        choice_page(session, choice)
        tick(project, DRAWN)
        return
    if curve is None:
        st.info(NO_SCORE)
        which_of_several(session)
        return
    about_lines(session)
    if curve.state == State.NOTHING:
        show_promise(session, curve)
        tick(project, DRAWN)
        return
    left, right = st.columns([60, 40], gap="large")
    chart, cut = the_curve(session, curve, left, right)
    with right:
        if cut is not None:
            show_cut(cut)
        by_ranked_list(session, curve)
        show_promise(session, curve)
        show_ranks(session)
    numbers(session, chart)
    if refusal := why_no_search(session, curve):
        st.subheader("Where does precision fall?", anchor=False)
        st.text(refusal)
    elif curve.state != State.TOO_FEW:
        st.subheader("Where does precision fall?", anchor=False)
        where_it_falls(session, curve, required_precision())
        if deepest_table(session, curve):
            with st.expander("Cut it into packages", key="explore-in-packages"):
                package_table(session)
        what_mistakes_cost(session)
    which_of_several(session)
    spot_check(session, cut)
    tick(project, DRAWN)


def which_of_several(session: Session) -> None:
    """Why none of several classifiers is named for a required precision."""
    if len(session.plan.classifiers) > 1:
        st.caption(ONE_BY_ONE.format(ship=SHIP.title))


def about_lines(session: Session) -> None:
    """How far the labelling is, and what the figures are about; the promise stands below them."""
    how_far(session)
    with st.container(key="about-file"):
        items = f"{session.population.name}, {len(session.population):,} items"
        st.text(f"{items} · {decision(session)}")
        if there := existing_line(session):
            st.text(f"Beside {there}.")


def curve_of(session: Session) -> Curve | None:
    """The curve; None where the file has no score or several classes."""
    if len(session.population.classes) > 2:
        return None
    try:
        return session.curve()
    except ValueError:
        return None


def the_curve(
    session: Session, curve: Curve, left: DeltaGenerator, right: DeltaGenerator
) -> tuple[Chart, Cut | None]:
    """The chart with the cut in it, and to its right the ways to move it."""
    st.session_state.setdefault(REQUIRED, FIRST_REQUIRED)
    with right:
        rank = choose_cut(session)
    with left:
        choice = choose_reading(curve, "explore-reading")
        log = st.segmented_control(
            "Scale of the ranks",
            SCALES,
            default=SCALES[len(session.population) >= LOG_FROM_ITEMS],
            required=True,
            key="explore-scale",
            label_visibility="collapsed",
        )
        chart = curve_view.curve_chart(
            session,
            curve,
            choice,
            log=log == SCALES[1],
            cut=rank,
            required=required_precision(),
            own=own_cut_of(session),
        )
        if chart.table.empty:
            st.text(plain(curve_view.nothing_drawn(session, choice, curve, chart)))
        else:
            show_chart(chart, CHART, height=HEIGHT)
            cut_in_picture(session, rank)
    return chart, None if rank is None else session.cut(rank)


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
    """What is known at the ranks that matter: 1, 10, 100, ... and the classifier's own cut."""
    own = own_cut_of(session)
    rows = []
    for cut in session.cuts(ranks_that_matter(len(session.population), own)):
        row = {"the first": f"{cut.rank:,}" + (OWN if cut.rank == own else "")}
        for name in ("precision", "recall"):
            if name in cut.readings:
                row[READINGS[name].label.lower()] = curve_view.band_figure(cut.readings[name])
        rows.append(row)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="explore-ranks")


def ranks_that_matter(n_items: int, own: int | None) -> list[int]:
    """
    >>> ranks_that_matter(4000, 993)
    [1, 10, 100, 993, 1000]
    """
    tens = [rank for rank in (1, 10, 100, 1000) if rank <= n_items]
    return sorted({*tens, *([own] if own else [])})


def deepest_table(session: Session, curve: Curve) -> bool:
    """How far down each precision is kept, as surely as the bounds are; nothing, and False, where
    none is kept further than a few items."""
    rows, how = [], GUARANTEED if curve.confidence is not None else ASSUMED
    found = {percent: session.deepest_cut(percent / 100) for percent in REQUIREMENTS}
    if all(cut is None or barely(curve.state, cut) for cut in found.values()):
        return False
    for percent, cut in found.items():
        rows.append(
            {
                "required precision": f"{percent} %",
                how: "none yet" if cut is None else f"{cut.rank:,}",
                "down to score": "" if cut is None else words.score_words(cut.score),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="explore-deepest")
    return True


def barely(state: State, cut: Cut) -> bool:
    """Whether a deepest cut says little: a few items, of a list that is not settled."""
    return cut.rank < min(SHALLOW, cut.n_items) and state != State.EXACT


def numbers(session: Session, chart: Chart) -> None:
    """The points of the curve, to read and to take away."""
    if chart.table.empty:
        return
    with st.expander("The curve as a table"):
        st.dataframe(chart.table, hide_index=True, key="explore-table")
        table_button(session, "Take this table", "curve", lambda: chart.table)


def why_no_search(session: Session, curve: Curve) -> str:
    """Why no place may be searched for along this curve; "" if one may."""
    if curve.yields is not None:
        return ""
    try:
        session.deepest_cut(FIRST_REQUIRED / 100)
    except ValueError as error:
        return full_sentence(sentence(error))
    return ""


def where_it_falls(session: Session, curve: Curve, required: float) -> None:
    """Down to where the precision that is required is kept."""
    cut = session.deepest_cut(required)
    if cut is None and curve.yields is None:
        st.text(f"The answer comes with the first bounds: {curve.missing or 'none so far'}.")
        return
    if cut is None:
        st.text(MISSED.format(precision=words.exact_percent(required)))
        return
    if barely(curve.state, cut):
        first = "the first item is" if cut.rank == 1 else f"the first {cut.rank} items are"
        st.text(BARELY.format(precision=words.exact_percent(required), first=first))
        return
    st.text(f"Down to rank {cut.rank:,} it is kept. {cut.sentence()}")


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


def what_mistakes_cost(session: Session) -> None:
    """Where to cut when a miss and a false alarm have their prices."""
    st.subheader("What does a mistake cost?", anchor=False)
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


def spot_check(session: Session, cut: Cut | None) -> None:
    """What a plain random sample of the first items would cost and give."""
    if cut is None:
        return
    head = f"the first {words.count(cut.rank, 'item')}"
    with st.expander("How many labels would a plain sample of these items need?"):
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
        delta = 1 - session.plan.confidence
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
