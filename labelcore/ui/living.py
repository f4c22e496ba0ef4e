"""What the living picture shows of a session: its bars, its chart, its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from labelcore.charts.candidates import moving_bounds_table, moving_marks
from labelcore.charts.drawing import Ends, Numbers
from labelcore.charts.figure_bars import candidate_bar, estimate_bar, head_bar
from labelcore.charts.history import history_words, track_of
from labelcore.charts.history_table import history_rows
from labelcore.charts.living import (
    GREY,
    SHARES,
    Bar,
    along_scores,
    bars,
    difference_scale,
    over_labels,
    race,
)
from labelcore.charts.nodes import Node
from labelcore.charts.rank import rank_words
from labelcore.designs.curves import EstimatesCurve
from labelcore.figures.cuts import own_cut
from labelcore.figures.scalars import headline_stage
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import Outlook
from labelcore.population import Population
from labelcore.promises import CandidateState
from labelcore.results.curves import Band
from labelcore.results.types import Choice, Estimate
from labelcore.session.session import Session
from labelcore.ui import curve_view
from labelcore.ui.choice_view import choice_of
from labelcore.ui.claims_view import claims_of, short_words
from labelcore.ui.facts import counts, curve_first, estimand_name, main_and_other
from labelcore.ui.plain import one_line
from labelcore.ui.trying import reveals
from labelcore.words.choices import choice_short
from labelcore.words.differences import is_difference
from labelcore.words.found import own_name
from labelcore.words.short import Shown, short_head, short_sentence
from labelcore.words.unsure import odds_words

OVER_LABELS, ALONG_SCORES = "Over labels", "Along the scores"
CANDIDATES_OVER = "Bounds of each candidate's precision against labels."
NO_BOUNDS = "No bounds for the first items yet"
MOST_BARS = 4
LONGEST_NAME = 60
AHEAD_POINTS = 8


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """What one look shows.

    views     the charts that can be chosen; empty where there is none
    sentence  what is known, in at most twenty words
    grey      what a grey mark is, if there is one
    of_all    what the figure of the sentence is of all items, where that leaves the unsure ones out
    """

    bars: Node
    chart: Node | None
    views: tuple[str, ...]
    view: str
    sentence: str
    grey: str = ""
    of_all: str = ""


def picture(session: Session, wanted: str | None, figure: str | None = None) -> Picture:
    """The picture now; ``wanted`` is the view that was asked for, ``figure`` the estimate whose
    chart was, if the session has them."""
    views = _views(session)
    view = wanted if wanted in views else next(iter(views), "")
    if (choice := choice_of(session)) is not None:
        return _of_choice(session, choice)
    estimates, _ = main_and_other(session)
    heads, said = _heads(session) if curve_first(session) else ({}, "")
    shown = [head_bar(band, name) for name, band in heads.items()]
    room = max(MOST_BARS - len(shown), 0)
    asked = (one for one in estimates[:room] if one.estimand == figure)
    charted = next(asked, next(iter(estimates[:room]), None))
    truths = {one.key: one.truth for one in reveals(session)}
    pressed = OVER_LABELS in views and (len(estimates[:room]) > 1 or len(views) > 1)
    shown += [
        replace(
            bar_of(one, own_name(one)),
            truth=truths.get(one.estimand),
            key=one.estimand if pressed else "",
            shown=view == OVER_LABELS and one is charted,
        )
        for one in estimates[:room]
    ]
    scale = _scale(session, estimates)
    chart, grey = None, ""
    if view == ALONG_SCORES:
        chart, grey = _along(session)
    elif view == OVER_LABELS and charted is not None:
        chart = _over_labels(session, charted, truths.get(charted.estimand))
    other = short_words(claims_of(session)) or said
    sentence = other or short_sentence(charted or estimates[0])
    of_all = "" if other or charted is None else odds_words(charted)
    return Picture(bars(shown, scale), chart, views, view, sentence, grey, of_all)


def _views(session: Session) -> tuple[str, ...]:
    """The first one is shown until another is chosen."""
    estimates, _ = main_and_other(session)
    if choice_of(session) is not None:
        return ()
    over = (OVER_LABELS,) if estimates else ()
    if curve_first(session):
        return (ALONG_SCORES, *over)
    first = next(iter((*session.plan.classifiers, *session.population.classifiers)), None)
    able = isinstance(headline_stage(session.engine).design, EstimatesCurve)
    two = able and len(session.population.classes) == 2
    scored = two and first in session.population.scores and session.engine.frame.asked.all()
    along = scored and not session.plan.superseded and not _compares(estimates)
    return (*over, *((ALONG_SCORES,) if along else ()))


def _scale(session: Session, estimates: Sequence[Estimate]) -> Ends:
    """Shares from 0 to 100 %; differences as far as one of their intervals ever went."""
    if not _compares(estimates):
        return SHARES
    keys = [one.estimand for one in estimates]
    seen = [row for key in keys for row in history_rows(session.course(key), key)]
    return difference_scale(np.array([end for row in seen for end in (row.low, row.high)]))


def _compares(estimates: Sequence[Estimate]) -> bool:
    return any(is_difference(one.estimand) for one in estimates)


def bar_of(estimate: Shown, name: str = "") -> Bar:
    """One estimate as a bar, called as its estimand is or by a ``name`` of its own."""
    name = one_line(name or estimand_name(estimate.estimand), LONGEST_NAME)
    return estimate_bar(estimate, name)


def _heads(session: Session) -> tuple[dict[str, Band | None], str]:
    """The precision of the first tenth, the first half and all of a ranked list, and what is known
    of the first tenth in one sentence."""
    waiting = curve_view.waiting(session, session.band("precision"))
    heads = curve_view.landmarks(len(session.population))
    cuts = [] if waiting else session.cuts([rank for _, rank in heads])
    known = [one.readings.get("precision") for one in cuts] or [None] * len(heads)
    found = {name: band for (name, _), band in zip(heads, known, strict=True)}
    first = next(iter(found.values()))
    if waiting or first is None or not first.has_interval:
        said = waiting or NO_BOUNDS
        return found, f"{said[:1].upper()}{said[1:]}."
    return found, short_head(first)


def _of_choice(session: Session, choice: Choice) -> Picture:
    """A bar for each of a few candidates with its two bounds, those that are out last, and the
    bounds label by label in the same colours."""
    rows = choice.bounds.to_dict("records")
    for place, row in enumerate(rows):
        row["series"], row["out"] = place, CandidateState(row["state"]).out
        row["chosen"] = str(row["classifier"]) == choice.chosen
    rows.sort(key=lambda row: (not row["chosen"], row["out"]))
    rows = rows[:MOST_BARS]
    shown = [
        replace(
            candidate_bar(row, one_line(row["classifier"], LONGEST_NAME), choice.chosen),
            series=row["series"],
        )
        for row in rows
    ]
    moved = moving_bounds_table(session.looks(), choice.estimand)
    marks = moving_marks(moved, choice, {str(row["classifier"]) for row in rows})
    now, words = counts(session), one_line(choice_short(choice), 200)
    wanted = choice.precision_threshold
    said = f"{CANDIDATES_OVER} {words}"
    chart = race(marks, now.answered, wanted, said)
    return Picture(bars(shown, wanted=wanted), chart, (), "", words)


def _over_labels(session: Session, estimate: Estimate, truth: float | None) -> Node:
    key, margin = estimate.estimand, session.plan.margin
    rows = history_rows(session.course(key), key)
    now = counts(session)
    track = replace(
        track_of(rows, key, one_line(estimand_name(key), LONGEST_NAME), margin),
        planned=max(now.total, now.answered),
        scale=_scale(session, [estimate]),
        ahead=_ahead(session, key) if session.going_on else None,
        truth=truth,
        sides=_sides(estimate),
    )
    words = history_words(rows, key, margin=margin, label=estimand_name(key))
    return over_labels(track, words)


def _sides(estimate: Estimate) -> tuple[str, str] | None:
    """Of a difference: who is better above zero, and who below it."""
    if not is_difference(estimate.estimand):
        return None
    both = (estimate.scope.classifier or "", estimate.scope.versus or "")
    above, below = (f"{one_line(name, 30)} is better" for name in both)
    return above, below


def _along(session: Session) -> tuple[Node, str]:
    """The curve, with its words, and what a grey line in it is."""
    band = session.band("precision", session.curve())
    first = next(iter((*session.plan.classifiers, *session.population.classifiers)))
    cut = own_cut(session.population, first)
    guess = not band.has_interval and bool(np.isfinite(band.told).any())
    drawn = along_scores(band, len(session.population), cut, rank_words(band, cut))
    return drawn, GREY if guess else ""


def _ahead(session: Session, key: str) -> tuple[Numbers, Numbers] | None:
    """What the plan expects of the half-width from here to its end; nothing once its pilot has
    found the scores weaker than they looked."""
    population, engine = session.population, session.engine
    if engine.planned > engine.setup.planned:
        return None
    found = expected_widths(population, population.fingerprint, session.plan.to_json())
    widths = [width.get(key, np.nan) for _, width in found]
    if not np.isfinite(widths).any():
        return None
    return np.array([float(labels) for labels, _ in found]), np.array(widths)


@st.cache_data(show_spinner=False, max_entries=40)
def expected_widths(
    _population: Population, fingerprint: str, plan_json: str
) -> list[tuple[int, dict[str, Any]]]:
    """(labels, {result: half-width}) at a few sizes up to the planned one; [] where a method has no
    forecast."""
    plan = Plan.from_json(plan_json)
    try:
        outlook = Outlook(_population, plan)
        planned = min(plan.planned or plan.budget or outlook.most, outlook.most)
        least = max(outlook.design.least(outlook.frame), 10)
        sizes = sorted(
            {round(one) for one in np.geomspace(min(least, planned), planned, AHEAD_POINTS)}
        )
        return [(size, dict(outlook.half_widths(size, planned))) for size in sizes]
    except ValueError:
        return []
