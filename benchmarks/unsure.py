"""Items that nobody can judge: what the figures of the judged ones cover, and how wide they are.

    python -m benchmarks.unsure [--quick] [--runs 300] [--write]

Sessions of 300 answers of the default design on three real files. In each session every item of the
file is unsure or not by a chance of its own, drawn anew (``MECHANISMS``); whoever draws it says so,
and neither the allocation nor anything else sees its class. The truth is that of the items which
are not unsure, or of all. Run r of a case has the seed of ``benchmarks.harness.generator``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import (
    Benchmark,
    Job,
    Options,
    Row,
    Rows,
    command,
    flat,
    frame_table,
    generator,
)
from benchmarks.real_files import FILES, RealFile
from labelcore.designs.base import IntArray
from labelcore.designs.scalars import EstimatesScalars, Figures
from labelcore.figures.from_counts import answers_of, look_at
from labelcore.figures.unsure import at_odds, widened
from labelcore.log.engine import Engine, compose_batches
from labelcore.log.events import Event
from labelcore.planning.runs import beginning
from labelcore.planning.truth import true_codes
from labelcore.promises import Promise
from labelcore.stats.arrays import BoolArray
from labelcore.stats.judged import in_the_file
from labelcore.stats.profile import FloatArray

SEED, ANSWERS = 29, 300
ESTIMANDS = ("accuracy", "precision", "recall", "f1")
SHARES = (0.02, 0.1, 0.3)
LOOKS = (10, 20, 30, 45, 60, 90, 120, 150, 180, 210, 240, 270, 300)
SECOND_SEED = 30
AGAIN = {
    "ppdb_pairs.csv.gz": (("none", 0.0), ("wrong calls three times", 0.1)),
    "product_pairs.parquet": (("near the cut", 0.3),),
}
"""Cells of which a figure was held less than .93 in the first run."""
FEW = 40
"""Sessions of a cell whose widest reading, either way, is worked out."""
MOST, AT_THE_CUT = 0.9, 0.6
"""The largest chance to be unsure, and that of an item at the cut (``near the cut``)."""
CLASSIFIERS = {"newsgroups_med.csv.gz": "nb", "ppdb_pairs.csv.gz": "model",
               "product_pairs.parquet": "gbm"}  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """A file and a classifier: its codes, predictions (positive or not) and scores, (n_items,)."""

    population: lc.Population
    classifier: str
    codes: IntArray

    @property
    def positive(self) -> int:
        return self.population.classes.index(self.population.positive)

    @property
    def said(self) -> BoolArray:
        return np.asarray(self.population.predictions[self.classifier] == self.positive)

    @property
    def from_the_cut(self) -> FloatArray:
        """How many items lie between each one and the cut, as a share of the file."""
        score = self.population.scores[self.classifier]
        rank = np.empty(len(score))
        rank[np.argsort(score, kind="stable")] = np.arange(len(score))
        return np.asarray(np.abs(rank - (~self.said).sum()) / len(score))


def times(weight: FloatArray, more: float) -> FloatArray:
    return np.minimum(more * weight, MOST)


def near(case: Case, more: float) -> FloatArray:
    return AT_THE_CUT * np.exp(-((case.from_the_cut / max(more, 1e-9)) ** 2))


MECHANISMS: dict[str, Callable[[Case, float], FloatArray]] = {
    "random": lambda case, more: times(np.ones(len(case.codes)), more),
    "true positives twice": lambda case, more: times(
        np.where(case.said & (case.codes == case.positive), 2.0, 1.0), more
    ),
    "wrong calls three times": lambda case, more: times(
        np.where(case.said != (case.codes == case.positive), 3.0, 1.0), more
    ),
    "near the cut": near,
}
"""The chance of each item to be unsure, (n_items,), the larger the larger a number is."""


def chances(case: Case, start: Engine, mechanism: str, share: float) -> FloatArray:
    """The chance of each item to be unsure, with which it is ``share`` of the answers of a session
    like one in which nobody is."""
    pilot = start.redrawn(SEED)
    go_to([Session(pilot, np.zeros(len(case.codes), dtype=bool))], case, ANSWERS)
    asked, chance = pilot.drawn_positions, MECHANISMS[mechanism]
    least, most = 0.0, 50.0
    for _ in range(60):
        middle = (least + most) / 2
        high = chance(case, middle)[asked].mean() > share
        least, most = (least, middle) if high else (middle, most)
    return chance(case, least)


def truths(case: Case, counted: BoolArray) -> FloatArray:
    """The figures of the items that count, (n_figures,)."""
    said, real = case.said[counted], case.codes[counted] == case.positive
    tp, fp, fn = (said & real).sum(), (said & ~real).sum(), (~said & real).sum()
    return np.array(
        [(said == real).mean(), tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)]
    )


@dataclass(frozen=True, eq=False, slots=True)
class Session:
    """An engine, and which items are unsure, (n_items,)."""

    engine: Engine
    unsure: BoolArray

    def answer(self, case: Case, number: int) -> None:
        """Answer the next items of the present batch: unsure, or the class of the item."""
        for position in self.engine.upcoming(number):
            kind = "unsure" if self.unsure[position] else "labelled"
            name = None if self.unsure[position] else case.population.classes[case.codes[position]]
            self.engine.answer(self.engine.draw_next(), Event(0, kind, "", "known", label=name))


def go_to(sessions: Sequence[Session], case: Case, answers: int) -> None:
    """Answer in each session until there are so many answers."""
    while going := [one for one in sessions if len(one.engine.asked) < answers]:
        compose_batches([one.engine for one in going])
        for one in going:
            one.answer(case, answers - len(one.engine.asked))


def begun(case: Case) -> Engine:
    plan = lc.Plan(
        "recalibrated_neyman", ESTIMANDS, classifier=case.classifier, budget=ANSWERS,
        promise="watched",
    )  # fmt: skip
    return beginning(case.population, plan.with_planned(ANSWERS))


def session(
    start: Engine, case: Case, chance: FloatArray, name: str, run: int, seed: int
) -> Session:
    """One session before its first answer, with its unsure items."""
    random = generator(seed, name, run)
    engine = start.redrawn(int(random.integers(2**32)))
    return Session(engine, random.random(len(chance)) < chance)


@dataclass(frozen=True, eq=False, slots=True)
class Ends:
    """Low and high of every figure, arrays (n_sessions, n_figures)."""

    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, found: Sequence[Figures]) -> Ends:
        return cls(np.array([one.low for one in found]), np.array([one.high for one in found]))

    def hold(self, truth: FloatArray) -> BoolArray:
        return np.asarray((self.low <= truth + 1e-9) & (truth <= self.high + 1e-9))


def figures(engines: Sequence[Engine], promise: Promise) -> list[Figures]:
    """The figures of the plan's reading at one look."""
    design: EstimatesScalars = EstimatesScalars.of(engines[0].design)
    answers = answers_of(engines, engines[0].questions)
    return design.figures_of(answers, [look_at(one, promise) for one in engines])


def at_the_end(engine: Engine, *, either_way: bool) -> dict[str, Figures]:
    """The other ways to take the unsure items, with promise "fixed"."""
    question = engine.questions[0]
    tally, look = engine.tallies[question.subject], look_at(engine, Promise.FIXED)
    judged = answers_of([engine], engine.questions)[0]
    whole = replace(judged, cells=in_the_file(judged.cells))
    design: EstimatesScalars = EstimatesScalars.of(engine.design)
    left_out = design.figures(whole, look)
    if not engine.undecided:
        return dict.fromkeys(("left out", "odds", "either way"), left_out)
    found = {"left out": left_out, "odds": at_odds(engine, tally, whole, left_out)}
    if either_way:
        found["either way"] = widened(engine, tally, whole, left_out, look, strictly=True)
    return found


def measure(
    folder: Path, file: RealFile, mechanism: str, share: float, runs: int, seed: int = SEED
) -> list[Row]:
    """The rows of one file, mechanism and share, one for each figure."""
    population = file.population(folder)
    case = Case(population, CLASSIFIERS[file.name], true_codes(population, "true_label"))
    start = begun(case)
    chance = chances(case, start, mechanism, share) if share else np.zeros(len(case.codes))
    name = f"{file.name} {mechanism} {share}"
    sessions = [session(start, case, chance, name, run, seed) for run in range(runs)]
    engines = [one.engine for one in sessions]
    judged = np.array([truths(case, ~one.unsure) for one in sessions])
    every = truths(case, np.ones(len(case.codes), dtype=bool))
    wrong = np.zeros(judged.shape, dtype=bool)
    for answers in LOOKS:
        go_to(sessions, case, answers)
        seen = Ends.of(figures(engines, Promise.WATCHED))
        wrong |= ~seen.hold(judged)
    fixed = Ends.of(figures(engines, Promise.FIXED))
    others = [at_the_end(one, either_way=run < FEW) for run, one in enumerate(engines)]
    beside = {key: Ends.of([one[key] for one in others if key in one]) for key in others[0]}
    rows: list[Row] = []
    for place, figure in enumerate(ESTIMANDS):

        def held(ends: Ends, truth: FloatArray, place: int = place) -> float:
            return float(ends.hold(truth)[:, place].mean())

        def width(ends: Ends, place: int = place) -> float:
            return float((ends.high - ends.low)[:, place].mean())

        rows.append(
            {
                "file": file.name.partition(".")[0],
                "mechanism": mechanism,
                "share": share,
                "figure": figure,
                "seed": seed,
                "of the answers": float(np.mean([one.undecided for one in engines]) / ANSWERS),
                "judged: covered": held(fixed, judged),
                "watched: ever wrong": float(wrong[:, place].mean()),
                "all sizes: covered": held(beside["left out"], judged),
                "all items, left out": held(beside["left out"], every),
                "all items, odds": held(beside["odds"], every),
                "width": width(fixed),
                "width watched": width(seen),
                "width odds": width(beside["odds"]),
                "width either way": width(beside["either way"]),
            }
        )
    return rows


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Job] = {}
    for file in FILES:
        cases = [("none", 0.0), *((name, one) for one in SHARES for name in MECHANISMS)]
        for mechanism, share in cases:
            found[f"{file.name} {mechanism} {share}"] = partial(
                measure, options.data, file, mechanism, share, options.runs
            )
    for file in FILES:
        for mechanism, share in AGAIN.get(file.name, ()):
            found[f"again {file.name} {mechanism} {share}"] = partial(
                measure, options.data, file, mechanism, share, options.runs, SECOND_SEED
            )
    return found


COVERED = ("judged: covered", "watched: ever wrong", "all sizes: covered", "all items, left out",
           "all items, odds")  # fmt: skip
WIDTHS = ("width", "width watched", "width odds", "width either way")


def tables(rows: Rows, options: Options) -> str:
    frame = pd.DataFrame(flat(rows))
    frame["seed"] = frame["seed"].fillna(SEED) if "seed" in frame else SEED
    again, frame = frame[frame["seed"] != SEED], frame[frame["seed"] == SEED].copy()
    none = frame[frame["mechanism"] == "none"].set_index(["file", "figure"])
    keys = pd.MultiIndex.from_frame(frame[["file", "figure"]])
    for name in WIDTHS:
        against = none["width watched" if name == "width watched" else "width"]
        frame[f"{name} / none unsure"] = frame[name].to_numpy() / against.loc[keys].to_numpy()
    shown = [*COVERED, *(f"{name} / none unsure" for name in WIDTHS)]
    by = ["mechanism", "share"]
    means = frame.groupby(by, sort=False)[["of the answers", *shown]].mean().reset_index()
    worst = frame.groupby(by, sort=False)[shown].min().reset_index()
    most = frame.groupby(by, sort=False)[shown].max()
    for name in ("watched: ever wrong", *(f"{name} / none unsure" for name in WIDTHS)):
        worst[name] = most[name].to_numpy()
    noise = np.sqrt(0.05 * 0.95 / options.runs)
    held = dict.fromkeys(COVERED, 3) | {"share": 2}
    digits = held | {f"{name} / none unsure": 2 for name in WIDTHS}
    low = frame.sort_values("judged: covered").head(12)
    columns = ["file", "mechanism", "share", "figure", *COVERED]
    means_digits = digits | {"of the answers": 3}
    return "\n".join(
        [f"{options.runs} sessions a cell; standard error of a share of 0.05: {noise:.3f}.", "",
         "## Means over three files and four figures", "", frame_table(means, means_digits), "",
         "## The worst of the twelve", "", frame_table(worst, digits), "",
         "## The twelve cells with the least coverage of judged items", "",
         frame_table(low[columns], held), "",
         f"## Cells with figures under .93, again with another seed ({SECOND_SEED})", "",
         frame_table(again[columns], held)]
    )  # fmt: skip


BENCHMARK = Benchmark(
    name="unsure", about=__doc__, jobs=jobs, tables=tables,
    runs=300, quick_runs=6, page="unsure.md",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
