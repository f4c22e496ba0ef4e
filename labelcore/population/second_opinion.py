"""A second opinion on each item, made from what it says before anything is labelled.

A model learns from the content of four fifths of the items what a classifier says of them, and
says it of the last fifth: where it differs the classifier is wrong more often than elsewhere. No
truth is looked at, so that it is a helper like any other column.

Source: our own; strata from features are the future work of Kumar and Raj (2018). Measured in
docs/content.md.
"""

import warnings
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.population.content_features import (
    MOST_CATEGORIES,
    SAMPLE,
    Terms,
    content_features,
    content_terms,
)
from labelcore.population.opinions import Features, Opinion
from labelcore.population.population import Population
from labelcore.population.revealing import looks_like_answer

CONTENT = "content"
"""What the helper is called in ``params["helpers"]``."""
SEED, FOLDS, INVERSE_PENALTY = 0, 5, 4.0
DIGITS, STEPS = 3, 200
ONE_PREDICTION = "{classifier!r} says the same of every item"
THE_ANSWER = (
    "{column!r} says what all {answers:,} known answers say and is left out: if it holds the "
    "answers, they are known and nothing need be labelled"
)
LEAST_KNOWN = 10
"""So many known answers of either class before a column that parts them all says something."""
NO_COLUMN = "no column is judged that is not a score, a prediction or an answer"
TWO_CLASSES = "content is learned with two classes only"


def content_columns(population: Population) -> tuple[str, ...]:
    """The columns that people judge, without scores, predictions, helpers and answers."""
    given = population.arguments
    used = {given.get("known"), *given["scores"].values(), *given["predictions"].values()}
    used |= {*given.get("helpers", {}).values()}
    return tuple(
        name
        for name in population.content_columns
        if name not in used and not looks_like_answer(name)
    )


def second_opinion(population: Population, classifier: str) -> Opinion:
    """What the content says of a classifier's predictions, kept with the population.

    Making it takes seconds; ``labelcore.population.apart`` does it in a process of its own.
    """
    opinion = population.opinions.get(classifier)
    if opinion is None:
        opinion = population.opinions[classifier] = _made(population, classifier)
    return opinion


def features_of(population: Population, classifier: str) -> Features:
    """The same content as few numbers, from which labels can teach something (``designs.recut``),
    kept with the population."""
    return content_features(population, second_opinion(population, classifier).columns, seed=SEED)


def remember(
    population: Population, classifier: str, opinion: Opinion, features: Features | None
) -> None:
    """Both were made before, the numbers only where they are wanted."""
    population.opinions[classifier] = opinion
    if features is not None:
        population.features[opinion.columns, SEED, SAMPLE] = features


def _made(population: Population, classifier: str) -> Opinion:
    predicted, columns = population.predictions.get(classifier), content_columns(population)
    if len(population.classes) > 2:
        return _none(population, TWO_CLASSES)
    if predicted is None or np.ptp(predicted) == 0:
        return _none(population, ONE_PREDICTION.format(classifier=classifier))
    if not columns:
        return _none(population, NO_COLUMN)
    telling = _telling(population, columns)
    answers = tuple(THE_ANSWER.format(column=name, answers=n) for name, n in telling.items())
    asked = [name for name in columns if name not in telling]
    terms = content_terms(population, asked, seed=SEED)
    notes = (*answers, *terms.notes)
    if not terms.columns:
        return _none(population, *notes)
    score = _cross_fitted(terms, predicted == population.classes.index(population.positive))
    return Opinion(score, sha256(score.tobytes()).hexdigest(), terms.columns, notes)


def _telling(population: Population, columns: Sequence[str]) -> dict[str, int]:
    """Columns that part the known answers of either class without exception, where these are enough
    to tell, with their number."""
    known = population.known
    if known is None:
        return {}
    there = np.flatnonzero(known >= 0)
    truth = known[there] == population.classes.index(population.positive)
    if min(truth.sum(), (~truth).sum()) < LEAST_KNOWN:
        return {}
    telling = {}
    for name in columns:
        every = population.column(name)
        texts = [every[place].strip() for place in there]
        numbers = pd.to_numeric(pd.Series(texts, dtype="object"), errors="coerce").to_numpy()
        yes, no = ({text for text, side in zip(texts, truth, strict=True) if side == way}
                   for way in (True, False))  # fmt: skip
        few = not yes & no and len(yes | no) <= MOST_CATEGORIES
        high, low = numbers[truth], numbers[~truth]
        if few or high.min() > low.max() or high.max() < low.min():
            telling[name] = len(there)
    return telling


def _none(population: Population, *why: str) -> Opinion:
    return Opinion(np.zeros(len(population), dtype=np.float32), "", (), why)


def _cross_fitted(terms: Terms, positive: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The log odds that each item is called positive, (n_items,), by a model that has not seen it,
    to so many digits that rounding elsewhere changes few."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    fold = np.empty(len(positive), dtype=np.int8)
    fold[np.random.default_rng([SEED, 2]).permutation(len(positive))] = (
        np.arange(len(positive)) % FOLDS
    )
    scores = np.zeros(len(positive), dtype=np.float32)
    mine, called = fold[terms.chosen], positive[terms.chosen]
    slopes, levels = np.zeros((FOLDS, terms.sampled.shape[1])), np.zeros(FOLDS)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # It need not be at its end to help.
        for part in range(FOLDS):
            others = mine != part
            if len(np.unique(called[others])) == 2:
                model = LogisticRegression(C=INVERSE_PENALTY, max_iter=STEPS)
                model.fit(terms.sampled[others], called[others])
                slopes[part], levels[part] = model.coef_[0], model.intercept_[0]
        every = len(terms.chosen) == len(positive)
        for start, piece in [(0, terms.sampled)] if every else terms.pieces():
            rows = slice(start, start + piece.shape[0])
            odds = np.asarray(piece @ slopes.T) + levels
            scores[rows] = np.take_along_axis(odds, fold[rows, None].astype(np.int64), axis=1)[:, 0]
    return np.round(scores, DIGITS)
