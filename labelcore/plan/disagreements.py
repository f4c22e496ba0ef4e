"""Counts of labels where two classifiers disagree: which of them is right, or neither."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.rates import planning_rates
from labelcore.population import Population
from labelcore.population.classes import Codes
from labelcore.stats.profile import Cells, FloatArray
from labelcore.stats.three_outcomes import Duels
from labelcore.tallies import Tally


class Disagreements(Tally):
    """The items of each stratum on which two classifiers disagree, with several classes.

    A stratum is one group, whatever the two say: in a random order of its items the outcomes come
    in a random order too, and each group more would cost evidence. Items on which the two agree
    say nothing and are left out.

    group_size   (n_groups,), items on which they disagree, of each stratum that has any
    """

    def __init__(
        self,
        stratum: Codes,
        left: Codes,
        right: Codes,
        n_classes: int,
    ) -> None:
        super().__init__(stratum, right, n_classes, second=left)
        self.left_prediction = self.second_prediction
        differ = self.left_prediction != self.prediction
        present, group = np.unique(self.stratum[differ], return_inverse=True)
        self._group = np.full(len(self.size), -1)
        self._group[differ] = group
        self.n_groups = len(present)
        self.group_size = self._summed(self.size)

    def groups_at(self, items: Any) -> NDArray[np.int64]:
        """The groups of the items at some positions, -1 for none."""
        return np.asarray(self._group[self.cells_at(items)])

    def _summed(self, number: FloatArray) -> FloatArray:
        """Sums over the cells of each group, (n_groups,)."""
        inside = self._group >= 0
        return np.bincount(self._group[inside], number[inside], self.n_groups).astype(float)

    def cells(self, class_index: int | None) -> Cells:
        """The groups twice: first with the left classifier's hits as positives, then with those of
        the right one; (2 n_groups,) each."""
        rows = np.arange(len(self.size))
        hits = [
            self._summed(self.counts[rows, code])
            for code in (self.left_prediction, self.prediction)
        ]
        labelled = np.tile(self._summed(self.counts.sum(axis=1)), 2)
        both = np.ones(2 * self.n_groups, dtype=bool)
        return Cells(np.tile(self.group_size, 2), labelled, np.concatenate(hits), both)

    def after_each(
        self, positions: NDArray[np.int64], codes: NDArray[np.int64], class_index: int | None
    ) -> Cells:
        now, cell = self.cells(class_index), self.cells_at(positions)
        drawn = (self._group[cell][:, None] == np.arange(self.n_groups)).astype(float)
        hits = [
            drawn * (codes == said[cell])[:, None]
            for said in (self.left_prediction, self.prediction)
        ]
        labelled = np.cumsum(np.tile(drawn, 2), axis=0)
        positive = np.cumsum(np.concatenate(hits, axis=1), axis=0)
        return replace(now, labelled=now.labelled + labelled, positive=now.positive + positive)

    def unresolved(self, positions: list[int]) -> FloatArray:
        """Items without a verdict in each group, (n_groups,)."""
        groups = self.groups_at(positions)
        return np.bincount(groups[groups >= 0], minlength=self.n_groups).astype(float)

    def rates(self, population: Population, left: str, right: str) -> FloatArray:
        """The shares of items on which the left and on which the right classifier is right that the
        scores suggest for each group, (2 n_groups,): each is right on its own by its own score, and
        both cannot be right at once."""
        every = np.ones(len(population), dtype=bool)
        a, b = (planning_rates(population, name, every)[0] for name in (left, right))
        chances = np.array([a * (1 - b), b * (1 - a), (1 - a) * (1 - b)]).clip(1e-9)
        group_of = self.groups_at(slice(None))
        inside = group_of >= 0
        sums = [
            np.bincount(group_of[inside], one[inside], self.n_groups)
            for one in (chances / chances.sum(axis=0))[:2]
        ]
        return np.concatenate(sums) / np.tile(self.group_size, 2)


def duels(cells: Cells, labelled: FloatArray, positive: FloatArray, left_leads: bool) -> Duels:
    """Counts of ``Disagreements.cells``, (n_looks, 2 n_groups), from the side that leads."""
    groups = len(cells.size) // 2
    hits = positive[:, :groups], positive[:, groups:]
    better, worse = hits if left_leads else hits[::-1]
    return Duels(cells.size[:groups], better, worse, labelled[:, :groups])
