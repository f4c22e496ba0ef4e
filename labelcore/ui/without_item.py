"""What stands in the place of the item when there is none: goal, budget, end, waiting."""

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from labelcore.access import Right, may
from labelcore.log.screens import LEASE, Shown
from labelcore.promises import Form, Promise, Status
from labelcore.report.markup import tied
from labelcore.results.types import Choice, Claim
from labelcore.safe_text import plain
from labelcore.session.carried import terms_of
from labelcore.session.session import Session
from labelcore.trials.reveal import Reveal, how_often
from labelcore.ui import actions, more_labels, visitor
from labelcore.ui.downloads import labels_button
from labelcore.ui.explore_choice import ask_further
from labelcore.ui.figures import chosen_picture, details
from labelcore.ui.label_errors import error_lines, second_pass_button, settle_button
from labelcore.ui.lines import quiet
from labelcore.ui.new_items import begin_with
from labelcore.ui.presses import button
from labelcore.ui.status import at_an_end, figure_name
from labelcore.ui.times import about_minutes
from labelcore.ui.trying import is_trial, reveals
from labelcore.words import sentences as words
from labelcore.words.claims import settled_line
from labelcore.words.differences import interval_text, number_words
from labelcore.words.statuses import (
    ALL_ASKED,
    CHOSEN,
    COMES_BACK,
    FOR_OTHERS,
    MORE_WORDS,
    TAKE_OVER,
    TITLES,
    TOO_EARLY,
)
from labelcore.words.stops import stopped_title, stopped_words

MOST_MISSED = 3
THANKS = "Thank you: nothing more is asked of you here."
SYSTEMS = "Systems and their judge"
SEE_TRUTH, OWN_FILE = "Finish and see the truth", "Now your own file"


def show_state(project: str, session: Session, person: str) -> None:
    """What stands there instead: at an end the answer and what to do next; while others have what
    is left, when it comes back, and how to have it at once."""
    if at_an_end(session) and visitor.allowed(Right.SEE):
        show_end(project, session)
        return
    with st.container(border=True, key="state"):
        st.header(title(session), anchor=False)
        st.text(MORE_WORDS.get(where(session), THANKS))
        if at_an_end(session):
            return
        if where(session) == FOR_OTHERS:
            _finish_button(project, session)
            return
        elsewhere = session.state.elsewhere(person)
        if elsewhere:
            st.text(COMES_BACK.format(time=about_minutes(kept_seconds(elsewhere), "at most ")))
            if visitor.name_of_login():
                return
            button(TAKE_OVER, "take-over", actions.take_over, project)


def kept_seconds(elsewhere: list[Shown]) -> float:
    """How long at most until they may go to others."""
    since = max(datetime.fromisoformat(shown.at) for shown in elsewhere)
    return max((since + LEASE - datetime.now(UTC)).total_seconds(), 0.0)


def show_end(project: str, session: Session) -> None:
    """The answer in one sentence, in a trial the truth, the ways on; all else behind one line."""
    with st.container(border=True, key="state"):
        st.header(title(session), anchor=False)
        settled, now = settled_line(session.results().of(Claim)), chosen_picture(session)
        with st.container(key="answer"):
            st.text(tied(settled or now.sentence))
        if now.of_all:
            quiet("of-all", tied(now.of_all))
        truths = reveals(session)
        if truths:
            with st.container(key="truth"):
                st.text(truth_words(truths, session.labels))
        _steps(project, session)
        details(session, error_lines(session))
        _ways_to_go_on(project, session)


def title(session: Session) -> str:
    """Where the project stands, in a few words."""
    if session.status == Status.GOAL_REACHED:
        return stopped_title(session.state.stop_reason)
    return TITLES[where(session)]


def where(session: Session) -> str:
    """The status; "all asked" where a method has all its labels before the file is used up, "for
    others" where nobody but somebody else may judge what is left."""
    left = session.engine.answers_given < len(session.population)
    if session.status == Status.OPEN and session.engine.repeats.others:
        return FOR_OTHERS
    return ALL_ASKED if session.status == Status.EXHAUSTED and left else session.status


def after_stop(session: Session) -> str:
    """Which rule of the plan ended the session, and what further labels would do."""
    reason = stopped_words(session.state.stop_reason, session.plan.margin)
    ended = f"{reason[:1].upper()}{reason[1:]}: the plan ends the session here."
    if more_labels.chosen(session):
        return f"{ended} {CHOSEN}"
    if session.plan.promise == Promise.FIXED and not session.complete:
        return f"{ended} {TOO_EARLY}"
    if session.plan.promise == Promise.FIXED:
        return f"{ended} {more_labels.after_budget(session)}"
    if more_labels.choosing(session):
        return f"{ended} You may stop here, or go on until the choice is made."
    kept = "evidence and intervals stay" if session.plan.claims else "it stays"
    valid = more_labels.valid_when(session)
    return f"{ended} You may stop here, or go on for a narrower interval: {kept} {valid}."


def _steps(project: str, session: Session) -> None:
    """What to do next; one of them is the main one."""
    wave = terms_of(session.record)
    with st.container(horizontal=True, key="steps"):
        watched = wave if may(visitor.everywhere(), Right.SEE) else None
        if watched and st.button("To the monitor", key="to-watch", type="primary"):
            st.switch_page("pages/watch.py", query_params={"monitor": str(watched["name"])})
        if not session.status.over:
            unsettled = len(session.unsettled())
            settle_button(project, unsettled, "secondary" if watched else "primary")
            _finish_button(project, session, leads=not (watched or unsettled))
            _to_systems(project, session)
            if visitor.allowed(Right.RUN):
                second_pass_button(project, session)
            return
        to_report, leads = not is_trial(session), not (watched or is_trial(session))
        trial = is_trial(session) and visitor.runs_all()
        if trial and st.button(OWN_FILE, key="own-file", type="primary"):
            st.switch_page("pages/new_project.py")
        if st.button("Open the report", key="to-report", type="primary" if leads else "secondary"):
            st.switch_page("pages/report.py", query_params={"project": project})
        _to_systems(project, session)
        labels_button(session, "Take the labels")
        again = to_report and visitor.runs_all()
        if again and st.button("New project with this file", key="same-file"):
            begin_with(session.population.path)
            st.switch_page("pages/new_project.py")


def _to_systems(project: str, session: Session) -> None:
    """To what is known of each system, where a model judged answers."""
    if session.population.has_judge and st.button(SYSTEMS, key="to-systems"):
        st.switch_page("pages/progress.py", query_params={"project": project})


def _finish_button(project: str, session: Session, *, leads: bool = True) -> None:
    if not visitor.allowed(Right.RUN):
        return
    label, kind = SEE_TRUTH if is_trial(session) else "Finish", "primary" if leads else "secondary"
    button(label, "state-finish", actions.finish, project, type=kind)


def _ways_to_go_on(project: str, session: Session) -> None:
    """Further labels, where the plan allows some, and what they would do to the promise."""
    if not visitor.allowed(Right.RUN):
        return
    answered, status = session.engine.answers_given, session.status
    left = more_labels.can_go_on(session)
    meaning = _going_on_means(session, status)
    if left <= 0 or status in (Status.EXHAUSTED, Status.SUPERSEDED):
        if meaning:
            quiet("going-on", meaning)
        if (choice := session.results().first(Choice)) is not None:
            ask_further(session, choice)
        return
    planned = session.engine.planned - session.engine.given - answered
    more = planned if planned > 0 and status == Status.FINISHED else more_labels.MORE
    with st.expander("Add more labels", key="add-more"):
        if meaning:
            st.text(meaning)
        more_labels.ask_how_many(project, session, more)


def _going_on_means(session: Session, status: Status) -> str:
    if status == Status.GOAL_REACHED:
        return after_stop(session)
    if status in (Status.EXHAUSTED, Status.SUPERSEDED):
        return MORE_WORDS[where(session)]
    return more_labels.after_budget(session)


def truth_words(truths: list[Reveal], labels: int) -> str:
    """How many intervals hold the truth, which do not, how often they do, and how many of the
    answers are other than the truth."""
    shown = [reveal for reveal in truths if reveal.inside is not None]
    missed = [reveal for reveal in shown if not reveal.inside]
    if not shown:
        truth = "Dots: the truth. No interval is there to compare it with."
    elif missed:
        held = f"inside {len(shown) - len(missed)} of " if len(shown) > 1 else "outside "
        names = ", ".join(
            f"{figure_name(reveal.estimate)} ({number_words(reveal.key, reveal.truth)})"
            for reveal in missed[:MOST_MISSED]
        )
        if len(missed) > MOST_MISSED:
            names += f" and {len(missed) - MOST_MISSED} more"
        outside = f", outside that of {names}" if len(shown) > 1 else f" of {names}"
        truth = f"Dots: the truth, {held}{count_words(len(shown))}{outside}."
    else:
        truth = f"Dots: the truth, inside {count_words(len(shown), 'all ')}."
    errors, often = _own_errors(truths, labels), _often(shown)
    parts = (errors, truth, often) if truths[0].differing else (truth, often, errors)
    return " ".join(part for part in parts if part)


def count_words(intervals: int, every: str = "") -> str:
    """
    >>> count_words(1, "all "), count_words(2, "all "), count_words(3)
    ('the interval', 'both intervals', '3 intervals')
    """
    if every and intervals == 2:
        return "both intervals"
    return "the interval" if intervals == 1 else f"{every}{intervals:,} intervals"


def _often(shown: list[Reveal]) -> str:
    """How often such intervals hold their truth; "" where no promise says it."""
    estimates = [reveal.estimate for reveal in shown]
    sure = estimates[0].confidence if estimates else None
    if sure is None or any(estimate.promise == Promise.NONE for estimate in estimates):
        return "No promise goes with it." if estimates else ""
    about = "" if all(estimate.form == Form.STRICT for estimate in estimates) else "about "
    each = "Each holds it" if len(estimates) > 1 else "Such an interval holds it"
    if shown[0].differing:
        each = f"Without such answers {each[:1].lower()}{each[1:]}"
    return f"{each} in {about}{how_often(sure)[0]} sessions."


def _own_errors(truths: list[Reveal], labels: int) -> str:
    """Which part of the answers the intervals do not count as errors."""
    differing = truths[0].differing
    if not differing:
        return "None of your answers differs from it."
    differ = "differs" if differing == 1 else "differ"
    return (
        f"{differing:,} of your {words.count(labels, 'answer')} {differ} from the truth; intervals "
        "do not count that."
    )


def show_reveals(session: Session) -> None:
    """After a trial: the truth beside the interval."""
    truths = reveals(session)
    if not truths:
        return
    first = truths[0]
    box = st.success if first.inside else st.warning if first.inside is False else st.info
    box(plain(first.sentence()), icon=":material/visibility:")
    with st.expander("The truth of every figure"):
        st.dataframe(reveal_table(truths), hide_index=True, key="reveals")


def reveal_table(truths: list[Reveal]) -> pd.DataFrame:
    rows = []
    for reveal in truths:
        shown = reveal.inside is not None
        rows.append(
            {
                "figure": figure_name(reveal.estimate),
                "truth": number_words(reveal.key, reveal.truth),
                "interval": interval_text(reveal.key, reveal.estimate.low, reveal.estimate.high)
                if shown
                else "none yet",
                "": "inside" if reveal.inside else "outside" if shown else "",
            }
        )
    return pd.DataFrame(rows)
