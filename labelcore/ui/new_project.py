"""New project: three screens, each of which settles a part and hands it to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from labelcore.access import Right
from labelcore.plan.plan import Plan
from labelcore.plan.recut import without_unfit_recut
from labelcore.population import Population
from labelcore.session.managing import checked_name, free_name
from labelcore.ui import new_kept, sessions, visitor
from labelcore.ui.asking import ask, current
from labelcore.ui.bring import watch_for_files
from labelcore.ui.draft import Draft, Question, settings
from labelcore.ui.new_aim import aim_step
from labelcore.ui.new_items import Items, items_of, items_step
from labelcore.ui.new_question import question_of, question_step
from labelcore.ui.new_repeats import with_overlap, with_repeats
from labelcore.ui.new_screens import Places, back_button, bar, head, next_button
from labelcore.ui.new_sure import sure_step
from labelcore.ui.plain import one_line, plain
from labelcore.ui.presses import sentence

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
MORE = "More choices"


def new_project_page() -> None:
    """The screen of the draft, or the first one before it that is not settled."""
    new_kept.restore()
    watch_for_files()
    now = current()
    items = items_of(now) if now.step > 1 else None
    question = NO_ITEMS if items is None else question_of(now, items.population)
    if items is None:
        now.step = 1
    elif isinstance(question, str):
        now.step = 2
    head(now.step, said(now, items))
    if items is None:
        settled = items_step() is not None
        leave(settled, NO_FILE if now.path is None else NO_ITEMS)
    elif isinstance(question, str) or now.step == 2:
        question_screen(items.population)
    else:
        aim_screen(items, question)


def said(now: Draft, items: Items | None) -> Mapping[int, str]:
    """The answer of each screen that is settled and left, in a line."""
    found = {}
    if items is not None:
        found[1] = f"{items.population.name}, {len(items.population):,} items"
    if now.step > 2:
        found[2] = one_line(now.question or "", 300)
    return found


def question_screen(base: Population) -> None:
    question = question_step(base)
    leave(isinstance(question, Question), question if isinstance(question, str) else "")


def leave(settled: bool, lacking: str) -> None:
    """The end of a screen: the draft is kept, and the way on offered."""
    next_button(settled, lacking)
    new_kept.keep()


def aim_screen(items: Items, question: Question) -> None:
    places, columns = laid_out(), items.settled
    aimed = aim_step(items.path, columns, question, items.population, places)
    settled = sure_step(*aimed, places) if aimed is not None else None
    if aimed is None or settled is None:
        with places.end, bar():
            back_button()
        new_kept.keep()
        return
    aim, population = aimed
    plan, race = settled
    with places.people:
        plan = with_overlap(plan, population)
    with places.more:
        plan = without_unfit_recut(population, with_repeats(plan))
        first = free_name(
            sessions.store(), one_line(items.path.name.split(".")[0], 60) or "project"
        )
        name = ask("project_name", first=first)
    with places.end:
        create_button(settings(question, aim, columns), plan, population, name)
    new_kept.keep()
    race.run()


def laid_out() -> Places:
    """The parts of the last screen, from above to below."""
    left, right = st.columns([38, 62], gap="large")
    with right:
        price, axis, slide, methods = (st.container() for _ in range(4))
        people = st.container(horizontal=True, key="new-people")
        more = st.expander(MORE, key="new-advanced")
    return Places(left, price, axis, slide, methods, people, more, end=st.container())


def create_button(words: Mapping[str, Any], plan: Plan, population: Population, name: str) -> None:
    """The last press, always in reach; what is wrong with it stands above it."""
    above = st.container()
    with bar():
        back_button()
        pressed = st.button(
            "Start labelling", type="primary", key="new-create", shortcut="Ctrl+Enter"
        )
        st.caption(FIXED_SHORT, help=FIXED)
    if not pressed:
        return
    try:
        with above:
            name = create(name, words, population, plan)
    except (ValueError, TypeError, OSError) as error:
        above.error(plain(sentence(error)))
        return
    new_kept.drop()
    st.switch_page("pages/label.py", query_params={"project": name})


def create(name: str, words: Mapping[str, Any], population: Population, plan: Plan) -> str:
    """Everything is valid by now; a name that is taken is told before anything is stored."""
    visitor.require(Right.RUN)
    checked = checked_name(sessions.store(), name)
    sessions.registry().create(checked, population, plan, words)
    return checked
