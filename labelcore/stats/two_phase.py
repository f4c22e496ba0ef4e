"""A figure for the settled judgement, from one reading of every label and several of some.

Two-phase sampling: the labels of the sample give the totals by the first reading; the overlap, some
of the labels, each chosen with a chance that is known, gives how often the settled judgement is
another one. With K_k the items of a cell that are positive by the first reading, those by the
settled judgement are

    T_k = K_k (1 - lost_k) + (N_k - K_k) won_k,

lost the share of the first reading's positive items that are settled otherwise, won that of its
other items. Both are estimated apart among the items that are predicted positive and among the
others: four groups of flips.

What each group flips, F_g, is a difference estimate: a guess p for every label (by its odds, one
factor a group fitted to the overlap), and the overlap's misses, each weighted by one over its
chance. F_g of the group's M_g items is then a cell of m_g readings, as many as would vary as much,
and one likelihood-ratio region holds the strata and the four cells under one critical value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from labelcore.stats.profile import (
    BoolArray,
    Cells,
    FloatArray,
    Ratios,
    Region,
    plug_in_totals,
    smoothed_rates,
)

GUESSED_ERROR = 0.1
"""The share of wrong answers by which flips are guessed before the overlap says how many there are:
only which are likelier than others follows from it."""
LEAST_LIKELY, MOST_LIKELY = 0.003, 0.6
EVEN = 0.15
"""How much of the overlap is drawn with even chances: what nobody took for likely is seen, too."""
GROUPS = 4
ROUNDS, NEAR = 5, 1e-7


@dataclass(frozen=True, eq=False, slots=True)
class Overlap:
    """Labelled items of which the settled judgement is known, each array (n_items,).

    cell      the cell of the item
    first     whether it is positive by the first reading
    settled   whether it is positive by the settled judgement
    chance    with which a label like it came to be in the overlap
    """

    cell: np.ndarray
    first: BoolArray
    settled: BoolArray
    chance: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Flips:
    """What is settled otherwise than first read, each array (4,): of items predicted negative and
    read negative, predicted negative and read positive, and so on.

    size       items of the file in the group (M)
    readings   how many items drawn evenly would tell as much (m)
    share      the share that is settled otherwise
    """

    size: FloatArray
    readings: FloatArray
    share: FloatArray


def flip_chances(rates: FloatArray, error: float = GUESSED_ERROR) -> FloatArray:
    """The chance that an answer is wrong, (..., 2): one that says no, and one that says yes.

    rates   (...), how often yes is said
    error   the share of wrong answers, the same whatever is right

    >>> flip_chances(np.array([0.1, 0.5])).round(3).tolist()
    [[0.012, 0.5], [0.1, 0.1]]
    """
    yes = np.clip(rates, 1e-9, 1 - 1e-9)
    missed, invented = yes * error, (1 - yes) * error
    no = missed / (missed + (1 - yes) * (1 - error))
    both = np.stack([no, invented / (invented + yes * (1 - error))], axis=-1)
    return np.clip(both, LEAST_LIKELY, MOST_LIKELY)


def reading_chances(worth: FloatArray, expected: FloatArray, share: float) -> FloatArray:
    """With which chance each kind of label is read again, so that a share of all is.

    worth      (n_kinds,), what a reading of each kind is worth: the sd of what it tells
    expected   (n_kinds,), how many labels of it are expected
    """
    total = expected.sum()
    if share >= 1 or total <= 0:
        return np.full(worth.shape, min(share, 1.0))
    mean = float((expected * worth).sum() / total)
    likely = worth / mean if mean > 0 else np.ones_like(worth)
    low, high = 0.0, 1.0
    while high < 1e6 and _read(likely, high, share) @ expected < share * total:
        high *= 2
    for _ in range(40):
        middle = (low + high) / 2
        short = _read(likely, middle, share) @ expected < share * total
        low, high = (middle, high) if short else (low, middle)
    return _read(likely, high, share)


def _read(likely: FloatArray, scale: float, share: float) -> FloatArray:
    return np.minimum(EVEN * share + (1 - EVEN) * share * scale * likely, 1.0)


def flips_of(cells: Cells, overlap: Overlap, rates: FloatArray | None = None) -> Flips:
    """How many items of the file flip in each group, by the difference estimator.

    rates   (n_cells,), the method's own idea of each cell's rate; None where it has none

    The variance is the larger one of what the fitted odds foretell and of what the misses show.
    Source: Cassel, Sarndal and Wretman (1976) for the difference estimator; Poisson sampling as in
    Sarndal, Swensson and Wretman (1992), chapters 3.5 and 9. The odds factor and the readings that
    would vary as much are our own, measured in docs/several_people.md.
    """
    weight = cells.size / np.maximum(cells.labelled, 1)
    guess = logit(flip_chances(smoothed_rates(cells, rates)))
    found = np.zeros((3, GROUPS))
    for group in range(GROUPS):
        side, first = group >= 2, group % 2
        read = cells.positive if first else cells.labelled - cells.positive
        mass = np.where(cells.predicted == side, weight * read, 0.0)
        mine = (cells.predicted[overlap.cell] == side) & (overlap.first == bool(first))
        found[:, group] = _flips(
            mass,
            guess[:, first],
            overlap.cell[mine],
            (overlap.settled != overlap.first)[mine].astype(float),
            weight[overlap.cell[mine]] / overlap.chance[mine],
        )
    return Flips(*found)


def expected_flips(cells: Cells, chance: FloatArray, error: float) -> Flips:
    """What ``flips_of`` is expected to find if a share of the answers is wrong everywhere alike.

    cells    expected counts by the first readings
    chance   (n_cells, 2), of being read again, for a first answer that says no, and yes
    """
    weight = cells.size / np.maximum(cells.labelled, 1e-9)
    rates = cells.positive / np.maximum(cells.labelled, 1e-9)
    read = np.stack([cells.labelled - cells.positive, cells.positive], axis=-1)
    flips = flip_chances(rates, error)
    found = np.zeros((3, GROUPS))
    for group in range(GROUPS):
        mine = (cells.predicted == (group >= 2)) * read[:, group % 2]
        odds, known = flips[:, group % 2], np.maximum(chance[:, group % 2], 1e-9)
        items, turned = float(weight @ mine), float((weight * mine) @ odds)
        variance = float((weight**2 * mine) @ (odds * (1 - odds) / known))
        share = turned / max(items, 1e-300)
        readings = share * (1 - share) * items**2 / max(variance, 1e-300)
        found[:, group] = items, min(readings, items), share
    return Flips(*found)


def _flips(
    mass: FloatArray, guess: FloatArray, cell: np.ndarray, flipped: FloatArray, weight: FloatArray
) -> tuple[float, float, float]:
    """Items, readings and share of one group.

    mass, guess             (n_cells,), items of the file, and the log odds that they flip
    cell, flipped, weight   (n_readings,)
    """
    items = float(mass.sum())
    if items <= 0 or len(cell) == 0:
        guessed = expit(guess)
        return items, 0.0, float(mass @ guessed / items) if items > 0 else 0.0
    weight = weight * items / weight.sum()
    even = weight * len(weight) / items
    low, high = -20.0, 20.0
    for _ in range(45):
        factor = (low + high) / 2
        fitted = expit(guess[cell] + factor)
        more = even @ (flipped - fitted) + 0.5 - fitted.mean() > 0
        low, high = (factor, high) if more else (low, factor)
    odds = expit(guess + factor)
    fitted = odds[cell]
    total = float(np.clip(mass @ odds + weight @ (flipped - fitted), 0.0, items))
    foretold = float(mass @ odds / items)
    missed = (weight * (flipped - fitted)) @ (weight * (flipped - fitted))
    variance = max(float(weight**2 @ (fitted * (1 - fitted))), float(missed))
    as_many = foretold * (1 - foretold) * items**2 / max(variance, 1e-300)
    return items, float(np.clip(as_many, 1.0, max(items, 1.0))), total / items


@dataclass(frozen=True, eq=False, slots=True)
class _Settled:
    """Ratios of settled totals, as a function of what is read first and of what flips."""

    cells: Cells
    ratios: Ratios
    size: FloatArray

    def totals(self, read: FloatArray, share: FloatArray) -> FloatArray:
        """T of each cell, (..., n_cells), from K, (..., n_cells), and shares, (..., 4)."""
        lost, won = self.of_cells(share)
        return np.asarray(read * (1 - lost) + (self.cells.size - read) * won)

    def of_cells(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """lost and won, (..., n_cells)."""
        above = self.cells.predicted
        lost = np.where(above, share[..., 3:], share[..., 1:2])
        return lost, np.where(above, share[..., 2:3], share[..., :1])

    def slopes(self, read: FloatArray, share: FloatArray) -> FloatArray:
        """The gradient by K of each cell and by what flips in each group, (n_rows, n_cells + 4), up
        to a factor a row; read and share have an axis of rows."""
        value = self.ratios.value(self.totals(read, share))
        pull = self.ratios.gradient(np.clip(np.nan_to_num(value, nan=0.5), 1e-9, 1 - 1e-9))
        lost, won = self.of_cells(share)
        turned = np.zeros((*share.shape[:-1], GROUPS))
        for group in range(GROUPS):
            items = -read if group % 2 else self.cells.size - read
            mine = pull * items * (self.cells.predicted == (group >= 2))
            if self.size[group] > 0:
                turned[..., group] = mine.sum(axis=-1) / self.size[group]
        found = np.concatenate([pull * (1 - lost - won), turned], axis=-1)
        largest = np.abs(found).max(axis=-1, keepdims=True)
        return np.asarray(found / np.maximum(largest, 1e-300))


Critical = Callable[[Cells, Ratios], FloatArray]
"""From the cells of both phases, and the figures as if they were linear in these, to the critical
value of each, (n_rows,)."""


def settled_value(cells: Cells, ratios: Ratios, flips: Flips) -> FloatArray:
    """Each ratio for the settled judgement, (n_rows,)."""
    settled = _Settled(cells, ratios, flips.size)
    value = ratios.value(settled.totals(plug_in_totals(cells), flips.share))
    return np.asarray(np.clip(value, 0.0, 1.0))


def settled_interval(
    cells: Cells, ratios: Ratios, flips: Flips, critical: Critical, *, target: str = "file"
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Value, low and high of each ratio for the settled judgement, (n_rows,) each.

    cells    counts by the first readings

    Promise     approximate, that of the critical value.
    Assumption  within each cell the labelled items are a simple random sample, and each of them was
                in the overlap with the chance that is given.
    Source: Neyman (1938) and Cochran (1977), section 12.6, for double sampling; Wilks (1938) for
    the region (``labelcore.stats.profile``). Coverage was measured, see docs/several_people.md.
    """
    rows, n_cells = len(ratios.a0), len(cells.size)
    settled, both = _Settled(cells, ratios.twice(), flips.size), _both_phases(cells, flips)
    value = settled_value(cells, ratios, flips)
    smooth = cells.size * smoothed_rates(cells)
    slopes = settled.slopes(*(np.tile(one, (2 * rows, 1)) for one in (smooth, flips.share)))[:rows]
    zero = np.zeros(rows)
    goal = np.tile(critical(both, Ratios(zero, slopes, zero + 1, 0 * slopes)), 2)
    sign, point = np.repeat([-1.0, 1.0], rows)[:, None], np.full(2 * rows, -2.0)
    read, share = (np.tile(one, (2 * rows, 1)) for one in (plug_in_totals(cells), flips.share))
    ends = np.full(2 * rows, np.nan)
    for _ in range(ROUNDS):
        region = Region(both, sign * settled.slopes(read, share), target)
        free, point = region.solve(goal, point)
        found = region.totals(free)
        read = found[:, :n_cells]
        share = np.clip(found[:, n_cells:] / np.maximum(flips.size, 1e-12), 0.0, 1.0)
        before, ends = ends, settled.ratios.value(settled.totals(read, share))
        if np.nanmax(np.abs(ends - before), initial=0.0) < NEAR and np.isfinite(before).any():
            break
    low = np.nan_to_num(np.clip(np.fmin(ends[:rows], value), 0.0, 1.0), nan=0.0)
    high = np.nan_to_num(np.clip(np.fmax(ends[rows:], value), 0.0, 1.0), nan=1.0)
    return value, low, high


def _both_phases(cells: Cells, flips: Flips) -> Cells:
    """The strata, and behind them the four groups of flips."""
    size = np.where(flips.size > 0, flips.size, 1.0)
    told = np.where(flips.size > 0, np.minimum(flips.readings, size), 1.0)  # None: nothing open.
    return Cells(
        np.concatenate([cells.size, size]),
        np.concatenate([cells.labelled, told]),
        np.concatenate([cells.positive, told * flips.share]),
        np.concatenate([cells.predicted, np.arange(GROUPS) >= 2]),
        other=np.repeat([False, True], [len(cells.size), GROUPS]),
    )
