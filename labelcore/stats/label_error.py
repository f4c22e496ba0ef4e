"""What second readings of the same items say about mistakes in the labels.

Two independent readings of item i, each wrong with chance e_i <= 1/2, differ with chance

    d_i = 2 e_i (1 - e_i),   so   e_i = g(d_i)   with   g(d) = (1 - sqrt(1 - 2 d)) / 2.

g is convex on [0, 1/2] with g(0) = 0 and g(1/2) = 1/2. It lies below its chord, g(d) <= d, and by
Jensen's inequality the mean of g(d_i) is at least g of the mean. With D the mean of d_i:

    D / 2  <=  g(D)  <=  mean of e_i  <=  D.                                                  (1)

The left end is reached when mistakes are alike everywhere, the right one when they sit on items
that are a toss-up (e_i = 1/2, d_i = 1/2) and every other item is read rightly. Two people: the
first wrong with chance e, the second with chance f, both at most 1/2, differ with chance
d = e + f (1 - 2 e) >= e, so the right end holds for the first reading as well. With more than two
classes two readings differ more often still: d >= 1 - e^2 - (1 - e)^2 >= e.

What stays unseen: a mistake that is made both times. "Wrong" means other than what the reader
would say more often than not; a reader who misunderstands the question agrees with themselves.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from labelcore.stats.arrays import BoolArray, IntArray
from labelcore.stats.profile import Cells, FloatArray, Ratios, plug_in_totals
from labelcore.stats.profile_interval import profile_interval
from labelcore.stats.proportion import clopper_pearson

TOSS_UP, MOST_DIFFERING = 0.5, 0.45
HALVES = (False, True)
SUREST = 0.05
"""No cell counts for surer than this where halves are compared."""
NOTHING_LEFT = "with that many mistakes, all the positive items that were found might be mistakes"
TOO_FEW = "too few items were read twice, or too many differ, to bound it"
TOO_DIFFERENT = "the second answers may differ as often as a coin would"


@dataclass(frozen=True, slots=True)
class Limits:
    """A value with its ends, proportions; ``reason`` says why there is none, else it is empty."""

    value: float | None
    low: float
    high: float
    reason: str = ""


def error_rate(difference: ArrayLike) -> FloatArray:
    """The chance of a wrong label when mistakes are alike everywhere, from the share of second
    readings that differ: g of the module's text; 1/2 from a share of 1/2 on.

    >>> [round(float(rate), 4) for rate in error_rate([0.0, 0.18, 0.5])]
    [0.0, 0.1, 0.5]
    """
    share = np.minimum(np.asarray(difference, dtype=float), TOSS_UP)
    return np.asarray((1 - np.sqrt(1 - 2 * share)) / 2)


def difference_share(
    differs: BoolArray, weight: FloatArray, confidence: float
) -> tuple[float, float, float]:
    """The share of items of a population whose two readings would differ: value, low and high.

    differs   (n_repeats,), whether the second reading was another one
    weight    (n_repeats,), items of the population that each repeated item stands for: N_k / n_k
              of its stratum when repeats are drawn at random from the labelled items
    Value     sum of w x over sum of w (Hajek, 1971). Interval: Clopper-Pearson at the effective
              size (sum w)^2 / sum w^2 of Kish (1965, section 11.2), as Korn and Graubard (1998) do.
    Departure: no degrees-of-freedom correction; the effective size has no estimated variance in it,
    so that no differing repeat still leaves an upper end above 0. Coverage was measured, see
    docs/label_error.md. No repeat: NaN, 0 and 1.
    """
    total = float(weight.sum())
    if total <= 0:
        return math.nan, 0.0, 1.0
    share = min(max(float((weight * differs).sum() / total), 0.0), 1.0)
    size = total**2 / float((weight**2).sum())
    low, high = clopper_pearson(share * size, size, confidence)
    return share, float(low), float(high)


def true_ratios(ratios: Ratios, size: FloatArray, error: float) -> Ratios:
    """The ratios of true totals as ratios of observed ones, when every label is wrong with chance
    ``error`` < 1/2: K_true = (K_observed - error N) / (1 - 2 error) in each cell. Both totals of a
    ratio are multiplied by 1 - 2 error.

    size     items of each cell, (n_cells,)
    Source: Rogan and Gladen (1978), equation 1 with equal error both ways, for each total.
    """
    scale, shift = 1 - 2 * error, error * size
    return Ratios(
        scale * ratios.a0 - (ratios.a * shift).sum(axis=-1),
        ratios.a,
        scale * ratios.b0 - (ratios.b * shift).sum(axis=-1),
        ratios.b,
    )


def corrected(
    cells: Cells, ratios: Ratios, repeats: int, differing: int, confidence: float
) -> list[Limits]:
    """Each ratio for the truth, if mistakes are alike everywhere: value and interval.

    repeats, differing   items read twice, and those of them with another second answer
    Promise: fixed (one look). Half of the error level is for the error rate (Clopper-Pearson for
    the share that differs, then ``error_rate``), half for the observed totals (G-profile, target
    "process" because other readings of the unlabelled items could come out otherwise). The ratio is
    monotone in the error rate, so the ends are reached at the ends of its interval.
    Assumption: two classes, one error rate for all items, both ways, both readings.
    No value, with a reason, where the differing share may be 1/2 or the divisor may be 0.
    Source: Rogan and Gladen (1978); the shared error level is Bonferroni's.
    """
    rows = len(ratios.a0)
    part = (1 + confidence) / 2
    low, high = clopper_pearson(differing, repeats, part)
    if repeats == 0 or high >= TOSS_UP:
        return [Limits(None, 0.0, 1.0, TOO_DIFFERENT)] * rows
    share = differing / repeats
    errors = [float(error_rate(share_wrong)) for share_wrong in (low, share, high)]
    ends = [true_ratios(ratios, cells.size, error) for error in errors]
    bounds = [_process_bounds(cells, moved, part) for moved in (ends[0], ends[2])]
    least, most = np.minimum(bounds[0][0], bounds[1][0]), np.maximum(bounds[0][1], bounds[1][1])
    value = ends[1].value(plug_in_totals(cells))
    sound = _least_divisor(cells, ends[2], part) > 1e-9
    return [
        Limits(float(np.clip(value[place], 0, 1)), float(least[place]), float(most[place]))
        if sound[place] and np.isfinite([value[place], least[place], most[place]]).all()
        else Limits(None, 0.0, 1.0, NOTHING_LEFT)
        for place in range(rows)
    ]


def _process_bounds(
    cells: Cells, ratios: Ratios, confidence: float
) -> tuple[FloatArray, FloatArray]:
    return profile_interval(cells, ratios, confidence, target="process")


def _least_divisor(cells: Cells, ratios: Ratios, confidence: float) -> FloatArray:
    """The least that is divided by over the region, as a share of all items, (n_rows,)."""
    nothing = np.zeros_like(ratios.b)
    items = np.full(len(ratios.b0), cells.size.sum())
    share = Ratios(ratios.b0, ratios.b, items, nothing)
    return _process_bounds(cells, share, confidence)[0]


def worst_case(
    cells: Cells, ratios: Ratios, wrong: dict[bool, float], confidence: float
) -> list[tuple[float, float]]:
    """The least and the largest value of each ratio for the truth, wherever the mistakes are.

    wrong    the largest share of wrong labels among the items predicted positive (True) and among
             the others (False); 1/2 and more counts as all of them
    confidence   of the region of the observed totals (G-profile, target "process"). When the
             shares are upper bounds with error level a each and the region has error level b,
             the result has 2 a + b.
    Promise: fixed. Assumption: each reading is right more often than wrong, readings of one item
    are independent. Every total moves by at most its side's number of wrong labels, and a ratio of
    linear totals has its extremes at the corners.
    """
    items = {side: float(cells.size[cells.predicted == side].sum()) for side in (True, False)}
    most = {s: items[s] * (wrong[s] if wrong[s] < TOSS_UP else 1.0) for s in (True, False)}
    low, high = np.ones(len(ratios.a0)), np.zeros(len(ratios.a0))
    for above in (-most[True], most[True]):
        for below in (-most[False], most[False]):
            shift = np.where(cells.predicted, above * _parts(cells, True, items), 0.0)
            shift = shift + np.where(cells.predicted, 0.0, below * _parts(cells, False, items))
            moved = Ratios(
                ratios.a0 + (ratios.a * shift).sum(axis=-1),
                ratios.a,
                ratios.b0 + (ratios.b * shift).sum(axis=-1),
                ratios.b,
            )
            least, largest = _process_bounds(cells, moved, confidence)
            low = np.minimum(low, np.nan_to_num(least, nan=0.0))
            high = np.maximum(high, np.nan_to_num(largest, nan=1.0))
    return [(float(least), float(most)) for least, most in zip(low, high, strict=True)]


def _parts(cells: Cells, side: bool, items: dict[bool, float]) -> FloatArray:
    """Each cell's share of the items of its side, (n_cells,)."""
    return np.asarray(cells.size * (cells.predicted == side) / max(items[side], 1.0))


@dataclass(frozen=True, eq=False, slots=True)
class SecondReadings:
    """Labelled items that were read a second time, each array (n_repeats,).

    differs     whether the second answer was another one
    predicted   whether the item is predicted positive
    weight      items of the file that it stands for, see ``difference_share``
    """

    differs: BoolArray
    predicted: BoolArray
    weight: FloatArray


def bounded(
    cells: Cells, ratios: Ratios, readings: SecondReadings, confidence: float
) -> list[Limits]:
    """Each ratio for the truth, wherever the mistakes are: an interval without a value.

    The share of differing items is worked out among the predicted positives and among the others on
    their own, because errors differ there; by (1) it is a bound for the share of wrong labels. Of
    the error level a quarter is for each of the two upper ends, half for the observed totals.
    Promise and assumptions: those of ``worst_case`` and ``difference_share``. No value in any case;
    a reason where the interval is the whole range.
    """
    part = (1 + confidence) / 2
    most = {}
    for side in (True, False):
        mine = readings.predicted == side
        share = difference_share(readings.differs[mine], readings.weight[mine], part)
        most[side] = share[2]
    intervals = worst_case(cells, ratios, most, part)
    return [
        Limits(None, low, high, "" if high - low < 1 - 1e-9 else TOO_FEW) for low, high in intervals
    ]


@dataclass(frozen=True, eq=False, slots=True)
class HalfByHalf:
    """Answers in the order given, each array (n_answers,).

    late     whether the answer belongs to the second half
    hit      whether it counts: is positive, or with several classes as predicted
    cell     the cell of its item, whose labels are a random sample in any order
    """

    late: BoolArray
    hit: BoolArray
    cell: IntArray


def change_of_errors(
    answers: HalfByHalf,
    rates: FloatArray,
    usual: FloatArray,
    classes: int,
    late: BoolArray,
    differs: BoolArray,
    confidence: float,
) -> Limits:
    """The share of wrong answers in the second half less that in the first, if mistakes are alike
    everywhere.

    answers   those to items that were read once
    rates     (n_cells,), smoothed, of all answers of a cell
    usual     (n_cells,), smoothed much more: they weigh the cells, and must not follow chance
    late, differs   (n_repeats,), of the items read twice: whether the first answer belongs to the
              second half, and whether the second reading was another one
    Promise   fixed. Without drift the interval leaves out 0 in about the error level of sessions.

    Two estimates that share no item, weighted by their precision: the difference of the error rates
    that follow from the repeats of each half (``error_rate``), and a weighted mean over cells of
    the difference of their rates. A mistake moves the latter from p towards (1 - p) / (c - 1) for c
    classes: where more goes wrong, more is positive where little was, and less where much was.
    Variances are those without drift, or with it if that is more.
    Source: weighted least squares, over strata as in Cochran (1954); the rest is our own, measured
    in docs/drift.md.
    """
    error, noise, parts = 0.0, 0.0, []
    if late.any() and not late.all():
        error, noise = _error_in_repeats(differs)
        parts.append(_change_in_repeats(late, differs))
    change_of_rates = _change_in_rates(answers, rates, usual, classes)
    if change_of_rates is not None:  # A mistake is seen less where some are made.
        rise, without, spread = change_of_rates
        lost = classes / (classes - 1)
        kept = 1 - lost * error
        more = kept**2 * spread + (lost * rise) ** 2 * noise
        parts.append((kept * rise, kept**2 * without, more))
    if not parts:
        return Limits(None, -1.0, 1.0, TOO_FEW)
    value, without, variance = np.array(parts).T
    share = 1 / np.maximum(without, 1e-12)
    share /= share.sum()
    change = float((share * value).sum())
    half = float(ndtri((1 + confidence) / 2) * np.sqrt((share**2 * variance).sum()))
    return Limits(change, max(change - half, -1.0), min(change + half, 1.0))


def _error_in_repeats(differs: BoolArray) -> tuple[float, float]:
    """The error rate by items read twice, and its variance with one more that differs and one that
    does not."""
    share = min((float(differs.sum()) + 1) / (len(differs) + 2), MOST_DIFFERING)
    error = error_rate(min(float(differs.mean()), MOST_DIFFERING))
    return float(error), share * (1 - share) / len(differs) / (4 * (1 - 2 * share))


def _change_in_repeats(late: BoolArray, differs: BoolArray) -> tuple[float, float, float]:
    """The change of the error rate by the repeats of both halves, its variance without drift, and
    with it if that is more."""
    each = [_error_in_repeats(differs[late == half]) for half in HALVES]
    each_label = 1 / late.sum() + 1 / (~late).sum()
    without = float(_error_in_repeats(differs)[1] * len(differs) * each_label)
    return each[1][0] - each[0][0], without, max(without, each[0][1] + each[1][1])


def _change_in_rates(
    answers: HalfByHalf, rates: FloatArray, usual: FloatArray, classes: int
) -> tuple[float, float, float] | None:
    """The same by the answers of both halves in each cell; None where no cell has answers of both
    that a mistake would move."""

    def counts(chosen: BoolArray) -> FloatArray:
        return np.bincount(answers.cell[chosen], minlength=len(rates)).astype(float)

    labels = [counts(answers.late == half) for half in HALVES]
    both = np.minimum(*labels) > 0
    n = np.array(labels)[:, both]
    hits = np.array([counts((answers.late == half) & answers.hit)[both] for half in HALVES])
    p, plain = rates[both], np.clip(usual[both], SUREST, 1 - SUREST)
    size, every = 1 / (1 / n).sum(axis=0), n.sum(axis=0)
    weight = size * _moves(plain, classes) / (plain * (1 - plain))
    divisor = float((weight * _moves(p, classes)).sum())
    if divisor <= 0:
        return None
    change = float((weight * (hits[1] / n[1] - hits[0] / n[0])).sum()) / divisor
    # The rates of a cell are in the divisor, too: a mistake in either half makes it smaller.
    pull = np.array([[-1.0], [1.0]]) + classes / (classes - 1) * change * n / every
    rate = (hits + p) / (n + 1)
    with_it = (pull**2 * rate * (1 - rate) / n).sum(axis=0)
    without = p * (1 - p) / size * every / (every - 1)
    plainly, more = (float((weight**2 * part).sum()) / divisor**2 for part in (without, with_it))
    return change, plainly, max(plainly, more)


def _moves(rate: FloatArray, classes: int) -> FloatArray:
    """How far a mistake moves a rate, in the mean."""
    return np.asarray((1 - rate) / (classes - 1) - rate)
