"""Systems that a model judges: pass rates as people judge, pairs, and the judge, on a page."""

import streamlit as st

from labelcore.access import Right
from labelcore.promises import Promise
from labelcore.report.judged import PAIRS, judged_of
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import actions, visitor
from labelcore.ui.more_labels import can_go_on
from labelcore.ui.tables import reading_table
from labelcore.ui.trying import truths
from labelcore.words import sentences as words

LONGEST = 40
DECIDE = "Decide {pairs}: {labels}"


def systems_panel(session: Session) -> None:
    """Pass rates of the systems, which of two is better, and how the judge stands to people."""
    judged = judged_of(session)
    if judged is None:
        return
    for sentence in judged.sentences(_short):
        st.text(sentence)
    for caption, table in judged.tables(_short, truths(session, judged.by)).items():
        reading_table(table, f"judged-{caption.split()[-1]}")
        if caption == PAIRS:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(judged.legend(), width="content")
                _decide(session, *judged.next_to_decide())


def _decide(session: Session, pairs: int, more: int) -> None:
    """A button for the labels that decide the pairs nearest to it, beyond those already planned."""
    add = more - max(actions.allowed(session) - session.engine.answers_given, 0)
    until = session.estimate("prevalence").scope.until
    kept = session.plan.promise == Promise.WATCHED and not 0 < until < session.labels + more
    if pairs and kept and 0 < add <= can_go_on(session) and visitor.allowed(Right.RUN):
        button = DECIDE.format(pairs=words.count(pairs, "more pair"), labels=words.count(add))
        if st.button(button, key="systems-decide"):
            actions.go_on(session.project, add)
            st.switch_page("pages/label.py", query_params={"project": session.project})


def _short(name: str) -> str:
    return one_line(name, LONGEST)
