"""Approximate claims and budgets: a budget ends the labelling and delays no decision.

    python -m benchmarks.likely_budgets [--quick] [--runs 40] [--write]

Sessions of one claim each, 5 or 10 points from the truth, with budgets of 500, 1,500 and 5,000
labels, until the claim is settled either way; looks grow by 6 %. "Over the budget" is the twin: the
same claim with its error spent over the budget, as plans of rules 7 and older spend it. Run r of a
job is the child r of (25, job).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks import harness
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.likely_claims import LABELS, looks_until, one_figure_each, statuses
from benchmarks.populations import Known, known
from benchmarks.sessions import Prepared
from labelcore.planning.forecast import kept_plan
from labelcore.promises import ClaimStatus, Form

SEED, DESIGN = 25, "recalibrated_neyman"
BUDGETS = (500, 1500, 5000)
CASES = (
    ("ppdb_pairs model", "accuracy", 0.05),
    ("ppdb_pairs model", "precision", 0.05),
    ("newsgroups_med svm", "precision", 0.05),
    ("newsgroups_med svm", "f1", 0.1),
)
SPENT, STRICT = ("approximate", "over the budget"), str(Form.STRICT)


def measured(name: str, figure: str, below: float, folder: Path, runs: int) -> list[Row]:
    """A row for each budget and kind of plan."""
    file = known(name, folder)
    truth = Prepared(file.population, one_figure_each(file, DESIGN, LABELS), file.codes).truth()
    text = f"{figure} >= {truth[figure] - below:.6f}"
    rows = []
    for kind in (*SPENT, STRICT):
        for budget in BUDGETS[1:2] if kind == STRICT else BUDGETS:
            plan = plan_of(file, figure, text, kind, budget)
            labels = settled_at(file, plan, runs)
            rows.append(
                {
                    "file": name,
                    "claim": f"{figure} >= {truth[figure] - below:.3f}",
                    "truth": truth[figure],
                    "plan": kind,
                    "budget": budget,
                    "spent over": plan.claims_planned or plan.planned,
                    "settled": float(np.mean(labels <= budget)),
                    "settled by 500": float(np.mean(labels <= BUDGETS[0])),
                    "mean, at most 500": float(np.minimum(labels, BUDGETS[0]).mean()),
                    "median": float(np.quantile(labels, 0.5, method="inverted_cdf")),
                }
            )
    return rows


def plan_of(file: Known, figure: str, text: str, kind: str, budget: int) -> lc.Plan:
    """The plan as a session keeps it; of the twin with its error spent over the budget."""
    form = Form.STRICT if kind == STRICT else Form.APPROXIMATE
    asked = lc.Plan(
        DESIGN, (figure,), classifier=file.classifier, claims=(text,), claim_form=form,
        promise="watched", budget=budget,
    )  # fmt: skip
    kept = kept_plan(file.population, asked)
    return replace(kept, claims_planned=None) if kind == SPENT[1] else kept


def settled_at(file: Known, plan: lc.Plan, runs: int) -> NDArray[np.float64]:
    """The labels at which each session had settled its claim, (runs,); infinite where it did not
    within its budget."""
    prepared = Prepared(file.population, plan, file.codes)
    job = f"{file.classifier}|{plan.claims[0]}"
    sessions = [prepared.session(harness.generator(SEED, job, run)) for run in range(runs)]
    settled = np.full(runs, np.inf)
    for labels in looks_until(min(plan.budget or 0, len(file.population))):
        for session in sessions:
            session.go_to(labels)
        shown = [one[0] != ClaimStatus.UNDECIDED for one in statuses(sessions)]
        settled = np.where(np.array(shown) & np.isinf(settled), labels, settled)
        if np.isfinite(settled).all():
            break
    return settled


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{name}, {figure}": partial(measured, name, figure, below, options.data, options.runs)
        for name, figure, below in (CASES[:1] if options.quick else CASES)
    }


def tables(rows: Rows, options: Options) -> str:
    found = pd.DataFrame(flat(rows))
    enough = found[(found["plan"] != SPENT[0]) | (found["spent over"] < found["budget"])]
    says = ", ".join(f"{kind} {_apart(enough, kind):.2f}" for kind in SPENT)
    return "\n".join(
        [
            f"{options.runs} sessions each. Labels to a decision with the dearest budget over "
            f"those with the cheapest, the worst claim: {says}. A budget under the forecast is "
            f"left out there: it is what the error is spent over ({_apart(found, SPENT[0]):.2f} "
            "with it).\n",
            frame_table(
                found,
                {"truth": 3, "budget": 0, "spent over": 0, "settled": 2, "settled by 500": 2,
                 "mean, at most 500": 0, "median": 0},
            ),
        ]
    )  # fmt: skip


def _apart(found: pd.DataFrame, kind: str) -> float:
    """The mean labels of the dearest budget over those of the cheapest, for the worst claim."""
    of_kind = found[found["plan"] == kind]
    by = of_kind.groupby(["file", "claim"])["mean, at most 500"]
    return float((by.max() / by.min()).max())


HEAD = f"""# Approximate claims and budgets

{MADE}

An approximate claim spends its error level over the labels that the forecast needs, frozen with the
plan before the first label; a budget only ends the labelling. So a generous budget delays no
decision. Plans of rules 7 and older spend it over the budget ("over the budget" here). How often a
false claim is called likely is in [likely_claims.md](likely_claims.md).

So that budgets can be compared, the mean counts a session with at most {BUDGETS[0]} labels; the
median is `inf` where the median session was not settled within its budget.

Where the forecast is far too low (200 labels for the last claim, which takes about 1,000), a plan
that spends its error over the right budget by luck is quicker, and one with a generous budget
slower.

"""
BENCHMARK = Benchmark(
    name="likely_budgets", about=__doc__ or "", jobs=jobs, tables=tables, runs=40, quick_runs=10,
    page="likely_budgets.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
