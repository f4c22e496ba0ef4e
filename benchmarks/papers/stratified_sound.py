"""What the sound form of stratified sampling promises on real files, and whether it is kept.

CBRT, ten strata, labels in proportion. Accuracy at a fixed size and watched after every tenth
label; precision, recall and F1 from the same labels by the linearised variance.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.papers.stratified_files import ScoredFile
from labelcore.estimands import SCALARS, ratios
from labelcore.papers.stratified.accuracy_interval import (
    accuracy_interval,
    linearised_interval,
    pooled_rates,
)
from labelcore.papers.stratified.neyman import proportional_counts
from labelcore.papers.stratified.stratifications import stratify
from labelcore.stats.profile import Cells, fixed_critical, profile_bounds
from labelcore.stats.sequences import first_watched_look

IntArray = NDArray[np.int64]
OTHERS = ("precision", "recall", "f1")
RUNS, WATCHED_RUNS = 400, 200
WATCHED_LABELS, STEP = 300, 10


def watched_critical(labelled: int, planned: int, alpha: float) -> float:
    """The critical value q_w = m^2 that replaces the squared quantile when a person looks after
    every label,

        m = sqrt(n) sqrt( 2 (n r + 1) / (n^2 r) ln( sqrt(n r + 1) / alpha ) ),
        r = (-2 ln alpha + ln(-2 ln alpha + 1)) / n0,

    the multiplier of an asymptotic confidence sequence, tightest near the planned size n0.
    Conditions: at least five strata and max(40, n0 / 10) labels (``first_watched_look``).

    Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), theorem 2.2 and section B.2.
    Departure: used for a likelihood-ratio region over strata instead of a mean of independent
    draws; the rate of sessions in which it ever misses was measured, see
    docs/real_files.md and docs/watched.md.
    """
    spread = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / planned
    n = float(labelled)
    if n <= 0:
        return math.inf
    return 2 * (n * spread + 1) / (n * spread) * math.log(math.sqrt(n * spread + 1) / alpha)


def sound_table(files: dict[str, ScoredFile], random: np.random.Generator) -> pd.DataFrame:
    """Coverage by file, and the share of sessions that missed at any look."""
    rows = []
    for file in files.values():
        row: dict[str, str | float] = {"file": file.name}
        stratum = stratify("cbrt", file.z, 10, file.keys.__getitem__)
        for labels in (300, 1_000):
            found = _covered(file, stratum, labels, random)
            row |= {f"{name}, {labels}": share for name, share in found.items()}
        row["watched accuracy ever missed, 300"] = _ever_missed(file, stratum, random)
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


def _ever_missed(file: ScoredFile, stratum: IntArray, random: np.random.Generator) -> float:
    """Sessions in which the watched band left out the truth at any look."""
    sizes = np.bincount(stratum)
    correct = np.bincount(stratum, file.right).astype(np.int64)
    n = np.zeros(len(sizes), dtype=np.int64)
    right = np.zeros((WATCHED_RUNS, len(sizes)), dtype=np.int64)
    missed = np.zeros(WATCHED_RUNS, dtype=bool)
    everything = np.ones(len(sizes), dtype=bool)
    for look in range(STEP, WATCHED_LABELS + 1, STEP):
        added = np.maximum(proportional_counts(sizes, look) - n, 0)
        left = correct - right
        right = right + random.hypergeometric(left, sizes - n - left, added)
        n = n + added
        if look < first_watched_look(WATCHED_LABELS):
            continue
        critical = np.array([watched_critical(int(n.sum()), WATCHED_LABELS, 0.05)])
        for run in np.flatnonzero(~missed):
            cells = Cells(sizes.astype(float), n.astype(float), right[run] * 1.0, everything)
            low, high = profile_bounds(cells, ratios([SCALARS["accuracy"]], cells), critical)
            missed[run] = not low[0] <= file.right.mean() <= high[0]
    return float(missed.mean())
