"""What stands in the place of the item when there is none: goal, budget, end, waiting."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore.estimands import CHOICES
from labelcore.figures.choices import choice_made
from labelcore.promises import Promise, Status
from labelcore.report.along_ranks import headline
from labelcore.report.markup import tied
from labelcore.session.session import Session
from labelcore.trials import Reveal
from labelcore.ui import actions
from labelcore.ui.claims_view import claims_of
from labelcore.ui.facts import estimand_name
from labelcore.ui.label_errors import error_lines, second_pass_button
from labelcore.ui.plain import plain
from labelcore.ui.trying import reveals
from labelcore.words import sentences as words
from labelcore.words.differences import interval_text, number_words
from labelcore.words.statuses import ALL_ASKED, CHOSEN, MORE_WORDS, TITLES, TOO_EARLY
from labelcore.words.stops import stopped_title, stopped_words

MORE = 50


def show_state(project: str, session: Session) -> None:
    """The end of the queue and the ways on from it."""
    status = session.status
    with st.container(border=True, key="state"):
        st.subheader(title(session), anchor=False)
        if where(session) in MORE_WORDS:
            st.text(MORE_WORDS[where(session)])
        if status == Status.BUDGET_USED:
            st.text(after_budget(session))
        if status == Status.GOAL_REACHED:
            st.text(after_stop(session))
        with st.container(key="sentence"):
            st.text(tied(headline(session)))
        with st.container(key="quiet-errors"):
            st.text("\n\n".join(error_lines(session)))
        claims = [one for one in claims_of(session) if one.sentence() != headline(session)]
        for place, claim in enumerate(claims):
            with st.container(key=f"state-claim-{place}"):
                st.text(tied(claim.sentence()))
        if status == Status.FINISHED:
            show_reveals(session)
        _ways_on(project, session, status)


def title(session: Session) -> str:
    """Where the project stands, in a few words."""
    if session.status == Status.GOAL_REACHED:
        return stopped_title(session.state.stop_reason)
    return TITLES[where(session)]


def where(session: Session) -> str:
    """The status; "all asked" where a method has all its labels before the file is used up."""
    left = session.engine.answers_given < len(session.population)
    return ALL_ASKED if session.status == Status.EXHAUSTED and left else session.status


def after_stop(session: Session) -> str:
    """Which rule of the plan ended the session, and what further labels would do."""
    said = stopped_words(session.state.stop_reason, session.plan.margin)
    ended = f"{said[:1].upper()}{said[1:]}: the plan ends the session here."
    if chosen(session):
        return f"{ended} {CHOSEN}"
    if session.plan.promise == Promise.FIXED and not session.complete:
        return f"{ended} {TOO_EARLY}"
    if session.plan.promise == Promise.FIXED:
        return f"{ended} {after_budget(session)}"
    if choosing(session):
        return f"{ended} You may stop here, or go on until the choice is made."
    kept = "evidence and intervals stay" if session.plan.claims else "it stays"
    return f"{ended} You may stop here, or go on for a narrower interval: {kept} {_valid(session)}."


def choosing(session: Session) -> bool:
    """Whether the plan asks for a choice between candidates."""
    return session.plan.estimands[0] in CHOICES


def chosen(session: Session) -> bool:
    """Whether labelling ended with the choice made: nothing is drawn after that."""
    return session.engine.stopped and choice_made(session.engine)


def after_budget(session: Session) -> str:
    """What further labels do to the promise."""
    if not session.plan.method.later_labels_count:
        return "Further labels are kept, but the band stays that of the planned size."
    if session.plan.promise == Promise.FIXED or session.plan.horizon == 1:
        return "Further labels would be a second stage, reported apart from this result."
    kept = "bounds stay" if choosing(session) else "interval stays"
    return f"You may go on: the {kept} {_valid(session)}."


def _valid(session: Session) -> str:
    """When the first result holds."""
    first = next(iter(session.results().values()))
    return words.valid_words(first.promise, first.scope)


def _ways_on(project: str, session: Session, status: Status) -> None:
    answered = session.engine.answers_given
    left = 0 if chosen(session) else session.engine.most - answered
    planned = int(session.plan.planned or 0) - answered
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if status == Status.FINISHED:
            st.page_link(
                "pages/report.py",
                label="Open the report",
                icon=":material/description:",
                query_params={"project": project},
            )
        elif status in (Status.GOAL_REACHED, Status.BUDGET_USED, Status.EXHAUSTED):
            st.button(
                "Finish",
                key="state-finish",
                type="primary",
                on_click=actions.finish,
                args=(project,),
            )
        if status in (Status.GOAL_REACHED, Status.BUDGET_USED, Status.EXHAUSTED):
            second_pass_button(project, session)
        if left > 0 and status in (Status.GOAL_REACHED, Status.BUDGET_USED, Status.FINISHED):
            more = min(planned if planned > 0 and status == Status.FINISHED else MORE, left)
            st.number_input("Continue for this many more", 1, left, more, key="more")
            st.button("Go on", key="go-on", on_click=actions.go_on, args=(project, "more"))


def show_reveals(session: Session) -> None:
    """After a trial: the truth beside the interval."""
    found = reveals(session)
    if not found:
        return
    first = found[0]
    box = st.success if first.inside else st.warning if first.inside is False else st.info
    box(plain(first.sentence()), icon=":material/visibility:")
    with st.expander("The truth of every figure"):
        st.dataframe(reveal_table(found), hide_index=True, key="reveals")


def reveal_table(found: list[Reveal]) -> pd.DataFrame:
    rows = []
    for one in found:
        shown = one.inside is not None
        rows.append(
            {
                "figure": estimand_name(one.key),
                "truth": number_words(one.key, one.truth),
                "interval": interval_text(one.key, one.estimate.low, one.estimate.high)
                if shown
                else "none yet",
                "": "inside" if one.inside else "outside" if shown else "",
            }
        )
    return pd.DataFrame(rows)
