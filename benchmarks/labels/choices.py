"""Distinct labels until a threshold is chosen: the paper's bounds beside the product's."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness import Job, Row, table
from benchmarks.labels.tables import share
from benchmarks.papers.reach_selection_lists import REAL, SIZES, RankedList, real_lists
from benchmarks.papers.reach_selection_lockstep import Ends, once, orders_of, replaced, words_of
from benchmarks.papers.reach_selection_runs import TOLD
from labelcore.papers.reach_selection.selection import ReachRules

DELTA, BUDGET, RUNS = 0.05, 50_000, 100
REQUIRED = {"medicine": 0.8, "paraphrases": 0.8, "products": 0.6}
SLACK = 0.1


def choice_jobs(folder: Path) -> dict[str, Job]:
    return {"of all lists": partial(choice_rows, folder)}


def choice_rows(data: Path, runs: int = RUNS) -> list[Row]:
    rows: list[Row] = []
    for number, one in enumerate(real_lists(data, REAL)):
        rules = ReachRules(REQUIRED[one.name.split(",")[0]], SLACK, SLACK)
        words = words_of(3000 + number, runs, BUDGET)
        theirs, _ = replaced(one.truth, SIZES, rules, BUDGET, np.array([DELTA]), words)
        order = orders_of(4000 + number, runs, int(SIZES[-1]))
        ours = once(one.truth, SIZES, rules, BUDGET, DELTA, order)
        rows.append({"cells": [
            one.name, f"{rules.precision_threshold:g}", *told(one, rules, theirs),
            *told(one, rules, ours),
            f"{np.median(ours.labels) / np.median(theirs.labels):.2f}",
            f"{np.median(ours.draws) / np.median(theirs.draws):.2f}",
        ]})  # fmt: skip
    return rows


def choice_section(rows: Sequence[Row]) -> str:
    names = (
        "list", "precision wanted", "Hoeffding: labels", "draws", "said", "wrong",
        "ratio bounds: labels", "draws", "said", "wrong", "labels, ours / theirs", "draws",
    )  # fmt: skip
    return HEADER.format(runs=RUNS, budget=BUDGET) + table(names, [row["cells"] for row in rows])


def told(one: RankedList, rules: ReachRules, ends: Ends) -> list[str]:
    """Median labels and draws, and the shares of runs that guarantee something, and wrongly."""
    right, none_right = one.right(rules)
    said = ends.choices(SIZES, rules)
    sure = np.array([choice.status in TOLD for choice in said])
    good = np.array([
        none_right if choice.chosen is None else bool(right[choice.chosen]) for choice in said
    ])  # fmt: skip
    return [
        f"{np.median(ends.labels):,.0f}", f"{np.median(ends.draws):,.0f}",
        share(float(sure.mean())), share(float((sure & ~good).mean())),
    ]  # fmt: skip


HEADER = """## Choosing a threshold

Candidates: the top 50, 100, 200, ... 12,800 of each real list; slack .1 of the precision wanted and
of the reach; at most 5 % of the runs may guarantee something wrong. Both sample the union, stop
early and drop candidates; Hoeffding's bounds draw with replacement (up to {budget:,} draws), the
ratio bounds without. {runs} runs each; median distinct labels and draws; "said": share of runs that
ended with a guaranteed answer; "wrong": share that guaranteed something wrong.

"""
