"""Pictures and short texts in a grid: twelve at once, of which one presses the fewer kind.

The classifier is not asked: the items come in the order in which they were drawn, and none is
marked before somebody presses it.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from labelcore.charts.nodes import Node
from labelcore.log.events import Draw, answer_word
from labelcore.safe_text import one_line
from labelcore.session.session import PAGE, Session
from labelcore.ui.status import shown_word

PICTURES, TEXTS = "pictures", "texts"
LONGEST_TEXT, MOST_LINES = 200, 5
GRID, ONE_BY_ONE = "Grid", "One by one"
PRESS, UNSURE = "pressed", "unsure"


def kind_of(view: Sequence[Node]) -> str:
    """Which grid an item fits into: a picture by itself, or one short text; "" for any other.

    >>> kind_of([["img", {"src": ""}]]), kind_of([["div", {"class": "lc-text"}, "Lunch?"]])
    ('pictures', 'texts')
    >>> kind_of([["div", {"class": "lc-text"}, "long " * 50]])
    ''
    """
    if len(view) != 1:
        return ""
    tag, attributes, *children = view[0]
    if tag == "img":
        return PICTURES
    text = _text(children)
    short = len(text) <= LONGEST_TEXT and text.strip().count("\n") < MOST_LINES
    return TEXTS if attributes.get("class") == "lc-text" and short else ""


def _text(nodes: Sequence[Node | str]) -> str:
    return "".join(child if isinstance(child, str) else _text(child[2:]) for child in nodes)


# --- whether ------------------------------------------------------------------------------------


def is_on(session: Session, person: str) -> bool:
    """Whether this person judges a page at a time: it was chosen, or one is open already."""
    if len(session.population.classes) != 2:
        return False
    shown = session.state.screens.on_screen(person)
    if len(shown) > 1 and any(draw.minutes is not None for draw in shown):
        st.session_state[_key(session)] = True  # Also after a reload, and once this page is saved.
    return bool(st.session_state.get(_key(session)))


def turn(session: Session, person: str) -> None:
    """A page instead of one item, or the other way round; what is open comes again, in order."""
    on = is_on(session, person)
    give_back(session, person)
    st.session_state[_key(session)] = not on


def give_back(session: Session, person: str) -> None:
    """What this person has open is to come again, behind what they take back."""
    for draw in session.state.on_screen(person):
        session.release(draw)


def _key(session: Session) -> str:
    return f"grid of {session.project}"


def is_offered(session: Session, view: Sequence[Node]) -> bool:
    """Where the item suits, the question has two answers, and the method draws several items before
    it looks at the answers."""
    engine, key = session.engine, f"offered {_key(session)}"
    latest = Counter(draw.batch for draw in engine.asked[-PAGE:])
    several = engine.batch_left > 0 or max(latest.values(), default=0) > 1
    if several and len(session.population.classes) == 2 and kind_of(view):
        st.session_state[key] = True  # From now on, so that no button comes and goes.
    return was_offered(session)


def was_offered(session: Session) -> bool:
    return bool(st.session_state.get(f"offered {_key(session)}"))


def swap(session: Session) -> None:
    """Press the others from now on."""
    st.session_state[f"swapped {_key(session)}"] = not _swapped(session)


def _swapped(session: Session) -> bool:
    return bool(st.session_state.get(f"swapped {_key(session)}"))


# --- what is shown ------------------------------------------------------------------------------


def words_of(session: Session) -> dict[str, dict[str, str]]:
    """What a pressed item, one that is left alone and one held with Shift is answered."""
    first = session.population.positive
    second = next(name for name in session.population.classes if name != first)
    pressed, rest = (second, first) if _swapped(session) else (first, second)
    named = {"pressed": pressed, "rest": rest, "unsure": UNSURE}
    return {
        which: {"answer": name, "words": one_line(shown_word(name), 40)}
        for which, name in named.items()
    }


def how(session: Session) -> str:
    """What to do, beside the question."""
    return f"Press every {words_of(session)['pressed']['words']}."


@dataclass(frozen=True)
class Cell:
    """An item of a page: its draw's number, whether it is shown once more, what was pressed there,
    and the token of its draw, "" of one that is not drawn yet."""

    index: int
    view: list[Node]
    repeat: bool = False
    was: str = ""
    token: str = ""


def cell_of(session: Session, draw: Draw, view: list[Node]) -> Cell:
    """A drawn item."""
    return Cell(draw.index, view, draw.repeat, _was(session, draw), draw.token)


def page_shown(session: Session, cells: Iterable[Cell]) -> dict[str, Any] | None:
    """The first of these items that fit into one grid, as the surface takes a page; None where the
    first does not."""
    kept: list[Cell] = []
    for cell in cells:
        kind = kind_of(cell.view)
        if not kind or (kept and kind != kind_of(kept[0].view)):
            break
        kept.append(cell)
    if not kept:
        return None
    pressed = words_of(session)["pressed"]["answer"]
    named = [pressed, [(cell.index, cell.repeat, cell.was, cell.view) for cell in kept]]
    digest = hashlib.sha256(json.dumps(named).encode()).hexdigest()[:16]
    return {
        "key": f"page-{digest}",
        "token": " ".join(cell.token for cell in kept),
        "cells": [{"view": cell.view, "was": cell.was} for cell in kept],
        "kind": kind_of(kept[0].view),
    }


def _was(session: Session, draw: Draw) -> str:
    """What this person had pressed there before the answer was taken back."""
    undone = session.state.screens.taken_back(draw.index, repeat=draw.repeat)
    shown = session.state.screens.shown[draw.token]
    if undone is None or undone.annotator != shown.annotator or not undone.previous:
        return ""
    before = answer_word(session.events[undone.previous - 1])
    words = words_of(session)
    return PRESS if before == words["pressed"]["answer"] else UNSURE if before == UNSURE else ""
