"""Counts of labels by cell, kept up to date one label at a time."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.estimands import DIFFERENCES, SCALARS, Estimand
from labelcore.population import Population
from labelcore.population.classes import Codes
from labelcore.stats.judged import in_the_file, judged_cells
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, Cells, FloatArray

BLOCK = 1 << 20
"""Items that are looked at together."""
# Whose predictions split the strata: one classifier's, those of two that are compared, or none.
Subject = str | tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Question:
    """One scalar result: an estimand of a classifier, of one class against the rest.

    key    the key in ``Session.results()``: "precision", "precision[spam]", "precision@B"; of a
           difference "precision_difference" for the first two classifiers of a plan,
           "precision_difference@B - C" for two others
    class_index   the class that counts as positive; None: being judged correctly (several classes)
    versus        the classifier whose figure is subtracted from the first one's in a difference
    """

    key: str
    row: Estimand
    classifier: str | None
    class_index: int | None
    versus: str | None = None

    @property
    def subject(self) -> Subject:
        """Whose cells it is read from."""
        if self.classifier is None or self.versus is None:
            return self.classifier
        return self.classifier, self.versus


def questions(
    population: Population,
    estimands: tuple[str, ...],
    classifiers: tuple[str | None, ...],
    classes: Sequence[str] | None = None,
) -> list[Question]:
    """Every scalar result that a plan asks for, in order; ``classes``: those of several that have
    figures of their own, None for all."""
    several = len(population.classes) > 2
    positive = population.classes.index(population.positive)
    found: list[Question] = []
    for place, classifier in enumerate(classifiers):
        at = "" if place == 0 else f"@{classifier}"
        for row in _rows(estimands, differences=place == 0):
            if row.difference:
                found += _differences(row, classifiers, positive)
            elif several and row.per_class:
                found += [
                    Question(f"{row.name}[{name}]{at}", row, classifier, index)
                    for index, name in enumerate(population.classes)
                    if classes is None or name in classes
                ]
            elif several:
                found.append(Question(f"{row.name}{at}", row, classifier, None))
            else:
                found.append(Question(f"{row.name}{at}", row, classifier, positive))
    return found


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
    """

    def __init__(
        self,
        stratum: Codes,
        prediction: Codes | None,
        n_classes: int,
        *,
        second: Codes | None = None,
    ) -> None:
        self._codes = stratum, *(one for one in (second, prediction) if one is not None)
        self._n_classes = n_classes
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
        self.size, self.stratum = size[there].astype(float), present
        self.counts = np.zeros((len(present), n_classes))

    def _sizes(self) -> NDArray[np.int64]:
        """Items of each combination from the least possible one on; a block at a time, so that
        nothing of the size of the file is made."""
        size = np.zeros(0, dtype=np.int64)
        for start in range(0, len(self._codes[0]), BLOCK):
            here = np.bincount(self._combined(slice(start, start + BLOCK)))
            longest = max(len(size), len(here))
            size = np.pad(size, (0, longest - len(size))) + np.pad(here, (0, longest - len(here)))
        return size

    @property
    def _least(self) -> int:
        return int(NOT_SAMPLED * self._n_classes ** (len(self._codes) - 1))

    def _combined(self, items: Any) -> NDArray[np.int64]:
        """Stratum and predictions of these items as one number, from 0 on."""
        stratum, *predictions = self._codes
        found = stratum[items].astype(np.int64)
        for codes in predictions:
            found = found * self._n_classes + codes[items]
        return np.asarray(found - self._least)

    @property
    def cell_of(self) -> NDArray[np.int64]:
        """The cell of each item, (n_items,), worked out anew."""
        return self.cells_at(slice(None))

    def cells_at(self, items: Any) -> NDArray[np.int64]:
        """The cells of the items at some positions."""
        return np.asarray(self._cell[self._combined(items)])

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

    def census(self, codes: NDArray[np.int64]) -> Tally:
        """The same cells with every item labelled; ``codes`` is (n_items,)."""
        whole, shape = self.emptied(), self.counts.shape
        kind = self.cell_of * shape[1] + codes
        whole.counts = np.bincount(kind, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
        return whole

    def add(self, position: int, class_index: int, number: float = 1.0) -> None:
        self.counts[self.cells_at(position), class_index] += number

    def add_all(self, positions: NDArray[np.int64], codes: NDArray[np.int64]) -> None:
        """Labels of several items at once, (n_labels,) each."""
        np.add.at(self.counts, (self.cells_at(positions), codes), 1.0)

    def cells(self, class_index: int | None) -> Cells:
        """Counts of one class against the rest; None: of items judged correctly."""
        labelled = self.counts.sum(axis=1)
        if class_index is None:
            right = self.right()
            every = np.ones(len(self.size), dtype=bool)
            return Cells(self.size, labelled, right, every, self.stratum)
        positive, predicted = self.counts[:, class_index].copy(), self.prediction == class_index
        return Cells(self.size, labelled, positive, predicted, self.stratum)

    def after_each(
        self, positions: NDArray[np.int64], codes: NDArray[np.int64], class_index: int | None
    ) -> Cells:
        """``cells`` after each of several labels more, labelled and positive (n_labels, n_cells).

        positions, codes   (n_labels,), the items and their classes
        """
        now, cell = self.cells(class_index), self.cells_at(positions)
        of_class = self.prediction[cell] if class_index is None else class_index
        labelled = np.zeros((len(positions), len(self.size)))
        labelled[np.arange(len(positions)), cell] = 1.0
        positive = labelled * (codes == of_class)[:, None]
        return replace(
            now,
            labelled=now.labelled + np.cumsum(labelled, axis=0),
            positive=now.positive + np.cumsum(positive, axis=0),
        )

    def right(self) -> FloatArray:
        """Labelled items whose label is their prediction, (n_cells,); none without predictions."""
        found = self.counts[np.arange(len(self.size)), self.prediction]
        return np.where(self.prediction < 0, 0.0, found)

    def unresolved(self, positions: list[int]) -> FloatArray:
        """Items without a verdict in each cell, (n_cells,)."""
        return np.bincount(self.cells_at(positions), minlength=len(self.size)).astype(float)


def filled(cells: Cells, unresolved: FloatArray, rising: BoolArray) -> Cells:
    """The counts if every unresolved item were positive where ``rising`` and negative elsewhere."""
    positive = cells.positive + np.where(rising, unresolved, 0.0)
    whole = in_the_file(cells)
    found = replace(whole, labelled=cells.labelled + unresolved, positive=positive)
    return found if cells.judged is None else judged_cells(found, cells.judged.unsure)


class Pairs(Tally):
    """Labels of the parts of the strata that share the predictions of two classifiers; a
    prediction alone is the first one's."""

    def __init__(
        self,
        stratum: Codes,
        first: Codes,
        second: Codes,
        n_classes: int,
    ) -> None:
        super().__init__(stratum, first, n_classes, second=second)

    def cells(self, class_index: int | None) -> Cells:
        return replace(super().cells(class_index), other=self.second_prediction == class_index)


def tally_of(population: Population, stratum: Codes, subject: Subject) -> Tally:
    """The empty cells of a subject."""
    n_classes = len(population.classes)
    if isinstance(subject, tuple):
        first, second = (population.predictions[name] for name in subject)
        return Pairs(stratum, first, second, n_classes)
    prediction = None if subject is None else population.predictions.get(subject)
    return Tally(stratum, prediction, n_classes)


def tallies_of(
    population: Population,
    stratum: Codes,
    classifiers: tuple[str | None, ...],
    asked: list[Question],
) -> dict[Subject, Tally]:
    """The empty cells of every classifier, and of every subject that is asked about."""
    return {
        subject: tally_of(population, stratum, subject)
        for subject in subjects_of(classifiers, asked)
    }


def subjects_of(classifiers: tuple[str | None, ...], asked: Sequence[Question]) -> list[Subject]:
    """Every classifier, and every subject that is asked about."""
    return list(dict.fromkeys([*classifiers, *(one.subject for one in asked)]))
