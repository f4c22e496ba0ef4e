"""The parts of a file that recycled samples are random samples of, and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.progress import NO_ANSWER, AnswerCodes
from labelcore.designs.samples import Samples
from labelcore.papers.recycling.samples import Recycled, agreement_levels
from labelcore.population.array_items import SMALL_CODES
from labelcore.stats.arrays import IntArray
from labelcore.stats.orders import narrow
from labelcore.stats.profile import BoolArray, Cells, FloatArray

NOT_IN = -1


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """Disjoint parts of a file, in each of which the sampled items are a simple random sample given
    their number.

    part      (n_items,), the part of each item, NOT_IN for items that do not matter
    sizes     (n_parts,), items; predicted: (n_parts,), whether the classifier calls them positive
    sampled   (n_sampled,), the distinct items drawn for these parts
    """

    part: NDArray[np.int16]
    sizes: FloatArray
    predicted: BoolArray
    sampled: IntArray

    @classmethod
    def of(cls, code: IntArray, called: BoolArray, sampled: IntArray) -> Parts:
        """``code`` (n_items,), any number from 0 per part; NOT_IN for what does not matter."""
        inside = code >= 0
        present, place = np.unique(code[inside], return_inverse=True)
        part = np.full(len(code), NOT_IN, dtype=np.int16)
        part[inside] = place
        sizes = np.bincount(place, minlength=len(present)).astype(float)
        predicted = np.zeros(len(present), dtype=bool)
        predicted[place] = called[inside]
        return cls(part, sizes, predicted, np.unique(sampled))

    def _numbers(self, items: IntArray, weights: FloatArray | None = None) -> FloatArray:
        place = self.part[items]
        numbers = np.bincount(place, weights, minlength=len(self.sizes))
        return np.asarray(numbers, dtype=float)

    def counted(self, codes: AnswerCodes, positive: int) -> Cells:
        """Labels of each part: those of its own sample, or all where every item has one; the class
        ``positive`` counts."""
        labelled_items = self.sampled[codes[self.sampled] > NO_ANSWER]
        labelled, hits = self._labels(labelled_items, codes, positive)
        every = codes.labelled
        number, all_hits = self._labels(every[self.part[every] >= 0], codes, positive)
        whole = number == self.sizes
        labelled, hits = np.where(whole, self.sizes, labelled), np.where(whole, all_hits, hits)
        return Cells(self.sizes, labelled, hits, self.predicted)

    def _labels(
        self, items: IntArray, codes: AnswerCodes, positive: int
    ) -> tuple[FloatArray, FloatArray]:
        hits = (codes[items] == positive).astype(float)
        return self._numbers(items), self._numbers(items, hits)

    def expected(self, asked: BoolArray, rates: FloatArray) -> Cells:
        """What the labels of the items ``asked`` are expected to be; both are (n_items,)."""
        labelled = self._numbers(self.sampled[asked[self.sampled]])
        inside = np.flatnonzero(self.part >= 0)
        mean = self._numbers(inside, rates[inside]) / self.sizes
        return Cells(self.sizes, labelled, labelled * mean, self.predicted)


def precision_parts(
    called: BoolArray, under: Sequence[int], samples: Sequence[Recycled]
) -> tuple[Parts, ...]:
    """For each classifier the levels of agreement within what it calls positive."""
    levels = agreement_levels(called, under)
    return tuple(
        Parts.of(level, mine, sample.items)
        for level, mine, sample in zip(levels, called, samples, strict=True)
    )


def recall_parts(
    called: BoolArray,
    under: Sequence[int],
    samples: Sequence[Recycled],
    stratum: IntArray,
    negatives: IntArray,
) -> tuple[Parts, ...]:
    """For each classifier: what it shares with the parent and what the parent alone calls positive,
    from the parent's sample; what it calls positive and the parent does not, by levels of
    agreement, from its own; the other items by ``stratum`` (n_items,), from ``negatives``."""
    levels = agreement_levels(called, under)
    depth, parent = int(levels.max()) + 1, called[0]
    parts = []
    for mine, level, sample in zip(called, levels, samples, strict=True):
        code = np.where(
            parent, np.where(mine, 0, 1), np.where(mine, 2 + level, 2 + depth + stratum)
        )
        alone = sample.items[~parent[sample.items]]
        others = negatives[~mine[negatives]]
        parts.append(Parts.of(code, mine, np.concatenate([samples[0].items, alone, others])))
    return tuple(parts)


def samples_of(precision: Parts, recall: Parts, called: BoolArray) -> Samples:
    """One classifier's parts of precision where it calls an item positive, those of recall
    elsewhere; ``called`` is (n_items,)."""
    both = len(precision.sizes) + recall.part.astype(np.int64)
    _, part, sizes = np.unique(
        np.where(called, precision.part, both), return_inverse=True, return_counts=True
    )
    others = recall.sampled[~called[recall.sampled]]
    part = narrow(part, max(len(sizes), SMALL_CODES))
    return Samples(part, sizes, np.union1d(precision.sampled, others))
