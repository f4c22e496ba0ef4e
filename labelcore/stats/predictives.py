"""Schemes that give the labels of strata a probability, fixed before the first label.

Each gives every next label a chance that depends on the labels before it only, however the next
cell was chosen: the labels are independent given rates, and the rates have a fixed distribution.
``labelcore.stats.evidence`` bets with them against what contradicts a claim.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, expit, logit, logsumexp

from labelcore.stats.arrays import IntArray
from labelcore.stats.profile import BoolArray, FloatArray
from labelcore.stats.sequences import PRIOR

MIDDLE = (0.02, 0.98)
"""Shares that a shift of the grid can turn to the other side, so that some chance has the claim."""


@dataclass(frozen=True, eq=False, slots=True)
class Looks:
    """The cells that a claim is about, at several moments.

    size       (n_cells,); labelled, positive (n_looks, n_cells)
    constant   and weight (n_cells,), no weight 0: the claim, scaled so that the largest weight is 1
    """

    size: FloatArray
    labelled: FloatArray
    positive: FloatArray
    constant: float
    weight: FloatArray

    @property
    def negative(self) -> FloatArray:
        return self.labelled - self.positive

    def only(self, rows: IntArray | BoolArray) -> Looks:
        """Some of the moments."""
        labelled, positive = self.labelled[rows], self.positive[rows]
        return Looks(self.size, labelled, positive, self.constant, self.weight)


SCALES, REACH, STEP = (0.3, 1.0, 3.0), 6.0, 0.15
SLOPES, SLOPE_CHANCES = (0.5, 1.0, 1.5), (0.2, 0.6, 0.2)


def log_shifted(looks: Looks, rates: FloatArray) -> FloatArray:
    """ln of the probability that the scheme gave to the labels seen, (n_looks,); 0 without labels.

    Rates expit(a + b logit q_k) with a shift a of its own for the cells that speak for the claim
    (weight > 0) and for those that speak against it, restricted to rates for which the claim holds.

    The shifts are independent, each from an even mixture of N(0, scale^2) over ``SCALES``: a narrow
    one for scores that can be believed and wide ones for others. The slope b is one of ``SLOPES``
    with chance ``SLOPE_CHANCES``. Grid and restriction are fixed: they depend on sizes, scores and
    the claim, never on a label. Where the claim holds nowhere on the grid, the rates of the cells
    are independent and uniform on [0, 1].

    rates   q, (n_cells,), the shares of positives that the scores suggest
    """
    log_shift, shift = _shifts()
    chances, mass = [], []
    for slope, log_weight in zip(SLOPES, np.log(SLOPE_CHANCES), strict=True):
        theta = _rates_at(shift[:, None] + slope * logit(rates))
        holds = _claim_holds(theta, looks)
        sides = [
            log_shift[:, None] + _log_chances(theta, looks, side)
            for side in (looks.weight > 0, looks.weight < 0)
        ]
        chances.append(log_weight + _log_of_pairs(sides[0], sides[1], holds))
        mass.append(log_weight + _log_of_pairs(log_shift[:, None], log_shift[:, None], holds))
    whole = logsumexp(mass)
    if not np.isfinite(whole):
        a, b = PRIOR
        parts = betaln(a + looks.positive, b + looks.negative) - betaln(a, b)
        return np.asarray(parts.sum(axis=1))
    return np.asarray(logsumexp(chances, axis=0) - whole)


def log_shifted_outcomes(size: FloatArray, looks: Looks, rates: FloatArray) -> FloatArray:
    """The same for three outcomes, (n_looks,): chances expit(a + b logit q_k) of + among the items
    with a sign and expit(c + logit r_k) of no sign, q_k and r_k from the scores.

    The shifts a and c are common to all cells and have the mixtures of ``log_shifted``, the slope b
    its chances; restricted to chances for which + outnumbers -. Fixed before the first label.

    looks   the cells of ``size`` twice: first the items with +, then those with -
    rates   (2, n_cells), their expected shares
    """
    cells = len(size)
    better, worse = looks.positive[:, :cells], looks.positive[:, cells:]
    labelled = looks.labelled[:, :cells]
    lead = Looks(size, better + worse, better, looks.constant, looks.weight[:cells])
    none = Looks(size, labelled, labelled - better - worse, looks.constant, lead.weight)
    share = np.clip(rates[0] / rates.sum(axis=0), *MIDDLE)
    log_shift, shift = _shifts()
    without = _rates_at(shift[:, None] + logit(np.clip(1 - rates.sum(axis=0), *MIDDLE)))
    columns = log_shift[:, None] + _log_chances(without, none)
    joint, mass = [], []
    for slope, log_weight in zip(SLOPES, np.log(SLOPE_CHANCES), strict=True):
        theta = _rates_at(shift[:, None] + slope * logit(share))
        holds = (2 * theta - 1) @ ((1 - without) * size).T > 0
        rows = log_shift[:, None] + _log_chances(theta, lead)
        joint.append(log_weight + _log_of_pairs(rows, columns, holds))
        mass.append(log_weight + _log_of_pairs(log_shift[:, None], log_shift[:, None], holds))
    return np.asarray(logsumexp(joint, axis=0) - logsumexp(mass))


def _shifts() -> tuple[FloatArray, FloatArray]:
    """ln of the chance of each shift of the grid, and the shifts, (n_points,)."""
    shift = np.arange(-REACH, REACH + STEP / 2, STEP)
    density = sum(np.exp(-0.5 * (shift / scale) ** 2) / scale for scale in SCALES)
    log_density = np.log(density)
    return np.asarray(log_density - logsumexp(log_density)), shift


def _rates_at(log_odds: FloatArray) -> FloatArray:
    return np.asarray(np.clip(expit(log_odds), 1e-12, 1 - 1e-12))


def _log_chances(theta: FloatArray, looks: Looks, side: BoolArray | None = None) -> FloatArray:
    """ln of the chance of the labels under independent rates theta (n_points, n_cells), for the
    cells of one side, (n_points, n_looks)."""
    s, f = looks.positive, looks.negative
    if side is not None:
        theta, s, f = theta[:, side], s[:, side], f[:, side]
    return np.asarray(np.log(theta) @ s.T + np.log1p(-theta) @ f.T)


def _claim_holds(theta: FloatArray, looks: Looks) -> BoolArray:
    """Whether the claim holds for each pair of a point of the cells that speak for it and a point
    of those that speak against it, (n_points, n_points)."""
    share = theta * looks.size * looks.weight
    for_it = share[:, looks.weight > 0].sum(axis=1)
    against = share[:, looks.weight < 0].sum(axis=1)
    return np.asarray(looks.constant + for_it[:, None] + against > 0)


def _log_of_pairs(rows: FloatArray, columns: FloatArray, taken: BoolArray) -> FloatArray:
    """ln of the sum of exp(rows_i + columns_j) over the pairs taken; rows and columns are
    (n_points, n_looks), the result (n_looks,)."""
    top_row, top_column = rows.max(axis=0), columns.max(axis=0)
    inner = taken.astype(float) @ np.exp(columns - top_column)
    total = (np.exp(rows - top_row) * inner).sum(axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total) + top_row + top_column)
