"""Texts that go by themselves: so long after a project was finished as its owner says."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from labelcore.log.events import genesis
from labelcore.log.kinds import told
from labelcore.session.erasing import Erased, erase_items
from labelcore.session.projects import RETENTION
from labelcore.store import LabelStore, read_erased, write_erased

RETENTION_WHO = "retention"
JUMP_DAYS, STEADY_HOURS = 100, 20
"""A clock that went further than that between two looks has to go on for so long before texts are
erased by it."""


def set_retention(store: LabelStore, project: str, days: int | None) -> None:
    """Let the texts of a project be erased so many days after it was finished; None: never.

    Raises ValueError for less than one day, UnknownProjectError, StoreError.
    """
    if days is not None and days < 1:
        raise ValueError(f"days must be 1 or more, got {days:,}")
    settings = json.loads(store.project(project).settings_json)
    settings = {name: value for name, value in settings.items() if name != RETENTION}
    kept = {**settings, **({} if days is None else {RETENTION: days})}
    store.update(project, settings_json=json.dumps(kept, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class Retained:
    """What came of looking for texts that are kept no longer.

    erased   what was erased
    due      projects whose texts are due and were not erased yet
    why      the clock cannot be trusted yet, "" where it can
    """

    erased: tuple[Erased, ...] = ()
    due: tuple[str, ...] = ()
    why: str = ""


def carry_out_retention(store: LabelStore, at: datetime | None = None) -> Retained:
    """Erase the texts of every project that was finished as long ago as it is to keep them.

    Nothing comes back, so a clock is not believed at its first word: one that is behind the newest
    event, or that is ``JUMP_DAYS`` from where it was at the last look, erases nothing, and from
    then on has to go on for ``STEADY_HOURS`` first.

    at   another time than now

    Raises BrokenLogError, StoreError.
    """
    at, due = at or datetime.now(UTC), []
    newest = at
    for record in store.projects():
        days = json.loads(record.settings_json).get(RETENTION)
        log = store.events(record.name)
        newest = max([newest, *(datetime.fromisoformat(one.at) for one in log[-1:])])
        state = told(log, genesis(record.fingerprint, record.plan_json))
        ends = [one for one in log if one.kind == "finished"]
        if not days or not ends or not state.book.finished or state.erased.everything:
            continue
        if datetime.fromisoformat(ends[-1].at) + timedelta(days=days) <= at:
            due.append((record.name, f"texts are kept for {days} days after the project's end"))
    names, place = tuple(name for name, _ in due), store.guarded
    why = "" if place is None else _unsteady(place, at)
    if newest > at:
        why = f"the clock says {at:%Y-%m-%d %H:%M} UTC, and an event is of a later time"
    if why:
        return Retained(due=names, why=why)
    made = [erase_items(store, name, None, who=RETENTION_WHO, why=words) for name, words in due]
    return Retained(tuple(made))


def _unsteady(place: Path, at: datetime) -> str:
    """Why the clock cannot be trusted yet; where it stands now is written down."""
    known = read_erased(place)
    steady, looked = known.steady, known.looked
    jump = timedelta(days=JUMP_DAYS)
    went_on = looked and timedelta(hours=-1) < at - datetime.fromisoformat(looked) < jump
    if not (went_on and steady):
        steady = at.isoformat()
    write_erased(place, replace(known, looked=at.isoformat(), steady=steady))
    if at - datetime.fromisoformat(steady) >= timedelta(hours=STEADY_HOURS):
        return ""
    return f"the clock has to go on for {STEADY_HOURS} hours first"
