"""Looking back: the answers in force, the newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from labelcore.log.events import Event, answer_word
from labelcore.log.state import LogState

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
    marked = {index for index, note in state.notes.items() if note.text}
    marked |= {index for index in state.flags if state.flagged(index)}
    return [
        replace(_row(mark, state, {}), answer=OPEN)
        for index in sorted(marked)
        if state.book.in_force(index) is None
        for mark in [state.flags.get(index) or state.notes[index]]
    ]


def _row(event: Event, state: LogState, second: Mapping[int, str]) -> HistoryRow:
    index = int(event.index or 0)
    note = state.notes.get(index)
    return HistoryRow(
        index=index,
        item_id=str(event.item_id),
        answer=answer_word(event),
        at=event.at,
        flagged=state.flagged(index),
        note=(note.text or "") if note else "",
        second=second.get(index, ""),
        annotator=event.annotator,
    )
