"""Explore for a choice between candidates: which it would be at other required precisions."""

import json
from collections.abc import Sequence

import streamlit as st

from labelcore.access import Right
from labelcore.designs.choices import LabelsUntil, OtherChoice
from labelcore.log.further_choices import no_further_choice
from labelcore.promises import ChoiceStatus
from labelcore.results.types import Choice
from labelcore.safe_text import plain
from labelcore.session.session import Session
from labelcore.ui import actions, visitor
from labelcore.ui.lines import quiet
from labelcore.ui.params import within
from labelcore.ui.presses import button
from labelcore.ui.status import SECONDS_AN_ITEM, at_an_end, pace
from labelcore.ui.summary import summaries
from labelcore.ui.times import about_minutes
from labelcore.words.choices import (
    other_rows,
    others_words,
    side_by_side_rows,
    side_by_side_words,
    until_words,
)
from labelcore.words.sentences import exact_percent

REQUIREMENTS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
ANOTHER = "explore-another"
FURTHER = "further-precision"
FURTHER_TITLE = "Label on for another required precision"
ON_UNTIL = "Label on until {wanted} is decided"
ON_THIS_FILE = "The choices on this file"
FIXED = (
    "A candidate that comes later needs a new project: known answers, chosen in another way. These "
    "labels count there as they are, and only what they leave is drawn, anew."
)
TITLE = "Which would it be at another required precision?"


def choice_page(session: Session, choice: Choice) -> None:
    """The planned choice, and the same labels asked for other requirements."""
    with st.container(key="sentence"):
        st.text(choice.sentence())
    if session.plan.superseded:
        return
    st.header(TITLE, anchor=False)
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
    wanted = sorted((share for share in asked if round(share, 9) != planned), reverse=True)
    others = session.choices_at(wanted)
    rows = other_rows(others, str(choice.scope.positive))
    st.dataframe(rows, hide_index=True, key="explore-choices")
    ask_further(session, choice, others)
    with st.container(key="promise"):
        st.caption(plain(others_words(choice)))
        st.caption(FIXED)
    side_by_side(session)


def side_by_side(session: Session) -> None:
    """The choices of all projects on this file, a topic or a class each; nothing for one alone."""
    path = json.loads(session.record.population_json)["path"]
    seen = (summary for summary in summaries() if visitor.allowed(Right.SEE, summary.name))
    choices = [summary.choice for summary in seen if summary.choice and summary.path == path]
    if len(choices) < 2:
        return
    st.subheader(ON_THIS_FILE, anchor=False)
    st.dataframe(side_by_side_rows(choices), hide_index=True, key="explore-side-by-side")
    with st.container(key="quiet-side-by-side"):
        st.caption(plain(side_by_side_words(choices)))


def ask_further(
    session: Session, choice: Choice, choices: Sequence[OtherChoice] | None = None
) -> None:
    """The other required precisions whose choice is still open, what one may take, and the button
    that asks for it; nothing before labelling has ended, and where none is open.

    choices   what is known at several, where somebody has it
    """
    engine, planned = session.engine, choice.precision_threshold
    may = at_an_end(session) and visitor.allowed(Right.RUN) and engine.answers_given < engine.most
    if not may or no_further_choice(engine):
        return
    others = session.choices_at(REQUIREMENTS) if choices is None else choices
    left = [other.precision for other in others if other.status == ChoiceStatus.UNDECIDED]
    left = [share for share in left if round(share - planned, 9)]
    if not left:
        return
    wanted = st.segmented_control(
        FURTHER_TITLE,
        left,
        default=min(left, key=lambda share: (share > planned, abs(share - planned))),
        required=True,
        format_func=exact_percent,
        key=FURTHER,
    )
    expected = until(session, session.project, engine.sequence, float(wanted or left[0]))
    first = float(session.settings.get("seconds", SECONDS_AN_ITEM))
    time = about_minutes((expected.middle or 0) * pace(session.events, first), "~")
    quiet("further", until_words(expected, time))
    words = ON_UNTIL.format(wanted=exact_percent(expected.precision))
    asked = session.project, expected.precision, expected.high
    button(words, "go-further", actions.go_further, *asked)


@st.cache_data(show_spinner=False, max_entries=50)
def until(_session: Session, project: str, sequence: int, precision: float) -> LabelsUntil:
    """What it may take until a further choice is made, by the log up to an event."""
    return _session.labels_until_choice(precision)
