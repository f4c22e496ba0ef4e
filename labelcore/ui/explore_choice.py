"""Explore for a choice between candidates: which it would be at other required precisions."""

from __future__ import annotations

import streamlit as st

from labelcore.results.types import Choice
from labelcore.session.session import Session
from labelcore.ui.new_number import within
from labelcore.ui.plain import plain
from labelcore.words.choices import other_rows, others_words
from labelcore.words.sentences import exact_percent

REQUIREMENTS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
ANOTHER = "explore-another"
FIXED = (
    "A candidate picked after looking is not added: bounds hold for those that were named before "
    "the first label. A new project can ask for it."
)
TITLE = "Which would it be at another required precision?"


def choice_page(session: Session, choice: Choice) -> None:
    """The planned choice, and the same labels asked for other requirements."""
    with st.container(key="sentence"):
        st.text(choice.sentence())
    if session.plan.superseded:
        return
    st.subheader(TITLE, anchor=False)
    typed = st.number_input(
        "Another precision in per cent",
        value=None,
        step=5.0,
        format="%g",
        key=ANOTHER,
        placeholder=exact_percent(0.85),
    )
    if typed is not None and not within(typed, 0.1, 100):
        return
    asked = {*REQUIREMENTS, *([] if typed is None else [typed / 100])}
    planned = round(choice.precision_threshold, 9)
    wanted = sorted((one for one in asked if round(one, 9) != planned), reverse=True)
    rows = other_rows(session.choices_at(wanted), str(choice.scope.positive))
    st.dataframe(rows, hide_index=True, key="explore-choices")
    with st.container(key="promise"):
        st.caption(plain(others_words(choice)))
        st.caption(FIXED)
