"""What a selection chooses between: the top n of a score, thresholds, classifiers."""

from dataclasses import dataclass

import numpy as np

from labelcore.designs.base import IntArray, Setup
from labelcore.errors import ParameterError, PlanError
from labelcore.stats.profile import FloatArray

FIRST_SIZE = 50
EMPTY = "{name!r} calls no item positive: it is left out."
TIED = "{name!r} cuts among items of equal score: a threshold on the score cannot give just them."


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """A name and the items it calls positive.

    items       (size,), positions in the file
    threshold   the score from which on an item is called positive: the mean of the n-th and the
                (n+1)-th score (footnote 2), or the threshold given; None without a score
    """

    name: str
    items: IntArray
    threshold: float | None


def candidates_of(setup: Setup) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    """The candidates of a plan on its file, and notes about them.

    Raises PlanError for one that the file lacks, a size beyond the file and a file with more than
    two classes; it names ``candidates``, the value and the rule.
    """
    population = setup.population
    if len(population.classes) > 2:
        raise PlanError("design 'reach_selection' needs a file with two classes")
    wanted = setup.params.candidates or _default(setup)
    sizes = [entry for entry in wanted if isinstance(entry, int)]
    order = setup.ranking(_turned_score(setup)) if sizes else np.zeros(0, np.int64)
    candidates = [_candidate(setup, entry, order) for entry in wanted]
    names = [candidate.name for candidate in candidates]
    if len(set(names)) < len(names):
        raise ParameterError("candidates", f"names one twice: {', '.join(names)}")
    kept = tuple(candidate for candidate in candidates if len(candidate.items))
    if not kept:
        raise ParameterError("candidates", f"needs one that calls an item positive, got {wanted}")
    notes = [EMPTY.format(name=each.name) for each in candidates if not len(each.items)]
    return kept, (*notes, *_tied(setup, sizes, order))


def _default(setup: Setup) -> tuple[int | str, ...]:
    """Top 50, 100, 200, ... up to half the file; without a score every classifier that predicts."""
    n_items = len(setup.population)
    if setup.classifier is not None and setup.classifier in setup.population.scores:
        return first_sizes(n_items)
    names = [name for name in setup.population.classifiers if name in setup.population.predictions]
    if not names:
        raise ParameterError("candidates", "needs a classifier with a score or a prediction")
    return tuple(names)


def first_sizes(items: int) -> tuple[int, ...]:
    """
    >>> first_sizes(1000), first_sizes(30)
    ((50, 100, 200, 400), (30,))
    """
    sizes = [FIRST_SIZE * 2**step for step in range(64) if FIRST_SIZE * 2**step <= items / 2]
    return tuple(sizes) or (min(FIRST_SIZE, items),)


def _candidate(setup: Setup, entry: int | float | str, order: IntArray) -> Candidate:
    if isinstance(entry, str):
        return _classifier(setup, entry)
    return _top(setup, entry, order) if isinstance(entry, int) else _above(setup, entry)


def _classifier(setup: Setup, name: str) -> Candidate:
    population = setup.population
    if name not in population.predictions:
        known = ", ".join(population.predictions) or "none"
        raise ParameterError(
            "candidates", f"names {name!r}; classifiers with predictions are {known}"
        )
    positive = population.classes.index(population.positive)
    items = np.flatnonzero(population.predictions[name] == positive)
    return Candidate(name, items, population.thresholds.get(name))


def _top(setup: Setup, size: int, order: IntArray) -> Candidate:
    if not 1 <= size <= len(order):
        raise ParameterError(
            "candidates",
            f"may name a top n from 1 to the {len(order):,} items of the file, got {size}",
        )
    scores = setup.population.scores[_scored(setup)]
    ends = scores[order[size - 1 : size + 1]]
    return Candidate(f"top {size}", np.sort(order[:size]), float(ends.mean()))


def _above(setup: Setup, threshold: float) -> Candidate:
    name = _scored(setup)
    if not np.isfinite(threshold):
        raise ParameterError("candidates", f"must be finite, got {threshold}")
    descending = name in setup.population.descending
    sign = -1.0 if descending else 1.0
    items = np.flatnonzero(_turned_score(setup) >= sign * threshold)
    shown = repr(threshold).removesuffix(".0")
    return Candidate(f"{name}{'<=' if descending else '>='}{shown}", items, threshold)


def _scored(setup: Setup) -> str:
    if setup.classifier is None or setup.classifier not in setup.population.scores:
        raise ParameterError(
            "candidates",
            "names a top n or a threshold, which needs a classifier with a score, got "
            f"{setup.classifier!r}",
        )
    return setup.classifier


def _turned_score(setup: Setup) -> FloatArray:
    """(n_items,), larger is more positive."""
    score = setup.population.ordering_score(_scored(setup))
    assert score is not None
    return score


def _tied(setup: Setup, sizes: list[int], order: IntArray) -> list[str]:
    """Notes on top n candidates whose last item ties with the first one left out."""
    score = _turned_score(setup) if sizes else order
    return [
        TIED.format(name=f"top {size}")
        for size in sizes
        if size < len(order) and score[order[size - 1]] == score[order[size]]
    ]
