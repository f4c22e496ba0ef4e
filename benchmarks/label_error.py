"""Coverage of what is said of the truth when labels are wrong and some items are read twice.

    python -m benchmarks.label_error [--quick] [--runs 350] [--write]

Made-up files of 20,000 items: seven strata along the score, three predicted positive, labels spread
over them, a share of the labelled items read a second time. Readers: each reading of item i is
wrong with chance e_i on its own. Run r has the seed (number of the reader, r). The file with real
ratings: two of the people who rated a pair are its two readings, drawn anew in each run, and the
truth is the mean rating of all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import harness
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command
from labelcore.estimands import SCALARS, ratios
from labelcore.stats.label_error import SecondReadings, bounded, corrected
from labelcore.stats.profile import Cells, FloatArray, Ratios, fixed_critical, profile_bounds

SHARES = (0.2, 0.05)
REAL = "two raters of a paraphrase"
WAYS = ("uncorrected", "corrected", "bounded")
NAMES = ("accuracy", "precision", "recall", "f1")
ITEMS, LABELS, CONFIDENCE = 20_000, 600, 0.95
Chances = Callable[[FloatArray, np.ndarray, np.random.Generator], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class File:
    """Arrays (n_items,): score in [0, 1], truth, predicted, stratum; the true figures by name."""

    score: FloatArray
    truth: np.ndarray
    predicted: np.ndarray
    stratum: np.ndarray

    @property
    def figures(self) -> FloatArray:
        sizes = np.bincount(self.stratum).astype(float)
        hits = np.bincount(self.stratum, self.truth)
        cells = Cells(sizes, sizes, hits, stratum_sides(self))
        return table(cells).value(hits)


def table(cells: Cells) -> Ratios:
    return ratios([SCALARS[name] for name in NAMES], cells)


def stratum_sides(file: File) -> np.ndarray:
    """Whether each stratum is predicted positive."""
    return np.bincount(file.stratum, file.predicted) > 0


def made_up(seed: int = 0) -> File:
    """Scores that are about right; four strata below the threshold of 1/2, three above."""
    random = np.random.default_rng(seed)
    score = random.beta(0.5, 1.6, ITEMS)
    truth = random.random(ITEMS) < score
    return from_score(score, truth, score >= 0.5)


def from_score(score: FloatArray, truth: np.ndarray, predicted: np.ndarray) -> File:
    """Strata of equal size along the score, which never mix predictions."""
    stratum = np.zeros(len(score), dtype=np.int64)
    for side, parts, start in ((False, 4, 0), (True, 3, 4)):
        mine = np.flatnonzero(predicted == side)
        order = mine[np.argsort(score[mine], kind="stable")]
        stratum[order] = start + np.arange(len(order)) * parts // len(order)
    return File(score, truth, predicted, stratum)


def alike(error: float) -> Chances:
    return lambda score, truth, random: (np.full(len(score), error), np.full(len(score), error))


def _same(chances: Callable[..., FloatArray]) -> Chances:
    def both(
        score: FloatArray, truth: np.ndarray, random: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        found = chances(score, truth, random)
        return found, found

    return both


READERS: dict[str, Chances] = {
    "alike everywhere, 2 %": alike(0.02),
    "alike everywhere, 5 %": alike(0.05),
    "alike everywhere, 15 %": alike(0.15),
    "every item its own chance (mean 5 %)": _same(lambda s, t, r: 0.5 * r.beta(0.3, 2.7, len(s))),
    "near the threshold up to 40 %": _same(
        lambda s, t, r: 0.4 * np.exp(-(((s - 0.5) / 0.15) ** 2))
    ),
    "one item in ten a toss-up": _same(lambda s, t, r: np.where(r.random(len(s)) < 0.1, 0.5, 0.0)),
    "positives missed, 15 % against 1 %": _same(lambda s, t, r: np.where(t, 0.15, 0.01)),
    "two people, 8 % and 2 %": lambda s, t, r: (np.full(len(s), 0.08), np.full(len(s), 0.02)),
}
ALIKE = tuple(name for name in READERS if name.startswith("alike"))


@dataclass(frozen=True, eq=False)
class Session:
    """The labels of one session, counted, and its second readings."""

    cells: Cells
    readings: SecondReadings


def session(
    file: File, first: np.ndarray, second: np.ndarray, share: float, random: np.random.Generator
) -> Session:
    """Half of the labels on each side, in equal parts over its strata; of the labelled items each
    is read again with chance ``share``. first, second: (n_items,), the two readings."""
    sizes = np.bincount(file.stratum).astype(float)
    above = stratum_sides(file)
    wanted = np.where(above, LABELS / 2 / above.sum(), LABELS / 2 / (~above).sum())
    taken = [
        random.choice(np.flatnonzero(file.stratum == k), min(int(wanted[k]), int(sizes[k])), False)
        for k in range(len(sizes))
    ]
    drawn = np.concatenate(taken)
    labelled = np.bincount(file.stratum[drawn], minlength=len(sizes)).astype(float)
    positive = np.bincount(file.stratum[drawn], first[drawn], minlength=len(sizes))
    again = drawn[random.random(len(drawn)) < share]
    readings = SecondReadings(
        first[again] != second[again],
        file.predicted[again],
        (sizes / np.maximum(labelled, 1))[file.stratum[again]],
    )
    return Session(Cells(sizes, labelled, positive, above), readings)


def uncorrected(found: Session) -> tuple[FloatArray, FloatArray]:
    """The interval for the judgements, the kind that results have at the planned size."""
    rows = table(found.cells)
    return profile_bounds(found.cells, rows, fixed_critical(found.cells, rows, CONFIDENCE))


def intervals(found: Session, way: str) -> FloatArray:
    """The ends of every figure's interval by one way of speaking, (n_rows, 2)."""
    if way == "uncorrected":
        return np.column_stack(uncorrected(found))
    rows, read = table(found.cells), found.readings
    differing = int(read.differs.sum())
    limits = (
        corrected(found.cells, rows, len(read.differs), differing, CONFIDENCE)
        if way == "corrected"
        else bounded(found.cells, rows, read, CONFIDENCE)
    )
    return np.array([(one.low, one.high) for one in limits])


def covered(file: File, found: Session, ways: tuple[str, ...] = WAYS) -> dict[str, FloatArray]:
    """For each way of speaking of the truth and each figure: covered, half-width, (n_rows, 2)."""
    truth, result = file.figures, {}
    for way in ways:
        low, high = intervals(found, way).T
        holds = (low <= truth + 1e-9) & (truth <= high + 1e-9)
        result[way] = np.column_stack([holds, (high - low) / 2])
    return result


def runs_of(
    file: File, reader: Chances, number: int, share: float, runs: int
) -> dict[str, FloatArray]:
    """Means over ``runs`` sessions: {way: (n_rows, 2)}, coverage and half-width."""
    total: dict[str, FloatArray] = {}
    for run in range(runs):
        random = np.random.default_rng((number, run))
        chances = reader(file.score, file.truth, np.random.default_rng(number))
        readings = [file.truth ^ (random.random(len(file.truth)) < chance) for chance in chances]
        one = covered(file, session(file, readings[0], readings[1], share, random))
        total = {name: total.get(name, 0) + found for name, found in one.items()}
    return {name: found / runs for name, found in total.items()}


def ratings_file(folder: Path) -> tuple[File, list[np.ndarray]]:
    """The paraphrase pairs with at least two ratings, and whether each rating says yes."""
    pairs = pd.read_csv(folder / "ppdb_pairs.csv.gz", keep_default_na=False)
    votes = [np.array(text.split(), dtype=int) >= 3 for text in pairs["ratings"]]
    kept = np.array([len(one) >= 2 for one in votes])
    pairs, votes = pairs[kept], [one for one, keep in zip(votes, kept, strict=True) if keep]
    truth = pairs["true_label"].to_numpy() == 1
    predicted = pairs["pred_model"].to_numpy() == 1
    return from_score(pairs["score_model"].to_numpy(float), truth, predicted), votes


def two_raters(
    votes: list[np.ndarray], random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Two different ratings of each pair, (n_items,) each."""
    size = np.array([len(one) for one in votes])
    table = np.zeros((len(votes), size.max()), dtype=bool)
    for place, one in enumerate(votes):
        table[place, : len(one)] = one
    first = (random.random(len(votes)) * size).astype(int)
    second = (first + 1 + (random.random(len(votes)) * (size - 1)).astype(int)) % size
    rows = np.arange(len(votes))
    return table[rows, first], table[rows, second]


def real_runs(folder: Path, share: float, runs: int) -> tuple[dict[str, FloatArray], float, float]:
    """Means over runs as in ``runs_of``; the share of pairs of ratings that differ, and of wrong
    ratings."""
    file, votes = ratings_file(folder)
    total: dict[str, FloatArray] = {}
    differ, wrong = [], []
    for run in range(runs):
        random = np.random.default_rng((len(READERS), run))
        first, second = two_raters(votes, random)
        differ.append(float((first != second).mean()))
        wrong.append(float((first != file.truth).mean()))
        one = covered(file, session(file, first, second, share, random))
        total = {name: total.get(name, 0) + found for name, found in one.items()}
    means = {name: found / runs for name, found in total.items()}
    return means, float(np.mean(differ)), float(np.mean(wrong))


def made_up_job(number: int, share: float, runs: int) -> list[Row]:
    return [{"found": runs_of(made_up(), list(READERS.values())[number], number, share, runs)}]


def real_job(folder: Path, share: float, runs: int) -> list[Row]:
    found, differ, wrong = real_runs(folder, share, runs)
    return [{"found": found, "differ": differ, "wrong": wrong}]


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Job] = {}
    for share in SHARES:
        for number, name in enumerate(READERS):
            found[title(name, share)] = partial(made_up_job, number, share, options.runs)
        found[title(REAL, share)] = partial(real_job, options.data, share, options.runs)
    return found


def title(reader: str, share: float) -> str:
    return f"{reader}, {100 * share:.0f} % read twice"


def tables(rows: Rows, options: Options) -> str:
    error = 100 * (0.95 * 0.05 / options.runs) ** 0.5
    parts = [HEAD.format(runs=options.runs, error=error, labels=LABELS)]
    for share in SHARES:
        lines = [
            line
            for name in (*READERS, REAL)
            for line in lines_of(name, rows[title(name, share)][0]["found"])
        ]
        parts.append(f"\n## {100 * share:.0f} % of the labelled items read twice\n")
        parts.append(harness.table(("reader", "way", *NAMES), lines))
    (real,) = rows[title(REAL, SHARES[-1])]
    last = f"Paraphrases: two ratings of a pair differ in {100 * real['differ']:.1f} %, "
    last += f"one rating differs from the mean of all in {100 * real['wrong']:.1f} %."
    return "\n".join([*parts, last, ""])


def lines_of(name: str, found: dict[str, list[list[float]]]) -> list[list[str]]:
    """Three lines of a table: coverage in % and half-width in points."""
    return [
        [name if way == WAYS[0] else "", way,
         *(f"{100 * hit:.1f} (± {100 * half:.1f})" for hit, half in found[way])]
        for way in WAYS
    ]  # fmt: skip


HEAD = """\
{runs} sessions a row ({error:.1f} points is one standard error of a coverage of 95 %), {labels}
labels each. In each cell: how often the 95 % interval held the truth, in %, and its mean half-width
in points.
"""
BENCHMARK = Benchmark(
    name="label_error", about=__doc__, jobs=jobs, tables=tables, runs=350, quick_runs=10,
    page="label_error.md", head=f"\n{MADE}\n\n",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
