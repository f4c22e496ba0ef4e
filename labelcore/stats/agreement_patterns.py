"""Items sorted by what several classifiers say of them.

Items of one pattern are called alike by every classifier, so that each set of predicted positives,
and each set on which two of them disagree, is made of whole patterns.

Source: our own, measured in docs/agreement_patterns.md; the levels of Tripathi et al. (2020) and
the disagreements of McNemar (1947) are unions of patterns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class Patterns:
    """The patterns of a file, those that most classifiers call positive first.

    of_item   (n_items,), the pattern of each item, 0 .. n_patterns - 1
    said      (n_classifiers, n_patterns), whether each classifier calls the pattern positive; for
              one that took others in, what holds for the items that it had before
    mixed     (n_patterns,), whether a pattern took others in
    rare      how many patterns were taken in by another one, with items: how many items these are
    """

    of_item: IntArray
    said: BoolArray
    mixed: BoolArray
    rare: int = 0
    items: int = 0

    @property
    def sizes(self) -> IntArray:
        """Items of each pattern, (n_patterns,)."""
        return np.bincount(self.of_item, minlength=self.said.shape[1]).astype(np.int64)


def agreement_patterns(called: BoolArray, most: int) -> Patterns:
    """The patterns of predictions, at most ``most`` of them beside the one that nobody calls
    positive.

    Where there are more, the rarest join that of the others which the fewest classifiers judge
    otherwise, the larger one of several. None joins the items that nobody calls positive: these are
    many, and a few of another kind would be lost among them.

    called   (n_classifiers, n_items), whether each classifier calls each item positive
    most     at least 1

    >>> called = np.array([[True, True, False, False, True], [True, False, False, True, True]])
    >>> found = agreement_patterns(called, 9)
    >>> found.of_item.tolist(), found.said.astype(int).tolist()
    ([0, 1, 3, 2, 0], [[1, 1, 0, 0], [1, 0, 1, 0]])
    >>> agreement_patterns(called, 1).of_item.tolist()
    [0, 0, 1, 0, 0]
    """
    said, of_item = np.unique(called.T, axis=0, return_inverse=True)
    of_item, sizes = of_item.reshape(-1), np.bincount(of_item.reshape(-1), minlength=len(said))
    order = np.lexsort((*(~said).T[::-1], -said.sum(axis=1)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    said, sizes, of_item = said[order], sizes[order], place[of_item]
    some = np.flatnonzero(said.any(axis=1))
    rare = some[np.argsort(-sizes[some], kind="stable")][most:]
    kept = np.setdiff1d(np.arange(len(said)), rare)
    into = np.arange(len(said))
    able = kept[said[kept].any(axis=1)]
    for one in rare:
        apart = (said[able] != said[one]).sum(axis=1)
        into[one] = able[np.lexsort((-sizes[able], apart))[0]]
    number = np.cumsum(np.isin(np.arange(len(said)), kept)) - 1
    items, mixed = int(sizes[rare].sum()), np.isin(kept, into[rare])
    return Patterns(number[into][of_item].astype(np.int64), said[kept].T, mixed, len(rare), items)
