"""A project in a few figures, from its record and log alone: its file is not opened."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import streamlit as st

from labelcore.estimands import CHOICES, CURVES, SUMMARIES
from labelcore.log.events import ANSWER_KINDS, Event
from labelcore.log.history import told
from labelcore.log.state import LogState
from labelcore.plan.plan import Plan
from labelcore.population.population import judged
from labelcore.promises import ChoiceStatus, Promise, State, Status
from labelcore.results.told_values import Told, kept_back
from labelcore.session.carried import CARRIED, MONITOR
from labelcore.settings import data_folder
from labelcore.store import ProjectRecord
from labelcore.ui import sessions, visitor
from labelcore.words.choices import ChoiceOfProject
from labelcore.words.counts import answers_words
from labelcore.words.differences import is_difference
from labelcore.words.pilots import Size, size_now
from labelcore.words.stops import stopped_short

GIVEN = (*ANSWER_KINDS, "reread", "late")
"""Kinds of events by which a person answers."""
CHECKED_SECONDS = 600
"""How long a summary is remembered: a log costs about 20 microseconds an event to read again."""


@dataclass(frozen=True)
class Known(Told):
    """A figure as the log keeps it: ``told`` is its value where that may be told, ``low`` and
    ``high`` are NaN where they may not be shown. Of a curve they are of the first ``rank`` items,
    with a look by an older version the means over all ranks; ``rank`` is 0 then. ``audit``: it is
    about answers that a model judged."""

    estimand: str
    told: float | None = None
    low: float = math.nan
    high: float = math.nan
    state: State = State.NOTHING
    tentative: bool = False
    confidence: float | None = None
    rank: int = 0
    audit: bool = False


@dataclass(frozen=True)
class Summary:
    """``known`` is what the last look says of the primary figure; ``people`` are the names under
    which answers were given; ``size`` says ``planned`` as *Label* does; ``wave``: of a monitor;
    ``path``: the file's; ``choice``: what the last look says of a choice; ``changed``: the log was
    changed outside Labelcore, and all else is of what stands before that."""

    name: str
    question: str
    file: str
    answered: int
    answers: str
    planned: int
    known: Known
    people: tuple[str, ...]
    status: str
    last_save: str | None
    trial: str
    created: str = ""
    archived: bool = False
    size: str = ""
    wave: bool = False
    path: str = ""
    choice: ChoiceOfProject | None = None
    changed: bool = False

    @property
    def done_wave(self) -> bool:
        """Whether it is a wave of a monitor that is labelled or closed."""
        return self.wave and (self.answered >= self.planned or self.status == Status.FINISHED)

    @property
    def of_planned(self) -> str:
        return f"of {self.size} {'unchanged' if self.changed else 'judged'}"


def summarise(record: ProjectRecord, log: Sequence[Event]) -> Summary:
    """From the part of the log that was not changed outside Labelcore."""
    state = told(log, record.fingerprint, record.plan_json)
    file = json.loads(record.population_json)
    plan = json.loads(record.plan_json)
    settings = state.settings(record.settings_json)
    named, given = settings.get("names", {}), {one.annotator for one in log if one.kind in GIVEN}
    changed = state.sequence < len(log)
    broken = f"log changed at event {state.sequence + 1:,}" if changed else ""
    book, read = state.book, _read(record)
    stored = int(plan.get("planned") or plan.get("budget") or 0)
    size = size_now(read, book, int(file.get("given", 0))) if read else Size(labels=stored)
    return Summary(
        name=record.name,
        question=str(settings.get("question", "")),
        file=file["path"].rsplit("/", 1)[-1],
        answered=book.answers_given,
        answers=answers_words(book.kinds),
        planned=size.labels,
        known=replace(
            _primary(state, str(plan["estimands"][0]), float(plan["confidence"])),
            audit=judged(file["arguments"]) and len(file["arguments"].get("classes") or "no") == 2,
        ),
        people=tuple({named.get(name, name) for name in given - {CARRIED}}),
        status=broken or status_words(state, size.labels, open_end=size.open_end),
        last_save=state.last_save,
        trial=str(settings.get("trial", "")),
        created=record.created_at,
        archived=record.archived,
        size=f"{size.how}{size.labels:,}",
        wave=MONITOR in settings,
        path=str(file["path"]),
        choice=_choice(state, read, str(settings.get("question") or record.name)),
        changed=changed,
    )


def _read(record: ProjectRecord) -> Plan | None:
    """The plan; None where its method is not there, or of another version."""
    try:
        return Plan.from_json(record.plan_json)
    except ValueError:
        return None


def _choice(state: LogState, plan: Plan | None, asked: str) -> ChoiceOfProject | None:
    """The choice between candidates that a plan asks for; None where it asks for none, or nobody
    can read how."""
    if plan is None or plan.estimands[0] not in CHOICES:
        return None
    params: Any = plan.design_params
    look = dict(state.looks[-1]) if state.looks else {}
    result = dict(look.get("results", {}).get(plan.estimands[0], {}))
    chosen = result.get("chosen")
    return ChoiceOfProject(
        asked,
        float(params.precision_threshold),
        1 - plan.confidence if params.delta is None else float(params.delta),
        ChoiceStatus(result.get("state", ChoiceStatus.UNDECIDED)),
        chosen,
        math.nan if chosen is None else float(result["candidates"][chosen]["low"]),
        int(look.get("labels", 0)),
    )


def status_words(state: LogState, planned: int, *, open_end: bool = False) -> str:
    """Where the project stands, by its log; ``open_end``: it may go on beyond ``planned``."""
    book = state.book
    if book.finished:
        return Status.FINISHED
    if book.extended:
        return "extended"
    if book.stopped:
        return stopped_short(state.stop_reason)
    if not book.answers_given:
        return "not started"
    done = book.answers_given >= planned and not open_end
    return "all planned labels are there" if done else "labelling"


def _primary(state: LogState, estimand: str, confidence: float) -> Known:
    """What the last look says of the primary result, the first class's where there are several."""
    results = dict(state.looks[-1].get("results", {})) if state.looks else {}
    keys = [key for key in results if key == estimand or key.startswith(f"{estimand}[")]
    if not keys:
        return Known(estimand)
    result = results[keys[0]]
    if "value" not in result:  # A choice between candidates is no figure.
        return Known(keys[0])
    promised, stands = str(result["promise"]) != Promise.NONE, State(result["state"])
    if head := result.get("head"):
        ends, sure = (head["value"], head["low"], head["high"]), confidence if promised else None
        return Known(keys[0], *ends, stands, confidence=sure, rank=head["rank"])
    low, high = (float(result.get(end, math.nan)) for end in ("low", "high"))
    along = keys[0] in CURVES or keys[0] in SUMMARIES
    is_told = not along or (promised and stands.has_interval)
    is_told = is_told and not kept_back(result, 2.0 if is_difference(keys[0]) else 1.0)
    return Known(
        keys[0],
        # The middle between bounds that are wide, or without a promise, is no estimate.
        result["value"] if is_told else None,
        low,
        high,
        stands,
        bool(result.get("tentative")),
        confidence if promised else None,
    )


@st.cache_data(show_spinner=False, max_entries=500)
def _summary(name: str, stands: tuple[object, ...]) -> Summary:
    """Remembered for as long as it ``stands`` so."""
    store = sessions.store()
    return summarise(store.project(name), store.events(name))


def summaries() -> list[Summary]:
    """Every project, those put away too, the newest first."""
    store = sessions.store()
    # A log that was changed in place has no new event: it is read again after a time.
    now = str(data_folder()), int(monotonic() // CHECKED_SECONDS)

    def stands(record: ProjectRecord) -> tuple[object, ...]:
        at = record.created_at, store.last_sequence(record.name)
        return *now, *at, record.settings_json, record.archived

    visible = filter(visitor.visible, store.projects())
    return [_summary(record.name, stands(record)) for record in visible]
