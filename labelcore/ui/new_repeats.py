"""New project, step 4: how many items are shown a second time, and why."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from labelcore import words
from labelcore.plan import Plan
from labelcore.repeats import SPACING
from labelcore.ui.facts import SECONDS_AN_ITEM
from labelcore.ui.times import minutes

SHARES = {0.0: "None", 0.05: "1 in 20", 0.1: "1 in 10", 0.2: "1 in 5"}
WHY = (
    "One person's answers are not always the truth. How often the second answer to an item is "
    "another one shows how many answers may be mistakes, and how far that moves the figures."
)
NONE = "Until then the figures are agreement with your judgement. You can still ask at the end."
SOME = (
    "Items drawn at random come again, at least {spacing} items later or at the end, and are not "
    "marked as known: about {more} more to judge, {time}. They are no part of the labels above."
)


def with_repeats(plan: Plan) -> Plan:
    """The plan with the share that was chosen."""
    share = float(
        st.segmented_control(
            "Show some items a second time?",
            list(SHARES),
            default=0.0,
            required=True,
            format_func=SHARES.get,
            key="new-repeats",
            persist_state="session",
        )
    )
    st.caption(f"{WHY} {said(plan, share)}")
    return replace(plan, repeats=share) if share else plan


def said(plan: Plan, share: float) -> str:
    """What the choice costs."""
    if not share:
        return NONE
    most = plan.budget or plan.planned
    if most is None:
        return SOME.format(spacing=SPACING, more=f"{100 * share:.0f} %", time="in all")
    more = max(round(share * most), 1)
    return SOME.format(
        spacing=SPACING, more=words.count(more, "item"), time=minutes(more * SECONDS_AN_ITEM)
    )
