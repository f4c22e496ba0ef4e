"""What a wave leaves for those after it: figures, and counts by stratum of the labels that were
first given in it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from labelcore.log.engine import Engine
from labelcore.planning.runs import label_all
from labelcore.promises import Status, Unsure
from labelcore.results.told_values import too_wide
from labelcore.results.types import Estimate
from labelcore.session.carried import CARRIED, terms_of
from labelcore.session.projects import KEPT
from labelcore.session.session import Session
from labelcore.stats.judged import judged_cells
from labelcore.stats.profile import Cells, FloatArray
from labelcore.store import LabelStore, ProjectRecord, Settings
from labelcore.tallies import InGroup, Question

JUDGED = "judged"
"""The term of monitors whose evidence is of the items that a person can judge, as figures are."""
ABSENT = 1e-6
"""The size of a cell that a wave has not."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of one wave by itself, and its counts by cell.

    counts      (stratum, predicted, size, labelled, positive) of each cell
    suggested   the rate of each cell by the scores; None where the method has none
    """

    value: float | None
    low: float
    high: float
    counts: list[list[float]]
    suggested: list[float] | None

    @property
    def told(self) -> float | None:
        """``value``; None where its interval is too wide for one."""
        return None if too_wide(self.low, self.high) else self.value


@dataclass(frozen=True, slots=True)
class Measured:
    """One wave as its log tells it.

    labels     labels in force, first: of these those first given in this wave, left: still planned
    over       whether the planned size was answered, or the wave was closed with what it had
    seen       whether figures were looked at before it was closed early
    restarted  why the monitor began anew after it; "" where it goes on
    figures    by key; none while it is not over: its figures are hidden
    """

    wave: str
    project: str
    labels: int
    first: int
    left: int
    over: bool
    seen: bool
    restarted: str
    figures: dict[str, Figure]

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Measured:
        figures = {key: Figure(**figure) for key, figure in fields["figures"].items()}
        return cls(**{**fields, "figures": figures})


def measured(
    store: LabelStore, records: Sequence[ProjectRecord], opened: Callable[[str], Session]
) -> list[Measured]:
    """What each wave left, made once for each position of its log and kept beside its words, so
    that a look at fifty waves opens none. While a wave is not over, what comes home to it follows
    the logs of those before it, too.

    records   of the waves, the oldest first
    """
    waves, before = [], 0
    for record in records:
        events = store.last_sequence(record.name)
        kept = json.loads(record.settings_json).get(KEPT)
        if kept and kept["events"] == events:
            wave = Measured.from_json(kept["found"])
            if wave.over or kept.get("before") == before:
                waves.append(wave)
                before += events
                continue
        waves.append(of_session(opened(record.name)))
        events = store.last_sequence(record.name)  # What was looked at is an event.
        found = {"events": events, "before": before, "found": asdict(waves[-1])}
        store.change_settings(record.name, partial(_keeping, found))
        before += events
    return waves


def _keeping(found: dict[str, Any], settings: Settings) -> Settings:
    return {**settings, KEPT: found}


def of_session(session: Session) -> Measured:
    """What the session of a wave leaves."""
    session.sync()
    engine, terms = session.engine, terms_of(session.record)
    over = is_over(session)
    kinds = [event.kind for event in session.events]
    ends = [place for place, kind in enumerate(kinds) if kind == "finished"]
    early = bool(ends) and "looked" in kinds[: ends[-1]]
    restarts = [event.text or "" for event in session.events if event.kind == "restarted"]
    positions, codes = first_given(engine)
    figures = {}
    if over:
        results = session.results()
        for question in engine.questions:
            estimate = results.one(Estimate, question.key)
            figures[question.key] = Figure(
                estimate.value, estimate.low, estimate.high,
                *counts_of(engine, question, positions, codes, bool(terms.get(JUDGED))),
            )  # fmt: skip
    return Measured(
        str(terms["wave"]), session.project, engine.labels, len(positions),
        0 if over else waiting(session), over,
        early and not session.complete, restarts[-1] if restarts else "", figures,
    )  # fmt: skip


def is_over(session: Session) -> bool:
    """Whether the planned size was answered, or the wave was closed with what it had."""
    return session.complete or session.status not in (Status.OPEN, Status.WAITING)


def waiting(session: Session) -> int:
    """``Measured.left``: the session is played to its end, because which of what is planned comes
    home follows the answers."""
    engine, home = session.engine, session.home
    left = max(min(engine.planned, engine.most) - engine.answers_given, 0)
    if not home.labels:
        return left
    population, first = session.population, engine.classifiers[0]
    n_items = len(population)
    codes = np.zeros(n_items, dtype=np.int64)
    if first in population.predictions:
        codes[:] = population.predictions[str(first)]
    for item_id, label in home.labels.items():
        with suppress(ValueError):
            codes[population.position(item_id)] = engine.classes[label.answer]
    answered = set()
    for index, asked in enumerate(engine.asked, start=1):
        event = engine.in_force(index)
        if event is not None:
            answered.add(asked.position)
            if event.label is not None:
                codes[asked.position] = engine.classes[event.label]
    played = Engine(population, session.plan)
    label_all([played], codes)
    new = [draw.position for draw in played.asked if draw.position not in answered]
    return sum(session.label_at_home(population.id_at(position)) is None for position in new)


def first_given(engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Position and class of the labels that did not come home, up to the last answered draw."""
    given = []
    for index, asked in enumerate(engine.asked[: engine.prefix()], start=1):
        event = engine.in_force(index)
        if event is None or event.label is None or asked.answers[0].annotator == CARRIED:
            continue
        given.append((asked.position, engine.classes[event.label]))
    position, code = np.array(given, dtype=np.int64).reshape(-1, 2).T
    return position, code


def counts_of(
    engine: Engine, question: Question, positions: np.ndarray, codes: np.ndarray,
    judged: bool = False,
) -> tuple[list[list[float]], list[float] | None]:  # fmt: skip
    """``Figure.counts`` and ``Figure.suggested`` of these labels alone; ``judged``: with sizes of
    items that a person can judge, as all answers of the wave tell them, not those of the file."""
    subject = question.subject
    whole = subject.whose if isinstance(subject, InGroup) else subject
    tally = engine.tallies[whole].emptied()
    tally.add_all(positions, codes)
    if isinstance(subject, InGroup):
        tally = tally.of_group(subject.group)
    cells = tally.cells(question.class_index)
    if judged and engine.unsure_reading == Unsure.JUDGED:
        every = engine.tallies[subject]
        unsure = every.unresolved(engine.undecided_positions())
        cells = replace(cells, size=judged_cells(every.cells(question.class_index), unsure).size)
    known = engine.frame.known_as
    names = (
        tally.stratum if known is None else np.where(tally.stratum < 0, -1, known[tally.stratum])
    )
    columns = names, cells.predicted, cells.size, cells.labelled, cells.positive
    counts = np.column_stack([np.asarray(column, dtype=float) for column in columns]).tolist()
    several = len(engine.population.classes) > 2 and question.class_index is not None
    return counts, None if several else engine.frame.rates[tally.stratum].tolist()


def side_by_side(figures: Sequence[Figure]) -> tuple[Cells, FloatArray | None]:
    """The counts of several waves, (n_waves, n_cells), and what the scores suggest of each cell;
    cells are told apart by stratum and prediction."""
    keys = sorted({(cell[0], cell[1]) for figure in figures for cell in figure.counts})
    place = {key: at for at, key in enumerate(keys)}
    size, labelled, positive = np.zeros((3, len(figures), len(keys)))
    size += ABSENT
    suggested = np.full(len(keys), 0.5)
    for wave, figure in enumerate(figures):
        at = [place[cell[0], cell[1]] for cell in figure.counts]
        size[wave, at], labelled[wave, at], positive[wave, at] = np.array(figure.counts)[:, 2:].T
        if figure.suggested is not None:
            suggested[at] = figure.suggested
    cells = Cells(size, labelled, positive, np.array([bool(predicted) for _, predicted in keys]))
    known = all(figure.suggested is not None for figure in figures)
    return cells, suggested if known else None


ENDS = ("value", "low", "high")


def compared(now: Measured, then: Measured | None = None) -> pd.DataFrame:
    """A row for each figure of a finished wave, as ``Monitor.compare`` gives it, and for those of
    the earlier one that it lacks; NaN for a value that is not known or whose interval is too wide,
    and for a difference that would tell one."""
    rows, unknown = [], Figure(None, 0.0, 1.0, [], None)
    for key in dict.fromkeys([*now.figures, *(then.figures if then is not None else ())]):
        figure = now.figures.get(key, unknown)
        row = {"estimand": key, "value": figure.told, "low": figure.low, "high": figure.high}
        if then is not None:
            before = then.figures.get(key, unknown)
            change, low, high = difference(figure, before)
            hidden = figure.told is None or before.told is None
            told = math.nan if hidden or too_wide(low, high, 2.0) else change
            numbers = (before.told, before.low, before.high), (told, low, high)
            for which, ends in zip(("earlier", "difference"), numbers, strict=True):
                row |= {f"{which}_{end}": n for end, n in zip(ENDS, ends, strict=True)}
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.astype({name: float for name in table.columns if name != "estimand"})


def difference(now: Figure, then: Figure) -> tuple[float, float, float]:
    """Value, low and high of a difference; NaN, -1 and 1 where one of both is not known.

    Promise: approximate, by itself: whoever looks at several, or chooses two waves after having
    seen them, is wrong more often. Assumption: no label counts for both waves; where some do, both
    err in one direction, and the interval is wider than it need be.
    Source: Zou and Donner (2008), MOVER.
    """
    if now.value is None or then.value is None:
        return math.nan, -1.0, 1.0
    change = now.value - then.value
    below = math.hypot(now.value - now.low, then.high - then.value)
    above = math.hypot(now.high - now.value, then.value - then.low)
    return change, max(change - below, -1.0), min(change + above, 1.0)
