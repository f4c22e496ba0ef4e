"""A monitor of a table that changes every night, most of its labels coming home: for
``benchmarks.monitor``.

Series of one table have its scores in common; truth and draw order are their own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

import labelcore as lc
from benchmarks.harness import Row
from labelcore.designs.base import Look
from labelcore.designs.profile_figures import g_profile
from labelcore.designs.progress import Progress
from labelcore.estimands import SCALARS
from labelcore.log.engine import Engine
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.promises import Promise
from labelcore.stats.profile import Cells, FloatArray
from labelcore.waves.evidence import (
    LONGEST,
    between,
    each_start,
    fitted,
    guarded,
    joined,
    signed_root,
    threshold,
)
from labelcore.waves.measured import ABSENT

SEED, ITEMS, CHANGED, NIGHTS, LABELS, TABLES, ERROR = 37, 3_000, 0.03, 30, 100, 10, 0.05
COVERED, FALL, FALLEN = 20, 10, 0.10
FIGURES = ("precision", "recall")
UNCHANGED = "nothing changes"
NEW_ROWS = "new rows: precision 30 points lower"
NEW_SCORES = "new scores for all rows: precision 10 points lower"
CASES = (UNCHANGED, NEW_ROWS, NEW_SCORES)
NOISE = 0.6
FIRST, ALL, ONCE = "labels first given", "all labels, each night again", "all labels, each once"
WAYS, WITHIN, WATCH = (FIRST, ALL, ONCE), (4, 8, 16), "a table that changes every night"
Counts = tuple[FloatArray, ...]


class Rows:
    """Latent logit and score of so many rows."""

    def __init__(self, number: int, random: np.random.Generator, noise: float = NOISE) -> None:
        self.logit = random.normal(-1.5, 1.8, number)
        self.score = scored(self.logit, random, noise)


def scored(logit: FloatArray, random: np.random.Generator, noise: float) -> FloatArray:
    return np.asarray(expit(logit + random.normal(0, noise, len(logit))))


def census(score: FloatArray, rate: FloatArray) -> tuple[float, float]:
    """Precision and recall of rows that are positive at these rates."""
    called = score >= 0.5
    return float(rate[called].mean()), float(rate[called].sum() / rate.sum())


@cache
def true_values(noise: float = NOISE) -> tuple[float, float]:
    rows = Rows(1_000_000, np.random.default_rng([SEED, 78]), noise)
    return census(rows.score, expit(rows.logit))


@cache
def worse_noise() -> float:
    """The noise of scores with which precision is ``FALLEN`` lower."""
    low, high = NOISE, 10.0
    for _ in range(20):
        middle = (low + high) / 2
        above = true_values(middle)[0] > true_values()[0] - FALLEN
        low, high = (middle, high) if above else (low, middle)
    return high


class Table:
    """One table through the nights, and the labels of ``series`` monitors of it."""

    def __init__(self, number: int, series: int, case: str) -> None:
        self.random = np.random.default_rng([SEED, 77, number, CASES.index(case)])
        self.case, self.series = case, series
        rows = Rows(ITEMS, self.random)
        self.logit, self.score, self.name = rows.logit, rows.score, np.arange(ITEMS)
        self.truth = np.zeros((series, ITEMS), dtype=bool)
        self.key = np.zeros((series, ITEMS))
        self.known = np.zeros((series, ITEMS), dtype=bool)
        self.renew(np.arange(ITEMS), fallen=False)
        self.plan: Plan | None = None

    def renew(self, at: NDArray[np.intp], *, fallen: bool) -> None:
        """These rows have a truth, a place in the draw order and no label."""
        shape = self.series, len(at)
        called = self.score[at] >= 0.5
        rate = np.where(called & fallen, 1 - 0.3 / true_values()[0], 1.0) * expit(self.logit[at])
        self.truth[:, at] = self.random.random(shape) < rate
        self.key[:, at], self.known[:, at] = self.random.random(shape), False

    def night(self, number: int) -> None:
        new = self.random.choice(ITEMS, round(CHANGED * ITEMS), replace=False)
        fallen = number >= FALL
        noise = worse_noise() if fallen and self.case == NEW_SCORES else NOISE
        rows = Rows(len(new), self.random, noise)
        self.logit[new], self.score[new] = rows.logit, rows.score
        self.name[new] = ITEMS * number + new
        self.renew(new, fallen=fallen and self.case == NEW_ROWS)
        if number == FALL and self.case == NEW_SCORES:
            self.score = scored(self.logit, self.random, noise)

    def engine(self) -> Engine:
        frame = pd.DataFrame({"id": self.name.astype(str), "score": self.score,
                              "call": (self.score >= 0.5).astype(int)})  # fmt: skip
        population = lc.read_population(frame, id="id", content="id", scores={"m": "score"},
                                        predictions={"m": "call"})  # fmt: skip
        if self.plan is None:
            asked = lc.Plan("recalibrated_neyman", FIGURES, budget=LABELS, promise="fixed")
            kept = kept_plan(population, asked)
            self.plan = replace(kept, edges=kept.method.edges(Engine(population, kept).setup))
        return Engine(population, self.plan)

    def labelled(self, engine: Engine) -> tuple[Cells, Cells]:
        """All counts of the night's sessions, and those of labels first given in it."""
        frame, stratum = engine.frame, np.asarray(engine.frame.stratum)
        order = np.argsort(stratum + self.key, axis=1)
        truth, known = (np.take_along_axis(one, order, axis=1) for one in (self.truth, self.known))
        hits_until = np.pad(np.cumsum(truth, axis=1), ((0, 0), (1, 0)))
        drawn = np.zeros((self.series, frame.n_strata), dtype=np.int64)
        while drawn[0].sum() < LABELS:
            hits = _since(hits_until, frame.start, drawn)
            now = Progress(drawn, drawn.astype(float), hits.astype(float), LABELS)
            drawn = drawn + engine.design.allocate(engine.setup, frame, now)
        place = np.arange(ITEMS) - np.repeat(frame.start, frame.sizes)
        there = place < np.repeat(drawn, frame.sizes, axis=1)
        fresh = there & ~known
        np.put_along_axis(self.known, order, known | there, axis=1)

        def cells(labelled: FloatArray, positive: FloatArray) -> Cells:
            size = np.broadcast_to(frame.sizes.astype(float), labelled.shape)
            return Cells(size, labelled.astype(float), positive.astype(float), frame.predicted)

        new, found = (np.add.reduceat(one, frame.start, axis=1) for one in (fresh, fresh & truth))
        return cells(drawn, _since(hits_until, frame.start, drawn)), cells(new, found)


def _since(
    until: NDArray[np.int64], start: NDArray[np.int64], drawn: NDArray[np.int64]
) -> FloatArray:
    """Of the first so many items of each stratum, how many are positive, (series, n_strata)."""
    return np.take_along_axis(until, start + drawn, axis=1) - until[:, start]


def _placed(cells: Cells, known_as: NDArray[np.int64], number: int) -> Counts:
    """Sizes, labels and positives by the strata of the first night, (series, number)."""
    found = []
    for name, empty in (("size", ABSENT), ("labelled", 0.0), ("positive", 0.0)):
        whole = np.full((len(cells.labelled), number), empty)
        whole[:, known_as] = getattr(cells, name)
        found.append(whole)
    return tuple(found)


def nights(case: str, series: int) -> list[Row]:
    """A row for each way to read evidence: labels asked, coverage of the nightly figures, and
    alarms of two requirements at their true values."""
    tables = min(TABLES, series)
    made = [_one_table(number, series // tables, case) for number in range(tables)]
    coverage = np.mean([one[1] for one in made], axis=0)
    found: Row = {"watch": WATCH, "what changes": case, "series": tables * (series // tables),
                  "labels asked a night": float(np.mean([one[0] for one in made]))}  # fmt: skip
    found |= {f"coverage, {name}": float(coverage[at]) for at, name in enumerate(FIGURES)}
    rows = []
    for way in WAYS:
        alarmed = np.concatenate([one[2][way] for one in made], axis=1)  # (n_nights, series)
        row = (
            {"what changes": case, "evidence": way}
            | found
            | {"alarm in 30 nights": float(alarmed[-1].mean())}
        )
        if case != UNCHANGED:
            quiet = alarmed[:, ~alarmed[FALL - 1]]
            row |= {f"within {one}": float(quiet[FALL + one - 1].mean()) for one in WITHIN}
        rows.append(row)
    return rows


def _one_table(
    number: int, series: int, case: str
) -> tuple[float, FloatArray, dict[str, NDArray[np.bool_]]]:
    """Labels asked a night, coverage, and whether there was an alarm so far, (n_nights, series), of
    each way."""
    table, asked, held = Table(number, series, case), [], []
    left: tuple[list[Counts], list[Counts]] = [], []
    predicted: NDArray[np.bool_] = np.zeros(0, dtype=bool)
    rates: FloatArray = np.zeros(0)
    for night in range(NIGHTS):
        if night:
            table.night(night)
        engine = table.engine()
        frame = engine.frame
        every, fresh = table.labelled(engine)
        if not night:
            predicted, rates = frame.predicted, np.array(frame.rates)
        rates[frame.known_as] = frame.rates
        asked += [float(fresh.labelled.sum(axis=1).mean())] if night else []
        held.append(_covered(table, every, frame.rates))
        for kept, cells in zip(left, (fresh, every), strict=True):
            kept.append(_placed(cells, frame.known_as, len(predicted)))
    both = [Cells(*(np.stack(one, axis=1) for one in zip(*kept, strict=True)), predicted)
            for kept in left]  # fmt: skip
    alarmed = {way: _alarms(both[0], both[1], way, rates) for way in WAYS}
    return float(np.mean(asked)), np.mean(held, axis=(0, 1)), alarmed


def _covered(table: Table, cells: Cells, rates: FloatArray) -> FloatArray:
    """Whether the intervals of some series hold what is true of their tables, (series, 2)."""
    some = slice(None, COVERED)
    part = replace(cells, size=cells.size[some], labelled=cells.labelled[some],
                   positive=cells.positive[some])  # fmt: skip
    look = Look(0.95, Promise.FIXED, LABELS, LABELS, "file", len(rates), complete=True)
    rows = [SCALARS[name] for name in FIGURES]
    _, low, high = g_profile(rows, part, look, fitted(part, rates))
    true = np.array([census(table.score, truth) for truth in table.truth[some].astype(float)])
    return np.asarray((low <= true + 1e-12) & (true <= high + 1e-12))


def _alarms(fresh: Cells, every: Cells, way: str, rates: FloatArray) -> NDArray[np.bool_]:
    """Whether each series had an alarm so far, (n_nights, series).

    "each once" reads every label of the first night of a stretch, and those first given later in
    it; what they are worth is the share of all labels that they are.
    """
    limit, found = threshold(NIGHTS, ERROR / len(FIGURES)), []
    for last in range(1, NIGHTS + 1):
        new, own = (between(one, max(0, last - LONGEST), last) for one in (fresh, every))
        totals, whole = joined(own if way == ALL else new), joined(own)
        worth = np.arange(1, totals.labelled.shape[1] + 1.0)
        if way == ONCE:
            first = (own.labelled - new.labelled)[:, ::-1], (own.positive - new.positive)[:, ::-1]
            totals = replace(totals, labelled=totals.labelled + first[0],
                             positive=totals.positive + first[1])  # fmt: skip
            worth = worth * totals.labelled.sum(axis=-1) / whole.labelled.sum(axis=-1)
        each = []
        for name, required in zip(FIGURES, true_values(), strict=True):
            root = signed_root(totals, SCALARS[name], required, fitted(totals, rates))
            each.append(each_start(guarded(root, totals), worth).sum(axis=1) >= limit)
        found.append(np.any(each, axis=0))
    return np.logical_or.accumulate(np.array(found), axis=0)
