"""The last waves of a monitor, gathered for a report."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from labelcore.errors import ArgumentError
from labelcore.log.events import Event
from labelcore.report.quarter import Quarter, Turn, WaveUsed
from labelcore.session.carried import terms_of
from labelcore.session.ledger import now
from labelcore.session.managing import wording_now
from labelcore.store import ProjectRecord
from labelcore.waves.chart import monitor_chart
from labelcore.waves.watches import COLUMNS, Alarm
from labelcore.words.sentences import count

if TYPE_CHECKING:
    from labelcore.waves.monitor import Monitor

LAST = 13
"""Weeks of a quarter."""
WHAT = {"finished": "closed early", "restarted": "begun anew after it"}


def quarter_of(monitor: Monitor, last: int = LAST) -> Quarter:
    """What is known of the last waves. Raises ArgumentError where there is none."""
    if type(last) is not int or last < 1:
        raise ArgumentError("last", "must be a whole number of at least 1", got=last)
    records = monitor.records[-last:]
    if not records:
        raise ArgumentError("last", "needs a wave: this monitor has none yet", got=last)
    names = {str(terms_of(record)["wave"]) for record in records}
    rows, alarms = [], []
    for stretch in monitor.watched():
        first_alarms: dict[str, Alarm] = {}
        for row, alarm in stretch:
            if row["wave"] in names:
                rows.append(row)
            if alarm is not None:
                first_alarms.setdefault(row["watch"], alarm)
        alarms += [alarm for alarm in first_alarms.values() if alarm.wave in names]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    since = alarms[-1].since if alarms and alarms[-1].since in names else ""
    events = {record.name: list(monitor.store.events(record.name)) for record in records}
    return Quarter(
        monitor.name, str(wording_now(monitor.store, records[-1]).get("question") or ""),
        monitor.sentence(), table, monitor_chart(table, since),
        [alarm.sentence() for alarm in alarms], _turns(records, events),
        [_used(record, table, events[record.name]) for record in records], _terms(monitor),
        monitor.waves, monitor.error, now(), str(sys.modules["labelcore"].__version__),
    )  # fmt: skip


def _turns(records: Sequence[ProjectRecord], events: dict[str, list[Event]]) -> list[Turn]:
    return [
        Turn(event.at, event.annotator, str(terms_of(record)["wave"]), WHAT[event.kind],
             event.text or "")
        for record in records
        for event in events[record.name]
        if event.kind in WHAT
    ]  # fmt: skip


def _used(record: ProjectRecord, table: pd.DataFrame, events: list[Event]) -> WaveUsed:
    wave = str(terms_of(record)["wave"])
    row = table[table["wave"] == wave].iloc[0]
    seal = events[-1].hash if events else record.fingerprint
    return WaveUsed(
        wave, record.created_at, int(row["labels"]), int(row["first_labels"]), seal[:12]
    )


def _terms(monitor: Monitor) -> list[tuple[str, str]]:
    settings = json.loads(monitor.records[-1].settings_json)
    return [
        ("Required", "; ".join(monitor.requirements) or "nothing"),
        ("Change since launch", "watched, each figure" if monitor.since_launch else "not watched"),
        ("Schedule", str(settings.get("schedule") or "none")),
        ("Planned", f"{count(monitor.waves, 'wave')} for an error of {monitor.error:.0%}"),
        ("Each wave", f"{count(int(monitor.plan.budget or 0))}, {monitor.plan.method.label}"),
    ]
