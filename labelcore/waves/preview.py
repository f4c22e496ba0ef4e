"""What falls a monitor will notice, and how soon, by simulation before the first label."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from labelcore.bounded import tell
from labelcore.designs.base import IntArray
from labelcore.designs.registry import METHODS
from labelcore.errors import PlanError
from labelcore.estimands import slope_of, table_of
from labelcore.log.engine import Engine
from labelcore.plan.plan import Plan
from labelcore.planning.race import likely_classes
from labelcore.planning.runs import beginnings, label_all
from labelcore.plugins import loaded
from labelcore.population import Population
from labelcore.population.arrays import read_arrays, write_arrays
from labelcore.population.snapshots import open_snapshot
from labelcore.session.session import Session
from labelcore.stats.profile import Cells, FloatArray
from labelcore.tallies import Question
from labelcore.waves.evidence import (
    LONGEST,
    between,
    change_evidence,
    counted,
    fitted,
    requirement_evidence,
)
from labelcore.waves.measured import counts_of, first_given
from labelcore.waves.watches import Watch

SESSIONS, SERIES, QUIET = 300, 300, 12
LONGEST_WAIT = 12
WITHIN = tuple(range(1, LONGEST_WAIT + 1))
HALVINGS = 30
SAID, OFTEN = 4, 0.7
RATES, TABLES = "rates", ("table", "rules")


@dataclass(frozen=True, eq=False)
class MonitorPreview:
    """What a monitor will notice. ``Monitor.preview`` makes it.

    Attributes
    ----------
    labels
        of each wave
    fall
        how far each figure falls
    quiet
        how many waves there were before it
    waves_per_false_alarm
        in how many waves one false alarm is expected
    table
        a row for each line of evidence: watch, estimand, required (None: what it was before), now
        (its value without a fall), after (the value that it falls to), and within 1, 2, .. 12
        waves the share of such falls noticed
    rules
        the same of falls since launch by rules of alarm that come with the method, on the same
        labels: rule, estimand, false (the share of series with an alarm in as many waves as the
        error rate is for, though nothing changed), within 1, 2, .. 12
    """

    labels: int
    fall: float
    quiet: int
    waves_per_false_alarm: float
    table: pd.DataFrame
    rules: pd.DataFrame = field(default_factory=pd.DataFrame)

    def sentence(self) -> str:
        """Say it in plain words.

        Returns
        -------
        str
            A sentence for each line of evidence, and one about false alarms.
        """
        noticed = [
            f"{row['watch']}: a fall of {100 * self.fall:.10g} points is noticed within {SAID} "
            f"waves in {10 * row[f'within {SAID}']:.0f} of 10 cases."
            for _, row in self.table.iterrows()
        ]
        often = f"One false alarm in about {self.waves_per_false_alarm:,.0f} waves."
        return " ".join([f"{self.labels:,} labels a wave.", *noticed, often])

    def waits(self, often: float = OFTEN) -> dict[str, int | None]:
        """How many waves a fall takes to be noticed.

        Parameters
        ----------
        often
            in which share of cases

        Returns
        -------
        dict
            By line of evidence; None where it takes more than 12.
        """
        waves = {}
        for _, row in self.table.iterrows():
            enough = (wave for wave in WITHIN if row[f"within {wave}"] >= often)
            waves[str(row["watch"])] = next(enough, None)
        return waves


@dataclass(frozen=True, slots=True)
class Falls:
    """What is simulated, as plain values that another process can be told.

    plan      as JSON, its size frozen
    watches   name, and the ``Watch`` in parts
    limits    the threshold of each
    waves     that the ``error`` rate is for
    sessions  simulated, without and with each fall
    series    of waves, each drawn from these sessions
    """

    plan: str
    watches: tuple[tuple[str, str, float | None, bool], ...]
    limits: tuple[float, ...]
    waves: int
    error: float
    fall: float
    seed: int
    sessions: int
    series: int = SERIES


def apart(files: Sequence[str], asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """``previewed`` of each of what is asked, in a process of its own.

    files   a snapshot, and what ``write_rates`` wrote where it did
    """
    population = open_snapshot(Path(files[0]))
    kept = read_arrays(Path(files[1])) if len(files) > 1 else None
    rates = None if kept is None else np.array(kept[0][RATES])
    previews = []
    for number, terms in enumerate(asked):
        falls = Falls(**{**terms, "watches": tuple(map(tuple, terms["watches"]))})

        def progress(share: float, done: int = number) -> None:
            tell((done + share) / len(asked))

        preview = previewed(population, falls, rates, progress)
        tables = {name: getattr(preview, name).to_dict("records") for name in TABLES}
        previews.append({**vars(preview), **tables})
    return previews


def write_rates(file: Path, rates: FloatArray) -> None:
    """Keep rates for another process."""
    write_arrays(file, {RATES: rates}, {})


def known_rates(session: Session) -> FloatArray | None:
    """How likely each item is positive by the labels of a session on the same table, (n_items,);
    None where its scores suggest nothing, or it has other than two classes.

    Promise: none; the rate of a stratum is recalibrated from its labels, and where there are few
    it stays what the scores suggest.
    """
    engine = session.engine
    question = next(iter(engine.questions))
    _, suggested = counts_of(engine, question, *first_given(engine))
    if len(engine.population.classes) != 2 or suggested is None:
        return None
    tally = engine.tallies[question.subject]
    cells = tally.cells(engine.population.classes.index(engine.population.positive))
    rates = fitted(cells, np.asarray(suggested))
    return None if rates is None else np.asarray(rates[tally.cell_of])


def previewed(
    population: Population,
    asked: Falls,
    rates: FloatArray | None = None,
    progress: Callable[[float], object] | None = None,
) -> MonitorPreview:
    """The preview of a plan whose size is frozen.

    rates     how likely each item is positive; None: as the scores suggest
    progress  is called with the share that is done
    """
    tell_share = progress or (lambda share: None)
    tell_share(0.0)
    plan, seed, sessions = Plan.from_json(asked.plan), asked.seed, asked.sessions
    random = np.random.default_rng([seed, 1])
    engine = Engine(population, plan)
    codes = _world(population, plan, engine, rates, seed)
    questions = {question.key: question for question in engine.questions}
    quiet = _pools(population, plan, codes, list(questions.values()), seed, sessions)
    rows: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for place, ((name, key, required, facing), limit) in enumerate(
        zip(asked.watches, asked.limits, strict=True), start=1
    ):
        tell_share(place / (1 + len(asked.watches)))
        question = questions[key]
        now = _value(engine, question, codes)
        after = max((now if required is None else min(now, required)) - asked.fall, 0.0)
        worse = _fallen(engine, question, codes, after, random)
        lower = _pools(population, plan, worse, [question], seed + 1, sessions)[key]
        pools = quiet[key], lower
        series = _series(pools, (QUIET, LONGEST_WAIT), asked.series, random)
        noticed = _noticed(engine, question, Watch(key, required, facing), series, limit)
        if required is None:
            none = _series((pools[0], pools[0]), (asked.waves, 0), asked.series, random)
            others += _by_rules(plan, question, asked, series, none)
        rows.append(
            {"watch": name, "estimand": key, "required": required, "now": now, "after": after}
            | {f"within {waves}": float(noticed[waves - 1]) for waves in WITHIN}
        )
    return MonitorPreview(
        int(plan.planned or 0), asked.fall, QUIET, asked.waves / asked.error, pd.DataFrame(rows),
        pd.DataFrame(others),
    )  # fmt: skip


def _world(
    population: Population, plan: Plan, engine: Engine, rates: FloatArray | None, seed: int
) -> IntArray:
    """The class of every item by its rate, or as the scores suggest it, (n_items,)."""
    if len(population.classes) > 2:
        world = likely_classes(population, plan, seed)
        if world is None:
            raise PlanError("a preview of several classes needs scores that are probabilities")
        return world(0)
    if rates is None:
        rates = np.asarray(engine.frame.rates)[np.asarray(engine.frame.stratum[:])]
    positive = population.classes.index(population.positive)
    hit = np.random.default_rng([seed, 0]).random(len(rates)) < rates
    return np.where(hit, positive, 1 - positive).astype(np.int64)


def _census(engine: Engine, question: Question, codes: IntArray) -> Cells:
    return engine.tallies[question.subject].census(codes).cells(question.class_index)


def _value(engine: Engine, question: Question, codes: IntArray) -> float:
    cells = _census(engine, question, codes)
    value = table_of([question.row], cells).value(cells.positive)[0]
    return float(np.nan_to_num(value))


def _fallen(
    engine: Engine, question: Question, codes: IntArray, goal: float, random: np.random.Generator
) -> IntArray:
    """The classes after a figure has fallen: of the items that raise it some at random are of
    another class, in equal shares wherever there are any."""
    cells, cell = _census(engine, question, codes), engine.tallies[question.subject].cell_of
    table = table_of([question.row], cells)
    slope = slope_of(question.row, cells, table.value(cells.positive))
    rises, sinks = slope > 0, slope < 0
    moved = cells.positive * rises, (cells.size - cells.positive) * sinks

    def value(share: float) -> float:
        after = cells.positive - share * moved[0] + share * moved[1]
        return float(np.nan_to_num(table.value(after)[0]))

    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle) > goal else (low, middle)
    n_classes, mine = len(engine.population.classes), cell >= 0
    wanted: int | IntArray | None = question.class_index
    if wanted is None:
        wanted = engine.population.predictions[str(question.classifier)].astype(np.int64)
    positive = codes == wanted
    chosen = mine & (random.random(len(codes)) < high)
    changed = np.where(chosen & positive & rises[cell], (codes + 1) % n_classes, codes)
    return np.where(chosen & ~positive & sinks[cell], wanted, changed).astype(np.int64)


def _pools(
    population: Population,
    plan: Plan,
    codes: IntArray,
    questions: Sequence[Question],
    seed: int,
    sessions: int,
) -> dict[str, Cells]:
    """The counts that sessions on these classes leave, (n_sessions, n_cells) by key."""
    engines = list(beginnings(population, plan, range(seed, seed + sessions)))
    label_all(engines, codes)
    pools = {}
    for question in questions:
        parts = [engine.tallies[question.subject].cells(question.class_index) for engine in engines]
        size, labelled, positive = (
            np.array([getattr(cells, name) for cells in parts])
            for name in ("size", "labelled", "positive")
        )
        pools[question.key] = Cells(size, labelled, positive, parts[0].predicted)
    return pools


def _series(
    pools: tuple[Cells, Cells], waves: tuple[int, int], n_series: int, random: np.random.Generator
) -> Cells:
    """Series of waves from two pools of sessions, so many of each, (n_series, n_waves, n_cells)."""
    kept = len(pools[0].size)
    places = [random.integers(kept, size=(n_series, n_waves)) for n_waves in waves]

    def drawn(name: str) -> FloatArray:
        parts = [getattr(pool, name)[at] for pool, at in zip(pools, places, strict=True)]
        return np.concatenate(parts, axis=1)

    return Cells(drawn("size"), drawn("labelled"), drawn("positive"), pools[0].predicted)


def _noticed(
    engine: Engine, question: Question, watch: Watch, series: Cells, limit: float
) -> FloatArray:
    """The share of series in which the fall was noticed, up to each wave after it."""
    tally = engine.tallies[question.subject]
    several = len(engine.population.classes) > 2 and question.class_index is not None
    suggested = None if several else np.asarray(engine.frame.rates)[tally.stratum]
    alarmed, shares = np.zeros(len(series.size), dtype=bool), []
    for last in range(QUIET + 1, QUIET + LONGEST_WAIT + 1):
        first = 0 if watch.required is None else max(0, last - LONGEST)
        silent = np.flatnonzero(~alarmed)
        waves = counted(between(series, first, last), partial(np.take, indices=silent, axis=0))
        if watch.required is None:
            evidence = change_evidence(waves, question.row, suggested, facing=watch.facing)
        else:
            evidence = requirement_evidence(waves, question.row, watch.required, suggested)
        alarmed[silent] = evidence.sum(axis=1) >= limit
        shares.append(float(alarmed.mean()))
    return np.array(shares)


def _by_rules(
    plan: Plan, question: Question, asked: Falls, fallen: Cells, unchanged: Cells
) -> Iterator[dict[str, Any]]:
    """Rows of ``MonitorPreview.rules``. Series with an alarm before the fall are left out of what
    is noticed."""
    rule = METHODS[plan.design].alarm
    if rule is None or question.row.name not in rule.figures or question.group is not None:
        return
    of_series = loaded(rule.noticed)
    false = of_series(unchanged, question.row.name, asked.waves, asked.error)
    for name, noticed in of_series(fallen, question.row.name, asked.waves, asked.error).items():
        after = noticed[~noticed[:, QUIET - 1]][:, QUIET:]
        yield {
            "rule": name, "estimand": question.key, "false": float(false[name][:, -1].mean()),
            **{f"within {waves}": float(np.mean(after[:, waves - 1])) for waves in WITHIN},
        }  # fmt: skip
