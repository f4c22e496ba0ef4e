"""New project, step 4: what the labels are for, a number of them, a margin or claims."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.designs import Design
from labelcore.estimands import CHOICES, CURVES, SUMMARIES
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.ui import draft
from labelcore.ui.draft import Aim
from labelcore.ui.new_claims import claims_input
from labelcore.ui.new_known import known_number
from labelcore.ui.new_number import outside, within

BUDGET, MARGIN, CLAIMS = "Labels", "± points", "A claim"
FIRST_BUDGET = 200
HALF_BAND = "Plus or minus this many points, at the rank where the band is widest"
SLIDER, HANDED_OVER = "new-slider", "new-handed-over"
STOPS = tuple(
    round(digit * 10**power)
    for power in range(1, 7)
    for digit in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
)
"""Numbers of labels that a slider stops at."""
WAY, RANKED_WAY, POINTS = "new-way", "new-way-ranked", "new-margin"
LOWEST, HIGHEST, FIRST_POINTS = 0.1, 49, 5.0
PROMISE, CONFIDENCE, ALL_AT_ONCE = "new-promise", "new-confidence", "new-together"
FIRST_CONFIDENCE = 0.95
SEED, FIRST_SEED = "new-seed", "new-first-seed"


@dataclass(frozen=True)
class Goal:
    """What the labels are for: one of a number of items, a margin, claims; claims with a cap."""

    budget: int | None = None
    margin: float | None = None
    claims: tuple[str, ...] = ()


def show_goal(aim: Aim, population: Population) -> None:
    """Let the inputs show the goal that was handed over, if there is one."""
    begun = draft.waiting(aim.file)
    way = begun.way
    if begun.budget is not None:
        way = BUDGET
        st.session_state[HANDED_OVER] = begun.budget
    if begun.margin is not None:
        way = MARGIN
    draft.fill(RANKED_WAY, aim.file, "way", way)
    draft.fill(WAY, aim.file, "way", way)
    points = None if begun.margin is None else 100 * begun.margin
    draft.fill(POINTS, aim.file, "margin", points)
    draft.fill(budget_key(population, aim), aim.file, "budget", begun.budget)


def goal_so_far(aim: Aim, population: Population, *, claims: bool) -> dict[str, Any]:
    """The goal by what its inputs show, before they stand on the page: a method is proposed for
    it."""
    if st.session_state.get(way_key(claims=claims), BUDGET) == MARGIN:
        points = st.session_state.get(POINTS)
        points = points if points and LOWEST <= points <= HIGHEST else FIRST_POINTS
        return {"margin": points / 100}
    size = max(len(population) - known_number(population), 1)
    budget = st.session_state.get(budget_key(population, aim)) or FIRST_BUDGET
    return {"budget": int(min(max(budget, 1), size))}


def terms_so_far(aim: Aim) -> dict[str, Any]:
    """How sure, with which promise and for which classes, by what those inputs show before they
    stand on the page: methods are compared on these terms."""
    seen = st.session_state
    return {
        "promise": Promise.WATCHED if to_be_shown() else seen.get(PROMISE) or Promise.WATCHED,
        "confidence": float(seen.get(CONFIDENCE) or FIRST_CONFIDENCE),
        "together": bool(seen.get(ALL_AT_ONCE)),
        "classes": aim.classes,
    }


def seed_so_far() -> int:
    """The seed of the random draws by what its input shows, before it stands on the page: what is
    prepared of the file follows from it, and is shared by all that is foreseen."""
    first = st.session_state.setdefault(FIRST_SEED, secrets.randbelow(1_000_000))
    seed = st.session_state.get(SEED)
    return int(first if seed is None or outside(seed, 0, None) else seed)


def to_be_shown() -> bool:
    """Whether it is started from claims."""
    return bool(st.session_state.get(WAY) == CLAIMS)


def way_key(*, claims: bool) -> str:
    return WAY if claims else RANKED_WAY


def budget_key(population: Population, aim: Aim, first: int = FIRST_BUDGET) -> str:
    """The key of the number of labels; that of a ranked list starts from what the file needs."""
    size = len(population) - known_number(population)
    return f"new-budget-{size}" + (f"-{first}" if along_ranks(aim) else "")


def along_ranks(aim: Aim) -> bool:
    """Whether the aim is a curve or a number of a whole ranked list."""
    return any(name in CURVES or name in SUMMARIES for name in aim.estimands)


def choose_way(aim: Aim, *, claims: bool) -> str:
    """What the person starts from: a number of labels, a margin, or something to be shown. A choice
    has no margin."""
    if set(aim.estimands) <= set(CHOICES):
        return BUDGET
    return str(
        st.segmented_control(
            "Start from",
            [BUDGET, MARGIN, *([CLAIMS] if claims else [])],
            default=BUDGET,
            required=True,
            key=way_key(claims=claims),
            persist_state="session",
            label_visibility="collapsed",
        )
    )


def how_much(
    way: str, population: Population, least: int, aim: Aim, more: DeltaGenerator
) -> Goal | None:
    """A budget, whose exact number stands in ``more``, or a margin; None while the number is out of
    bounds."""
    size, curve = len(population) - known_number(population), along_ranks(aim)
    if way == BUDGET:
        first = min(max(FIRST_BUDGET, least), size)
        key = budget_key(population, aim, first)
        if HANDED_OVER in st.session_state:
            st.session_state[key] = st.session_state.pop(HANDED_OVER)
        budget = more.number_input(
            "Exactly this many labels",
            value=first,
            key=key,
            persist_state="session",
        )
        if least > 1:
            more.caption(f"This method needs at least {least:,} labels on this file.")
        return Goal(budget=int(budget)) if within(budget, least, size) else None
    points = st.number_input(
        HALF_BAND if curve else "Plus or minus this many percentage points",
        value=FIRST_POINTS,
        step=0.5,
        key=POINTS,
        persist_state="session",
    )
    return Goal(margin=float(points) / 100) if within(points, LOWEST, HIGHEST) else None


def slider(budget: int, low: int, high: int, key: str, say: Callable[[int], str]) -> None:
    """The number of labels on a slider, from ``low`` to ``high``, each stop with what ``say`` says;
    ``key`` that of the input of the exact number."""
    stops = sorted({*(n for n in STOPS if low < n < high), low, budget, high})
    st.session_state[SLIDER] = budget
    st.select_slider(
        "Fewer labels, or a tighter answer",
        stops,
        key=SLIDER,
        format_func=say,
        on_change=_slid,
        label_visibility="collapsed",
        args=(key,),
    )


def _slid(key: str) -> None:
    st.session_state[key] = st.session_state[SLIDER]


def claimed(aim: Aim, population: Population, design: Design[Any]) -> Goal | None:
    """The claims, and the most labels that may be spent on them."""
    found = claims_input(aim, population)
    most = st.number_input(
        "At most this many labels (empty: no limit)",
        value=None,
        step=1,
        key=f"new-most-{len(population)}",
        persist_state="session",
    )
    least = min(design.smallest_watched_budget, len(population))
    if not within(most, least, len(population)) or found is None:
        return None
    return Goal(budget=None if most is None else int(most), claims=found)
