"""Figures of the items that a person can judge, where some are called unsure or broken.

The estimand is that of the judged items of the file: cell k has size

    J_k = n_k + (N_k - a_k) (1 - u_k),   u_k = (m_k + 2 u) / (a_k + 2),

with N_k items, a_k = n_k + m_k answers, n_k of them with a class and m_k without, and u the share
of answers without a class in all sampled cells. Without unsure answers J_k = N_k.

The shares u_k are estimates. What they add to the variance of a figure, to first order, is

    V_u = sum_k d_k^2 N_k^2 u_k (1 - u_k) / a_k (1 - a_k / N_k),

d_k being the gain of the figure by one item more in cell k at its rate; critical values are
multiplied by 1 + V_u / V_p, V_p being the variance of the figure with known sizes. Ends of
differences, and of what is settled, move out by the root of the sum of squares instead: V_p is 0
where all items that matter are answered.

Assumption: within each cell the answered items are a simple random sample, and the judged ones of
them one of the judged items.
Source: Cochran (1977), section 5A.14 for estimated sizes of strata; the pull of the shares to u and
the factor are our own, measured in docs/unsure.md.
"""

from dataclasses import replace

import numpy as np

from labelcore.stats.profile import (
    Cells,
    FloatArray,
    Judged,
    Ratios,
    Table,
    smoothed_rates,
    variance_shares,
)

PULL = 2.0
"""How many answers the share of all cells is worth in each of them."""
NONE = 1e-12
"""The size of a cell of which nobody can judge any item."""


def judged_cells(cells: Cells, unsure: FloatArray, more: float = 2.0) -> Cells:
    """The counts with the estimated number of items that a person can judge as sizes.

    cells    with the sizes of the file, (n_cells,)
    unsure   answers without a class, (n_cells,)
    more     as in ``Judged``

    >>> cells = Cells(*np.array([[100.0, 50.0], [18.0, 10.0], [9.0, 1.0]]), np.array([True, False]))
    >>> judged_cells(cells, np.array([2.0, 0.0])).size.round(1).tolist()
    [90.2, 49.6]
    """
    if not unsure.any():
        return cells
    answers = cells.labelled + unsure
    whole = unsure.sum() / answers[cells.sampled].sum()
    share = (unsure + PULL * whole) / (answers + PULL)
    size = cells.labelled + (cells.size - answers) * (1 - share)
    size = np.maximum(size, NONE)
    return replace(cells, size=size, judged=Judged(cells.size, unsure, share, more))


def in_the_file(cells: Cells) -> Cells:
    """The counts with the sizes that the cells have in the file."""
    return cells if cells.judged is None else replace(cells, size=cells.judged.items, judged=None)


def judgeable(cells: Cells) -> Cells:
    """The counts with every item as judged that may be: all but those called unsure. What is
    certain whatever the items without an answer are holds for these sizes, too."""
    if cells.judged is None:
        return cells
    size = np.maximum(cells.judged.items - cells.judged.unsure, cells.size)
    return replace(cells, size=size, judged=None)


def also_unasked(cells: Cells) -> list[Cells]:
    """The counts; of a difference also as if the last item that may be judged of each cell in which
    the two differ can be; and where a part is never asked, which may be judged more often than the
    others, as if all of it surely can be."""
    judged = cells.judged
    if judged is None or not apart(cells):
        return [cells]
    silent, every = cells.labelled + judged.unsure == 0, [cells]
    last = np.maximum(np.ceil(cells.size - 1e-9), cells.size)
    size = np.where(cells.predicted == cells.other, cells.size, last)
    if (size != cells.size).any():
        every.append(replace(cells, size=size))
    if silent.any():
        known = replace(judged, items=np.where(silent, NONE, judged.items))
        every.append(replace(cells, size=np.where(silent, judged.items, size), judged=known))
    return every


def apart(cells: Cells) -> bool:
    """Whether what sizes vary by is added to the ends of differences: their number of judged items
    matters where no class of an item does, in cells of which both classifiers say the same."""
    return cells.judged is not None and cells.judged.more > 0 and cells.other is not None


def least_judgeable(cells: Cells) -> Cells:
    """As ``judgeable``, but of what both classifiers say the same of only the labelled items: a
    difference is the further from 0 the fewer these are."""
    assert cells.judged is not None
    size = np.where(cells.predicted == cells.other, cells.labelled, judgeable(cells).size)
    return replace(cells, size=np.maximum(size, NONE), judged=None)


def variance_by_sizes(cells: Cells, gain: FloatArray, target: str) -> FloatArray:
    """V_u of differences, (..., n_rows), with half an answer more of either kind, so that none
    found is no certainty. Cells without an answer have the share of all answers, of which there are
    ``Judged.more`` more of either kind (Agresti and Coull 1998), and vary with it together and by
    what their own items happen to be.

    gain   as for ``doubt_of_sizes``
    """
    judged = cells.judged
    if judged is None:
        return np.zeros(gain.shape[:-1])
    answers = cells.labelled + judged.unsure
    every = np.where(cells.sampled, answers, 0.0).sum(axis=-1, keepdims=True) + 2 * judged.more
    whole = (judged.unsure.sum(axis=-1, keepdims=True) + judged.more) / every
    share = (judged.unsure + 0.5 + PULL * whole) / (answers + 1 + PULL)
    of_answers = doubts_of_sizes(replace(cells, judged=replace(judged, share=share)), target)
    silent = answers == 0
    of_each = np.where(silent, judged.items * whole * (1 - whole), of_answers)
    joined = (gain * np.where(silent, judged.items, 0.0)[..., None, :]).sum(axis=-1)
    of_all = whole * (1 - whole) / every
    return np.asarray((gain**2 * of_each[..., None, :]).sum(axis=-1) + joined**2 * of_all)


def further_out(
    value: FloatArray, low: FloatArray, high: FloatArray, added: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Both ends as far from the value as the root of the sum of squares says of their distance and
    of ``added``, the square of another; as they are where there is no value."""
    known = ~np.isnan(value)
    centre, added = np.where(known, value, low), np.where(known, added, 0.0)
    root = np.sqrt(added)
    return centre - np.hypot(centre - low, root), centre + np.hypot(high - centre, root)


def doubts_of_sizes(cells: Cells, target: str) -> FloatArray:
    """The variance of each cell's size, (..., n_cells), 0 where the sizes are known."""
    if cells.judged is None:
        return np.zeros(cells.size.shape)
    items, share = cells.judged.items, cells.judged.share
    answers = cells.labelled + cells.judged.unsure
    rest = np.where(cells.sampled, 1.0, 0.0) if target == "process" else 1 - answers / items
    return np.asarray(items**2 * share * (1 - share) / np.maximum(answers, 1) * rest)


def doubt_of_sizes(
    cells: Cells,
    table: Table,
    gain: FloatArray,
    rates: FloatArray | None = None,
    *,
    target: str = "file",
) -> FloatArray:
    """1 + V_u / V_p, (..., n_rows), 1 where the sizes are known.

    gain   d_k, (..., n_rows, n_cells) (``labelcore.estimands.size_slopes``)
    rates  as for ``variance_shares``
    """
    spread = variance_shares(cells, table, rates, target=target).sum(axis=-1)
    if cells.judged is None:
        return np.ones(spread.shape)
    doubt = doubts_of_sizes(cells, target)
    if isinstance(table, Ratios):
        totals = cells.size * smoothed_rates(cells, rates)
        spread = spread / np.maximum(table.below(totals[..., None, :]), 1e-12) ** 2
    added = (gain**2 * doubt[..., None, :]).sum(axis=-1)
    return np.asarray(1 + np.divide(added, spread, out=np.zeros(added.shape), where=spread > 0))
