"""What errors have in common: scores, words, lengths, groups and what other classifiers say, as far
as chance does not explain it. It is about the labelled items alone, no estimate of the file.

It is looked for at half of the planned labels, at all of them, and whenever they have doubled
since: each look is one more chance to be told what is none, so they share the error level.
"""

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
WORD, ANY_WORD = re.compile(r"[^\W\d_]{3,}"), re.compile(r"\w+")
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
    shared: list[Shared] = []
    looked_for = 0
    alpha = (1 - engine.plan.confidence) * level
    if labels:
        position, given = drawn[:labels], code[code >= 0][:labels]
        called = population.predictions[name][position]
        ids = [population.id_at(place) for place in position.tolist()]
        features = features_of(engine, position, name, text_of(ids))
        looked_for = len(features)
        has = np.array([feature.has for feature in features]).reshape(looked_for, labels)
        random = np.random.default_rng((abs(engine.plan.seed), labels))
        common = in_common(has, called != given, called.astype(np.int64), alpha, random)
        for part in apart(common, features):
            feature = features[part.feature]
            shared.append(_shared(part, feature, population.classes[part.part]))
    scope = Scope(
        population.name, len(population), name, positive=population.positive,
        audit=population.has_judge,
    )  # fmt: skip
    sure = engine.plan.confidence
    return ErrorsInCommon(name, labels, after, looked_for, sure, tuple(shared), scope)


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
    last = max((place for place, number in enumerate(at) if number <= labels), default=-1)
    return (at[last], spent[last], at[last + 1]) if last >= 0 else (0, 0.0, at[0])


def _predicting(engine: Engine, classifier: str | None) -> str:
    population = engine.population
    known = [name for name in population.classifiers if name in population.predictions]
    first = [name for name in engine.classifiers if name in known]
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
    traits: list[_Feature] = []
    if name in population.scores:
        traits += _parted("score", name, np.asarray(population.scores[name][position], dtype=float))
    words = [WORD.findall(text.casefold()) for text in texts]
    if any(words):
        traits += _parted("length", "", np.array([len(ANY_WORD.findall(t)) for t in texts], float))
    for column, group in population.groups.items():
        codes, names = group.codes[position], group.names
        for value, number in Counter(codes[codes >= 0].tolist()).most_common(MOST_VALUES):
            if number >= FEWEST:
                traits.append(_Feature("group", column, names[value], False, codes == value))
    mine = population.predictions[name][position]
    for other, predicted in population.predictions.items():
        if other != name:
            traits.append(_Feature("classifier", other, "", False, predicted[position] != mine))
    sets = [set(text) for text in words]
    often = Counter(word for words_of in sets for word in words_of)
    for word, number in sorted(often.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_WORDS]:
        if number >= FEWEST:
            has = np.array([word in text for text in sets])
            traits.append(_Feature("word", word, "", False, has))
    once: Mapping[bytes, _Feature] = {trait.has.tobytes(): trait for trait in reversed(traits)}
    return [trait for trait in traits if once[trait.has.tobytes()] is trait]


def _parted(kind: str, name: str, numbers: FloatArray) -> list[_Feature]:
    """The items up to each quantile, and those above it."""
    ends = np.unique(np.quantile(numbers, QUANTILES, method="lower"))
    return [
        _Feature(kind, name, float(end), above, numbers > end if above else numbers <= end)
        for end in ends
        for above in (False, True)
    ]


def apart(common: Sequence[InCommon], features: Sequence[_Feature]) -> list[InCommon]:
    """The clearest ones, without those whose items are nearly those of one before, or lie among
    them by another cut of the same numbers."""
    kept: list[InCommon] = []
    for part in common:
        mine = features[part.feature]
        others = [features[other.feature] for other in kept if other.part == part.part]
        if not any(_says_the_same(mine, other) for other in others):
            kept.append(part)
    return kept[:MOST_TOLD]


def having(
    population: Population, classifier: str, trait: Shared, position: IntArray, texts: Sequence[str]
) -> BoolArray:
    """Which of these items, with what stands in each, are called so and have it, (n_items,)."""
    known = population.predictions
    mine = known[classifier][position]
    called = mine == population.classes.index(trait.called)
    if trait.kind == "classifier":
        return np.asarray(called & (known[trait.name][position] != mine))
    if trait.kind == "group":
        group = population.groups[trait.name]
        return np.asarray(called & (group.codes[position] == group.names.index(str(trait.value))))
    words = [WORD.findall(text.casefold()) for text in texts]
    if trait.kind == "word":
        return np.asarray(called & np.array([trait.name in text for text in words], dtype=bool))
    numbers = np.array([len(ANY_WORD.findall(text)) for text in texts], dtype=float)
    if trait.kind == "score":
        numbers = np.asarray(population.scores[trait.name][position], dtype=float)
    end = float(trait.value)
    return np.asarray(called & (numbers > end if trait.above else numbers <= end))


def _says_the_same(feature: _Feature, other: _Feature) -> bool:
    cut = (feature.kind, feature.name, feature.above) == (other.kind, other.name, other.above)
    both = (feature.has & other.has).sum()
    whole = min(feature.has.sum(), other.has.sum()) if cut else (feature.has | other.has).sum()
    return bool(both >= ALIKE * max(whole, 1))


def _shared(common: InCommon, feature: _Feature, called: str) -> Shared:
    counts = common.wrong, common.items, common.wrong_else, common.items_else
    ends = common.times, common.low, common.high, common.chance
    return Shared(called, feature.kind, feature.name, feature.value, feature.above, *counts, *ends)
