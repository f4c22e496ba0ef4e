"""What errors have in common on real files, and whether anything is told where it is chance.

    python -m benchmarks.errors [--quick] [--runs 60] [--write]

Two real files, 300 labels of the default method. In a twin the errors of the whole file are dealt
out anew, so that being wrong has nothing to do with an item; sessions of twins should say nothing
in at least 19 of 20. The broken twin of the rule tells whatever is clear by itself, without
counting how much was looked for. Seeds: run r uses (43, r).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, table
from benchmarks.real_files import FILES, RealFile
from labelcore.figures import in_common as figures
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginning, label_all
from labelcore.planning.simulation import run_seed
from labelcore.planning.truth import true_codes
from labelcore.stats.in_common import InCommon, in_common
from labelcore.words.in_common import in_common_sentence

SEED, LABELS = 43, 300
CASES: tuple[tuple[RealFile, str], ...] = ((FILES[0], "nb"), (FILES[1], "model"))


def sessions(folder: Path, number: int, runs: int) -> list[Row]:
    """What is told of the errors of a file, and in how many of its twins anything is."""
    file, name = CASES[number]
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    said = population.predictions[name]
    wrong = said != codes
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], classifier=name, budget=LABELS)
    first = beginning(population, kept_plan(population, plan))
    texts: dict[str, str] = {}

    def text_of(ids: Sequence[str]) -> list[str]:
        for one in ids:
            if one not in texts:
                texts[one] = " ".join(population.content(one).values())
        return [texts[one] for one in ids]

    def labelled(run: int, truth: np.ndarray) -> Engine:
        engine = first.redrawn(run_seed(SEED, run))
        label_all([engine], truth)
        return engine

    found = [figures.errors_in_common(labelled(0, codes), text_of, name)]
    told = broken = 0
    for run in range(1, runs + 1):
        dealt = np.random.default_rng((SEED, run)).permutation(wrong)
        engine = labelled(run, np.where(dealt, 1 - said, said).astype(codes.dtype))
        told += bool(figures.errors_in_common(engine, text_of, name).found)
        broken += bool(one_by_one(engine, text_of, name))
    return [{"file": f"{file.name.split('.')[0]}, {name}", "sentence": in_common_sentence(found[0]),
             "looked for": found[0].looked_for, "twins": runs, "told": told,
             "broken": broken}]  # fmt: skip


def one_by_one(engine: Engine, text_of: object, name: str) -> list[InCommon]:
    """The broken twin: the first of twenty features that is clear by itself."""
    position = engine.draws.position.astype(np.int64)
    ids = [engine.population.id_at(one) for one in position.tolist()]
    features = figures.features_of(engine, position, name, text_of(ids))  # type: ignore[operator]
    called = engine.population.predictions[name][position]
    random = np.random.default_rng(SEED)
    for one in features[:20]:
        found = in_common(
            one.has[None], called != engine.draws.code, called.astype(np.int64), 0.05, random
        )
        if found:
            return found
    return []


def jobs(options: Options) -> dict[str, Job]:
    return {
        file.name: partial(sessions, options.data, number, options.runs)
        for number, (file, _) in enumerate(CASES)
    }


def tables(found: Rows, options: Options) -> str:
    rows = [row for part in found.values() for row in part]
    names = ("file, classifier", "looked for", "twins", "twins that say something",
             "twin of the rule: one by one")  # fmt: skip
    cells = [
        (row["file"], row["looked for"], row["twins"],
         *(share(row[name], row["twins"]) for name in ("told", "broken")))
        for row in rows
    ]  # fmt: skip
    said = [f"**{row['file']}**: {row['sentence']}" for row in rows]
    return "\n".join([table(names, cells), "## What is told of the files themselves\n",
                      "\n\n".join(said), ""])  # fmt: skip


def share(told: int, runs: int) -> str:
    """With the binomial standard error at one in twenty."""
    return f"{told / runs:.2f} ± {np.sqrt(0.05 * 0.95 / runs):.2f}"


def faults(found: Rows, options: Options) -> list[str]:
    most = 0.05 + 3 * np.sqrt(0.05 * 0.95 / options.runs)
    rows = [row for part in found.values() for row in part]
    return [f"{row['file']}: {row['told']} of {row['twins']} twins say something"
            for row in rows if row["told"] / row["twins"] > most]  # fmt: skip


BENCHMARK = Benchmark(
    name="errors",
    about=__doc__ or "",
    jobs=jobs,
    tables=tables,
    faults=faults,
    runs=60,
    quick_runs=5,
    page="errors.md",
    workers=1,
)

if __name__ == "__main__":
    command(BENCHMARK)()
