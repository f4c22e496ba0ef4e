"""What the other columns of a file say of its items: helpers, and classifiers beside the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from labelcore.designs.base import Frame, IntArray, Setup, extended
from labelcore.designs.sure_scores import scores_looking_sure, turned
from labelcore.errors import ParameterError
from labelcore.estimands import SCALARS
from labelcore.population import Population
from labelcore.population.arrays import let_pages_go, room
from labelcore.population.classes import class_index
from labelcore.population.helpers import Helper
from labelcore.population.kept import Kept, Recent
from labelcore.population.revealing import looks_like_answer
from labelcore.population.second_opinion import CONTENT
from labelcore.stats.crossed_strata import agreement_in_order, surprise
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import BoolArray, FloatArray

MOST_VERDICTS = 50
SAME_ORDER = 0.98
NOT_USED = "{name!r} does not help to choose: {why}."
BESIDE_VERDICTS = "beside a column that says what somebody judged it costs labels"
OF_CONTENT = "Of the content, {note}."
CONSTANT = "it says the same of every item"
TOO_MANY = f"it holds {{number:,}} different texts, and verdicts are at most {MOST_VERDICTS}"
AS_CLASSIFIER = "it says what {classifier!r} says"
SAVES_NOTHING = "the items stand in nearly the same order as by {classifier!r}"
WITH_CLAIMS = "with claims each stratum costs evidence"
TWO_CLASSES_ONLY = "with more than two classes a plain sample has no use for it"
NO_CLASS = "it names none of the {number:,} classes"
FOR_A_CURVE = "strata for a curve follow the scores alone"
FEW_ITEMS = (
    "for a result about items like these it takes a file of 20 items for each label, or more"
)
ITEMS_EACH = 20
OTHER, UNSAID = -1, -2
NO_PREDICTIONS = "there are no predictions that it could contradict"
LIKE_THE_ANSWER = (
    "The helper {name!r} is named like the answer: if it holds the answers, they are known "
    "and nothing need be labelled."
)
LIKE_KNOWN = (
    "The helper {name!r} says what all {answers:,} known answers say: if it holds the answers, "
    "they are known and nothing need be labelled."
)
LEAST_KNOWN = 10
"""So many known answers of either kind before agreement with all of them says something."""
USED = (
    "Items are chosen with the help of {names}: what they say moves labels, not the result. What "
    "that saves depends on how often they are right where {classifier!r} is wrong; the report says "
    "what it saved."
)
USED_AS_GUESS = (
    "The figures take help from {names}, corrected by the labels: what they say is never taken for "
    "an answer. The forecast does not count on what that saves; the result says what it was."
)
AGREES = "{name!r} says what {classifier!r} says of {share} of the items."


Votes = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False, slots=True)
class Said:
    """What one column says of each item.

    order   (n_items,), larger for more positive, as the logit of the mid-rank share
    vote    (n_items,), 1 for positive, 0 for not, NaN where it says nothing, in a narrow type
    """

    order: FloatArray
    vote: Votes


SAID, OWN_ORDER, ALIKE = Kept(Recent[Said | str]), Kept(Recent[FloatArray]), Kept(Recent[bool])
BEYOND = Kept(Recent[FloatArray])


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What several columns say together.

    order           (n_items,), the mean of their orders
    votes, voters   (n_items,), how many say positive, of how many that say something
    """

    order: FloatArray
    votes: Votes
    voters: Votes

    @classmethod
    def of(cls, said: Sequence[Said]) -> Evidence:
        order = said[0].order
        for column in said[1:]:
            order = order + column.order
        return cls(
            order / len(said) if len(said) > 1 else order,
            np.sum([np.nan_to_num(column.vote) for column in said], axis=0),
            np.sum([~np.isnan(column.vote) for column in said], axis=0, dtype=np.float16),
        )

    def says_so(self, predicted: BoolArray) -> BoolArray:
        """Whether they call an item positive, (n_items,): more than half of them where it is
        predicted so, any of them elsewhere."""
        return np.asarray(np.where(predicted, 2 * self.votes > self.voters, self.votes > 0))


TOGETHER = Kept(Recent[Evidence])


@dataclass(frozen=True, eq=False, slots=True)
class HelpedFrame(Frame):
    """A frame whose strata were cut with the help of other columns.

    helpers   the columns that were used, as far as they say something
    evidence  (n_strata,), what they say beyond the scores, larger for more positive; with several
              columns of it (n_strata, n_columns); None: there are none
    level     (n_strata,), 1 where the strata are of a kind with a level of its own, else 0; None:
              none are
    """

    helpers: tuple[str, ...] = field(default=(), kw_only=True)
    evidence: FloatArray | None = field(default=None, kw_only=True)
    level: FloatArray | None = field(default=None, kw_only=True)


def helped(setup: Setup, frame: Frame, others: Evidence | None) -> HelpedFrame:
    if others is None:
        return extended(frame, HelpedFrame)
    score = setup.population.ordering_score(str(setup.classifier))
    own_order = np.zeros(len(frame.stratum)) if score is None else _own_order(setup, score)
    used = tuple(said_by_helpers(setup))

    def beyond_own() -> FloatArray:
        return surprise(own_order, others.order, frame.predicted[frame.stratum])

    # The strata follow the predictions, so that these are the sides with every seed.
    beyond = BEYOND.of(setup.population).get((setup.classifier, used), beyond_own)
    mean = np.bincount(frame.stratum, beyond, minlength=frame.n_strata) / frame.sizes
    return extended(frame, HelpedFrame, helpers=used, evidence=mean)


def _own_order(setup: Setup, score: FloatArray) -> FloatArray:
    """The logit of the mid-rank share of the first classifier's scores, (n_items,)."""
    name = str(setup.classifier)
    return OWN_ORDER.of(setup.population).get(name, lambda: _logit_rank(score))


def then_by(order: IntArray, score: FloatArray | None, others: FloatArray) -> IntArray:
    """``order`` with ties in ``score`` by ``others``, highest first, (n_items,)."""
    first_key = np.zeros(len(order)) if score is None else score
    return np.asarray(order[np.lexsort((-others[order], -first_key[order]))])


def candidates(population: Population, *judged: str) -> tuple[str, ...]:
    """Every helper, and every classifier beside these."""
    others = (name for name in population.classifiers if name not in judged)
    return (*population.helpers, *others)


def wants_content(population: Population, names: Sequence[str] | None) -> bool:
    """Whether the second opinion from the content of items is among these, which is not a column
    of the file by the same name."""
    return CONTENT in (names or ()) and CONTENT not in candidates(population)


def check_helpers(setup: Setup, *judged: str) -> None:
    """Raise ParameterError for a name that is no helper and no other classifier of the file, beside
    those ``judged`` (the first one, where none is given)."""
    names = judged or (str(setup.classifier),)
    learned = [CONTENT] if names[0] in setup.population.opinions else []
    known = (*candidates(setup.population, *names), *learned)
    for name in setup.params.helpers or ():
        if name not in known:
            raise ParameterError(
                "helpers",
                f"names {name!r}, which is no helper and no other classifier of the file; "
                f"known are {', '.join(known) or 'none'}",
            )


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """A column that may help to choose items: what it says, and why a plan does not use it, ""
    where it does."""

    name: str
    said: Said | None
    why: str = ""


def columns(setup: Setup, *, cut: bool = True) -> tuple[Column, ...]:
    """Every column that a plan names, or, where it names none, every one of the file. One is used
    that says something; those that nobody named are not, if together they order the items as the
    classifier does, the plan asks for a curve along its scores, or it is about items like these and
    labels many of the few there are.

    cut   whether the columns cut strata, so that they cost something where strata do
    """
    population, classifier, named = setup.population, str(setup.classifier), setup.params.helpers
    none = why_none(setup, cut=cut)
    names = candidates(population, classifier) if named is None else named
    each = {name: none or _said(population, classifier, name) for name in names}
    said = {name: column for name, column in each.items() if isinstance(column, Said)}
    if wants_content(population, [*said]) and {*said} & {*population.helpers}:
        del said[CONTENT]
        each[CONTENT] = BESIDE_VERDICTS
    not_all = _why_not_all(setup, said, cut) if named is None else ""
    return tuple(
        Column(name, column, not_all) if isinstance(column, Said) else Column(name, None, column)
        for name, column in each.items()
    )


def chosen_helpers(setup: Setup, *, cut: bool = True) -> tuple[str, ...]:
    """The columns that a new plan uses: those that it names, as far as one of them says something
    beside the classifier, or those that ``columns`` gives."""
    named = setup.params.helpers
    if setup.classifier is None or why_none(setup, cut=cut):
        return ()
    check_helpers(setup)
    used = tuple(column.name for column in columns(setup, cut=cut) if not column.why)
    return named if used and named is not None else used


def why_none(setup: Setup, *, cut: bool = True) -> str:
    """Why no column can help this plan, "" where one may."""
    if cut and setup.claims:
        return WITH_CLAIMS
    if not cut and len(setup.population.classes) > 2:
        return TWO_CLASSES_ONLY
    return "" if setup.classifier in setup.population.predictions else NO_PREDICTIONS


def _why_not_all(setup: Setup, said: Mapping[str, Said], cut: bool) -> str:
    """Why columns that nobody named are not used, "" where they are."""
    if cut and setup.target == "process" and len(setup.population) < ITEMS_EACH * setup.planned:
        return FEW_ITEMS
    if cut and any(name not in SCALARS for name in setup.estimands):
        return FOR_A_CURVE
    classifier = str(setup.classifier)
    population = setup.population
    score = population.ordering_score(classifier)
    if score is None or not said:
        return ""

    def same_order() -> bool:
        order, side = _together(population, classifier, said).order, side_of(population, classifier)
        return agreement_in_order(score, order, side) > SAME_ORDER

    alike = ALIKE.of(population).get((classifier, tuple(said)), same_order)
    return SAVES_NOTHING.format(classifier=classifier) if alike else ""


def evidence_of(setup: Setup) -> Evidence | None:
    """What the helpers of a plan say together; None where it has none."""
    said = said_by_helpers(setup)
    return _together(setup.population, str(setup.classifier), said) if said else None


def _together(population: Population, classifier: str, said: Mapping[str, Said]) -> Evidence:
    key = classifier, tuple(said)
    return TOGETHER.of(population).get(key, lambda: Evidence.of(list(said.values())))


def said_by_helpers(setup: Setup, *, cut: bool = True) -> dict[str, Said]:
    """What each helper of a plan says, without those that say nothing."""
    if setup.classifier is None or not setup.params.helpers:
        return {}
    return {row.name: row.said for row in columns(setup, cut=cut) if row.said is not None}


def said_by_columns(setup: Setup) -> dict[str, Votes]:
    """The verdicts, (n_items,) each, of the helpers that are no classifiers: these err where the
    others do, so that their agreement says little of what they save."""
    said = said_by_helpers(setup).items()
    return {name: column.vote for name, column in said if name in setup.population.helpers}


def helper_notes(setup: Setup, *, cut: bool = True) -> tuple[str, ...]:
    """A sentence on the columns that are used, and one on each helper that is not."""
    population, named = setup.population, setup.params.helpers
    if setup.classifier is None or named == ():
        return ()
    classifier, none, every = setup.classifier, why_none(setup, cut=cut), columns(setup, cut=cut)
    used = [column for column in every if not column.why and named is not None]
    names, how = ", ".join(repr(column.name) for column in used), USED if cut else USED_AS_GUESS
    notes = [how.format(names=names, classifier=classifier)] if used else []
    side = side_of(population, classifier) if used else np.zeros(0, dtype=bool)
    votes = {column.name: column.said.vote for column in used if column.said is not None}
    notes += [
        _agreement(name, classifier, vote, side)
        for name, vote in votes.items()
        if not np.isnan(vote).all()
    ]
    if CONTENT in votes and wants_content(population, [CONTENT]):
        notes += [OF_CONTENT.format(note=note) for note in population.opinions[classifier].notes]
    why = {column.name: column.why for column in every}
    for name in dict.fromkeys([*population.helpers, *(named or ())]):
        alone = (
            none or why.get(name) or ("" if name in why else _said(population, classifier, name))
        )
        unused = alone if isinstance(alone, str) else ""
        if unused:
            notes.append(NOT_USED.format(name=name, why=unused))
        elif looks_like_answer(population.arguments.get("helpers", {}).get(name, "")):
            notes.append(LIKE_THE_ANSWER.format(name=name))
    return tuple(notes)


def like_known_answers(population: Population, classifier: str | None) -> tuple[str, ...]:
    """A sentence on each helper that says what all known answers say, where these are enough to
    tell."""
    known, two = population.known, len(population.classes) == 2
    if known is None or not two or classifier not in population.predictions:
        return ()
    there = known >= 0
    truth = known[there] == population.classes.index(population.positive)
    if min(truth.sum(), (~truth).sum()) < LEAST_KNOWN:
        return ()
    columns_said = {name: _said(population, str(classifier), name) for name in population.helpers}
    return tuple(
        LIKE_KNOWN.format(name=name, answers=len(truth))
        for name, column in columns_said.items()
        if isinstance(column, Said) and np.array_equal(column.vote[there], truth)
    )


def _agreement(name: str, classifier: str, vote: Votes, side: BoolArray) -> str:
    alike = agreeing(vote, side)
    share = f"{100 * alike:.0f} %" if alike in (0, 1) else f"{min(max(100 * alike, 1), 99):.0f} %"
    return AGREES.format(name=name, classifier=classifier, share=share)


def agreeing(vote: Votes, own: BoolArray) -> float:
    """How often a column that votes says what the classifier says, 0 to 1."""
    there = ~np.isnan(vote)
    return float((vote[there] == own[there]).mean())


def side_of(population: Population, classifier: str) -> BoolArray:
    """Whether a classifier calls each item positive, (n_items,). With several classes a call is
    right or wrong, and a helper says whether it is right: all True."""
    if len(population.classes) > 2:
        return np.ones(len(population), dtype=bool)
    positive = population.classes.index(population.positive)
    return np.asarray(population.predictions[classifier] == positive)


def _said(population: Population, classifier: str, name: str) -> Said | str:
    """What a column says, or why it says nothing beside ``classifier``: choosing helpers, cutting
    by them and speaking of them want the same."""
    worked_out = partial(_worked_out, population, classifier, name)
    return SAID.of(population).get((classifier, name), worked_out)


def _worked_out(population: Population, classifier: str, name: str) -> Said | str:
    if wants_content(population, [name]):
        said = _of_opinion(population, classifier)
    elif len(population.classes) > 2:
        said = _of_several(population, classifier, name)
    elif name in population.helpers:
        said = _of_helper(population, classifier, population.helpers[name])
    else:
        said = _of_classifier(population, classifier, name)
    if isinstance(said, str):
        return said
    if np.ptp(said.order) == 0:
        return CONSTANT
    side, order = side_of(population, classifier), said.order
    two = bool(((order == order.min()) | (order == order.max())).all())
    if two and (np.array_equal(said.vote, side) or np.array_equal(said.vote, ~side)):
        return AS_CLASSIFIER.format(classifier=classifier)
    kept = room(len(order), np.float64)
    kept[:] = order
    let_pages_go()
    return Said(kept, said.vote.astype(np.float16))


def _of_several(population: Population, classifier: str, name: str) -> Said | str:
    """Whether a column names the class that the classifier names; where it has a score, from the
    surest agreement to the surest contradiction."""
    codes = _class_codes(population, name)
    if isinstance(codes, str):
        return codes
    if np.ptp(codes) == 0:
        return CONSTANT
    vote = np.where(codes == UNSAID, np.nan, codes == population.predictions[classifier])
    if vote.all() and not np.isnan(vote).any():
        return AS_CLASSIFIER.format(classifier=classifier)
    score = population.ordering_score(name) if name in population.classifiers else None
    value = np.ones(len(vote)) if score is None else mid_rank_share(score)
    return Said(_logit_rank(np.where(np.isnan(vote), 0, np.where(vote == 1, value, -value))), vote)


def _class_codes(population: Population, name: str) -> IntArray | str:
    """The class that a column names for each item, (n_items,), OTHER for what is no class, UNSAID
    where it is missing; or why there is none."""
    nothing = NO_CLASS.format(number=len(population.classes))
    if name not in population.helpers:
        predicted = population.predictions.get(name)
        return nothing if predicted is None else predicted.astype(np.int64)
    names, place = _as_verdicts(population.helpers[name])
    table = [class_index(name, population.classes, population.positive) for name in names]
    if max(table, default=OTHER) == OTHER:
        return nothing
    codes: IntArray = np.array([*table, UNSAID], dtype=np.int64)[place]
    return codes


def _as_verdicts(helper: Helper) -> tuple[tuple[str, ...], IntArray]:
    """The different verdicts and the place of each item's, (n_items,), -1 where there is none;
    numbers may be the names of classes."""
    if helper.score is None:
        assert helper.verdict is not None
        return helper.names, helper.verdict.astype(np.int64)
    values, place = np.unique(helper.score, return_inverse=True)
    names = tuple(np.format_float_positional(value, trim="-") for value in values)
    return names, np.where(np.isnan(helper.score), -1, place)


def _of_classifier(population: Population, classifier: str, name: str) -> Said | str:
    if name in scores_looking_sure(population):
        population = turned(population, (name,))
    score, own_score = population.ordering_score(name), population.ordering_score(classifier)
    if score is not None and own_score is not None and np.array_equal(score, own_score):
        return AS_CLASSIFIER.format(classifier=classifier)
    if name in population.predictions:
        vote = side_of(population, name).astype(float)
        return Said(_logit_rank(vote if score is None else score), vote)
    assert score is not None
    return Said(_logit_rank(score), top_votes(score, side_of(population, classifier)))


def _of_helper(population: Population, classifier: str, helper: Helper) -> Said | str:
    side = side_of(population, classifier)
    if helper.score is not None:
        return _of_score(helper.score, side)
    assert helper.verdict is not None
    if len(helper.names) > MOST_VERDICTS:
        return TOO_MANY.format(number=len(helper.names))
    classes, positive = population.classes, population.positive
    codes = [class_index(name, classes, positive) for name in helper.names]
    if not codes or min(codes) < 0:
        value = _own_share(helper.verdict, len(codes), side)[helper.verdict]
        return Said(_logit_rank(value), top_votes(value, side))
    said_so = np.array([float(code == classes.index(positive)) for code in codes])
    other = 1 - said_so[0] if len(codes) == 1 else np.nan  # A rule that marks some rows only.
    vote = np.append(said_so, other)[helper.verdict]
    return Said(_logit_rank(np.where(np.isnan(vote), 0.5, vote)), vote)


def _of_opinion(population: Population, classifier: str) -> Said | str:
    opinion = population.opinions[classifier]
    if not opinion.columns:
        return "; ".join(opinion.notes)
    return _of_score(opinion.score.astype(np.float64), side_of(population, classifier))


def _of_score(score: FloatArray, side: BoolArray) -> Said | str:
    """Scores on any scale, turned so that larger goes with what the classifier calls positive."""
    there = ~np.isnan(score)
    share, mine = mid_rank_share(score[there]), side[there]
    if _mean(share[mine]) < _mean(share[~mine]):
        share = 1 - share
    order, vote = np.zeros(len(score)), np.full(len(score), np.nan)
    order[there], vote[there] = logit(share), top_votes(share, mine)
    if not there.all():  # Where the prediction alone would put them.
        called = side[~there].mean()
        present = order[there]
        order[~there] = called * _mean(present[mine]) + (1 - called) * _mean(present[~mine])
    return Said(order, vote)


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else 0.0


def _own_share(verdict: NDArray[np.int32], n_names: int, side: BoolArray) -> FloatArray:
    """The share called positive by the classifier among the items of each verdict, the last one
    for those without, drawn towards that of the file as by one item more; (n_names + 1,)."""
    place = np.where(verdict < 0, n_names, verdict)
    items = np.bincount(place, minlength=n_names + 1)
    called = np.bincount(place, side, minlength=n_names + 1)
    apart = 1e-9 * np.arange(n_names + 1)  # Verdicts with equal shares stay different ones.
    return np.asarray((called + side.mean()) / (items + 1) + apart)


def top_votes(value: FloatArray, own: BoolArray) -> FloatArray:
    """1 for the highest values, 0 for the others, (n_items,): cut between two different values so
    that about as many are called positive as by the classifier, and at least one value each way.

    >>> top_votes(np.array([5.0, 4, 4, 3, 1]), np.array([True, True, False, False, False])).tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0]
    """
    values, count = np.unique(value, return_counts=True)
    if len(values) < 2:
        return np.zeros(len(value))
    above = len(value) - np.cumsum(count)[:-1]
    cut = int(np.argmin(np.abs(above - own.sum())[::-1]))
    return np.asarray(value > values[:-1][::-1][cut], dtype=float)


def _logit_rank(value: FloatArray) -> FloatArray:
    share = mid_rank_share(value)
    return np.asarray(logit(share, out=share))
