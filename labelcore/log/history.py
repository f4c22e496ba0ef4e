"""Looking back: the answers in force, the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelcore.log.engine import Engine
from labelcore.log.events import ANSWER_KINDS, Event, answer_word


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One answered item as a person may look back at it.

    second   the answer it got when it was shown again, where that was another one
    """

    index: int
    item_id: str
    answer: str
    at: str
    flagged: bool
    note: str
    second: str = ""


def in_force(event: Event, engine: Engine) -> bool:
    """Whether an answer still counts: neither taken back nor changed since; a second answer too."""
    if event.kind == "reread":
        return engine.repeats.in_force(event)
    if event.kind not in ANSWER_KINDS:
        return False
    force = engine.in_force(int(event.index or 0))
    return force is not None and force.sequence == event.sequence


def history(
    events: Sequence[Event], engine: Engine, annotator: str | None, last: int | None
) -> list[HistoryRow]:
    """Answers in force, of one person or of all, the newest first, at most ``last``."""
    notes = {event.index: event.text or "" for event in events if event.kind == "noted"}
    flags = {event.index: event.text == "yes" for event in events if event.kind == "flagged"}
    second = {r.index: answer_word(r.second) for r in engine.repeats.readings() if r.differs}
    rows: list[HistoryRow] = []
    for event in reversed(events):
        if last is not None and len(rows) >= last:
            break
        if event.kind == "reread":
            continue
        if in_force(event, engine) and annotator in (None, event.annotator):
            rows.append(
                HistoryRow(
                    index=int(event.index or 0),
                    item_id=str(event.item_id),
                    answer=event.label or event.kind,
                    at=event.at,
                    flagged=flags.get(event.index, False),
                    note=notes.get(event.index, ""),
                    second=second.get(int(event.index or 0), ""),
                )
            )
    return rows
