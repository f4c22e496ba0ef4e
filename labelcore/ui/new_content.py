"""New project: what the items themselves say, offered as a helper beside the price."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from labelcore.access import Right
from labelcore.designs.helpers import candidates, wants_content
from labelcore.errors import CancelledError, LimitError
from labelcore.estimands import SCALARS
from labelcore.plan.plan import Plan
from labelcore.planning.methods import named
from labelcore.population import Population
from labelcore.population.second_opinion import CONTENT, content_columns
from labelcore.ui import files, outlook
from labelcore.ui.asking import current
from labelcore.ui.new_terms import Terms
from labelcore.ui.params import listed
from labelcore.ui.plain import plain
from labelcore.ui.presses import acting
from labelcore.ui.times import MINUTE, about_minutes

LEARN, LEAVE_OUT = "Learn from what the items say", "Leave out what the items say"
OFFER = "{seconds}; it may save labels, and changes no promise."
NOTHING = "What the items say saves nothing here that noise would not: it stays off."
SILENT = "What the items say is no help: {why}."
A_THOUSAND = 0.8
"""Seconds for a thousand items (docs/content.md)."""
OFF = "new-content-off"


def made_content(terms: Terms, population: Population) -> None:
    """Make what a draft wants that has been chosen, before any forecast asks for it; cancelled, the
    draft goes on without."""
    classifier = _classifier(terms, population)
    if classifier is None or not wants_content(population, terms.params.get("helpers")):
        return
    try:
        population.opinions[classifier] = files.opinion(population, classifier)
    except (CancelledError, LimitError) as error:
        st.caption(plain(str(error)))
        _take(terms.design.name, None)
        st.rerun()


def offer_content(terms: Terms, population: Population, plan: Plan) -> None:
    """What it saves, or the button that finds out; nothing where it cannot help."""
    classifier = _classifier(terms, population)
    if classifier is None or not offered(population, plan):
        return
    method, chosen = terms.design.name, wants_content(population, terms.params.get("helpers"))
    if not chosen:
        key = (population.fingerprint, classifier)
        if said := st.session_state.get(OFF, {}).get(key):
            st.caption(plain(said))
            return
        st.button(
            LEARN, key="new-content", on_click=_press, args=(method, _names(population, plan))
        )
        st.caption(OFFER.format(seconds=seconds_words(A_THOUSAND * len(population) / 1000)))
        return
    opinion = population.opinions[classifier]
    expected = outlook.forecast(population, plan).derived.get("expected_saving")
    if expected is None or not expected.learned:
        why = SILENT.format(why="; ".join(opinion.notes)) if opinion.notes else NOTHING
        st.session_state.setdefault(OFF, {})[population.fingerprint, classifier] = why
        _take(method, None)
        st.rerun()
    st.button(LEAVE_OUT, key="new-content-out", on_click=_press, args=(method, None))


def offered(population: Population, plan: Plan) -> bool:
    """Whether the content of the items may help a plan."""
    return (
        hasattr(plan.design_params, "content")
        and not plan.claims
        and len(population.classes) == 2
        and population.address is None
        and {*plan.estimands} <= {*SCALARS}
        and len(plan.classifiers) < 2
        and not population.helpers
        and bool(content_columns(population))
    )


def seconds_words(seconds: float) -> str:
    """How long it takes, to begin a sentence with.

    >>> seconds_words(12.2), seconds_words(840)
    ('About 13 seconds', 'About 14 min')
    """
    if seconds < MINUTE:
        return f"About {math.ceil(seconds)} seconds"
    return about_minutes(seconds, "About ")


def _classifier(terms: Terms, population: Population) -> str | None:
    return next(iter(named(terms.aim.classifier) or population.classifiers), None)


def _names(population: Population, plan: Plan) -> tuple[str, ...]:
    """The helpers that the plan has, with what the items say."""
    names = getattr(plan.design_params, "helpers", None)
    judged = plan.classifiers[:1] or population.classifiers[:1]
    own = candidates(population, *judged) if names is None else names
    return (*own, CONTENT)


@acting(Right.RUN)
def _press(method: str, names: Sequence[str] | None) -> None:
    _take(method, names)


def _take(method: str, names: Sequence[str] | None) -> None:
    current().take("params", listed(tuple(names or ())), f"{method}-helpers")
