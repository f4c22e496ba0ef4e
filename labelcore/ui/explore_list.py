"""Explore where a method's band gives no cut: the way to a ranked list of the same items."""

from __future__ import annotations

import streamlit as st

from labelcore.access import Right
from labelcore.designs import DESIGNS
from labelcore.designs.curves import Curve, EstimatesCurve
from labelcore.plan.plan import Plan
from labelcore.planning.race import labels_for_cut
from labelcore.population import Population
from labelcore.promises import State
from labelcore.session.session import Session
from labelcore.ui import visitor
from labelcore.ui.asking import begin
from labelcore.ui.cutting import SHALLOW, barely, required_precision, sure_cut
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.new_cards import RANKED
from labelcore.ui.new_items import begin_with
from labelcore.ui.new_screens import NAMES, go
from labelcore.words import sentences as words

LIST = DESIGNS["geometric_strata"]
TAKE_LIST = "For a cut take the ranked list{about}."


def by_ranked_list(session: Session, curve: Curve) -> None:
    """The way to a cut where this method has none: a ranked list of the same items."""
    design = session.plan.method
    if isinstance(design, EstimatesCurve) and (design.of_stretches or design.labels_the_head):
        return
    deep = sure_cut(session)
    if curve.state == State.EXACT or (deep is not None and not barely(deep)):
        return
    labels = labels_of_list(session, required_precision())
    about = f": about {words.count(labels)}" if labels else ""
    with st.container(horizontal=True, vertical_alignment="center", key="explore-list"):
        st.text(TAKE_LIST.format(about=about))
        if visitor.allowed(Right.RUN) and st.button("New project: the ranked list", key="to-list"):
            begin_with(session.population.path)
            go(len(NAMES))
            begin(
                ProjectDraft(
                    question=RANKED.title,
                    classifiers=session.plan.classifiers[:1] or None,
                    design=LIST.name,
                    budget=labels,
                )
            )
            st.switch_page("pages/new_project.py")


def labels_of_list(session: Session, precision: float) -> int | None:
    """The labels that the ranked list is likely to need for a cut at this precision."""
    population = session.population
    classifier = next(iter((*session.plan.classifiers, *population.classifiers)))
    with st.spinner("Working out what a ranked list takes ..."):
        return _labels_of_list(
            population, population.fingerprint, classifier, precision, session.plan.confidence
        )


@st.cache_data(show_spinner=False, max_entries=100)
def _labels_of_list(
    _population: Population, fingerprint: str, classifier: str, precision: float, sure: float
) -> int | None:
    try:
        plan = Plan(
            LIST.name, ["precision_curve"], classifier=classifier, budget=1000, confidence=sure
        )
        return labels_for_cut(_population, plan, precision, SHALLOW)
    except ValueError:
        return None
