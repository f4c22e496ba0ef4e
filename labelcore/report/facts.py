"""Everything a report says, gathered once from a session."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from labelcore.estimation import scalar_results, second_stage_started
from labelcore.log import ANSWER_KINDS, Event, genesis
from labelcore.plan import Plan
from labelcore.population import Population
from labelcore.report.dates import people_words, span_words
from labelcore.results import Band, Estimate, Result
from labelcore.session import Session
from labelcore.words import count

if TYPE_CHECKING:
    from labelcore.store import ProjectRecord


@dataclass(frozen=True, slots=True)
class OtherProject:
    """Another project on the same items: each is one more chance to find what one hopes for."""

    name: str
    created_at: str
    same_reading: bool


@dataclass(frozen=True, eq=False, slots=True)
class Facts:
    """What a report is made of.

    interim       whether labelling is not finished yet
    as_of         the time of the last event, or of the project where there is none
    counts        answers in force by kind, and how many were undone, changed, flagged, noted
    second_stage  results over all labels, where a fixed promise was extended; they have no promise
    seal          the hash of the last event
    """

    project: str
    record: ProjectRecord
    population: Population
    plan: Plan
    settings: Mapping[str, Any]
    results: Mapping[str, Result]
    curves: tuple[Band, ...] | None
    strata: pd.DataFrame
    events: Sequence[Event]
    looks: Sequence[Mapping[str, Any]]
    status: str
    interim: bool
    as_of: str
    counts: Mapping[str, int]
    people: Sequence[str]
    span: tuple[str, str] | None
    second_stage: Mapping[str, Estimate]
    notes: Sequence[str]
    others: Sequence[OtherProject]
    seal: str
    version: str

    @property
    def title(self) -> str:
        """The project's title, else its name."""
        return self.text("title") or self.project

    def text(self, key: str) -> str:
        """One of the settings as text, "" when it was not given."""
        value = self.settings.get(key)
        if value is None or value == "":
            return ""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    @property
    def primary(self) -> Result | None:
        """The result that the plan names first."""
        return next(iter(self.results.values()), None)

    @property
    def sentence(self) -> str:
        """The one sentence to quote: the primary result, and who labelled when."""
        if self.primary is None:
            return "Nothing was asked, so nothing is known."
        return self.dated(self.primary)

    def dated(self, result: Result) -> str:
        """A result's sentence with the people and the days of the labels."""
        sentence = result.sentence()
        source = f"from {count(result.labels_used)}"
        before, found, after = sentence.rpartition(source)
        if not found or self.span is None:
            return sentence
        by = people_words(len(self.people))
        return f"{before}{found} by {by}, {span_words(*self.span)}{after}"

    def ends(self) -> list[Event]:
        """The events that stopped, finished or extended the labelling, in order."""
        return [event for event in self.events if event.kind in ("stopped", "finished", "extended")]


def gather(session: Session) -> Facts:
    """The facts of a session now. Looking is recorded: a report on new labels is a look."""
    results = session.results()
    events = tuple(session.events)
    record = session.store.project(session.project)
    given = [event for event in events if event.kind == "labelled"]
    return Facts(
        project=session.project,
        record=record,
        population=session.population,
        plan=session.plan,
        settings=session.settings,
        results=results,
        curves=_curves(session),
        strata=session.strata(),
        events=events,
        looks=[{**event.detail, "at": event.at} for event in events if event.kind == "looked"],
        status=session.status,
        interim=not session.engine.finished,
        as_of=events[-1].at if events else record.created_at,
        counts=_counts(session, events),
        people=sorted({event.annotator for event in given}),
        span=(given[0].at, given[-1].at) if given else None,
        second_stage=_second_stage(session),
        notes=tuple(session.engine.frame.notes),
        others=_others(session, record),
        seal=events[-1].hash if events else genesis(record.fingerprint, record.plan_json),
        version=str(sys.modules["labelcore"].__version__),
    )


def _curves(session: Session) -> tuple[Band, ...] | None:
    if len(session.population.classes) > 2 or session.labels == 0:
        return None
    try:
        return session.curves()
    except ValueError:
        return None


def _counts(session: Session, events: Sequence[Event]) -> dict[str, int]:
    """How many answers of each kind are in force, and what happened on the way."""
    engine, kinds = session.engine, Counter(event.kind for event in events)
    answered = [event for event in events if event.kind in ANSWER_KINDS]
    flags = {event.index: event.text == "yes" for event in events if event.kind == "flagged"}
    notes = {event.index: bool(event.text) for event in events if event.kind == "noted"}
    return {
        "drawn": len(engine.asked),
        "labelled": engine.kinds["labelled"],
        "unsure": engine.kinds["unsure"],
        "broken": engine.kinds["broken"],
        "later": engine.kinds["later"],
        "unanswered": len(engine.waiting_indices()) - engine.kinds["later"],
        "undone": kinds["undone"],
        "changed": sum(event.previous is not None for event in answered),
        "flagged": sum(flags.values()),
        "noted": sum(notes.values()),
        "looks": kinds["looked"],
        "reworded": kinds["reworded"],
    }


def _second_stage(session: Session) -> dict[str, Estimate]:
    if not second_stage_started(session.engine):
        return {}
    return {
        key: replace(estimate, promise="none")
        for key, estimate in scalar_results(session.engine).items()
    }


def _others(session: Session, record: ProjectRecord) -> list[OtherProject]:
    """Projects of the store that read the same file, in the same or in another way."""
    own_path = json.loads(record.population_json).get("path")
    found = []
    for other in session.store.projects():
        same = other.fingerprint == record.fingerprint
        path = json.loads(other.population_json).get("path")
        if other.name != record.name and (same or path == own_path):
            found.append(OtherProject(other.name, other.created_at, same))
    return found
