"""Systems that a model judges: pass rates as people judge, pairs, and the judge, on a page."""

from __future__ import annotations

import streamlit as st

from labelcore.report.judged import PAIRS, judged_of
from labelcore.session.session import Session
from labelcore.ui.plain import one_line
from labelcore.ui.tables import reading_table
from labelcore.ui.trying import truths

LONGEST = 40


def systems_panel(session: Session) -> None:
    """Pass rates of the systems, which of two is better, and how the judge stands to people."""
    found = judged_of(session)
    if found is None:
        return
    for sentence in found.sentences(_short):
        st.text(sentence)
    for caption, table in found.tables(_short, truths(session, found.by)).items():
        reading_table(table, f"judged-{caption.split()[-1]}")
        if caption == PAIRS:
            st.caption(found.legend())


def _short(name: str) -> str:
    return one_line(name, LONGEST)
