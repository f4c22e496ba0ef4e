"""Each method of the five papers at full size, through a session, on real files with known truth.

    python -m benchmarks.papers.sessions [--quick] [--write]

One session each, every label given through ``labelcore.Session``: what was planned, what came out,
and the truth beside it. It shows that a whole session works and what it says; how often results are
right is in the other benchmarks.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.real_files import FILES
from labelcore.figures.choices import TrueChoice
from labelcore.planning.simulation import true_values
from labelcore.planning.truth import true_codes
from labelcore.results.base import Finding
from labelcore.words.sentences import percent, percent_range

COLUMNS = ("method", "file", "plan", "labels", "draws", "result", "truth", "right", "seconds")
SEED = 1


@dataclass(frozen=True)
class Case:
    """A plan on a file; ``file`` is the start of its name."""

    file: str
    design: str
    estimands: Sequence[str]
    values: dict[str, Any] = field(default_factory=dict)


RECYCLED = {"parent": "vote", "children": ["lr", "svm", "nb"], "sample_size": 1068}
WANTED = {"precision_threshold": 0.8, "precision_slack": 0.1, "reach_slack": 0.1}
CURVE = ("precision_curve",)
CASES = (
    Case("newsgroups", "stratified", ["accuracy"], {"classifier": "lr", "budget": 1000}),
    Case("ppdb", "stratified", ["accuracy"], {"classifier": "model", "margin": 0.02}),
    Case("newsgroups", "oversampling", ["precision", "recall"],
         {"classifier": "lr", "margin": 0.05, "promise": "fixed"}),
    Case("newsgroups", "oversampling", ["precision", "recall"],
         {"classifier": "lr", "margin": 0.05, "promise": "fixed",
          "params": {"interval": "profile"}}),
    Case("ppdb", "oversampling", ["precision", "recall"],
         {"classifier": "cosine", "budget": 1000, "promise": "watched"}),
    Case("newsgroups", "recycling", ["precision", "recall"], {"params": RECYCLED}),
    Case("product", "recycling", ["precision"],
         {"params": {**RECYCLED, "children": ["gbm", "lr", "title"]}}),
    Case("newsgroups", "reach_selection", ["selection"],
         {"classifier": "lr", "budget": 5000, "params": WANTED}),
    Case("newsgroups", "reach_selection", ["selection"],
         {"classifier": "lr", "budget": 50_000, "params": {**WANTED, "bound": "hoeffding"}}),
    Case("newsgroups", "reach_selection", ["selection"],
         {"budget": 5000, "params": {**WANTED, "precision_threshold": 0.75,
                                     "candidates": ["lr", "svm", "nb", "vote"]}}),
    Case("product", "reach_selection", ["selection"],
         {"classifier": "gbm", "budget": 5000, "params": {**WANTED, "precision_threshold": 0.95}}),
    Case("ppdb", "paula", CURVE, {"classifier": "model", "params": {"epsilon": 0.05}}),
    Case("ppdb", "logarithmic_stratified", CURVE, {"classifier": "model"}),
    Case("ppdb", "random_curve", CURVE, {"classifier": "model", "budget": 10_000}),
)  # fmt: skip


def run(case: Case, folder: Path) -> list[Row]:
    """The rows of one session."""
    (file,) = (one for one in FILES if one.name.startswith(case.file))
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    plan = lc.Plan(case.design, case.estimands, seed=SEED, **case.values)
    start = time.perf_counter()
    session = lc.Session(population, plan)
    while (draw := session.next()) is not None:
        session.answer(draw, population.classes[codes[population.position(draw.item_id)]])
    results = session.results()
    seconds = time.perf_counter() - start
    truth = true_values(session.engine, codes, results)
    asked = plan_words(case)
    found = [
        (case.design, file.name.partition(".")[0], asked, f"{session.labels:,}",
         f"{one.draws_used:,}", f"{key}: {said(one)}", true_words(truth[key]),
         "yes" if right(one, truth[key]) else "no", f"{seconds:.1f}")
        for key, one in results.items()
    ]  # fmt: skip
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


def plan_words(case: Case) -> str:
    params = dict(case.values.get("params", {}))
    rest = {name: value for name, value in case.values.items() if name != "params"}
    return ", ".join(f"{name} {value}" for name, value in {**rest, **params}.items())


def said(one: Finding) -> str:
    """Value and interval, the mean over the ranks for a curve, the choice."""
    if isinstance(one, lc.Choice):
        return f"{one.chosen} ({one.status})"
    if isinstance(one, lc.Band):
        wide = float(np.mean(one.high - one.low) / 2)
        return f"half-width {100 * wide:.2f} points on average"
    if isinstance(one, lc.Claim) or one.value is None:
        return one.sentence()
    low, high = percent_range(one.low, one.high)
    return f"{percent(one.value)}, {low} to {high}"


def true_words(truth: Any) -> str:
    if isinstance(truth, TrueChoice):
        return f"best {truth.best}; right {', '.join(sorted(truth.right))}"
    return percent(float(truth)) if np.ndim(truth) == 0 else "curve"


def right(one: Finding, truth: Any) -> bool:
    """Whether the truth lies inside, of a curve at every rank; whether the choice is right."""
    if isinstance(one, lc.Choice):
        return (one.chosen or one.status) in truth.right
    assert isinstance(one, (lc.Estimate, lc.Band))
    return bool(np.all((one.low <= truth + 1e-12) & (truth - 1e-12 <= one.high)))


def jobs(options: Options) -> dict[str, Job]:
    """With ``--quick`` the first session of each method."""
    first = {case.design: case for case in reversed(CASES)}
    chosen = [case for case in CASES if not options.quick or case is first[case.design]]
    return {
        f"{case.design}, {case.file}, {plan_words(case)}": partial(run, case, options.data)
        for case in chosen
    }


def tables(rows: Rows, options: Options) -> str:
    return table(COLUMNS, [[*row.values()] for row in flat(rows)])


HEAD = f"""# Full-size sessions with known truth

{MADE}

One session of each method on real files, every label given through `labelcore.Session`, seed 1. A
single session shows that the method works at its full size and what it says; how often it is right
is in the tables of the papers. "right": the truth lies in the interval, of a curve at every rank of
the band; or the choice keeps the wanted precision (less the slack) and finds enough.

"""

BENCHMARK = Benchmark(
    name="papers.sessions", about=__doc__, jobs=jobs, tables=tables, page="papers/sessions.md",
    head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
