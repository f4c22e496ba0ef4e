"""Sessions of the benchmarks of monitors: many of one file side by side."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from labelcore.designs.progress import Progress
from labelcore.estimands import SCALARS, ratios
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.stats.profile import Cells, FloatArray

LABELS = 150
ASKED = ("precision", "recall")


@dataclass(frozen=True)
class Case:
    """A real file and a classifier of it; ``items``: the first so many alone."""

    name: str
    file: str
    classifier: str
    items: int | None = None


CASES = (
    Case("newsgroups lr", "newsgroups_med.csv.gz", "lr"),
    Case("newsgroups nb", "newsgroups_med.csv.gz", "nb"),
    Case("phrases model", "ppdb_pairs.csv.gz", "model"),
    Case("products gbm", "product_pairs.parquet", "gbm"),
    Case("products title, 46 positives", "product_pairs.parquet", "title", 7_800),
    Case("newsgroups svm, 5,000 items", "newsgroups_med.csv.gz", "svm", 5_000),
)


class Prepared:
    """Sessions of one file, many side by side: only their counts by stratum are drawn."""

    def __init__(self, case: Case, folder: Path) -> None:
        path = folder / case.file
        read = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
        found = read(path).head(case.items)
        own = {"id": found["id"].astype(str), "score": found[f"score_{case.classifier}"],
               "call": found[f"pred_{case.classifier}"]}  # fmt: skip
        population = lc.read_population(
            pd.DataFrame(own), id="id", content="id", scores={"m": "score"},
            predictions={"m": "call"},
        )  # fmt: skip
        plan = lc.Plan("recalibrated_neyman", ASKED, budget=LABELS, promise="fixed")
        self.engine = Engine(population, kept_plan(population, plan))
        frame = self.frame = self.engine.frame
        self.size, self.called = frame.sizes.astype(float), frame.predicted
        truth = found["true_label"].to_numpy().astype(float)
        self.positive = np.bincount(frame.stratum, truth, frame.n_strata)

    def value(self, figure: str, positive: FloatArray | None = None) -> float:
        empty = Cells(self.size, 0 * self.size, 0 * self.size, self.called)
        totals = self.positive if positive is None else positive
        return float(ratios([SCALARS[figure]], empty).value(totals)[0])

    def fallen(self, figure: str, by: float) -> FloatArray:
        """The positives of each stratum after the figure has fallen."""

        def after(share: float) -> FloatArray:
            fewer = 1 - share * (figure != "recall")
            more = share * (figure in ("recall", "accuracy"))
            return np.where(
                self.called, self.positive * fewer,
                self.positive + more * (self.size - self.positive),
            )  # fmt: skip

        low, high, goal = 0.0, 1.0, self.value(figure) - by
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if self.value(figure, after(middle)) > goal else (low, middle)
            )
        return np.round(after(high))

    def sessions(self, positive: FloatArray, runs: int, random: np.random.Generator) -> Cells:
        """The counts of so many sessions, (runs, n_strata)."""
        engine, shape = self.engine, (runs, len(self.size))
        there = np.broadcast_to(np.round(positive).astype(np.int64), shape)
        drawn, hits = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        while drawn[0].sum() < LABELS:
            now = Progress(drawn, drawn.astype(float), hits.astype(float), LABELS)
            take = np.broadcast_to(engine.design.allocate(engine.setup, self.frame, now), shape)
            left = there - hits
            hits = hits + random.hypergeometric(left, self.frame.sizes - drawn - left, take)
            drawn = drawn + take
        counts = drawn.astype(float), hits.astype(float)
        return Cells(np.broadcast_to(self.size, shape), *counts, self.called)


def chosen(
    pools: list[Cells], lengths: list[int], series: int, random: np.random.Generator
) -> Cells:
    """Series of waves, (series, n_waves, n_cells): so many of each pool, one after another."""
    parts = []
    for pool, length in zip(pools, lengths, strict=True):
        place = random.integers(len(pool.labelled), size=(series, length))
        parts.append((pool.size[place], pool.labelled[place], pool.positive[place]))
    size, labelled, positive = (np.concatenate(one, axis=1) for one in zip(*parts, strict=True))
    return Cells(size, labelled, positive, pools[0].predicted)
