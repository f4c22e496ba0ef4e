"""The tables of a monitor: the first one, with what is watched from then on, and the next ones."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from labelcore.access import Right
from labelcore.designs.scalars import EstimatesFromCells
from labelcore.errors import ArgumentError, Names, PopulationError
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.population.text import listing
from labelcore.safe_text import one_line, plain
from labelcore.session.carried import terms_of
from labelcore.session.managing import LONGEST_NAME, wording_now
from labelcore.store import ProjectRecord
from labelcore.ui import files, monitors, sessions, visitor
from labelcore.ui.lines import fold
from labelcore.ui.monitors import SCHEDULE, Opened, Standing
from labelcore.ui.new_items import KINDS, show_faults
from labelcore.ui.setup import link_to
from labelcore.ui.watch_preview import UNITS, show, simulated, sizes_about, wanted
from labelcore.waves.monitor import MOST_WAVES
from labelcore.waves.plan_file import SCHEDULES, free_name
from labelcore.waves.watches import meanings
from labelcore.words.differences import is_difference

FROM = "from"
"""In the address of Watch: the project that a monitor is to be begun from; "" for any."""
NO_PROJECT = (
    "A monitor begins from a project that is labelled: press 'Watch this every week' on its page "
    "Progress."
)
NONE_FITS = (
    "No project here can be watched: it must ask for shares such as precision or accuracy, without "
    "claims."
)
NOT_OFFERED = "Cannot be watched: {others}."
TRIALS_ALONE = "A trial has no further tables: bring a file of your own, label it, and watch it."
CALLED = {"population": "This table", "name": "The wave", "requirements": "What is required"}
RENEWED = "These rows have changed under their ids (renewed)"
LACKS = "{file} has no column {lacks}, which the tables before it have. Its columns are {there}."
RENAME = "Rename the one that is meant in the file, and drop it here again."
NOW_CALLED = "Which column is {column!r} in this table?"
RENAMED = ("id", "scores", "predictions")
"""What a column may be called otherwise in: no figure and no content is named by it."""
WATCH_THIS = "Watch this every week"
WHAT_IT_DOES = (
    "Each new table is a wave: label some of its items, and an alarm says when a figure has fallen."
)
NOT_WORDS = ("trial", "series")
PREVIEWED, LACKING = "watch-previewed", "watch-lacking"
LONGEST_WAVE = 40


class LacksColumns(ValueError):
    """A table lacks columns that may be called otherwise in it.

    lacks   columns of the tables before it
    there   the columns of this one
    """

    def __init__(self, said: str, lacks: Sequence[str], there: Sequence[str]) -> None:
        super().__init__(said)
        self.lacks, self.there = lacks, there


# --- the next one -------------------------------------------------------------------------------


def next_table(monitor: Opened, standing: Standing) -> None:
    """A wave from a new table, read as those before it were."""
    number = len(standing.projects) + 1
    given = upload(f"The next table, with the same columns: {KINDS}", f"{monitor.name}-{number}")
    name = st.text_input(
        "Wave", free_wave(standing), key=f"watch-wave-{monitor.name}-{number}",
        max_chars=LONGEST_WAVE,
    )  # fmt: skip
    renewed = st.checkbox(RENEWED, key=f"watch-renewed-{monitor.name}-{number}")
    called = now_called(given)
    if not st.button("Begin the wave", key="watch-next", disabled=given is None):
        return
    assert given is not None
    try:
        path = files.keep_upload(given.name, given.getvalue())
        project = begin_wave(monitor, path, name, renewed=renewed, called=called)
    except LacksColumns as error:
        st.session_state[LACKING] = given.file_id, error
        st.rerun()
    except (ValueError, TypeError, OSError) as error:
        show_refusal(error)
        return
    st.switch_page("pages/label.py", query_params={"project": project})


def show_refusal(error: Exception) -> None:
    """Why a wave cannot begin, in the words of the page."""
    if isinstance(error, ArgumentError):
        names = Names(argument=lambda name: CALLED.get(name, name))
        st.error(plain(f"{error.worded(names)}."))
    else:
        show_faults(error)


def free_wave(standing: Standing) -> str:
    """What the next wave may be called: by the schedule, as those that a command begins."""
    today = datetime.now(UTC).date()
    return free_name(standing.schedule or "each file", today, standing.projects)


def now_called(given: UploadedFile | None) -> dict[str, str]:
    """What the columns that a refused table lacks are called in it, as the person says."""
    refused, error = st.session_state.get(LACKING, ("", None))
    if given is None or given.file_id != refused:
        return {}
    st.text(str(error))
    said = {
        column: st.selectbox(
            NOW_CALLED.format(column=column), error.there, index=None, key=f"watch-called-{place}"
        )
        for place, column in enumerate(error.lacks)
    }
    return {column: name for column, name in said.items() if name is not None}


def begin_wave(
    monitor: Opened, path: Path, name: str, *, renewed: bool = False,
    called: Mapping[str, str] = MappingProxyType({}),
) -> str:  # fmt: skip
    """The project of a new wave.

    called  columns of the tables before it -> what they are called in this one

    Raises ValueError or OSError with a sentence; nothing is made then.
    """
    visitor.require(Right.RUN)
    record = sessions.store().project(list(monitor.standing().projects.values())[-1])
    return monitor.wave(read_alike(path, record, called), name, renewed=renewed).project


def read_alike(
    path: Path, record: ProjectRecord, called: Mapping[str, str] = MappingProxyType({})
) -> Population:
    """A table read as that of a project was. Raises ValueError or OSError with a sentence."""
    arguments = arguments_of(record)
    for role in (*RENAMED, "metadata"):
        columns = arguments.get(role)
        if isinstance(columns, str):
            arguments[role] = called.get(columns, columns)
        elif isinstance(columns, dict):
            arguments[role] = {key: called.get(name, name) for key, name in columns.items()}
        elif isinstance(columns, list) and role not in RENAMED:
            arguments[role] = [called.get(name, name) for name in columns]
    try:
        return files.read(path, arguments)
    except PopulationError as error:
        there = files.read_head(path).columns
        named = [one.column for one in error.faults if one.row is None and one.column]
        lacks = [name for name in named if name not in there]
        if not lacks:
            raise
        quoted = ", ".join(map(repr, lacks))
        said = LACKS.format(file=path.name, lacks=quoted, there=listing(there))
        if {*lacks} <= {*_columns_of(arguments)}:
            raise LacksColumns(said, lacks, there) from error
        raise ValueError(f"{said} {RENAME}") from error


def _columns_of(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Those that may be called otherwise in another table."""
    for columns in map(arguments.get, RENAMED):
        if isinstance(columns, dict):
            yield from columns.values()
        elif isinstance(columns, str):
            yield columns


def arguments_of(record: ProjectRecord) -> dict[str, Any]:
    """How the table of a project was read, with its classes."""
    arguments, terms = dict(json.loads(record.population_json)["arguments"]), terms_of(record)
    if len(terms.get("classes", ())) == 2:
        arguments = {"classes": terms["classes"], "positive": terms["positive"], **arguments}
    return arguments


def upload(words: str, key: str) -> UploadedFile | None:
    return st.file_uploader(words, key=f"watch-upload-{key}")


# --- the first one ------------------------------------------------------------------------------


def suited() -> Iterator[ProjectRecord]:
    """The projects that a monitor may be begun from, the newest first."""
    for record in sessions.store().projects():
        if not record.archived and may_be_watched(record):
            yield record


def may_be_watched(record: ProjectRecord) -> bool:
    """Whether it has figures from counts by stratum, not differences alone, and is no wave."""
    return not why_not(record)


def why_not(record: ProjectRecord) -> str:
    """Why a project cannot be watched; "" if it can."""
    if not is_own(record):
        return "a wave or a trial"
    plan = Plan.from_json(record.plan_json)
    if not isinstance(plan.method, EstimatesFromCells):
        return "not about shares such as accuracy"
    if plan.claims:
        return "with claims"
    return "about differences alone" if all(map(is_difference, plan.estimands)) else ""


def is_own(record: ProjectRecord) -> bool:
    """Whether somebody may look for it here: it is no wave and no trial."""
    return not terms_of(record) and not json.loads(record.settings_json).get("trial")


def not_offered() -> str:
    """Which of the own projects cannot be watched, and why; "" if all can."""
    named: dict[str, list[str]] = {}
    for record in sessions.store().projects():
        if not record.archived and is_own(record) and (why := why_not(record)):
            named.setdefault(why, []).append(record.name)
    return "; ".join(f"{listing(names)} ({why})" for why, names in named.items())


def _why_none() -> str:
    """Why there is no project that can be watched."""
    there = [record for record in sessions.store().projects() if not record.archived]
    if any(is_own(record) or terms_of(record) for record in there):
        return NONE_FITS
    return TRIALS_ALONE if there else NO_PROJECT


def way_to_begin(project: str, words: str = WATCH_THIS) -> None:
    with st.container(key="quiet-watch-begin"):
        link_to("watch", words, ":material/add:", **{FROM: project})


def begin_page(of: str) -> None:
    """What is watched, how often, and what it will notice; then the first wave."""
    records = {record.name: record for record in suited()}
    st.title(WATCH_THIS, anchor=False)
    st.text(WHAT_IT_DOES)
    if not records:
        st.text(_why_none())
        st.page_link("pages/new_project.py", label="New project")
        return
    names = list(records)
    with st.container(horizontal=True):
        project = st.selectbox(
            "As in the project", names, key=f"watch-from-{of}",
            index=names.index(of) if of in records else 0,
        )  # fmt: skip
        schedule = st.selectbox("A new table comes", list(SCHEDULES), key="watch-schedule")
    if others := not_offered():
        st.caption(plain(NOT_OFFERED.format(others=others)))
    record, unit = records[str(project)], UNITS[str(schedule)]
    plan, labels_key = Plan.from_json(record.plan_json), f"watch-labels-{project}"
    wanted(labels_key)
    with st.container(horizontal=True):
        name = st.text_input(
            "Name", one_line(record.name, 60), key=f"watch-name-{project}", max_chars=LONGEST_NAME
        )
        labels = st.number_input(
            f"Labels a {unit}", 10, None, max(int(plan.planned or plan.budget or 100), 10), 10,
            key=labels_key,
        )  # fmt: skip
        waves = st.number_input("Tables in all", 2, MOST_WAVES, 52, key="watch-waves")
    required = st.text_area(
        "What must hold, one a line; an alarm also tells that a figure has fallen",
        key=f"watch-required-{project}", placeholder=f"{plan.estimands[0]} >= 0.8", height=68,
    )  # fmt: skip
    given = None
    place = fold("Another first table than that of the project", "fold-first", lambda: None)
    if place is not None:
        with place:
            given = upload(f"The first table: {KINDS}", f"first-{project}")
    lines = tuple(line.strip() for line in required.splitlines() if line.strip())
    terms = int(waves), str(schedule), lines
    with st.container(horizontal=True):
        previews = st.button("What will it notice?", key="watch-preview")
        begins = st.button("Begin the first wave", key="watch-begin", type="primary")
    asked = (str(project), *terms, given and given.file_id)
    if previews:
        st.session_state[PREVIEWED] = asked, sizes_about(int(labels))
    shown = st.session_state.get(PREVIEWED)
    try:
        for line in lines:
            meanings(line, plan)
        if begins:
            population = first_table(record, given)
            monitor = new_monitor(record, plan, name, int(labels), *terms)
            day = SCHEDULES[str(schedule)](datetime.now(UTC).date())
            first = monitor.wave(population, day).project
            st.switch_page("pages/label.py", query_params={"project": first})
        elif shown is not None and shown[0] == asked:
            preview(record, plan, name, given, terms, shown)
    except (ValueError, TypeError, OSError) as error:
        show_refusal(error)


def preview(
    record: ProjectRecord, plan: Plan, name: str, given: UploadedFile | None,
    terms: tuple[int, str, tuple[str, ...]], asked: tuple[Any, tuple[int, ...]],
) -> None:  # fmt: skip
    """What will be noticed with so many labels each time."""
    population = first_table(record, given)
    session = sessions.session(record.name) if given is None else None
    monitor = new_monitor(record, plan, name, asked[1][0], *terms)
    key = *asked, record.plan_json, session and session.labels, population.fingerprint
    previews = simulated(key, population, monitor, asked[1], session)
    show(previews, UNITS[terms[1]], terms[0], session is not None, f"watch-labels-{record.name}")


def first_table(record: ProjectRecord, given: UploadedFile | None) -> Population:
    visitor.require(Right.RUN)
    if given is None:
        return sessions.session(record.name).population
    path = files.keep_upload(given.name, given.getvalue())
    return read_alike(path, record)


def new_monitor(
    record: ProjectRecord, plan: Plan, name: str, labels: int, waves: int, schedule: str,
    required: tuple[str, ...],
) -> Opened:  # fmt: skip
    """The monitor, of which nothing is stored before its first wave. Its draws are not those of
    the project, whose items would be asked again. Raises ValueError with a sentence."""
    if name in monitors.names():
        raise ValueError(f"There is a monitor called {name!r} already. Choose another name.")
    settings = wording_now(sessions.store(), record).items()
    words = {key: text for key, text in settings if key not in NOT_WORDS}
    each = replace(
        plan, budget=labels, margin=None, group_margin=None, stop=None, promise=None,
        planned=None, rules=None, seed=secrets.randbelow(1_000_000),
    )  # fmt: skip
    return Opened(
        sessions.store(), name, each, required, waves=waves, settings={**words, SCHEDULE: schedule}
    )
