"""Intervals about items like these: the file itself is one of the samples that could have come."""

from __future__ import annotations

import numpy as np

from labelcore.estimands import Estimand, variance_of_shares
from labelcore.stats.profile import Cells, FloatArray, Table, smoothed_rates, variance_shares


def sampled_file(
    rows: list[Estimand], cells: Cells, table: Table, rates: FloatArray | None = None
) -> FloatArray:
    """What the critical value of a region within the cells is multiplied by, (..., n_rows), so that
    it covers both the rates of the cells and how many items of the file fell into each.

    The variance within the cells has the file's shares for known; with target "process" they are
    those of a sample of N items. The factor is (within + between) / within. Without it coverage
    falls to .82 where most of a file is labelled, see docs/validity.md.
    """
    within = variance_shares(cells, table, rates, target="process").sum(axis=-1)
    totals = cells.size * smoothed_rates(cells, rates)
    between = variance_of_shares(rows, cells, totals)
    return np.asarray(1 + np.divide(between, within, out=np.zeros(within.shape), where=within > 0))
