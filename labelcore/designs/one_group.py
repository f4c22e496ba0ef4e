"""A share of a group of known size whose labels are a plain random sample of it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labelcore.designs.base import IntArray, Look
from labelcore.designs.scalars import Goal
from labelcore.estimands import Estimand, known_group, ratios
from labelcore.promises import Form, Method, Promise
from labelcore.stats.horizon import boundary, watched_share
from labelcore.stats.profile import BoolArray, Cells, FloatArray, Ratios
from labelcore.stats.profile_reach import reached
from labelcore.stats.proportion import share_interval
from labelcore.stats.sequences import finite_sequence, rate_sequence

WILSON = Method(
    "Wilson score interval, no narrower than the exact one where counts are few",
    "Wilson (1927); Buonaccorsi (1987)",
    Form.APPROXIMATE,
)
SEQUENCE = Method(
    "prior-posterior-ratio confidence sequence",
    "Waudby-Smith and Ramdas (2020), prior-posterior ratio",
    Form.STRICT,
)
MIXTURE = Method(
    "beta-binomial mixture confidence sequence",
    "Ville (1939); Robbins (1970); Howard et al. (2021)",
    Form.STRICT,
)

RATIO = Method(
    "likelihood-ratio interval for a planned size",
    "Wilks (1938); Wang and Tsiatis (1987) for the boundary",
    Form.APPROXIMATE,
)


def counts_of_group(cells: Cells, table: Ratios, group: BoolArray) -> tuple[float, float, float]:
    """Labels that count in the numerator, labels, and items of the group."""
    right = table.a[0] > 0
    hits = np.where(right, cells.positive, cells.labelled - cells.positive)[group].sum()
    size = np.rint(cells.size[group].sum())  # Whole items, also where they are estimated.
    return float(hits), float(cells.labelled[group].sum()), float(size)


Share = tuple[float, float, float, Method]
"""Value, low, high and how they were made."""


class Run(NamedTuple):
    """Counts at a look, the one ratio that is asked of them, and which cells are its denominator,
    (n_cells,)."""

    cells: Cells
    look: Look
    table: Ratios
    group: BoolArray

    @property
    def sampled(self) -> BoolArray:
        return self.group & self.cells.sampled


def share_of_group(cells: Cells, look: Look, table: Ratios, group: BoolArray) -> Share:
    """Value, low, high and method of the one ratio of ``table``, whose denominator is the items of
    ``group`` (n_cells,): Wilson's interval (exact where counts are few) at a fixed size; while
    watching the likelihood-ratio interval with the boundary of the planned size, or a confidence
    sequence where there is no horizon. Items that were known from the start are counted as they
    are: the interval is that of the others, scaled and shifted.

    Assumption: given their number, the labels of the sampled items in the group are a simple random
    sample of these.
    """
    return shares_of_groups([Run(cells, look, table, group)])[0]


def shares_of_groups(runs: Sequence[Run]) -> list[Share]:
    """``share_of_group`` of several runs of one plan."""
    counts = [counts_of_group(run.cells, run.table, run.sampled) for run in runs]
    if not runs:
        return []
    look = runs[0].look
    if look.promise == Promise.WATCHED and look.horizon is not None:
        hits, trials, size = np.array(counts).T
        file = look.target == "file"
        covered = np.array([_covered(run.cells, run.sampled) if file else 0.0 for run in runs])
        progress = np.array([run.look.progress for run in runs])
        level = 1 - np.array([run.look.confidence for run in runs])
        z = boundary(progress, covered, level, look.horizon, look.learned)
        share = np.divide(hits, trials, out=np.full(len(hits), np.nan), where=trials > 0)
        ends = watched_share(hits, trials, size, z, target=look.target)
        shares = [(*bounds, RATIO) for bounds in zip(share, *ends, strict=True)]
    else:
        shares = [_sampled_share(run.look, *mine) for run, mine in zip(runs, counts, strict=True)]
    return [
        (*with_known(run.cells, run.table, run.group, np.array(ends)), method)  # type: ignore[misc]
        for run, (*ends, method) in zip(runs, shares, strict=True)
    ]


def with_known(
    cells: Cells, table: Ratios, group: BoolArray, shares: FloatArray
) -> tuple[float, ...]:
    """Shares of the sampled items of ``group`` as shares of all of it, the known ones counted."""
    hits, _, known = counts_of_group(cells, table, group & ~cells.sampled)
    size = float(cells.size[group].sum())
    if known == 0:
        return tuple(shares.tolist())
    rest = size - known
    return tuple(((hits + rest * (shares if rest else 0 * np.nan_to_num(shares))) / size).tolist())


def share_may_meet(
    row: Estimand, cells: Cells, look: Look, labels: IntArray, goal: Goal
) -> BoolArray:
    """``EstimatesScalars.may_meet`` for ``share_of_group`` with a planned size; no bound for the
    confidence sequences of sessions without end.

    cells   with an axis of looks
    """
    group = known_group(row, cells)
    assert group is not None
    sampled = group & cells.sampled
    size = float(cells.size[sampled].sum())
    if look.horizon is None or size == 0:
        return np.ones(len(labels), dtype=bool)
    hits, known = _hits(cells, ratios([row], cells), sampled), group & ~cells.sampled
    counts = cells.labelled[:, sampled].sum(axis=1, keepdims=True), hits[:, None]
    cell = Cells(np.array([size]), *counts, np.array([True]))
    table = Ratios(np.zeros(1), np.ones((1, 1)), np.array([size]), np.zeros((1, 1)))
    covered = _covered(cells, sampled) if look.target == "file" else 0.0
    progress = labels / max(look.planned, 1)
    critical = boundary(progress, covered, 1 - look.confidence, look.horizon, look.learned) ** 2
    part = size / float(cells.size[group].sum())
    sure = _hits(cells, ratios([row], cells), known) / float(cells.size[group].sum())
    share = sure + part * np.divide(
        hits, counts[0][:, 0], out=np.full(len(hits), np.nan), where=counts[0][:, 0] > 0
    )

    def settled(low: FloatArray, high: FloatArray) -> BoolArray:
        return goal.missed(share, sure + part * low, sure + part * high)

    low, high, _ = reached(cell, table, critical, settled, target=look.target)
    return ~settled(low, high)


def _hits(cells: Cells, table: Ratios, group: BoolArray) -> FloatArray:
    """Labels that count in the numerator at each look, (n_looks,)."""
    right = table.a[0] > 0
    hits = np.where(right, cells.positive, cells.labelled - cells.positive)
    return np.asarray(hits[:, group].sum(axis=1))


def _covered(cells: Cells, group: BoolArray) -> FloatArray:
    """The share of the items labelled in the strata that the group lies in: of a part of them it is
    the same but for chance, (...)."""
    strata = cells.stratum
    whole = group if strata is None else np.isin(strata, strata[group]) & cells.sampled
    items = float(cells.size[whole].sum())
    return np.asarray(cells.labelled[..., whole].sum(axis=-1) / items if items else 0.0)


def _sampled_share(look: Look, hits: float, trials: float, size: float) -> Share:
    """The share of a group of sampled items, fixed or without a planned end."""
    share = float(hits / trials) if trials > 0 else float("nan")
    alpha = 1 - look.confidence
    if look.promise == Promise.WATCHED and look.target == "process":
        low, high = rate_sequence(hits, trials, alpha)
        return share, low, high, MIXTURE
    if look.promise == Promise.WATCHED:
        low, high = finite_sequence(hits, trials, size, alpha)
        return share, low / max(size, 1), high / max(size, 1), SEQUENCE
    whole = size if look.target == "file" else np.inf
    low, high = share_interval(hits, trials, whole, look.confidence)
    return share, low, high, WILSON
