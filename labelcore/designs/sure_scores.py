"""Scores that say how sure a classifier is of its prediction, not how positive an item is."""

import numpy as np

from labelcore.errors import PlanArgumentError
from labelcore.population import Population
from labelcore.population.kept import Kept, Recent
from labelcore.stats.profile import BoolArray, FloatArray

SURE = Kept(Recent[tuple[str, ...]])
HALF, STRAY = 0.495, 0.001
FEWEST, PART = 20, 5
MIXED, CLEAR = 0.25, 0.1
TURNED = (
    "The score of {name!r} looks like how sure it is of its prediction: it is turned round where "
    "{other!r} is predicted."
)
NOT_TURNED = (
    "The score of {name!r} looks like how sure it is of its prediction, not like how {positive!r} "
    "an item is: the list follows it as it is."
)


def scores_looking_sure(population: Population) -> tuple[str, ...]:
    """The classifiers with a prediction column whose score ``looks_sure``; of two classes only,
    as with several a score is the probability of the predicted class anyway."""
    if len(population.classes) != 2:
        return ()
    return SURE.of(population).get((), lambda: _found_sure(population))


def _found_sure(population: Population) -> tuple[str, ...]:
    named = population.arguments["predictions"]
    return tuple(
        name
        for name, score in population.scores.items()
        if name in named
        and name in population.predictions
        and name not in population.descending
        and looks_sure(score, _said(population, name))
    )


def looks_sure(score: FloatArray, said: BoolArray) -> bool:
    """Whether ``score`` looks like the probability of the predicted class, as a share or in per
    cent; ``said`` tells which items are predicted positive, both (n_items,).

    Such a score is p where positive is predicted and 1 - p elsewhere, the class with the larger one
    being predicted: nothing lies under one half, and beside it both classes are predicted about
    equally often. From there on it goes towards one of them or neither; a score of the positive
    class that lies above one half goes from one class to the other. Promise: none. A wrong answer
    widens intervals, as any bad score does.
    """
    fewer = int(min(said.sum(), (~said).sum()))
    share = _as_share(score)
    if share is None or fewer < FEWEST or float(share.max()) == float(share.min()):
        return False
    if np.count_nonzero(share < HALF) > int(STRAY * (len(share) - 1)):
        return False
    number = max(FEWEST, fewer // PART)
    return _goes_apart(_positive_share(-share, said, number), _positive_share(share, said, number))


def _goes_apart(beside: float, far: float) -> bool:
    """Whether the classes are called about equally often beside one half, and the share does not
    go from one class to the other."""
    crosses = (beside - 0.5) * (far - 0.5) < 0 and min(abs(beside - 0.5), abs(far - 0.5)) > CLEAR
    return MIXED <= beside <= 1 - MIXED and not crosses


def turned(population: Population, names: tuple[str, ...]) -> Population:
    """The file with the scores of these classifiers turned round where the other class than the
    positive one is predicted, so that larger is more positive; the file itself without any.

    Raises PlanError for a classifier without a score or predictions, or with several classes.
    """
    for name in names:
        both = name in population.scores and name in population.predictions
        if not both or len(population.classes) != 2:
            needs = f"names {name!r}, which needs a score, predictions and two classes"
            raise PlanArgumentError("sure_scores", needs, value=name)
    if not names:
        return population
    return population.with_turned(
        {name: _turned(population.scores[name], _said(population, name)) for name in names}
    )


def turned_words(population: Population) -> list[str]:
    """A sentence for each classifier whose score is turned round."""
    other = next(name for name in population.classes if name != population.positive)
    return [TURNED.format(name=name, other=other) for name in sorted(population.turned)]


def _turned(score: FloatArray, called: BoolArray) -> FloatArray:
    share = _as_share(score)
    if share is not None:
        return np.asarray(np.where(called, share, 1 - share))
    return np.asarray(np.where(called, score - score.min(), score.min() - score))


def _said(population: Population, name: str) -> BoolArray:
    positive = population.classes.index(population.positive)
    return np.asarray(population.predictions[name] == positive)


def _as_share(score: FloatArray) -> FloatArray | None:
    """Shares as they are, percentages divided; None for anything else."""
    low, high = float(score.min()), float(score.max())
    if low < 0 or high > 100:
        return None
    return score if high <= 1 else score / 100


def _positive_share(order: FloatArray, called: BoolArray, number: int) -> float:
    """The share called positive of the ``number`` items highest in ``order``, and their ties."""
    edge = np.partition(order, len(order) - number)[len(order) - number]
    return float(called[order >= edge].mean())
