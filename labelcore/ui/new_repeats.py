"""New project: how many people judge, and how many items are judged a second time."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import streamlit as st

from labelcore.log.repeats import SPACING
from labelcore.plan.plan import Plan
from labelcore.ui.asking import ask
from labelcore.ui.facts import SECONDS_AN_ITEM
from labelcore.ui.fields import SHARES
from labelcore.ui.times import about_minutes

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


def with_overlap(plan: Plan) -> Plan:
    """The plan with the people who judge, and the share of the items that all of them do."""
    readers = int(ask("readers"))
    if readers == ONE:
        return plan
    share = float(ask("overlap"))
    if words := overlap_words(plan, share, readers):
        st.caption(words)
    return replace(plan, overlap=share, readers=readers)


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
    st.caption(f"{WHY} {said(plan, share)}")
    return replace(plan, repeats=share) if share else plan


def said(plan: Plan, share: float) -> str:
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
