"""New project, step 4: what ends the session, and whether several numbers hold together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

import streamlit as st

from labelcore.plan.stop_rules import ALL, ANY, RULES, looking, moment_words
from labelcore.planning.forecast import AtOnce
from labelcore.promises import Unsure
from labelcore.ui.new_goal import ALL_AT_ONCE
from labelcore.ui.plain import plain
from labelcore.ui.times import reader_zone
from labelcore.words import sentences as words
from labelcore.words.promises import times_planned
from labelcore.words.unsure import READINGS

HOW = {ANY: "as soon as one of these is true", ALL: "only when all of these are true"}
FIRST_HOUR = time(18)
PAST = "This moment has passed: choose a later one to continue."
TOGETHER = {False: "Each on its own (the first is the main one)", True: "All together"}


def stop_input(
    goals: Sequence[str],
    most: int | None,
    horizon: int | None = None,
) -> tuple[str, ...] | None:
    """The stop rules as a plan takes them; None while the deadline lies in the past.

    goals   the rules that look at the labels and that this plan has, chosen unless taken away
    most    the labels at which it ends at the latest, None where that is what is planned
    horizon   how many times the planned number a session goes on to that only a margin ends
    """
    st.markdown("What ends the session by itself?")
    chosen = [rule for rule in (*goals, "deadline") if _wanted(rule, rule in goals)]
    rules = []
    for rule in chosen:
        if rule == "deadline":
            moment = deadline_input()
            if moment is None:
                return None
            rules.append(f"deadline {moment.isoformat(timespec='minutes')}")
        else:
            rules.append(rule)
    how = _how(chosen) if len(rules) > 1 else ANY
    ends = most is not None and (not goals or set(goals) & set(chosen))
    latest = words.count(most) if most is not None and ends else f"{times_planned(1)} labels"
    if horizon is not None and looking(chosen) == ("margin",):
        latest = f"{times_planned(horizon)} labels"
    st.caption(
        f"At the latest it ends with {latest}. You may always continue afterwards, or finish "
        "earlier by hand."
    )
    return (ALL, *rules) if how == ALL else tuple(rules)


def _wanted(rule: str, first: bool) -> bool:
    return bool(
        st.checkbox(
            RULES[rule].choice, value=first, key=f"new-stop-{rule}", persist_state="session"
        )
    )


def _how(chosen: Sequence[str]) -> str:
    """Goals are wanted together; a deadline ends the session alone."""
    first = ANY if "deadline" in chosen else ALL
    return str(
        st.segmented_control(
            "It ends",
            list(HOW),
            default=first,
            required=True,
            format_func=HOW.__getitem__,
            key=f"new-stop-how-{first}",
            persist_state="session",
        )
    )


def deadline_input() -> datetime | None:
    """Date and time in UTC; None, with a sentence, for a moment that has passed."""
    now = datetime.now(UTC)
    tomorrow = st.session_state.setdefault("new-first-day", (now + timedelta(days=1)).date())
    with st.container(horizontal=True):
        day = st.date_input(
            "Date (UTC)", tomorrow, key="new-deadline-day", persist_state="session", width=190
        )
        hour = st.time_input(
            "Time (UTC)", FIRST_HOUR, key="new-deadline-hour", persist_state="session", width=190
        )
    moment = datetime.combine(day, hour, UTC)
    if moment <= now:
        st.error(PAST)
        return None
    st.caption(plain(f"On your clock: {moment_words(moment.astimezone(reader_zone()))}."))
    return moment


def unsure_input(readings: Sequence[str]) -> str:
    """What figures take items for that somebody calls unsure: one of these readings."""
    if len(readings) < 2:
        return Unsure.JUDGED
    return str(
        st.radio(
            "“Not sure” and “broken”",
            list(readings),
            format_func=lambda one: f"Figures {READINGS[one]}",
            key="new-unsure",
            persist_state="session",
        )
    )


def together_input(numbers: int, confidence: float, said: AtOnce | None) -> bool:
    """Whether the confidence is that all of so many numbers hold at once; ``said``: what that is
    expected to change."""
    if numbers < 2:
        return False
    return bool(
        st.radio(
            "Several numbers at once",
            list(TOGETHER),
            format_func=TOGETHER.__getitem__,
            captions=together_captions(numbers, confidence, said),
            key=ALL_AT_ONCE,
            persist_state="session",
        )
    )


def together_captions(numbers: int, confidence: float, said: AtOnce | None) -> tuple[str, str]:
    """What each choice means and costs.

    >>> each, every = together_captions(4, 0.95, AtOnce(4, 0.872, 1.16))
    >>> each
    'Each number is right in 95 of 100 sessions; all 4 at once in about 87.'
    >>> every
    'All 4 at once are right in 95 of 100, for about 35 % more labels or 16 % wider intervals.'
    >>> together_captions(2, 0.99, None)[0]
    'Each number is right in 99 of 100 sessions; both at once in fewer.'
    """
    sure, every = f"{100 * confidence:.3g}", "both" if numbers == 2 else f"all {numbers}"
    right, price = "fewer", "wider intervals"
    if said is not None:
        right = f"about {100 * said.right:.0f}"
        more, wider = 100 * said.wider**2 - 100, 100 * said.wider - 100
        price = f"about {more:.0f} % more labels or {wider:.0f} % wider intervals"
    return (
        f"Each number is right in {sure} of 100 sessions; {every} at once in {right}.",
        f"{every.capitalize()} at once are right in {sure} of 100, for {price}.",
    )
