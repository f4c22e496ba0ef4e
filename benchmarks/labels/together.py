"""All four figures asked together, at a few sizes: what a plain sample needs for the same width."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import labelcore as lc
from benchmarks.harness import Job, Row, generator, table
from benchmarks.labels.files import File, file_of, names_of_files
from benchmarks.labels.sessions import SEED, ends
from benchmarks.labels.tables import share
from benchmarks.sessions import Prepared
from labelcore.planning.simulation import run_seed
from labelcore.stats.profile import FloatArray

FIGURES = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1"}
SIZES, RUNS = (100, 300, 1_000), 6
SMALLEST, STEP, NARROWEST = 20, 1.2, 1e-9
LEFT_OUT = ("3 %", "0.3 %", "0.1 %")
PLAIN, DEFAULT = "simple_random", "recalibrated_neyman"


@dataclass(frozen=True, eq=False)
class Looks:
    """Half-widths and whether the truth was held, (n_runs, n_figures)."""

    half: FloatArray
    held: FloatArray


def looks(prepared: Prepared, size: int, randoms: Sequence[np.random.Generator]) -> Looks:
    """Every run at ``size`` labels."""
    sessions = [prepared.session(random) for random in randoms]
    for session in sessions:
        session.go_to(size)
    truth = prepared.truth()
    right = np.array([truth[key] for key in prepared.keys])
    low, high = ends([session.engine for session in sessions])
    held = (low - 1e-12 <= right) & (right <= high + 1e-12)
    return Looks((high - low) / 2, held.astype(float))


def prepared(file: File, design: str, size: int) -> Prepared:
    plan = lc.Plan(
        design, list(FIGURES), classifier=file.classifier, budget=file.size, promise="fixed",
        seed=run_seed(SEED, 0),
    ).with_planned(size)  # fmt: skip
    return Prepared(file.population, plan, file.codes)


def generators(name: str, what: str, runs: int) -> list[np.random.Generator]:
    return [generator(SEED, f"{name}|{what}", run) for run in range(runs)]


def plain_labels(file: File, half: FloatArray, runs: int) -> FloatArray:
    """Labels of a plain random sample whose mean half-widths are ``half``, (n_sizes, n_figures):
    between the sizes looked at along straight lines on logarithmic scales."""
    steps = int(np.log(file.size / SMALLEST) / np.log(STEP)) + 1
    sizes = np.unique(np.append((SMALLEST * STEP ** np.arange(steps)).astype(int), file.size))
    ready = prepared(file, PLAIN, file.size)
    widths = []
    for size in sizes:
        widths.append(looks(ready, int(size), generators(file.name, f"plain {size}", runs)).half)
        if np.all(widths[-1].mean(axis=0) <= half.min(axis=0)):
            break
    mean = np.minimum.accumulate(np.array([one.mean(axis=0) for one in widths]), axis=0)
    at = np.log(sizes[: len(mean)])
    found = np.empty_like(half)
    for figure in range(half.shape[1]):
        falling = np.log(np.maximum(mean[::-1, figure], NARROWEST))
        wanted = np.log(np.maximum(half[:, figure], NARROWEST))
        found[:, figure] = np.exp(np.interp(wanted, falling, at[::-1]))
    return found


@dataclass(frozen=True, eq=False)
class Found:
    """One file: labels against a plain sample's, their standard error, and the coverage,
    (n_sizes, n_figures)."""

    name: str
    ratio: FloatArray
    error: FloatArray
    coverage: FloatArray


def measure(file: File, runs: int) -> Found:
    """The default against a plain sample on one file."""
    at = [
        looks(prepared(file, DEFAULT, n), n, generators(file.name, f"together None {n}", runs))
        for n in SIZES
    ]
    half = np.array([one.half.mean(axis=0) for one in at])
    spread = np.array([one.half.std(axis=0, ddof=1) for one in at]) / np.sqrt(runs)
    ratio = np.array(SIZES)[:, None] / plain_labels(file, half, runs)
    coverage = np.array([one.held.mean(axis=0) for one in at])
    return Found(file.name, ratio, 2 * ratio * spread / np.maximum(half, NARROWEST), coverage)


def together_jobs(folder: Path) -> dict[str, Job]:
    names = [name for name in names_of_files() if name.partition(",")[0] not in LEFT_OUT]
    return {name: partial(file_row, name, folder) for name in names}


def file_row(name: str, folder: Path) -> list[Row]:
    return [row_of(measure(file_of(name, folder), RUNS))]


def row_of(found: Found) -> Row:
    return {name: getattr(found, name) for name in ("name", "ratio", "error", "coverage")}


def found_of(row: Row) -> Found:
    return Found(row["name"], *(np.array(row[name]) for name in ("ratio", "error", "coverage")))


def cells(one: Found) -> list[str]:
    """For each figure the ratios at the sizes."""
    return [
        " / ".join(f"{one.ratio[size, figure]:.2f}" for size in range(len(SIZES)))
        for figure in range(len(FIGURES))
    ]


def over_all(found: Sequence[Found]) -> list[list[str]]:
    rows = []
    for size, labels in enumerate(SIZES):
        for figure, word in enumerate(FIGURES.values()):
            ratio = np.array([one.ratio[size, figure] for one in found])
            error = np.array([one.error[size, figure] for one in found])
            held = np.array([one.coverage[size, figure] for one in found])
            worst = int(np.argmax(ratio))
            rows.append([
                f"{labels:,}", word, f"{np.median(ratio):.2f}",
                f"{ratio[worst]:.2f} ± {error[worst]:.2f} ({found[worst].name})",
                str(int(np.sum(ratio - 2 * error > 1))), share(float(held.mean())),
            ])  # fmt: skip
    return rows


def together_section(rows: Sequence[Row]) -> str:
    files = [found_of(row) for row in rows]
    over = table(("labels", "figure", "of plain: median", "worst", "files above 1", "coverage"),
                 over_all(files))  # fmt: skip
    each = table(("file and classifier", *FIGURES.values()),
                 [(one.name, *cells(one)) for one in files])  # fmt: skip
    sizes = " / ".join(f"{n:,}" for n in SIZES)
    return SECTION.format(runs=RUNS, number=len(files), sizes=sizes, over=over, files=each)


SECTION = """## All four figures asked together

One plan asks for accuracy, precision, recall and F1 together, as the form does by default, and so
shares its labels over precision and recall. Its labels divided by those of a plain random sample
with the same mean half-width: above 1 the plain sample is the better one. {runs} runs of each
cell; "files above 1": by more than two standard errors of the width, out of {number}.

{over}
At {sizes} labels, file by file:

{files}"""
