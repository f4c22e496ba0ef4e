"""The last waves of a monitor, gathered for a report."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from labelcore.log.events import Event
from labelcore.report.quarter import Quarter, Turn, WaveUsed
from labelcore.session.carried import terms_of
from labelcore.session.ledger import now
from labelcore.session.managing import wording_now
from labelcore.store import LabelStore, ProjectRecord
from labelcore.version import __version__
from labelcore.waves.chart import monitor_chart
from labelcore.waves.watches import COLUMNS, Alarm

LAST = 13
"""Weeks of a quarter."""
WHAT = {"finished": "closed early", "restarted": "begun anew after it"}


def quarter_of(
    store: LabelStore,
    records: Sequence[ProjectRecord],
    watched: Iterable[Iterable[tuple[dict[str, Any], Alarm | None]]],
    *,
    name: str,
    sentence: str,
    terms: Sequence[tuple[str, str]],
    waves: int,
    error: float,
) -> Quarter:
    """What is known of the waves of these projects, at least one.

    watched   what ``Monitor.watched`` tells of all waves
    """
    names = {str(terms_of(record)["wave"]) for record in records}
    rows, alarms = [], []
    for stretch in watched:
        first_alarms: dict[str, Alarm] = {}
        for row, alarm in stretch:
            if row["wave"] in names:
                rows.append(row)
            if alarm is not None:
                first_alarms.setdefault(row["watch"], alarm)
        alarms += [alarm for alarm in first_alarms.values() if alarm.wave in names]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    since = alarms[-1].since if alarms and alarms[-1].since in names else ""
    events = {record.name: list(store.events(record.name)) for record in records}
    return Quarter(
        name, str(wording_now(store, records[-1]).get("question") or ""), sentence, table,
        monitor_chart(table, since), [alarm.sentence() for alarm in alarms],
        _turns(records, events), [_used(record, table, events[record.name]) for record in records],
        terms, waves, error, now(), __version__,
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
