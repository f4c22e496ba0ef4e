"""New project, step 2: the question and its two classes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from labelcore.errors import Fault
from labelcore.population import Population
from labelcore.ui.draft import Question
from labelcore.ui.new_items import fault_table
from labelcore.ui.plain import one_line, plain


def question_step(population: Population) -> Question | None:
    st.subheader("2 · Question", anchor=False)
    if len(population.classes) != 2:
        faults = third_classes(population)
        st.error(
            plain(
                f"The predictions name {len(population.classes)} classes "
                f"({', '.join(population.classes[:10])}): column {faults[0].column!r} holds "
                f"{faults[0].value!r} in row {faults[0].row}. This version measures two: mend the "
                "file, choose a prediction column with two, or a score alone."
            )
        )
        fault_table(faults)
        return None
    text = st.text_input(
        "What is asked of each item?",
        placeholder="Is this message spam?",
        key="new-question",
        persist_state="session",
        max_chars=300,
    )
    classes, positive = named_classes(population)
    instructions = st.text_area(
        "What counts, and what does not? (shown with H while labelling)",
        key="new-instructions",
        persist_state="session",
        height=90,
        max_chars=5000,
    )
    if not text.strip():
        st.info("Write the question to go on.")
        return None
    fault = classes_fault(classes)
    if fault:
        st.error(plain(fault))
        return None
    return Question(one_line(text, 300), instructions.strip(), classes, positive)


def third_classes(population: Population) -> list[Fault]:
    """The first row of each class beyond the two most common ones, by prediction column."""
    columns = population.arguments["predictions"]
    counts = {
        name: np.bincount(population.predictions[name], minlength=len(population.classes))
        for name in columns
    }
    order = np.argsort(-sum(counts.values()), kind="stable")
    two = " and ".join(repr(population.classes[place]) for place in sorted(order[:2]))
    faults = []
    for name, column in columns.items():
        for place in order[2:][counts[name][order[2:]] > 0]:
            number = int(counts[name][place])
            rule = f"two classes are measured, and {two} are the most common; "
            rule += f"{number:,} {'row has' if number == 1 else 'rows have'} this one"
            row = int(np.argmax(population.predictions[name] == place)) + 1
            faults.append(Fault(population.name, column, row, population.classes[place], rule))
    return sorted(faults, key=lambda fault: fault.row or 0)


def named_classes(population: Population) -> tuple[tuple[str, str], str]:
    """Names from the file stay; where it says 0 and 1, the person names them."""
    if population.classes != ("no", "yes"):
        positive = st.segmented_control(
            "Which class counts as positive?",
            population.classes,
            default=population.positive,
            required=True,
            format_func=plain,
            key=f"new-positive-{population.fingerprint}",
            persist_state="session",
        )
        first, second = population.classes
        return (first, second), str(positive)
    left, right = st.columns(2)
    yes = left.text_input(
        "Answer that counts as positive (key Y)",
        "yes",
        key="new-yes",
        persist_state="session",
        max_chars=40,
    ).strip()
    no = right.text_input(
        "The other answer (key N)", "no", key="new-no", persist_state="session", max_chars=40
    ).strip()
    return (no, yes), yes


def classes_fault(classes: tuple[str, str]) -> str | None:
    """
    >>> classes_fault(("no", "no"))
    'The two answers must differ.'
    """
    if "" in classes:
        return "Both answers need a name."
    if classes[0] == classes[1]:
        return "The two answers must differ."
    reserved = [name for name in classes if name in ("unsure", "later", "broken")]
    if reserved:
        return f"{reserved[0]!r} is an answer with a meaning of its own; choose another name."
    return None
