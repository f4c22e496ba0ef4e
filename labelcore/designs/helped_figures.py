"""Shares of a plain random sample, helped by the scores and other columns of all items."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from labelcore.designs.base import UNDECIDED, Frame, IntArray, Look, Setup, extended
from labelcore.designs.helpers import check_helpers, helper_notes, said_by_helpers
from labelcore.designs.one_group import counts_of_group, with_known
from labelcore.designs.rates import item_probability
from labelcore.designs.scalars import Answers, Figures
from labelcore.errors import ParameterError
from labelcore.estimands import Estimand, known_group, ratios
from labelcore.population import Population
from labelcore.promises import Form, Method
from labelcore.stats.difference_estimator import (
    LEAST_OF_EACH,
    Helped,
    cross_fitted,
    helped_share,
    over_answers,
)
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, FloatArray

HELPED = Method(
    "difference estimator with Wilson's interval at the effective number of labels",
    "Angelopoulos, Duchi and Zrnic (2023); Cochran (1977), chapter 7; Wilson (1927)",
    Form.APPROXIMATE,
)
SCORES, HELPERS, BOTH = "The scores", "The helpers", "The scores and helpers"
AGREE = "{what} {how} with the labels, which saved about {saved:.0%} of the labels."
NO_HELP = "{what} hardly agree with the labels: no label saved."
LITTLE, WELL = 0.3, 0.7
TOO_FEW = (
    f"{{what}} are not used: that takes {LEAST_OF_EACH} labels of the rarer outcome, to see how "
    "often they are wrong, and there are {rarer:,}."
)
EXPECTED_FEW = (
    f"{{what}} will be used for the {{quantity}} from {LEAST_OF_EACH} labels of the rarer "
    "outcome on; about {rarer:,} are expected, so the forecast is that of the labels alone. How "
    "the interval is made is chosen now and does not change after the first label."
)


@dataclass(frozen=True, eq=False, slots=True)
class HelpedSample(Frame):
    """A plain random sample with what other columns say of each item.

    helpers   the columns that were used, as far as they say something
    evidence  (n_items not known from the start, n_columns), the verdict of each (a half where it
              says nothing) and its order; None: there are none
    what      what stands for the items, in words
    """

    helpers: tuple[str, ...] = field(default=(), kw_only=True)
    evidence: FloatArray | None = field(default=None, kw_only=True)
    what: str = field(default=SCORES, kw_only=True)


def helped_sample(setup: Setup, frame: Frame) -> HelpedSample:
    """The frame with the evidence of the helpers of the plan. Raises ParameterError where neither a
    helper nor a score is a guess of the outcome."""
    said = {}
    if setup.classifier is not None:
        check_helpers(setup)
        said = said_by_helpers(setup, cut=False)
        frame = replace(frame, notes=(*frame.notes, *helper_notes(setup, cut=False)))
    if not said:
        _check_guesses(setup)
        return extended(frame, HelpedSample)
    votes = [np.nan_to_num(one.vote, nan=0.5) for one in said.values()]
    evidence = np.column_stack([*votes, *(one.order for one in said.values())])
    what = BOTH if setup.classifier in setup.population.scores else HELPERS
    return extended(frame, HelpedSample, helpers=tuple(said), evidence=evidence, what=what)


def _check_guesses(setup: Setup) -> None:
    name = setup.classifier
    if name is None or item_probability(setup.population, name) is None:
        raise ParameterError(
            "interval",
            "= 'difference' needs a helper, or a score between 0 and 1 for every item, "
            f"which {'the file lacks' if name is None else f'classifier {name!r} lacks'}; "
            "use 'wilson'",
        )


def helped_figures(answers: Answers[HelpedSample], look: Look, plain: Figures) -> Figures:
    """``plain`` with the shares of a group of known size estimated with the help of the scores, and
    of the helpers of the plan."""
    assert look.setup is not None
    population, frame = look.setup.population, answers.frame
    codes = answers.codes.of_all(len(population))
    parts = _items(answers, population, codes)
    if parts is None:
        return plain
    probability, truth, predicted = parts
    value, low, high = plain.value.copy(), plain.low.copy(), plain.high.copy()
    method = list(plain.method)
    notes = [""] * len(answers.rows)
    cells, table = answers.cells, ratios(answers.rows, answers.cells)
    sampled = frame.stratum != NOT_SAMPLED
    columns = _columns(answers, population, probability, predicted)
    for place, row in enumerate(answers.rows):
        group = known_group(row, cells)
        if group is None:
            continue
        mine = sampled & _members(row, predicted)
        answered = codes >= 0 if cells.judged is None else (codes >= 0) | (codes == UNDECIDED)
        seen = frame.queue[(mine & answered)[frame.queue]]
        outcome, judged = counted(row, truth, predicted)[seen], codes[seen] >= 0
        if columns is not None:
            position = np.cumsum(mine) - 1
            each = over_answers(outcome, judged)
            guess, mean = cross_fitted(each, columns[mine], position[seen])
        else:
            assert probability is not None
            every = counted(row, probability, predicted)
            guess, mean = every[seen], float(every[mine].mean()) if mine.any() else 0.0
        size = int(np.rint(cells.size[group & cells.sampled].sum()))
        found = helped_share(
            outcome, guess, mean, size, look.confidence, target=look.target, judged=judged
        )
        notes[place] = _note(found, outcome[judged], frame.what)
        if found.used:
            shares = np.array([found.value, found.low, found.high])
            own = with_known(cells, table.row(place), group, shares)
            value[place], low[place], high[place] = own
            method[place] = HELPED
    return replace(
        plain,
        value=value,
        low=low,
        high=high,
        method=tuple(method),
        notes=tuple(notes),
    )


def _columns(
    answers: Answers[HelpedSample],
    population: Population,
    probability: FloatArray | None,
    predicted: BoolArray,
) -> FloatArray | None:
    """What a regression may use, (n_items, n_columns): the score, and what the helpers say, with a
    slope of their own on either side of the prediction. None without helpers."""
    if answers.frame.evidence is None:
        return None
    evidence = np.zeros((len(predicted), answers.frame.evidence.shape[1]))
    evidence[answers.frame.stratum != NOT_SAMPLED] = answers.frame.evidence
    own = probability
    if own is None:
        score = population.ordering_score(str(answers.classifier))
        own = np.zeros(len(predicted)) if score is None else mid_rank_share(score)
    apart = np.column_stack([own, evidence])
    return np.column_stack([predicted, apart, apart * predicted[:, None]])


def expected_rarer(answers: Answers[HelpedSample], row: Estimand) -> float | None:
    """The labels of the rarer outcome among those that the share rests on; None for a quantity that
    is no share of a group of known size."""
    group = known_group(row, answers.cells)
    if group is None:
        return None
    mine = group & answers.cells.sampled
    hits, trials, _ = counts_of_group(answers.cells, ratios([row], answers.cells), mine)
    return min(hits, trials - hits)


def expected_left(population: Population, classifier: str, row: Estimand) -> float:
    """The share of the variance that the scores leave, if they are right, 0 to 1; 1 for a quantity
    that they do not help."""
    probability = item_probability(population, classifier)
    side = population.predictions.get(classifier)
    if probability is None or not row.group or (side is None and row.needs_prediction):
        return 1.0
    several = len(population.classes) > 2
    positive = population.classes.index(population.positive)
    said = np.full(len(probability), True) if several or side is None else side == positive
    mine = _members(row, said)
    guess = counted(row, probability, said)[mine]
    whole = float(guess.mean() * (1 - guess.mean())) if mine.any() else 0.0
    return float(np.clip(1 - guess.var() / whole, 0.0, 1.0)) if whole > 0 else 1.0


def _items(
    answers: Answers[HelpedSample], population: Population, codes: IntArray
) -> tuple[FloatArray | None, FloatArray, BoolArray] | None:
    """The chance that each item is positive (None: no score tells), whether its label is (0 without
    one), and whether it is predicted so, (n_items,); with several classes positive
    means judged rightly. None where neither scores nor helpers speak of this class."""
    name = answers.classifier
    probability = None if name is None else item_probability(population, name)
    side = None if name is None else population.predictions.get(name)
    several = len(population.classes) > 2
    guessed = probability is not None or answers.frame.evidence is not None
    if not guessed or (several and answers.class_index is not None):
        return None
    every = np.full(len(codes), True)
    if several:
        return probability, (codes == side).astype(float), every
    truth = (codes == answers.class_index).astype(float)
    return probability, truth, every if side is None else side == answers.class_index


def counted(row: Estimand, truth: FloatArray, predicted: BoolArray) -> FloatArray:
    """What an item adds to the numerator, for a truth or the chance of one, (n_items,)."""
    constant, of_truth, of_predicted, of_both = row.numerator
    said = predicted.astype(float)
    return np.asarray(constant + of_truth * truth + of_predicted * said + of_both * truth * said)


def _members(row: Estimand, predicted: BoolArray) -> BoolArray:
    """The items of the denominator, (n_items,)."""
    if row.group == "all":
        return np.full(len(predicted), True)
    return predicted if row.group == "predicted" else ~predicted


def few_words(frame: HelpedSample, row: Estimand, rarer: float) -> str:
    """Before the first label: that the guesses are not expected to be used."""
    return EXPECTED_FEW.format(what=frame.what, quantity=row.term, rarer=int(rarer))


def _note(found: Helped, outcome: FloatArray, what: str) -> str:
    """What the guesses did for a share; ``outcome`` is (n_labels,), 0 or 1."""
    if not found.used:
        hits = int(outcome.sum())
        rarer = min(hits, len(outcome) - hits)
        return TOO_FEW.format(what=what, rarer=rarer) if rarer < LEAST_OF_EACH else ""
    if found.saved < 0.005:
        return NO_HELP.format(what=what)
    how = agreement_words(found.correlation)
    return AGREE.format(what=what, how=how, saved=found.saved).replace("%", " %")


def agreement_words(correlation: float) -> str:
    """A correlation of 0 to 1 in words that fit its size.

    >>> agreement_words(0.1), agreement_words(0.5), agreement_words(0.9)
    ('hardly agree', 'agree a little', 'agree well')
    """
    if correlation < LITTLE:
        return "hardly agree"
    return "agree a little" if correlation < WELL else "agree well"
