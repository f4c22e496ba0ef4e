"""The eight variants of section 5.2 and the default of this package on ranked lists."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.papers.reach_selection_lists import SIZES, RankedList
from benchmarks.papers.reach_selection_lockstep import Ends, once, orders_of, replaced, words_of
from labelcore.papers.reach_selection.selection import ReachRules, make_choice, reach_sets

DELTAS = np.array([0.05, 0.1, 0.2, 0.95])
BUDGET = 5000
RULES = ReachRules(0.9, 0.1, 0.1)
NAIVE, STOPPING, ELIMINATING, POOLED = "RR-NES-NME", "RR-ES-NME", "RR-ES-ME", "PSSL-ES-ME"
DEFAULT = "PSSL-ES-ME, ratio"
METHODS = (NAIVE, STOPPING, ELIMINATING, POOLED, DEFAULT)
TOLD = ("guaranteed", "none acceptable")


@dataclass(frozen=True, eq=False)
class Cell:
    """All runs of one method at one delta on one list, arrays (runs,).

    told      whether something is guaranteed; right: whether that, or with guesses (``guessed``)
              whatever is said, keeps both conditions
    single    whether exactly one candidate was reach-qualified; printed_other: whether the end of
              algorithm 1 as printed takes another candidate
    """

    list: str
    method: str
    delta: float
    draws: NDArray[np.int64]
    labels: NDArray[np.int64]
    told: NDArray[np.bool_]
    right: NDArray[np.bool_]
    guessed: NDArray[np.bool_]
    single: NDArray[np.bool_]
    printed_other: NDArray[np.bool_]

    def row(self) -> dict[str, object]:
        return {
            "list": self.list, "method": self.method, "delta": self.delta,
            "draws": self.draws.mean(), "distinct labels": self.labels.mean(),
            "guaranteed and right": (self.told & self.right).mean(),
            "right with guesses": self.guessed.mean(),
            "guaranteed and wrong": (self.told & ~self.right).mean(),
        }  # fmt: skip


def cells_of(one: RankedList, number: int, runs: int) -> Iterator[Cell]:
    """Every method and delta; the round robins share their words."""
    words = words_of(1000 + number, runs, BUDGET)
    in_turn = replace(RULES, sampler="round_robin", elimination=False)
    patient, stopped = replaced(
        one.truth, SIZES, replace(in_turn, early_stopping=False), BUDGET, DELTAS, words
    )
    eliminating, _ = replaced(
        one.truth, SIZES, replace(in_turn, elimination=True), BUDGET, DELTAS, words
    )
    pooled, _ = replaced(one.truth, SIZES, RULES, BUDGET, DELTAS, words)
    for place, delta in enumerate(DELTAS):
        mine = slice(place * runs, (place + 1) * runs)
        ends = {NAIVE: patient, STOPPING: stopped, ELIMINATING: eliminating, POOLED: pooled}
        for method, found in ends.items():
            yield _cell(one, method, delta, _part(found, mine))
        order = orders_of(2000 + number, runs, int(SIZES[-1]))
        yield _cell(one, DEFAULT, delta, once(one.truth, SIZES, RULES, BUDGET, delta, order))


def _part(ends: Ends, rows: slice) -> Ends:
    return Ends(*(getattr(ends, name)[rows] for name in Ends.__dataclass_fields__))


def _cell(one: RankedList, method: str, delta: float, ends: Ends) -> Cell:
    right, none_right = one.right(RULES)
    said = ends.choices(SIZES, RULES)
    guesses = ends.choices(SIZES, replace(RULES, guess=True))

    def holds(chosen: int | None) -> bool:
        return none_right if chosen is None else bool(right[chosen])

    both = [_printed(low, high) for low, high in zip(ends.low, ends.high, strict=True)]
    return Cell(
        one.name, method, float(delta), ends.draws, ends.labels,
        np.array([choice.status in TOLD for choice in said]),
        np.array([holds(choice.chosen) for choice in said]),
        np.array([holds(choice.chosen) for choice in guesses]),
        np.array([single for single, _ in both]), np.array([other for _, other in both]),
    )  # fmt: skip


def _printed(low: NDArray[np.float64], high: NDArray[np.float64]) -> tuple[bool, bool]:
    """Whether one candidate alone is qualified, and whether "if |RQ| > 1 the best of RQ, elseif
    |KA| > 0 the best of KA" takes another one than the best of RQ."""
    sets = reach_sets(low, high, SIZES, RULES)
    if sets.qualified.sum() != 1:
        return False, False
    best = int(np.where(sets.known_acceptable, low * SIZES, -1.0).argmax())
    nothing = np.full(len(SIZES), np.nan)
    return True, best != make_choice(low, SIZES, nothing, sets, RULES).chosen


def table_of(cells: list[Cell]) -> pd.DataFrame:
    """A row per list, method and delta."""
    return pd.DataFrame([cell.row() for cell in cells])
