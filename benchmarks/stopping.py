"""Stopping at a margin: one proportion exactly, a stratified session by simulation.

    python -m benchmarks.stopping [--quick] [--runs 120] [--rows rows.jsonl] [--write]

One proportion: least coverage, calibrated critical value and expected labels of
``labelcore.stats.stop_at_margin``; sessions of a plan with this stop and with the watched band,
``lc.simulate`` with seed 0, on files of 10,000 items without scores. Stratified: the multiplier of
``benchmarks.stop_calibration`` is found on simulated truths, seeds (0, r), then sessions on the
true labels, seeds (5, r), are stopped by the plain interval, by the calibrated one and by the
watched band. "Scores" says how the file's scores were changed before the plan was made; predictions
and truth stay.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import expit, logit, ndtri

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, table
from benchmarks.real_files import FILES
from benchmarks.stop_calibration import (
    GRID,
    Problem,
    calibrate_stop,
    problem,
    stopped_session,
)
from benchmarks.stop_in_a_plan import plan_row
from labelcore.planning.truth import true_codes
from labelcore.stats.stop_at_margin import (
    MarginRule,
    calibrated_critical,
    characteristics,
    least_coverage,
)

ESTIMANDS = ("accuracy", "precision", "recall")
FloatArray = np.ndarray
ORDINARY = float(ndtri(0.975))
LOOKED_BAD, AGAIN, PLAN_RUNS, FEW = 0.92, 400, 100, 5
RATES = (0.01, 0.05, 0.2, 0.5)


def _confident(score: FloatArray, factor: float) -> FloatArray:
    return expit(factor * logit(np.clip(score, 1e-6, 1 - 1e-6)))


def _shifted(score: FloatArray, amount: float) -> FloatArray:
    return expit(logit(np.clip(score, 1e-6, 1 - 1e-6)) + amount)


def _scrambled(score: FloatArray) -> FloatArray:
    """A third of the items carry the score of another item."""
    generator = np.random.default_rng(8)
    some = np.flatnonzero(generator.random(len(score)) < 1 / 3)
    found = score.copy()
    found[some] = score[generator.permutation(some)]
    return found


SCORES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "as in the file": lambda score: score,
    "three times as sure": lambda score: _confident(score, 3.0),
    "a third as sure": lambda score: _confident(score, 1 / 3),
    "shifted down by 2 logits": lambda score: _shifted(score, -2.0),
    "shifted up by 2 logits": lambda score: _shifted(score, 2.0),
    "a third scrambled": _scrambled,
}
NEWS, PAIRS = FILES[0].name, FILES[1].name
Case = tuple[str, str, str, float]
CASES: list[Case] = [
    *((PAIRS, "model", scores, 0.1) for scores in SCORES),
    *((NEWS, "lr", scores, 0.1) for scores in SCORES),
    (PAIRS, "cosine", "as in the file", 0.1),
    *((NEWS, name, "as in the file", 0.1) for name in ("svm", "nb", "vote")),
    (PAIRS, "model", "as in the file", 0.05),
]


def _prepared(folder: Path, case: Case) -> tuple[lc.Population, lc.Plan, np.ndarray]:
    """The file with changed scores, the plan, and the true positives of each stratum."""
    name, classifier, scores, margin = case
    file = next(file for file in FILES if file.name == name)
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    changed = {**population.scores, classifier: SCORES[scores](population.scores[classifier])}
    population = replace(population, scores=changed)
    plan = lc.Plan(
        "recalibrated_neyman", ESTIMANDS, classifier=classifier, margin=margin, promise="fixed"
    )
    one = problem(population, plan)
    positive = codes == population.classes.index(population.positive)
    totals = np.bincount(one.stratum[positive], minlength=len(one.sizes)).astype(np.int64)
    return population, plan, totals


def measure(folder: Path, case: Case, sessions: int, more: int) -> list[Row]:
    """One row of the table of stratified sessions, and of those measured again if it looks bad."""
    population, plan, totals = _prepared(folder, case)
    start = time.process_time()
    found = calibrate_stop(population, plan, sessions=sessions)
    seconds = time.process_time() - start
    one = problem(population, plan)
    ends = [
        stopped_session(one, totals, np.random.default_rng((5, run)), watched=True)
        for run in range(sessions)
    ]
    covered = np.mean([end.covered for end in ends], axis=0)
    labels = np.mean([end.labels for end in ends], axis=0)
    rules = {"plain": 0, "calibrated": _place(found.multiplier), "watched": len(GRID)}
    row = {
        "case": list(case),
        "sessions": sessions,
        "multiplier": found.multiplier,
        "multiplier error": found.multiplier_error,
        "simulated": min(found.plain_coverage.values()),
        "simulated labels": found.plain_labels,
        "seconds": seconds,
        **{f"{rule} coverage": covered[place].tolist() for rule, place in rules.items()},
        **{f"{rule} labels": float(labels[place]) for rule, place in rules.items()},
    }
    bad = min(row["calibrated coverage"]) < LOOKED_BAD
    return [{**row, "again": measure_again(one, totals, found.multiplier, more) if bad else None}]


def measure_again(one: Problem, totals: np.ndarray, multiplier: float, sessions: int) -> Row:
    """The coverage with a multiplier in other sessions, seeds (6, r)."""
    place = _place(multiplier)
    ends = [
        stopped_session(one, totals, np.random.default_rng((6, run))).covered
        for run in range(sessions)
    ]
    plain, calibrated = (np.mean([end[i] for end in ends], axis=0).tolist() for i in (0, place))
    return {"sessions": sessions, "plain": plain, "calibrated": calibrated}


def _place(multiplier: float) -> int:
    return int(np.searchsorted(GRID, np.sqrt(multiplier) - 1e-9))


def proportion_rows(margins: tuple[float, ...]) -> list[Row]:
    """Rows of the table of one proportion."""
    rows = []
    for interval, lowest in (("agresti_coull", 0.0), ("wilson", 0.01)):
        for margin in margins:
            plain = MarginRule(margin, ORDINARY, 30, interval=interval)
            start = time.process_time()
            critical = calibrated_critical(margin, 0.95, 30, interval=interval, lowest_rate=lowest)
            seconds = time.process_time() - start
            exact = MarginRule(margin, critical, 30, interval=interval)
            before = characteristics(plain, RATES).expected_labels
            after = characteristics(exact, RATES).expected_labels
            cost = ", ".join(
                f"{a:,.0f} ({100 * (a / b - 1):+.1f} %)" for a, b in zip(after, before, strict=True)
            )
            rows.append({"cells": [
                interval, f"{margin:g}", f"{least_coverage(plain)[0]:.4f}",
                f"{least_coverage(plain, 0.01)[0]:.4f}", f"{critical:.3f}",
                f"{least_coverage(exact, lowest)[0]:.4f}", cost, f"{seconds:.1f}",
            ]})  # fmt: skip
    return rows


def file_rows(sizes: tuple[int, ...]) -> list[Row]:
    """Agresti and Coull's interval for files of several sizes, margin 5 points."""
    infinite = calibrated_critical(0.05, 0.95, 30)
    rows = []
    for size in sizes:
        own = calibrated_critical(0.05, 0.95, 30, size)
        found = [
            f"{least_coverage(MarginRule(0.05, critical, 30, size=size))[0]:.4f}"
            for critical in (ORDINARY, infinite, own)
        ]
        labels = characteristics(MarginRule(0.05, own, 30, size=size), size // 2).expected_labels
        rows.append({"cells": [f"{size:,}", *found, f"{own:.3f}", f"{labels[0]:,.0f}"]})
    return rows


def in_a_plan(rate: float, runs: int) -> list[Row]:
    return [{"cells": plan_row(rate, runs)}]


def stratified_rows(found: list[Row]) -> list[list[str]]:
    def both(row: Row, rule: str) -> list[str]:
        coverage = row[f"{rule} coverage"]
        least = int(np.argmin(coverage))
        return [f"{coverage[least]:.3f} ({ESTIMANDS[least]})", f"{row[f'{rule} labels']:,.0f}"]

    return [
        [
            row["case"][0].split(".")[0], row["case"][1], row["case"][2], f"{row['case'][3]:g}",
            f"{row['sessions']}", f"{row['simulated']:.3f}", f"{row['simulated labels']:,.0f}",
            f"{row['multiplier']:.2f} ± {row['multiplier error']:.2f}",
            *both(row, "plain"), *both(row, "calibrated"), *both(row, "watched"),
        ]
        for row in found
    ]  # fmt: skip


def again_rows(found: list[Row]) -> list[list[str]]:
    return [
        [
            row["case"][0].split(".")[0], row["case"][1], row["case"][2], str(again["sessions"]),
            *(", ".join(f"{one:.3f}" for one in again[rule]) for rule in ("plain", "calibrated")),
        ]
        for row in found
        if (again := row["again"])
    ]  # fmt: skip


MARGINS, SIZES = (0.1, 0.05, 0.03, 0.02, 0.01), (200, 1_000, 10_000, 100_000, 1_000_000)
EXACT, IN_FILES, IN_A_PLAN, STRATIFIED = "one proportion", "in files", "in a plan", "stratified"


def jobs(options: Options) -> dict[str, Job]:
    few = options.quick
    plans = {
        f"{IN_A_PLAN}, rate {rate:g}": partial(in_a_plan, rate, plan_runs(options))
        for rate in (RATES[-1:] if few else RATES)
    }
    stratified = {
        f"{STRATIFIED}, {', '.join(map(str, case))}": partial(
            measure, options.data, case, options.runs, FEW if few else AGAIN
        )
        for case in (CASES[:1] if few else CASES)
    }
    return {
        EXACT: partial(proportion_rows, MARGINS[:2] if few else MARGINS),
        IN_FILES: partial(file_rows, SIZES[:2] if few else SIZES),
        **plans,
        **stratified,
    }


def plan_runs(options: Options) -> int:
    return FEW if options.quick else PLAN_RUNS


def tables(rows: Rows, options: Options) -> str:
    def cells(kind: str) -> list[list[str]]:
        return [row["cells"] for name, part in rows.items() if kind in name for row in part]

    found = [row for name, part in rows.items() if STRATIFIED in name for row in part]
    return TEXT.format(
        proportion=as_table(
            "interval | margin | least coverage at 1.96, all rates | same, rates .01 to .99 | "
            "calibrated value | least coverage with it | "
            "labels with it at rates .01, .05, .2, .5 (more than at 1.96) | processor seconds",
            cells(EXACT),
        ),
        files=as_table(
            "items | least coverage at 1.96 | with the value for independent draws | "
            "with its own value | own value | labels at a rate of one half",
            cells(IN_FILES),
        ),
        runs=plan_runs(options),
        plans=as_table(
            "rate | labels expected with the calibrated stop (exact) | measured | with the watched "
            "band | times as many | coverage of the calibrated stop (exact) | measured | watched "
            "band",
            cells(IN_A_PLAN),
        ),
        stratified=as_table(
            "file | classifier | scores | margin | sessions | simulated: least coverage at the "
            "plain stop | labels | multiplier | truth: plain stop | labels | calibrated stop | "
            "labels | watched band | labels",
            stratified_rows(found),
        ),
        summary=summary(found),
        again=as_table(
            "file | classifier | scores | sessions | plain stop: accuracy, precision, recall | "
            "calibrated stop: the same",
            again_rows(found),
        ),
    )


def as_table(head: str, rows: list[list[str]]) -> str:
    return table(head.split(" | "), rows)


def summary(found: list[Row]) -> str:
    lines = []
    for rule in ("plain", "calibrated", "watched"):
        least = np.array([min(row[f"{rule} coverage"]) for row in found])
        short = np.array(
            [
                min(row[f"{rule} coverage"]) < 0.95 - 2 * np.sqrt(0.0475 / row["sessions"])
                for row in found
            ]
        )
        ratio = np.array([row[f"{rule} labels"] / row["plain labels"] for row in found])
        lines.append(
            f"- {rule}: least coverage {least.min():.3f}, mean of the rows' least "
            f"{least.mean():.3f}; in {short.sum()} of {len(found)} rows more than two standard "
            f"errors under .95; {ratio.mean():.2f} times the labels of the plain stop"
        )
    return "\n".join(lines)


TEXT = """## One proportion, exactly

95 % confidence, first look at 30 labels, a look at every label; exact, over all rates (not over a
grid). Wilson's value is for rates from .01 to .99: under that no critical value is enough.

{proportion}
In a file the draws are without replacement and the interval has the finite-population factor.
Agresti and Coull, margin .05, over all numbers of positives:

{files}
## In a plan

`Plan("simple_random", "accuracy", margin=0.05, promise="fixed", stop="margin")`: a plain random
sample, one share of all items (accuracy or prevalence) of one classifier, no claims. The session
ends by itself at the first label with the margin reached; a budget or a deadline may end it sooner.
Until then only the value is shown. The interval is Agresti and Coull's with the critical value that
is calibrated for this file, margin, confidence, first look and budget; it is strict, because its
coverage at the stop is calculated over all rates. What is not calculated is not called so: where
open items, or more than 2 % of answers without a class, delay the stop or widen the interval, the
result is marked approximate; finished before the stop it has no promise. Several numbers together,
other quantities and stratified methods get the watched band.

The watched band holds at every label, and costs this many more (files of 10,000 items, margin .05,
95 %, {runs} sessions each, seed 0):

{plans}
## A stratified session

`recalibrated_neyman`, accuracy, precision and recall together, stopped when all three half-widths
are at most the margin. Least coverage of the three at the stop; its standard error at .95 is .020
with 120 sessions. The multiplier is that of the critical value (its root widens the interval); its
error is that of the simulation. Looks lie 3 % of the labels apart.

{summary}

The rows in which the calibrated stop covered less than .92 were measured again, 400 sessions with
other seeds (standard error .011), because some of so many rows look bad by chance:

{again}
What follows from it. The calibrated multiplier is not offered; a stratified session that a person
watches gets the watched band.

- The multiplier answers the scores and not the truth. With a third of the scores scrambled the
  simulation finds nothing to correct, while the sessions of `newsgroups_med` cover about .89.
- Where the scores are fair the plain stop already covers about as often as it says, so that there
  is little to calibrate; the Monte Carlo error of the multiplier is larger than its correction.
  Four times as many sessions halve that error, and a session takes about a tenth of a second.
- The watched band held in every row. It costs about twice the labels of the plain stop: that is
  the price of a promise that does not rest on the scores.

{stratified}"""


BENCHMARK = Benchmark(
    name="stopping", about=__doc__, jobs=jobs, tables=tables, runs=120, quick_runs=6,
    page="stopping.md", head=f"# Stopping at a margin\n\n{MADE}\n\n",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
