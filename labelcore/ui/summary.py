"""A project in a few figures, from its record and log alone: its file is not opened."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from labelcore.log.events import ANSWER_KINDS, Event, genesis, sound_part
from labelcore.promises import Promise, State, Status
from labelcore.store import ProjectRecord
from labelcore.ui import sessions
from labelcore.words.counts import answers_words
from labelcore.words.stops import stopped_for, stopped_short

DONE_KINDS = ("labelled", "unsure", "broken")
SAVED = (*ANSWER_KINDS, "undone", "reread", "reread_undone")


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
    events = sound_part(log, genesis(record.fingerprint, record.plan_json))
    broken = f"log changed at event {len(events) + 1:,}" if len(events) < len(log) else ""
    plan, settings = json.loads(record.plan_json), json.loads(record.settings_json)
    for event in events:
        if event.kind == "reworded":
            settings.update(event.detail)
    kinds = answers_by_kind(events)
    answered = kinds.total()
    planned = _asked_for(plan, events)
    figure, half_width, promise = _first_figure(events, str(plan["estimands"][0]))
    saves = [event.at for event in events if event.kind in SAVED]
    return Summary(
        name=record.name,
        question=str(settings.get("question", "")),
        file=json.loads(record.population_json)["path"].rsplit("/", 1)[-1],
        answered=answered,
        answers=answers_words(kinds),
        planned=planned,
        half_width=half_width,
        promise=promise,
        figure=figure,
        status=broken or status_words(events, answered, planned),
        last_save=saves[-1] if saves else None,
        trial=str(settings.get("trial", "")),
        archived=record.archived,
        exact=_exact_value(events, figure),
        at_most=plan["promise"] == Promise.FIXED
        and "margin" in (plan.get("stop") or ())
        and not _extended(events),
    )


def count_answered(events: Sequence[Event]) -> int:
    """Items whose answer in force is a class, unsure or broken."""
    return answers_by_kind(events).total()


def answers_by_kind(events: Sequence[Event]) -> Counter[str]:
    """Items by the kind of the answer in force, those that are put off left out."""
    answers: dict[int | None, list[str]] = {}
    for event in events:
        if event.kind in ANSWER_KINDS:
            answers.setdefault(event.index, []).append(event.kind)
        elif event.kind == "undone" and answers.get(event.index):
            answers[event.index].pop()
    last = (kinds[-1] for kinds in answers.values() if kinds)
    return Counter(kind for kind in last if kind in DONE_KINDS)


def status_words(events: Sequence[Event], answered: int, planned: int) -> str:
    last = ""
    for event in events:
        if event.kind in ("stopped", "finished", "extended"):
            last = event.kind
        elif last == "stopped" and (event.kind == "undone" or _changes(event)):
            last = ""
    if last == "finished":
        return Status.FINISHED
    if last == "stopped":
        return stopped_short(stopped_for(events))
    if last == "extended":
        return "extended"
    if not answered:
        return "not started"
    return "all planned labels are there" if answered >= planned else "labelling"


def _changes(event: Event) -> bool:
    return event.kind in ANSWER_KINDS and event.previous is not None


def _asked_for(plan: Mapping[str, Any], events: Sequence[Event]) -> int:
    """The planned size, or what it was extended to."""
    extended = _extended(events)
    return extended[-1] if extended else int(plan.get("planned") or plan.get("budget") or 0)


def _extended(events: Sequence[Event]) -> list[int]:
    return [int(event.detail["budget"]) for event in events if event.kind == "extended"]


def _first_figure(events: Sequence[Event], estimand: str) -> tuple[str, float | None, str]:
    """The key of the primary result, the first class's where there are several, its half-width at
    the last look and the promise of that; None and "" where it has no interval."""
    results = _last_results(events)
    keys = [key for key in results if key == estimand or key.startswith(f"{estimand}[")]
    shown = results[keys[0]] if keys else {}
    if "low" not in shown or not State(shown["state"]).has_interval:
        return estimand, None, ""
    return keys[0], float(shown["high"] - shown["low"]) / 2, str(shown["promise"])


def _last_results(events: Sequence[Event]) -> dict[str, Any]:
    last = next((event for event in reversed(events) if event.kind == "looked"), None)
    return {} if last is None else dict(last.detail.get("results", {}))


def _exact_value(events: Sequence[Event], figure: str) -> float | None:
    shown = _last_results(events).get(figure, {})
    return float(shown["value"]) if shown.get("state") == State.EXACT else None


@st.cache_data(show_spinner=False, max_entries=500)
def _summary(
    folder: str, name: str, created_at: str, sequence: int, settings: str, archived: bool
) -> Summary:
    store = sessions.store()
    return summarise(store.project(name), store.events(name))


def summaries() -> list[Summary]:
    """Every project, those put away too, the newest first."""
    store = sessions.store()
    folder = str(sessions.data_folder())
    return [
        _summary(
            folder,
            record.name,
            record.created_at,
            store.last_sequence(record.name),
            record.settings_json,
            record.archived,
        )
        for record in store.projects()
    ]
