"""A cut of the ranked list that a person moves: by a slider, by rank or by score."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore import words
from labelcore.charts import READINGS
from labelcore.cuts import Cut, rank_of_score
from labelcore.estimation import headline_stage
from labelcore.results import Band
from labelcore.session import Session
from labelcore.ui.guard import sentence
from labelcore.ui.new_number import within
from labelcore.ui.plain import plain

FIRST_CUT = 0.1


class CutKeys:
    """The widgets' keys on one file: another project's cut does not fit its list."""

    def __init__(self, session: Session) -> None:
        self.n_items = len(session.population)
        end = session.population.fingerprint[:12]
        self.slider, self.rank, self.score = (
            f"cut-{name}-{end}" for name in ("slider", "rank", "score")
        )

    def begin(self) -> None:
        """The first cut, a tenth of the list; later the person's own."""
        first = max(1, round(FIRST_CUT * self.n_items))
        st.session_state.setdefault(self.rank, first)
        st.session_state.setdefault(self.slider, first)

    def set_rank(self, rank: int) -> None:
        st.session_state[self.rank] = rank
        st.session_state[self.slider] = rank


def choose_cut(session: Session) -> int | None:
    """The rank of the cut; None while the number typed is out of bounds."""
    keys = CutKeys(session)
    keys.begin()
    if keys.n_items > 1:
        st.slider(
            "Cut after so many items",
            1,
            keys.n_items,
            step=1,
            key=keys.slider,
            on_change=_slid,
            args=(keys,),
        )
    left, right = st.columns(2)
    with left:
        rank = st.number_input("... or type how many", step=1, key=keys.rank, on_change=_typed,
                               args=(keys,))  # fmt: skip
    with right:
        st.number_input(
            "... or the score of the last one",
            value=None,
            step=0.05,
            format="%g",
            key=keys.score,
            placeholder="a score",
            on_change=_scored,
            args=(session, keys),
        )
    if not within(rank, 1, keys.n_items):
        return None
    show_fault(keys)
    return int(rank)


def show_fault(keys: CutKeys) -> None:
    """Why the score typed last moved nothing."""
    fault = st.session_state.get(f"{keys.score}-fault")
    if fault:
        st.info(plain(fault))


def _slid(keys: CutKeys) -> None:
    st.session_state[keys.rank] = st.session_state[keys.slider]
    _forget_score(keys)


def _typed(keys: CutKeys) -> None:
    rank = st.session_state[keys.rank]
    if rank is not None and 1 <= rank <= keys.n_items:
        keys.set_rank(int(rank))
    _forget_score(keys)


def _forget_score(keys: CutKeys) -> None:
    st.session_state[keys.score] = None
    st.session_state.pop(f"{keys.score}-fault", None)


def _scored(session: Session, keys: CutKeys) -> None:
    score = st.session_state[keys.score]
    st.session_state.pop(f"{keys.score}-fault", None)
    if score is None:
        return
    try:
        rank = rank_of_score(headline_stage(session.engine), float(score))
    except ValueError as error:
        st.session_state[f"{keys.score}-fault"] = sentence(error)
        return
    if rank == 0:
        st.session_state[f"{keys.score}-fault"] = (
            f"No item has a score of {words.score_words(score)} or better."
        )
        return
    keys.set_rank(rank)


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
    value = float(band.value[0])
    if value != value:
        return "unknown"
    if band.has_interval and band.confidence is None:
        return "none by this method"
    return READINGS[name].number(value)


def ends(name: str, band: Band) -> tuple[str, str]:
    """Both bounds in words; empty where there are none."""
    if not band.has_interval or band.low[0] != band.low[0]:
        return "", ""
    return READINGS[name].span(float(band.low[0]), float(band.high[0]))
