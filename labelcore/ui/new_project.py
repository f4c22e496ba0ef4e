"""New project: four steps on one page, each open when the one before is settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.session.life import LONGEST_NAME, checked_name, free_name
from labelcore.ui import draft, sessions
from labelcore.ui.draft import Aim, Question, settings
from labelcore.ui.guard import sentence
from labelcore.ui.new_aim import aim_step
from labelcore.ui.new_items import items_step
from labelcore.ui.new_question import question_step
from labelcore.ui.new_repeats import with_repeats
from labelcore.ui.new_sure import sure_step
from labelcore.ui.plain import one_line, plain

FIXED = (
    "From now on the file, what its columns mean, the classes, the classifiers and thresholds, "
    "the method, its seed, the planned size, the share shown again, the confidence, the promise, "
    "the claims and what ends the session are fixed: an interval keeps its promise only if "
    "nothing was chosen after seeing labels. The question and the instructions are only words: "
    "they can be corrected later, and the report says so."
)


def new_project_page() -> None:
    st.title("New project", anchor=False)
    items = items_step()
    if items is None:
        return
    path, columns, base = items
    question = question_step(base)
    if question is None:
        return
    aimed = aim_step(path, columns, question, base)
    if aimed is None:
        return
    aim, population = aimed
    settled = sure_step(aim, population)
    if settled is not None:
        plan, race = settled
        create_step(path, columns.revealing, question, aim, population, with_repeats(plan))
        race.run()


def create_step(
    path: Path,
    revealing: Sequence[str],
    question: Question,
    aim: Aim,
    population: Population,
    plan: Plan,
) -> None:
    st.subheader("Create", anchor=False)
    name = st.text_input(
        "Name of the project",
        free_name(sessions.store(), one_line(path.name.split(".")[0], 60) or "project"),
        key=f"new-project-name-{path}",
        persist_state="session",
        max_chars=LONGEST_NAME,
    )
    st.caption(FIXED)
    if not st.button("Create and start labelling", type="primary", key="new-create"):
        return
    try:
        name = create(name, settings(question, aim, revealing), population, plan)
    except (ValueError, TypeError, OSError) as error:
        st.error(plain(sentence(error)))
        return
    draft.forget()
    st.switch_page("pages/label.py", query_params={"project": name})


def create(name: str, words: Mapping[str, Any], population: Population, plan: Plan) -> str:
    """Everything is valid by now; a name that is taken is told before anything is stored."""
    checked = checked_name(sessions.store(), name)
    sessions.registry().create(checked, population, plan, words)
    return checked
