"""New project, screen 3: how sure, what it costs, by which method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import CancelledError, PlanError, Remedy
from labelcore.plan.against_file import frozen
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import RULES, looking, moment_words
from labelcore.planning.methods import Line, named
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.safe_text import plain
from labelcore.ui import forecasts, new_price, waiting
from labelcore.ui.asking import WayOut, ask, ask_number, begin, current, refuse
from labelcore.ui.draft import BUDGET, CLAIMS, MARGIN, Aim, ProjectDraft
from labelcore.ui.lines import fold
from labelcore.ui.new_cards import question_for
from labelcore.ui.new_claims import ask_claims, claim_form_input, show_claim_terms
from labelcore.ui.new_content import made_content, offer_content
from labelcore.ui.new_price_words import half_width_words, together_captions
from labelcore.ui.new_race import Race
from labelcore.ui.new_repeats import chosen_way
from labelcore.ui.new_screens import Places
from labelcore.ui.new_terms import RECOMMENDED, Goal, Terms
from labelcore.ui.params import param_fault, row_of, within
from labelcore.ui.presses import sentence
from labelcore.ui.times import reader_zone
from labelcore.ui.whole_pages import links_before
from labelcore.words import sentences as words
from labelcore.words.arguments import refusal_words
from labelcore.words.promises import (
    BAND_CAPTIONS,
    EACH_RANK_CAPTIONS,
    ONLY_PROMISE,
    PROMISE_CAPTIONS,
    times_planned,
    watched_words,
    wider_words,
)

CORRECT = "Correct the number that is out of bounds to continue."
TRYING = "Working out what the labels will give"
PRICE_LATER = "The price stands here once the claim is complete."
NO_FORECAST = (
    "This method cannot work out beforehand how many labels that needs: start from the number of "
    "items that you can label."
)
BY_NUMBER = WayOut("start from a number of items", ProjectDraft(way=BUDGET))
OTHERS, COSTS = "Other methods", "What each number costs"
PAST = "This moment has passed: choose a later one to continue."


def sure_step(aim: Aim, population: Population, places: Places) -> tuple[Plan, Race] | None:
    """The plan, and the race of the methods that is to be run when the page is drawn."""
    terms = Terms(current(), aim, population)
    try:
        with places.price:
            key = terms.question, terms.seed
            waiting.worked_out("best", key, TRYING, lambda: terms.best, keep=False)
            made_content(terms)
        fits = show_method(terms, places)
    except CancelledError:
        if terms.now.way not in (None, BUDGET):
            by_number = BY_NUMBER.words.capitalize()
            places.price.button(by_number, on_click=begin, args=(BY_NUMBER.draft,))
        return None
    if not fits:
        places.price.info(CORRECT)
        return None
    with places.slide:
        given = size_and_promise(terms, places)
    if given is None:
        if terms.to_be_shown:
            places.price.caption(PRICE_LATER)
        return None
    try:
        plan = terms.plan(classes=aim.classes, **given)
        lines = lines_of(plan, population, places)
        if plan.claims:
            plan, lines = settle_claims(plan, lines, terms, places)
    except CancelledError:
        return None
    except (ValueError, TypeError) as error:
        with places.price:
            refuse_method(error, terms)
        return None
    # What was simulated for the question says nothing of claims or of parameters of one's own.
    changed = terms.params != terms.suggested or bool(plan.claims)
    race = Race(population, plan, lines, None if changed else terms.question)
    if not show_what_it_costs(plan, terms, race, places):
        return None
    # The size on the page is the one that is frozen; to try it out again would take seconds.
    chosen = race.lines[0]
    if plan.budget is not None or not (plan.claims or chosen.runs):
        return plan, race
    return frozen(population, plan, chosen.planned if plan.claims else chosen.labels), race


def lines_of(plan: Plan, population: Population, places: Places) -> list[Line]:
    """What each method costs and gives, the plan's first. Raises PlanError where that refuses."""
    with places.price:
        if plan.claims:
            lines = [forecasts.claimed(population, plan)]
        else:
            key = population.fingerprint, plan.to_json()
            lines = waiting.worked_out(
                "lines", key, TRYING, lambda: forecasts.lines(population, plan), keep=False
            )
    if lines[0].refused:
        raise PlanError(lines[0].refused, "", lines[0].remedies)
    return lines


def settle_claims(
    plan: Plan, lines: list[Line], terms: Terms, places: Places
) -> tuple[Plan, list[Line]]:
    """What settles the claims, which decides how many labels they take."""
    with places.slide:
        meaning = st.container()
        form = claim_form_input(lines[0].derived.get("claims", {}))
        if form != plan.claim_form:
            plan = replace(plan, claim_form=form)
            lines = lines_of(plan, terms.population, places)
    with meaning:
        show_claim_terms(plan, None if terms.aim.existing == "random" else plan.budget)
    return plan, lines


def show_method(terms: Terms, places: Places) -> bool:
    """Method, its parameters and the seed; whether all numbers lie within their bounds. What a
    method asks for first of all stands below the price."""
    with places.more:
        ask(terms.row("design"))
        st.caption(plain(terms.design.summary))
        links_before()
        finer = params_form(terms, main=False)
        _, sound = ask_number(terms.row("seed"))
    with places.slide:
        main = params_form(terms, main=True)
    return sound and finer and main


def params_form(terms: Terms, *, main: bool) -> bool:
    """What the method asks for first, or its finer points; whether all of it fits."""
    sound = True
    for item in fields(terms.design.Params):
        if item.metadata["main"] == main:
            ask(row_of(terms.design, item, terms.suggested))
            if fault := param_fault(terms.now, terms.design, terms.suggested, item):
                st.error(plain(fault))
                sound = False
    return sound


def show_what_it_costs(plan: Plan, terms: Terms, race: Race, places: Places) -> bool:
    """The price, the slider and the methods; whether the plan can be made."""
    least = 1 if terms.sized else max(terms.least, terms.fewest, 1)
    readers = int(terms.shown("readers"))
    spent = chosen_way(plan, terms.population, readers)
    ahead = new_price.Ahead(plan, terms.population, race.lines, least, spent)
    with places.price:
        new_price.show_derived(places.more, ahead.chosen)
        if terms.sized:
            new_price.show_size(ahead, places.more)
            with places.axis:
                choose_size(terms)
            with places.methods:
                rows = new_price.sized_rows(ahead)
                fold(OTHERS, "new-methods", lambda: new_price.choose_row(rows, plan, terms.best))
            return True
        if terms.is_choice:
            new_price.show_choice(ahead)
            race.show(places.more)
            return True
        if not ahead.chosen.half_widths and plan.margin:
            refuse(NO_FORECAST, [BY_NUMBER])
            return False
    if not new_price.show_outlook(ahead, bool(race.found), places, readers):
        return True
    which = terms.aim.which and not plan.claims
    with places.axis:
        if plan.budget is not None and not plan.claims and len(ahead.stops) > 1:
            slide(ahead)
        if which and (dear := new_price.dear_words(ahead)):
            st.caption(dear)
    others = [promise for promise in terms.promises if promise != plan.promise]
    other = None if plan.claims else next(iter(others), None)
    with places.methods:
        offer_content(terms, plan)
        if which:
            fold(COSTS, "new-costs", lambda: new_price.show_switches(ahead, terms.aim.card))
        fold(
            OTHERS,
            "new-methods",
            lambda: new_price.choose_row(new_price.method_rows(ahead, other), plan, terms.best),
        )
        race.show(places.more)
    return True


def choose_size(terms: Terms) -> None:
    """The sizes that a method offers as a slider, each with what it gives."""
    sizes = terms.design.sizes(len(terms.population))
    if len(sizes) < 2:
        return
    now = terms.design.Params(**terms.params)
    now_at = [n for n, size in enumerate(sizes) if replace(now, **size.params) == now]

    def take(number: int) -> None:
        design = terms.design.name
        begin(ProjectDraft(design=design, params={**terms.params, **sizes[number].params}))

    words = {n: f"{size.labels:,}: {size.gives}" for n, size in enumerate(sizes)}
    first = now_at[0] if now_at else len(sizes) - 1
    ask("size", take=take, options=words, first=first)


def slide(ahead: new_price.Ahead) -> None:
    """The slider of labels below the picture, each stop with the half-width expected there."""

    def say(labels: int) -> str:
        return f"{labels:,}: {half_width_words(ahead.width_with(labels)).removesuffix(' points')}"

    ask("slider", options={n: say(n) for n in ahead.stops}, first=ahead.chosen.labels)


def size_and_promise(terms: Terms, places: Places) -> dict[str, Any] | None:
    """Goal, confidence, promise and stop rules; None while something is missing or wrong."""
    if terms.sized:
        given = terms.given
        with places.more:
            if given and "confidence" in given:
                ask("confidence")
        return given
    try:
        _ = terms.least
    except (ValueError, TypeError) as error:
        refuse_method(error, terms)
        return None
    show_goal(terms, places)
    with places.more:
        show_promise(terms)
    if terms.goal is None:
        if terms.way != CLAIMS:
            st.info(CORRECT)
    elif terms.too_few_to_watch:
        more = ProjectDraft(budget=min(terms.fewest, len(terms.population)))
        once = WayOut("look once, at the end", ProjectDraft(promise=Promise.FIXED))
        refuse(terms.too_few_to_watch, [WayOut(f"label {terms.fewest:,} items", more), once])
    else:
        with places.more:
            show_stop(terms, terms.goal)
    return terms.given


def show_goal(terms: Terms, places: Places) -> None:
    """What is started from, and how much of it."""
    if len(terms.ways) > 1:
        ask(terms.row("way"))
    if terms.way == CLAIMS:
        ask_claims(terms.claims)
        ask_number(terms.row("most"))
    elif terms.way == MARGIN:
        ask_number(terms.row("margin"))
    else:
        with places.more:
            ask(terms.row("budget"))
            if terms.least > 1:
                st.caption(f"This method needs at least {terms.least:,} labels on this file.")
        within(terms.shown("budget"), terms.least, terms.size)
    if terms.groupings:
        ask(terms.row("by"))


def show_promise(terms: Terms) -> None:
    """How sure, and when the person will look."""
    ask("confidence")
    if terms.way != CLAIMS:
        promise_input(terms)
    if terms.numbers > 1:
        captions = together_captions(terms.numbers, terms.confidence, terms.at_once())
        ask("together", captions=captions)
    if len(terms.unsure_readings) > 1:
        ask(terms.row("unsure"))


def promise_input(terms: Terms) -> None:
    """When the person will look, where the method leaves a choice."""
    design, horizon = terms.design, terms.horizon
    if isinstance(design, EstimatesCurve) and design.watched_until(1):
        horizon = 1
    valid = watched_words(horizon, terms.new_labels)
    if len(terms.promises) == 1:
        st.caption(ONLY_PROMISE[terms.promises[0]].format(valid=valid))
        return
    captions = PROMISE_CAPTIONS
    if terms.along_ranks:
        captions = EACH_RANK_CAPTIONS if isinstance(design, EstimatesScalars) else BAND_CAPTIONS
    part = wider_words(horizon)
    ask("promise", captions=[caption.format(valid=valid, part=part) for caption in captions])


def show_stop(terms: Terms, goal: Goal) -> None:
    """What ends the session."""
    st.markdown("What ends the session by itself?")
    for rule in terms.stop_rules:
        ask(terms.row("stop", rule))
    for rule in terms.stops:
        if RULES[rule].timed:
            show_deadline(terms)
        elif RULES[rule].read is not None:
            ask(terms.row("stop_value", rule))
    if terms.stop is None:
        return
    if len(terms.stops) > 1:
        ask(terms.row("stop_how", terms.first_how))
    st.caption(
        f"At the latest it ends with {latest_labels(terms, goal)}. You may always continue "
        "afterwards, or finish earlier by hand."
    )


def latest_labels(terms: Terms, goal: Goal) -> str:
    """The labels that a session ends with at the latest, in words."""
    if goal.budget is None and terms.horizon and looking(terms.stops) == ("margin",):
        return times_planned(terms.horizon)
    most = goal.budget or (len(terms.population) if terms.goals else None)
    ends = most is not None and (not terms.goals or {*terms.goals} & {*terms.stops})
    return words.count(most) if most is not None and ends else times_planned(1)


def show_deadline(terms: Terms) -> None:
    with st.container(horizontal=True):
        ask(terms.row("deadline_day"))
        ask("deadline_hour")
    if terms.stop is None:
        st.error(PAST)
    else:
        zone = reader_zone()
        st.caption(plain(f"On your clock: {moment_words(terms.deadline().astimezone(zone))}."))


def refuse_method(error: Exception, terms: Terms) -> None:
    """Why the chosen method cannot serve, and what can be done about it."""
    remedies = error.remedies if isinstance(error, PlanError) else ()
    fault = refusal_words(error) if isinstance(error, PlanError) else sentence(error)
    ways = [WayOut(way_words(remedy), draft_of(remedy.changes, terms)) for remedy in remedies]
    if terms.aim.target != "file" and not any(way.draft.target for way in ways):
        ways.append(WayOut("ask about this file", ProjectDraft(target="file")))
    if terms.design.name != terms.best:
        ways.append(WayOut("take the recommended method", ProjectDraft(design=RECOMMENDED)))
    if terms.params != terms.suggested:
        as_suggested = ProjectDraft(params={}, params_of=terms.design.name)
        ways.append(WayOut("take the parameters as they were", as_suggested))
    refuse(fault, ways)


def way_words(remedy: Remedy) -> str:
    """
    >>> way_words(Remedy("plan for 0.086", {"margin": 0.086}))
    'plan for ± 8.6 points'
    """
    margin = remedy.changes.get("margin")
    return remedy.words if margin is None else f"plan for ± {100 * margin:g} points"


def draft_of(changes: Mapping[str, Any], terms: Terms) -> ProjectDraft:
    """The inputs of the page that stand for arguments of a plan."""
    same: dict[str, Any] = {
        name: changes.get(name) for name in ("budget", "margin", "params", "promise", "target")
    }
    draft = ProjectDraft(**same, params_of=terms.design.name)
    if "estimands" in changes:
        estimands = tuple(changes["estimands"])
        draft = replace(
            draft, estimands=estimands, question=question_for(estimands) or terms.aim.card
        )
    if "classifier" in changes:
        draft = replace(draft, classifiers=named(changes["classifier"]))
    return draft
