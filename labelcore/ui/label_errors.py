"""What second readings say, and the way to a second pass."""

from __future__ import annotations

from typing import Literal

import pandas as pd
import streamlit as st

from labelcore.log.events import answer_word
from labelcore.results.agreement import PeopleAgree
from labelcore.results.label_error import LabelError
from labelcore.results.types import Estimate
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import actions
from labelcore.ui.panels import glimpse
from labelcore.ui.presses import button
from labelcore.ui.status import figure_name, shown_word
from labelcore.ui.tables import reading_table
from labelcore.words.agreement import COEFFICIENT_HEAD, coefficient_rows, settled_by
from labelcore.words.differences import told_interval, told_words
from labelcore.words.label_error import figure_words, second_words
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
        some = f"{items:,} of them" if items > 1 else "one of them"
        button(words.format(items=some), "second-pass", actions.second_pass, project, items)


def settle_button(project: str, items: int, kind: Literal["primary", "secondary"]) -> None:
    """The way to the items that people judge differently, where there are some."""
    if items and st.button(f"Settle {count(items, 'item')}", key="to-settle", type=kind):
        st.switch_page("pages/people.py", query_params={"project": project})


def settled_line(session: Session) -> str:
    """The main figure as people settled it, and whose figure it is; "" where nobody else reads."""
    figures = _settled(session)
    if not figures:
        return ""
    by, words = settled_by(session.plan.readers), _value_words(figures[0])
    known = " " if figures[0].has_interval else ", "
    return f"{by}: {_settled_name(figures[0])}{known}{words}"


def error_lines(session: Session) -> list[str]:
    """A sentence about the labels, and one about the main figure for the truth."""
    error = session.label_error()
    return [error.sentence(), *(figure.sentence() for figure in error.figures[:1])]


def error_panel(session: Session) -> None:
    """The rate, agreement, figures for the truth, and the items answered differently."""
    error = session.label_error()
    several = session.agreement() if session.plan.overlap else None
    alike = [agreement.sentence() for agreement in error.agreements] if several is None else []
    st.text("\n".join([error.sentence(), *alike]))
    if several is not None:
        agreement_panel(several)
        reading_table(settled_table(session), "settled-figures")
    elif error.figures:
        reading_table(figure_table(error), "true-figures")
        st.caption(RESTS.format(confidence=confidence_words(error.figures[0].confidence)))
    if error.differing:
        with st.expander(
            f"The {len(error.differing):,} with a different answer {second_words(error)}"
        ):
            st.dataframe(differing_table(session, error), hide_index=True, key="differing")


def agreement_panel(agreement: PeopleAgree) -> None:
    """The sentence; coefficients behind a line."""
    st.text(agreement.sentence())
    if agreement.items:
        with st.expander("Agreement beyond chance"):
            rows = coefficient_rows(agreement)
            reading_table(pd.DataFrame(rows, columns=COEFFICIENT_HEAD), "beyond")


def settled_table(session: Session) -> pd.DataFrame:
    """The figures for the settled judgement: with an interval, or what is missing."""
    figures = _settled(session)
    names, values = [*map(_settled_name, figures)], [*map(_value_words, figures)]
    return pd.DataFrame({settled_by(session.plan.readers): names, "Value": values})


def _settled(session: Session) -> list[Estimate]:
    estimates = session.results().of(Estimate)
    return [estimate for estimate in estimates if is_settled(estimate.estimand)]


def _settled_name(estimate: Estimate) -> str:
    return figure_name(estimate).removesuffix(", settled")


def _value_words(estimate: Estimate) -> str:
    if not estimate.has_interval or estimate.value is None:
        return missing_words(estimate)
    interval = told_interval(estimate)
    return interval if estimate.told is None else f"{told_words(estimate)} ({interval})"


def figure_table(error: LabelError) -> pd.DataFrame:
    words = [figure_words(figure) for figure in error.figures]
    columns = {
        "For the truth": [figure_name(figure.observed) for figure in error.figures],
        "Mistakes alike everywhere": [alike for alike, _ in words],
        "Mistakes anywhere": [anywhere for _, anywhere in words],
    }
    if not any(anywhere for _, anywhere in words):
        del columns["Mistakes anywhere"]
    return pd.DataFrame(columns)


def differing_table(session: Session, error: LabelError) -> pd.DataFrame:
    """The items with two answers, as text."""
    return pd.DataFrame(
        [
            {
                "item": one_line(str(pair.first.item_id), 40),
                "begins": glimpse(session, str(pair.first.item_id)),
                "first": shown_word(answer_word(pair.first)),
                "second": shown_word(answer_word(pair.second)),
                "by": session.called(pair.first.annotator)
                if pair.same_person
                else f"{session.called(pair.first.annotator)}, then "
                f"{session.called(pair.second.annotator)}",
            }
            for pair in error.differing
        ]
    )
