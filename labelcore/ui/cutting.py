"""A cut of the ranked list that a person moves: by picture, by slider, by rank or by score.

Only first items that are sure to keep the precision that is required can be chosen, by the low end
of a band that holds for all ranks together. Who reads a cut off the estimated line is below it in
about half of all sessions.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.charts.readings import READINGS
from labelcore.figures.cuts import own_cut, rank_of_score
from labelcore.figures.scalars import headline_stage
from labelcore.results.curves import Band, Cut
from labelcore.session.session import Session
from labelcore.ui.new_number import within
from labelcore.ui.plain import plain
from labelcore.ui.pointing import HINT, watch_pointer
from labelcore.ui.presses import sentence
from labelcore.words import sentences as words

REQUIRED, FIRST_REQUIRED = "explore-required", 90.0
NARROW = 130
NOT_SURE = "The first {rank:,} are not sure to keep {precision}: at least {low} so far."


def own_cut_of(session: Session) -> int | None:
    """How many items the classifier that the list is ranked by calls positive."""
    first = next(iter((*session.plan.classifiers, *session.population.classifiers)), None)
    return own_cut(session.population, first)


def required_precision() -> float:
    """What a cut has to keep, as its input shows it or last showed it."""
    percent = st.session_state.get(REQUIRED)
    return (percent if percent and 0.1 <= percent <= 100 else FIRST_REQUIRED) / 100


def sure_cut(session: Session, rank: int | None = None) -> int | None:
    """How many of the first items, up to ``rank`` of them, are sure to keep what is required; None
    where none are, or the method gives each rank bounds of its own."""
    try:
        cut = session.deepest_cut(required_precision(), rank)
    except ValueError:
        return None
    return None if cut is None else cut.rank


class CutKeys:
    """Where the cut of one file is kept, and the keys of the widgets that move it.

    When one way has moved the cut, the widgets of the others are made anew under new keys. Written
    to instead, a field may drop what is typed into it right afterwards. A page that redraws itself
    may still send what a former widget showed: that is nobody's.
    """

    WAYS = ("slider", "rank", "score")

    def __init__(self, session: Session) -> None:
        self.session = session
        self.n_items = len(session.population)
        # Another project's cut does not fit its list.
        self.end = session.population.fingerprint[:12]
        self.pointer = f"cut-pointer-{self.end}"

    @property
    def rank(self) -> int | None:
        """The cut; at first the classifier's own where that is sure, else the deepest that is;
        later the person's own, as far as it still is. None where none is."""
        wanted = st.session_state.get(self._wanted) or own_cut_of(self.session) or self.n_items
        return sure_cut(self.session, int(wanted)) or sure_cut(self.session)

    @property
    def _wanted(self) -> str:
        return f"cut-{self.end}"

    def key(self, way: str) -> str:
        return f"cut-{way}-{self.end}-{st.session_state.get(f'cut-turn-{way}-{self.end}', 0)}"

    def sent(self, way: str, key: str) -> float | None:
        """What the widget shows; None from one that has been replaced."""
        return st.session_state.get(key) if key == self.key(way) else None

    def begin(self, rank: int) -> None:
        """The widgets start with the cut; those that show another rank are replaced."""
        for way in ("slider", "rank"):
            shown = st.session_state.get(self.key(way))
            if shown is not None and shown != rank and 1 <= shown <= self.n_items:
                self._replace(way)
            st.session_state.setdefault(self.key(way), rank)

    def move(self, rank: int, by: str) -> None:
        """The cut goes to ``rank``, or to as many of these as are sure; ``by`` is the way that
        keeps its widget as it is."""
        found = sure_cut(self.session, rank)
        for way in self.WAYS:
            if way != by or found != rank:
                self._replace(way)
        st.session_state.pop(self.fault, None)
        if found is not None:
            st.session_state[self._wanted] = found
        if found != rank:
            st.session_state[self.fault] = not_sure(self.session, rank)

    def _replace(self, way: str) -> None:
        turn = f"cut-turn-{way}-{self.end}"
        st.session_state[turn] = st.session_state.get(turn, 0) + 1

    @property
    def fault(self) -> str:
        """Where it is kept why the cut was not moved as it was wished."""
        return f"cut-fault-{self.end}"


def not_sure(session: Session, rank: int) -> str:
    """Why the first ``rank`` items cannot be chosen."""
    band = session.cut(rank).readings.get("precision")
    known = band is not None and band.has_interval and not np.isnan(band.low[0])
    ends = (float(band.low[0]), float(band.high[0])) if band is not None and known else (0.0, 1.0)
    precision = words.exact_percent(required_precision())
    return NOT_SURE.format(rank=rank, precision=precision, low=words.percent_range(*ends)[0])


def choose_cut(session: Session) -> int | None:
    """The rank of the cut, one that is sure to keep what is required; None where none is, or while
    a number typed is out of bounds."""
    keys = CutKeys(session)
    here = keys.rank
    if here is not None:
        keys.begin(here)
    if here is not None and keys.n_items > 1:
        st.slider(
            "Cut after this many items",
            1,
            keys.n_items,
            step=1,
            key=keys.key("slider"),
            on_change=_slid,
            args=(keys, keys.key("slider")),
        )
    with st.container(horizontal=True, key="cut-numbers"):
        left, middle, right = (st.container(width="content") for _ in range(3))
    with left:
        percent = st.number_input(
            "I need at least, in %", step=5.0, format="%g", key=REQUIRED, width=NARROW
        )
    if not within(percent, 0.1, 100) or here is None:
        return None
    with middle:
        rank = st.number_input(
            "Keep the first",
            step=1,
            key=keys.key("rank"),
            width=NARROW,
            on_change=_typed,
            args=(keys, keys.key("rank")),
        )
    with right:
        st.number_input(
            "... or down to the score",
            value=None,
            step=0.05,
            format="%g",
            key=keys.key("score"),
            placeholder="a score",
            width=NARROW,
            on_change=_scored,
            args=(session, keys, keys.key("score")),
        )
    if not within(rank, 1, keys.n_items):
        return None
    if fault := st.session_state.get(keys.fault):
        st.info(plain(fault))
    return here


def cut_in_picture(session: Session, rank: int | None) -> None:
    """Let the cut be moved in the chart drawn before, as deep as is sure."""
    keys, deepest = CutKeys(session), sure_cut(session)
    if deepest is not None:
        st.caption(HINT)
    watch_pointer(keys.pointer, deepest or 0, rank, partial(keys.move, by="pointer"))


def _slid(keys: CutKeys, key: str) -> None:
    rank = keys.sent("slider", key)
    if rank is not None:
        keys.move(int(rank), "slider")


def _typed(keys: CutKeys, key: str) -> None:
    rank = keys.sent("rank", key)
    if rank is not None and 1 <= rank <= keys.n_items:
        keys.move(int(rank), "rank")


def _scored(session: Session, keys: CutKeys, key: str) -> None:
    score = keys.sent("score", key)
    st.session_state.pop(keys.fault, None)
    if score is None:
        return
    try:
        rank = rank_of_score(headline_stage(session.engine), float(score))
    except ValueError as error:
        st.session_state[keys.fault] = sentence(error)
        return
    if rank == 0:
        st.session_state[keys.fault] = (
            f"No item has a score of {words.score_words(score)} or better."
        )
        return
    keys.move(rank, "score")


def show_cut(cut: Cut) -> None:
    """The sentence of a cut, and its readings as a table."""
    with st.container(key="sentence"):
        st.text(cut.sentence())
    if cut.readings:
        st.dataframe(cut_table(cut), hide_index=True, key="cut-table")


def cut_table(cut: Cut) -> pd.DataFrame:
    """The readings of a cut as people read them."""
    rows = []
    for name, band in cut.readings.items():
        low, high = ends(name, band)
        rows.append(
            {
                "reading": READINGS[name].label,
                "estimate": estimate_words(name, band),
                "at least": low,
                "at most": high,
            }
        )
    return pd.DataFrame(rows, columns=["reading", "estimate", "at least", "at most"])


def estimate_words(name: str, band: Band) -> str:
    """The estimate of a band of one point; the midpoint of bounds without confidence is none."""
    if np.isnan(band.value[0]):
        return "unknown"
    if band.has_interval and band.confidence is None:
        return "none by this method"
    value = float(band.told[0])
    if np.isnan(value):
        return "not yet"
    width = float(band.high[0] - band.low[0]) if band.has_interval else 1.0
    return READINGS[name].number(value, width)


def ends(name: str, band: Band) -> tuple[str, str]:
    """Both bounds in words; empty where there are none."""
    if not band.has_interval or band.low[0] != band.low[0]:
        return "", ""
    return READINGS[name].span(float(band.low[0]), float(band.high[0]))
