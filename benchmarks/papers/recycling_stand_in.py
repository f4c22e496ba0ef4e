"""Table 2 of Tripathi et al. on a stand-in: newsgroups posts, three classifiers and their vote."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from labelcore.papers.recycling.samples import agreement_levels, level_share, recycle_all
from labelcore.stats.arrays import BoolArray, FloatArray

FILE = "newsgroups_med.csv.gz"
NAMES = ("vote", "lr", "svm", "nb")
UNDER = (-1, 0, 0, 0)
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
