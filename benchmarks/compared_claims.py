"""Claims that compare two classifiers with three classes: how many labels until one is decided.

A section of ``benchmarks.claims``. Files of 5,000 items: on 5 % of them only B is right, on 5 % and
the gap only A, on 2 % the two disagree and both are wrong, on 8 % they are wrong together. The
claim is "accuracy[A] > accuracy[B]"; evidence is read on a grid of looks that grows by 4 %, and 20
decides (alpha = .05). Beside it the sizes that a one-sided paired normal test would have to fix
beforehand for a power of 50 and of 80 %, from the true shares. At a gap of 0 the claim is false and
deciding it an error. Seeds: run r uses r, the files 5.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

import labelcore as lc
from benchmarks.harness import Row, table
from benchmarks.real_files import answered
from labelcore.log.engine import Engine

ITEMS, ALPHA, FIRST, FILE_SEED = 5000, 0.05, 30, 5
WHERE_FALSE = 5  # times as many sessions
GAPS = (0.0, 0.03, 0.05, 0.10)
ONLY_B, NEITHER, BOTH_WRONG = 0.05, 0.02, 0.08
DESIGNS: dict[str, tuple[str, dict[str, Any]]] = {
    "simple random (one cell)": ("simple_random", {}),
    "recalibrated Neyman (five strata)": ("recalibrated_neyman", {"focus": "accuracy"}),
}
SECTION = """## Two classifiers, three classes: labels until A is shown to be better

5,000 items: only B is right on 5 %, only A on 5 % and the gap, on 2 % they disagree and both are
wrong, on 8 % they are wrong together; A's score says how likely it is right. "certified" is the
share of sessions that ever decide the claim; at a gap of 0 that is an error. The fixed sizes are
those of a one-sided paired normal test, from the true shares, which nobody knows beforehand; they
may be looked at once. A plain random sample has one cell, in which the signs of the disagreements
are enough (`labelcore.stats.three_outcomes`); with strata all three outcomes of each must be
learned, and a decision takes two to three times the labels. {runs} sessions for each row, {more}
where the claim is false.

{table}"""


def made_file(gap: float) -> tuple[lc.Population, np.ndarray]:
    """The population and the true class of every item, (n_items,)."""
    random = np.random.default_rng(FILE_SEED)
    shares = (ONLY_B + gap, ONLY_B, NEITHER, BOTH_WRONG)
    counts = [round(share * ITEMS) for share in shares]
    kind = random.permutation(np.repeat(np.arange(5), [*counts, ITEMS - sum(counts)]))
    truth = random.integers(0, 3, ITEMS)
    wrong = (truth + random.integers(1, 3, ITEMS)) % 3
    other = 3 - truth - wrong
    left = np.where(np.isin(kind, (0, 4)), truth, wrong)
    right = np.select([kind == 0, kind == 1, kind == 2, kind == 3], [wrong, truth, other, wrong],
                      truth)  # fmt: skip
    score = np.where(left == truth, random.beta(6, 1.5, ITEMS), random.beta(3, 2.5, ITEMS))
    names = np.array(["x", "y", "z"])
    columns = {"id": np.arange(ITEMS), "text": "-", "a": names[left], "b": names[right],
               "score": np.round(score, 4)}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        population = lc.read_population(
            path, id="id", content="text", predictions={"A": "a", "B": "b"}, scores={"A": "score"}
        )
    return population, truth


def labels_needed(engine: Engine, truth: np.ndarray, looks: np.ndarray) -> float:
    """The number of labels at the first look that decides the claim; infinite for none."""
    claim = engine.claims[0]
    labels, seen = answered(engine, truth), []
    for look in looks:
        while len(engine.asked) < look:
            next(labels)
        cells = claim.tally.cells(None)
        seen.append((cells.labelled, cells.positive))
    labelled, positive = (np.array(part) for part in zip(*seen, strict=True))
    found = claim.log_evidence(cells, labelled, positive, claim.linear[0], "file")
    reached = found >= -np.log(ALPHA)
    return float(looks[reached.argmax()]) if reached.any() else np.inf


def compared(gap: float, design: str, runs: int) -> list[Row]:
    """One gap and design."""
    population, truth = made_file(gap)
    name, params = DESIGNS[design]
    plan = lc.Plan(
        name, ("accuracy",), classifier="A", claims=("accuracy[A] > accuracy[B]",), stop=(),
        budget=ITEMS, params=params,
    ).with_planned(ITEMS)  # fmt: skip
    looks = np.unique(np.ceil(np.geomspace(FIRST, 0.98 * ITEMS, 130)).astype(int))
    needed = [
        labels_needed(Engine(population, replace(plan, seed=run)), truth, looks)
        for run in range(runs)
    ]
    low, median, high = np.quantile(needed, [0.1, 0.5, 0.9], method="inverted_cdf")
    row = {
        "gap": f"{100 * gap:.0f} points", "strata": design,
        "certified": f"{np.mean(np.isfinite(needed)):.2f}",
        "median labels": "–" if gap == 0 else f"{median:,.0f}",
        "one in ten below / above": "–" if gap == 0 else f"{low:,.0f} / {high:,.0f}",
        "fixed size, power 50 / 80 %": "–" if gap == 0 else " / ".join(
            f"{fixed_size(gap, power):,.0f}" for power in (0.5, 0.8)
        ),
    }  # fmt: skip
    return [row]


def fixed_size(gap: float, power: float) -> float:
    """Labels of a plain random sample without replacement for a one-sided paired normal test."""
    variance = 2 * ONLY_B + gap - gap**2
    size = float((ndtri(1 - ALPHA) + ndtri(power)) ** 2 * variance / gap**2)
    return size / (1 + size / ITEMS)


def section(rows: list[Row], runs: int) -> str:
    found = table([*rows[0]], [[*row.values()] for row in rows])
    return SECTION.format(runs=runs, more=runs * WHERE_FALSE, table=found)
