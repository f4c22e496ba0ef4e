"""The confidence of each figure where the plan's is that of all figures together."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.designs.scalars import Answers
from labelcore.estimands import table_of
from labelcore.log.engine import Engine
from labelcore.stats.max_t import (
    Overlap,
    Pull,
    blocks,
    crossed_covariance,
    error_levels,
    pull_of,
    shared_covariance,
)
from labelcore.stats.profile import FloatArray, side_by_side
from labelcore.tallies import Question, Tally

Crossing = Callable[[int, int, int], Overlap]
"""Of a session and two groups of questions: which labels their cells share."""


def confidences(
    engines: Sequence[Engine],
    groups: Sequence[list[Question]],
    answers: Sequence[Sequence[Answers[Any]]],
) -> list[float]:
    """That of each figure at this look, for each of several sessions of one plan.

    groups    the questions that are read from the same cells; answers: those of each group, for
              each session
    """
    plan, number = engines[0].plan, len(engines[0].questions)
    if not plan.correlated or number < 2:
        return [plan.confidence_of_each(number)] * len(engines)
    alike: dict[tuple[int, ...], list[int]] = {}
    for place in range(len(engines)):
        shape = tuple(len(group[place].cells.size) for group in answers)
        alike.setdefault(shape, []).append(place)
    sure = np.empty(len(engines))
    for places in alike.values():
        mine = [engines[place] for place in places]
        tallies = [[engine.tallies[group[0].subject] for engine in mine] for group in groups]
        pulls = [
            pull([group[place] for place in places], of_group, plan.target)
            for group, of_group in zip(answers, tallies, strict=True)
        ]

        def crossing(
            run: int, i: int, j: int, mine: Any = mine, tallies: Any = tallies, pulls: Any = pulls
        ) -> Overlap:
            sides = [(tallies[at][run], pulls[at].counted[run]) for at in (i, j)]
            return _shared_labels(mine[run], *sides)

        covariance = covariance_of(pulls, [tally[0] for tally in tallies], crossing)
        sure[places] = 1 - error_levels(covariance, plan.confidence, portable=plan.portable)
    return [float(level) for level in sure]


def pull(answers: Sequence[Answers[Any]], tallies: Sequence[Tally], target: str) -> Pull:
    """The pull of one group of questions, of several sessions with as many cells each."""
    cells = side_by_side([answer.cells for answer in answers])
    rates = [answer.rates for answer in answers]
    known = None if rates[0] is None else np.array(rates)
    index = answers[0].class_index
    counted = [
        tally.prediction if index is None else np.full(len(tally.size), index) for tally in tallies
    ]
    return pull_of(cells, table_of(answers[0].rows, cells), np.array(counted), known, target=target)


def covariance_of(
    pulls: Sequence[Pull], tallies: Sequence[Tally], crossing: Crossing
) -> FloatArray:
    """(n_sessions, n_figures, n_figures), the figures in the order of their groups.

    tallies   of each group, in one of the sessions
    """
    rows = []
    for i, mine in enumerate(pulls):
        rows.append([shared_covariance(mine, mine)])
        for j in range(i + 1, len(pulls)):
            if _same_parts(tallies[i], tallies[j]):
                rows[i].append(shared_covariance(mine, pulls[j]))
                continue
            each = [
                crossed_covariance(mine.run(run), pulls[j].run(run), crossing(run, i, j))
                for run in range(len(mine.rate))
            ]
            rows[i].append(np.array(each))
    return blocks(rows)


def _same_parts(first: Tally, second: Tally) -> bool:
    """Whether the cells of both are the same parts of the file: those of one classifier, or whole
    strata of either."""
    if first is second:
        return True
    whole = len(np.unique(first.stratum)) == len(first.stratum)
    return whole and np.array_equal(first.stratum, second.stratum)


def _shared_labels(
    engine: Engine, first: tuple[Tally, IntArray], second: tuple[Tally, IntArray]
) -> Overlap:
    """The labels so far by their cells in two tallies, each with the class counted in its cells."""
    labelled = engine.codes.labelled
    codes = engine.codes[labelled]
    places = [tally.cells_at(labelled) for tally, _ in (first, second)]
    both = (places[0] >= 0) & (places[1] >= 0)
    codes, cells = codes[both], [cell[both] for cell in places]
    right = [
        codes == counted[cell] for cell, (_, counted) in zip(cells, (first, second), strict=True)
    ]
    first_pairs, other, joint = pairs_of(*cells)
    positive = [np.bincount(joint, mine, len(first_pairs)) for mine in right]
    return Overlap(first_pairs, other, np.bincount(joint).astype(float), np.array(positive))


def pairs_of(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The pairs of cells that hold an item, (n_pairs,) each, and the pair of each item,
    (n_items,)."""
    width = int(second.max(initial=0)) + 1
    both, joint = np.unique(first * width + second, return_inverse=True)
    return both // width, both % width, joint.reshape(-1)
