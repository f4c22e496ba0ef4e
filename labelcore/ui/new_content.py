"""New project: what the items themselves say, offered as a helper beside the price."""

import math
from collections.abc import Mapping

import streamlit as st

from labelcore.access import Right
from labelcore.designs.helpers import candidates, wants_content
from labelcore.designs.recut import ONCE
from labelcore.errors import CancelledError, LimitError
from labelcore.estimands import SCALARS
from labelcore.plan.plan import Plan
from labelcore.plan.recut import why_no_recut
from labelcore.planning.methods import named
from labelcore.population import Population
from labelcore.population.second_opinion import CONTENT, content_columns, remember
from labelcore.safe_text import plain
from labelcore.ui import files, forecasts
from labelcore.ui.asking import current
from labelcore.ui.new_terms import Terms
from labelcore.ui.params import listed
from labelcore.ui.presses import acting, button
from labelcore.ui.times import MINUTE, about_minutes
from labelcore.words.sentences import count

LEARN, LEAVE_OUT = "Learn from what the items say", "Leave out what the items say"
OFFER = "{seconds}; it may save labels, and changes no promise."
NOTHING = "What the items say saves no more here than noise would: it stays off."
SILENT = "What the items say is no help: {why}."
A_THOUSAND, AT_HALF_A_THOUSAND = 0.5, 1.3
"""Seconds for a thousand items, and with what is needed at half (docs/content.md)."""
OFF = "new-content-off"
AT_HALF, NOT_AT_HALF = "Divide the items anew at half of the labels", "Do not divide them anew"
AT_HALF_SAVES = "{seconds}; your labels decide how. Where they teach nothing, nothing changes."
AT_HALF_NOT = "Nothing is learned at half: that {why}."


def made_content(terms: Terms) -> None:
    """Make what a draft wants that has been chosen, before any forecast asks for it; cancelled, the
    draft goes on without."""
    population, at_half = terms.population, terms.params.get("recut") == ONCE
    classifier = _classifier(terms)
    if not at_half:
        population.features.clear()  # Else a project would keep them for nothing.
    wanted = at_half or wants_content(population, terms.params.get("helpers"))
    if classifier is None or not wanted:
        return
    try:
        opinion, numbers = files.learned(population, classifier, numbers=at_half)
    except (CancelledError, LimitError) as error:
        st.caption(plain(str(error)))
        _take(terms.design.name, {"helpers": "", "recut": None})
        st.rerun()
    remember(population, classifier, opinion, numbers)


def offer_content(terms: Terms, plan: Plan) -> None:
    """What it saves, or the button that finds out, before the first label and at half; nothing
    where it cannot help."""
    population, classifier = terms.population, _classifier(terms)
    if classifier is None or not offered(population, plan):
        return
    _offer_now(terms, plan, classifier)
    opinion = population.opinions.get(classifier)
    if opinion is not None and not opinion.columns:
        return
    why = why_no_recut(population, plan, max(len(plan.classifiers), 1))
    if terms.params.get("recut") == ONCE:
        _button(NOT_AT_HALF, "new-recut-out", terms, recut=None)
        if why:
            st.caption(plain(AT_HALF_NOT.format(why=why)))
    elif not why:
        _button(AT_HALF, "new-recut", terms, recut=ONCE)
        seconds = AT_HALF_A_THOUSAND * len(population) / 1000
        st.caption(AT_HALF_SAVES.format(seconds=seconds_words(seconds)))


def _offer_now(terms: Terms, plan: Plan, classifier: str) -> None:
    population, off = terms.population, st.session_state.setdefault(OFF, {})
    file = population.fingerprint, classifier
    if wants_content(population, terms.params.get("helpers")):
        opinion = population.opinions[classifier]
        expected = forecasts.forecast(population, plan).derived.get("expected_saving")
        if expected is None or not expected.learned:
            notes = "; ".join(opinion.notes)
            off[file] = SILENT.format(why=notes) if notes else NOTHING
            _take(terms.design.name, {"helpers": ""})
            st.rerun()
        _button(LEAVE_OUT, "new-content-out", terms, helpers="")
    elif file in off:
        st.caption(plain(off[file]))
    else:
        chosen = getattr(plan.design_params, "helpers", None)
        judged = plan.classifiers[:1] or population.classifiers[:1]
        helpers = candidates(population, *judged) if chosen is None else chosen
        _button(LEARN, "new-content", terms, helpers=listed((*helpers, CONTENT)))
        seconds = A_THOUSAND * len(population) / 1000
        st.caption(OFFER.format(seconds=seconds_words(seconds)))


def _button(label: str, key: str, terms: Terms, **params: str | None) -> None:
    button(label, key, _press, terms.design.name, params)


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

    >>> seconds_words(12.2), seconds_words(0.4), seconds_words(840)
    ('About 13 seconds', 'About 1 second', 'About 14 min')
    """
    if seconds < MINUTE:
        return f"About {count(math.ceil(seconds), 'second')}"
    return about_minutes(seconds, "About ")


def _classifier(terms: Terms) -> str | None:
    return next(iter(named(terms.aim.classifier) or terms.population.classifiers), None)


@acting(Right.RUN)
def _press(method: str, params: Mapping[str, str | None]) -> None:
    _take(method, params)


def _take(method: str, params: Mapping[str, str | None]) -> None:
    for name, value in params.items():
        current().take("params", value, f"{method}-{name}")
