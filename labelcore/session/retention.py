"""After how many days the texts of a project go by themselves, and by which clock."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from labelcore.log.events import genesis, moment_of, sound_part
from labelcore.log.history import told
from labelcore.session.erasing import Erased, erase_items
from labelcore.session.projects import RETENTION
from labelcore.store import (
    LabelStore,
    Settings,
    act,
    change_erased,
    command_user,
    note,
    read_erased,
)

RETENTION_WHO = "retention"
BROKEN = (
    "its texts are due and were not erased, because its log was changed outside Labelcore. Put "
    "back a backup (labelcore restore), or erase the project."
)
JUMP_DAYS, STEADY_HOURS = 100, 20
"""A clock that went further than that between two looks has to go on for so long before texts are
erased by it."""


def set_retention(store: LabelStore, project: str, days: int | None, who: str = "") -> None:
    """Let the texts of a project be erased so many days after it was finished; None: never.

    who     says so; "": whoever runs the command

    Raises ValueError for less than one day, UnknownProjectError, StoreError.
    """
    if days is not None and days < 1:
        raise ValueError(f"days must be 1 or more, got {days:,}")

    def changed(settings: Settings) -> Settings:
        others = {name: value for name, value in settings.items() if name != RETENTION}
        return others if days is None else {**others, RETENTION: days}

    store.change_settings(project, changed)
    when = "never by themselves" if days is None else f"{days:,} days after its end"
    note(store, act(who or command_user(), RETENTION_WHO, f"project {project!r}, texts go {when}"))


@dataclass(frozen=True, slots=True)
class Retained:
    """What came of looking for texts that are kept no longer.

    erased   what was erased
    due      projects whose texts are due and were not erased yet
    why      the clock cannot be trusted yet, "" where it can
    broken   of projects whose texts are due, that they stay, for the log was changed outside
             Labelcore: what is written anew in it would hide where
    """

    erased: tuple[Erased, ...] = ()
    due: tuple[str, ...] = ()
    why: str = ""
    broken: tuple[str, ...] = ()


def carry_out_retention(store: LabelStore, at: datetime | None = None) -> Retained:
    """Erase the texts of every project that was finished as long ago as it is to keep them.

    Nothing comes back, so a clock is not believed at its first word: one that is behind the newest
    event, or that is ``JUMP_DAYS`` from where it was at the last look, erases nothing, and from
    then on has to go on for ``STEADY_HOURS`` first.

    at   another time than now

    Raises StoreError.
    """
    given, at, due, broken = at, at or datetime.now(UTC), [], []
    newest = at
    for record in store.projects():
        days = json.loads(record.settings_json).get(RETENTION)
        log, start = store.events(record.name), genesis(record.fingerprint, record.plan_json)
        sound = sound_part(log, start)  # A time that was changed since holds nothing up.
        newest = max([newest, *(datetime.fromisoformat(event.at) for event in sound[-1:])])
        state = told(log, record.fingerprint, record.plan_json)
        ends = [event for event in log if event.kind == "finished"]
        if not days or not ends or state.erased.everything:
            continue
        ended = moment_of(ends[-1].at)  # What was changed into no time is long ago.
        if ended is not None and (at - ended) / timedelta(days=1) < days:
            continue
        if state.sequence < len(log):
            broken.append(f"{record.name}: {BROKEN}")
        elif state.book.finished:
            due.append((record.name, f"texts are kept for {days} days after the project's end"))
    names, place = tuple(name for name, _ in due), store.guarded
    why = "" if place is None else _unsteady(place, at)
    if newest > (given or datetime.now(UTC)):  # Others may label while logs are read.
        why = f"the clock says {at:%Y-%m-%d %H:%M} UTC, and an event is of a later time"
    if why:
        return Retained((), names, why, tuple(broken))
    erased = [erase_items(store, name, None, who=RETENTION_WHO, why=words) for name, words in due]
    return Retained(tuple(erased), broken=tuple(broken))


def _unsteady(place: Path, at: datetime) -> str:
    """Why the clock cannot be trusted yet; where it stands now is written down."""
    known = read_erased(place)
    steady, looked = known.steady, known.looked
    jump = timedelta(days=JUMP_DAYS)
    went_on = looked and timedelta(hours=-1) < at - datetime.fromisoformat(looked) < jump
    if not (went_on and steady):
        steady = at.isoformat()
    change_erased(place, lambda now: replace(now, looked=at.isoformat(), steady=steady))
    if at - datetime.fromisoformat(steady) >= timedelta(hours=STEADY_HOURS):
        return ""
    return f"the clock has to go on for {STEADY_HOURS} hours first"
