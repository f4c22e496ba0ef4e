"""What the sound form of stratified sampling promises on real files, and whether it is kept.

CBRT, ten strata, labels in proportion, a fixed size. Accuracy; precision, recall and F1 from the
same labels by the linearised variance.
"""

import numpy as np
import pandas as pd

from benchmarks.papers.stratified_files import ScoredFile
from labelcore.estimands import SCALARS, ratios
from labelcore.papers.stratified.accuracy_interval import (
    accuracy_interval,
    linearised_interval,
    pooled_rates,
)
from labelcore.papers.stratified.neyman import proportional_counts
from labelcore.papers.stratified.stratifications import stratify
from labelcore.stats.arrays import IntArray
from labelcore.stats.profile import Cells, fixed_critical

OTHERS = ("precision", "recall", "f1")
RUNS = 400


def sound_table(files: dict[str, ScoredFile], random: np.random.Generator) -> pd.DataFrame:
    """Coverage by file."""
    rows = []
    for file in files.values():
        row: dict[str, str | float] = {"file": file.name}
        stratum = stratify("cbrt", file.z, 10, file.keys.__getitem__)
        for labels in (300, 1_000):
            found = _covered(file, stratum, labels, random)
            row |= {f"{name}, {labels}": share for name, share in found.items()}
        rows.append(row)
    return pd.DataFrame(rows)


def _kinds(file: ScoredFile, stratum: IntArray) -> IntArray:
    """Items by stratum, prediction and truth, (n_strata, 4): the last index is 2 said + true."""
    assert file.said is not None
    true = np.where(file.right, file.said, ~file.said)
    code = 4 * stratum + 2 * file.said + true
    return np.bincount(code, minlength=4 * (int(stratum.max()) + 1)).reshape(-1, 4)


def _covered(
    file: ScoredFile, stratum: IntArray, labels: int, random: np.random.Generator
) -> dict[str, float]:
    kinds = _kinds(file, stratum)
    counts = proportional_counts(kinds.sum(axis=1), labels)
    rows = [SCALARS[name] for name in OTHERS]
    everything = _cells(kinds, kinds)
    truth = ratios(rows, everything).value(everything.positive)
    inside = np.zeros(1 + len(rows))
    for _ in range(RUNS):
        drawn = random.multivariate_hypergeometric
        sample = np.array([drawn(one, n) for one, n in zip(kinds, counts, strict=True)])
        right = sample[:, 0] + sample[:, 3]
        own = accuracy_interval(kinds.sum(axis=1), counts, right, 0.95)
        inside[0] += own.low <= file.right.mean() <= own.high
        cells = _cells(kinds, sample)
        table = ratios(rows, cells)
        critical = fixed_critical(cells, table, 0.95, pooled_rates(cells))
        _, low, high = linearised_interval(cells, table, critical)
        inside[1:] += (low <= truth) & (truth <= high)
    return dict(zip(("accuracy", *OTHERS), (inside / RUNS).tolist(), strict=True))


def _cells(kinds: IntArray, sample: IntArray) -> Cells:
    """Parts of the strata that share a prediction, empty ones left out."""
    size = np.append(kinds[:, 0] + kinds[:, 1], kinds[:, 2] + kinds[:, 3]).astype(float)
    labelled = np.append(sample[:, 0] + sample[:, 1], sample[:, 2] + sample[:, 3]).astype(float)
    positive = np.append(sample[:, 1], sample[:, 3]).astype(float)
    said = np.arange(len(size)) >= len(kinds)
    keep = size > 0
    return Cells(size[keep], labelled[keep], positive[keep], said[keep])
