"""Table 2 of Tripathi et al. on a stand-in: newsgroups posts, three classifiers and their vote.

Section 6 (recall) has no numbers; the design's precisions and recalls are measured on the same
file.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.real_files import FILES
from labelcore.designs.base import AnswerCodes, Look, Setup
from labelcore.designs.scalars import Answers
from labelcore.estimands import SCALARS
from labelcore.papers.recycling.design import Recycling, RecyclingFrame
from labelcore.papers.recycling.samples import agreement_levels, level_share, recycle_all
from labelcore.stats.arrays import BoolArray, FloatArray
from labelcore.stats.profile import Cells

FILE = "newsgroups_med.csv.gz"
NAMES = ("vote", "lr", "svm", "nb")
UNDER = (-1, 0, 0, 0)
NEGATIVES = 1000
SIZE = 278
"""Draws per classifier: a margin of 3 points at a precision of .93, section 3.2."""


@dataclass(frozen=True)
class StandIn:
    """Over the trials, per child: savings, errors in %, whether our interval held (trials, 3).

    distinct   (trials,), distinct labels of recycling over those of four plain random samples
    """

    savings: FloatArray
    error: FloatArray
    srs_error: FloatArray
    covered: BoolArray
    distinct: FloatArray


def read(folder: Path) -> tuple[BoolArray, BoolArray]:
    columns = [f"pred_{name}" for name in NAMES]
    table = pd.read_csv(folder / FILE, usecols=[*columns, "true_label"])
    return table[columns].to_numpy().T == 1, table["true_label"].to_numpy() == 1


def run_stand_in(folder: Path, trials: int) -> StandIn:
    called, truth = read(folder)
    levels = agreement_levels(called, UNDER)
    sizes = [np.bincount(one[one >= 0], minlength=2) for one in levels]
    precision = np.array([truth[one].mean() for one in called])
    sets = [np.flatnonzero(one) for one in called]
    order = np.arange(len(truth))
    random = np.random.default_rng((54, 0))
    rows = []
    for _ in range(trials):
        samples = recycle_all(called, UNDER, order, SIZE, "shuffle", random)
        plain = [one[random.integers(len(one), size=SIZE)] for one in sets]
        share = [truth[one.items].mean() for one in samples]
        srs = [truth[one].mean() for one in plain]
        held = []
        for place in (1, 2, 3):
            items = np.unique(samples[place].items)
            level = levels[place][items]
            labelled = np.bincount(level, minlength=2)
            hits = np.bincount(level, truth[items], minlength=2)
            _, low, high = level_share(sizes[place], labelled, hits, 0.95)
            held.append(low <= precision[place] <= high)
        ours = len(np.unique(np.concatenate([one.items for one in samples])))
        theirs = len(np.unique(np.concatenate(plain)))
        rows.append(([one.saved for one in samples[1:]], share[1:], srs[1:], held, ours / theirs))
    saved, share, srs, held, distinct = (np.array(part) for part in zip(*rows, strict=True))
    error, srs_error = (np.abs(part - precision[1:]) / precision[1:] for part in (share, srs))
    return StandIn(100 * saved / SIZE, 100 * error, 100 * srs_error, held, distinct)


def stand_in_values(found: StandIn) -> dict[str, float]:
    values = {"newsgroups_labels_saved": 100 * (1 - float(found.distinct.mean()))}
    for place, name in enumerate(NAMES[1:]):
        saved, error, srs = (
            part[:, place] for part in (found.savings, found.error, found.srs_error)
        )
        values |= {
            f"newsgroups_{name}_savings_low": float(saved.min()),
            f"newsgroups_{name}_savings_mean": float(saved.mean()),
            f"newsgroups_{name}_savings_high": float(saved.max()),
            f"newsgroups_{name}_error_low": float(error.min()),
            f"newsgroups_{name}_error_high": float(error.max()),
            f"newsgroups_{name}_srs_error_low": float(srs.min()),
            f"newsgroups_{name}_srs_error_high": float(srs.max()),
            f"newsgroups_{name}_coverage": float(found.covered[:, place].mean()),
        }
    return values


def stand_in_table(values: dict[str, float]) -> pd.DataFrame:
    """As table 2 has it."""
    rows = []
    for name in NAMES[1:]:
        start = f"newsgroups_{name}"
        spans = [
            f"{values[f'{start}_{part}_low']:.2f} to {values[f'{start}_{part}_high']:.2f}"
            for part in ("error", "srs_error", "savings")
        ]
        rows.append((name, *spans, f"{values[f'{start}_coverage']:.3f}"))
    columns = ["classifier", "error, recycled, %", "error, plain, %", "savings, %"]
    return pd.DataFrame(rows, columns=[*columns, "coverage of our interval"])


def design_table(folder: Path, runs: int, parent: str) -> pd.DataFrame:
    """Every precision and recall by the design: bias, error, coverage and width over seeds."""
    names = (parent, *(name for name in NAMES if name != parent))
    file = next(one for one in FILES if one.name == FILE)
    population, (called, truth) = file.population(folder), read(folder)
    design, params = (
        Recycling(),
        Recycling.Params(names[0], names[1:], sample_size=SIZE, negatives=NEGATIVES),
    )
    rows: list[tuple[str, float, float, float, float]] = []
    labels = []
    for seed in range(runs):
        setup = Setup(population, parent, ("precision", "recall"), params, seed, 0)
        frame = design.prepare(setup)
        assert isinstance(frame, RecyclingFrame)
        labels.append(len(frame.sequence))
        look = Look(0.95, "fixed", labels[-1], labels[-1], "file", frame.n_strata, setup=setup)
        codes = AnswerCodes()
        codes[frame.sequence] = truth[frame.sequence]
        for name, mine in zip(NAMES, called, strict=True):
            nothing = np.zeros(0)
            cells = Cells(nothing, nothing, nothing, nothing > 0)
            wanted = [SCALARS["precision"], SCALARS["recall"]]
            found = design.figures(Answers(frame, wanted, cells, None, name, 1, codes), look)
            hits = (mine & truth).sum()
            ends = zip(("precision", "recall"), (mine.sum(), truth.sum()), strict=True)
            for place, (what, below) in enumerate(ends):
                numbers = (part[place] for part in (found.value, found.low, found.high))
                rows.append((f"{what} of {name}", float(hits / below), *map(float, numbers)))
    table = pd.DataFrame(rows, columns=["result", "truth", "value", "low", "high"])
    table["error"] = table["value"] - table["truth"]
    table["held"] = (table["low"] <= table["truth"]) & (table["truth"] <= table["high"])
    table["half"] = (table["high"] - table["low"]) / 2
    parts = table.groupby("result", sort=False)
    return pd.DataFrame(
        {
            "result": list(parts.groups),
            "truth": [f"{one:.3f}" for one in parts["truth"].first()],
            "bias, points": [f"{100 * one:+.2f}" for one in parts["error"].mean()],
            "standard deviation, points": [f"{100 * one:.2f}" for one in parts["error"].std()],
            "coverage at 95 %": [f"{one:.3f}" for one in parts["held"].mean()],
            "mean half-width, points": [f"{100 * one:.2f}" for one in parts["half"].mean()],
            "mean labels in all": f"{np.mean(labels):.0f}",
        }
    )
