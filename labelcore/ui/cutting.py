"""One state of Explore: how many first items are looked at, and the precision that is needed.

Any cut may be looked at: it is told by a band that holds for all cuts together. What is to be kept
for a precision is read off the low end of that band alone. Who reads it off the estimated line is
below it in about half of all sessions.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from labelcore.charts.readings import READINGS
from labelcore.figures.cuts import own_cut, rank_of_score
from labelcore.figures.scalars import headline_stage
from labelcore.promises import State
from labelcore.results.curves import Band, Cut
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.ui.curve_view import ranked_by
from labelcore.ui.presses import sentence
from labelcore.words import sentences as words

NEED, VIEW, SENT = "explore-need", "explore-view", "explore-sent"
NEEDS = (99.0, 95.0, 90.0, 80.0, 70.0, 50.0)
FIRST_NEED = 90.0
VIEWS = ("precision", "recall")
TERMS = ("confidence", "promise", "state", "form", "scope", "labels_used", "tentative")
SHALLOW = 10
"""Fewer first items than these are no cut that anybody asks for."""
NOT_A_NUMBER = "Type a number of items, or a score such as 0.83; got {text!r}."
NOT_IN_LIST = "The list has {items}: keep 1 to {n_items:,} of them, not {rank:,}."
NOT_A_SHARE = "What is needed is a number from 0.1 to 100 per cent, got {text!r}."
NO_SUCH_SCORE = "No item has a score of {score} or better."
ITEMS, SCORE = (
    re.compile(r"\d[\d,]*"),
    re.compile(r"(?:>=?|≥)?\s*([-+]?[\d.]+(?:e[-+]?\d+)?)", re.I),
)


def own_cut_of(session: Session) -> int | None:
    """How many items the classifier that the list is ranked by calls positive."""
    return own_cut(session.population, ranked_by(session))


def own_figures(session: Session, cut: Cut) -> tuple[Cut, bool]:
    """A classifier's own cut as the figures about that classifier tell it, and whether they are a
    first guess. Any other cut, and one of a plan that asks for the curve, is told by its band."""
    if cut.rank != own_cut_of(session) or session.plan.along_ranks:
        return cut, False
    row = ranked_by(session), None
    known = {cell.figure: cell for cell in session.table(()).cells if cell.row == row}
    readings = {
        name: _told(band, known[name].estimate)
        for name, band in cut.readings.items()
        if name in known and known[name].estimate.has_interval
    }
    if "precision" in readings and "yield" in cut.readings:
        right = known["precision"].estimate
        readings["yield"] = _told(cut.readings["yield"], right, cut.rank)
    guess = "precision" in readings and not known["precision"].asked
    return replace(cut, readings={**cut.readings, **readings}), guess


def _told(band: Band, figure: Estimate, items: int = 1) -> Band:
    """A band of one point by a figure of the same items, a share of so many."""
    known = np.nan if figure.value is None else figure.value
    value, low, high = (np.array([items * share]) for share in (known, figure.low, figure.high))
    terms = {name: getattr(figure, name) for name in TERMS}
    return replace(band, value=value, low=low, high=high, simultaneous=False, **terms)


def required_precision() -> float:
    """What a cut has to keep."""
    return float(st.session_state.get(NEED, FIRST_NEED)) / 100


def sure_cut(session: Session, precision: float | None = None) -> Cut | None:
    """The first items that are sure to keep what is required, be they few; None where none are, or
    the method gives each rank bounds of its own."""
    try:
        return session.deepest_cut(required_precision() if precision is None else precision)
    except ValueError:
        return None


def barely(cut: Cut) -> bool:
    """Whether a cut says little: a few items, of a list that is not settled."""
    known = cut.readings.get("precision")
    settled = known is not None and known.state == State.EXACT
    return cut.rank < min(SHALLOW, cut.n_items) and not settled


@dataclass(frozen=True, slots=True)
class Looking:
    """What a person looks at in one project's list, kept until the tab is closed.

    Another list has another cut; the precision that is needed stays.
    """

    session: Session

    @property
    def cut(self) -> int:
        """The first items looked at: at first those that the classifier's own cut keeps, else those
        that are sure, else a tenth."""
        kept = st.session_state.get(self._at("cut"))
        if kept:
            return int(kept)
        rank = own_cut_of(self.session)
        if rank:
            return rank
        sure = sure_cut(self.session)
        return (
            sure.rank if sure and not barely(sure) else max(len(self.session.population) // 10, 1)
        )

    @property
    def whole(self) -> bool:
        """Whether the picture shows the whole list."""
        return bool(st.session_state.get(self._at("whole")))

    @property
    def fault(self) -> str:
        """Why the last wish was not followed; "" where it was."""
        return str(st.session_state.get(self._at("fault"), ""))

    @property
    def press(self) -> float:
        """The number of the last message that was followed."""
        return float(st.session_state.get(SENT, 0))

    def take(self, asked: Mapping[str, Any] | None) -> None:
        """All that is wished now. A page that redraws itself may deliver one message twice."""
        if not asked or asked["press"] == self.press:
            return
        st.session_state[SENT] = asked["press"]
        st.session_state.pop(self._at("fault"), None)
        st.session_state[self._at("whole")] = bool(asked["whole"])
        if asked["view"] in VIEWS:
            st.session_state[VIEW] = asked["view"]
        try:
            st.session_state[NEED] = typed_share(str(asked["need"]).strip())
            st.session_state[self._at("cut")] = typed_rank(self.session, str(asked["cut"]).strip())
        except ValueError as error:
            st.session_state[self._at("fault")] = sentence(error)

    def _at(self, name: str) -> str:
        return f"explore-{name}-{self.session.population.fingerprint[:12]}"


def typed_rank(session: Session, text: str) -> int:
    """The cut that was typed: a number of items or, with a point or a sign before it, a score.
    Raises ValueError for anything else."""
    n_items = len(session.population)
    if ITEMS.fullmatch(text):
        rank = int(text.replace(",", ""))
        if not 1 <= rank <= n_items:
            items = words.count(n_items, "item")
            raise ValueError(NOT_IN_LIST.format(items=items, n_items=n_items, rank=rank))
        return rank
    match = SCORE.fullmatch(text)
    try:
        score = float(match[1]) if match else None
    except ValueError:
        score = None
    if score is None:
        raise ValueError(NOT_A_NUMBER.format(text=text[:20]))
    rank = rank_of_score(headline_stage(session.engine), score)
    if rank == 0:
        raise ValueError(NO_SUCH_SCORE.format(score=words.score_words(score)))
    return rank


def typed_share(text: str) -> float:
    """The per cent that were typed. Raises ValueError for what is no share.

    >>> typed_share("90"), typed_share("92.5 %")
    (90.0, 92.5)
    """
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = float("nan")
    if not 0.1 <= percent <= 100:
        raise ValueError(NOT_A_SHARE.format(text=text[:20]))
    return percent


def view_of(names: tuple[str, ...]) -> str:
    """The reading that is drawn, of those that the curve has."""
    wanted = st.session_state.get(VIEW, VIEWS[0])
    return wanted if wanted in names else next(name for name in READINGS if name in names)
