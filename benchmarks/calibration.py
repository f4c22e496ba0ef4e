"""How often the band of a calibration misses the share of positives in any range of scores.

    python -m benchmarks.calibration [--quick] [--runs 100] [--write]

Six files with known labels, two methods, 300 labels. A session misses where the true share of any
range lies outside its band: once at the end ("fixed"), or at any of the looks at every tenth label
("watched"). Twins on the same sessions: every range with the whole error level, and the fixed band
looked at all the way. Seeds: run r uses (41, r).
"""

from functools import partial
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, table
from benchmarks.populations import FILE_SEED, overconfident, rounded, written
from benchmarks.real_files import FILES, NEWS
from labelcore.figures.calibration import bounds, cell_rates, counted
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginning, label_all
from labelcore.planning.simulation import run_seed
from labelcore.planning.truth import true_codes
from labelcore.stats.profile import Cells

SEED, LABELS, STEP, LEVEL = 41, 300, 10, 0.05
REAL = (
    *((FILES[0], "nb"), (FILES[1], "model")),
    *((FILES[2], "gbm"), (NEWS, "lr")),
)
MADE_UP = {"overconfident": overconfident, "few values": partial(rounded, values=20)}
DESIGNS = {
    "recalibrated_neyman": ("precision", "recall"),
    "simple_random": ("accuracy", "precision"),
}
TWINS = {"each range alone": "fixed", "fixed, watched": "watched"}
KINDS = ("fixed", "watched", *TWINS)
Misses = dict[str, np.ndarray]


def file_of(folder: Path, name: str) -> tuple[lc.Population, np.ndarray, str]:
    """The items, their true classes and the classifier of a case."""
    if name in MADE_UP:
        made = written(MADE_UP[name](np.random.default_rng((FILE_SEED, 0)), 5_000))
        return made.population, made.codes, made.classifier
    file, classifier = next(one for one in REAL if name_of(*one) == name)
    population = file.population(folder)
    return population, true_codes(population, "true_label"), classifier


def name_of(file: object, classifier: str) -> str:
    return f"{file.name.split('.')[0]}, {classifier}"  # type: ignore[attr-defined]


def sessions(
    population: lc.Population,
    codes: np.ndarray,
    classifier: str,
    design: str,
    runs: int,
    labels: int = LABELS,
) -> Row:
    """How many of these sessions miss, and how wide the bands are."""
    plan = lc.Plan(design, DESIGNS[design], classifier=classifier, budget=labels)
    first = beginning(population, kept_plan(population, plan))
    engines = [first.redrawn(run_seed(SEED, run)) for run in range(runs)]
    label_all(engines, codes)
    missed = [judged(engine, codes, classifier) for engine in engines]
    row: Row = {f"missed {kind}": sum(bool(one[kind].any()) for one in missed) for kind in KINDS}
    widths = {kind: np.mean([one[f"width {kind}"] for one in missed], axis=0) for kind in KINDS[:2]}
    return {
        **row,
        "runs": runs,
        "ranges": len(missed[0]["fixed"]),
        **{f"{name} {kind}": float(of(one)) for kind, one in widths.items()
           for name, of in (("narrowest", np.min), ("median", np.median))},
    }  # fmt: skip


def judged(engine: Engine, codes: np.ndarray, classifier: str) -> Misses:
    """For each range whether its band missed, and its width at the end."""
    positive = engine.population.classes.index(engine.population.positive)
    ranges, tally, _ = counted(engine, classifier)
    tally, position = tally.emptied(), engine.draws.position.astype(np.int64)
    each = tally.after_each(position, codes[position], positive)
    looks = np.unique(np.append(np.arange(STEP, len(position), STEP), len(position)))
    rates, number = cell_rates(engine, classifier, tally), len(ranges.sizes)
    found: Misses = {kind: np.zeros(number, dtype=bool) for kind in KINDS}
    found |= {f"width {kind}": np.zeros(number) for kind in KINDS[:2]}
    done = looks / len(position), engine.plan.horizon or 1
    for place in range(number):
        mine = tally.group == place
        cells = Cells(
            each.size[mine],
            each.labelled[looks - 1][:, mine],
            each.positive[looks - 1][:, mine],
            each.predicted[mine],
            np.zeros(mine.sum(), dtype=np.int64),
        )
        own = np.broadcast_to(rates[mine], cells.labelled.shape)
        truth = float((codes[ranges.codes == place] == positive).mean())
        shared, whole = 1 - LEVEL / number, 1 - LEVEL
        band = {
            "watched": bounds(cells, own, shared, done),
            "fixed, watched": bounds(cells, own, shared, None),
            "each range alone": bounds(cells, own, whole, None),
        }
        band["fixed"] = band["fixed, watched"]
        for kind, (low, high) in band.items():
            wrong = (low > truth + 1e-9) | (high < truth - 1e-9)
            ends = kind in ("fixed", "each range alone")
            found[kind][place] = wrong[-1] if ends else wrong.any()
            if kind in KINDS[:2]:
                found[f"width {kind}"][place] = high[-1] - low[-1]
    return found


# --- jobs and tables -----------------------------------------------------------------------------


def case(folder: Path, name: str, design: str, runs: int) -> list[Row]:
    population, codes, classifier = file_of(folder, name)
    return [{"file": name, "design": design,
             **sessions(population, codes, classifier, design, runs)}]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    names = [*(name_of(*one) for one in REAL), *MADE_UP]
    return {
        f"{name} | {design}": partial(case, options.data, name, design, options.runs)
        for design in DESIGNS
        for name in names
    }


def tables(found: Rows, options: Options) -> str:
    rows = [row for part in found.values() for row in part]
    names = ("file, classifier", "method", "ranges", "sessions", "held, fixed", "held, watched",
             "twin: each range alone", "twin: fixed band watched", "width, fixed",
             "width, watched")  # fmt: skip
    cells = [
        (row["file"], row["design"], row["ranges"], row["runs"],
         *(held(row[f"missed {kind}"], row["runs"]) for kind in KINDS),
         *(f"{row[f'narrowest {kind}']:.2f} / {row[f'median {kind}']:.2f}" for kind in KINDS[:2]))
        for row in rows
    ]  # fmt: skip
    runs = sum(row["runs"] for row in rows)
    total = [held(sum(row[f"missed {kind}"] for row in rows), runs) for kind in KINDS]
    return "\n".join([table(names, [*cells, ("all", "", "", runs, *total, "", "")])])


def held(missed: int, runs: int) -> str:
    """The share of sessions in which the band held, with its binomial standard error."""
    share = 1 - missed / runs
    return f"{share:.3f} ± {np.sqrt(max(share * (1 - share), 1e-9) / runs):.3f}"


BENCHMARK = Benchmark(
    name="calibration",
    about=__doc__ or "",
    jobs=jobs,
    tables=tables,
    runs=100,
    quick_runs=10,
    page="calibration.md",
    workers=1,
)

if __name__ == "__main__":
    command(BENCHMARK)()
