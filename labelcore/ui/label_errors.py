"""What second readings say, and the way to a second pass."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore.log.events import answer_word
from labelcore.results.agreement import PeopleAgree
from labelcore.results.label_error import LabelError
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.ui import actions
from labelcore.ui.facts import figure_name, shown_word
from labelcore.ui.panels import glimpse
from labelcore.ui.plain import one_line
from labelcore.ui.tables import reading_table
from labelcore.words.agreement import (
    COEFFICIENT_HEAD,
    coefficient_rows,
    settled_by,
)
from labelcore.words.differences import told_interval, told_words
from labelcore.words.label_error import figure_words
from labelcore.words.quantities import is_settled
from labelcore.words.sentences import confidence_words, count, missing_words

PASS = 30
ANOTHER_PASS = "Have another person judge {items}"
SECOND_PASS = "Judge {items} a second time"
RESTS = (
    "{confidence} confidence each, for one look when labelling is over. Mistakes that follow the "
    "class or the score break the first column; those made both times break both."
)


def second_pass_button(project: str, session: Session) -> None:
    """A second pass over some of the labelled items, where some are left."""
    items = min(PASS, session.engine.repeats.free())
    if items:
        words = ANOTHER_PASS if session.plan.overlap else SECOND_PASS
        st.button(
            words.format(items=f"{items:,} of them" if items > 1 else "one of them"),
            key="second-pass",
            on_click=actions.second_pass,
            args=(project, items),
        )


def settle_button(project: str, session: Session) -> None:
    """The way to the items that people judge differently, where there are some."""
    number = 0 if session.status.over else len(session.unsettled())
    if number and st.button(f"Settle {count(number, 'item')}", key="to-settle"):
        st.switch_page("pages/people.py", query_params={"project": project})


def settled_line(session: Session) -> str:
    """The main figure as people settled it, and whose figure it is; "" where nobody else reads."""
    found = _settled(session)
    if not found:
        return ""
    by = settled_by(session.plan.readers)
    return f"{by}: {_settled_name(found[0])} {_value_words(found[0])}"


def error_lines(session: Session) -> list[str]:
    """A sentence about the labels, and one about the main figure for the truth."""
    found = session.label_error()
    return [found.sentence(), *(one.sentence() for one in found.figures[:1])]


def error_panel(session: Session) -> None:
    """The rate, agreement, figures for the truth, and the items answered differently."""
    found = session.label_error()
    several = agreement_of(session)
    alike = [one.sentence() for one in found.agreements] if several is None else []
    st.text("\n".join([found.sentence(), *alike]))
    if several is not None:
        agreement_panel(several)
    if several is not None:
        reading_table(settled_table(session), "settled-figures")
    elif found.figures:
        reading_table(figure_table(found), "true-figures")
        st.caption(RESTS.format(confidence=confidence_words(found.figures[0].confidence)))
    if found.differing:
        with st.expander(f"The {len(found.differing):,} answered differently the second time"):
            st.dataframe(differing_table(session, found), hide_index=True, key="differing")


def agreement_of(session: Session) -> PeopleAgree | None:
    """How far people agree, where the plan asks several of them."""
    return session.agreement() if session.plan.overlap else None


def agreement_panel(found: PeopleAgree) -> None:
    """The sentence; coefficients behind a line."""
    st.text(found.sentence())
    if found.items:
        with st.expander("Agreement beyond chance"):
            reading_table(pd.DataFrame(coefficient_rows(found), columns=COEFFICIENT_HEAD), "beyond")


def settled_table(session: Session) -> pd.DataFrame:
    """The figures for the settled judgement: with an interval, or what is missing."""
    found = _settled(session)
    names, said = [*map(_settled_name, found)], [*map(_value_words, found)]
    return pd.DataFrame({settled_by(session.plan.readers): names, "value": said})


def _settled(session: Session) -> list[Estimate]:
    results = session.results().values()
    return [one for one in results if isinstance(one, Estimate) and is_settled(one.estimand)]


def _settled_name(one: Estimate) -> str:
    return figure_name(one).removesuffix(", settled")


def _value_words(one: Estimate) -> str:
    if not one.has_interval or one.value is None:
        return missing_words(one)
    interval = told_interval(one)
    return interval if one.told is None else f"{told_words(one)} ({interval})"


def figure_table(found: LabelError) -> pd.DataFrame:
    words = [figure_words(one) for one in found.figures]
    columns = {
        "for the truth": [figure_name(one.observed) for one in found.figures],
        "mistakes alike everywhere": [alike for alike, _ in words],
        "mistakes anywhere": [anywhere for _, anywhere in words],
    }
    if not any(anywhere for _, anywhere in words):
        del columns["mistakes anywhere"]
    return pd.DataFrame(columns)


def differing_table(session: Session, found: LabelError) -> pd.DataFrame:
    """The items with two answers, as text."""
    return pd.DataFrame(
        [
            {
                "item": one_line(str(one.first.item_id), 40),
                "begins": glimpse(session, str(one.first.item_id)),
                "first": shown_word(answer_word(one.first)),
                "second": shown_word(answer_word(one.second)),
                "by": session.called(one.first.annotator)
                if one.same_person
                else f"{session.called(one.first.annotator)}, then "
                f"{session.called(one.second.annotator)}",
            }
            for one in found.differing
        ]
    )
