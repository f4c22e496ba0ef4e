"""The start page: my projects as rows, trials, a new project."""

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from labelcore.access import PAGES, Right
from labelcore.charts.nodes import node
from labelcore.log.people import browsers
from labelcore.safe_text import plain
from labelcore.trials.words import WORDS
from labelcore.ui import monitors, project_menu, visitor
from labelcore.ui.drawing import draw
from labelcore.ui.last_look import known_picture
from labelcore.ui.lines import quiet
from labelcore.ui.people import introduced
from labelcore.ui.picture import show_picture
from labelcore.ui.presses import PROBLEM, button, show_unsafe
from labelcore.ui.setup import link_to
from labelcore.ui.start_head import STARTED, first_steps, head, try_line
from labelcore.ui.summary import Summary, summaries
from labelcore.ui.times import dated, reader_zone
from labelcore.ui.trying import make_ready
from labelcore.ui.watching import ICONS, headline

TRIAL = "digits"
RECORDED = Path(__file__).parent / "recorded.json"
HAPPENS = "With every answer the band closes around how often the classifier is right."
WHAT = "Recorded: {labels} answers to “{question}” The last dot is the truth."


@cache
def recording() -> dict[str, Any]:
    return dict(json.loads(RECORDED.read_text("utf-8")))


def show_recording() -> None:
    """What will happen, as a picture that plays once; at its end where little motion is wanted."""
    recorded = recording()
    charts = node("div", *recorded["charts"], klass="recorded")
    asked = WORDS[TRIAL].question
    with st.container(horizontal=True, key="recorded", vertical_alignment="center"):
        with st.container(width=420):
            draw("recorded-picture", "picture", node("div", charts, klass="living"))
        with st.container(width="stretch", gap="small"):
            st.text(HAPPENS)
            st.caption(WHAT.format(labels=recorded["labels"], question=asked))


SEARCH, SORT, ALL_ROWS = "projects-search", "projects-sort", "projects-all"
WIDTHS = (3.2, 5.2, 2.4, 1.8, 1.2)
KNOWN = "What is known"
HEADS = ("Project", KNOWN, "Labels", "Last change", "")
ROWS = 20
"""Shown at once; a press shows the others. So many need no search, either."""
FEW = 3
WAVES, ARCHIVED = "Finished waves of monitors", "Archived projects"
CHANGED = "No figures are shown: its log was changed outside Labelcore. Open it to repair it."
NO_PROJECTS = "There is no project yet."
Order = Callable[[Summary], Any]
ORDERS: dict[str, tuple[Order, bool]] = {
    "Last change": (lambda summary: summary.last_save or summary.created, True),
    "Name": (lambda summary: summary.name.casefold(), False),
    "Labels left": (lambda summary: summary.planned - summary.answered, True),
}
"""How rows can be sorted, and whether the greatest comes first."""


def start_page() -> None:
    projects = summaries()
    if st.session_state.get(STARTED):
        name = st.session_state.pop(STARTED)
        st.switch_page("pages/label.py", query_params={"project": name})
    project_menu.go_where_chosen()
    head()
    project_menu.show_done()
    show_unsafe()
    shown = any(project_menu.open_form(summary.name) for summary in projects)
    if PROBLEM in st.session_state and not shown:
        st.error(plain(st.session_state.pop(PROBLEM)))
    if not projects and not visitor.allowed(Right.RUN):
        st.text(NO_PROJECTS)
        return
    if not projects:
        make_ready()
        first_steps()
        show_recording()
        introduced()  # So that Label need not ask before its first item.
        return
    if visitor.allowed(Right.RUN):
        make_ready()
        try_line()
        introduced()
    alarms = st.container(key="start-watch-alarm-links", gap="small")
    numbered = list(enumerate(projects))
    mine = [pair for pair in numbered if not pair[1].archived and not pair[1].done_wave]
    waves = [pair for pair in numbered if pair[1].done_wave and not pair[1].archived]
    put_away = [pair for pair in numbered if pair[1].archived]
    if len(mine) > FEW:
        mine = searched_projects(mine)
    rows(mine)
    for title, behind in ((WAVES, waves), (ARCHIVED, put_away)):
        if behind:
            opened = any(project_menu.open_form(summary.name) for _, summary in behind)
            with st.expander(f"{title} ({len(behind)})", expanded=opened):
                rows(behind)
    with alarms:
        show_alarms()


def show_alarms() -> None:
    """Monitors with an alarm, with the way to them. Comes last: their evidence may take a moment;
    what keeps it from being worked out is told on *Watch*."""
    if not visitor.allowed(PAGES["watch"]):
        return
    for name in monitors.names():
        with suppress(ValueError, OSError):
            standing = monitors.opened(name).standing()
            if standing.alarms:
                link_to("watch", plain(headline(standing)), ICONS[standing.state], monitor=name)


# --- rows ---------------------------------------------------------------------------------------

Numbered = tuple[int, Summary]


def searched_projects(projects: list[Numbered]) -> list[Numbered]:
    """Those with the searched words in name, question or file, in the chosen order."""
    with st.container(horizontal=True, key="projects-find"):
        wanted = st.text_input(
            "Search projects", key=SEARCH, placeholder="Search", label_visibility="collapsed"
        )
        order = st.selectbox(
            "Sort by",
            list(ORDERS),
            key=SORT,
            format_func=lambda name: f"By {name[:1].lower()}{name[1:]}",
            label_visibility="collapsed",
        )
    key, greatest_first = ORDERS[order or next(iter(ORDERS))]
    asked = wanted.casefold().split()
    kept = [pair for pair in projects if all(word in text_searched(pair[1]) for word in asked)]
    if not kept:
        st.info("No project has these words in its name, question or file.")
    return sorted(kept, key=lambda pair: key(pair[1]), reverse=greatest_first)


def text_searched(summary: Summary) -> str:
    return f"{summary.name} {summary.question} {summary.file}".casefold()


def rows(projects: list[Numbered]) -> None:
    """One row a project, below one line of heads."""
    if not projects:
        return
    with st.container(key=f"quiet-heads-{projects[0][0]}"):
        for column, name in zip(st.columns(WIDTHS), HEADS, strict=True):
            if name != KNOWN or any(visitor.allowed(Right.SEE, pair[1].name) for pair in projects):
                column.text(name)
    every = st.session_state.get(ALL_ROWS, False)
    shown = projects if every else projects[:ROWS]
    for number, summary in shown:
        row(number, summary)
    if not every and len(projects) > ROWS:
        left = len(projects) - ROWS
        button(f"Show {left:,} more", ALL_ROWS, show_all_rows)


def show_all_rows() -> None:
    st.session_state[ALL_ROWS] = True


def row(number: int, summary: Summary) -> None:
    with st.container(key=f"project-{number}"):
        name, known, labels, change, menu = st.columns(WIDTHS, vertical_alignment="center")
        with name, st.container(gap=None):
            label = f"**{plain(summary.name, 80)}**"
            link_to(first_page(summary.name), label, project=summary.name)
            quiet(f"question-{number}", summary.question)
        with known:
            if summary.changed:
                quiet(f"known-{number}", CHANGED)
            elif visitor.allowed(Right.SEE, summary.name):
                show_picture(f"known-{number}", known_picture(summary.known))
        with labels, st.container(gap=None):
            st.text(f"{summary.answered:,} {summary.of_planned}")
            quiet(f"status-{number}", summary.status)
        with change, st.container(gap=None):
            st.text(dated(summary.last_save, reader_zone()) if summary.last_save else "–")
            quiet(f"people-{number}", people_words(summary.people))
        if visitor.allowed(Right.RUN, summary.name):
            with menu:
                project_menu.menu(number, summary)
            project_menu.show_form(summary.name)


def first_page(project: str) -> str:
    """The page of a project that a press on its name opens."""
    return "label" if visitor.allowed(PAGES["label"], project) else "progress"


def people_words(names: Collection[str]) -> str:
    """How many gave answers; "" where that cannot be known: several browsers may be one person's.

    >>> people_words([]), people_words(["me"]), people_words(["ann", "bob"])
    ('', '1 person', '2 people')
    >>> people_words(["me", "me 2"]), people_words(["ann", "me", "me 2"])
    ('', '')
    """
    number = len(names)
    if not number or browsers(names) > 1:
        return ""
    return f"{number:,} {'person' if number == 1 else 'people'}"
