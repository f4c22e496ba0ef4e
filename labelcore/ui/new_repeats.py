"""New project: how many people judge, and how many items are judged a second time."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from labelcore.estimands import SCALARS
from labelcore.plan.plan import Plan
from labelcore.plan.recut import without_unfit_recut
from labelcore.planning.spendings import ENOUGH, Spending, recommended
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.session.session import Session
from labelcore.ui.asking import ask, current
from labelcore.ui.fields import FIELDS, Field
from labelcore.ui.forecasts import ways_to_spend
from labelcore.ui.new_price_words import (
    expected_points,
    overlap_words,
    repeats_words,
    spending_words,
    spent_words,
)
from labelcore.words.sentences import percent

WHY = (
    "One person's answers are not always right. How often a second answer to the same item "
    "differs shows how many answers may be mistakes, and how far that moves the figures."
)
NONE_SETTLED = "They tell how far people agree; this question has no figure as settled."
SEEN = (
    "Two people differ on {share} of the items. Settled figures come within about ± {half} once "
    "{when}{otherwise}."
)
ALL_IN, ALL_SETTLED = "all {readings:,} answers are in and settled", "all of them are settled"
BETTER = "; {spent} for as many answers in a new project"
NARROWER = 0.95
"""How wide another way to spend the answers may be at most, so that it is told."""
NOT_AT_HALF = "Nothing is learned at half: that was not measured with several people."
USUAL = 0.1
"""The overlap that others are held against: a tenth is what is mostly judged twice."""


def with_overlap(plan: Plan, population: Population) -> Plan:
    """The plan with the people who judge, and the share of the items that all of them do: of a
    budget as many readings as it has labels, spent on items or on people for the same."""
    readers = int(ask("readers"))
    if readers == 1:
        return plan
    twice = without_unfit_recut(population, replace(plan, overlap=1.0, readers=readers))
    if plan.params != twice.params:
        plan = replace(plan, params=twice.params)
        st.caption(NOT_AT_HALF)
    if ways := spendings_of(population, twice):
        by_share = {way.overlap: way for way in ways}
        share = ask(overlap_row(ways))
        chosen = by_share[share]
        other = by_share.get(USUAL, chosen)
        other = recommended(ways) if other is chosen else other
        st.caption(spending_words(chosen, other, readers))
        return replace(plan, overlap=share, readers=readers, budget=by_share[share].items)
    share = float(ask("overlap"))
    words = overlap_words(plan, share, readers)
    unsettled = "" if {*plan.estimands} & {*SCALARS} else NONE_SETTLED
    st.caption(". ".join(filter(None, (words, unsettled))))
    return replace(plan, overlap=share, readers=readers)


def overlap_row(ways: Sequence[Spending]) -> Field:
    """The input for the share that all people judge, by what each gives."""
    stops = {way.overlap: f"{way.twice:,} of {way.items:,}" for way in ways}
    return replace(FIELDS["overlap"], options=stops, first=recommended(ways).overlap)


def chosen_way(plan: Plan, population: Population, readers: int) -> Spending | None:
    """How the answers of a plan are spent that several people give; None where one person does, and
    where nothing is foretold."""
    if readers == 1:
        return None
    twice = without_unfit_recut(population, replace(plan, overlap=1.0, readers=readers))
    ways = spendings_of(population, twice)
    share = overlap_row(ways).shown(current()) if ways else None
    return next((way for way in ways if way.overlap == share), None)


def spendings_of(population: Population, plan: Plan) -> list[Spending]:
    """The ways to spend the readings of a plan whose budget says how many there are; none for other
    plans, and where nothing is foretold."""
    if plan.budget is None or plan.claims or not {*plan.estimands} & {*SCALARS}:
        return []
    watched = plan.promise == Promise.WATCHED
    least = plan.method.smallest_watched_budget if watched else 1
    ways = ways_to_spend(population, plan)
    return [way for way in ways if way.items >= least]


def seen_words(session: Session) -> str:
    """What the plan's readings are expected to give now that people are seen to differ, and those
    recommended by it where these give clearly more; "" before that, and where nothing is foretold.
    """
    agreement, plan = session.agreement(), session.plan
    if not plan.overlap or agreement.share.value is None or agreement.items < ENOUGH:
        return ""
    differ = round(1 - agreement.share.value, 2)
    population = session.population
    ways = ways_to_spend(population, plan, differ)
    if not ways:
        return ""
    now, best = min(ways, key=lambda way: abs(way.overlap - plan.overlap)), recommended(ways)
    better = best.half_width <= NARROWER * now.half_width
    given = sum(person.answers + person.further for person in agreement.people)
    return SEEN.format(
        share=percent(differ, 0),
        half=expected_points(now.half_width),
        when=ALL_SETTLED if given >= now.readings else ALL_IN.format(readings=now.readings),
        otherwise=BETTER.format(spent=spent_words(best, plan.readers)) if better else "",
    )


def with_repeats(plan: Plan) -> Plan:
    """The plan with the share that one person judges a second time; nothing where others do."""
    if plan.overlap:
        return plan
    share = float(ask("repeats"))
    st.caption(f"{WHY} {repeats_words(plan, share)}")
    return replace(plan, repeats=share) if share else plan
