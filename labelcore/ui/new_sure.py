"""New project, step 4: how sure, what it costs, by which method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.designs import Design
from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import NotRandomError, PlanError
from labelcore.estimands import CHOICES
from labelcore.plan.against_file import frozen
from labelcore.plan.plan import Plan, watched_horizon
from labelcore.plan.stop_rules import wanted
from labelcore.planning.forecast import AtOnce
from labelcore.planning.methods import in_order, named
from labelcore.population import Population
from labelcore.promises import UNSURE, Promise
from labelcore.tallies import Question, questions
from labelcore.ui import draft, outlook
from labelcore.ui.draft import Aim, ProjectDraft
from labelcore.ui.new_claims import claim_form_input, show_claim_terms
from labelcore.ui.new_goal import (
    BUDGET,
    CLAIMS,
    CONFIDENCE,
    FIRST_BUDGET,
    FIRST_CONFIDENCE,
    PROMISE,
    Goal,
    along_ranks,
    budget_key,
    choose_way,
    claimed,
    how_much,
    slider,
    to_be_shown,
)
from labelcore.ui.new_known import known_number, not_random_words
from labelcore.ui.new_method import TRYING, Method, advanced, refuse_method
from labelcore.ui.new_places import Places
from labelcore.ui.new_price import (
    Ahead,
    expected_points,
    show_choice,
    show_derived,
    show_outlook,
    show_size,
)
from labelcore.ui.new_race import Race
from labelcore.ui.new_stop import stop_input, together_input, unsure_input
from labelcore.ui.new_table import choose_row, method_rows
from labelcore.ui.remedies import WayOut, refuse
from labelcore.words import sentences as words
from labelcore.words.promises import (
    BAND_CAPTIONS,
    EACH_RANK_CAPTIONS,
    ONLY_PROMISE,
    PROMISE_CAPTIONS,
    PROMISES,
    watched_words,
    wider_words,
)

CORRECT = "Correct the number that is out of bounds to continue."
CONFIDENCES = (0.9, 0.95, 0.99)
HIGHEST_STOP = 1000
"""The slider goes up to so many labels, or to twice the number chosen."""
TRYING_CLAIMS = (
    "Trying out the claims on simulated labels, as if the scores were right: a few seconds ..."
)
PRICE_LATER = "The price stands here once the claim is complete."
NO_FORECAST = (
    "This method cannot work out beforehand how many labels that needs: start from the number of "
    "items that you can label."
)


def sure_step(aim: Aim, population: Population, places: Places) -> tuple[Plan, Race] | None:
    """The plan, and the race of the methods that is to be run when the page is drawn."""
    draft.fill(PROMISE, aim.file, "promise", draft.waiting(aim.file).promise)
    method = advanced(aim, population, places)
    if method is None:
        places.price.info(CORRECT)
        return None
    with places.slide:
        terms = size_and_promise(aim, population, method, places.more)
    if terms is None:
        if to_be_shown():
            places.price.caption(PRICE_LATER)
        return None
    try:
        plan = Plan(
            method.design.name,
            aim.estimands,
            classifier=in_order(method.design, method.params, aim.classifier),
            params=method.params,
            seed=method.seed,
            target=aim.target,
            existing=aim.existing,
            classes=aim.classes,
            **terms,
        )
        with places.price, st.spinner(TRYING_CLAIMS if plan.claims else TRYING):
            found = outlook.lines(population, population.fingerprint, plan.to_json())
    except (ValueError, TypeError) as error:
        with places.price:
            refuse_method(error, aim, method)
        return None
    if found[0].refused:
        fault = PlanError(found[0].refused, "", found[0].remedies)
        with places.price:
            refuse_method(fault, aim, method)
        return None
    if plan.claims:
        with places.slide:
            terms_place = st.container()
            form = claim_form_input(found[0].derived.get("claims", {}))
            if form != plan.claim_form:
                plan = replace(plan, claim_form=form)
                with st.spinner(TRYING_CLAIMS):
                    found = outlook.lines(population, population.fingerprint, plan.to_json())
        with terms_place:
            show_claim_terms(plan, None if aim.existing == "random" else plan.budget)
    own = method.params != method.suggested
    race = Race(population, plan, found, None if own else method.question)
    if not show_what_it_costs(plan, aim, population, method, race, places):
        return None
    found = race.lines
    # The size on the page is the one that is frozen; to try it out again would take seconds.
    tried = plan.claims or found[0].runs
    sized = tried and plan.budget is None
    size = found[0].planned if plan.claims else found[0].labels
    return frozen(population, plan, size) if sized else plan, race


def show_what_it_costs(
    plan: Plan, aim: Aim, population: Population, method: Method, race: Race, places: Places
) -> bool:
    """The price, the slider and the methods; whether the plan can be made."""
    found = race.lines
    with places.price:
        show_derived(places.more, found[0])
        if method.sized:
            show_size(method.design, found, places.more)
            return True
        if set(aim.estimands) <= set(CHOICES):
            show_choice(plan, population, found[0])
            race.show(places.more)
            return True
        if not found[0].half_widths and plan.margin:
            by_number = ProjectDraft(aim.file, way=BUDGET)
            refuse(NO_FORECAST, [WayOut("start from a number of items", by_number)])
            return False
    ahead = show_outlook(plan, population, race, places)
    if ahead is None:
        return True
    if plan.budget is not None and not plan.claims:
        with places.slide:
            slide(plan, aim, population, method, ahead)
    with places.methods:
        others = [one for one in method.promises(aim) if one != plan.promise]
        other = None if plan.claims else next(iter(others), None)
        choose_row(method_rows(plan, ahead, found, other), plan, aim, method)
        race.show(places.more)
    return True


def slide(plan: Plan, aim: Aim, population: Population, method: Method, ahead: Ahead) -> None:
    """The slider of labels, each stop with the half-width expected there."""
    budget = plan.budget or 1
    items = len(population) - known_number(population)
    low = max(fewest(aim, population, method), 1)
    if plan.promise == Promise.WATCHED and aim.existing != "random":
        low = max(low, method.design.smallest_watched_budget)
    high = min(max(HIGHEST_STOP, 2 * budget), items)

    def say(labels: int) -> str:
        return f"{labels:,}: ± {expected_points(ahead.width_at(labels)).removesuffix(' points')}"

    key = budget_key(
        population, aim, min(max(FIRST_BUDGET, fewest(aim, population, method)), items)
    )
    slider(budget, min(low, budget), max(high, budget), key, say)


def size_and_promise(
    aim: Aim, population: Population, method: Method, more: DeltaGenerator
) -> dict[str, Any] | None:
    """Goal, confidence, promise and stop rules; None while a number is out of bounds."""
    design = method.design
    if method.sized:
        bare = isinstance(design, EstimatesCurve) and not design.has_confidence
        with more:
            sure = {} if bare else {"confidence": confidence_input()}
        return {"promise": design.promises[0], **sure}
    try:
        least = fewest(aim, population, method)
    except NotRandomError as error:
        uses = {"certainty": "take them as known items", "ignored": "do not use them"}
        ways = [WayOut(words, ProjectDraft(aim.file, existing=use)) for use, words in uses.items()]
        refuse(not_random_words(error, "on the first screen"), ways)
        return None
    except (ValueError, TypeError) as error:
        refuse_method(error, aim, method)
        return None
    way = choose_way(aim, claims=method.claims)
    goal = (
        claimed(aim, population, design)
        if way == CLAIMS
        else how_much(way, population, least, aim, more)
    )
    budget = None if goal is None or aim.existing == "random" else goal.budget
    params = design.Params(**method.params)
    horizon = watched_horizon(design, params, budget=least if way == BUDGET else budget)
    with more:
        confidence = confidence_input()
        if way == CLAIMS:
            promise = Promise.WATCHED
        else:
            promise = promise_input(
                design, method.promises(aim), horizon, budget, band=along_ranks(aim)
            )
        numbers = len(asked(aim, population))
        said = at_once(aim, population, method, promise, confidence, goal)
        together = numbers > 0 and together_input(numbers, confidence, said)
        judges = isinstance(design, EstimatesScalars) and design.judges(params)
        unsure = unsure_input(UNSURE if judges else ())
    if goal is None:
        if way != CLAIMS:
            st.info(CORRECT)
        return None
    enough = aim.existing == "random"  # Together with those there are.
    fault = "" if enough else too_few_to_watch(design, promise, goal.budget)
    if fault:
        most = min(design.smallest_watched_budget, len(population))
        label = f"label {design.smallest_watched_budget:,} items"
        more_labels = WayOut(label, ProjectDraft(aim.file, budget=most))
        once = WayOut("look once, at the end", ProjectDraft(aim.file, promise=Promise.FIXED))
        refuse(fault, [more_labels, once])
        return None
    with more:
        stop = end_of_session(goal, design, promise, len(population), horizon)
    return (
        None
        if stop is None
        else {
            "budget": goal.budget,
            "margin": goal.margin,
            "claims": goal.claims,
            "stop": stop,
            "confidence": confidence,
            "promise": promise,
            "together": together,
            "unsure": unsure,
        }
    )


def end_of_session(
    goal: Goal,
    design: Design[Any],
    promise: str,
    size: int,
    horizon: int | None,
) -> tuple[str, ...] | None:
    """The stop rules; those that look need a promise that holds at every look."""
    goals = wanted(design.stop_rules, goal) if promise == Promise.WATCHED else ()
    furthest = horizon if goal.budget is None else None
    return stop_input(goals, goal.budget or (size if goals else None), furthest)


def asked(aim: Aim, population: Population) -> list[Question]:
    """The numbers that are asked for, those of a curve left out."""
    return questions(population, aim.estimands, named(aim.classifier) or (None,), aim.classes)


def at_once(
    aim: Aim,
    population: Population,
    method: Method,
    promise: Promise,
    confidence: float,
    goal: Goal | None,
) -> AtOnce | None:
    """What it changes that all numbers hold at once; None where nothing is foreseen."""
    budget = (None if goal is None else goal.budget) or outlook.USUAL
    try:
        plan = Plan(
            method.design.name,
            aim.estimands,
            classifier=in_order(method.design, method.params, aim.classifier),
            params=method.params,
            seed=method.seed,
            budget=min(budget, len(population)),
            confidence=confidence,
            promise=promise,
            target=aim.target,
            existing=aim.existing,
        )
    except (ValueError, TypeError):
        return None
    return outlook.at_once(population, population.fingerprint, plan.to_json())


def fewest(aim: Aim, population: Population, method: Method) -> int:
    """The fewest labels that the method can be planned with on this file, with the promise that
    its input shows, before that stands on the page."""
    shown = st.session_state.get(PROMISE)
    plan = Plan(
        method.design.name,
        aim.estimands,
        classifier=in_order(method.design, method.params, aim.classifier),
        params=method.params,
        seed=method.seed,
        budget=len(population),
        promise=shown if shown in method.promises(aim) else None,
        target=aim.target,
        existing=aim.existing,
        classes=aim.classes,
    )
    return outlook.least(population, population.fingerprint, plan.to_json())


def too_few_to_watch(design: Design[Any], promise: str, budget: int | None) -> str:
    """Why so few labels cannot be watched, in the words of the page; nothing where they can.

    >>> from labelcore.designs import DESIGNS
    >>> too_few_to_watch(DESIGNS["recalibrated_neyman"], "watched", 5)
    "Watching while you label needs at least 40 labels; label more, or choose 'I look once, when
    all planned labels are there'."
    """
    least = design.smallest_watched_budget
    if promise != Promise.WATCHED or budget is None or budget >= least:
        return ""
    return (
        f"Watching while you label needs at least {least} labels; label more, or choose "
        f"{PROMISES[Promise.FIXED]!r}."
    )


def confidence_input() -> float:
    return float(
        st.segmented_control(
            "Confidence",
            CONFIDENCES,
            default=FIRST_CONFIDENCE,
            required=True,
            key=CONFIDENCE,
            format_func=words.confidence_words,
            persist_state="session",
        )
    )


def promise_input(
    design: Design[Any],
    promises: tuple[Promise, ...],
    horizon: int | None,
    budget: int | None,
    *,
    band: bool,
) -> Promise:
    """When the person will look."""
    if isinstance(design, EstimatesCurve) and design.watched_until(1):
        horizon = 1
    valid = watched_words(horizon, budget)
    if len(promises) == 1:
        st.caption(ONLY_PROMISE[promises[0]].format(valid=valid))
        return promises[0]
    captions = PROMISE_CAPTIONS
    if band:
        captions = EACH_RANK_CAPTIONS if isinstance(design, EstimatesScalars) else BAND_CAPTIONS
    return Promise(
        st.radio(
            "When will you look?",
            list(PROMISES),
            format_func=PROMISES.__getitem__,
            captions=[one.format(valid=valid, part=wider_words(horizon)) for one in captions],
            key=PROMISE,
            persist_state="session",
        )
    )
