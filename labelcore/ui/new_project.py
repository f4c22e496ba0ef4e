"""New project: three screens, each of which settles a part and hands it to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from labelcore.access.roles import Right
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.session.life import LONGEST_NAME, checked_name, free_name
from labelcore.ui import draft, files, new_kept, sessions, visitor
from labelcore.ui.draft import Making, Question, settings
from labelcore.ui.guard import sentence
from labelcore.ui.new_aim import aim_step
from labelcore.ui.new_items import PATH, items_step
from labelcore.ui.new_places import Places
from labelcore.ui.new_question import question_step
from labelcore.ui.new_repeats import with_repeats
from labelcore.ui.new_screens import (
    back_button,
    bar,
    go,
    going_on,
    head,
    next_button,
    pass_on,
    stay,
    step,
)
from labelcore.ui.new_sure import sure_step
from labelcore.ui.plain import one_line, plain

NO_FILE = "To continue, choose a file."
NO_ITEMS = "To continue, settle what is asked above."
FIXED_SHORT = "What is final?"
FIXED = (
    "From now on the file, what its columns mean, the classes, the classifiers and thresholds, "
    "the method, its seed, the planned size, the share shown again, the confidence, the promise, "
    "the claims and what ends the session are fixed: an interval keeps its promise only if "
    "nothing was chosen after seeing labels. The question and the instructions are only words: "
    "they can be corrected later, and the report says so. Labels may be added at the end."
)
MORE = "More: about what, how sure"


def new_project_page() -> None:
    if new_kept.restore():
        go(1, towards=step())
    now: Making = st.session_state.get(draft.MADE, Making())
    if step() > 1 and (not can_be_read(now) or asks_for_items(now)):
        go(1, towards=step())
    if step() > now.settled + 1:
        go(now.settled + 1, towards=step())
    head(step(), said(now))
    SCREENS[step() - 1](now)


def can_be_read(now: Making) -> bool:
    """Whether the file is there still, and as it was."""
    if now.path is None or not files.is_there(now.path):
        return False
    try:
        base_of(now)
    except (ValueError, OSError):
        return False
    return True


def asks_for_items(now: Making) -> bool:
    """Whether a way out says what the known answers are taken for: the first screen has that."""
    return draft.waiting(base_of(now).fingerprint).existing is not None


def base_of(now: Making) -> Population:
    """The file as screen 1 reads it, remembered."""
    assert now.path is not None and now.columns is not None
    return files.read(now.path, now.columns.arguments())


def said(now: Making) -> Mapping[int, str]:
    """The answer of each screen that is settled and left, in a line."""
    found = {}
    if step() > 1:
        base = base_of(now)
        found[1] = f"{base.name}, {len(base):,} items"
    if step() > 2 and now.question is not None:
        found[2] = now.question.text
    return found


def items_screen(now: Making) -> None:
    items = items_step()
    found = Making()
    if items is not None:
        path, columns, _ = items
        same = (path, columns) == (now.path, now.columns)
        found = now if same else Making(path, columns)
    leave(found, NO_ITEMS if PATH in st.session_state else NO_FILE)


def question_screen(now: Making) -> None:
    question = question_step(base_of(now))
    lacking = question if isinstance(question, str) else ""
    asked = question if isinstance(question, Question) else None
    found = replace(now, question=asked)
    leave(found if asked == now.question else replace(found, aim=None, plan=None), lacking)


def leave(found: Making, lacking: str) -> None:
    """The end of a screen: what it has settled is kept, and the way on offered or taken."""
    st.session_state[draft.MADE] = found
    settled = found.settled >= step()
    if going_on():
        if settled:
            pass_on()
        stay()
    next_button(settled, lacking)
    new_kept.keep()


def aim_screen(now: Making) -> None:
    stay()
    assert now.path is not None and now.columns is not None and now.question is not None
    places = laid_out()
    aimed = aim_step(now.path, now.columns, now.question, base_of(now), places)
    settled = sure_step(*aimed, places) if aimed is not None else None
    if aimed is None or settled is None:
        st.session_state[draft.MADE] = replace(now, aim=None, plan=None)
        with places.end, bar():
            back_button()
        new_kept.keep()
        return
    plan, race = settled
    with places.more:
        plan = with_repeats(plan)
        name = name_input(now.path)
    now = replace(now, aim=aimed[0], plan=plan)
    st.session_state[draft.MADE] = now
    with places.end:
        create_button(now, aimed[1], name)
    new_kept.keep()
    race.run()


def laid_out() -> Places:
    """The parts of the last screen, from above to below."""
    left, right = st.columns([38, 62], gap="large")
    with right:
        price, slide, methods = st.container(), st.container(), st.container()
        more = st.expander(MORE, key="new-advanced")
    return Places(left, price, slide, methods, more, end=st.container())


def name_input(path: Path) -> str:
    return st.text_input(
        "Name of the project",
        free_name(sessions.store(), one_line(path.name.split(".")[0], 60) or "project"),
        key=f"new-project-name-{path}",
        persist_state="session",
        max_chars=LONGEST_NAME,
    )


def create_button(now: Making, population: Population, name: str) -> None:
    """The last press, always in reach; what is wrong with it stands above it."""
    above = st.container()
    with bar():
        back_button()
        pressed = st.button("Start labelling", type="primary", key="new-create")
        st.caption(FIXED_SHORT, help=FIXED)
    if not pressed:
        return
    assert now.columns is not None and now.question is not None
    assert now.aim is not None and now.plan is not None
    words = settings(now.question, now.aim, now.columns.revealing)
    try:
        with above:
            name = create(name, words, population, now.plan)
    except (ValueError, TypeError, OSError) as error:
        above.error(plain(sentence(error)))
        return
    draft.forget()
    new_kept.drop()
    st.switch_page("pages/label.py", query_params={"project": name})


def create(name: str, words: Mapping[str, Any], population: Population, plan: Plan) -> str:
    """Everything is valid by now; a name that is taken is told before anything is stored."""
    visitor.require(Right.RUN)
    checked = checked_name(sessions.store(), name)
    sessions.registry().create(checked, population, plan, words)
    return checked


SCREENS = (items_screen, question_screen, aim_screen)
"""What draws each screen, and settles its part."""
