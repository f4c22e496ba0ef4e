"""Explore's first screenful: the picture with the cut in it, two sentences and six rows, drawn from
one state by one component."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from labelcore.charts.cut_picture import CutPicture, window
from labelcore.charts.design import SERIES, both
from labelcore.charts.rank import rank_words
from labelcore.charts.readings import READINGS
from labelcore.designs.curves import Curve
from labelcore.results.curves import Band, Cut
from labelcore.session.session import Session
from labelcore.ui.curve_view import ranked_by
from labelcore.ui.cutting import (
    NEEDS,
    VIEWS,
    Looking,
    barely,
    own_cut_of,
    required_precision,
    sure_cut,
    view_of,
)
from labelcore.ui.plain import one_line
from labelcore.ui.scripts import Script, constants, text_of
from labelcore.words import sentences as words
from labelcore.words.curves import band_terms, cut_facts, found_by, keep_words

KEEP, NOTHING_YET = "keep the first {rank:,}", "nothing is sure yet"
NONE = "the lower end of the band is below that at every rank"
ONLY = "only the first {items} so far"
BY = "by the score of {name}"
HEADS = ("I need", "keep the first", "score", "right ones")
FIRST, ALL = "first {last:,} of {n_items:,}", "all {n_items:,}"
NOT_SURE = "Not sure to be {need:g} % right."
ALIKE = "All scores are equal: the order is chance, and no cut of the score is better than another."
KEYS = "Keys: left and right move the cut, up and down what you need; K and N to type."
ROLES = ("ink", "quiet", "rule", "empty", "band", "ground", "border")
STYLE = f".explore {{ {both(*SERIES, *ROLES)} }}\n" + text_of("explore.css")
SCRIPT = Script(text_of("nodes.js") + constants(STYLE=STYLE) + text_of("explore.js"))


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_explore", js=SCRIPT.module)


def show_screen(session: Session, curve: Curve, refused: str) -> Cut:
    """Draw it; the cut that is looked at. ``refused``: why no place may be searched for along this
    curve, "" if one may."""
    looking = Looking(session)
    cut = session.cut(looking.cut)
    sure = None if refused else sure_cut(session)
    key = f"explore-screen-{session.population.fingerprint[:12]}"

    def asked() -> None:
        looking.take(st.session_state[key]["asked"])

    _component()(
        key=key,
        data=screen(session, curve, cut, sure, refused),
        on_asked_change=asked,
        height="content",
    )
    return cut


def screen(
    session: Session, curve: Curve, cut: Cut, sure: Cut | None, refused: str
) -> dict[str, Any]:
    """What is drawn and said, as the script takes it."""
    looking, n_items = Looking(session), len(session.population)
    view, need, own = view_of(curve.names), required_precision(), own_cut_of(session)
    found = _rows(session) if not refused else []
    deepest = max([rank for rank, _ in found if rank], default=None)
    last = n_items if looking.whole else window((own, deepest), n_items)
    last = n_items if cut.rank > last else last
    band = session.band(view, curve)
    picture = CutPicture(
        band,
        cut.readings.get(view),
        last,
        cut.rank,
        own,
        need if view == "precision" else None,
        sure.rank if sure and not barely(sure) else None,
    )
    precision = session.band("precision", curve)
    able = (NEEDS[place] for place in range(len(NEEDS)))
    return {
        "picture": picture.node(rank_words(band, cut.rank)),
        "places": picture.places(),
        "views": [[name, READINGS[name].label] for name in VIEWS if name in curve.names],
        "view": view,
        "of": BY.format(name=one_line(ranked_by(session) or "", 20)),
        "range": (ALL if last == n_items else FIRST).format(last=last, n_items=n_items),
        "items": n_items,
        "cut": cut.rank,
        "whole": looking.whole,
        "press": looking.press,
        "need": f"{100 * need:g}",
        "needs": [f"{one:g}" for one in NEEDS],
        "keep": [keep_words(cut), _about(cut, sure, refused, precision)],
        "sure": _sure_words(sure, refused, precision),
        "pick": sure.rank if sure and not barely(sure) else 0,
        "heads": list(HEADS),
        "rows": [[f"{one:g}", *texts] for one, (_, texts) in zip(able, found, strict=False)],
        "fault": looking.fault or (ALIKE if all_alike(session) else ""),
        "terms": [one for one in (band_terms(precision), KEYS) if one],
    }


def all_alike(session: Session) -> bool:
    """Whether one score is all that the list has."""
    first, last = session.engine.rank_of.scores([1, len(session.population)]).tolist()
    return bool(first == last) and len(session.population) > 1


def _about(cut: Cut, sure: Cut | None, refused: str, band: Band) -> str:
    """Where the cut lies, and that it is not sure to keep what is needed."""
    facts = cut_facts(cut)
    known = found_by(cut) is not None and not refused
    low = cut.readings["precision"].low[0] if "precision" in cut.readings else 0.0
    if known and low < required_precision() and (sure is None or sure.rank < cut.rank):
        return f"{facts}. {NOT_SURE.format(need=100 * required_precision())}"
    return facts


def _sure_words(sure: Cut | None, refused: str, band: Band) -> list[str]:
    """How many to keep for what is needed, and what is known of them."""
    if refused:
        return ["each cut by itself", refused]
    if sure is None:
        waits = band.missing if not band.has_interval else NONE
        return [NOTHING_YET, waits]
    if barely(sure):
        return [NOTHING_YET, ONLY.format(items=words.count(sure.rank, "item"))]
    return [KEEP.format(rank=sure.rank), cut_facts(sure, least=True)]


def _rows(session: Session) -> list[tuple[int, list[str]]]:
    """For each of the six needs the deepest cut that surely keeps it: its rank and its texts."""
    found = []
    for need in NEEDS:
        cut = sure_cut(session, need / 100)
        if cut is None or barely(cut):
            found.append((0, ["none yet", "", ""]))
            continue
        hits = found_by(cut)
        least = "" if hits is None else f"{hits[0]:,} or more"
        found.append((cut.rank, [f"{cut.rank:,}", words.score_words(cut.score), least]))
    return found
