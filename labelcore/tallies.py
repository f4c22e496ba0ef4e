"""Counts of labels by cell, kept up to date one label at a time."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from labelcore.estimands import DIFFERENCES, SCALARS, Estimand
from labelcore.population import Population
from labelcore.population.classes import Codes
from labelcore.population.groupings import Grouping
from labelcore.stats.arrays import IntArray
from labelcore.stats.judged import in_the_file, judged_cells
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, Cells, FloatArray

BLOCK = 1 << 20
"""Items that are looked at together."""
# Whose predictions split the strata: one classifier's, those of two that are compared, or none.
Whose = str | tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class InGroup:
    """What is read from the cells of one group of the items alone."""

    whose: Whose
    group: int


Subject = Whose | InGroup


@dataclass(frozen=True, slots=True)
class Question:
    """One scalar result: an estimand of a classifier, of one class against the rest.

    key    the key in ``Session.results()``: "precision", "precision[spam]", "precision@B"; of a
           difference "precision_difference" for the first two classifiers of a plan,
           "precision_difference@B - C" for two others
    class_index   the class that counts as positive; None: being judged correctly (several classes)
    versus        the classifier whose figure is subtracted from the first one's in a difference
    group         the place of the group of the plan that it is about; None: all items
    """

    key: str
    row: Estimand
    classifier: str | None
    class_index: int | None
    versus: str | None = None
    group: int | None = None

    @property
    def subject(self) -> Subject:
        """Whose cells it is read from, and of which group."""
        alone = self.versus is None
        whose: Whose = self.classifier if alone else (str(self.classifier), str(self.versus))
        return whose if self.group is None else InGroup(whose, self.group)


def questions(
    population: Population,
    estimands: tuple[str, ...],
    classifiers: tuple[str | None, ...],
    classes: Sequence[str] | None = None,
    groups: Grouping | None = None,
) -> list[Question]:
    """Every scalar result that a plan asks for, in order; ``classes``: those of several that have
    figures of their own, None for all; ``groups``: those that have figures of their own, too."""
    several = len(population.classes) > 2
    positive = population.classes.index(population.positive)
    asked: list[Question] = []
    for place, classifier in enumerate(classifiers):
        at = "" if place == 0 else f"@{classifier}"
        for row in _rows(estimands, differences=place == 0):
            if row.difference:
                asked += _differences(row, classifiers, positive)
            elif several and row.per_class:
                asked += [
                    Question(f"{row.name}[{name}]{at}", row, classifier, index)
                    for index, name in enumerate(population.classes)
                    if classes is None or name in classes
                ]
            elif several:
                asked.append(Question(f"{row.name}{at}", row, classifier, None))
            else:
                asked.append(Question(f"{row.name}{at}", row, classifier, positive))
    if groups is None:
        return asked
    return asked + [
        replace(question, key=f"{question.key}[{groups.label}={name}]", group=place)
        for place, name in enumerate(groups.names)
        for question in asked
        if question.versus is None
    ]


def _differences(
    row: Estimand, classifiers: tuple[str | None, ...], positive: int
) -> list[Question]:
    """One for every two classifiers, the one that is named first less the other."""
    if len(classifiers) < 2:
        return [Question(row.name, row, classifiers[0], positive)]
    pairs = list(combinations(classifiers, 2))
    return [
        Question(f"{row.name}@{a} - {b}" if place else row.name, row, a, positive, b)
        for place, (a, b) in enumerate(pairs)
    ]


def _rows(estimands: tuple[str, ...], *, differences: bool) -> list[Estimand]:
    known = {**SCALARS, **(DIFFERENCES if differences else {})}
    return [known[name] for name in estimands if name in known]


class Tally:
    """Labels of one classifier's cells: the parts of the strata that share a prediction.

    A stratum that mixes predictions of this classifier is split after the fact: given how many
    labels fell into each part, those labels are a simple random sample of it.

    stratum       (n_items,), the stratum of each item, from NOT_SAMPLED on
    predictions   (n_items,) each, the codes that split the strata, the first classifier's last
    group         (n_items,), those of ``n_groups`` that split them besides
    """

    def __init__(
        self,
        stratum: Codes,
        prediction: Codes | None,
        n_classes: int,
        *,
        second: Codes | None = None,
        groups: Grouping | None = None,
    ) -> None:
        predicted = [codes for codes in (second, prediction) if codes is not None]
        split = [(codes, n_classes) for codes in predicted]
        if groups is not None:
            split.insert(0, (groups.codes, len(groups.names)))
        self._stratum, self._split = stratum, split
        self._least = NOT_SAMPLED * prod(number for _, number in split)
        size = self._sizes()
        there = size > 0
        self._cell = np.cumsum(there, dtype=np.int64) - 1
        present = np.flatnonzero(there) + self._least
        if prediction is None:
            self.prediction = np.full(len(present), -1)
        else:
            self.prediction, present = present % n_classes, present // n_classes
        self.second_prediction = np.full(len(present), -1)
        if second is not None:
            self.second_prediction, present = present % n_classes, present // n_classes
        self.group = np.full(len(present), -1)
        if groups is not None:
            self.group, present = present % len(groups.names), present // len(groups.names)
        self.size, self.stratum = size[there].astype(float), present
        self.counts = np.zeros((len(present), n_classes))

    def _sizes(self) -> IntArray:
        """Items of each combination from the least possible one on; a block at a time, so that
        nothing of the size of the file is made."""
        size = np.zeros(0, dtype=np.int64)
        for start in range(0, len(self._stratum), BLOCK):
            here = np.bincount(self._combined(slice(start, start + BLOCK)))
            longest = max(len(size), len(here))
            size = np.pad(size, (0, longest - len(size))) + np.pad(here, (0, longest - len(here)))
        return size

    def _combined(self, items: Any) -> IntArray:
        """Stratum, group and predictions of these items as one number, from 0 on."""
        combined = self._stratum[items].astype(np.int64)
        for codes, number in self._split:
            combined = combined * number + codes[items]
        return np.asarray(combined - self._least)

    @property
    def cell_of(self) -> IntArray:
        """The cell of each item, (n_items,), worked out anew."""
        return self.cells_at(slice(None))

    def cells_at(self, items: Any) -> IntArray:
        """The cells of the items at some positions, -1 outside of the group that it is of."""
        return np.asarray(self._cell[self._combined(items)])

    def of_group(self, group: int, *, rest: bool = False) -> Tally:
        """The cells of one group, or of all others, with the labels that they have now; other items
        are in none, and their place is -1."""
        mine = (self.group == group) != rest
        part = copy.copy(self)
        for name in ("size", "stratum", "prediction", "second_prediction", "group", "counts"):
            setattr(part, name, getattr(self, name)[mine])
        part._cell = np.where(mine, np.cumsum(mine) - 1, -1)[self._cell]
        return part

    def emptied(self) -> Tally:
        """The same cells without labels."""
        other = copy.copy(self)
        other.counts = np.zeros_like(self.counts)
        return other

    def copied(self) -> Tally:
        """The same cells with labels of their own."""
        other = copy.copy(self)
        other.counts = self.counts.copy()
        return other

    def census(self, codes: IntArray) -> Tally:
        """The same cells with every item labelled; ``codes`` is (n_items,)."""
        whole, shape, cell = self.emptied(), self.counts.shape, self.cell_of
        kind = (cell * shape[1] + codes)[cell >= 0]
        whole.counts = np.bincount(kind, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
        return whole

    def add(self, position: int, class_index: int, number: float = 1.0) -> None:
        self.counts[self.cells_at(position), class_index] += number

    def add_all(self, positions: IntArray, codes: IntArray) -> None:
        """Labels of several items at once, (n_labels,) each; those outside of its group are none
        of its own."""
        cell = self.cells_at(positions)
        mine = cell >= 0
        np.add.at(self.counts, (cell[mine], codes[mine]), 1.0)

    def cells(self, class_index: int | None) -> Cells:
        """Counts of one class against the rest; None: of items judged correctly."""
        labelled = self.counts.sum(axis=1)
        if class_index is None:
            right = self.right()
            every = np.ones(len(self.size), dtype=bool)
            return Cells(self.size, labelled, right, every, self.stratum)
        positive, predicted = self.counts[:, class_index].copy(), self.prediction == class_index
        return Cells(self.size, labelled, positive, predicted, self.stratum)

    def after_each(self, positions: IntArray, codes: IntArray, class_index: int | None) -> Cells:
        """``cells`` after each of several labels more, labelled and positive (n_labels, n_cells).

        positions, codes   (n_labels,), the items and their classes
        """
        now, cell = self.cells(class_index), self.cells_at(positions)
        of_class = self.prediction[cell] if class_index is None else class_index
        labelled = np.zeros((len(positions), len(self.size)))
        labelled[np.arange(len(positions)), cell] = cell >= 0
        positive = labelled * (codes == of_class)[:, None]
        return replace(
            now,
            labelled=now.labelled + np.cumsum(labelled, axis=0),
            positive=now.positive + np.cumsum(positive, axis=0),
        )

    def right(self) -> FloatArray:
        """Labelled items whose label is their prediction, (n_cells,); none without predictions."""
        counts = self.counts[np.arange(len(self.size)), self.prediction]
        return np.where(self.prediction < 0, 0.0, counts)

    def unresolved(self, positions: list[int]) -> FloatArray:
        """Items without a verdict in each cell, (n_cells,)."""
        cell = self.cells_at(positions)
        return np.bincount(cell[cell >= 0], minlength=len(self.size)).astype(float)


def filled(cells: Cells, unresolved: FloatArray, rising: BoolArray) -> Cells:
    """The counts if every unresolved item were positive where ``rising`` and negative elsewhere."""
    positive = cells.positive + np.where(rising, unresolved, 0.0)
    whole = in_the_file(cells)
    filled_cells = replace(whole, labelled=cells.labelled + unresolved, positive=positive)
    if cells.judged is None:
        return filled_cells
    return judged_cells(filled_cells, cells.judged.unsure, cells.judged.more)


class Pairs(Tally):
    """Labels of the parts of the strata that share the predictions of two classifiers; a
    prediction alone is the first one's."""

    def cells(self, class_index: int | None) -> Cells:
        return replace(super().cells(class_index), other=self.second_prediction == class_index)


class Tallies(dict[Subject, Tally]):
    """The cells of every classifier or two; those of a group are looked up in them as they are
    now, and are none of its items."""

    def __missing__(self, subject: Subject) -> Tally:
        if isinstance(subject, InGroup):
            return self[subject.whose].of_group(subject.group)
        raise KeyError(subject)


def tally_of(
    population: Population, stratum: Codes, whose: Whose, groups: Grouping | None = None
) -> Tally:
    """The empty cells of a classifier, or of two."""
    n_classes = len(population.classes)
    if isinstance(whose, tuple):
        first, second = (population.predictions[name] for name in whose)
        return Pairs(stratum, first, n_classes, second=second, groups=groups)
    prediction = None if whose is None else population.predictions.get(whose)
    return Tally(stratum, prediction, n_classes, groups=groups)


def tallies_of(
    population: Population,
    stratum: Codes,
    classifiers: tuple[str | None, ...],
    asked: list[Question],
    groups: Grouping | None = None,
) -> Tallies:
    """The empty cells of every classifier, and of every two that are asked about."""
    subjects = subjects_of(classifiers, asked)
    return Tallies({whose: tally_of(population, stratum, whose, groups) for whose in subjects})


def subjects_of(classifiers: tuple[str | None, ...], asked: Sequence[Question]) -> list[Whose]:
    """Every classifier, and every two that are asked about."""
    whole = (question.subject for question in asked if question.group is None)
    return list(
        dict.fromkeys([*classifiers, *(who for who in whole if not isinstance(who, InGroup))])
    )
