"""What a plan will cost and give, before the first label."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from labelcore.designs.base import AnswerCodes, Frame, IntArray, Look, Setup
from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.rates import (
    NOT_PROBABILITIES,
    PROBABILITY_RANGE,
    planning_rates,
    planning_words,
    question_rates,
)
from labelcore.designs.samples import SharesDraws
from labelcore.designs.scalars import Answers, EstimatesScalars
from labelcore.designs.sure_scores import NOT_TURNED
from labelcore.errors import PlanArgumentError, PlanError, Remedy
from labelcore.estimands import CURVES, SUMMARIES, ratios
from labelcore.figures.narrowing import expected_share, narrows
from labelcore.figures.together import covariance_of, pairs_of, pull
from labelcore.plan.against_file import (
    as_ordered,
    check_size,
    chosen_classifiers,
    found_sure,
    frozen,
    make_setup,
)
from labelcore.plan.checks import CLAIM_FORMS
from labelcore.plan.existing import RANDOM, existing_labels, prepared
from labelcore.plan.pilot import NOTHING_KNOWN, largest_size, pilot_of
from labelcore.plan.plan import Plan
from labelcore.planning.claims import claims_planned, labels_to_settle
from labelcore.population import Population
from labelcore.population.kept import Kept, Recent, Same
from labelcore.promises import Form
from labelcore.stats.horizon import boundary
from labelcore.stats.max_t import Overlap, all_right, error_levels
from labelcore.stats.profile import NOT_SAMPLED, Cells, FloatArray
from labelcore.stats.recalibration import recalibrate
from labelcore.tallies import Question, Subject, Tally, questions, subjects_of, tally_of

MORE_THAN_ITEMS = (
    "The budget of {budget} is more than the file has: at most {items} items are labelled."
)
ONLY_THEIR_ORDER = (
    "The scores of {name!r} lie between {ends}, so they are no probabilities: only their order is "
    "used."
)
LIST_OF_FIRST = "Of {list} there is one, along the scores of {first}; none for {others}."


SIZES, MOST_SIZE = 20, 999_999
"""The largest value of a size parameter that is tried: for each item, and in all."""


@dataclass(frozen=True)
class Preview:
    """What is known before the first label. ``labelcore.preview`` makes it.

    Attributes
    ----------
    labels
        distinct labels; the most there can be if a stop rule may end the session earlier
    expected_labels
        the number of labels at which the expected half-width first meets the margin, and at which
        half of the sessions simulated on the scores have settled the claims; otherwise the budget.
    draws
        how many items are drawn; equal to ``labels`` for designs that draw without replacement
    expected_half_width
        {result: half-width} at ``expected_labels``, as if the scores were right
    derived
        what the design derives: stratum_sizes, edges, planned, assumption; "notes", a sentence
        each on what is unusual, such as a budget larger than the file, or scores that are no
        probabilities. With claims {"strict": labels, "approximate": labels} as "claims": the median
        number of labels that settle them with each ``claim_form`` that the plan can have
    planned
        the planned size that a session will freeze

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> ahead = lc.preview(population, lc.Plan("simple_random", ["accuracy"], budget=200))
    >>> ahead.labels, ahead.draws
    (200, 200)
    """

    labels: int
    expected_labels: int
    draws: int
    expected_half_width: Mapping[str, float]
    derived: Mapping[str, Any] = field(default_factory=dict)
    planned: int = 0


def preview(population: Population, plan: Plan) -> Preview:
    """Forecast what ``plan`` will cost and give on ``population``, from its scores alone.

    Parameters
    ----------
    population
        the file; no truth is needed
    plan
        what is to be estimated, and how

    Returns
    -------
    Preview
        Labels, expected half-widths and what the method derives.

    Raises
    ------
    PlanError
        The plan cannot be carried out on this file.

    Notes
    -----
    Promise: none. The forecast rests on the assumption in ``derived["assumption"]``. If that is
    wrong, the interval comes out wider or narrower than forecast; the sample size does not affect
    whether it is valid.

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> ahead = lc.preview(population, lc.Plan("recalibrated_neyman", ["accuracy"], margin=0.05))
    >>> ahead.expected_labels <= ahead.labels <= len(population)
    True
    >>> ahead.expected_half_width["accuracy"] <= 0.05
    True
    """
    found = _preview(population, plan)
    if not plan.claims:
        return found
    labels = {str(plan.claim_form): found.expected_labels, **_other_form(population, plan)}
    both = {form: labels[form] for form in CLAIM_FORMS if form in labels}
    return replace(found, derived={**found.derived, "claims": both})


def _other_form(population: Population, plan: Plan) -> dict[str, int]:
    """The labels that settle the claims with the other form; none where the plan cannot have it."""
    try:
        other = replace(
            plan,
            claim_form=next(form for form in CLAIM_FORMS if form != plan.claim_form),
            planned=None,
        )
        return {str(other.claim_form): _preview(population, other).expected_labels}
    except PlanError:
        return {}


def _preview(population: Population, plan: Plan) -> Preview:
    """``preview`` without the other form of the claims."""
    plan = sized(population, plan)
    outlook = Outlook(population, plan)
    most = _most(outlook)
    expected, planned = _expected_labels(outlook, most)
    planned = _whole_budget(plan, most) if plan.budget is not None else planned
    planned = planned if plan.planned is None else plan.planned
    if plan.learns:
        return _with_pilot(outlook, expected, planned)
    check_size(outlook.design, outlook.frame, planned, outlook.given)
    labels = most if plan.budget is not None or plan.stop_rules else planned
    furthest = plan.furthest(planned + outlook.given)
    if plan.budget is None and furthest is not None:
        labels = min(labels, furthest - outlook.given)
    return Preview(
        labels=labels,
        expected_labels=expected,
        draws=outlook.draws(labels),
        expected_half_width=outlook.half_widths(expected, planned),
        derived=outlook.derived(planned),
        planned=planned,
    )


def _with_pilot(outlook: Outlook, expected: int, planned: int) -> Preview:
    """The preview of a plan whose size is forecast anew after a pilot."""
    plan, given = outlook.plan, outlook.given
    items = int(outlook.frame.sizes[outlook.frame.asked].sum())
    largest = largest_size(plan, len(outlook.questions), items, planned + given, given)
    furthest = plan.furthest(largest)
    labels = min(outlook.most, furthest - given if furthest else outlook.most)
    pilot = min(max(pilot_of(given) - given, 1), labels)
    expected = max(expected, pilot)
    return Preview(
        labels=labels,
        expected_labels=expected,
        draws=outlook.draws(labels),
        expected_half_width=outlook.half_widths(expected, max(planned, pilot)),
        derived={**outlook.derived(planned), "pilot": pilot, "largest": largest},
        planned=planned,
    )


def _most(outlook: Outlook) -> int:
    """The most labels that a session may ask for: its budget, where there is one."""
    budget = outlook.plan.budget
    return outlook.most if budget is None else min(budget, outlook.most)


def _whole_budget(plan: Plan, most: int) -> int:
    """What a budget plans for: as many labels as there are items, or draws."""
    return int(plan.budget or 0) if plan.counts_draws else most


def _expected_labels(outlook: Outlook, most: int) -> tuple[int, int]:
    """Where the margin and the claims of the plan are likely to be met, whichever needs more, and
    the size to plan for."""
    plan = outlook.plan
    needed = []
    if plan.margin is not None and not outlook.design.size_from_params:
        _check_reachable(outlook, float(plan.margin), most)
        needed.append((outlook.labels_for(float(plan.margin), most),) * 2)
    if plan.claims:
        sizes = labels_to_settle(outlook.population, plan, most)
        needed.append((sizes.expected, sizes.planned))
    if not needed:
        return most, most
    return max(one[0] for one in needed), max(one[1] for one in needed)


def _check_reachable(outlook: Outlook, margin: float, most: int) -> None:
    """Raise PlanError for a margin that a new plan is not expected to reach with all its items."""
    plan = outlook.plan
    if plan.planned is not None or plan.budget is not None or outlook.meets(most, margin):
        return
    widths = outlook.half_widths(most, most)
    if not widths:  # No forecast is no reason to refuse.
        return
    half = max(widths.values())
    least = math.ceil(1000 * half) / 1000
    reachable = least < NOTHING_KNOWN
    raise PlanArgumentError.naming(
        "margin",
        "must be at least {least:g}, which all {most:,} items are expected to give, got {value:g}"
        if reachable
        else "is reached by no number of labels: all {most:,} items leave a figure unknown; got "
        "{value:g}",
        least=least,
        most=most,
        value=margin,
        short="no number of labels reaches this margin",
        remedies=[Remedy(f"plan for {least:g}", {"margin": least})] if reachable else [],
    )


def kept_plan(population: Population, plan: Plan) -> Plan:
    """The plan as a session keeps it: with its planned size, and what that follows from."""
    if plan.planned is not None:
        return plan
    plan = sized(population, plan)
    if plan.claim_form == Form.APPROXIMATE:
        most = _most(Outlook(population, plan))
        plan = replace(plan, claims_planned=claims_planned(population, plan, most))
    return frozen(population, plan, planned_size(population, plan))


def sized(population: Population, plan: Plan) -> Plan:
    """The plan with the parameter that its size follows from, where margin or budget choose it."""
    name = plan.method.size_param
    if plan.planned is not None or name is None or plan.params.get(name) is not None:
        return plan
    if plan.margin is None and plan.budget is None:
        return plan
    chosen = Outlook(population, plan).size_for(name, plan.margin, plan.budget)
    return replace(plan, params={**plan.params, name: chosen})


def planned_size(population: Population, plan: Plan) -> int:
    """The size that a plan freezes: its budget, else what the margin is expected to need."""
    if plan.budget is not None and not plan.method.size_from_params:
        if plan.counts_draws:
            return plan.budget
        return min(plan.budget, Outlook(population, plan).most)
    return _preview(population, plan).planned


def _crossing(met: Callable[[int], bool], start: int, most: int) -> int:
    """About the smallest size from 1 to ``most`` that is met, to half a percent; ``most`` where
    none is."""
    low, high = 0, min(max(start, 1), most)
    while not met(high):
        if high == most:
            return most
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class AtOnce:
    """What a confidence of all numbers at once changes.

    numbers   how many there are
    right     in which share of sessions all of them are right if each has the confidence alone
    wider     how many times as wide each interval becomes if all have it at once
    """

    numbers: int
    right: float
    wider: float


@dataclass(frozen=True, eq=False)
class Suggested:
    """What scores suggest of the cells of some strata, worked out once for every plan that has
    these strata.

    stratum   (n_items,), the stratum of each item
    """

    stratum: IntArray
    _tallies: dict[Subject, Tally] = field(default_factory=dict)
    _rates: dict[Question, FloatArray] = field(default_factory=dict)

    @classmethod
    def by_scores(cls, population: Population, stratum: IntArray) -> Suggested:
        """That of a population."""
        return SUGGESTED.of(population).get(Same(stratum), lambda: cls(stratum))

    def tallies(
        self,
        population: Population,
        classifiers: tuple[str | None, ...],
        asked: Sequence[Question],
    ) -> dict[Subject, Tally]:
        """The empty cells of every classifier, and of every subject that is asked about."""
        for subject in subjects_of(classifiers, asked):
            if subject not in self._tallies:
                self._tallies[subject] = tally_of(population, self.stratum, subject)
        return {one: self._tallies[one].copied() for one in subjects_of(classifiers, asked)}

    def rates(self, population: Population, question: Question) -> FloatArray:
        """The mean of the rates of each cell's items, (n_cells,)."""
        if question not in self._rates:
            tally = self._tallies[question.subject]
            cell_of = tally.cell_of
            rates = _item_rates(population, question, tally, cell_of)
            mean = np.bincount(cell_of, rates, minlength=len(tally.size)) / tally.size
            self._rates[question] = np.asarray(mean)
        return self._rates[question]


SUGGESTED = Kept(Recent[Suggested])


def _item_rates(
    population: Population, question: Question, tally: Tally, cell_of: IntArray
) -> FloatArray:
    class_index, empty = question.class_index, tally.cells(question.class_index)
    predicted = empty.predicted[cell_of]
    if class_index is None:
        return planning_rates(population, question.classifier, predicted)[0]
    rates = question_rates(population, question.classifier, class_index, predicted)
    if empty.other is None:
        return rates
    other = question_rates(population, question.versus, class_index, empty.other[cell_of])
    return (rates + other) / 2


class Outlook:
    """Expected half-widths of one plan at any number of labels."""

    def __init__(self, population: Population, plan: Plan) -> None:
        population = as_ordered(population, plan)
        self.population, self.plan, self.design = population, plan, plan.method
        self._pairs: dict[tuple[Subject, Subject], tuple[IntArray, IntArray, IntArray]] = {}
        self.classifiers = chosen_classifiers(population, plan)
        guess = plan.planned or plan.budget or min(len(population), 1000)
        self.setup: Setup = make_setup(population, plan, self.classifiers, guess)
        self.existing = existing_labels(population, plan, self.classifiers[0])
        self.frame: Frame = prepared(self.design, self.setup, self.existing)
        self.given = int(self.frame.drawn_before.sum())
        self.questions = questions(
            population, tuple(plan.estimands), self.classifiers, plan.classes
        )
        self.suggested = Suggested.by_scores(population, self.frame.stratum)
        self.tallies = self.suggested.tallies(population, self.classifiers, self.questions)
        for tally in self.tallies.values():
            tally.add_all(self.existing.positions, self.existing.codes)

    @property
    def most(self) -> int:
        """The most items that can be asked."""
        return self.design.most(self.frame)

    def draws(self, labels: int) -> int:
        """How many draws so many distinct labels stand for."""
        design = self.design
        return design.draws(self.frame, labels) if isinstance(design, SharesDraws) else labels

    def allocation(self, labels: int) -> FloatArray:
        """How many labels each stratum would have after so many new ones, (n_strata,)."""
        every = labels + self.given
        return self.design.planned_counts(self.setup, self.frame, every).astype(float)

    def shares_by_class(self, labels: int) -> dict[str, float]:
        """{class: share of so many labels asked of items that the first classifier calls so}; empty
        without a prediction."""
        side = self.population.predictions.get(str(self.classifiers[0]))
        if side is None:
            return {}
        every = self.allocation(labels) / np.maximum(self.frame.sizes, 1)
        asked = self.frame.stratum != NOT_SAMPLED
        stratum = np.where(asked, self.frame.stratum, 0)
        expected = np.where(asked, every[stratum], 0.0)
        names = self.population.classes
        of_class = np.bincount(side, expected, minlength=len(names))
        return dict(zip(names, (of_class / max(of_class.sum(), 1e-9)).tolist(), strict=True))

    def half_widths(self, labels: int, planned: int, *, rough: bool = False) -> dict[str, float]:
        """{result: half-width} of the design's own interval at expected counts; a curve counts
        where its band is widest. ``rough``: near enough for a picture."""
        look = replace(self._look(labels + self.given, planned + self.given), rough=rough)
        found = {}
        if self.questions:
            drawn = self.allocation(labels)
            share = expected_share(labels) if narrows(self.plan) else 1.0
            widths = [share * width for width in self._half_widths(drawn, look)]
            found = {one.key: width for one, width in zip(self.questions, widths, strict=True)}
        design, widest = self.design, None
        if isinstance(design, EstimatesCurve):
            widest = design.curve_half_width(self.setup, self.frame, look)
        return found if widest is None else {**found, "precision_curve": widest}

    def _look(self, labels: int, planned: int) -> Look:
        plan, strata = self.plan, self.frame.n_strata
        sure = plan.confidence_of_each(len(self.questions))
        return Look(
            sure,
            plan.promised,
            labels,
            planned,
            plan.target,
            strata,
            setup=self.setup,
            horizon=plan.horizon,
        )

    def _half_widths(self, drawn: FloatArray, look: Look) -> list[float]:
        """That of each question at expected counts."""
        design: EstimatesScalars[Any] = EstimatesScalars.of(self.design)
        answers = [self._expected_answers(one, drawn) for one in self.questions]
        if self.plan.correlated and len(answers) > 1:
            alpha = error_levels(self._covariance(answers, drawn), self.plan.confidence)
            look = replace(look, confidence=1 - float(alpha))
        found = [design.half_widths(self.setup, one, look, drawn) for one in answers]
        return [float(one[0]) for one in found]

    def _covariance(self, answers: Sequence[Answers[Any]], drawn: FloatArray) -> FloatArray:
        """That of the questions at expected counts, (n_questions, n_questions)."""
        tallies = [self.tallies[one.subject] for one in self.questions]
        pulls = [
            pull([one], [tally], self.plan.target)
            for one, tally in zip(answers, tallies, strict=True)
        ]
        share = drawn / np.maximum(self.frame.sizes, 1)

        def crossing(_: int, i: int, j: int) -> Overlap:
            first, second, items = self._shared_items(i, j)
            stratum = tallies[i].stratum[first]
            labelled = np.where(stratum == NOT_SAMPLED, 0.0, items * share[stratum])
            return Overlap(first, second, labelled, None)

        return np.asarray(covariance_of(pulls, tallies, crossing)[0])

    def _shared_items(self, i: int, j: int) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs of cells of two questions that hold an item, and how many they hold."""
        key = self.questions[i].subject, self.questions[j].subject
        if key not in self._pairs:
            first, second, joint = pairs_of(*(self.tallies[one].cell_of for one in key))
            self._pairs[key] = first, second, np.bincount(joint, minlength=len(first))
        return self._pairs[key]

    def at_once(self, labels: int) -> AtOnce | None:
        """What a confidence of all numbers at once would change with about so many labels; None
        for fewer than two numbers."""
        if len(self.questions) < 2:
            return None
        labels = max(min(labels, self.most), self.design.least(self.frame) - self.given, 1)
        drawn, plan = self.allocation(labels), self.plan
        answers = [self._expected_answers(one, drawn) for one in self.questions]
        covariance = self._covariance(answers, drawn)
        every = replace(plan, together=True)
        level = 1 - every.confidence_of_each(len(answers))
        if every.correlated:
            level = float(error_levels(covariance, plan.confidence))
        levels = np.array([level, 1 - plan.confidence])
        z = boundary(1, 0, levels, plan.horizon) if plan.horizon else ndtri(1 - levels / 2)
        right = float(all_right(covariance, plan.confidence))
        return AtOnce(len(answers), right, float(z[0] / z[1]))

    def _expected_answers(self, question: Question, drawn: FloatArray) -> Answers[Any]:
        cells, rates = self._expected_cells(question, drawn)
        return Answers(
            self.frame,
            [question.row],
            cells,
            rates,
            question.classifier,
            question.class_index,
            AnswerCodes(),
        )

    def notes(self, planned: int) -> list[str]:
        """What a person should know of the expected half-widths at the planned size."""
        drawn, look = self.allocation(planned), self._look(planned + self.given, planned)
        found = [*self.frame.notes, *self._first_alone(), *self._not_turned()]
        found += [*self._more_than_items(), *self._no_probabilities()]
        for question in self.questions:
            design: EstimatesScalars[Any] = EstimatesScalars.of(self.design)
            found += design.forecast_notes(self._expected_answers(question, drawn), look)
        return list(dict.fromkeys(found))

    def _more_than_items(self) -> list[str]:
        """That a budget is larger than the file."""
        budget, items = self.plan.budget, len(self.population)
        if budget is None or budget <= items or self.plan.counts_draws:
            return []
        return [MORE_THAN_ITEMS.format(budget=f"{budget:,}", items=f"{items:,}")]

    def _no_probabilities(self) -> list[str]:
        """Of scores outside 0 to 1, that their order alone is used."""
        found = []
        for name in self.classifiers if NOT_PROBABILITIES not in self.frame.notes else ():
            score = self.population.scores.get(str(name))
            if score is not None and len(score) and (score.min() < 0 or score.max() > 1):
                ends = f"{score.min():.4g} and {score.max():.4g}"
                found.append(ONLY_THEIR_ORDER.format(name=name, ends=ends))
        return found

    def _first_alone(self) -> list[str]:
        """That what follows the ranked list is about the first of several classifiers."""
        listed = [name for name in self.plan.estimands if name in CURVES or name in SUMMARIES]
        if not listed or len(self.classifiers) < 2:
            return []
        others = ", ".join(repr(name) for name in self.classifiers[1:])
        return [
            LIST_OF_FIRST.format(
                list=", ".join(listed), first=repr(self.classifiers[0]), others=others
            )
        ]

    def _not_turned(self) -> list[str]:
        """Scores that look like how sure the classifier is, and are left as they are."""
        if self.plan.sure_scores is not None or self.population.turned:
            return []
        positive = self.population.positive
        names = found_sure(self.population, self.plan)
        return [NOT_TURNED.format(name=name, positive=positive) for name in names]

    def expected_share(self, question: Question) -> float:
        """What the scores suggest that the answer is."""
        cells, _ = self._expected_cells(question, self.frame.sizes.astype(float))
        share = float(ratios([question.row], cells).value(cells.positive)[0])
        return float(np.clip(share, 0, 1))

    def _expected_cells(self, question: Question, drawn: FloatArray) -> tuple[Cells, FloatArray]:
        """The expected counts, and the rates that are expected of them, (n_cells,). Labels of a
        random sample that is there count as they are, and correct the rates of the others."""
        tally = self.tallies[question.subject]
        empty = tally.cells(question.class_index)
        sampled = tally.stratum != NOT_SAMPLED
        share = np.where(sampled, (drawn / self.frame.sizes)[tally.stratum], 1.0)
        mean = self.suggested.rates(self.population, question)
        if self.existing.use == RANDOM:
            mean = np.clip(mean, *PROBABILITY_RANGE)
            mean = recalibrate(mean, empty.positive, empty.labelled)
            before = self.frame.drawn_before
            share = ((drawn - before) / np.maximum(self.frame.sizes - before, 1))[tally.stratum]
            new = share * (tally.size - empty.labelled)
            both = replace(
                empty, labelled=empty.labelled + new, positive=empty.positive + new * mean
            )
            return both, mean
        labelled = share * tally.size
        positive = np.where(sampled, labelled * mean, empty.positive)
        return (
            replace(empty, labelled=labelled, positive=positive),
            positive / np.maximum(labelled, 1e-9),
        )

    def labels_for(self, margin: float, most: int) -> int:
        """The smallest number of labels whose expected half-widths all meet ``margin``; ``most``
        where none does."""
        if not self.meets(most, margin):
            return most
        low, high = max(self.design.least(self.frame) - self.given, 0), most
        if self.plan.existing == "random" and self.meets(low, margin):
            return low
        while high - low > max(1, high // 500):
            middle = (low + high) // 2
            low, high = (low, middle) if self.meets(middle, margin) else (middle, high)
        return high

    def size_for(self, name: str, margin: float | None, budget: int | None) -> int:
        """The value of the parameter ``name`` that the size follows from: the least whose expected
        half-widths all meet ``margin``, the largest whose labels ``budget`` allows; the smaller of
        both. What is drawn by chance is drawn by the plan's seed, so that the labels are those that
        will be asked."""
        most = min(SIZES * len(self.population), MOST_SIZE)
        found = most
        if margin is not None:
            start = math.ceil(1 / (2 * margin) ** 2)
            found = _crossing(lambda size: self._margin_met(name, size, float(margin)), start, most)
        if budget is not None:
            over = _crossing(lambda size: self._resize(name, size).most > budget, budget, most + 1)
            found = min(found, max(over - 1, 1))
        return found

    def _resize(self, name: str, size: int) -> Outlook:
        params = replace(self.setup.params, **{name: size})
        self.setup = replace(self.setup, params=params)
        self.frame = self.design.resized(self.setup, self.frame)
        return self

    def _margin_met(self, name: str, size: int, margin: float) -> bool:
        labels = self._resize(name, size).most
        look, drawn = self._look(labels, labels), self.allocation(labels)
        return all(width <= margin for width in self._half_widths(drawn, look))

    def meets(self, labels: int, margin: float) -> bool:
        """Whether so many labels, planned for, are expected to meet a margin."""
        every = labels + self.given
        first = self.design.first_look(self.frame, every, self.plan.promised)
        if every < first and not (self.plan.from_the_first_label and self.plan.horizon is not None):
            return False
        return max(self.half_widths(labels, labels).values(), default=0.5) <= margin

    def derived(self, planned: int) -> dict[str, Any]:
        classifier = self.classifiers[0]
        tally = self.tallies[classifier]
        positive = self.population.classes.index(self.population.positive)
        above = int(tally.size[tally.cells(positive).predicted].sum())
        return {
            "stratum_sizes": [int(size) for size in self.frame.sizes],
            "edges": [int(edge) for edge in np.cumsum(self.frame.sizes)],
            "planned": [int(number) for number in self.allocation(planned)],
            "assumption": planning_words(self.population, classifier, above),
            "notes": self.notes(planned),
            **self.design.derived(self.frame, planned),
            "expected_saving": self.design.expected_saving(self.setup, self.frame, planned),
        }
