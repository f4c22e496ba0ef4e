"""New project, step 4: by which method, and how a plan that it refuses can be mended."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.designs import DESIGNS, Design
from labelcore.designs.base import DesignParams
from labelcore.designs.samples import suggested_params
from labelcore.errors import PlanError
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line, follows, may_claim, named, possible, recommended
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.ui import draft, outlook
from labelcore.ui.draft import Aim, ProjectDraft
from labelcore.ui.guard import sentence
from labelcore.ui.method_pages import links_before
from labelcore.ui.new_cards import question_for
from labelcore.ui.new_goal import (
    FIRST_SEED,
    SEED,
    goal_so_far,
    seed_so_far,
    show_goal,
    terms_so_far,
    to_be_shown,
)
from labelcore.ui.new_number import within
from labelcore.ui.new_places import Places
from labelcore.ui.new_race import races
from labelcore.ui.params_form import params_form, show_params
from labelcore.ui.plain import plain
from labelcore.ui.remedies import WayOut, refuse
from labelcore.words.arguments import refusal_words

TRYING = "Working out what the labels will give ..."
RECOMMENDED = ""
"""The choice that follows the method proposed."""


@dataclass(frozen=True)
class Method:
    """A design with its parameters and seed, and the place on the page where they stand.

    suggested   the parameters that the form starts from
    best        the name of the recommended one
    claims      whether claims may be started from, by this method or by one proposed for them
    question    what is asked with which goal and terms: methods are compared where that is the same
    """

    design: Design[Any]
    params: dict[str, Any]
    seed: int
    place: DeltaGenerator
    suggested: dict[str, Any]
    best: str
    claims: bool
    question: Hashable

    @property
    def chosen(self) -> bool:
        """Whether it is another than the recommended one."""
        return self.design.name != self.best

    @property
    def sized(self) -> bool:
        """Whether the number of labels follows from the parameters."""
        return follows(self.design, self.params)

    @property
    def form(self) -> type[DesignParams]:
        return self.design.Params

    def promises(self, aim: Aim) -> tuple[Promise, ...]:
        """The promises that this method has for the question."""
        return self.design.promises_for(aim.estimands, self.design.Params(**self.params))


def advanced(aim: Aim, population: Population, places: Places) -> Method | None:
    """Method, its parameters and the seed; None while a number is out of bounds. What a method asks
    for first of all stands below the price."""
    names = possible(aim)
    able = aim.existing is None
    claiming = [name for name in names if able and may_claim(aim, population, name)]
    show_goal(aim, population)
    goal = goal_so_far(aim, population, claims=bool(claiming))
    to_show = bool(claiming) and to_be_shown()
    terms = terms_so_far(aim)
    question = (population.fingerprint, aim, *goal.items(), *terms.items())
    raced = races().done(question) or {}

    def forecast(population: Population, plan: Plan) -> Line:
        return raced.get(plan.design) or outlook.forecast(population, plan)

    with st.spinner(TRYING):
        proposable = claiming if to_show else names
        terms = {**terms, "seed": seed_so_far()}
        best = recommended(aim, population, proposable, goal, forecast, terms)
    box = places.more
    with box:
        begun = draft.waiting(aim.file)
        chosen = choose_method(names, best, aim.file)
        name = chosen or best
        design = DESIGNS[name]
        st.caption(plain(design.summary))
        links_before()
        suggested = suggested_params(design, population, named(aim.classifier))
        if begun.params is not None and begun.design in (None, name):
            show_params(design, suggested, begun.params)
        draft.taken(aim.file, "params")
        finer = params_form(design, suggested, main=False)
        seed = st.number_input(
            "Seed of the random draws",
            value=st.session_state[FIRST_SEED],
            key=SEED,
            persist_state="session",
        )
        sound = within(seed, 0, None)
    with places.slide:
        first_of_all = params_form(design, suggested, main=True)
    if not sound or finer is None or first_of_all is None:
        return None
    return Method(
        design,
        {**first_of_all, **finer},
        int(seed),
        box,
        suggested,
        best,
        name in claiming or (not chosen and bool(claiming)),
        question,
    )


def choose_method(names: list[str], best: str, file: str) -> str:
    """The method chosen. Browsers show an input's text until its key changes, so the key names the
    recommended method, and the choice goes with the person from one key to the next."""
    group = "-".join(names)
    key, kept = f"new-design-{best}-of-{group}", f"new-method-of-{group}"
    last_key, last = st.session_state.get(kept, (key, RECOMMENDED))
    if last_key != key:
        st.session_state[key] = last
    begun = draft.waiting(file).design
    draft.fill(key, file, "design", begun if begun in (RECOMMENDED, *names) else None)
    chosen = st.selectbox(
        "Method",
        [RECOMMENDED, *names],
        key=key,
        format_func=lambda n: DESIGNS[n].label if n else f"Recommended: {DESIGNS[best].label}",
        persist_state="session",
    )
    st.session_state[kept] = (key, chosen)
    return chosen


def refuse_method(error: Exception, aim: Aim, method: Method) -> None:
    """Why the chosen method cannot serve, and what can be done about it."""
    remedies = error.remedies if isinstance(error, PlanError) else ()
    fault = refusal_words(error) if isinstance(error, PlanError) else sentence(error)
    ways = [WayOut(one.words, draft_of(one.changes, aim.file)) for one in remedies]
    if method.chosen:
        best = ProjectDraft(aim.file, design=RECOMMENDED)
        ways.append(WayOut("take the recommended method", best))
    if method.params != method.suggested:
        ways.append(WayOut("take the parameters as they were", ProjectDraft(aim.file, params={})))
    refuse(fault, ways)


def draft_of(changes: Mapping[str, Any], file: str) -> ProjectDraft:
    """The inputs of the page that stand for arguments of a plan."""
    same = {name: changes.get(name) for name in ("budget", "params", "promise", "target")}
    found = ProjectDraft(file, **same)
    if "estimands" in changes:
        estimands = tuple(changes["estimands"])
        found = replace(found, estimands=estimands, question=question_for(estimands))
    if "classifier" in changes:
        found = replace(found, classifiers=named(changes["classifier"]))
    return found
