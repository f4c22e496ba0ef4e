"""A claim on a file: which cells it is about, and the claim as a statement about their totals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from labelcore.designs.rates import PROBABILITY_RANGE, question_rates
from labelcore.errors import PlanArgumentError, PlanError
from labelcore.estimands import SCALARS, Estimand, known_group, ratios
from labelcore.plan.claims import ClaimText, Quantity, readings, refused_claim
from labelcore.plan.disagreements import Disagreements, duels
from labelcore.population import Population
from labelcore.stats.evidence import Linear, log_evidence_at
from labelcore.stats.profile import Cells, FloatArray
from labelcore.stats.three_outcomes import log_evidence_of_lead
from labelcore.tallies import Tally

SAME_DENOMINATOR = ("recall", "specificity")
"""Ratios whose denominator counts items of a true class: the same for every classifier."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a claim: an estimand of a classifier, of one class against the rest (None: of
    being judged rightly, with several classes)."""

    row: Estimand
    classifier: str | None
    class_index: int | None


@dataclass(frozen=True, eq=False, slots=True)
class ClaimTotals:
    """A claim with the tally it is read from.

    sides     the quantity, and the one that it is compared with, if any
    goal      the number that it is compared with, None in a comparison
    rates     (n_cells,), the rate of positives that the scores suggest for each cell of the tally
    linear    the claim as constant + weight @ K >= 0
    """

    read: ClaimText
    sides: tuple[Side, ...]
    goal: float | None
    tally: Tally
    rates: FloatArray
    linear: Linear

    @property
    def class_index(self) -> int | None:
        return self.sides[0].class_index

    def holds(self, totals: FloatArray) -> bool:
        """Whether the claim is true where the cells hold ``totals`` positives, (n_cells,)."""
        gap = float(self.linear.constant + self.linear.weight @ totals)
        return gap > 1e-9 if self.read.strictly else gap >= -1e-9

    @property
    def of_disagreements(self) -> bool:
        """Whether two classifiers are compared where an item has three outcomes."""
        return isinstance(self.tally, Disagreements)

    def log_evidence(
        self, cells: Cells, labelled: FloatArray, positive: FloatArray, linear: Linear, target: str
    ) -> FloatArray:
        """Evidence for ``linear``, this claim or its opposite, at several counts of ``cells``,
        (n_looks,); labelled and positive are (n_looks, n_cells)."""
        if self.of_disagreements:
            left_leads = bool((linear.weight[:1] > 0).all())
            found = duels(cells, labelled, positive, left_leads)
            rates = self.rates.reshape(2, -1)[:: 1 if left_leads else -1]
            return log_evidence_of_lead(found, rates, target=target)
        return log_evidence_at(cells.size, labelled, positive, linear, self.rates, target=target)

    def on(self, tally: Tally) -> ClaimTotals:
        """The same claim read from another tally of the same cells."""
        return replace(self, tally=tally)


def claim_totals(
    population: Population,
    text: str,
    first: str | None,
    stratum: np.ndarray,
    target: str = "file",
) -> ClaimTotals:
    """Read a claim against a file; ``first`` is the classifier that a claim without a name means.

    Raises PlanError naming the claim and what the file lacks.
    """
    found, faults = [], []
    for read in readings(text):
        try:
            found.append(_claimed(population, read, first, stratum, target))
        except PlanError as fault:
            faults.append(fault)
    if len(found) > 1:
        raise refused_claim(
            text,
            f", which can be read in {len(found)} ways with the names of this file; rename a "
            "classifier or class that holds brackets, '@' or a sign of comparison",
        )
    if not found:
        raise faults[0]
    return found[0]


def _claimed(
    population: Population, read: ClaimText, first: str | None, stratum: np.ndarray, target: str
) -> ClaimTotals:
    left = _side(population, read, read.left, first)
    if isinstance(read.right, Quantity):
        right = _side(population, read, read.right, first)
        found = _compared(population, read, left, right, stratum)
    else:
        found = _with_number(population, read, left, float(read.right), stratum)
    parts = np.count_nonzero(found.linear.weight) // (2 if found.of_disagreements else 1)
    if target == "process" and parts > 1:
        raise PlanArgumentError.naming(
            "claims",
            "holds {value!r}, which with {plan.target=process} rests on how many items of the file "
            "fell into each part, and that is itself a sample; claim it of this file "
            "({plan.target=file}), or use a plain random sample and a quantity of one part, such "
            "as precision",
            value=read.text,
        )
    return found


def _side(population: Population, read: ClaimText, said: Quantity, first: str | None) -> Side:
    row = SCALARS[said.estimand]
    several = len(population.classes) > 2
    of_class = several and row.per_class
    named = said.at or (None if of_class else said.inside)
    classifier = named or first
    if several and not (row.per_class or row.name == "accuracy"):
        raise refused_claim(read.text, ", which needs a file with two classes")
    if named is not None and named not in population.classifiers:
        known = ", ".join(population.classifiers) or "none"
        raise refused_claim(read.text, f": no classifier {named!r}; the file has {known}")
    if row.needs_prediction and (classifier is None or classifier not in population.predictions):
        raise refused_claim(read.text, ", which needs thresholds or predictions")
    if of_class and said.inside not in population.classes:
        example = f"'{row.name}[{population.classes[-1]}] >= 0.9'"
        raise refused_claim(read.text, f", which must name a class, as in {example}")
    if of_class:
        return Side(row, classifier, population.classes.index(str(said.inside)))
    return Side(row, classifier, None if several else _positive(population))


def _positive(population: Population) -> int:
    return population.classes.index(population.positive)


def _code(population: Population, classifier: str | None) -> np.ndarray | None:
    return None if classifier is None else population.predictions.get(classifier)


def _rates(population: Population, side: Side, tally: Tally) -> FloatArray:
    cells, cell = tally.cells(side.class_index), tally.cell_of
    item = question_rates(population, side.classifier, side.class_index, cells.predicted[cell])
    mean = np.bincount(cell, item, minlength=len(tally.size)) / tally.size
    return np.asarray(np.clip(mean, *PROBABILITY_RANGE))


def _with_number(
    population: Population, read: ClaimText, side: Side, goal: float, stratum: np.ndarray
) -> ClaimTotals:
    """(a0 + a K) / (b0 + b K) >= goal, so a0 - goal b0 + (a - goal b) K >= 0."""
    tally = Tally(stratum, _code(population, side.classifier), len(population.classes))
    table = ratios([side.row], tally.cells(side.class_index))
    constant = float(table.a0[0] - goal * table.b0[0])
    linear = _directed(read, constant, table.a[0] - goal * table.b[0])
    return ClaimTotals(read, (side,), goal, tally, _rates(population, side, tally), linear)


def _compared(
    population: Population, read: ClaimText, left: Side, right: Side, stratum: np.ndarray
) -> ClaimTotals:
    """The difference of two classifiers over the cells of (stratum, both predictions)."""
    if left.classifier == right.classifier or left.class_index != right.class_index:
        raise refused_claim(read.text, ", which must name two different classifiers")
    _check_comparable(population, read, left.row)
    if left.class_index is None:
        return _disagreeing(population, read, left, right, stratum)
    codes = [_code(population, side.classifier) for side in (left, right)]
    assert codes[0] is not None and codes[1] is not None
    classes = len(population.classes)
    tally = Tally(stratum * classes + codes[0].astype(np.int64), codes[1], classes)
    cells = tally.cells(left.class_index)
    masks = (tally.stratum % classes == left.class_index, cells.predicted)
    parts = [
        _numerator(read, side, Cells(cells.size, cells.labelled, cells.positive, mask))
        for side, mask in zip((left, right), masks, strict=True)
    ]
    linear = _directed(read, parts[0][0] - parts[1][0], parts[0][1] - parts[1][1])
    return ClaimTotals(read, (left, right), None, tally, _rates(population, right, tally), linear)


def _check_comparable(population: Population, read: ClaimText, row: Estimand) -> None:
    said = f": {row.name!r} of two classifiers cannot be compared"
    if not row.needs_prediction:
        raise refused_claim(read.text, f"{said}, because it is the same for every classifier")
    if not (row.group or row.name in SAME_DENOMINATOR):
        raise refused_claim(
            read.text,
            f"{said} by a count, because what it is divided by depends on the labels and on the "
            "classifier; compare accuracy, precision or recall",
        )
    if len(population.classes) > 2 and row.name != "accuracy":
        several = f"{said} in a file with several classes; compare their accuracy"
        raise refused_claim(read.text, several)


def _disagreeing(
    population: Population, read: ClaimText, left: Side, right: Side, stratum: np.ndarray
) -> ClaimTotals:
    """Accuracy with several classes: the left classifier's hits less the right one's, over the
    items of each stratum on which they disagree."""
    codes = [_code(population, side.classifier) for side in (left, right)]
    assert codes[0] is not None and codes[1] is not None
    tally = Disagreements(stratum, codes[0], codes[1], len(population.classes))
    rates = tally.rates(population, str(left.classifier), str(right.classifier))
    linear = _directed(read, 0.0, np.repeat([1.0, -1.0], tally.n_groups))
    return ClaimTotals(read, (left, right), None, tally, rates, linear)


def _numerator(read: ClaimText, side: Side, cells: Cells) -> tuple[float, FloatArray]:
    """Constant and weights of the quantity, in shares where its denominator is known."""
    table = ratios([side.row], cells)
    group = known_group(side.row, cells)
    if group is None:
        return float(table.a0[0]), table.a[0]
    size = float(cells.size[group].sum())
    if size == 0:
        nothing = f": by {side.classifier!r} no item of this file counts in it"
        raise refused_claim(read.text, nothing)
    return float(table.a0[0] / size), table.a[0] / size


def _directed(read: ClaimText, constant: float, weight: FloatArray) -> Linear:
    return Linear(constant, weight) if read.above else Linear(-constant, -weight)
