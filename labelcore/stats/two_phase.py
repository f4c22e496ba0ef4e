"""A figure for the settled judgement, from one reading of every label and several of some.

Two-phase sampling: the labels of the sample give the totals by the first reading; the overlap, some
of the labels, each chosen with a chance that is known, gives how often the settled judgement is
another one. With K_k the items of a cell that are positive by the first reading, those by the
settled judgement are

    T_k = K_k (1 - lost_k) + (N_k - K_k) won_k,

lost the share of the first reading's positive items that are settled otherwise, won that of its
other items. Both are estimated apart among the items that are predicted positive and among the
others: four groups of flips, eight where two classifiers are compared.

What each group flips, F_g, is a difference estimate: a guess p for every label (by its odds, one
factor a group fitted to the overlap), and the overlap's misses, each weighted by one over its
chance. F_g of the group's M_g items is then a cell of m_g readings, as many as would vary as much,
and one likelihood-ratio region holds the strata and these cells under one critical value.

The quarter of a label that the region adds towards its end makes up for the skewness of a count.
That of a sum is the mean of its parts', each weighted by its share of the variance, so that a group
gets that share of a quarter, and the strata what is left: a quarter each, as before, counted the
skewness of every part as if it were the only one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from labelcore.stats.judged import further_out
from labelcore.stats.profile import (
    BoolArray,
    Cells,
    Differences,
    FloatArray,
    Ratios,
    Region,
    Table,
    directed_quarter,
    plug_in_totals,
    smoothed_rates,
    variance_shares,
)

GUESSED_ERROR = 0.1
"""The share of wrong answers by which flips are guessed before the overlap says how many there are:
only which are likelier than others follows from it."""
LEAST_LIKELY, MOST_LIKELY = 0.003, 0.6
EVEN = 0.15
"""How much of the overlap is drawn with even chances: what nobody took for likely is seen, too."""
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
    """What is settled otherwise than first read, each array (n_groups,): of items predicted
    negative and read negative, predicted negative and read positive, and so on by ``Cells.sides``.

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


def groups_of(cells: Cells) -> int:
    """How many groups of flips there are: for each side two."""
    return 4 if cells.other is None else 8


def no_flips(cells: Cells) -> Flips:
    """Where every label is settled."""
    return Flips(*np.zeros((3, groups_of(cells))))


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
    flips = np.zeros((3, groups_of(cells)))
    for group in range(flips.shape[1]):
        side, first = divmod(group, 2)
        read = cells.positive if first else cells.labelled - cells.positive
        mass = np.where(cells.sides == side, weight * read, 0.0)
        mine = (cells.sides[overlap.cell] == side) & (overlap.first == bool(first))
        flips[:, group] = _flips(
            mass,
            guess[:, first],
            overlap.cell[mine],
            (overlap.settled != overlap.first)[mine].astype(float),
            weight[overlap.cell[mine]] / overlap.chance[mine],
        )
    return Flips(*flips)


def expected_flips(cells: Cells, chance: FloatArray, error: float) -> Flips:
    """What ``flips_of`` is expected to find if a share of the answers is wrong everywhere alike.

    cells    expected counts by the first readings
    chance   (n_cells, 2), of being read again, for a first answer that says no, and yes
    """
    weight = cells.size / np.maximum(cells.labelled, 1e-9)
    rates = cells.positive / np.maximum(cells.labelled, 1e-9)
    read = np.stack([cells.labelled - cells.positive, cells.positive], axis=-1)
    flips = flip_chances(rates, error)
    by_group = np.zeros((3, groups_of(cells)))
    for group in range(by_group.shape[1]):
        mine = (cells.sides == group // 2) * read[:, group % 2]
        odds, known = flips[:, group % 2], np.maximum(chance[:, group % 2], 1e-9)
        items, turned = float(weight @ mine), float((weight * mine) @ odds)
        variance = float((weight**2 * mine) @ (odds * (1 - odds) / known))
        share = turned / max(items, 1e-300)
        readings = share * (1 - share) * items**2 / max(variance, 1e-300)
        by_group[:, group] = items, min(readings, items), share
    return Flips(*by_group)


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
    """Figures of settled totals, as a function of what is read first and of what flips."""

    cells: Cells
    table: Table
    size: FloatArray

    def totals(self, read: FloatArray, share: FloatArray) -> FloatArray:
        """T of each cell, (..., n_cells), from K, (..., n_cells), and shares, (..., n_groups)."""
        lost, won = self.of_cells(share)
        return np.asarray(read * (1 - lost) + (self.cells.size - read) * won)

    def of_cells(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """lost and won, (..., n_cells)."""
        sides = self.cells.sides
        return share[..., 2 * sides + 1], share[..., 2 * sides]

    def slopes(self, read: FloatArray, share: FloatArray) -> FloatArray:
        """The gradient by K of each cell and by what flips in each group, (n_rows, n_cells +
        n_groups), up to a factor a row; read and share have an axis of rows."""
        totals = self.totals(read, share)
        if isinstance(self.table, Differences):
            pull = self.table.sensitivity(totals)
        else:
            value = np.nan_to_num(self.table.value(totals), nan=0.5)
            pull = self.table.gradient(np.clip(value, 1e-9, 1 - 1e-9))
        lost, won = self.of_cells(share)
        turned = np.zeros(share.shape)
        for group in np.flatnonzero(self.size > 0):
            items = -read if group % 2 else self.cells.size - read
            mine = pull * items * (self.cells.sides == group // 2)
            turned[..., group] = mine.sum(axis=-1) / self.size[group]
        gradient = np.concatenate([pull * (1 - lost - won), turned], axis=-1)
        largest = np.abs(gradient).max(axis=-1, keepdims=True)
        return np.asarray(gradient / np.maximum(largest, 1e-300))


Critical = Callable[[Cells, Ratios], FloatArray]
"""From the cells of both phases, and the figures as if they were linear in these, to the critical
value of each, (n_rows,)."""


def settled_value(cells: Cells, table: Table, flips: Flips) -> FloatArray:
    """Each figure for the settled judgement, (n_rows,)."""
    settled = _Settled(cells, table, flips.size)
    value = table.value(settled.totals(plug_in_totals(cells), flips.share))
    return np.asarray(np.clip(value, _least(table), 1.0))


def settled_rates(cells: Cells, flips: Flips) -> FloatArray:
    """The share of positives in each cell for the settled judgement, (n_cells,), with half a label
    and half a flip more each way: none is 0 or 1."""
    share = (flips.share * flips.readings + 0.5) / (flips.readings + 1)
    return _turned(cells, np.where(flips.size > 0, share, 0.0), smoothed_rates(cells))


def settled_totals(cells: Cells, flips: Flips) -> FloatArray:
    """The positives of each cell for the settled judgement, (n_cells,)."""
    share = np.where(flips.size > 0, flips.share, 0.0)
    return cells.size * _turned(cells, share, plug_in_totals(cells) / cells.size)


def _turned(cells: Cells, share: FloatArray, rates: FloatArray) -> FloatArray:
    lost, won = share[2 * cells.sides + 1], share[2 * cells.sides]
    return np.asarray(rates * (1 - lost) + (1 - rates) * won)


def _least(table: Table) -> float:
    return -1.0 if isinstance(table, Differences) else 0.0


def settled_interval(
    cells: Cells, table: Table, flips: Flips, critical: Critical, *, target: str = "file",
    by_sizes: FloatArray | float = 0.0,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Value, low and high of each figure for the settled judgement, (n_rows,) each.

    cells      counts by the first readings
    by_sizes   what the numbers of judged items add to each variance, (n_rows,)

    Promise     approximate, that of the critical value.
    Assumption  within each cell the labelled items are a simple random sample, and each of them was
                in the overlap with the chance that is given.
    Source: Neyman (1938) and Cochran (1977), section 12.6, for double sampling; Wilks (1938) for
    the region (``labelcore.stats.profile``); Hall (1992), section 2.4, for the skewness of a sum.
    Coverage was measured, see docs/several_people.md.
    """
    settled, both = _Settled(cells, table.twice(), flips.size), _both_phases(cells, flips)
    value, n_cells = settled_value(cells, table, flips), len(cells.size)
    rows = len(value)
    smooth = cells.size * smoothed_rates(cells)
    slopes = settled.slopes(*(np.tile(row, (2 * rows, 1)) for row in (smooth, flips.share)))[:rows]
    zero = np.zeros(rows)
    linear = Ratios(zero, slopes, zero + 1, 0 * slopes)
    goal = np.tile(critical(both, linear), 2)
    quarter = np.tile(_quarters(cells, both, linear, target), (2, 1))
    sign, point = np.repeat([-1.0, 1.0], rows), np.full(2 * rows, -2.0)
    read, share = (np.tile(row, (2 * rows, 1)) for row in (plug_in_totals(cells), flips.share))
    ends, least = np.full(2 * rows, np.nan), _least(table)
    for _ in range(ROUNDS):
        region = Region(both, sign[:, None] * settled.slopes(read, share), target, quarter)
        free, point = region.solve(goal, point)
        totals = region.totals(free)
        read = totals[:, :n_cells]
        share = np.clip(totals[:, n_cells:] / np.maximum(flips.size, 1e-12), 0.0, 1.0)
        before = ends
        ends = sign * np.fmax(sign * ends, sign * settled.table.value(settled.totals(read, share)))
        if np.nanmax(np.abs(ends - before), initial=0.0) < NEAR and np.isfinite(before).any():
            break
    low, high = np.fmin(ends[:rows], value), np.fmax(ends[rows:], value)
    low, high = further_out(value, low, high, goal[:rows] * by_sizes)
    low = np.nan_to_num(np.clip(low, least, 1.0), nan=least)
    high = np.nan_to_num(np.clip(high, least, 1.0), nan=1.0)
    return value, low, high


def _quarters(cells: Cells, both: Cells, linear: Ratios, target: str) -> FloatArray:
    """What each cell of both phases has of a label more towards its end, (n_rows, n_cells +
    n_groups)."""
    spread = variance_shares(both, linear, target=target)
    whole = np.maximum(spread.sum(axis=-1, keepdims=True), 1e-300)
    turned = spread[:, len(cells.size) :] / whole
    open_cells = (cells.unlabelled > 1e-9) | (target == "process")
    strata = directed_quarter(cells, open_cells) * (1 - turned.sum(axis=-1, keepdims=True))
    return np.concatenate([strata, turned / 4], axis=-1)


def _both_phases(cells: Cells, flips: Flips) -> Cells:
    """The strata, and behind them the groups of flips."""
    size = np.where(flips.size > 0, flips.size, 1.0)
    read = np.where(flips.size > 0, np.minimum(flips.readings, size), 1.0)  # None: nothing open.
    sides = np.arange(len(size)) // 2
    return Cells(
        np.concatenate([cells.size, size]),
        np.concatenate([cells.labelled, read]),
        np.concatenate([cells.positive, read * flips.share]),
        np.concatenate([cells.predicted, sides % 2 == 1]),
    )
