"""What the scores suggest of a plan at any number of labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from labelcore.designs.base import AnswerCodes, Frame, IntArray, Look, Setup
from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.lists import LIST_DIFFERENCE, ComparesLists
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
from labelcore.estimands import CURVES, SUMMARIES, ratios, table_of
from labelcore.figures.cuts import ranks_that_matter
from labelcore.figures.from_counts import look_in_group
from labelcore.figures.narrowing import expected_share, narrows
from labelcore.figures.summaries import expected_half_widths
from labelcore.figures.together import covariance_of, pairs_of, pull
from labelcore.plan.against_file import as_ordered, chosen_classifiers, found_sure, make_setup
from labelcore.plan.existing import RANDOM, existing_labels, prepared
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.population.groupings import Grouping
from labelcore.population.kept import Kept, Recent, Same
from labelcore.stats.horizon import boundary
from labelcore.stats.max_t import Overlap, all_right, error_levels
from labelcore.stats.profile import NOT_SAMPLED, Cells, FloatArray
from labelcore.stats.recalibration import recalibrate
from labelcore.tallies import Question, Subject, Tallies, Tally, questions, subjects_of, tally_of
from labelcore.words.quantities import group_of, key_parts, label_of

MORE_THAN_ITEMS = (
    "The budget of {budget} is more than the file has: at most {items} items are labelled."
)
ONLY_THEIR_ORDER = (
    "The scores of {name!r} lie between {ends}, so they are no probabilities: only their order is "
    "used."
)
NO_VALUE = (
    "{figure} has no value, whatever is labelled: it rests on items of which the file has none."
)
LIST_OF_FIRST = "Of {list} there is one, along the scores of {first}; none for {others}."
SIZES, MOST_SIZE = 20, 999_999
"""The largest value of a size parameter that is tried: for each item, and in all."""


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
    groups    those that have figures of their own
    """

    stratum: IntArray
    groups: Grouping | None = None
    _tallies: Tallies = field(default_factory=Tallies)
    _rates: dict[Question, FloatArray] = field(default_factory=dict)

    @classmethod
    def by_scores(
        cls, population: Population, stratum: IntArray, groups: Grouping | None = None
    ) -> Suggested:
        """That of a population."""
        key = Same(stratum), Same(groups)
        return SUGGESTED.of(population).get(key, lambda: cls(stratum, groups))

    def tallies(
        self,
        population: Population,
        classifiers: tuple[str | None, ...],
        asked: Sequence[Question],
    ) -> Tallies:
        """The empty cells of every classifier, and of every two that are asked about."""
        whose = subjects_of(classifiers, asked)
        for subject in whose:
            if subject not in self._tallies:
                self._tallies[subject] = tally_of(population, self.stratum, subject, self.groups)
        return Tallies({subject: self._tallies[subject].copied() for subject in whose})

    def rates(self, population: Population, question: Question) -> FloatArray:
        """The mean of the rates of each cell's items, (n_cells,)."""
        if question not in self._rates:
            tally = self._tallies[question.subject]
            cell_of = tally.cell_of
            inside = cell_of >= 0
            rates = _item_rates(population, question, tally, np.maximum(cell_of, 0))
            mean = np.bincount(cell_of[inside], rates[inside], len(tally.size)) / tally.size
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
        self._allocations: dict[int, FloatArray] = {}
        self.classifiers = chosen_classifiers(population, plan)
        guess = plan.planned or plan.budget or min(len(population), 1000)
        self.setup: Setup = make_setup(population, plan, self.classifiers, guess)
        self.existing = existing_labels(population, plan, self.classifiers[0])
        self.frame: Frame = prepared(self.design, self.setup, self.existing)
        self.given = int(self.frame.drawn_before.sum())
        self.questions = questions(
            population, tuple(plan.estimands), self.classifiers, plan.classes, self.setup.groups
        )
        self.suggested = Suggested.by_scores(population, self.frame.stratum, self.setup.groups)
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
        """How many labels each stratum would have after so many new ones, (n_strata,); kept, and
        not to be changed."""
        every = labels + self.given
        if every not in self._allocations:
            counts = self.design.planned_counts(self.setup, self.frame, every).astype(float)
            counts.flags.writeable = False
            self._allocations[every] = counts
        return self._allocations[every]

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
        """{result: half-width} of the design's own interval at expected counts; a curve that is
        asked for counts where its band is widest. ``rough``: near enough for a picture."""
        look = replace(self.look_at(labels + self.given, planned + self.given), rough=rough)
        by_key = {}
        if self.questions:
            drawn = self.allocation(labels)
            share = expected_share(labels) if narrows(self.plan) else 1.0
            widths = [share * width for width in self._half_widths(drawn, look)]
            by_key = {asked.key: width for asked, width in zip(self.questions, widths, strict=True)}
        design = self.design
        if isinstance(design, ComparesLists):
            half = design.list_half_width(self.setup, self.frame, look)
            return {**by_key, LIST_DIFFERENCE: half}
        names = [name for name in self.plan.estimands if name in SUMMARIES]
        summed = self._of_list(labels, look, names)
        curve = {*self.plan.estimands} & {*CURVES} or not (by_key or summed)
        band = self._along_ranks(look) if curve else None
        along = {} if band is None else {"precision_curve": float(band.max())}
        return {**by_key, **along, **summed}

    def foreseen(self, labels: int, planned: int, *, rough: bool = False) -> dict[str, float]:
        """``half_widths`` of the figures that labels can give."""
        never, widths = self.never(), self.half_widths(labels, planned, rough=rough)
        return {key: width for key, width in widths.items() if key not in never}

    def never(self) -> list[str]:
        """The figures that rest on items of which the file has none."""
        asked = ((one, self.tallies[one.subject].cells(one.class_index)) for one in self.questions)
        return [
            question.key
            for question, cells in asked
            if np.isnan(table_of([question.row], cells).value(cells.size / 2)).all()
        ]

    def along_ranks(self, labels: int, planned: int) -> dict[str, float]:
        """{what: half-width} of the precision of as many first items as ``ranks_that_matter``,
        under their number, and of each number of the whole list; only what the method foresees."""
        look = self.look_at(labels + self.given, planned + self.given)
        ranks = ranks_that_matter(self.population, self.classifiers[0])
        widths = self._along_ranks(look, np.array(ranks, dtype=np.int64))
        along = {} if widths is None else dict(zip(map(str, ranks), widths.tolist(), strict=True))
        return {**along, **self._of_list(labels, look, [*SUMMARIES])}

    def _along_ranks(self, look: Look, ranks: IntArray | None = None) -> FloatArray | None:
        design = self.design
        if not isinstance(design, EstimatesCurve):
            return None
        return design.half_widths_at(self.setup, self.frame, look, ranks)

    def _of_list(self, labels: int, look: Look, names: Sequence[str]) -> dict[str, float]:
        """That of numbers of the whole list."""
        design = self.design
        if not (isinstance(design, EstimatesCurve) and design.samples_every_stratum):
            return {}
        counts = self.allocation(labels).astype(np.int64)
        centred = design.centres_numbers(self.setup.params)
        return expected_half_widths(self.setup, self.frame, counts, look, names, centred=centred)

    def look_at(self, labels: int, planned: int) -> Look:
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
            by_group=self.frame.group is not None,
            masses=plan.counts_masses,
        )

    def _half_widths(self, drawn: FloatArray, look: Look) -> list[float]:
        """That of each question at expected counts; those of the same cells are worked out
        together."""
        design: EstimatesScalars[Any] = EstimatesScalars.of(self.design)
        if self.plan.correlated and len(self.questions) > 1:
            answers = [self._expected_answers(question, drawn) for question in self.questions]
            covariance = self._covariance(answers, drawn)
            alpha = error_levels(covariance, self.plan.confidence, portable=self.plan.portable)
            look = replace(look, confidence=1 - float(alpha))
        every = self.allocation(max(look.planned - self.given, 0))
        widths = np.empty(len(self.questions))
        together: dict[Any, list[int]] = {}
        for place, question in enumerate(self.questions):
            together.setdefault((question.subject, question.class_index), []).append(place)
        for places in together.values():
            question, rows = self.questions[places[0]], [self.questions[n].row for n in places]
            mine, look_of_cells = replace(self._expected_answers(question, drawn), rows=rows), look
            if question.group is not None:
                look_of_cells = look_in_group(look, mine.cells, self._in(question, every))
            widths[places] = design.half_widths(self.setup, mine, look_of_cells, drawn)
        return list(widths.tolist())

    def _in(self, question: Question, drawn: FloatArray) -> float:
        """How many of some labels by stratum are in the group of a question."""
        return float(drawn[np.asarray(self.frame.group) == question.group].sum())

    def _covariance(self, answers: Sequence[Answers[Any]], drawn: FloatArray) -> FloatArray:
        """That of the questions at expected counts, (n_questions, n_questions)."""
        tallies = [self.tallies[question.subject] for question in self.questions]
        pulls = [
            pull([answer], [tally], self.plan.target)
            for answer, tally in zip(answers, tallies, strict=True)
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
            first, second, joint = pairs_of(*(self.tallies[subject].cell_of for subject in key))
            self._pairs[key] = first, second, np.bincount(joint, minlength=len(first))
        return self._pairs[key]

    def at_once(self, labels: int) -> AtOnce | None:
        """What a confidence of all numbers at once would change with about so many labels; None
        for fewer than two numbers."""
        if len(self.questions) < 2:
            return None
        labels = max(min(labels, self.most), self.design.least(self.frame) - self.given, 1)
        drawn, plan = self.allocation(labels), self.plan
        answers = [self._expected_answers(question, drawn) for question in self.questions]
        covariance = self._covariance(answers, drawn)
        every = replace(plan, together=True)
        level = 1 - every.confidence_of_each(len(answers))
        if every.correlated:
            level = float(error_levels(covariance, plan.confidence, portable=plan.portable))
        levels = np.array([level, 1 - plan.confidence])
        z = boundary(1, 0, levels, plan.horizon) if plan.horizon else ndtri(1 - levels / 2)
        right = float(all_right(covariance, plan.confidence))
        return AtOnce(len(answers), right, float(z[0] / z[1]))

    def _expected_answers(self, question: Question, drawn: FloatArray) -> Answers[Any]:
        cells, rates = self.expected_cells(question, drawn)
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
        drawn, look = self.allocation(planned), self.look_at(planned + self.given, planned)
        notes = [*self.frame.notes, *self._first_alone(), *self._not_turned()]
        notes += [*self._more_than_items(), *self._no_probabilities()]
        for key in self.never():
            name, of_class, other = key_parts(key)
            title = label_of(name, self.population.has_judge)
            figure, group = " of ".join(filter(None, (title, of_class, other))), group_of(key)
            notes.append(NO_VALUE.format(figure=f"{figure} in {group[1]}" if group else figure))
        for question in self.questions:
            design: EstimatesScalars[Any] = EstimatesScalars.of(self.design)
            notes += design.forecast_notes(self._expected_answers(question, drawn), look)
        return list(dict.fromkeys(notes))

    def _more_than_items(self) -> list[str]:
        """That a budget is larger than the file."""
        budget, items = self.plan.budget, len(self.population)
        if budget is None or budget <= items or self.plan.counts_draws:
            return []
        return [MORE_THAN_ITEMS.format(budget=f"{budget:,}", items=f"{items:,}")]

    def _no_probabilities(self) -> list[str]:
        """Of scores outside 0 to 1, that their order alone is used."""
        notes = []
        for name in self.classifiers if NOT_PROBABILITIES not in self.frame.notes else ():
            score = self.population.scores.get(str(name))
            if score is not None and len(score) and (score.min() < 0 or score.max() > 1):
                ends = f"{score.min():.4g} and {score.max():.4g}"
                notes.append(ONLY_THEIR_ORDER.format(name=name, ends=ends))
        return notes

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
        cells, _ = self.expected_cells(question, self.frame.sizes.astype(float))
        share = float(ratios([question.row], cells).value(cells.positive)[0])
        return float(np.clip(share, 0, 1))

    def expected_cells(self, question: Question, drawn: FloatArray) -> tuple[Cells, FloatArray]:
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
        least = most
        if margin is not None:
            start = math.ceil(1 / (2 * margin) ** 2)
            least = _crossing(lambda size: self._margin_met(name, size, float(margin)), start, most)
        if budget is not None:
            over = _crossing(lambda size: self._resize(name, size).most > budget, budget, most + 1)
            least = min(least, max(over - 1, 1))
        return least

    def _resize(self, name: str, size: int) -> Outlook:
        params = replace(self.setup.params, **{name: size})
        self.setup = replace(self.setup, params=params)
        self.frame = self.design.resized(self.setup, self.frame)
        return self

    def _margin_met(self, name: str, size: int, margin: float) -> bool:
        labels = self._resize(name, size).most
        look, drawn = self.look_at(labels, labels), self.allocation(labels)
        return all(width <= margin for width in self._half_widths(drawn, look))

    def meets(self, labels: int, margin: float) -> bool:
        """Whether so many labels, planned for, are expected to meet a margin."""
        every = labels + self.given
        first = self.design.first_look(self.frame, every, self.plan.promised)
        if every < first and not (self.plan.from_the_first_label and self.plan.horizon is not None):
            return False
        return self._widest(self.half_widths(labels, labels)) <= margin

    def _widest(self, widths: Mapping[str, float]) -> float:
        """The largest of some half-widths, those of groups as a figure of all items that is as near
        to its margin."""
        plan = self.plan
        of_groups = {question.key for question in self.questions if question.group is not None}
        margins = {key: plan.margin_of(grouped=key in of_groups) for key in widths}
        if not any(margins.values()):  # A margin that the plan has not is tried.
            margins = {key: None if key in of_groups else plan.goal for key in widths}
        half = [widths[key] * plan.goal / goal for key, goal in margins.items() if goal is not None]
        return max(half, default=0.5)

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
