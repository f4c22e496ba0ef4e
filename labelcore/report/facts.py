"""Everything a report says, gathered once from a session."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pandas as pd

from labelcore.designs.lists import ComparesLists
from labelcore.figures.confusion import Bounds, cell_bounds, labelled_cells
from labelcore.figures.sampled import drawn_evenly
from labelcore.figures.scalars import headline_stage, scalar_results, second_stage_started
from labelcore.figures.with_classifier import if_swayed
from labelcore.log.events import ANSWER_KINDS, Event, genesis
from labelcore.log.people import people_count
from labelcore.population.revealing import MAY_SHOW, shown_outputs
from labelcore.promises import Promise
from labelcore.report.along_ranks import along_ranks, headline, rank_names
from labelcore.report.dates import people_words, span_words
from labelcore.report.figure_table import apart_from, tables_of
from labelcore.report.judged import judged_of
from labelcore.results.base import Finding
from labelcore.results.calibration import Calibration
from labelcore.results.cells import Table
from labelcore.results.curves import Band
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.session.session import Session
from labelcore.version import __version__
from labelcore.words.existing import taken_words

if TYPE_CHECKING:
    from labelcore.store import ProjectRecord


class Told(StrEnum):
    """When labellers were told what the classifier says."""

    ALWAYS = "always"
    PARTLY = "partly"
    NEVER = "never"


Confusion = tuple[str, pd.DataFrame, Bounds, pd.DataFrame]


@dataclass(frozen=True, slots=True)
class OtherProject:
    """Another project on the same items: each is one more chance to find what one hopes for."""

    name: str
    created_at: str
    same_reading: bool


class Facts:
    """What a report is made of, all of it as a session is now.

    tables        the table of figures, by the groups of the plan, and one by each other column
    judged        systems that a model judges, and the judge; None where nobody asked
    given         by whom and when the labels were given, "" without any
    sentence      the one sentence to quote: the primary result, and who labelled when
    interim       whether labelling is not finished yet
    as_of         the time of the last event, or of the project where there is none
    curves        every reading where the plan asks for a curve, else precision and recall
    calibration   how many items are positive at each score; None where there is no band of it
    along         what the curve says at ranks that a reader asks for; None without one
    courses       of each number how it came about, as `Session.course` tells it
    strata_names  the stretches of ranks, where the strata are such
    rewordings    (when, what, before, after) of each wording that was changed
    counts        answers in force by kind, and how many were undone, changed, flagged, noted
    label_error   what the items judged twice say of the labels
    agreement     how far people agree, None where the plan does not ask several of them
    second_stage  results over all labels, where there are some after a fixed promise was due; they
                  have no promise
    seal          the hash of the last event
    held          what the log was held against
    existing      the labels from before the project that the plan uses; before: how many of them
                  count as a random sample
    saved         what helpers saved, None without helpers
    confusions    of each classifier that has predictions its name, items by prediction and truth,
                  the bounds and the labels of each cell; () before there is an interval
    drawn_evenly  whether the labels are a plain random sample of the whole file
    dots          whether dots told after each answer if the classifier says the same: always, for a
                  part of the time or never
    swayed        how far figures would move if labels had been swayed by that; {} without dots
    further       the choices at other required precisions that labels were asked for
    people        the names under which the labels in force were given
    people_count  how many people they are, None where nobody can tell

    Looking is recorded: a report on new labels is a look. Raises BrokenLogError when the log was
    changed outside Labelcore.
    """

    def __init__(self, session: Session) -> None:
        self.held = session.check_log()
        session.store.anchor("report")
        self.results: Mapping[str, Finding] = session.results()
        self.events = tuple(session.events)
        engine, state = session.engine, session.state
        self.project = session.project
        self.record = record = session.store.project(session.project)
        self.population = session.population
        self.plan = session.plan
        self.settings = session.settings
        self.status = session.status
        self.stop_reason = state.stop_reason
        self.interim = not engine.finished
        self.version = __version__
        self.as_of = self.events[-1].at if self.events else record.created_at
        first = genesis(record.fingerprint, record.plan_json)
        self.seal = self.events[-1].hash if self.events else first
        self.counts = _counts(session, self.events)

        given = [event for event in self.events if event.kind == "labelled"]
        labels = [event for event in given if state.in_force(event)]
        named = session.store.people(session.project)
        self.span = (given[0].at, given[-1].at) if given else None
        self.people = sorted({event.annotator for event in labels})
        self.people_count = people_count(labels, named, apart=bool(session.plan.overlap))
        self.given = _given(self.span, self.people_count)
        self.sentence = headline(session, self.given)

        self.tables = tables_of(session)
        self.judged = judged_of(session)
        self.along = along_ranks(session)
        self.curves = _curves(session) if self.along is None else self.along.bands
        self.calibration = _calibration(session)
        self.strata = session.strata()
        self.strata_names = rank_names(session)
        self.looks = session.looks()
        self.courses = {key: session.course(key) for key, result in self.results.items()
                        if isinstance(result, Estimate)}  # fmt: skip
        self.label_error = session.label_error()
        self.agreement = session.agreement() if session.plan.overlap else None
        self.second_stage = _second_stage(session)
        self.notes = tuple(engine.frame.notes)
        self.others = _others(session, record)
        self.existing, self.before = engine.existing, engine.given
        self.saved = engine.design.saved(engine.setup, engine.frame, engine.progress)
        self.confusions = _confusions(session, self.results)
        self.drawn_evenly = drawn_evenly(engine)
        self.rewordings = _rewordings(record, self.events)
        self.dots = _dots(session, self.rewordings, self.span[0] if self.span else "")
        self.swayed = {} if self.dots == Told.NEVER else if_swayed(engine)
        self.further = session.figures.further_choices()

    @property
    def reworded(self) -> int:
        """How often words were changed; what dots tell is none of them."""
        return len({at for at, name, *_ in self.rewordings if name != "dots"})

    @property
    def existing_words(self) -> str:
        """The labels that the file held and what they are taken for; "" without any."""
        known = self.population.known
        number = 0 if known is None else int((known >= 0).sum())
        return taken_words(number, str(self.plan.existing)) if number else ""

    @property
    def revealing(self) -> tuple[str, ...]:
        """The content columns that may show a model's output: by name, or as the project says."""
        shown = self.settings.get(MAY_SHOW)
        outputs = [name for name in self.population.content_columns if name in (shown or ())]
        return tuple(dict.fromkeys((*shown_outputs(self.population), *outputs)))

    @property
    def title(self) -> str:
        """The project's title, else its name."""
        return self.text("title") or self.project

    def text(self, key: str) -> str:
        """One of the settings as text, "" when it was not given."""
        return value_text(self.settings.get(key))

    @property
    def without_confidence(self) -> bool:
        """Whether the method's bounds have no confidence, whatever the plan says."""
        bands = [result for result in self.results.values() if isinstance(result, Band)]
        return any(band.confidence is None for band in bands)

    @property
    def confidence(self) -> float:
        """The plan's confidence, or that of a method which has an error level of its own."""
        sure = (bound for bound in self.results.values() if isinstance(bound, (Band, Choice)))
        return next((bound.confidence for bound in sure if bound.confidence), self.plan.confidence)

    @property
    def table(self) -> Table | None:
        """What is asked, as a table; None where that would be one row."""
        asked = [table.of_asked() for table in self.tables[:1]]
        return next((table for table in asked if len(table.rows) > 1), None)

    @property
    def numbers(self) -> list[Estimate]:
        """The results that are one number each."""
        return [result for result in self.results.values() if isinstance(result, Estimate)]

    @property
    def claims(self) -> list[Claim]:
        """The claims in the order of the plan."""
        return [result for result in self.results.values() if isinstance(result, Claim)]

    @property
    def apart(self) -> list[Estimate]:
        """The numbers that no table holds: differences, and summaries of a list."""
        return apart_from(self.tables, self.numbers)

    @property
    def primary(self) -> Finding:
        """The result that the plan names first."""
        return next(iter(self.results.values()))

    def ends(self) -> list[Event]:
        """The events that stopped, finished or extended the labelling, in order."""
        ends = ("stopped", "finished", "extended", "sought")
        return [event for event in self.events if event.kind in ends]


def _dots(session: Session, rewordings: Sequence[tuple[str, str, str, str]], first: str) -> Told:
    """``first``: when the first label was given; what was said before counts for nothing."""
    if first and any(name == "dots" and at > first for at, name, _, _ in rewordings):
        return Told.PARTLY
    return Told.ALWAYS if session.settings.get("dots") is True else Told.NEVER


def _confusions(session: Session, results: Mapping[str, Finding]) -> tuple[Confusion, ...]:
    known = session.population.predictions
    names = [name for name in session.engine.classifiers if name is not None and name in known]
    due = any(isinstance(band, Estimate | Band) and band.has_interval for band in results.values())
    if not due or isinstance(session.plan.method, ComparesLists):
        return ()
    engine = headline_stage(session.engine)
    return tuple(
        (name, session.confusion(name), cell_bounds(engine, name), labelled_cells(engine, name))
        for name in names
    )


def _given(span: tuple[str, str] | None, people: int | None) -> str:
    """By whom and when the labels were given; "" without labels."""
    if span is None:
        return ""
    return (f"by {people_words(people)}, " if people else "of ") + span_words(*span)


def _curves(session: Session) -> tuple[Band, ...] | None:
    if len(session.population.classes) > 2 or session.labels == 0:
        return None
    try:
        return session.curves()
    except ValueError:
        return None


def _calibration(session: Session) -> Calibration | None:
    try:
        curve = session.calibration()
    except ValueError:
        return None
    return curve if curve.has_band else None


def _counts(session: Session, events: Sequence[Event]) -> dict[str, int]:
    """How many answers of each kind are in force, and what happened on the way."""
    engine, state, kinds = session.engine, session.state, session.state.events
    answered = [event for event in events if event.kind in ANSWER_KINDS]
    return {
        "drawn": len(engine.asked),
        "labelled": engine.kinds["labelled"],
        "unsure": engine.kinds["unsure"],
        "broken": engine.kinds["broken"],
        "later": engine.kinds["later"],
        "unanswered": len(engine.waiting_indices()) - engine.kinds["later"],
        "undone": kinds["undone"],
        "changed": sum(event.previous is not None for event in answered),
        "flagged": sum(state.flagged(index) for index in state.marks["flagged"]),
        "noted": sum(bool(event.text) for event in state.marks["noted"].values()),
        "looks": kinds["looked"],
        "reworded": kinds["reworded"],
        "released": kinds["released"],
        "late": kinds["late"],
    }


def _rewordings(record: ProjectRecord, events: Sequence[Event]) -> list[tuple[str, str, str, str]]:
    """Every wording that was changed, in order; what people are called is none."""
    words, changes = json.loads(record.settings_json), []
    for event in events:
        if event.kind == "worded":
            words = dict(event.detail)
        if event.kind == "reworded":
            for name, after in event.detail.items():
                changes.append((event.at, name, value_text(words.get(name)), value_text(after)))
                words[name] = after
    return [change for change in changes if change[1] != "names"]


def value_text(value: Any) -> str:
    """A setting as text; lists and mappings entry by entry.

    >>> value_text({"words": ["a", "b"], "patterns": []}), value_text(None)
    ('words: a, b', '')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, Mapping):
        return "; ".join(
            f"{name}: {text}" for name, entry in value.items() if (text := value_text(entry))
        )
    if isinstance(value, (list, tuple)):
        return ", ".join(value_text(entry) for entry in value)
    return json.dumps(value, ensure_ascii=False)


def _second_stage(session: Session) -> dict[str, Estimate]:
    if not second_stage_started(session.engine):
        return {}
    return {
        key: replace(estimate, promise=Promise.NONE)
        for key, estimate in scalar_results(session.engine).items()
    }


def _others(session: Session, record: ProjectRecord) -> list[OtherProject]:
    """Projects of the store that read the same file, in the same or in another way."""
    own_path = json.loads(record.population_json).get("path")
    others = []
    for other in session.store.projects():
        same = other.fingerprint == record.fingerprint
        path = json.loads(other.population_json).get("path")
        if other.name != record.name and (same or path == own_path):
            others.append(OtherProject(other.name, other.created_at, same))
    return others
