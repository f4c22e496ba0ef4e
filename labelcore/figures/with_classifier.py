"""Whether labels agree with the classifier that they judge, and what figures are if some do so only
because the screen said what it thinks."""

from collections.abc import Mapping

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.estimands import table_of
from labelcore.log.engine import Engine
from labelcore.results.race import Race
from labelcore.stats.profile import BoolArray, Cells
from labelcore.tallies import Question

SHARES = 0.01, 0.05, 0.1


def labels_in_force(engine: Engine) -> tuple[IntArray, IntArray]:
    """Position and class of each item that has a label, in the order of the answers."""
    given = []
    for index, asked in enumerate(engine.asked, start=1):
        event = engine.in_force(index)
        if event is not None and event.kind == "labelled":
            given.append((event.sequence, asked.position, engine.classes[str(event.label)]))
    _, position, code = np.array(sorted(given), dtype=np.int64).reshape(-1, 3).T
    return position, code


def agreements(engine: Engine, heads: Mapping[str, int] | None = None) -> dict[str, BoolArray]:
    """Of each figure, for each label that counts for it in the order of the answers, whether the
    classifier says the same. For a difference count those that one of two classifiers agrees with:
    True is the first one. Of ``heads``, first items of a ranked list, that is being positive."""
    position, code = labels_in_force(engine)
    found = {asked.key: _agree(engine, asked, position, code) for asked in engine.questions}
    if heads:
        positive = code == engine.classes[engine.population.positive]
        found |= {name: positive[engine.rank_of[position] <= heads[name]] for name in heads}
    return found


def race_of(engine: Engine) -> Race | None:
    """The race of two classifiers where the first thing asked is which is the more accurate; None
    elsewhere, and where the planned labels do not reach all items on which the two disagree."""
    if not engine.questions:
        return None
    first, population = engine.questions[0], engine.population
    name, other = first.classifier, first.versus
    if first.row.name != "accuracy_difference" or name is None or other is None:
        return None
    if engine.plan.target != "file" or len(engine.existing.positions):
        return None
    if len(population.classes) != 2:  # With more, both may be wrong where they disagree.
        return None
    called = population.called(name, other).items()
    differ = sum(items for (one, two), items in called if one != two)
    if differ > engine.limit:
        return None
    position, code = labels_in_force(engine)
    predicted, against = (population.predictions[who][position] for who in (name, other))
    apart = np.flatnonzero(predicted != against)
    won = (predicted == code)[apart]
    only = float(engine.frame.sizes[engine.frame.asked].sum()) == differ
    alone = only or bool(getattr(engine.frame, "census", False))
    labels = (apart + 1).astype(np.float64)
    return Race(name, other, len(population), differ, labels, won, alone, only)


def _agree(engine: Engine, question: Question, position: IntArray, code: IntArray) -> BoolArray:
    every, row = engine.population.predictions, question.row
    if not row.needs_prediction or str(question.classifier) not in every:
        return np.zeros(0, dtype=bool)
    predicted = every[str(question.classifier)][position]
    right, counts = predicted == code, _counts(question, predicted, code)
    if question.versus is not None:
        other = every[question.versus][position]
        counts = (counts | _counts(question, other, code)) & (right != (other == code))
    elif question.class_index is not None:
        right = (predicted == question.class_index) == (code == question.class_index)
    return np.asarray(right[counts])


def _counts(question: Question, called: IntArray, code: IntArray) -> BoolArray:
    """Which labels are in what the figure of a classifier is divided by."""
    if question.class_index is None:
        return np.ones(len(code), dtype=bool)
    truth, predicted = code == question.class_index, called == question.class_index
    constant, by_truth, by_predicted, by_both = question.row.denominator
    weight = constant + by_truth * truth + by_predicted * predicted + by_both * (truth & predicted)
    return np.asarray(weight > 0)


def if_swayed(engine: Engine) -> Mapping[str, tuple[float, ...]]:
    """How far each figure of one classifier would move, for each of ``SHARES``: if so many of the
    labels that agree with it were the other way round, in each cell alike.

    Computed from the share of positives among the labels of each cell, not by the plan's method; a
    cell without labels stays as it is.
    """
    moves = {}
    for asked in engine.questions:
        if asked.versus is None and asked.row.needs_prediction and asked.classifier is not None:
            cells = engine.tallies[asked.subject].cells(asked.class_index)
            now, *other = (_value(asked, cells, share) for share in (0.0, *SHARES))
            if np.isfinite([now, *other]).all():
                moves[asked.key] = tuple(value - now for value in other)
    return moves


def _value(question: Question, cells: Cells, share: float) -> float:
    agree = np.where(cells.predicted, cells.positive, cells.labelled - cells.positive)
    positive = cells.positive + np.where(cells.predicted, -share, share) * agree
    rate = np.where(cells.labelled > 0, positive / np.maximum(cells.labelled, 1), 0.5)
    return float(table_of([question.row], cells).value(cells.size * rate)[0])
