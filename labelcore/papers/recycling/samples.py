"""Recycling a sample: the precisions of several classifiers from overlapping predictions.

A sample of the items that a parent classifier calls positive holds items that a child calls
positive too. They are used again for the child, together with as many new items from outside the
parent's set as make the two parts proportional to the sets, and a remainder from the whole set.

Source: Tripathi, Jagannathan and Dhamodharaswamy, "Estimating Precisions for Multiple Binary
Classifiers Under Limited Samples", algorithms 1 and 2, section 6. Where the print is silent or
wrong the docstrings say what is done instead.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelcore.stats.arrays import BoolArray, IntArray
from labelcore.stats.profile import Cells, Ratios, plug_in_totals
from labelcore.stats.profile_interval import profile_interval
from labelcore.stats.proportion import share_interval

OPTIONS = ("shuffle", "sample")
RECYCLED, NEW, REMAINDER = 0, 1, 2
"""Where an element of a sample comes from: S+, S- and S_remain of algorithm 1."""


@dataclass(frozen=True, eq=False, slots=True)
class Recycled:
    """One classifier's sample S_C: draws with replacement, so that an item may come several times.

    items      (size,), positions of the items in the order of S_C
    origin     (size,), RECYCLED, NEW or REMAINDER
    """

    items: IntArray
    origin: NDArray[np.int8]

    @property
    def saved(self) -> int:
        """Elements of S_C that come from S+: the savings of lemma 3, in draws."""
        return int(np.count_nonzero(self.origin == RECYCLED))


def child_sample(
    plus: IntArray,
    overlap: IntArray,
    rest: IntArray,
    size: int,
    option: str,
    random: np.random.Generator,
) -> Recycled:
    """A child's sample from its parent's: algorithm 1, from its second line on, with algorithm 2.

    plus       S+: the parent's sample within ``overlap``, repeats allowed
    overlap, rest   positions of A_P and A_C, and of A_C - A_P, each item once
    size       n_C >= 1; option: "shuffle" (UniformShuffle) or "sample" (UniformSample)
    Promise    every element of the result is uniform on A_C if those of the parent's sample are
               on A_P (lemmas 1 and 2). With "shuffle" they are two strata in fixed proportion and a
               plain remainder. With "sample" they repeat elements of one and the same S+ and S-:
               independent only given these, so that lemma 1's independence does not hold, and a
               plain interval is too narrow.
    Source:    algorithms 1 and 2; lemma 1, lemma 2.
    Departure: |S-| is rounded at random to one of its two whole neighbours, so that it is exactly
               proportional on average; without S+ the whole sample is a remainder; of a long
               S+ + S- only the elements that stay in the first n_C are drawn, which is the same in
               law.
    """
    new = _new_elements(len(plus), len(overlap), len(rest), random)
    total = len(plus) + new
    kept = min(total, size)
    place = (
        random.integers(total, size=kept)
        if option == "sample" and total
        else random.choice(total, kept, replace=False)
    )
    mixed = np.empty(kept, dtype=np.int64)
    old = place < len(plus)
    mixed[old] = plus[place[old]]
    fresh, which = np.unique(place[~old], return_inverse=True)
    mixed[~old] = _uniform(rest, len(fresh), random)[which]
    index = random.integers(len(overlap) + len(rest), size=size - kept)
    items = np.concatenate([mixed, _of_two(overlap, rest, index)])
    origin = np.full(size, REMAINDER, dtype=np.int8)
    origin[:kept] = np.where(old, RECYCLED, NEW)
    return Recycled(items, origin)


def _new_elements(available: int, overlap: int, rest: int, random: np.random.Generator) -> int:
    """|S-|, rounded at random: |A_C - A_P| |S+| / |A_P and A_C| on average."""
    if not available:
        return 0
    whole, part = divmod(rest * available, overlap)
    return whole + int(random.random() < part / overlap)


def _uniform(items: IntArray, number: int, random: np.random.Generator) -> IntArray:
    return items[random.integers(len(items), size=number)] if number else items[:0]


def _of_two(first: IntArray, second: IntArray, index: IntArray) -> IntArray:
    """The elements of one list followed by the other, without joining them."""
    elements = np.empty(len(index), dtype=np.int64)
    early = index < len(first)
    elements[early] = first[index[early]]
    elements[~early] = second[index[~early] - len(first)]
    return elements


def recycle_all(
    called: BoolArray,
    under: Sequence[int],
    order: IntArray,
    size: int,
    option: str,
    random: np.random.Generator,
) -> list[Recycled]:
    """A sample for every classifier: a plain one with replacement for the first, recycled ones for
    the others, each from the sample of the classifier it stands under.

    called     (n_classifiers, n_items), whether each classifier calls each item positive
    under      the place of the classifier that each one stands under; -1 for the first
    order      (n_items,), all items in a random order that does not depend on the file's
    Source:    algorithm 1; section 4.1 for a child that is itself a parent.
    """
    samples: list[Recycled] = []
    for place, above in enumerate(under):
        mine = called[place][order]
        if above < 0:
            items = _uniform(order[mine], size, random)
            samples.append(Recycled(items, np.full(size, NEW, dtype=np.int8)))
            continue
        shared = called[above][order]
        overlap, rest = order[mine & shared], order[mine & ~shared]
        parent = samples[above].items
        plus = parent[called[place][parent]]
        samples.append(child_sample(plus, overlap, rest, size, option, random))
    return samples


def agreement_levels(called: BoolArray, under: Sequence[int]) -> IntArray:
    """How many classifiers above it, one after another, agree that an item is positive,
    (n_classifiers, n_items); -1 where the classifier itself does not call it so.

    Given how many elements of a sample S_C fall into each level of C, the distinct ones among them
    are a simple random sample of that level, whatever the option: the levels are the strata of S_C.
    With one parent level 1 is A_P and A_C, level 0 is A_C - A_P.
    """
    levels = np.zeros(called.shape, dtype=np.int64)
    for place, above in enumerate(under):
        if above >= 0:
            levels[place] = np.where(called[above], 1 + levels[above], 0)
        levels[place] = np.where(called[place], levels[place], -1)
    return levels


def level_share(
    sizes: ArrayLike,
    labelled: ArrayLike,
    positive: ArrayLike,
    confidence: float,
    *,
    target: str = "file",
    inflation: float = 1.0,
) -> tuple[float, float, float]:
    """Precision and its interval from the distinct labelled items of each level: value, low, high.

    The draws of the remainder count in the level that they fell into, so that the sample is one
    plain random sample in each of its strata.

    sizes, labelled, positive   (n_levels,), items of A_C, labelled distinct ones, positive ones
    target     "file": this file, with the finite-population factor; "process": without
    inflation  the critical value is multiplied by it (a file that is itself a sample)
    Promise    fixed, approximate: Wilson's interval in one level, the G-profile over several.
    Source:    section 4.1 after lemma 2 (stratified sampling with proportional allocation).
    Departure: the print takes the plain share of the first n_C elements, repeats included. Weighing
               the levels by their sizes is unbiased too, without the chance in how many elements of
               each remain after the cut, and counts an item once.
    """
    size, n, s = (np.atleast_1d(np.asarray(a, dtype=float)) for a in (sizes, labelled, positive))
    there = size > 0
    size, n, s = size[there], n[there], s[there]
    if n.sum() == 0:
        return float("nan"), 0.0, 1.0
    if len(size) == 1:
        whole = float(size[0]) if target == "file" else math.inf
        low, high = share_interval(float(s[0]), float(n[0]), whole, confidence)
        return float(s[0] / n[0]), low, high
    every = np.ones((1, len(size)))
    cells = Cells(size, n, s, every[0] > 0)
    table = Ratios(np.zeros(1), every, np.array([size.sum()]), 0 * every)
    ends = profile_interval(cells, table, confidence, target=target, inflation=inflation)
    value = float(table.value(plug_in_totals(cells))[0])
    return value, min(float(ends[0][0]), value), max(float(ends[1][0]), value)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A classifier to begin with.

    parent         its name
    majority_vote  whether it is the strict majority of all others, item by item
    shared         {name: share} of every classifier as a parent: the mean over the others of
                   |A_P and A_C| over the larger of |A_P| and |A_C|, about what would be saved
    """

    parent: str
    majority_vote: bool
    shared: Mapping[str, float]


def suggest_parent(called: Mapping[str, BoolArray]) -> Suggestion:
    """The classifier that is the majority vote of three or more others, else the one that shares
    most with the others.

    called     {name: (n_items,)}, whether each classifier calls each item positive
    Source:    section 4: an ensemble or any classifier whose positives overlap those of the others.
    """
    names = list(called)
    table = np.array([called[name] for name in names], dtype=bool)
    common = (table.astype(np.float32) @ table.T.astype(np.float32)).astype(float)
    size = np.diag(common)
    larger = np.maximum(np.maximum.outer(size, size), 1.0)
    share = (common / larger).sum(axis=1) - size / np.maximum(size, 1.0)
    shared = {name: float(part) / (len(names) - 1) for name, part in zip(names, share, strict=True)}
    votes = table.sum(axis=0)
    majority = [
        name
        for name, mine in zip(names, table, strict=True)
        if len(names) >= 4
        and mine.any()
        and np.array_equal(2 * (votes - mine) > len(names) - 1, mine)
    ]
    best = max(majority or names, key=lambda name: shared[name])
    return Suggestion(best, bool(majority), shared)
