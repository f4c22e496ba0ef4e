"""What errors have in common: scores, words, lengths, groups and what other classifiers say, as far
as chance does not explain it. It is about the labelled items alone, no estimate of the file.

It is looked for at half of the planned labels, at all of them, and whenever they have doubled
since: each look is one more chance to be told what is none, so they share the error level.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.errors import did_you_mean
from labelcore.log.engine import Engine
from labelcore.population import Population
from labelcore.results.in_common import ErrorsInCommon, Shared
from labelcore.results.scope import Scope
from labelcore.stats.in_common import FEWEST, InCommon, in_common
from labelcore.stats.profile import BoolArray, FloatArray

SPENT, REST = (0.4, 0.4), 0.2
"""Of the error level at half of the planned labels and at all; the rest is halved with each further
look."""
WORD = re.compile(r"[^\W\d_]{3,}")
MOST_WORDS, MOST_VALUES, MOST_TOLD = 300, 50, 5
QUANTILES = (0.25, 0.5, 0.75)
ALIKE = 0.8
"""Of the items of two told features, from which on the second one says nothing more."""


@dataclass(frozen=True, eq=False, slots=True)
class _Feature:
    """Which items have it, (n_items,)."""

    kind: str
    name: str
    value: str | float
    above: bool
    has: BoolArray


def errors_in_common(
    engine: Engine, text_of: Callable[[Sequence[str]], Sequence[str]], classifier: str | None = None
) -> ErrorsInCommon:
    """What is told now. Raises ValueError where nobody predicts.

    text_of   what stands in each of these items, by their ids
    """
    name, population = _predicting(engine, classifier), engine.population
    planned = engine.plan.planned or engine.setup.planned
    code = engine.draws.code
    drawn = engine.draws.position[code >= 0].astype(np.int64)
    labels, level, after = look_due(planned, len(drawn))
    found: list[Shared] = []
    looked_for = 0
    alpha = (1 - engine.plan.confidence) * level
    if labels:
        position, given = drawn[:labels], code[code >= 0][:labels]
        called = population.predictions[name][position]
        ids = [population.id_at(place) for place in position.tolist()]
        features = features_of(engine, position, name, text_of(ids))
        looked_for = len(features)
        has = np.array([one.has for one in features]).reshape(looked_for, labels)
        random = np.random.default_rng((engine.plan.seed, labels))
        told = in_common(has, called != given, called.astype(np.int64), alpha, random)
        for one in apart(told, features):
            feature = features[one.feature]
            found.append(_shared(one, feature, population.classes[one.part]))
    scope = Scope(
        population.name, len(population), name, positive=population.positive,
        audit=population.has_judge,
    )  # fmt: skip
    sure = engine.plan.confidence
    return ErrorsInCommon(name, labels, after, looked_for, sure, tuple(found), scope)


def look_due(planned: int, labels: int) -> tuple[int, float, int]:
    """The labels of the last look that is due, 0 before the first; its part of the error level; and
    the labels of the next one.

    >>> look_due(100, 49), look_due(100, 120), look_due(100, 450)
    ((0, 0.0, 50), (100, 0.4, 200), (400, 0.05, 800))
    """
    at, spent = [max(math.ceil(planned / 2), 1), planned], list(SPENT)
    while at[-1] <= labels:
        at.append(2 * at[-1])
        spent.append(REST / 2 ** (len(at) - 2))
    last = max((place for place, one in enumerate(at) if one <= labels), default=-1)
    return (at[last], spent[last], at[last + 1]) if last >= 0 else (0, 0.0, at[0])


def _predicting(engine: Engine, classifier: str | None) -> str:
    known = [one for one in engine.population.classifiers if one in engine.population.predictions]
    first = [one for one in engine.classifiers if one in known]
    if classifier is None and (first or known):
        return str([*first, *known][0])
    if classifier not in known:
        there, near = ", ".join(known) or "none", did_you_mean(str(classifier), known)
        raise ValueError(
            f"classifier must be one with predictions: {there}, got {classifier}{near}"
        )
    return classifier


def features_of(
    engine: Engine, position: IntArray, name: str, texts: Sequence[str]
) -> list[_Feature]:
    """Everything that these items have or have not, each set of items once."""
    population = engine.population
    found: list[_Feature] = []
    if name in population.scores:
        found += _parted("score", name, np.asarray(population.scores[name][position], dtype=float))
    words = [WORD.findall(text.casefold()) for text in texts]
    if any(words):
        found += _parted("length", "", np.array([len(one) for one in words], dtype=float))
    for column, group in population.groups.items():
        codes, names = group.codes[position], group.names
        for value, number in Counter(codes[codes >= 0].tolist()).most_common(MOST_VALUES):
            if number >= FEWEST:
                found.append(_Feature("group", column, names[value], False, codes == value))
    mine = population.predictions[name][position]
    for other, said in population.predictions.items():
        if other != name:
            found.append(_Feature("classifier", other, "", False, said[position] != mine))
    sets = [set(one) for one in words]
    often = Counter(word for one in sets for word in one)
    for word, number in sorted(often.items(), key=lambda one: (-one[1], one[0]))[:MOST_WORDS]:
        if number >= FEWEST:
            found.append(_Feature("word", word, "", False, np.array([word in one for one in sets])))
    once: Mapping[bytes, _Feature] = {one.has.tobytes(): one for one in reversed(found)}
    return [one for one in found if once[one.has.tobytes()] is one]


def _parted(kind: str, name: str, numbers: FloatArray) -> list[_Feature]:
    """The items up to each quantile, and those above it."""
    ends = np.unique(np.quantile(numbers, QUANTILES, method="lower"))
    return [
        _Feature(kind, name, float(end), above, numbers > end if above else numbers <= end)
        for end in ends
        for above in (False, True)
    ]


def apart(told: Sequence[InCommon], features: Sequence[_Feature]) -> list[InCommon]:
    """The clearest ones, without those whose items are nearly those of one before, or lie among
    them by another cut of the same numbers."""
    kept: list[InCommon] = []
    for one in told:
        mine = features[one.feature]
        others = [features[other.feature] for other in kept if other.part == one.part]
        if not any(_says_the_same(mine, other) for other in others):
            kept.append(one)
    return kept[:MOST_TOLD]


def having(
    population: Population, classifier: str, one: Shared, position: IntArray, texts: Sequence[str]
) -> BoolArray:
    """Which of these items, with what stands in each, are called so and have it, (n_items,)."""
    known = population.predictions
    mine = known[classifier][position]
    called = mine == population.classes.index(one.called)
    if one.kind == "classifier":
        return np.asarray(called & (known[one.name][position] != mine))
    if one.kind == "group":
        group = population.groups[one.name]
        return np.asarray(called & (group.codes[position] == group.names.index(str(one.value))))
    words = [WORD.findall(text.casefold()) for text in texts]
    if one.kind == "word":
        return np.asarray(called & np.array([one.name in found for found in words], dtype=bool))
    numbers = np.array([len(found) for found in words], dtype=float)
    if one.kind == "score":
        numbers = np.asarray(population.scores[one.name][position], dtype=float)
    end = float(one.value)
    return np.asarray(called & (numbers > end if one.above else numbers <= end))


def _says_the_same(one: _Feature, other: _Feature) -> bool:
    cut = (one.kind, one.name, one.above) == (other.kind, other.name, other.above)
    both = (one.has & other.has).sum()
    whole = min(one.has.sum(), other.has.sum()) if cut else (one.has | other.has).sum()
    return bool(both >= ALIKE * max(whole, 1))


def _shared(one: InCommon, feature: _Feature, called: str) -> Shared:
    counts = one.wrong, one.items, one.wrong_else, one.items_else
    ends = one.times, one.low, one.high, one.chance
    return Shared(called, feature.kind, feature.name, feature.value, feature.above, *counts, *ends)
