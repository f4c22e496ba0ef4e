"""Bennett, Chickering, Meek and Zhu: every number that can be run.

    python -m benchmarks.papers --only reach_selection [--quick]

With LABELCORE_NEWSGROUPS=FOLDER the lists come from 20 Newsgroups (reach_selection_lists.py), else
from the real files. The runs stand in reach_selection_runs.py and reach_selection_lockstep.py.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.papers.outcome import Outcome
from benchmarks.papers.reach_selection_figures import answers_figure, methods_figure, ratio_figure
from benchmarks.papers.reach_selection_lists import SIZES, RankedList, lists_of
from benchmarks.papers.reach_selection_lockstep import replaced, words_of
from benchmarks.papers.reach_selection_runs import (
    BUDGET,
    DEFAULT,
    DELTAS,
    ELIMINATING,
    NAIVE,
    POOLED,
    RULES,
    STOPPING,
    Cell,
    cells_of,
    table_of,
)
from labelcore.papers.reach_selection.bounds import (
    draws_for_precision,
    draws_for_reach,
    label_bound,
    smallest_budget,
)
from labelcore.papers.reach_selection.selection import ReachSelection

RUNS, QUICK_RUNS = 250, 12
THEOREM_RUNS = 20
COVERAGE_RUNS = 200
ROUND_ROBINS = (NAIVE, STOPPING, ELIMINATING)


def run(quick: bool, data: Path = Path("../shared/data")) -> Outcome:
    """All numbers; ``quick``: few runs on the lists of one file, and not those of theorems 2, 3."""
    lists, note = lists_of(data, quick=quick)
    runs = QUICK_RUNS if quick else RUNS
    cells = [cell for number, one in enumerate(lists) for cell in cells_of(one, number, runs)]
    values = {**sizes(), **errors(cells), **printed(cells), **figure1(cells), **figure2(cells)}
    values |= savings(cells)
    values |= coverage(COVERAGE_RUNS // 4 if quick else COVERAGE_RUNS)
    if not quick:
        values |= theorems(next(one for one in lists if not one.right(RULES)[1]))
    table = table_of(cells)
    figures = {
        "figure1_draws": methods_figure(table, "draws", "draws", BUDGET),
        "figure1_labels": methods_figure(table, "distinct labels", "distinct labels", None),
        "figure2": answers_figure(table),
        "ratio": ratio_figure(table),
    }
    tables = {"All lists together": together(table), "Each list at delta 0.05": by_list(table)}
    return Outcome(values, figures, tables, [note, f"{runs} runs of each method on each list."])


def sizes() -> dict[str, float]:
    setting = (9, BUDGET, 0.05)
    found = {
        "candidates": len(SIZES),
        "n_gamma": draws_for_precision(*setting, 0.1),
        "n_epsilon": draws_for_reach(*setting, 0.9, 0.1, 0.1),
        "label_bound": label_bound(*setting, 0.9, 0.1, 0.1),
        "smallest_budget": smallest_budget(9, 0.05, 0.9, 0.1, 0.1),
    }
    return {key: float(number or np.nan) for key, number in found.items()}


def theorems(one: RankedList) -> dict[str, float]:
    """Round robin and pooled draws with T, and U, for the smallest fixed point of section 4."""
    budget = smallest_budget(9, 0.05, 0.9, 0.1, 0.1)
    assert budget is not None
    words, delta = words_of(77, THEOREM_RUNS, budget), np.array([0.05])
    in_turn, _ = replaced(
        one.truth, SIZES, replace(RULES, sampler="round_robin"), budget, delta, words
    )
    pooled, _ = replaced(one.truth, SIZES, RULES, budget, delta, words)
    told = [choice.status == "guaranteed" for choice in in_turn.choices(SIZES, RULES)]
    return {
        "theorem_2_decided": float(np.mean(told)),
        "theorem_2_most_draws": float(in_turn.draws.max()),
        "theorem_3_mean_draws": float(pooled.draws.mean()),
    }


# --- what the runs say -------------------------------------------------------------------------


def of(cells: list[Cell], method: str, delta: float | None = None) -> list[Cell]:
    return [cell for cell in cells if cell.method == method and delta in (None, cell.delta)]


def share(cells: list[Cell], name: str) -> float:
    return float(np.concatenate([getattr(cell, name) for cell in cells]).mean())


def wrong(cells: list[Cell]) -> float:
    return float(np.concatenate([cell.told & ~cell.right for cell in cells]).mean())


def errors(cells: list[Cell]) -> dict[str, float]:
    found = {f"wrong_hoeffding_{delta:g}": wrong(of(cells, POOLED, delta)) for delta in DELTAS}
    in_turn = [cell for method in ROUND_ROBINS for cell in of(cells, method, 0.05)]
    ratio = of(cells, DEFAULT, 0.05)
    found["wrong_round_robin_0.05"] = wrong(in_turn)
    found["wrong_ratio_0.05"] = wrong(ratio)
    found["wrong_ratio_worst_0.05"] = max(wrong([cell]) for cell in ratio)
    return found


def printed(cells: list[Cell]) -> dict[str, float]:
    """Of the runs that stopped early: |RQ| = 1, and the print chooses otherwise."""
    stopped = [(cell, cell.draws < BUDGET) for cell in of(cells, POOLED)]
    single = np.concatenate([cell.single[early] for cell, early in stopped])
    other = np.concatenate([cell.printed_other[early] for cell, early in stopped])
    return {"single_qualified": float(single.mean()), "printed_end_differs": float(other.mean())}


def figure1(cells: list[Cell]) -> dict[str, float]:
    found, means = {}, []
    for delta in DELTAS:
        draws = {
            method: np.array([cell.draws.mean() for cell in of(cells, method, delta)])
            for method in (*ROUND_ROBINS, POOLED)
        }
        pooled = draws[POOLED]
        next_best = min(draws[method].mean() for method in ROUND_ROBINS)
        means.append(pooled.mean())
        found |= {
            f"fig1_ratio_{delta:g}": float(pooled.mean() / next_best),
            f"fig1_naive_ratio_{delta:g}": float(np.median(pooled / draws[NAIVE])),
            f"fig1_nes_draws_{delta:g}": float(draws[NAIVE].mean()),
            f"fig1_more_{delta:g}": float(np.median(draws[ELIMINATING] / pooled)),
        }
    used = [cell.draws.mean() >= 0.9 * BUDGET for cell in of(cells, ELIMINATING)]
    found["fig1_falls"] = float((np.diff(means) < 0).all())
    found["fig1_exhausted"] = float(np.mean(used))
    return found


def figure2(cells: list[Cell]) -> dict[str, float]:
    found = {}
    for delta in DELTAS:
        for name, method in (("pssl", POOLED), ("rr", NAIVE)):
            mine = of(cells, method, delta)
            told = np.concatenate([cell.told & cell.right for cell in mine])
            found[f"fig2_{name}_guaranteed_{delta:g}"] = float(told.mean())
            found[f"fig2_{name}_guess_{delta:g}"] = share(mine, "guessed")
    told = np.concatenate([cell.told & cell.right for cell in of(cells, DEFAULT, 0.05)])
    return {**found, "ratio_guaranteed_0.05": float(told.mean())}


def savings(cells: list[Cell]) -> dict[str, float]:
    """Hoeffding's bounds over prior-posterior ratio, list by list at delta .05."""
    found = {}
    for what in ("labels", "draws"):
        before, after = (
            np.array([getattr(cell, what).mean() for cell in of(cells, method, 0.05)])
            for method in (POOLED, DEFAULT)
        )
        ratio = before / after
        for name, number in (
            ("median", np.median(ratio)), ("least", ratio.min()), ("most", ratio.max()),
        ):  # fmt: skip
            found[f"ratio_{what}_{name}"] = float(number)
    return found


# --- an eliminated candidate -------------------------------------------------------------------

STEEP = np.array([100, 400])


class CountingOn(ReachSelection):
    """Updates eliminated candidates by the draws that they share, which nothing in the print
    forbids but the words "for each i in A"."""

    def take(self, verdict: int) -> None:
        assert self._next is not None
        self._next = self._next[0], np.flatnonzero(self._next[0] < STEEP)
        super().take(verdict)


def coverage(runs: int) -> dict[str, float]:
    """Of the interval of the larger candidate: precision .97 in its first 100 items, .1 below."""
    found = {}
    truth = np.concatenate([np.arange(100) < 97, np.arange(300) < 30])
    member = np.arange(400)[:, None] < STEEP
    rules = replace(RULES, early_stopping=False)
    kinds: tuple[tuple[str, type[ReachSelection]], ...] = (
        ("frozen", ReachSelection), ("updated", CountingOn),
    )  # fmt: skip
    for name, kind in kinds:
        covered = 0
        for seed in range(runs):
            order = np.random.default_rng(seed).permutation(400)
            selection = kind(member, rules, 400, order)
            while selection.item is not None:
                selection.take(int(truth[selection.item]))
            low, high = selection.bounds.low[1], selection.bounds.high[1]
            covered += bool(low <= truth.mean() <= high)
        found[f"{name}_coverage"] = covered / runs
    return found


# --- tables ------------------------------------------------------------------------------------


def together(table: pd.DataFrame) -> pd.DataFrame:
    means = table.groupby(["delta", "method"], sort=False).mean(numeric_only=True)
    return means.reset_index()


def by_list(table: pd.DataFrame) -> pd.DataFrame:
    """Draws and distinct labels of the two pooled methods."""
    mine = table[(table["delta"] == 0.05) & table["method"].isin([ELIMINATING, POOLED, DEFAULT])]
    wide = mine.pivot(index="list", columns="method", values=["draws", "distinct labels"])
    wide.columns = [f"{what}, {method}" for what, method in wide.columns]
    right = mine.pivot(index="list", columns="method", values="guaranteed and right")
    wide["guaranteed and right, PSSL"] = right[POOLED]
    wide["guaranteed and right, ratio"] = right[DEFAULT]
    return wide.reset_index()
