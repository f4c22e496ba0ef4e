"""A classifier watched wave after wave: how it does, and the next wave."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.papers.oversampling.monitoring import Monitoring, Wave, monitor, wave_of
from labelcore.papers.oversampling.series import can_be_wave, next_plan, next_settings, series_of
from labelcore.papers.oversampling.waves_chart import waves_chart
from labelcore.session.managing import LONGEST_NAME, checked_name, free_name
from labelcore.session.session import Session
from labelcore.store import ProjectRecord
from labelcore.ui import files, sessions, visitor
from labelcore.ui.new_items import KINDS, show_faults
from labelcore.ui.new_number import within
from labelcore.ui.plain import one_line, plain
from labelcore.ui.progress import draw
from labelcore.ui.tables import reading_table
from labelcore.words import sentences as words
from labelcore.words.differences import told_interval, told_words

NOT_SUITED = (
    "Waves need a sample that was drawn at random among the items called positive and among the "
    "others, with two classes: make a project by over-sampling or with a plain random sample."
)
HOW = (
    "Each wave is a new file, judged by the same classifier. The grey bar is where precision and "
    "recall were expected from the earlier waves if nothing has changed; a wave outside it raises "
    "an alarm. While nothing changes, the chance that any wave ever raises one is at most "
    "about {alpha}."
)
NO_CLAIM = (
    "The interval of the next wave is about its estimate, not about the true value: it says what "
    "you will see if nothing has changed."
)
KNOWN = (
    "What is known about each wave's own precision and recall, with the earlier waves taken into "
    "account; no promise goes with these intervals, because they assume that the waves are alike. "
    "The report of each project has the figures from its labels alone."
)
DISCOUNT = "How much a wave counts one wave later (1: as much as a new one)"


def waves_page(project: str) -> None:
    session = sessions.session(project)
    st.title("Waves", anchor=False)
    if not can_be_wave(session.plan, len(session.population.classes)):
        st.info(NOT_SUITED)
        return
    confidence = session.plan.confidence
    st.text(HOW.format(alpha=words.confidence_words(1 - confidence)))
    found = series_of(sessions.store(), project)
    waves, opened = finished_waves(found)
    for name in opened:
        st.text(f"{one_line(name, LONGEST_NAME)} is not finished yet and is left out.")
    discount = st.number_input(DISCOUNT, value=1.0, step=0.1, key="waves-discount")
    if not waves or not within(discount, 0.05, 1.0):
        return
    result = monitor(waves, confidence=confidence, discount=float(discount))
    show_waves(result)
    show_next(session, result)
    if not opened and visitor.allowed(Right.RUN):
        next_wave(sessions.session(found[-1].name), found[-1], result)


def finished_waves(records: list[ProjectRecord]) -> tuple[list[Wave], list[str]]:
    """The waves whose labels are there, and the names of those that still go on."""
    waves, opened = [], []
    for record in records:
        session = sessions.session(record.name)
        if session.going_on:
            opened.append(record.name)
        else:
            waves.append(wave_of(session))
    return waves, opened


def show_waves(result: Monitoring) -> None:
    table = result.to_frame()
    for report in result.reports:
        box = st.warning if report.alarms else st.text
        box(plain(report.sentence()) if report.alarms else report.sentence())
    reading_table(wave_rows(result), "waves-known")
    st.caption(KNOWN)
    for quantity in ("precision", "recall"):
        st.subheader(f"{quantity.capitalize()} over the waves", anchor=False)
        mine = table[table["estimand"] == quantity]
        name = quantity.capitalize()
        draw(waves_chart(mine, name), f"waves-{quantity}", f"{name} of each wave as a table")


def wave_rows(result: Monitoring) -> pd.DataFrame:
    """What is known of the true precision and recall of each wave."""
    rows = []
    for report in result.reports:
        row = {"wave": report.wave.name, "labels": f"{report.wave.labels:,}"}
        for name, one in (("precision", report.precision), ("recall", report.recall)):
            interval = told_interval(one)
            row[name] = interval if one.told is None else f"{told_words(one)} ({interval})"
        rows.append(row)
    return pd.DataFrame(rows)


def show_next(session: Session, result: Monitoring) -> None:
    """What a wave of the same size is expected to show."""
    last = result.reports[-1].wave
    st.subheader("The next wave", anchor=False)
    predictions = result.next_wave(
        last.labels_above, last.labels_below, above=last.above, below=last.below
    )
    st.text("\n".join(one.sentence() for one in predictions))
    st.caption(NO_CLAIM)


def next_wave(last: Session, record: ProjectRecord, result: Monitoring) -> None:
    """A new project of the same series, from a new file with the same columns."""
    given = st.file_uploader(
        f"The file of the next wave, with the same columns: {KINDS}", key="waves-upload"
    )
    wanted = free_name(sessions.store(), one_line(last.project, 60))
    name = st.text_input("Its name", wanted, key="waves-name", max_chars=LONGEST_NAME)
    if not st.button("Start the next wave", key="waves-start", disabled=given is None):
        return
    assert given is not None
    try:
        path = files.keep_upload(given.name, given.getvalue())
        made = start_wave(last, record, result, path, name)
    except (ValueError, TypeError, OSError) as error:
        show_faults(error)
        return
    st.switch_page("pages/label.py", query_params={"project": made})


def start_wave(
    last: Session, record: ProjectRecord, result: Monitoring, path: Path, name: str
) -> str:
    """Create the project. Raises ValueError or OSError with a sentence; nothing is made then."""
    visitor.require(Right.RUN)
    arguments = json.loads(record.population_json)["arguments"]
    population = files.read(path, arguments)
    if population.fingerprint == record.fingerprint:
        raise ValueError("This is the last wave's file: each wave needs a new one.")
    checked = checked_name(sessions.store(), name)
    plan = next_plan(last.plan, result, secrets.randbelow(1_000_000))
    settings = next_settings(record, last.settings)
    sessions.registry().create(checked, population, plan, settings)
    return checked
