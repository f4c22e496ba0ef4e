"""Evidence that one classifier is right more often than another, with several classes.

Where two classifiers disagree on an item there are three outcomes: the one that is claimed to be
better is right (+1), the other one is (-1), or neither (0). In cell k of N_k such items K+_k and
K-_k have the first two; the claim is sum_k (K+_k - K-_k) > 0. Whatever pairs of classes a cell
holds, its items come in a random order, and so do their outcomes. In whichever order cells are
asked, a label of cell k has outcome c with the chance (K_c - s_c) / (N - n) of drawing without
replacement. As in ``labelcore.stats.evidence`` a scheme Q fixed beforehand is divided by the
largest P_K among all K that contradict the claim: that is at most the test martingale Q / P_K of
the true K, so that (Ville 1939) the chance that it ever reaches 1 / alpha is at most alpha under
every allocation that looks at past labels only. The number of cells, known before the first label,
says which labels Q and P are read from.

One cell: the signs alone. Of D = K+ + K- items with a sign, d = s+ + s- are labelled. Whether the
next label has a sign is chance with the same probability under Q and P, a factor of 1 whatever it
is; given that it has one, it is + with chance (K+ - s+) / (D - d). So nothing is paid for the share
of items on which neither is right, and

    P(signs) = C(D - d, K+ - s+) / C(D, K+)

is maximised over all D <= N - s0 and K+ <= D / 2 (``largest_sign_likelihood``).

Several cells: all three outcomes. How much a cell weighs in the claim depends on D_k, so that the
zeros must speak too, and ln P is the sum over the cells of

    ln K+!/(K+ - s+)! + ln K-!/(K- - s-)! + ln K0!/(K0 - s0)! - ln N!/(N - n)!,  K0 = N - K+ - K-.

x!/(x - s)! has a logarithm that is concave in x, read with gamma functions, so ln P is concave in
(K+, K-), and the largest one is bounded by ``constrained_maximum``: weak duality, and fractions
only raise the maximum. The predictive is ``log_shifted_outcomes``.

Source: Ville (1939); Waudby-Smith and Ramdas (2020) for draws without replacement; the sign test of
McNemar (1947) for one cell; Wasserman, Ramdas and Balakrishnan (2020), section 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, digamma, gammaln, xlog1py, xlogy

from labelcore.stats.arrays import IntArray
from labelcore.stats.evidence import constrained_maximum
from labelcore.stats.predictives import Looks, log_shifted, log_shifted_outcomes
from labelcore.stats.profile import BoolArray, FloatArray

BEND_ROUNDS, ROOT_ROUNDS = 40, 60
FLAT = 1e12


@dataclass(frozen=True, eq=False, slots=True)
class Duels:
    """Items on which two classifiers disagree, in cells, at several moments.

    size      (n_cells,)
    better    (n_looks, n_cells), labelled items on which the one claimed to be better is right;
              worse: on which the other one is; labelled: all labelled ones
    """

    size: FloatArray
    better: FloatArray
    worse: FloatArray
    labelled: FloatArray

    @property
    def neither(self) -> FloatArray:
        return self.labelled - self.better - self.worse


def log_evidence_of_lead(duels: Duels, rates: FloatArray, *, target: str) -> FloatArray:
    """The natural logarithm of the evidence (an e-value) that "better" outnumbers "worse" among all
    items of the cells, against its opposite, (n_looks,); 0 without labels, infinite where certain.

    Promise and assumption: as in ``labelcore.stats.evidence.log_evidence_at``.

    rates    (2, n_cells), the shares of better and of worse that the scores suggest
    target   "file": the file's own items; "process": independent draws, one cell only

    Raises ValueError for several cells with "process", where what a cell weighs is not known.
    """
    cells = len(duels.size)
    if cells == 0:
        return np.zeros(len(duels.labelled))
    expected = np.clip(rates, 1e-6, 1.0)
    if cells == 1:
        return _by_signs(duels, float(expected[0, 0] / expected[:, 0].sum()), target)
    if target == "process":
        raise ValueError("target 'process' needs a single cell, got several")
    looks = Looks(
        np.tile(duels.size, 2),
        np.tile(duels.labelled, 2),
        np.concatenate([duels.better, duels.worse], axis=1),
        0.0,
        np.repeat([1.0, -1.0], cells),
    )
    opposite = constrained_maximum(looks, _Outcomes(looks))
    certain = np.isneginf(opposite)
    bet = log_shifted_outcomes(duels.size, looks, expected)
    return np.where(certain, np.inf, bet - np.where(certain, 0.0, opposite))


def _by_signs(duels: Duels, rate: float, target: str) -> FloatArray:
    """One cell: bet on the signs, with rates above one half only."""
    better, worse = duels.better[:, 0], duels.worse[:, 0]
    signs = Looks(
        np.array([2.0]), (better + worse)[:, None], better[:, None], -1.0, np.array([1.0])
    )
    bet = log_shifted(signs, np.array([rate]))
    most = duels.size[0] - duels.neither[:, 0]
    opposite = largest_sign_likelihood(better, worse, most if target == "file" else None)
    certain = np.isneginf(opposite)
    return np.where(certain, np.inf, bet - np.where(certain, 0.0, opposite))


def largest_sign_likelihood(
    better: FloatArray, worse: FloatArray, most: FloatArray | None
) -> FloatArray:
    """At least the largest ln P(signs) among all D <= ``most`` and K+ <= D / 2, (n_looks,);
    -infinity where there is none. Without ``most``: among all rates of + up to one half.

    With s+ <= s- it is that of D = d, K+ = s+, because C(D, K+) >= C(d, s+) C(D - d, K+ - s+).
    Otherwise ln P(signs) still rises in K+ at h = D / 2 (its derivative there is
    psi(h - s- + 1) - psi(h - s+ + 1) > 0), so K+ = h, half-integers admitted: f(h). Written out,
    f(h) >= f(h - 1) if and only if

        h (delta^2 - d) + 2 s+ s- >= 0,   delta = s+ - s-, 2 s+ s- = (d^2 - delta^2) / 2,

    so that along whole and along half numbers f rises up to a peak h <= 2 s+ s- / (d - delta^2), or
    all the way where d <= delta^2, and falls beyond it.
    """
    signs, product = better + worse, 2 * better * worse
    even = -np.where(signs > 0, -betaln(better + 1, worse + 1) - np.log(signs + 1), 0.0)
    if most is None:
        share = np.where(better > worse, 0.5, better / np.maximum(signs, 1))
        return np.asarray(xlogy(better, share) + xlog1py(worse, -share))
    spare = signs - (better - worse) ** 2
    peak = np.where(spare > 0, product / np.where(spare > 0, spare, 1.0), np.inf)
    largest = np.full(len(signs), -np.inf)
    for shift in (0.0, 0.5):
        first, last = better + shift, np.floor(most / 2 - shift) + shift
        half = np.maximum(np.minimum(np.floor(peak - shift) + shift, last), first)
        value = np.where(first <= last, _sign_likelihood(better, worse, half), -np.inf)
        largest = np.maximum(largest, value)
    return np.where(better > worse, largest, even)


def _sign_likelihood(better: FloatArray, worse: FloatArray, half: FloatArray) -> FloatArray:
    """ln P(signs) at D = 2 half, K+ = half."""
    u, v = np.maximum(half - better, 0.0), np.maximum(half - worse, 0.0)
    left = -betaln(u + 1, v + 1) - np.log(u + v + 1)
    return np.asarray(left + betaln(half + 1, half + 1) + np.log(2 * half + 1))


class _Outcomes:
    """ln P_K of three outcomes drawn without replacement, for ``constrained_maximum``.

    The looks hold the cells twice: first the items with +, then those with -. In between arrays are
    (3, n_looks, n_cells): +, - and 0.
    """

    def __init__(self, looks: Looks) -> None:
        self.looks = looks
        size, labelled = looks.size[: len(looks.size) // 2], looks.labelled
        self.cells = len(size)
        self.free = size - labelled[:, : self.cells]
        better, worse = looks.positive[:, : self.cells], looks.positive[:, self.cells :]
        self.seen = np.stack([better, worse, labelled[:, : self.cells] - better - worse])
        self.fewest = looks.positive
        self.most = self.fewest + np.tile(self.free, 2)
        self.bend = np.zeros_like(self.seen)

    def only(self, rows: IntArray | BoolArray) -> _Outcomes:
        other = _Outcomes(self.looks.only(rows))
        other.bend = self.bend[:, rows]
        return other

    def totals(self, pull: FloatArray) -> FloatArray:
        """K that maximises ln P_K - pull @ K, (n_looks, 2 n_cells).

        Of M = N - n unlabelled items u_c have outcome c. With a price nu on items the derivatives
        psi(u_c + s_c + 1) - psi(u_c + 1) equal nu + pull_c where u_c > 0. The left side is
        ln (u_c + s_c + 1/2) / (u_c + 1/2) and a bend that hardly depends on u_c: each round solves
        for the price that places M items and reads the bend again.
        """
        split = [pull[:, : self.cells], pull[:, self.cells :]]
        price = np.stack([*np.broadcast_arrays(*split, np.zeros_like(self.free))])
        unlabelled = self._placed(price - self.bend)
        for _ in range(BEND_ROUNDS):
            exact = digamma(unlabelled + self.seen + 1) - digamma(unlabelled + 1)
            rough = np.log1p(self.seen / (unlabelled + 0.5))
            self.bend = exact - rough
            before, unlabelled = unlabelled, self._placed(price - self.bend)
            if np.all(np.abs(unlabelled - before) <= 1e-9 * (1 + unlabelled)):
                break
        return np.concatenate(list((self.seen + unlabelled)[:2]), axis=1)

    def _placed(self, price: FloatArray) -> FloatArray:
        """u_c = s_c / (exp(nu + price_c) - 1) - 1/2, not below 0, with nu such that they sum to M.

        An outcome without a label takes any number where nu + price_c = 0 and none above. The sum
        is convex and falls in nu: Newton's steps from the left stay on the left.
        """
        seen, free = self.seen, self.free
        nu = (np.log1p(seen / (free + 0.5)) - price).max(axis=0)
        for _ in range(ROOT_ROUNDS):
            placed, slope = self._at(nu + price)
            over = placed.sum(axis=0) - free
            if np.all(over <= 1e-10 * (1 + free)):
                break
            nu = nu + np.where(over > 0, over / np.maximum(slope, 1e-300), 0.0)
        flat = (seen == 0) & (nu + price <= 0)
        taker = np.where(flat.any(axis=0), flat.argmax(axis=0), placed.argmax(axis=0))[None]
        rest = free - placed.sum(axis=0)
        given = np.maximum(np.take_along_axis(placed, taker, axis=0) + rest, 0.0)
        np.put_along_axis(placed, taker, given, axis=0)
        return placed

    def _at(self, price: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The items placed at these prices, and minus the change of their sum for a higher nu."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            share = np.where(self.seen > 0, self.seen / np.expm1(price), 0.0)
            slope = share * (1 + share / np.maximum(self.seen, 1))
        moves = share > 0.5
        placed = np.where(moves, share - 0.5, 0.0)
        return placed, np.where(moves, slope, 0.0).sum(axis=0)

    def _parts(self, totals: FloatArray) -> FloatArray:
        """The unlabelled items of each outcome, (3, n_looks, n_cells)."""
        better, worse = totals[:, : self.cells], totals[:, self.cells :]
        size = self.looks.size[: self.cells]
        return np.maximum(np.stack([better, worse, size - better - worse]) - self.seen, 0.0)

    def log_likelihood(self, totals: FloatArray) -> FloatArray:
        log_chance = _log_rising(self._parts(totals), self.seen).sum(axis=0)
        return np.asarray((log_chance - _log_rising(self.free, self.seen.sum(axis=0))).sum(axis=1))

    def response(self, totals: FloatArray) -> FloatArray:
        """Roughly, from the variance of the weights +1, -1, 0 over what can move."""
        unlabelled = self._parts(totals)
        with np.errstate(divide="ignore"):
            loose = (unlabelled + 0.5) * (unlabelled + self.seen + 0.5) / self.seen
        loose = np.where(unlabelled > 0, np.minimum(loose, FLAT), 0.0)
        weight = np.array([self.looks.weight[0], self.looks.weight[self.cells], 0.0])[:, None, None]
        middle = (loose * weight).sum(axis=0) / np.maximum(loose.sum(axis=0), 1e-300)
        return np.asarray((loose * (weight - middle) ** 2).sum(axis=0).sum(axis=1))


def _log_rising(unlabelled: FloatArray, seen: FloatArray) -> FloatArray:
    """ln (u + s)! / u!, exact to the last digits for large u too."""
    some = np.maximum(seen, 1.0)
    log_product = gammaln(some) - betaln(unlabelled + 1, some)
    return np.asarray(np.where(seen > 0, log_product, 0.0))
