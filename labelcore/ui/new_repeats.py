"""New project, step 4: how many items are judged a second time, by whom, and why."""

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

WHY = (
    "One person's answers are not always right. How often a second answer to the same item "
    "differs shows how many answers may be mistakes, and how far that moves the figures."
)
NONE = "Until then the figures are agreement with your judgement. You can still ask at the end."
SOME = (
    "Items drawn at random come again, at least {spacing} items later or at the end, and are not "
    "marked: {share} of the items asked{more}. They do not count towards the labels above."
)
OTHERS = (
    "Items drawn at random go to another person as well, who is not told of your answer: {share} "
    "of the items asked{more}. They do not count towards the labels above. Where the two answers "
    "differ, the page Review asks which one counts, and the figures for the settled judgement have "
    "intervals of their own. The second person opens this project in another browser."
)
MORE = ", most likely {low:,} to {high:,} here, {time}"


def with_repeats(plan: Plan) -> Plan:
    """The plan with the share that was chosen."""
    share = float(ask("repeats"))
    others = bool(share) and ask("repeats_by") == "other"
    st.caption(f"{WHY} {said(plan, share, others=others)}")
    if not share:
        return plan
    return replace(plan, overlap=share) if others else replace(plan, repeats=share)


def said(plan: Plan, share: float, *, others: bool = False) -> str:
    """What the choice costs."""
    if not share:
        return NONE
    most = plan.budget or plan.planned
    low, high = likely(share, most or 0)
    time = about_minutes(share * (most or 0) * SECONDS_AN_ITEM)
    more = MORE.format(low=low, high=high, time=time)
    if others:
        return OTHERS.format(share=f"about {SHARES[share]}", more=more if most else "")
    return SOME.format(spacing=SPACING, share=f"about {SHARES[share]}", more=more if most else "")


def likely(share: float, items: int) -> tuple[int, int]:
    """How many of ``items`` come again 19 times in 20: each does by itself with chance ``share``
    (two standard deviations of the binomial around its mean).

    >>> likely(0.2, 60), likely(0.05, 40)
    ((6, 18), (0, 5))
    """
    mean, spread = share * items, 2 * sqrt(items * share * (1 - share))
    return max(round(mean - spread), 0), min(round(mean + spread), items)
