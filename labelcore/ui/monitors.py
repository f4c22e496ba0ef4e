"""The monitors of the store, as the page Watch tells of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.population import Population
from labelcore.session.carried import terms_of
from labelcore.session.session import Session
from labelcore.stats.profile import Cells
from labelcore.ui import people, sessions, waiting
from labelcore.ui.presses import acting
from labelcore.waves.measured import side_by_side
from labelcore.waves.monitor import Monitor
from labelcore.waves.plan_file import SCHEDULES
from labelcore.waves.preview import Falls
from labelcore.waves.watches import COLUMNS, Alarm
from labelcore.words import sentences as words

WORKING = "Working out the evidence"
SCHEDULE = "schedule"
"""In the settings of a wave: when the next one is due."""


class Stands(StrEnum):
    """How a monitor stands; what comes first asks for more."""

    ALARM = "alarm"
    LABELS = "labels"
    TABLE = "table"
    QUIET = "quiet"


@dataclass(frozen=True, eq=False)
class Standing:
    """What is known of a monitor.

    table     as ``Monitor.table`` gives it
    alarms    those of ``Monitor.alarms``
    finished  the waves whose figures may be seen, the oldest first
    due       labels that people will be asked for, by wave
    projects  of the waves, the oldest first
    since     how many waves are finished since the launch or the last restart
    planned   how many the error rate is for
    awaited   the wave whose table is due; "" where none is
    schedule  a key of ``SCHEDULES``; "" where none is known
    """

    name: str
    table: pd.DataFrame
    alarms: tuple[Alarm, ...]
    finished: tuple[str, ...]
    due: Mapping[str, int]
    projects: Mapping[str, str]
    since: int
    planned: int
    error: float
    awaited: str
    schedule: str

    @property
    def state(self) -> Stands:
        if self.alarms:
            return Stands.ALARM
        if self.due:
            return Stands.LABELS
        return Stands.TABLE if self.awaited else Stands.QUIET

    def words(self) -> str:
        """The state in a few words."""
        if self.alarms:
            return f"alarm since {self.alarms[0].wave}"
        if self.due:
            return f"waits for {words.count(sum(self.due.values()))}"
        if self.awaited:
            return f"waits for the table of {self.awaited}"
        return f"quiet, {words.count(self.since, 'wave')}"


class Opened(Monitor):
    """A monitor whose waves are the sessions that this app has open."""

    def _session(self, project: str, population: Population | None = None) -> Session:
        return sessions.session(project)

    def person(self, wave: str) -> str:
        """What whoever is at the page is called in a wave."""
        return people.name(self._session(self._record(wave).name))

    def standing(self) -> Standing:
        """How it stands; its evidence is worked out once."""
        waves, store = self._measured(), sessions.store()
        key = tuple(
            (wave.project, store.last_sequence(wave.project) if wave.over else 0, wave.restarted)
            for wave in waves
        )
        about = sessions.address(), self.name, key
        table, alarms, since = waiting.worked_out("evidence", about, WORKING, self.evidence)
        schedule = str(json.loads(self.records[-1].settings_json).get(SCHEDULE) or "")
        named = SCHEDULES.get(schedule) if schedule != "each file" else None
        awaited = named(datetime.now(UTC).date()) if named else ""
        return Standing(
            self.name, table, tuple(alarms), tuple(wave.wave for wave in waves if wave.over),
            {wave.wave: wave.left for wave in waves if not wave.over},
            {wave.wave: wave.project for wave in waves}, since, self.waves, self.error,
            "" if awaited in {wave.wave for wave in waves} else awaited, schedule,
        )  # fmt: skip

    def falls(self, population: Population, sizes: Sequence[int], **values: Any) -> list[Falls]:
        """What is simulated of each number of labels. Raises PlanError, ArgumentError."""
        return self._falls(population, sizes, **values)

    def counted(self) -> tuple[list[str], Cells]:
        """The finished waves since the last restart, and what was counted in them of the first
        figure of the whole file, (n_waves, n_cells)."""
        over = [wave for wave in self._stretches()[-1] if wave.over] or [
            wave for wave in self._measured() if wave.over
        ]
        first = next(key for key in over[0].figures if "[" not in key)
        cells, _ = side_by_side([wave.figures[first] for wave in over])
        return [wave.wave for wave in over], cells

    def evidence(self) -> tuple[pd.DataFrame, list[Alarm], int]:
        """Table, first alarms and number of finished waves since the last restart."""
        alarms: dict[str, Alarm] = {}
        rows = []
        for stretch in self.watched():
            alarms.clear()
            for row, alarm in stretch:
                rows.append(row)
                waiting.went()
                if alarm is not None:
                    alarms.setdefault(row["watch"], alarm)
        table = pd.DataFrame(rows, columns=list(COLUMNS))
        return table, list(alarms.values()), sum(wave.over for wave in self._stretches()[-1])


@acting(Right.RUN)
def close(name: str, wave: str, key: str) -> None:
    """End a wave with the labels that it has."""
    monitor = opened(name)
    monitor.close(wave, _reason(key), monitor.person(wave))


@acting(Right.RUN)
def restart(name: str, key: str) -> None:
    """Begin anew with the next wave."""
    monitor = opened(name)
    monitor.restart(_reason(key), monitor.person(monitor.names[-1]))


def _reason(key: str) -> str:
    return str(st.session_state.get(key) or "")


def names() -> list[str]:
    """The monitors of the store, the one with the newest wave first."""
    known = (str(terms["name"]) for terms in map(terms_of, sessions.store().projects()) if terms)
    return list(dict.fromkeys(known))


def opened(name: str) -> Opened:
    """Raises UnknownProjectError."""
    return Opened.open(sessions.store(), name)
