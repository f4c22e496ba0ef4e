"""Compare methods: what each would give on a file, before any project and any label."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from labelcore.designs.registry import METHODS
from labelcore.errors import CancelledError
from labelcore.papers.planners import Chosen, way_input
from labelcore.plugins import loaded
from labelcore.population import Population
from labelcore.safe_text import plain
from labelcore.ui import files
from labelcore.ui.asking import ask, current
from labelcore.ui.draft import Question
from labelcore.ui.fields import same
from labelcore.ui.new_classifiers import Cut, show_called, usable
from labelcore.ui.new_columns import Columns
from labelcore.ui.new_items import items_step, show_faults
from labelcore.ui.new_question import measurable, named_classes
from labelcore.ui.presses import sentence

WHAT = (
    "What would each method give on your own scores? Nothing is labelled here and no project is "
    "made. File and classifier are shared with New project."
)
NOBODY = (
    "Without a score or a prediction there is nothing to compare: only the share of positive items "
    "can be measured, by a plain random sample."
)
GO_ON = "Go on with this file in New project"
UNNAMED = ("no", "yes")


def compare_page() -> None:
    st.title("Compare methods", anchor=False)
    st.text(WHAT)
    st.header("1 · Items", anchor=False)
    items = items_step()
    if items is None:
        return
    chosen = classifier_step(*items)
    if chosen is None:
        return
    st.header("3 · What would each method give?", anchor=False)
    planners = {row.planner.title: row.planner.show for row in METHODS.values() if row.planner}
    question, ways = "What do you want to plan?", list(planners)
    method = way_input(question, ways, key="compare-planner", label_visibility="collapsed")
    try:
        loaded(planners[method])(chosen)
    except CancelledError:
        return  # It is said where it was waited for.
    except (ValueError, TypeError) as error:
        st.error(plain(sentence(error)))


def classifier_step(path: Path, columns: Columns, base: Population) -> Chosen | None:
    """The classifier and what it says of each item; None while something is missing or wrong."""
    st.header("2 · Classifier", anchor=False)
    names = usable(base)
    if not names:
        st.info(NOBODY)
        st.page_link("pages/new_project.py", label=GO_ON, icon=":material/arrow_forward:")
        return None
    if not measurable(base):
        return None
    question = question_of(base)
    several = len(names) > 1
    name = ask("classifier", options=same(names), first=names[0]) if several else names[0]
    asked = replace(columns, classes=question.classes, positive=question.positive)
    read = Cut(current(), base, question, name).ask(asked)
    if read is None:
        return None
    read = other_cuts(read, base, question, [other for other in names if other != name])
    try:
        population = files.read(path, read.to_json())
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    show_called(population, question, (name,), st.container())
    return Chosen(base, population, read, name)


def question_of(base: Population) -> Question:
    """The classes of the file; where they have names, which one is positive is asked."""
    several = len(base.classes) > 2
    classes, positive = (
        (base.classes, base.positive) if several or base.classes == UNNAMED else named_classes(base)
    )
    return Question("", "", classes, positive)


def other_cuts(read: Columns, base: Population, question: Question, others: list[str]) -> Columns:
    """Thresholds of the classifiers that have only a score, for planners that take several."""
    bare = [name for name in others if name not in base.arguments["predictions"]]
    if not bare:
        return read
    with st.expander("Thresholds of the other classifiers"):
        for name in bare:
            read = Cut(current(), base, question, name).ask(read) or read
    return read
