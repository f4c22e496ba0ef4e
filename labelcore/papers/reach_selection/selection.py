"""The candidate with the highest reach among those of a required precision, draw by draw.

Reach is the number of positives that a candidate calls positive: precision times the number of
items it calls positive.

Source: Bennett, Chickering, Meek and Zhu (2017), algorithms 1 and 2, section 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelcore.papers.reach_selection.bounds import (
    DOUBTFUL,
    HoeffdingBounds,
    Known,
    RatioBounds,
    ReachBounds,
    check_delta,
    check_slacks,
)
from labelcore.promises import CandidateState, ChoiceStatus
from labelcore.stats.arrays import BoolArray, FloatArray, IntArray


class ReachDraws:
    """A sequence of draws that was fixed before the first label, but for the active candidates.

    Pooled: each draw is uniform over the items that an active candidate calls positive, and counts
    for every active candidate that does. In turn: the active candidates take turns, and a draw is
    uniform over the items of the one whose turn it is, and counts for it alone.

    Assumption: ``order`` is a random permutation, ``words`` are random, and neither depends on a
    label. Then the draws that count for a candidate are, as long as it is active, a uniform sample
    of its items, whatever becomes of the others. Once it is not, they are not: only items shared
    with an active candidate would come. One that is active again goes on where it was left: without
    replacement the items passed over meanwhile come first, those that others were drawn for among
    them, so that its items come in the order of the permutation as if it had never been out.

    member   (n_items, m), whether the candidate calls the item positive, each item by one at least
    order    (n_items,), the permutation along which items are drawn without replacement
    words    (T,) numbers of 64 bits, one per draw, for draws with replacement; None: without
    """

    def __init__(
        self,
        member: BoolArray,
        order: IntArray,
        words: NDArray[np.uint64] | None = None,
        *,
        in_turn: bool = False,
    ) -> None:
        self._along, self._order, self._words = member[order], order, words
        self._in_turn, self._number, self._turn = in_turn, 0, -1
        self._reached = np.full(member.shape[1], -1)
        self._pooled_for = b""
        candidates = range(member.shape[1]) if in_turn else ()
        self._pools: list[IntArray] = [np.flatnonzero(self._along[:, at]) for at in candidates]
        self._places = [0] * len(self._pools)

    def draw(self, active: BoolArray) -> tuple[int, IntArray] | None:
        """The next item and the candidates that it counts for; None when there is none left.

        active   (m,), the candidates still drawn for
        """
        if not active.any():
            return None
        drawn = self._next_in_turn(active) if self._in_turn else self._next_pooled(active)
        self._number += drawn is not None
        return drawn

    def copy(self) -> Self:
        """The same sequence at the same place, going on by itself."""
        other = copy(self)
        other._pools, other._places = list(self._pools), list(self._places)
        other._reached = self._reached.copy()
        return other

    def _next_pooled(self, active: BoolArray) -> tuple[int, IntArray] | None:
        if self._pooled_for != active.tobytes():
            start = int(self._reached[active].min()) + 1
            due = np.arange(start, len(self._order))[:, None] > self._reached
            called = (self._along[start:] & active & due).any(axis=1)
            self._pools = [start + np.flatnonzero(called)]
            self._places, self._pooled_for = [0], active.tobytes()
        rank = self._from_pool(0)
        if rank is None:
            return None
        counts = self._along[rank] & active & (rank > self._reached)
        if self._words is None:
            self._reached[active] = np.maximum(self._reached[active], rank)
        return int(self._order[rank]), np.flatnonzero(counts)

    def _next_in_turn(self, active: BoolArray) -> tuple[int, IntArray] | None:
        """The turn passes over a candidate all of whose items were drawn."""
        count = len(active)
        for place in ((self._turn + 1 + step) % count for step in range(count)):
            rank = self._from_pool(place) if active[place] else None
            if rank is not None:
                self._turn = place
                return int(self._order[rank]), np.array([place])
        return None

    def _from_pool(self, pool: int) -> int | None:
        """The next place along ``order`` among those of a pool, None when there is none left."""
        ranks = self._pools[pool]
        if self._words is not None:
            if self._number >= len(self._words):
                return None
            return int(ranks[(int(self._words[self._number]) * len(ranks)) >> 64])
        place = self._places[pool]
        if place >= len(ranks):
            return None
        self._places[pool] = place + 1
        return int(ranks[place])


SAMPLERS = ("pooled", "round_robin")
BOUNDS = ("prior_posterior_ratio", "hoeffding")
ROUNDING = 1e-12
"""By how much a computed share may fall short of a threshold that it equals."""

DECIDED, USED_UP, EXHAUSTED = "decided", "budget", "exhausted"
"""Why a selection ends: a choice is made, T draws are made, no item is left to draw."""


@dataclass(frozen=True, slots=True)
class ReachRules:
    """What is wanted and how it is looked for.

    precision_threshold   PT in (0, 1]: a candidate at least as precise is good
    precision_slack       gamma in [0, PT]: one of precision PT - gamma or more is acceptable
    reach_slack           epsilon in (0, 1]: what may be lost of the best good candidate's reach
    delta     chance of a wrong choice, in (0, 1)
    sampler   "pooled" or "round_robin"; bound: "prior_posterior_ratio" (draws without replacement)
              or "hoeffding" (with replacement)
    early_stopping   end as soon as a choice is shown to be right, else after the whole budget
    elimination      draw no more for candidates that cannot be the choice any longer
    guess     name the likeliest candidate when the draws are used up and nothing is shown

    Raises ValueError naming the number, its value and its range.
    """

    precision_threshold: float = 0.9
    precision_slack: float = 0.1
    reach_slack: float = 0.1
    delta: float = 0.05
    sampler: str = "pooled"
    bound: str = "prior_posterior_ratio"
    early_stopping: bool = True
    elimination: bool = True
    guess: bool = False

    def __post_init__(self) -> None:
        check_slacks(self.precision_threshold, self.precision_slack, self.reach_slack)
        check_delta(self.delta)

    def at(self, precision: float) -> ReachRules:
        """The same with another required precision, and no guess."""
        slack = min(self.precision_slack, precision)
        return replace(self, precision_threshold=precision, precision_slack=slack, guess=False)


@dataclass(frozen=True, eq=False, slots=True)
class ReachSets:
    """The sets of algorithm 1 as masks over the candidates, (..., m).

    possibly_good (PG)                      the upper bound allows it
    known_acceptable, known_good (KA, KG)   the lower bound shows it
    qualified (RQ), disqualified (RD)  reach within epsilon of any good one; known to be too small
    """

    possibly_good: BoolArray
    known_acceptable: BoolArray
    known_good: BoolArray
    qualified: BoolArray
    disqualified: BoolArray

    @property
    def active(self) -> BoolArray:
        """A: possibly good and not disqualified."""
        return np.asarray(self.possibly_good & ~self.disqualified)


def reach_sets(low: ArrayLike, high: ArrayLike, sizes: ArrayLike, rules: ReachRules) -> ReachSets:
    """The sets that bounds on the precisions make, for one moment or for many at once.

    low, high   (..., m), bounds on each precision; sizes: (m,), items called positive
    Source:     Bennett et al. (2017), algorithm 1. Departures: precision PT, and PT - gamma, count
                as good and acceptable (the print compares with >, against its own section 2: with
                PT = 1 no candidate could ever be good).
    """
    least, most = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    size = np.asarray(sizes, dtype=float)
    good = rules.precision_threshold - ROUNDING
    acceptable = rules.precision_threshold - rules.precision_slack - ROUNDING
    possibly_good, known_good = most >= good, least >= good
    reach_least, reach_most = least * size, most * size
    others = _greatest_other(np.where(possibly_good, reach_most, -np.inf))
    best = np.where(known_good, reach_least, -np.inf).max(axis=-1)
    share = 1 - rules.reach_slack
    known_acceptable = least >= acceptable
    wanted = np.where(np.isneginf(others), -np.inf, share * np.maximum(others, 0))
    return ReachSets(
        possibly_good=possibly_good,
        known_acceptable=known_acceptable,
        known_good=known_good,
        qualified=known_acceptable & (reach_least >= wanted - ROUNDING),
        disqualified=np.maximum(share * reach_most, reach_least) < best[..., None] - ROUNDING,
    )


def _greatest_other(reach: FloatArray) -> FloatArray:
    """For each candidate the greatest of all the others, (..., m); -inf where there is none."""
    if reach.shape[-1] == 1:
        return np.full_like(reach, -np.inf)
    first, ordered = reach.argmax(axis=-1)[..., None], np.partition(reach, -2, axis=-1)
    others = np.arange(reach.shape[-1]) != first
    return np.where(others, ordered[..., -1:], ordered[..., -2:-1])


@dataclass(frozen=True, slots=True)
class ReachChoice:
    """The answer: ``chosen`` is the candidate's number, None for none."""

    chosen: int | None
    status: ChoiceStatus


def make_choice(
    low: FloatArray, sizes: IntArray, share: FloatArray, sets: ReachSets, rules: ReachRules
) -> ReachChoice:
    """What is chosen once the draws have ended.

    It is the qualified candidate with the largest lower bound on its reach. If none qualifies: no
    candidate if none can be good; else, if guesses are allowed, a guess: among those whose share
    of yes is acceptable, the one with the largest reach by that share.

    share    (m,), the share of yes in each candidate's draws, NaN without any
    Source:  Bennett et al. (2017), end of algorithm 1, section 5.2. Departure: one qualified
             candidate is enough (the print asks for |RQ| > 1 and would pass it over). The best of
             KA needs no step of its own: where no candidate can be good, all of KA is in RQ.
    """
    reach = low * sizes
    if sets.qualified.any():
        return ReachChoice(
            int(np.where(sets.qualified, reach, -1.0).argmax()), ChoiceStatus.GUARANTEED
        )
    if not sets.possibly_good.any():
        return ReachChoice(None, ChoiceStatus.NONE_ACCEPTABLE)
    if not rules.guess:
        return ReachChoice(None, ChoiceStatus.UNDECIDED)
    likely = np.nan_to_num(share, nan=-1.0)
    acceptable = likely >= rules.precision_threshold - rules.precision_slack - ROUNDING
    if not (acceptable & (likely >= 0)).any():
        return ReachChoice(None, ChoiceStatus.GUESS)
    return ReachChoice(int(np.where(acceptable, likely * sizes, -1.0).argmax()), ChoiceStatus.GUESS)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What bounds say of one required precision.

    choice   the answer for this requirement, with the slacks of the rules
    surest   of the candidates that are as precise without any slack, for sure, the one that finds
             the most for sure; None where there is none
    left     how many candidates may still be the choice
    """

    precision: float
    choice: ReachChoice
    surest: int | None
    left: int


def choices_at(
    bounds: ReachBounds, rules: ReachRules, precisions: Sequence[float]
) -> list[Requirement]:
    """The choice for each of several required precisions, from bounds that hold all together.

    Promise: what is said of all of them together is wrong with probability delta at most, wherever
    labelling ends; each row as ``ReachSelection`` has it for its own threshold.
    Assumption: all candidates' lower bounds and ``joint_high`` hold together: the best good
    candidate is another one for each requirement.
    Raises: ValueError for a precision outside (0, 1].
    Source: algorithm 1 of Bennett et al. (2017) on one set of bounds; the union is ours.
    """
    requirements = []
    for precision in precisions:
        asked = rules.at(precision)
        sets = reach_sets(bounds.low, bounds.joint_high, bounds.sizes, asked)
        nothing = np.full(len(bounds.low), np.nan)
        choice = make_choice(bounds.low, bounds.sizes, nothing, sets, asked)
        reach = np.where(sets.known_good, bounds.low * bounds.sizes, -1.0)
        surest = int(reach.argmax()) if sets.known_good.any() else None
        requirements.append(Requirement(precision, choice, surest, int(sets.active.sum())))
    return requirements


class ReachSelection:
    """Algorithm 1, fed one verdict at a time: ``item`` is the one whose verdict comes next.

    Promise: a choice "guaranteed" is, with probability at least 1 - delta, acceptable and reaches
    at least 1 - epsilon of what any good candidate reaches; "none acceptable" says that with the
    same probability no candidate is good. A "guess" promises nothing.
    Assumption: see ``ReachDraws`` for the draws and the two bounds for theirs; T and the rules are
    fixed before the first draw.

    After the choice it may go on to those at other required precisions, one after another, each by
    the bounds that hold for all candidates together; candidates that were out and may be it are
    drawn for again. What is said of the first choice stays valid, as its bounds hold after every
    draw, and so does what is said of all requirements together.

    member   (n_items, m), whether the candidate calls the item positive; items of no candidate are
             left out
    order    (n_items,), a random permutation; words: (T,) random words, for bound "hoeffding"
    budget   T, the most draws
    sought   (draws, precision) of each further choice: it is sought once what comes before it has
             ended, and from so many draws on in any case
    known    (yes, no), each (m,): further items of each candidate that are known, for bound
             "prior_posterior_ratio"
    Raises   ValueError for fewer draws than candidates that take turns.
    Source:  Bennett et al. (2017), algorithms 1 and 2, theorem 1. Departures: a candidate that was
             eliminated is never updated again (its later draws would not be a sample of its items,
             and its bounds would miss); the sets are those of ``reach_sets``, the end is that of
             ``make_choice``; a doubtful verdict counts both ways.
    """

    def __init__(
        self,
        member: BoolArray,
        rules: ReachRules,
        budget: int,
        order: IntArray,
        words: NDArray[np.uint64] | None = None,
        sought: Sequence[tuple[int, float]] = (),
        known: Known | None = None,
    ) -> None:
        replaced = rules.bound == "hoeffding"
        count = member.shape[1]
        in_turn = rules.sampler == "round_robin"
        if in_turn and budget < count:
            raise ValueError(
                f"budget must be at least {count}, one draw for each candidate, got {budget}"
            )
        self.rules, self.budget = rules, budget
        self._draws = ReachDraws(member, order, words if replaced else None, in_turn=in_turn)
        whole = member.sum(axis=0) + (0 if known is None else known[0] + known[1])
        sizes = [int(size) for size in whole]
        self.bounds: ReachBounds = (
            HoeffdingBounds(sizes, budget, rules.delta)
            if replaced
            else RatioBounds(sizes, rules.delta, known)
        )
        self._known = known is not None
        self.made, self._begun, self._sought = 0, 0, tuple(sought)
        self._answered: set[int] = set()
        self.active: BoolArray = np.ones(count, dtype=bool)
        self.ended = ""
        self._look()
        self._go_on()

    @property
    def item(self) -> int | None:
        """The row of ``member`` whose verdict is needed next; None once the draws have ended."""
        return None if self._next is None else self._next[0]

    def take(self, verdict: int) -> None:
        """The verdict on ``item``: NO, YES or DOUBTFUL of ``reach_bounds``."""
        assert self._next is not None
        self.bounds.take([int(place) for place in self._next[1]], verdict)
        self.made += 1
        if verdict != DOUBTFUL:
            self._answered.add(self._next[0])
        self._look()
        if self.rules.elimination:
            self.active = self.active & self._now.active
        self._go_on()

    def _look(self) -> None:
        """The sets of the first choice, and of the one that is sought now."""
        bounds = self.bounds
        self.sets = reach_sets(bounds.low, bounds.high, bounds.sizes, self.rules)
        self._now = self.sets
        if self._begun:
            rules = self.rules.at(self._sought[self._begun - 1][1])
            self._now = reach_sets(bounds.low, bounds.joint_high, bounds.sizes, rules)

    def _go_on(self) -> None:
        """End, go on to the next choice that is sought, or draw the next item."""
        while True:
            self._next: tuple[int, IntArray] | None = None
            last = self._begun == len(self._sought)
            decided = self._now.qualified.any() or not self._now.possibly_good.any()
            if self._seen and decided and (self.rules.early_stopping or self._begun):
                self.ended = DECIDED
            elif self.made >= self.budget:
                self.ended = USED_UP
            elif last or self.made < self._sought[self._begun][0]:
                self._next = self._draws.draw(self.active)
                self.ended = "" if self._next else EXHAUSTED
            if last or self._next:
                return
            self._begun += 1
            self._look()
            self.active = self._now.active if self.rules.elimination else self.active

    def ahead(self, draws: int) -> list[int]:
        """The next items in the order of draws, the present one first, if no candidate drops out
        meanwhile; at most so many, repeats among them."""
        if self._next is None:
            return []
        sequence, items = self._draws.copy(), [self._next[0]]
        while len(items) < min(draws, self.budget - self.made):
            following = sequence.draw(self.active)
            if following is None:
                break
            items.append(following[0])
        return items

    def choice(self, *, ended: bool = False) -> ReachChoice:
        """What is chosen; before the end "undecided", unless the caller ends it here.

        The bounds hold after every draw, so that a choice may be made wherever the draws end.
        """
        if not (self.ended or ended or self._begun) or not self._seen:
            return ReachChoice(None, ChoiceStatus.UNDECIDED)
        return make_choice(self.bounds.low, self.bounds.sizes, self.share, self.sets, self.rules)

    @property
    def _seen(self) -> bool:
        return self.made > 0 or self._known

    @property
    def furthest(self) -> Requirement | None:
        """What the bounds say of the choice that is sought last; None where only the first is."""
        if not self._sought:
            return None
        (requirement,) = choices_at(self.bounds, self.rules, [self._sought[-1][1]])
        return requirement

    @property
    def certain(self) -> int:
        """Different items with a verdict among the draws."""
        return len(self._answered)

    @property
    def share(self) -> FloatArray:
        """(m,), the share of yes in the draws with a verdict, NaN without any; with known items
        that of the whole candidate, of whose other items these draws are a sample."""
        bounds = self.bounds
        certain = bounds.drawn - bounds.doubtful
        share = np.where(bounds.rest > 0, np.nan, 0.0)
        np.divide(bounds.hits, certain, out=share, where=certain > 0)
        whole = (bounds.known_yes + share * bounds.rest) / bounds.sizes
        return np.where(bounds.rest < bounds.sizes, whole, share)

    def states(self) -> list[CandidateState]:
        sets = self.sets
        table = (
            (sets.disqualified & sets.possibly_good, CandidateState.REACH_TOO_SMALL),
            (sets.known_good & sets.possibly_good, CandidateState.GOOD),
            (sets.known_acceptable & sets.possibly_good, CandidateState.ACCEPTABLE),
            (sets.known_acceptable, CandidateState.ACCEPTABLE_NOT_GOOD),
            (~sets.possibly_good, CandidateState.PRECISION_TOO_LOW),
        )
        return [
            next((state for mask, state in table if mask[place]), CandidateState.IN)
            for place in range(len(self.active))
        ]

    def copy(self) -> Self:
        """The same selection at the same draw, going on by itself."""
        other = copy(self)
        other.bounds, other._draws = self.bounds.copy(), self._draws.copy()
        other._answered = set(self._answered)
        return other
