"""The two rules that share the labels of `recalibrated_neyman`: width and coverage side by side.

    python -m benchmarks.allocation [--quick] [--runs 200]

Each population, size and focus is drawn with both rules, stratum by stratum: with a stratum's
items in random order the hits of a batch are hypergeometric, so no item need be touched. The
allocation and the interval are the product's own. Seeds: run r of population p uses (9, p, r), the
same for both rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.populations import MAIN, Items, Known, all_cases, known, real_cases, written
from labelcore.designs.base import Frame, Progress, Setup
from labelcore.designs.profile_figures import profile_figures
from labelcore.designs.score_frame import NEYMAN, TWO_ENDED
from labelcore.estimands import SCALARS, ratios
from labelcore.figures.counted import look_at
from labelcore.log.engine import Engine
from labelcore.stats.profile import Cells

SHARES = (0.3, 0.1, 0.01, 0.001)
SCORES = ("good", "overconfident", "underconfident", "tied")
EXPLORED = {"newsgroups_med lr", "newsgroups_med nb", "ppdb_pairs cosine", "product_pairs gbm",
            "product_pairs title"}  # fmt: skip
NASTY = ("upside down", "overconfident, deep misses", "flipped tail", "shifted down", "compressed",
         "prevalence .1 %", "right outside the middle", "one accuracy 0.8", "one accuracy 0.99",
         "sharp scores")  # fmt: skip
FOCI: dict[str, tuple[str, ...]] = {
    "precision_recall": MAIN, "accuracy": ("accuracy",), "recall": ("recall",), "f1": ("f1",),
}  # fmt: skip
SIZES = (300, 1000)
QUICK = ("0.01 overconfident", "prevalence .1 %")


def graded(name: str) -> Items:
    """A file of a share of positives and a kind of score, such as "0.1 tied"."""
    text, kind = name.split(" ")
    share = float(text)
    random = np.random.default_rng((77, SHARES.index(share), SCORES.index(kind)))
    n, strength = (100_000 if share < 0.005 else 20_000), (1.2 if share >= 0.1 else 0.5)
    p = np.clip(random.beta(share * strength, (1 - share) * strength, n), 1e-6, 1 - 1e-6)
    if kind == "overconfident":
        p = np.maximum(p, 0.1 * share)
    truth = (random.random(n) < p).astype(int)
    shown = {
        "good": p,
        "overconfident": expit(3 * logit(p) - 2),
        "underconfident": expit(0.4 * logit(p)),
        "tied": np.round(p, 1),
    }
    return Items(truth, shown[kind])


def names_of(group: str) -> list[str]:
    """The populations of a group: where the rule was chosen, those held out, nasty ones."""
    grid = [(f"{share:g} {kind}", (i + j) % 2 == 0) for i, share in enumerate(SHARES)
            for j, kind in enumerate(SCORES)]  # fmt: skip
    files = [(case.name, case.name in EXPLORED) for case in real_cases()]
    explored = [name for name, chosen in (*grid, *files) if chosen]
    held_out = [name for name, chosen in (*grid, *files) if not chosen]
    return {"explored": explored, "held out": held_out, "nasty": list(NASTY)}[group]


@lru_cache(maxsize=1)
def population_of(name: str, folder: Path) -> Known:
    return known(name, folder) if name in all_cases() else written(graded(name))


def measure(group: str, place: int, name: str, folder: Path, runs: int) -> list[Row]:
    """Both rules on one population, for every size and focus."""
    return [
        {"group": group, **row}
        for size in SIZES
        for focus in FOCI
        for rule in (NEYMAN, TWO_ENDED)
        for row in rows_of(name, folder, size, focus, rule, runs, place)
    ]


def rows_of(
    name: str, folder: Path, size: int, focus: str, rule: str, runs: int, place: int
) -> list[Row]:
    """Width and coverage of each figure of one focus, over ``runs`` sessions."""
    file = population_of(name, folder)
    plan = lc.Plan(
        "recalibrated_neyman", MAIN, classifier=file.classifier, budget=size, promise="fixed",
        params={"focus": focus, "allocation": rule},
    )  # fmt: skip
    engine = Engine(file.population, plan.with_planned(size))
    positive = file.codes == file.population.classes.index(file.population.positive)
    means = over_sessions(engine, positive, FOCI[focus], runs, (9, place)).mean(axis=1)
    return [
        {"population": name, "labels": size, "focus": focus, "figure": figure, "rule": rule,
         "coverage": means[0, at], "width": means[1, at]}
        for at, figure in enumerate(FOCI[focus])
    ]  # fmt: skip


def over_sessions(
    engine: Engine, truth: np.ndarray, names: Sequence[str], runs: int, seed: tuple[int, ...]
) -> np.ndarray:
    """Whether each figure held at the end of each session, its width and its error:
    (3, n_runs, n_figures). Run r has the seed ``(*seed, r)``."""
    setup, frame = engine.setup, engine.frame
    hits = np.bincount(frame.stratum, truth, minlength=frame.n_strata).astype(np.int64)
    rows, look = [SCALARS[name] for name in names], replace(look_at(engine), labels=setup.planned)
    right = ratios(rows, cells_of(frame, frame.sizes, hits)).value(hits.astype(float))
    found = np.zeros((3, runs, len(rows)))
    for run in range(runs):
        progress = session(setup, frame, engine, hits, np.random.default_rng((*seed, run)))
        rates = engine.design.fitted_rates(frame, progress)
        counts = cells_of(frame, progress.drawn, progress.positive)
        figures = profile_figures(rows, counts, look, rates)
        held = (figures.low <= right + 1e-12) & (right <= figures.high + 1e-12)
        found[:, run] = held, figures.high - figures.low, figures.value - right
    return found


def session(
    setup: Setup, frame: Frame, engine: Engine, hits: np.ndarray, random: np.random.Generator
) -> Progress:
    """One session to its planned size."""
    *_, last = batches(setup, frame, engine, hits, random)
    return last


def batches(
    setup: Setup, frame: Frame, engine: Engine, hits: np.ndarray, random: np.random.Generator
) -> Iterator[Progress]:
    """What there is after each batch of one session."""
    drawn, positive = np.zeros((2, frame.n_strata), dtype=np.int64)
    while drawn.sum() < setup.planned:
        state = Progress(drawn, drawn.astype(float), positive.astype(float), setup.planned)
        take = engine.design.allocate(setup, frame, state)  # type: ignore[attr-defined]
        rest = frame.sizes - drawn
        positive = positive + random.hypergeometric(
            hits - positive, rest - hits + positive, np.minimum(take, rest)
        )
        drawn = drawn + take
        yield Progress(drawn, drawn.astype(float), positive.astype(float), setup.planned)


def cells_of(frame: Frame, drawn: np.ndarray, positive: np.ndarray) -> Cells:
    parts = (part.astype(float) for part in (frame.sizes, drawn, positive))
    return Cells(*parts, frame.predicted)


def jobs(options: Options) -> dict[str, Job]:
    """The populations held out and the nasty ones."""
    groups = [(group, name) for group in ("held out", "nasty") for name in names_of(group)]
    chosen = [pair for pair in groups if not options.quick or pair[1] in QUICK]
    return {
        name: partial(measure, group, place, name, options.data, options.runs)
        for place, (group, name) in enumerate(chosen)
    }


def tables(rows: Rows, options: Options) -> str:
    """One row for each group, focus and figure; ratios are geometric means over the cells."""
    keys = ["group", "population", "labels", "focus", "figure"]
    wide = pd.DataFrame(flat(rows)).pivot_table(
        index=keys, columns="rule", values=["width", "coverage"]
    )
    width, coverage = wide["width"].clip(lower=1e-3), wide["coverage"]
    ratio = np.log(width[TWO_ENDED] / width[NEYMAN])
    found = []
    for key, part in ratio.groupby(["group", "focus", "figure"]):
        kept = coverage.loc[part.index]
        new, old = kept[TWO_ENDED], kept[NEYMAN]
        numbers = (np.exp(part.mean()), np.exp(part.max()), new.mean(), new.min(), old.mean(),
                   old.min())  # fmt: skip
        found.append((*key, len(part), *(f"{one:.3f}" for one in numbers)))
    names = ("populations", "focus", "figure", "cells", "width, two_ended over neyman", "most",
             "coverage, two_ended", "least", "coverage, neyman", "least")  # fmt: skip
    return f"{options.runs} runs each.\n\n{table(names, found)}"


BENCHMARK = Benchmark(
    name="allocation", about=__doc__, jobs=jobs, tables=tables, runs=200, quick_runs=50
)

if __name__ == "__main__":
    command(BENCHMARK)()
