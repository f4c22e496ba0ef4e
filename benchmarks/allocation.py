"""The two rules that share the labels of `recalibrated_neyman`: width and coverage side by side.

    python -m benchmarks.allocation ../shared/data [--quick] [--runs 200] [--workers 2]

Each population, size and focus is drawn with both rules, stratum by stratum: with a stratum's
items in random order the hits of a batch are hypergeometric, so no item need be touched. The
allocation and the interval are the product's own. Seeds: run r of population p uses (9, p, r), the
same for both rules.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import labelcore as lc
from benchmarks.populations import MAIN, Items, Known, all_cases, known, real_cases, written
from labelcore.designs.base import Frame, Progress, Setup
from labelcore.designs.profile_figures import profile_figures
from labelcore.designs.recalibrated_neyman import NEYMAN, TWO_ENDED
from labelcore.estimands import SCALARS, ratios
from labelcore.figures.scalars import look_at
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


def measure(name: str, folder: Path, size: int, focus: str, rule: str, runs: int, place: int) -> pd.DataFrame:  # fmt: skip  # noqa: E501
    """Width and coverage of each figure of one focus, over ``runs`` sessions."""
    file = population_of(name, folder)
    plan = lc.Plan(
        "recalibrated_neyman", MAIN, classifier=file.classifier, budget=size, promise="fixed",
        params={"focus": focus, "allocation": rule},
    )  # fmt: skip
    engine = Engine(file.population, plan.with_planned(size))
    setup, frame = engine.setup, engine.frame
    positive = file.codes == file.population.classes.index(file.population.positive)
    hits = np.bincount(frame.stratum, positive, minlength=frame.n_strata).astype(np.int64)
    rows = [SCALARS[figure] for figure in FOCI[focus]]
    look = replace(look_at(engine), labels=size)
    whole = cells_of(frame, frame.sizes, hits)
    truth = ratios(rows, whole).value(hits.astype(float))
    found = np.zeros((2, runs, len(rows)))
    for run in range(runs):
        progress = session(setup, frame, engine, hits, np.random.default_rng((9, place, run)))
        rates = engine.design.fitted_rates(frame, progress)
        counts = cells_of(frame, progress.drawn, progress.positive)
        figures = profile_figures(rows, counts, look, rates)
        covered = (figures.low <= truth + 1e-12) & (truth <= figures.high + 1e-12)
        found[:, run] = covered, figures.high - figures.low
    return pd.DataFrame(
        {"population": name, "labels": size, "focus": focus, "figure": FOCI[focus], "rule": rule,
         "coverage": found[0].mean(axis=0), "width": found[1].mean(axis=0)}
    )  # fmt: skip


def session(
    setup: Setup, frame: Frame, engine: Engine, hits: np.ndarray, random: np.random.Generator
) -> Progress:
    """One session to its planned size."""
    drawn, positive = np.zeros((2, frame.n_strata), dtype=np.int64)
    while drawn.sum() < setup.planned:
        state = Progress(drawn, drawn.astype(float), positive.astype(float), setup.planned)
        take = engine.design.allocate(setup, frame, state)  # type: ignore[attr-defined]
        rest = frame.sizes - drawn
        positive = positive + random.hypergeometric(
            hits - positive, rest - hits + positive, np.minimum(take, rest)
        )
        drawn = drawn + take
    return Progress(drawn, drawn.astype(float), positive.astype(float), setup.planned)


def cells_of(frame: Frame, drawn: np.ndarray, positive: np.ndarray) -> Cells:
    parts = (part.astype(float) for part in (frame.sizes, drawn, positive))
    return Cells(*parts, frame.predicted)


def as_markdown(table: pd.DataFrame) -> str:
    """One row for each group, focus and figure; ratios are geometric means over the cells."""
    keys = ["group", "population", "labels", "focus", "figure"]
    wide = table.pivot_table(index=keys, columns="rule", values=["width", "coverage"])
    width, coverage = wide["width"].clip(lower=1e-3), wide["coverage"]
    ratio = np.log(width[TWO_ENDED] / width[NEYMAN])
    by = ["group", "focus", "figure"]
    lines = ["| populations | focus | figure | cells | width, two_ended over neyman | most | "
             "coverage, two_ended | least | coverage, neyman | least |",
             "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for key, part in ratio.groupby(by):
        kept = coverage.loc[part.index]
        new, old = kept[TWO_ENDED], kept[NEYMAN]
        lines.append(
            f"| {' | '.join(map(str, key))} | {len(part)} | {np.exp(part.mean()):.3f} | "
            f"{np.exp(part.max()):.3f} | {new.mean():.3f} | {new.min():.3f} | {old.mean():.3f} | "
            f"{old.min():.3f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="two populations, 50 runs")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    start = time.monotonic()
    groups = [(group, name) for group in ("held out", "nasty") for name in names_of(group)]
    chosen = [pair for pair in groups if not options.quick or pair[1] in QUICK]
    runs = 50 if options.quick else options.runs
    with ProcessPoolExecutor(options.workers) as pool:
        jobs = [
            (group, pool.submit(measure, name, options.folder, size, focus, rule, runs, place))
            for place, (group, name) in enumerate(chosen)
            for size in (300, 1000)
            for focus in FOCI
            for rule in (NEYMAN, TWO_ENDED)
        ]
        table = pd.concat([job.result().assign(group=group) for group, job in jobs])
    print(as_markdown(table))
    print(f"{runs} runs each, {(time.monotonic() - start) / 60:.0f} minutes")


if __name__ == "__main__":
    main()
