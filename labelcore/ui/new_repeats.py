"""New project: how many people judge, and how many items are judged a second time."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import streamlit as st

from labelcore.estimands import SCALARS
from labelcore.log.repeats import SPACING
from labelcore.plan.plan import Plan
from labelcore.plan.recut import without_unfit_recut
from labelcore.planning.spendings import ENOUGH, Spending, recommended
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.session.session import Session
from labelcore.ui.asking import ask
from labelcore.ui.fields import SHARES
from labelcore.ui.forecasts import expected_points, ways_to_spend
from labelcore.ui.status import SECONDS_AN_ITEM
from labelcore.ui.times import about_minutes
from labelcore.words.sentences import percent

ONE = 1
WHY = (
    "One person's answers are not always right. How often a second answer to the same item "
    "differs shows how many answers may be mistakes, and how far that moves the figures."
)
NONE = "Until then the figures are agreement with your judgement. You can still ask at the end."
SOME = (
    "Items drawn at random come again, at least {spacing} items later or at the end, and are not "
    "marked: {share} of the items asked{more}. They do not count towards the labels above."
)
MORE = ", most likely {low:,} to {high:,} here, {time}"
OTHERS = "{low:,} to {high:,} items more for {each}, {time}"
NONE_SETTLED = "They tell how far people agree; this question has no figure as settled."
SPENT = "{items:,} items, {twice:,} of them judged {many}: ± {half}"
SEEN = (
    "Two people differ on {share} of the items. Settled figures come within about ± {half} once "
    "all {readings:,} answers are in and settled{otherwise}."
)
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
    if readers == ONE:
        return plan
    twice = without_unfit_recut(population, replace(plan, overlap=1.0, readers=readers))
    if plan.params != twice.params:
        plan = replace(plan, params=twice.params)
        st.caption(NOT_AT_HALF)
    if ways := spendings_of(population, replace(plan, overlap=1.0, readers=readers)):
        by_share = {way.overlap: way for way in ways}
        stops = {share: f"{way.items:,} and {way.twice:,}" for share, way in by_share.items()}
        share = ask("overlap", options=stops, first=recommended(ways).overlap)
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


def spendings_of(population: Population, plan: Plan) -> list[Spending]:
    """The ways to spend the readings of a plan whose budget says how many there are; none for other
    plans, and where nothing is foretold."""
    if plan.budget is None or plan.claims or not {*plan.estimands} & {*SCALARS}:
        return []
    watched = plan.promise == Promise.WATCHED
    least = plan.method.smallest_watched_budget if watched else 1
    ways = ways_to_spend(population, population.fingerprint, plan.to_json())
    return [way for way in ways if way.items >= least]


def spending_words(chosen: Spending, other: Spending, readers: int) -> str:
    """What the readings are spent on and give, and what they would give otherwise.

    >>> tenth = Spending(0.1, 600, 60, 660, {"f1": 0.09})
    >>> spending_words(Spending(0.65, 400, 260, 660, {"f1": 0.04}), tenth, 2).split(", or ")[0]
    '660 answers, as settled: 400 items, 260 of them judged twice: ± 4.0 points'
    """
    sentence = f"{chosen.readings:,} answers, as settled: {spent_words(chosen, readers)}"
    return sentence if other is chosen else f"{sentence}, or {spent_words(other, readers)}"


def spent_words(way: Spending, readers: int) -> str:
    """What readings are spent on and give."""
    many = "twice" if readers == ONE + 1 else f"by {readers} people"
    half = expected_points(way.half_width)
    return SPENT.format(items=way.items, twice=way.twice, many=many, half=half)


def seen_words(session: Session) -> str:
    """What the plan's readings are expected to give now that people are seen to differ, and those
    recommended by it where these give clearly more; "" before that, and where nothing is foretold.
    """
    agreement, plan = session.agreement(), session.plan
    if not plan.overlap or agreement.share.value is None or agreement.items < ENOUGH:
        return ""
    differ = round(1 - agreement.share.value, 2)
    population = session.population
    ways = ways_to_spend(population, population.fingerprint, plan.to_json(), differ)
    if not ways:
        return ""
    now, best = min(ways, key=lambda way: abs(way.overlap - plan.overlap)), recommended(ways)
    better = best.half_width <= NARROWER * now.half_width
    return SEEN.format(
        share=percent(differ, 0),
        half=expected_points(now.half_width),
        readings=now.readings,
        otherwise=BETTER.format(spent=spent_words(best, plan.readers)) if better else "",
    )


def overlap_words(plan: Plan, share: float, readers: int) -> str:
    """What it costs; "" where the size is not known.

    >>> overlap_words(Plan("simple_random", ["accuracy"], budget=200), 0.1, 3)
    '12 to 28 items more for each other person, about 3 min'
    """
    most = plan.budget or plan.planned
    if not most:
        return ""
    low, high = likely(share, most)
    each = "the other person" if readers == ONE + 1 else "each other person"
    time = about_minutes(share * most * SECONDS_AN_ITEM)
    return OTHERS.format(low=low, high=high, each=each, time=time)


def with_repeats(plan: Plan) -> Plan:
    """The plan with the share that one person judges a second time; nothing where others do."""
    if plan.overlap:
        return plan
    share = float(ask("repeats"))
    st.caption(f"{WHY} {repeats_words(plan, share)}")
    return replace(plan, repeats=share) if share else plan


def repeats_words(plan: Plan, share: float) -> str:
    """What the choice costs."""
    if not share:
        return NONE
    most = plan.budget or plan.planned
    low, high = likely(share, most or 0)
    time = about_minutes(share * (most or 0) * SECONDS_AN_ITEM)
    more = MORE.format(low=low, high=high, time=time)
    return SOME.format(spacing=SPACING, share=f"about {SHARES[share]}", more=more if most else "")


def likely(share: float, items: int) -> tuple[int, int]:
    """How many of ``items`` come again 19 times in 20: each does by itself with chance ``share``
    (two standard deviations of the binomial around its mean).

    >>> likely(0.2, 60), likely(0.05, 40)
    ((6, 18), (0, 5))
    """
    mean, spread = share * items, 2 * sqrt(items * share * (1 - share))
    return max(round(mean - spread), 0), min(round(mean + spread), items)
