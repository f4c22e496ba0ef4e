"""New project, step 2: the question and its two classes."""

from __future__ import annotations

import streamlit as st

from labelcore.population import Population
from labelcore.ui.draft import Question
from labelcore.ui.plain import one_line, plain


def question_step(population: Population) -> Question | None:
    st.subheader("2 · Question", anchor=False)
    if len(population.classes) != 2:
        st.error(
            plain(
                f"The predictions name {len(population.classes)} classes "
                f"({', '.join(population.classes[:10])}). This version measures two: choose "
                "a prediction column with two, or a score alone."
            )
        )
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
