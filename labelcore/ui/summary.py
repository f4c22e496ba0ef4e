"""A project in a few figures, from its record and log alone: its file is not opened."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import streamlit as st

from labelcore.log.events import Event, genesis
from labelcore.log.kinds import told
from labelcore.log.state import LogState
from labelcore.promises import Promise, State, Status
from labelcore.store import ProjectRecord
from labelcore.ui import sessions
from labelcore.words.counts import answers_words
from labelcore.words.stops import stopped_short

CHECKED_SECONDS = 600
"""How long a summary is remembered: a log costs about 20 microseconds an event to read again."""


@dataclass(frozen=True)
class Summary:
    """``half_width`` and ``promise`` are those of ``figure``, the primary one, at the last look;
    None and "" before. ``exact`` is its value where nothing about it is left to chance."""

    name: str
    question: str
    file: str
    answered: int
    answers: str
    planned: int
    half_width: float | None
    promise: str
    figure: str
    status: str
    last_save: str | None
    trial: str
    archived: bool = False
    at_most: bool = False
    exact: float | None = None


def summarise(record: ProjectRecord, log: Sequence[Event]) -> Summary:
    """From the part of the log that was not changed outside Labelcore."""
    state = told(log, genesis(record.fingerprint, record.plan_json))
    plan = json.loads(record.plan_json)
    settings = {**json.loads(record.settings_json), **state.reworded}
    changed = state.sequence < len(log)
    broken = f"log changed at event {state.sequence + 1:,}" if changed else ""
    book, in_force = state.book, state.book.kinds
    planned = book.limit if book.extended else int(plan.get("planned") or plan.get("budget") or 0)
    figure, half_width, promise = _first_figure(state, str(plan["estimands"][0]))
    return Summary(
        name=record.name,
        question=str(settings.get("question", "")),
        file=json.loads(record.population_json)["path"].rsplit("/", 1)[-1],
        answered=book.answers_given,
        answers=answers_words(in_force),
        planned=planned,
        half_width=half_width,
        promise=promise,
        figure=figure,
        status=broken or status_words(state, planned),
        last_save=state.last_save,
        trial=str(settings.get("trial", "")),
        archived=record.archived,
        exact=_exact_value(state, figure),
        at_most=plan["promise"] == Promise.FIXED
        and "margin" in (plan.get("stop") or ())
        and not book.extended,
    )


def status_words(state: LogState, planned: int) -> str:
    """Where the project stands, by its log."""
    book = state.book
    if book.finished:
        return Status.FINISHED
    if book.extended:
        return "extended"
    if book.stopped:
        return stopped_short(state.stop_reason)
    if not book.answers_given:
        return "not started"
    return "all planned labels are there" if book.answers_given >= planned else "labelling"


def _first_figure(state: LogState, estimand: str) -> tuple[str, float | None, str]:
    """The key of the primary result, the first class's where there are several, its half-width at
    the last look and the promise of that; None and "" where it has no interval."""
    results = _last_results(state)
    keys = [key for key in results if key == estimand or key.startswith(f"{estimand}[")]
    shown = results[keys[0]] if keys else {}
    if "low" not in shown or not State(shown["state"]).has_interval:
        return estimand, None, ""
    return keys[0], float(shown["high"] - shown["low"]) / 2, str(shown["promise"])


def _last_results(state: LogState) -> dict[str, Any]:
    return dict(state.looks[-1].get("results", {})) if state.looks else {}


def _exact_value(state: LogState, figure: str) -> float | None:
    shown = _last_results(state).get(figure, {})
    return float(shown["value"]) if shown.get("state") == State.EXACT else None


@st.cache_data(show_spinner=False, max_entries=500)
def _summary(
    folder: str,
    name: str,
    created_at: str,
    sequence: int,
    settings: str,
    archived: bool,
    period: int,
) -> Summary:
    """Remembered for as long as ``period`` is the same: a log that was changed in place has no new
    event."""
    store = sessions.store()
    return summarise(store.project(name), store.events(name))


def summaries() -> list[Summary]:
    """Every project, those put away too, the newest first."""
    store = sessions.store()
    folder, period = str(sessions.data_folder()), int(monotonic() // CHECKED_SECONDS)
    return [
        _summary(
            folder,
            record.name,
            record.created_at,
            store.last_sequence(record.name),
            record.settings_json,
            record.archived,
            period,
        )
        for record in store.projects()
    ]
