"""A labeller who drifts: how often it is told, and how often where nobody drifts.

    python -m benchmarks.drift [--quick] [--runs 200] [--rows FILE] [--write]

Sessions of 300 labels by the default method on real files. The answer to the n-th item is wrong
with a chance that rises, from the hundredth on, in a straight line; a tenth of the items, drawn at
random, is read again 20 answers later. "Told": the share of sessions in which the halves of the
answers differ beyond chance when labelling is over.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.real_files import FILES, RealFile
from benchmarks.sessions import Prepared, Session
from labelcore.designs.base import IntArray
from labelcore.figures.label_error import drift
from labelcore.log.repeats import SPACING, Reading
from labelcore.planning.runs import label_until
from labelcore.planning.truth import true_codes
from labelcore.results.label_error import Drift

LABELS, STEADY, REPEATED, SEED, STEP = 300, 100, 0.1, 19, 5
ERRORS = ((0.0, 0.0), (0.05, 0.05), (0.15, 0.15), (0.0, 0.1), (0.0, 0.2), (0.0, 0.3), (0.3, 0.0))
"""The share of wrong answers up to the label ``STEADY`` and at the last one."""
CASES = tuple((file, file.classifiers[0]) for file in FILES[:2])


def chances(first: float, last: float) -> np.ndarray:
    """The chance of a mistake at each answer."""
    along = np.clip((np.arange(LABELS + SPACING) - STEADY) / (LABELS - STEADY), 0, 1)
    return np.asarray(first + (last - first) * along)


def told(session: Session, wrong: np.ndarray, random: np.random.Generator) -> Drift | None:
    """What the product tells of one session; answers are given some at a time, each with the
    chance of its place."""
    engine, classes = session.engine, len(session.engine.population.classes)

    def answers(truth: IntArray, chance: np.ndarray | float) -> IntArray:
        other = (truth + random.integers(1, classes, len(truth))) % classes
        return np.where(random.random(len(truth)) < chance, other, truth)

    for start in range(0, LABELS, STEP):
        label_until(engine, answers(session.codes, wrong[start]), start + STEP)
    for place, asked in enumerate(engine.asked):
        given = replace(asked.answers[-1], sequence=place + 1)
        engine.asked[place] = replace(asked, answers=[given])
    again = np.flatnonzero(random.random(LABELS) < REPEATED)
    codes = session.codes[engine.drawn_positions[again]]
    names = np.array(engine.population.classes)[answers(codes, wrong[again + SPACING])]
    readings = []
    for place, name in zip(again.tolist(), names.tolist(), strict=True):
        first = engine.asked[place].answers[-1]
        readings.append(Reading(place + 1, first, replace(first, sequence=LABELS, label=name)))
    found = drift(engine, readings)
    return found if found and found.seen else None


def measure(folder: Path, file: RealFile, classifier: str, runs: int) -> list[Row]:
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    asked = ("accuracy", "precision", "recall")
    plan = lc.Plan("recalibrated_neyman", asked, classifier=classifier, budget=LABELS)
    prepared, rows = Prepared(population, plan.with_planned(LABELS), codes), []
    for first, last in ERRORS:
        random, wrong = np.random.default_rng([SEED, 0]), chances(first, last)
        found = [told(prepared.session(random), wrong, random) for _ in range(runs)]
        changes = [one.change for one in found if one is not None]
        change = wrong[LABELS // 2 : LABELS].mean() - wrong[: LABELS // 2].mean()
        held = [one.low <= change <= one.high for one in changes]
        rows.append(
            {
                "file": file.name.split(".")[0], "classifier": classifier, "sessions": runs,
                "wrong at first": first, "wrong at last": last, "told": len(changes) / runs,
                "change": float(change),
                "mean told": np.mean([one.value or 0.0 for one in changes]) if changes else np.nan,
                "held, of those told": np.mean(held) if held else np.nan,
            }
        )  # fmt: skip
    return rows


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{file.name} {classifier}": partial(measure, options.data, file, classifier, options.runs)
        for file, classifier in CASES
    }


DIGITS = {
    "wrong at first": 2, "wrong at last": 2, "told": 3, "change": 3, "mean told": 3,
    "held, of those told": 2,
}  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    return frame_table(pd.DataFrame(flat(rows)), DIGITS)


HEAD = f"""# A labeller who drifts

Once labelling is over, the second half of the answers is compared with the first: how often
repeated items differ, and how far the answers lie from the recalibrated rates of their cells. Both
give the change in the share of wrong answers; it is told, with its interval, only where that leaves
out 0 (`Session.label_error().drift`). Without drift at most 5 in 100 sessions may be told.

{MADE}

"Change": of the chance of a mistake between the halves; "mean told" and "held" are those of the
sessions in which it was told, which are those where it looked large.

"""
BENCHMARK = Benchmark(
    name="drift", about=__doc__, jobs=jobs, tables=tables, runs=200, quick_runs=5,
    page="drift.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
