"""The page People: who judged what, how far they agree, and what is to be settled."""

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.results.agreement import PeopleAgree
from labelcore.safe_text import one_line, unbroken
from labelcore.session.session import Session
from labelcore.ui import sessions, visitor
from labelcore.ui.door import entrance
from labelcore.ui.figures import keeps_back
from labelcore.ui.label_errors import error_panel, second_pass_button, settled_line
from labelcore.ui.lines import fold
from labelcore.ui.new_repeats import seen_words
from labelcore.ui.settling import all_settled, chosen, settling
from labelcore.ui.setup import way_to_label
from labelcore.ui.status import at_an_end
from labelcore.ui.tables import reading_table
from labelcore.words.agreement import PAIR_HEAD, PERSON_HEAD, pair_words, person_row
from labelcore.words.label_error import drift_words

TITLE = "Who judged what"
NOBODY_YET = "Nobody has judged anything yet."
COME_AGAIN = "Items come a second time on Label, not marked as such."
NO_DRIFT = "No drift is seen from the first half of the answers to the second."


def people_page(project: str) -> None:
    session = sessions.session(project)
    session.sync()
    if session.broken_at:
        return
    shown = not keeps_back(session)
    line = settled_line(session) if shown else ""
    with st.container(key="about"):
        st.title(unbroken(line, 300) or TITLE, anchor=False)
    settles = visitor.allowed(Right.SETTLE) and not session.status.over
    if settles and chosen(session) is not None:
        st.space("xsmall")
        settling(project)
    elif settles:
        all_settled(project)
    agreement = session.agreement()
    if not agreement.people:
        st.text(NOBODY_YET)
        way_to_label(session)
        entrance().show_roles(project)
        return
    rows = [(one_line(person.name, 60), *person_row(person)) for person in agreement.people]
    reading_table(pd.DataFrame(rows, columns=PERSON_HEAD), "each-person")
    if agreement.pairs:
        reading_table(pair_table(agreement), "pairs")
    if shown:
        waits = not at_an_end(session) or (session.unsettled() and not session.status.over)
        if waits and (words := seen_words(session)):
            st.text(words)
        _drift(session)
        fold("How far the labels can be trusted", "fold-errors", lambda: error_panel(session))
    if session.engine.repeats.due and not (session.plan.further_answers or session.status.over):
        st.text(COME_AGAIN)
    if visitor.allowed(Right.RUN) and not session.status.over:
        second_pass_button(project, session)
    entrance().show_roles(project)


def pair_table(agreement: PeopleAgree) -> pd.DataFrame:
    """Who differs from whom, and where."""
    rows = [
        (f"{one_line(pair.first, 60)}, {one_line(pair.second, 60)}", *pair_words(pair))
        for pair in agreement.pairs
    ]
    return pd.DataFrame(rows, columns=PAIR_HEAD)


def _drift(session: Session) -> None:
    """How the first half of the answers stands to the second, once labelling is over."""
    errors = session.label_error()
    if errors.drift is not None:
        st.text(drift_words(errors).strip() or NO_DRIFT)
