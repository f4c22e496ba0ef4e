"""Items sorted by what several classifiers say of them.

Items of one pattern are called alike by every classifier, so that each set of predicted positives,
and each set on which two of them disagree, is made of whole patterns.

Source: our own, measured in docs/agreement_patterns.md; the levels of Tripathi et al. (2020) and
the disagreements of McNemar (1947) are unions of patterns.
"""

from dataclasses import dataclass

import numpy as np

from labelcore.stats.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Patterns:
    """The patterns of a file, those that most classifiers call positive first.

    of_way    (n_ways,), the pattern of each way in which classifiers agree, 0 .. n_patterns - 1
    said      (n_classifiers, n_patterns), whether each classifier calls the pattern positive; for
              one that took others in, what holds for the items that it had before
    sizes     (n_patterns,), items of each
    mixed     (n_patterns,), whether a pattern took others in
    rare      how many patterns were taken in by another one, with items: how many items these are
    """

    of_way: IntArray
    said: BoolArray
    sizes: IntArray
    mixed: BoolArray
    rare: int = 0
    items: int = 0


def agreement_patterns(ways: BoolArray, sizes: IntArray, most: int) -> Patterns:
    """The patterns of predictions, at most ``most`` of them beside the one that nobody calls
    positive.

    Where there are more, the rarest join that of the others which the fewest classifiers judge
    otherwise, the larger one of several. None joins the items that nobody calls positive: these are
    many, and a few of another kind would be lost among them.

    ways     (n_classifiers, n_ways), whether each classifier calls so judged items positive, each
             way once; sizes: (n_ways,), how many items are judged so
    most     at least 1

    >>> ways = np.array([[True, True, False, False], [True, False, False, True]])
    >>> found = agreement_patterns(ways, np.array([2, 1, 1, 1]), 9)
    >>> found.of_way.tolist(), found.said.astype(int).tolist(), found.sizes.tolist()
    ([0, 1, 3, 2], [[1, 1, 0, 0], [1, 0, 1, 0]], [2, 1, 1, 1])
    >>> agreement_patterns(ways, np.array([2, 1, 1, 1]), 1).of_way.tolist()
    [0, 0, 1, 0]
    """
    called = ways.T
    order = np.lexsort((*(~called).T[::-1], -called.sum(axis=1)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    called, sizes = called[order], sizes[order]
    some = np.flatnonzero(called.any(axis=1))
    rare = some[np.argsort(-sizes[some], kind="stable")][most:]
    kept = np.setdiff1d(np.arange(len(called)), rare)
    into = np.arange(len(called))
    able = kept[called[kept].any(axis=1)]
    for pattern in rare:
        apart = (called[able] != called[pattern]).sum(axis=1)
        into[pattern] = able[np.lexsort((-sizes[able], apart))[0]]
    number = np.cumsum(np.isin(np.arange(len(called)), kept)) - 1
    items, mixed = int(sizes[rare].sum()), np.isin(kept, into[rare])
    together = np.bincount(number[into], sizes, len(kept)).astype(np.int64)
    of_way = number[into][place].astype(np.int64)
    return Patterns(of_way, called[kept].T, together, mixed, len(rare), items)
