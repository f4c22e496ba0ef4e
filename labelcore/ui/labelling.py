"""The labelling page: the next item first, then the figures, the chart last."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from labelcore.access import Right
from labelcore.charts.nodes import Node
from labelcore.items import usable_highlights
from labelcore.log.events import Draw
from labelcore.promises import Status
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import actions, grid, people, sessions, trail, visitor
from labelcore.ui.answers import answers_shown, further, further_classes, tools_shown, turn_key
from labelcore.ui.figures import show_figures
from labelcore.ui.item import item_nodes
from labelcore.ui.more_labels import can_go_on
from labelcore.ui.naming import ask_name
from labelcore.ui.page_errors import guard
from labelcore.ui.panels import beside, lets_judge, show_panel
from labelcore.ui.presses import show_problem
from labelcore.ui.progress import DRAWN, tick
from labelcore.ui.status import at_an_end, counts, progress_parts
from labelcore.ui.surface import shown_item, surface
from labelcore.ui.times import clock, reader_zone
from labelcore.ui.trying import steps
from labelcore.ui.without_item import show_state, title

# What is sent within 10 ms is drawn together; the figures wait until the item is on its way.
ITEM_FIRST_SECONDS = 0.02
SURFACE, TOOLS = "surface", "tools"


@st.fragment(key="labelling")
def labelling(project: str) -> None:
    """Drawn anew with each key; the page around it is not."""
    with guard("label", project):
        session = sessions.session(project)
        person = people.name(session)
        people.is_here(session)
        if not visitor.allowed(Right.SEE):
            judge(project, session, person)
            panel_beside(project, session, person)
            return
        left, right = st.columns([57, 43], gap="medium")
        with left:
            judge(project, session, person)
        time.sleep(ITEM_FIRST_SECONDS)
        with right:
            if not panel_beside(project, session, person):
                show_figures(project, session)


def panel_beside(project: str, session: Session, person: str) -> bool:
    """Show a panel that is open in the place of the figures, so that no item moves."""
    panel = actions.panel(project)
    if beside(panel):
        show_panel(project, session, panel, person)
    return beside(panel)


def judge(project: str, session: Session, person: str) -> None:
    over, panel = session.status.over, actions.panel(project)
    judges = lets_judge(panel)
    draws = [] if over else _to_judge(session, person)
    if not draws and not over and people.release_gone(session):
        draws = _to_judge(session, person)
    draw = next(iter(draws), None)
    paged = grid.is_on(session, person) and bool(draws) and judges
    cells = (grid.cell_of(session, draw, shown_to(session, draw)) for draw in draws)
    page = grid.page_shown(session, cells) if paged else None
    item = opened_item(session, panel) if panel.get("name") == "open" else _item(session, draw)
    answers = answers_shown(session) if draw is not None and judges and not page else None
    tools = _tools(session, person, draw, item, page) if judges else None
    ahead = ahead_of(session, draw, answers) if draw is not None and answers else None
    if page and len(page["cells"]) == len(draws):
        ahead = _page_ahead(session, draws)
    stands = title(session) if item is None and judges else None
    head = _head(session, person, judges=judges, paged=page is not None)
    given = {"answers": answers, "ahead": ahead, "grid": grid.words_of(session) if page else None}
    panels = {"stands": stands, "beside": beside(panel) and not judges}
    first = {"head": head, "item": page or item, **given, **panels}
    _surface(project, SURFACE, first if item is None else {**first, "tools": tools})
    if item is None and judges:
        show_state(project, session, person)
        if visitor.allowed(Right.SEE) and not at_an_end(session):
            st.session_state[DRAWN] = (project, session.state.sequence)
            tick(project, DRAWN)  # Whoever waits for others sees when they are done.
    show_problem()
    if panel and not beside(panel):
        show_panel(project, session, panel, person)
    elif draw is not None and judges:
        further_classes(project, session, draw)
    elif judges:
        _surface(project, TOOLS, {"tools": tools})
    if judges:
        ask_name(project, session, person)


def _to_judge(session: Session, person: str) -> list[Draw]:
    """What this person is to judge now: a page of items, or one."""
    if grid.is_on(session, person):
        return session.page(annotator=person)
    draw = session.next(person)
    return [draw] if draw else []


def _tools(
    session: Session,
    person: str,
    draw: Draw | None,
    item: Mapping[str, Any] | None,
    page: Mapping[str, Any] | None,
) -> dict[str, Any]:
    paged = grid.is_on(session, person)
    offered = paged or (item is not None and grid.is_offered(session, item["view"]))
    turn = (grid.ONE_BY_ONE if paged else grid.GRID, turn_key(session)) if offered else None
    judged = None if page else draw
    flagged = judged is not None and session.last_said(judged, "flagged") == "yes"
    finishes = item is not None or session.status == Status.WAITING
    return tools_shown(session, person, judged, flagged, paged=paged, turn=turn, finishes=finishes)


def _surface(project: str, key: str, data: dict[str, Any]) -> None:
    surface(key, {**data, "done": actions.done()}, partial(actions.pressed, project, key))


def shown_to(session: Session, draw: Draw) -> list[Node]:
    trail.saw(session.project, draw.item_id, draw.token)
    return view_of(session, session.item(draw))


def _item(session: Session, draw: Draw | None) -> dict[str, Any] | None:
    if draw is None:
        return None
    trail.saw(session.project, draw.item_id, draw.token)
    return drawn_item(session, draw)


def drawn_item(session: Session, draw: Draw) -> dict[str, Any]:
    """The item of a draw, as the surface takes it."""
    name = f"{draw.index} again" if draw.repeat else str(draw.index)
    return shown_item(name, view_of(session, session.item(draw)), draw.token)


def ahead_of(session: Session, draw: Draw, answers: list[dict[str, str]]) -> dict[str, Any] | None:
    """The items that may follow, each once; none where a class has no key, because the list of
    those classes belongs to the item that the server drew."""
    if further(session):
        return None
    follows = session.ahead(draw, [answer["answer"] for answer in answers])
    items = list(dict.fromkeys(follows.values()))
    try:
        views = [view_of(session, session.item_by_id(item_id)) for _, item_id in items]
    except ValueError:  # said when it is drawn
        return None
    shown = [
        {"key": item["key"], "view": item["view"]}
        for (index, _), view in zip(items, views, strict=True)
        for item in [shown_item(str(index), view)]
    ]
    return {"items": shown, "after": {name: items.index(item) for name, item in follows.items()}}


def _page_ahead(session: Session, draws: Sequence[Draw]) -> dict[str, Any] | None:
    """The page that follows for sure."""
    items = session.page_ahead(draws)
    try:
        cells = [grid.Cell(n, view_of(session, session.item_by_id(key))) for n, key in items]
    except ValueError:  # said when it is drawn
        return None
    page = grid.page_shown(session, cells)
    return {"items": [page], "after": {"page": 0}} if page else None


def view_of(session: Session, content: Mapping[str, str]) -> list[Node]:
    return item_nodes(content, usable_highlights(session.settings), session.population.path)


def opened_item(session: Session, panel: Mapping[str, Any]) -> dict[str, Any]:
    """The item of a history entry, in the place of the item to judge."""
    asked = session.engine.asked[int(panel["index"]) - 1]
    item_id = session.population.id_at(asked.position)
    trail.saw(session.project, item_id, str(panel["token"]))
    content = session.item_by_id(item_id)
    return shown_item(str(panel["token"]), view_of(session, content))


def _head(session: Session, person: str, *, judges: bool, paged: bool) -> dict[str, Any]:
    last = session.last_answer(person)
    saved = clock(last.at, reader_zone()) if last else None
    now = counts(session).together()
    return {
        "question": one_line(session.settings.get("question") or session.project, 300),
        "how": grid.how(session) if paged else "",
        "said": progress_parts(now, saved),
        "extend": judges
        and session.going_on
        and visitor.allowed(Right.RUN)
        and can_go_on(session) > 0,
        "steps": steps(session),
        "share": now.share,
    }
