"""The page on which a person moves a cut along the curve; it changes nothing."""

from __future__ import annotations

import streamlit as st

from labelcore.designs.curves import Curve
from labelcore.report.sections import sentence as full_sentence
from labelcore.session.session import Session
from labelcore.ui import sessions
from labelcore.ui.choice_view import choice_of
from labelcore.ui.copying import copy_buttons
from labelcore.ui.cutting import FIRST_NEED
from labelcore.ui.explore_choice import choice_page
from labelcore.ui.explore_list import by_ranked_list
from labelcore.ui.explore_more import (
    all_readings,
    at_each_score,
    in_full,
    package_table,
    spot_check,
    what_mistakes_cost,
)
from labelcore.ui.explore_screen import show_screen
from labelcore.ui.figures import keeps_back
from labelcore.ui.folds import fold
from labelcore.ui.new_cards import SHIP
from labelcore.ui.presses import sentence
from labelcore.ui.progress import how_far, question, tick

DRAWN = "explore drawn"
NO_SCORE = (
    "There is nothing to cut here: a curve needs two classes, a classifier with a score, and "
    "labels from the whole list."
)
ONE_BY_ONE = (
    "Which classifier finds the most at a required precision is not read off here: each interval "
    "holds for its classifier alone. A project that asks {ship!r} has bounds for all of them."
)


def explore_page(project: str) -> None:
    session = sessions.session(project)
    sequence = sessions.store().last_sequence(project)
    question(session)
    if keeps_back(session):
        return
    st.session_state[DRAWN] = (project, sequence)
    how_far(session)
    with session.one_look():
        choice, curve = choice_of(session), curve_of(session)
        if choice is not None:
            choice_page(session, choice)
        elif curve is None:
            st.text(NO_SCORE)
            which_of_several(session)
            return
        else:
            along_the_list(session, curve)
    tick(project, DRAWN)


def along_the_list(session: Session, curve: Curve) -> None:
    """The cut and what is sure, and below, each behind a line, what else the curve tells."""
    refused = why_no_search(session, curve)
    cut = show_screen(session, curve, refused)
    by_ranked_list(session, curve)
    with st.container(horizontal=True, key="explore-links", vertical_alignment="center"):
        copy_buttons("explore-copy", cut.sentence())
        if not refused:
            fold("Packages", "fold-packages", lambda: package_table(session))
            fold("Cost of a miss", "fold-costs", lambda: what_mistakes_cost(session))
        fold("Yield, gain, ROC", "fold-readings", lambda: all_readings(session, curve, cut))
        if session.plan.method.has_weights:
            fold("How many at each score", "fold-scores", lambda: at_each_score(session))
        fold("This cut in full", "fold-cut", lambda: in_full(session, curve, cut))
        fold("A plain sample of it", "fold-spot", lambda: spot_check(cut, session.plan.confidence))
    which_of_several(session)


def which_of_several(session: Session) -> None:
    """Why none of several classifiers is named for a required precision."""
    if len(session.plan.classifiers) > 1:
        st.caption(ONE_BY_ONE.format(ship=SHIP.title))


def curve_of(session: Session) -> Curve | None:
    """The curve; None where the file has no score or several classes."""
    if len(session.population.classes) > 2:
        return None
    try:
        return session.curve()
    except ValueError:
        return None


def why_no_search(session: Session, curve: Curve) -> str:
    """Why no place may be searched for along this curve; "" if one may."""
    if curve.yields is not None:
        return ""
    try:
        session.deepest_cut(FIRST_NEED / 100)
    except ValueError as error:
        return full_sentence(sentence(error))
    return ""
