"""Looking back: the answers in force, the newest first, and the state at any past moment."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from labelcore.log.engine import Engine
from labelcore.log.events import Event, answer_word, genesis, sound_part
from labelcore.log.kinds import fold, kind_named, take
from labelcore.log.recorded_answers import Book
from labelcore.log.repeats import Repeats
from labelcore.log.state import LogState
from labelcore.plan.plan import Plan
from labelcore.population import Population

OPEN = ""
"""In the place of the answer of an item that has none; no class is called so."""


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One answered item as a person may look back at it.

    annotator  who gave the answer in force
    second     the answer it got when it was shown again, where that was another one
    """

    index: int
    item_id: str
    answer: str
    at: str
    flagged: bool
    note: str
    second: str = ""
    annotator: str = ""


def history(
    events: Sequence[Event], state: LogState, annotator: str | None, last: int | None
) -> list[HistoryRow]:
    """First answers in force, of one person or of all, the newest first, at most ``last``."""
    readings = state.book.repeats.readings()
    second = {reading.index: answer_word(reading.second) for reading in readings if reading.differs}
    in_force = (
        event
        for event in reversed(events)
        if event.kind != "reread" and annotator in (None, event.annotator) and state.in_force(event)
    )
    return [_row(event, state, second) for event in islice(in_force, last)]


def marked_open(state: LogState) -> list[HistoryRow]:
    """Items that are flagged or have a note and no answer in force, with the answer ``OPEN``."""
    flags, notes = state.marks["flagged"], state.marks["noted"]
    marked = {index for index, note in notes.items() if note.text}
    marked |= {index for index in flags if state.flagged(index)}
    return [
        replace(_row(mark, state, {}), answer=OPEN)
        for index in sorted(marked)
        if state.book.in_force(index) is None
        for mark in [flags.get(index) or notes[index]]
    ]


def _row(event: Event, state: LogState, second: Mapping[int, str]) -> HistoryRow:
    index = int(event.index or 0)
    return HistoryRow(
        index=index,
        item_id=str(event.item_id),
        answer=answer_word(event),
        at=event.at,
        flagged=state.flagged(index),
        note=state.said("noted", index),
        second=second.get(index, ""),
        annotator=event.annotator,
    )


def told(events: Iterable[Event], fingerprint: str, plan_json: str) -> LogState:
    """What the log of a file and a plan says without the file, up to the first event that was
    changed."""
    start, others = genesis(fingerprint, plan_json), bool(json.loads(plan_json).get("overlap"))
    state = LogState(Book(Repeats(0, 0.0, others=others)), start)
    for event in sound_part(list(events), start):
        try:
            kind_named(event.kind)
            fold(state, event)
        except (ValueError, TypeError, LookupError):
            break  # The chain was made anew round an event that never was.
    return state


def state_at(
    population: Population, plan: Plan, events: Iterable[Event], sequence: int | None = None
) -> LogState:
    """The state after event number ``sequence``, or after all: any past moment of a session.

    Raises ReplayError when an event does not follow from those before it.
    """
    state = LogState(Engine(population, plan))
    for event in islice(events, sequence):
        take(state, event)
    return state
