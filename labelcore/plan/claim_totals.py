"""A claim on a file: which cells it is about, and the claim as a statement about their totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from labelcore.designs.rates import PROBABILITY_RANGE, planning_rates, question_rates
from labelcore.errors import PlanArgumentError, PlanError, did_you_mean
from labelcore.estimands import SCALARS, Estimand, known_group, ratios
from labelcore.plan.against_file import GROUPINGS
from labelcore.plan.claims import SOME, ClaimText, Quantity, readings, refused_claim
from labelcore.population import Population
from labelcore.population.classes import Codes
from labelcore.population.groupings import CROSS, Grouping, grouping_of
from labelcore.stats.arrays import IntArray
from labelcore.stats.evidence import Linear, log_evidence_at
from labelcore.stats.profile import BoolArray, Cells, FloatArray
from labelcore.stats.three_outcomes import Duels, log_evidence_of_lead
from labelcore.tallies import Tally


class Disagreements(Tally):
    """The items of each stratum on which two classifiers disagree, with several classes.

    A stratum is one group, whatever the two say: in a random order of its items the outcomes come
    in a random order too, and each group more would cost evidence. Items on which the two agree
    say nothing and are left out.

    group_size   (n_groups,), items on which they disagree, of each stratum that has any
    """

    def __init__(
        self,
        stratum: Codes,
        left: Codes,
        right: Codes,
        n_classes: int,
    ) -> None:
        super().__init__(stratum, right, n_classes, second=left)
        self.left_prediction = self.second_prediction
        differ = self.left_prediction != self.prediction
        present, group = np.unique(self.stratum[differ], return_inverse=True)
        self._group = np.full(len(self.size), -1)
        self._group[differ] = group
        self.n_groups = len(present)
        self.group_size = self._summed(self.size)

    def groups_at(self, items: Any) -> IntArray:
        """The groups of the items at some positions, -1 for none."""
        return np.asarray(self._group[self.cells_at(items)])

    def _summed(self, number: FloatArray) -> FloatArray:
        """Sums over the cells of each group, (n_groups,)."""
        inside = self._group >= 0
        return np.bincount(self._group[inside], number[inside], self.n_groups).astype(float)

    def cells(self, class_index: int | None) -> Cells:
        """The groups twice: first with the left classifier's hits as positives, then with those of
        the right one; (2 n_groups,) each."""
        rows = np.arange(len(self.size))
        hits = [
            self._summed(self.counts[rows, code])
            for code in (self.left_prediction, self.prediction)
        ]
        labelled = np.tile(self._summed(self.counts.sum(axis=1)), 2)
        both = np.ones(2 * self.n_groups, dtype=bool)
        return Cells(np.tile(self.group_size, 2), labelled, np.concatenate(hits), both)

    def after_each(self, positions: IntArray, codes: IntArray, class_index: int | None) -> Cells:
        now, cell = self.cells(class_index), self.cells_at(positions)
        drawn = (self._group[cell][:, None] == np.arange(self.n_groups)).astype(float)
        hits = [
            drawn * (codes == predicted[cell])[:, None]
            for predicted in (self.left_prediction, self.prediction)
        ]
        labelled = np.cumsum(np.tile(drawn, 2), axis=0)
        positive = np.cumsum(np.concatenate(hits, axis=1), axis=0)
        return replace(now, labelled=now.labelled + labelled, positive=now.positive + positive)

    def unresolved(self, positions: list[int]) -> FloatArray:
        """Items without a verdict in each group, (n_groups,)."""
        groups = self.groups_at(positions)
        return np.bincount(groups[groups >= 0], minlength=self.n_groups).astype(float)

    def rates(self, population: Population, left: str, right: str) -> FloatArray:
        """The shares of items on which the left and on which the right classifier is right that the
        scores suggest for each group, (2 n_groups,): each is right on its own by its own score, and
        both cannot be right at once."""
        every = np.ones(len(population), dtype=bool)
        a, b = (planning_rates(population, name, every)[0] for name in (left, right))
        chances = np.array([a * (1 - b), b * (1 - a), (1 - a) * (1 - b)]).clip(1e-9)
        group_of = self.groups_at(slice(None))
        inside = group_of >= 0
        sums = [
            np.bincount(group_of[inside], chance[inside], self.n_groups)
            for chance in (chances / chances.sum(axis=0))[:2]
        ]
        return np.concatenate(sums) / np.tile(self.group_size, 2)


def duels(cells: Cells, labelled: FloatArray, positive: FloatArray, left_leads: bool) -> Duels:
    """Counts of ``Disagreements.cells``, (n_looks, 2 n_groups), from the side that leads."""
    groups = len(cells.size) // 2
    hits = positive[:, :groups], positive[:, groups:]
    better, worse = hits if left_leads else hits[::-1]
    return Duels(cells.size[:groups], better, worse, labelled[:, :groups])


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
    linear    the claim as constant + weight @ K >= 0, one for each group of which it is claimed
    groups    the groups of its column, by which the cells are cut; None: it names none
    places    those of them that it is about, two where they are compared
    """

    read: ClaimText
    sides: tuple[Side, ...]
    goal: float | None
    tally: Tally
    rates: FloatArray
    linear: tuple[Linear, ...]
    groups: Grouping | None = None
    places: tuple[int, ...] = ()

    @property
    def class_index(self) -> int | None:
        return self.sides[0].class_index

    @property
    def of_some(self) -> bool:
        """Whether it is true as soon as it is of one of its groups."""
        return self.read.each == SOME

    @property
    def of_least(self) -> bool:
        """Whether it is about the least figure of its groups, not the largest: all reach a number
        if the least does, and some is below it if the least is."""
        return self.read.above != self.of_some

    @property
    def masks(self) -> list[BoolArray]:
        """The cells of each group that it is about, (n_cells,)."""
        return _masks(self.tally, self.places)

    @property
    def tallies(self) -> list[Tally]:
        """The cells of each group that it is about, with the labels of now."""
        return [self.tally.of_group(place) for place in self.places] or [self.tally]

    def lean(self, totals: FloatArray) -> float:
        """How far the claim is true where the cells hold ``totals`` positives, (n_cells,); below
        zero it is false."""
        gaps = [float(linear.constant + linear.weight @ totals) for linear in self.linear]
        return max(gaps) if self.of_some else min(gaps)

    def holds(self, totals: FloatArray) -> bool:
        """Whether the claim is true where the cells hold ``totals`` positives, (n_cells,)."""
        gap = self.lean(totals)
        return gap > 1e-9 if self.read.strictly else gap >= -1e-9

    def evidence(self, of: Callable[[Linear], Any]) -> list[FloatArray]:
        """The logarithm of the evidence for the claim and against it, from ``of``, that for what is
        claimed of one group.

        That all groups are so is shown when each one is, by the least evidence. That some group is
        so is tested against none being so: the mean of their evidence is evidence again, whichever
        way they hang together.
        """
        logs = []
        for against in (False, True):
            each = np.array([of(part.opposite if against else part) for part in self.linear], float)
            least = self.of_some == against or len(each) == 1
            mean = each.min(axis=0) if least else logsumexp(each, axis=0) - np.log(len(each))
            logs.append(np.asarray(mean))
        return logs

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
            leads = duels(cells, labelled, positive, left_leads)
            rates = self.rates.reshape(2, -1)[:: 1 if left_leads else -1]
            return log_evidence_of_lead(leads, rates, target=target)
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
    groups: Grouping | None = None,
) -> ClaimTotals:
    """Read a claim against a file; ``first`` is the classifier that a claim without a name means,
    ``groups`` are those of the plan.

    Raises PlanError naming the claim and what the file lacks.
    """
    totals, faults = [], []
    every = readings(text)
    some = [read for read in every if population.groups or read.left.group is None] or every
    for read in some:
        try:
            totals.append(_claimed(population, read, first, stratum, target, groups))
        except PlanError as fault:
            faults.append(fault)
    if len(totals) > 1:
        raise refused_claim(
            text,
            f", which can be read in {len(totals)} ways with the names of this file; rename a "
            "classifier, class or group that holds brackets, '@' or a sign of comparison",
        )
    if not totals:
        raise faults[0]
    return totals[0]


def _claimed(
    population: Population,
    read: ClaimText,
    first: str | None,
    stratum: np.ndarray,
    target: str,
    asked: Grouping | None,
) -> ClaimTotals:
    sides = tuple(_side(population, read, quantity, first) for quantity in read.sides)
    totals = _Against(population, read, sides, stratum, *_groups(population, read, asked)).totals()
    parts = max(np.count_nonzero(linear.weight) for linear in totals.linear)
    if target == "process" and parts > (2 if totals.of_disagreements else 1):
        raise PlanArgumentError.naming(
            "claims",
            "holds {value!r}, which with {plan.target=process} rests on how many items of the file "
            "fell into each part, and that is itself a sample; claim it of this file "
            "({plan.target=file}), or use a plain random sample and a quantity of one part, such "
            "as precision",
            value=read.text,
        )
    return totals


def _groups(
    population: Population, read: ClaimText, asked: Grouping | None
) -> tuple[Grouping | None, tuple[int, ...]]:
    """The groups of the column that a claim names, and those of them that it is about; the plan's
    own where all or some are meant, so that those which it joins count as one."""
    named = [side.group for side in read.sides if side.group is not None]
    if not named:
        return None, ()
    if {group.column for group in named} != {named[0].column} or len(named) < len(read.sides):
        raise refused_claim(read.text, ", which must name groups of one column on both sides")
    by = _columns(population, read, named[0].column)
    if read.each:
        if read.of_groups:
            raise refused_claim(read.text, f", where '{read.each}' must stand on both sides")
        groups = asked if asked is not None and asked.by == by else _every_group(population, by)
        return groups, tuple(range(len(groups.names)))
    groups = _every_group(population, by)
    places = []
    for name in dict.fromkeys(group.name for group in named):
        if name not in groups.names:
            near = did_you_mean(name, groups.names) or f"; it has {', '.join(groups.names[:10])}"
            raise refused_claim(read.text, f": no group {name!r} in {groups.label!r}{near}")
        places.append(groups.names.index(name))
    return groups, tuple(places)


def _every_group(population: Population, by: tuple[str, ...]) -> Grouping:
    kept = GROUPINGS.of(population)
    return kept.get((by, None, None), lambda: grouping_of(population, by))


def _columns(population: Population, read: ClaimText, named: str) -> tuple[str, ...]:
    by = (named,) if named in population.groups else tuple(named.split(CROSS))
    for column in by:
        if column not in population.groups:
            known = ", ".join(population.groups) or "none"
            near = did_you_mean(column, population.groups)
            lacks = f": no column of groups {column!r}; the file has {known}{near}"
            raise refused_claim(read.text, lacks)
    return by


def _side(population: Population, read: ClaimText, quantity: Quantity, first: str | None) -> Side:
    row = SCALARS[quantity.estimand]
    several = len(population.classes) > 2
    of_class = several and row.per_class
    named = quantity.at or (None if of_class else quantity.inside)
    classifier = named or first
    if several and not (row.per_class or row.of_all_classes):
        raise refused_claim(read.text, ", which needs a file with two classes")
    if named is not None and named not in population.classifiers:
        known = ", ".join(population.classifiers) or "none"
        raise refused_claim(read.text, f": no classifier {named!r}; the file has {known}")
    if row.needs_prediction and (classifier is None or classifier not in population.predictions):
        raise refused_claim(read.text, ", which needs thresholds or predictions")
    if of_class and quantity.inside not in population.classes:
        example = f"'{row.name}[{population.classes[-1]}] >= 0.9'"
        raise refused_claim(read.text, f", which must name a class, as in {example}")
    if of_class:
        return Side(row, classifier, population.classes.index(str(quantity.inside)))
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


@dataclass(frozen=True, slots=True)
class _Against:
    """A claim that is read against a file; fields as those of ``ClaimTotals``."""

    population: Population
    read: ClaimText
    sides: tuple[Side, ...]
    stratum: np.ndarray
    groups: Grouping | None
    places: tuple[int, ...]

    def totals(self) -> ClaimTotals:
        if len(self.sides) == 1:
            return self._with_number(float(self.read.right))  # type: ignore[arg-type]
        self._check_compared()
        if self.sides[0].class_index is None and not self.read.of_groups:
            return _disagreeing(self.population, self.read, self.sides, self.stratum)
        return self._compared()

    def _with_number(self, goal: float) -> ClaimTotals:
        """(a0 + a K) / (b0 + b K) >= goal, so a0 - goal b0 + (a - goal b) K >= 0."""
        (side,) = self.sides
        tally, linear = self._tally(self.stratum), []
        for place, mine in zip(self.places or (None,), _masks(tally, self.places), strict=True):
            part = some_cells(tally.cells(side.class_index), mine)
            group, table = known_group(side.row, part), ratios([side.row], part)
            if self.groups is not None and group is not None and not group.any():
                name = self.groups.names[place or 0]
                nothing = f": by {side.classifier!r} no item of {name!r} counts in it"
                raise refused_claim(self.read.text, nothing)
            constant = float(table.a0[0] - goal * table.b0[0])
            weight = _at(mine, table.a[0] - goal * table.b[0])
            linear.append(_directed(self.read, constant, weight))
        return self._made(goal, tally, linear)

    def _compared(self) -> ClaimTotals:
        """The difference of two classifiers over the cells of (stratum, both predictions), or of
        two groups by one of them."""
        left, right = self.sides
        classes, code = len(self.population.classes), _code(self.population, left.classifier)
        both = self.stratum if code is None else self.stratum * classes + code.astype(np.int64)
        tally, linear = self._tally(both), []
        cells = first = tally.cells(right.class_index)
        if left != right:
            first = replace(cells, predicted=tally.stratum % classes == left.class_index)
        masks = _masks(tally, self.places)
        pairs = [masks] if self.read.of_groups else [[mine, mine] for mine in masks]
        for ours, theirs in pairs:
            start, add = _numerator(self.read, left, some_cells(first, ours))
            end, less = _numerator(self.read, right, some_cells(cells, theirs))
            linear.append(_directed(self.read, start - end, _at(ours, add) - _at(theirs, less)))
        return self._made(None, tally, linear)

    def _check_compared(self) -> None:
        left, right = self.sides
        if self.read.of_groups:
            if left != right:
                rule = ", which must name two groups by the same classifier"
                raise refused_claim(self.read.text, rule)
            return _check_counted(self.read, left.row, "groups")
        if left.classifier == right.classifier or left.class_index != right.class_index:
            two = "groups" if left.classifier == right.classifier and self.groups else "classifiers"
            raise refused_claim(self.read.text, f", which must name two different {two}")
        if left.class_index is None and self.groups is not None:
            raise refused_claim(self.read.text, ", which needs a file with two classes")
        return _check_comparable(self.population, self.read, left.row)

    def _tally(self, stratum: np.ndarray) -> Tally:
        code = _code(self.population, self.sides[-1].classifier)
        return Tally(stratum, code, len(self.population.classes), groups=self.groups)

    def _made(self, goal: float | None, tally: Tally, linear: list[Linear]) -> ClaimTotals:
        rates = _rates(self.population, self.sides[-1], tally)
        return ClaimTotals(
            self.read, self.sides, goal, tally, rates, tuple(linear), self.groups, self.places
        )


def _masks(tally: Tally, places: tuple[int, ...]) -> list[BoolArray]:
    """The cells of each group that is claimed, (n_cells,); all where it is claimed of all items."""
    every = np.ones(len(tally.size), dtype=bool)
    return [tally.group == place for place in places] or [every]


def some_cells(cells: Cells, mine: BoolArray) -> Cells:
    arrays = ("size", "labelled", "positive", "predicted")
    return Cells(*(getattr(cells, name)[mine] for name in arrays))


def _at(mine: BoolArray, weight: FloatArray) -> FloatArray:
    """Weights of some cells among those of all, (n_cells,)."""
    weights = np.zeros(len(mine))
    weights[mine] = weight
    return weights


def _check_comparable(population: Population, read: ClaimText, row: Estimand) -> None:
    beginning = f": {row.name!r} of two classifiers cannot be compared"
    if not row.needs_prediction:
        raise refused_claim(read.text, f"{beginning}, because it is the same for every classifier")
    _check_counted(read, row, "classifiers")
    if len(population.classes) > 2 and not row.of_all_classes:
        several = f"{beginning} in a file with several classes; compare their accuracy"
        raise refused_claim(read.text, several)


def _check_counted(read: ClaimText, row: Estimand, whose: str) -> None:
    """Whether a difference is a count: the denominators are known, or those of two classifiers
    the same, as they count items of a true class."""
    between = whose == "groups"
    if row.group or (row.denominator[2:] == (0, 0) and not between):
        return
    able = "accuracy, prevalence or precision" if between else "accuracy, precision or recall"
    raise refused_claim(
        read.text,
        f": {row.name!r} of two {whose} cannot be compared by a count, because what it is divided "
        f"by depends on the labels and on the {whose.removesuffix('s')}; compare {able}",
    )


def _disagreeing(
    population: Population, read: ClaimText, sides: tuple[Side, ...], stratum: np.ndarray
) -> ClaimTotals:
    """Accuracy with several classes: the left classifier's hits less the right one's, over the
    items of each stratum on which they disagree."""
    left, right = sides
    codes = [_code(population, side.classifier) for side in sides]
    assert codes[0] is not None and codes[1] is not None
    tally = Disagreements(stratum, codes[0], codes[1], len(population.classes))
    rates = tally.rates(population, str(left.classifier), str(right.classifier))
    linear = _directed(read, 0.0, np.repeat([1.0, -1.0], tally.n_groups))
    return ClaimTotals(read, sides, None, tally, rates, (linear,))


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
