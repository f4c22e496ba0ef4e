"""Evidence for a claim that may be looked at after every label (e-processes over strata).

A claim is linear in totals: constant + sum_k weight_k K_k >= 0, with K_k positives among the N_k
items of cell k, n_k of them labelled, s_k of those positive. In whichever order cells are asked,
the chance of the labels seen, given K, is a product of draws without replacement,

    P_K(labels) = prod_k C(N_k - n_k, K_k - s_k) / C(N_k, K_k),

because the next label of cell k is positive with chance (K_k - s_k) / (N_k - n_k) whatever the
other cells showed and however the next cell was chosen from the past. A predictive Q is a scheme
that was fixed before the first label and gives each next label a chance from the labels before it.
For the true K each new label multiplies Q / P_K by a factor of expected value at most 1, so that
Q / P_K is a test martingale under every allocation that looks at past labels only, and the chance
that it ever reaches 1 / alpha is at most alpha (Ville 1939). The evidence against
"constant + weight @ K <= 0" divides by the largest P_K among all such K, so it is never more than
Q / P_K of the true one if the claim is false: the promise holds for every such population.

Three things keep the promise and sharpen the evidence:
- Labels of cells with weight 0 are left out of Q and P alike (a factor of 1 for each of them).
- Only the order of draws within a cell is random, not the labels, so P has no rate that would have
  to be estimated, and evidence is certainty once the labels leave no room for the opposite.
- Q may favour the claim. ``log_shifted`` has no mass on rates for which the claim is false.

Few cells are worth much here: P_K is the largest over as many unknowns as there are cells, each of
which costs about half a unit of the logarithm. docs/claims.md measures which strata and which
predictive decide claims with the fewest labels: ``log_shifted``.

Source: Ville (1939); Robbins (1970); Waudby-Smith and Ramdas (2020) for one cell;
Wasserman, Ramdas and Balakrishnan (2020), section 8, for the largest likelihood under the opposite
of a claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import betaln, digamma, xlog1py, xlogy

from labelcore.stats.arrays import IntArray
from labelcore.stats.predictives import Looks, log_shifted
from labelcore.stats.profile import BoolArray, FloatArray

LARGEST_EXPONENT = 300.0
INNER_ROUNDS, OUTER_ROUNDS = 30, 60
GAP = 1e-8


@dataclass(frozen=True, eq=False, slots=True)
class Linear:
    """The claim constant + weight @ K >= 0 about the numbers of positives K, (n_cells,)."""

    constant: float
    weight: FloatArray

    @property
    def opposite(self) -> Linear:
        """The claim constant + weight @ K <= 0; evidence for it refutes this one."""
        return Linear(-self.constant, -self.weight)


def log_evidence_at(
    size: FloatArray,
    labelled: FloatArray,
    positive: FloatArray,
    claim: Linear,
    rates: FloatArray,
    *,
    target: str,
) -> FloatArray:
    """The natural logarithm of the evidence (an e-value) for a claim at several looks, (n_looks,),
    against its opposite "constant + weight @ K <= 0"; 0 without labels, infinite where the claim is
    certain.

    Promise: in every population in which the claim is false, the chance that this ever reaches
    ln(1 / alpha), at whatever looks and with whatever allocation over the cells, is at most alpha.
    Assumption: the labels of each cell come in a random order; cells, rates and claim were fixed
    before the first label.

    labelled, positive   (n_looks, n_cells)
    rates    (n_cells,), the share of positives in each cell that the scores suggest
    target   "file": K counts the file's own items, drawn without replacement; "process": K_k is
             size_k times a rate from which every item of the cell was drawn independently
    """
    used = claim.weight != 0
    scale = float(np.abs(claim.weight[used]).max(initial=0.0))
    if scale == 0:
        return np.full(len(labelled), np.inf if claim.constant > 0 else 0.0)
    looks = Looks(
        size[used],
        labelled[:, used],
        positive[:, used],
        claim.constant / scale,
        claim.weight[used] / scale,
    )
    opposite = largest_log_likelihood(looks, target)
    certain = np.isneginf(opposite)
    bet = log_shifted(looks, np.clip(rates[used], 1e-6, 1 - 1e-6))
    return np.where(certain, np.inf, bet - np.where(certain, 0.0, opposite))


def largest_log_likelihood(looks: Looks, target: str) -> FloatArray:
    """At least the largest ln P_K among all K with constant + weight @ K <= 0, (n_looks,);
    -infinity where there is none.

    The logarithm of P_K is concave in each K_k, with factorials read as gamma functions. For every
    multiplier m >= 0, max over all K of [ln P_K - m (constant + weight @ K)] is at least the
    maximum wanted (weak duality), so stopping early only lowers the evidence; the multiplier is
    moved, by Newton steps within a bracket, to where the two agree. Fractions K_k are admitted,
    which can only raise the maximum and lower the evidence.
    """
    return constrained_maximum(looks, _File(looks) if target == "file" else _Process(looks))


def constrained_maximum(looks: Looks, part: Likelihood) -> FloatArray:
    """``largest_log_likelihood`` for a likelihood ``part`` of the looks, (n_looks,)."""
    impossible = _certain(looks, part)
    best = np.full(len(looks.labelled), -np.inf)
    rows = np.flatnonzero(~impossible)
    part = part.only(rows)
    multiplier, lower = np.zeros(len(rows)), np.zeros(len(rows))
    upper = np.full(len(rows), np.inf)
    best[rows] = np.inf
    for step in range(OUTER_ROUNDS):
        totals = part.totals(multiplier[:, None] * looks.weight)
        excess = looks.constant + (looks.weight * totals).sum(axis=1)
        gap = multiplier * excess
        best[rows] = np.minimum(best[rows], part.log_likelihood(totals) - gap)
        lower = np.where(excess > 0, multiplier, lower)
        upper = np.where(excess <= 0, multiplier, upper)
        done = ((np.abs(gap) < GAP) & ((multiplier > 0) | (excess <= 0))) | (upper - lower < 1e-13)
        if done.all():
            break
        multiplier = _next_multiplier(part, totals, excess, multiplier, lower, upper, step)
        rows, part = rows[~done], part.only(~done)
        multiplier, lower, upper = multiplier[~done], lower[~done], upper[~done]
    return best


def _certain(looks: Looks, part: Likelihood) -> BoolArray:
    """Whether no K that could have given these labels contradicts the claim, (n_looks,)."""
    small = 1e-12 * (abs(looks.constant) + float(np.abs(looks.weight) @ looks.size))
    ends = np.where(looks.weight > 0, part.fewest, part.most)
    least = looks.constant + (looks.weight * ends).sum(axis=1)
    return np.asarray((least > small) | ((least > -small) & np.isneginf(part.log_likelihood(ends))))


def _next_multiplier(
    part: Likelihood,
    totals: FloatArray,
    excess: FloatArray,
    multiplier: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    step: int,
) -> FloatArray:
    """Newton's step where it stays within the bracket, else between its ends, or four times as
    far where there is no upper end yet."""
    with np.errstate(divide="ignore", invalid="ignore"):
        newton = multiplier + excess / part.response(totals)
        middle = np.where(lower > 0, np.sqrt(lower * upper), upper / 8)
    between = np.where(np.isfinite(upper), middle, np.maximum(4 * multiplier, 0.01))
    fits = (newton > lower) & (newton < upper) & (step % 6 != 5)
    return np.asarray(np.where(fits, newton, between))


class Likelihood(Protocol):
    """ln P_K, concave in K; arrays (n_looks, n_cells).

    fewest, most   the ends of K
    totals         K that maximises ln P_K - pull @ K
    response       minus the change of weight @ K for a change of the multiplier, (n_looks,)
    """

    fewest: FloatArray
    most: FloatArray

    def only(self, rows: IntArray | BoolArray) -> Likelihood: ...
    def totals(self, pull: FloatArray) -> FloatArray: ...
    def log_likelihood(self, totals: FloatArray) -> FloatArray: ...
    def response(self, totals: FloatArray) -> FloatArray: ...


class _File:
    """ln P_K of draws without replacement, sum_k ln C(N_k - n_k, K_k - s_k) - ln C(N_k, K_k)."""

    def __init__(self, looks: Looks) -> None:
        self.looks = looks
        self.s, self.f = looks.positive, looks.negative
        self.free = looks.size - looks.labelled
        self.fewest, self.most = self.s, self.s + self.free
        self.bend = np.zeros_like(self.s)

    def only(self, rows: IntArray | BoolArray) -> _File:
        other = _File(self.looks.only(rows))
        other.bend = self.bend[rows]
        return other

    def totals(self, pull: FloatArray) -> FloatArray:
        """K that maximises ln P_K - pull @ K, each cell within [s, N - f], (n_looks, n_cells).

        The derivative of ln P_K is bend + ln (K+1/2)(v+1/2) / ((N-K+1/2)(u+1/2)), u = K - s,
        v = N - f - K, with a bend that hardly depends on K: each round solves a quadratic equation
        in u + 1/2 and reads the bend again. A cell without labels goes where the claim is false.
        """
        s, f, free = self.s, self.f, self.free
        unlabelled = np.where(self.looks.weight > 0, 0.0, free)
        for _ in range(INNER_ROUNDS):
            e1 = np.expm1(np.clip(pull - self.bend, -LARGEST_EXPONENT, LARGEST_EXPONENT))
            room = free + 1
            b = -s - f - e1 * (room + f)
            root = np.sqrt(np.maximum(b * b - 4 * e1 * room * s, 0.0))
            with np.errstate(divide="ignore", invalid="ignore"):
                x = np.where(b <= 0, 2 * room * s / (root - b), -(b + root) / (2 * e1))
            solved = np.clip(np.nan_to_num(x) - 0.5, 0.0, free)
            moved = np.abs(solved - unlabelled) * (s + f > 0)
            unlabelled = np.where(s + f > 0, solved, unlabelled)
            self.bend = self._slope(unlabelled) - self._rough_slope(unlabelled)
            if np.all(moved <= 1e-7 * (1 + unlabelled)):
                break
        return np.asarray(s + unlabelled)

    def _slope(self, unlabelled: FloatArray) -> FloatArray:
        rest = self.free - unlabelled
        return np.asarray(
            digamma(self.s + unlabelled + 1)
            - digamma(self.f + rest + 1)
            - digamma(unlabelled + 1)
            + digamma(rest + 1)
        )

    def _rough_slope(self, unlabelled: FloatArray) -> FloatArray:
        rest = self.free - unlabelled
        above = (self.s + unlabelled + 0.5) * (rest + 0.5)
        return np.asarray(np.log(above / ((self.f + rest + 0.5) * (unlabelled + 0.5))))

    def log_likelihood(self, totals: FloatArray) -> FloatArray:
        size, unlabelled = self.looks.size, totals - self.s
        logs = betaln(totals + 1, size - totals + 1) + np.log(size + 1)
        logs = logs - betaln(unlabelled + 1, self.free - unlabelled + 1) - np.log(self.free + 1)
        return np.asarray(logs.sum(axis=1))

    def response(self, totals: FloatArray) -> FloatArray:
        """Roughly minus the change of weight @ K for a change of the multiplier, (n_looks,)."""
        unlabelled, size = totals - self.s, self.looks.size
        rest = self.free - unlabelled
        curved = 1 / (unlabelled + 0.5) + 1 / (rest + 0.5)
        curved = curved - 1 / (totals + 0.5) - 1 / (size - totals + 0.5)
        moves = (unlabelled > 0) & (rest > 0) & (self.looks.labelled > 0)
        parts = np.where(moves, self.looks.weight**2 / np.maximum(curved, 1e-300), 0.0)
        return np.asarray(parts.sum(axis=1))


class _Process:
    """The same for independent draws, sum_k s_k ln eta_k + (n_k - s_k) ln(1 - eta_k), with the
    rate eta_k = K_k / N_k anywhere in [0, 1]."""

    def __init__(self, looks: Looks) -> None:
        self.looks = looks
        self.s, self.f = looks.positive, looks.negative
        self.fewest = np.zeros_like(self.s)
        self.most = self.fewest + looks.size

    def only(self, rows: IntArray | BoolArray) -> _Process:
        return _Process(self.looks.only(rows))

    def totals(self, pull: FloatArray) -> FloatArray:
        """K that maximises the likelihood less pull @ K: a quadratic equation in each rate."""
        s, n, m = self.s, self.looks.labelled, pull * self.looks.size
        root = np.sqrt(np.maximum((m + n) ** 2 - 4 * m * s, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(m >= 0, 2 * s / (m + n + root), 1 - 2 * self.f / (n - m + root))
        least = np.where(self.looks.weight > 0, 0.0, 1.0)
        return np.asarray(self.looks.size * np.clip(np.where(n > 0, rate, least), 0.0, 1.0))

    def log_likelihood(self, totals: FloatArray) -> FloatArray:
        rate = totals / self.looks.size
        return np.asarray((xlogy(self.s, rate) + xlog1py(self.f, -rate)).sum(axis=1))

    def response(self, totals: FloatArray) -> FloatArray:
        """Minus the change of weight @ K for a change of the multiplier, (n_looks,)."""
        rate = np.clip(totals / self.looks.size, 1e-12, 1 - 1e-12)
        curved = self.s / rate**2 + self.f / (1 - rate) ** 2
        moves = (totals > 0) & (totals < self.looks.size) & (self.looks.labelled > 0)
        weight = self.looks.weight * self.looks.size
        parts = np.where(moves, weight**2 / np.maximum(curved, 1e-300), 0.0)
        return np.asarray(parts.sum(axis=1))
