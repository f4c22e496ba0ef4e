"""The start page: my projects, real data to try, a new project."""

from __future__ import annotations

import streamlit as st

from labelcore.estimands import CURVES
from labelcore.promises import Promise
from labelcore.trials import TRIALS
from labelcore.ui import life, trying
from labelcore.ui.facts import estimand_name
from labelcore.ui.guard import PROBLEM, acting
from labelcore.ui.plain import plain
from labelcore.ui.setup import links
from labelcore.ui.summary import Summary, summaries
from labelcore.ui.times import clock, reader_zone
from labelcore.words import sentences as words
from labelcore.words.differences import number_words

STARTED = "started trial"


def start_page() -> None:
    projects = summaries()
    if st.session_state.get(STARTED):
        name = st.session_state.pop(STARTED)
        st.switch_page("pages/label.py", query_params={"project": name})
    st.title("Labelcore", anchor=False)
    st.text("How good is your classifier? Find out with the fewest human labels.")
    life.show_done()
    shown = any(life.open_form(summary.name) for summary in projects)
    if PROBLEM in st.session_state and not shown:
        st.error(plain(st.session_state.pop(PROBLEM)))
    if not projects:
        try_it("Try it on real data", first=True)
        new_project()
        return
    st.page_link("pages/new_project.py", label="New project", icon=":material/add:")
    st.subheader("My projects", anchor=False)
    archived = [number for number, summary in enumerate(projects) if summary.archived]
    for number, summary in enumerate(projects):
        if number not in archived:
            card(number, summary)
    try_it("Try it on real data", first=False)
    if archived:
        opened = any(life.open_form(projects[number].name) for number in archived)
        with st.expander(f"Archived projects ({len(archived)})", expanded=opened):
            for number in archived:
                card(number, projects[number])


def new_project() -> None:
    st.subheader("My own file", anchor=False)
    st.text("A file of items with your classifier's scores or predictions, and no truth.")
    st.page_link("pages/new_project.py", label="New project", icon=":material/add:")


def try_it(title: str, *, first: bool) -> None:
    st.subheader(title, anchor=False)
    st.text("One click, then judge items with single keys; the known truth is shown at the end.")
    columns = st.columns(len(TRIALS))
    for place, (name, trial) in enumerate(TRIALS.items()):
        with columns[place], st.container(border=True):
            st.text(trial.label)
            st.text(trial.question)
            st.button(
                "Start",
                key=f"trial-{name}",
                type="primary" if first and place == 0 else "secondary",
                on_click=begin,
                args=(name,),
                icon=":material/play_arrow:",
            )


@acting
def begin(name: str) -> None:
    st.session_state[STARTED] = trying.start_trial(name)


def card(number: int, summary: Summary) -> None:
    with st.container(border=True, key=f"project-{number}"):
        st.markdown(f"**{plain(summary.name, 80)}**")
        st.text(summary.question)
        st.progress(min(summary.answered / max(summary.planned, 1), 1.0))
        with st.container(key=f"quiet-{number}"):
            st.text(card_line(summary))
        with st.container(horizontal=True, vertical_alignment="center"):
            links(summary.name)
            life.menu(number, summary)
        life.show_form(summary)


def card_line(summary: Summary) -> str:
    """Progress, margin, status, last save."""
    most = "at most " if summary.at_most else ""
    parts = [
        f"{summary.answers if '=' in summary.answers else f'{summary.answered:,}'} of "
        f"{most}{summary.planned:,} judged",
        margin_words(summary),
        summary.status,
    ]
    if summary.last_save:
        parts.append(f"saved {clock(summary.last_save, reader_zone())}")
    return " · ".join([*parts, summary.file])


def margin_words(summary: Summary) -> str:
    """The half-width of the primary figure; the log keeps that of a curve as the mean of all ranks.
    No ± goes with bounds without a promise."""
    if summary.half_width is None:
        return "no interval yet"
    if summary.promise == Promise.NONE:
        return "bounds without a promise"
    name = estimand_name(summary.figure)
    if summary.exact is not None:
        return f"{name} exactly {number_words(summary.figure, summary.exact)}"
    of_ranks = " on average over the ranks" if summary.figure in CURVES else ""
    return f"{name} ± {words.points(summary.half_width)}{of_ranks}"
