"""Which of two lists is better, at every rank? Labels go to what one has and the other has not."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    COMING,
    DesignParams,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    extended,
    make_frame,
    parameter,
)
from labelcore.designs.curves import JUDGEMENT, LOOK_EVERY, UNDECIDED_BOTH_WAYS, between_looks
from labelcore.designs.lists import LIST_DIFFERENCE, Compared, ComparesLists, ListAnswers
from labelcore.designs.ranked_list import in_proportion
from labelcore.designs.rates import stratum_rates
from labelcore.errors import ParameterError, PlanArgumentError
from labelcore.promises import Form, Method, Promise, State
from labelcore.stats.horizon import boundary
from labelcore.stats.list_difference import (
    DIFFERENCE,
    Along,
    Bounds,
    Heads,
    Reach,
    expected_half_widths,
    fixed_reach,
    list_bounds,
    shared_out,
)
from labelcore.stats.rank_strata import rank_edges

FIRST_RANK, LAST_RANK, GROWTH = 50, 2_000, 1.25
EVERY_RANK, NEAR = 5_000, 500
"""So many ranks are all looked at; of more one in each part of 1 / ``NEAR`` of the rank."""
OF_EACH = 2
"""Labels of each stratum before a band that is watched."""
BANDS = 30
"""How often at the most a watched band is renewed."""
SHARED_BY_CHANCE = 3.0
METHOD = Method(
    "simultaneous band of the difference of two lists (large-sample)",
    "difference estimator over strata of the union of two heads, G-profile region, critical value "
    "of the largest of correlated normal deviations",
    Form.APPROXIMATE,
)
SAME = (
    "names {first!r} and {second!r}, which put the same items first, down to rank {last}: neither "
    "list can be better"
)
RANDOM = "All scores of {name!r} are equal: its list is in a random order."
SHUFFLED = (
    "The first {rank:,} of both lists have {shared:,} items in common, no more than two random "
    "orders would: one list looks like a shuffle of the other."
)


@dataclass(frozen=True, eq=False, slots=True)
class TwoLists(Frame):
    """A frame of the union of two heads.

    union    (n_union,), the positions of the items in either head, increasing
    along    what the band needs at its ranks; the strata are numbered as those of the frame
    planned  (n_strata,), the labels of each at the planned size
    """

    union: IntArray = field(kw_only=True)
    along: Along = field(kw_only=True)
    planned: IntArray = field(kw_only=True)


class PairedLists(ComparesLists[TwoLists]):
    """Labels for the difference in precision of two ranked lists at every rank from ``first_rank``
    to ``last_rank``.

    At rank r it is the positives that only the first list has among its first r, less those that
    only the second one has, divided by r: what both have cancels. The items in either head are cut
    by the list that has them first and by geometric bands of the two ranks between which they
    count, joined until each stratum is worth about eight labels; more would leave too much unsaid
    within a stratum. Labels are shared out before the first one, half by the rank where most is
    left open and half by the sum over the ranks, at least four a stratum; a stratum is labelled
    whole where three of four of its items would be. With ``own`` each list's own precision counts
    beside the difference, and the items that both have are asked, too.

    Promise: all ranks from the first to the last at once, and with ``own`` both lists as well, by
    one critical value (max-t). "fixed" at the planned size; "watched" up to the planned size, the
    band renewed up to thirty times, widened by the boundary of ``labelcore.stats.horizon``. A range
    of ranks may so be chosen after looking. Approximate: coverage is measured, see
    docs/paired_lists.md.
    Assumption: none about the scores or the order of the items; equal scores stand in a random
    order.
    Source: Sarndal, Swensson and Wretman (1992) for the difference estimator; Hothorn, Bretz and
    Westfall (2008) for the largest statistic; Wang and Tsiatis (1987) for the boundary; the strata,
    the shares and the combination are our own.
    """

    name: ClassVar[str] = "paired_lists"
    label: ClassVar[str] = "Two ranked lists"
    summary: ClassVar[str] = (
        "Compares two ranked lists at every rank: asks what one has among its first items and the "
        "other has not."
    )
    estimands: ClassVar[tuple[str, ...]] = (LIST_DIFFERENCE,)
    targets: ClassVar[tuple[str, ...]] = ("file",)
    stop_rules: ClassVar[tuple[str, ...]] = ()
    later_labels_count: ClassVar[bool] = False
    recommended: ClassVar[bool] = True
    least_classifiers: ClassVar[int] = 2
    strata_order: ClassVar[str] = "what {first} has first, what {second} has first, what both have"
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn at random within strata that were fixed before the first label",
        "the band is a large-sample approximation whose coverage was measured by simulation",
    )

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """Ranks, and what is asked of each list."""

        first_rank: int | None = parameter(
            None,
            "the first rank that counts; empty: 50, or the last one where that is smaller",
            low=1,
            high=100_000_000,
        )
        last_rank: int | None = parameter(
            None,
            "the last rank that counts; empty: 2,000, or half of the list where that is smaller",
            low=1,
            high=100_000_000,
            main=True,
            asked="Down to which rank?",
        )
        own: bool = parameter(
            True,
            "tell each list's own precision as well; without it the band is about a tenth narrower",
        )

    def prepare(self, setup: Setup) -> TwoLists:
        first, last = _ends(setup)
        ranks = [_ranks(setup, str(name)) for name in (setup.classifier, setup.versus)]
        union = np.flatnonzero((ranks[0] <= last) | (ranks[1] <= last)).astype(np.int64)
        a, b = (rank[union] for rank in ranks)
        heads = Heads(a, b, _edges(first, last), setup.params.own)
        if not heads.side.any():
            raise PlanArgumentError(
                "classifier",
                SAME.format(first=setup.classifier, second=setup.versus, last=f"{last:,}"),
                value=setup.classifiers,
                short="the two lists are the same",
            )
        of_union, number = heads.strata(setup.planned)
        at = _grid(first, last)
        along = Along(heads, of_union, number, at, setup.portable)
        stratum = np.full(len(setup.population), of_union.max() + 1, dtype=np.int64)
        stratum[union] = of_union
        strata = int(stratum.max()) + 1
        rates, _ = stratum_rates(setup.population, str(setup.classifier), stratum, strata)
        sides = np.zeros(strata, dtype=bool)
        sides[of_union[heads.side > 0]] = True
        base = make_frame(setup, stratum, rates, sides, _notes(setup, ranks, last))
        wanted = np.arange(strata) <= of_union.max()
        planned = _planned(heads, along, base.sizes, setup.planned)
        return extended(base, TwoLists, wanted=wanted, union=union, along=along, planned=planned)

    def next_batch(self, setup: Setup, frame: TwoLists, progress: Progress, batch: int) -> IntArray:
        start = int(progress.drawn.sum())
        planned = int(frame.planned.sum())
        end = planned if start < planned else self.most(frame)
        return _asking_order(setup, frame)[start : min(end, progress.limit)]

    def soon(self, setup: Setup, frame: TwoLists, drawn: IntArray) -> IntArray:
        start = int(drawn.sum())
        return _asking_order(setup, frame)[start : start + COMING]

    def most(self, frame: TwoLists) -> int:
        return len(frame.union)

    def least(self, frame: TwoLists) -> int:
        return int(np.minimum(OF_EACH, frame.sizes[: frame.along.number]).sum())

    def planned_counts(self, setup: Setup, frame: TwoLists, labels: int) -> IntArray:
        return _planned(frame.along.heads, frame.along, frame.sizes, labels)

    def first_look(self, frame: TwoLists, planned: int, promise: Promise) -> int:
        if promise != Promise.WATCHED:
            return planned
        step = _step(planned)
        return min(-(-self.least(frame) // step) * step, planned)

    def derived(self, frame: TwoLists, labels: int) -> dict[str, Any]:
        return {"rank_edges": [int(edge) for edge in frame.along.heads.edges]}

    def ranks_of(self, frame: TwoLists) -> tuple[IntArray, IntArray, IntArray]:
        return frame.union, frame.along.heads.first, frame.along.heads.second

    # --- the band --------------------------------------------------------------------------

    def compared(self, setup: Setup, frame: TwoLists, answers: ListAnswers, look: Look) -> Compared:
        state, draws, missing = self._standing(frame, answers, look)
        counted = answers.until(draws) if state.has_interval else answers
        along = frame.along
        bounds = self.bounds(frame, counted, look, draws if state.has_interval else None)
        value = bounds[DIFFERENCE].value
        if state in (State.NOTHING, State.TOO_FEW):
            bounds = {
                kind: Bounds(np.full(len(value), np.nan), bound.low, bound.high)
                for kind, bound in bounds.items()
            }
        before = along.squared(DIFFERENCE, np.ones(len(along.stratum))) / along.ranks
        assumed = [*self.assumptions, JUDGEMENT]
        if counted.doubtful.any():
            assumed.append(UNDECIDED_BOTH_WAYS)
        return Compared(
            rank=along.ranks,
            bounds=bounds,
            possible=before,
            state=state,
            promise=Promise.NONE if state == State.STOPPED_EARLY else look.promise,
            labels=counted.labels,
            draws=draws if state.has_interval else look.draws,
            method=METHOD,
            assumptions=tuple(assumed),
            missing=missing,
            notes=(*frame.notes, *between_looks(state, look, draws, _step(look.planned))),
        )

    def bounds(
        self, frame: TwoLists, answers: ListAnswers, look: Look, draws: int | None
    ) -> dict[str, Bounds]:
        """Value and ends of all that is asked; ``draws`` None: what is certain."""
        places = np.searchsorted(frame.union, answers.position)
        level = None if draws is None else look.confidence
        reach = fixed_reach
        if look.promise == Promise.WATCHED and draws:
            reach = partial(_watched_reach, draws / look.planned, _share(frame, draws))
        return list_bounds(frame.along, places, answers.verdict, level, reach)

    def _standing(
        self, frame: TwoLists, answers: ListAnswers, look: Look
    ) -> tuple[State, int, str]:
        """(state, draws that count, what is missing)."""
        if answers.labels == self.most(frame):
            return State.EXACT, look.draws, ""
        if not answers.labels:
            return State.NOTHING, 0, "no item has a label yet"
        planned = min(look.planned, self.most(frame))
        first, draws = self.first_look(frame, planned, look.promise), look.draws
        if draws >= planned:
            return State.INTERVAL, planned, ""
        if look.promise == Promise.WATCHED and draws >= first:
            return State.INTERVAL, draws - draws % _step(planned), ""
        if look.finished and draws >= self.least(frame):
            return State.STOPPED_EARLY, draws, ""
        missing = f"{draws:,} of {first:,} items judged before a first band"
        state = State.PROVISIONAL if draws >= self.least(frame) else State.TOO_FEW
        return state, draws, missing

    def list_half_width(self, setup: Setup, frame: TwoLists, look: Look) -> float:
        counts = self.planned_counts(setup, frame, look.labels)[: frame.along.number]
        reach: Reach = fixed_reach
        if look.promise == Promise.WATCHED:
            reach = partial(_watched_reach, look.progress, _share(frame, look.labels))
        rates = frame.rates[: frame.along.number]
        widths = expected_half_widths(frame.along, counts, rates, look.confidence, reach)
        return float(widths.max())


def _watched_reach(progress: float, covered: float, level: float) -> float:
    return float(boundary(min(progress, 1.0), covered, level))


def _share(frame: TwoLists, labels: int) -> float:
    """The share of the items with a label on which the difference rests."""
    return min(labels / max(int(frame.along.sizes.sum()), 1), 1.0)


def _step(planned: int) -> int:
    """After how many draws a watched band is renewed."""
    return max(LOOK_EVERY, -(-planned // BANDS))


def _ends(setup: Setup) -> tuple[int, int]:
    """The first and the last rank that count. Raises PlanError for a list that is shorter."""
    params, items = setup.params, len(setup.population)
    last = params.last_rank or min(LAST_RANK, max(items // 2, 1))
    if last > items:
        rule = f"must be at most {items:,}, the items of each list"
        raise ParameterError("last_rank", rule, got=last, short="the lists are shorter")
    first = params.first_rank or min(FIRST_RANK, last)
    if first > last:
        raise ParameterError("first_rank", f"must be at most {last:,}, the last one", got=first)
    return first, last


def _edges(first: int, last: int) -> IntArray:
    """From the first rank on in constant ratio to the last one."""
    edges = rank_edges(last, first, GROWTH)
    return edges if edges[0] == first else np.append(first, edges)


def _ranks(setup: Setup, name: str) -> IntArray:
    """The rank of each item in one list, (n_items,)."""
    score = setup.population.ordering_score(name)
    assert score is not None, "a plan for lists without scores is refused"
    order = setup.ranking(score)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    return rank


def _notes(setup: Setup, ranks: list[IntArray], last: int) -> tuple[str, ...]:
    notes = []
    for name in (setup.classifier, setup.versus):
        score = setup.population.ordering_score(str(name))
        if score is not None and score.min() == score.max():
            notes.append(RANDOM.format(name=name))
    items = len(setup.population)
    rank = min(last, max(items // 2, 1))
    shared = int(((ranks[0] <= rank) & (ranks[1] <= rank)).sum())
    share = rank / items
    chance = rank * share
    noise = np.sqrt(max(chance * (1 - share) * (1 - share), 1.0))
    if not notes and shared <= chance + SHARED_BY_CHANCE * noise:
        notes.append(SHUFFLED.format(rank=rank, shared=shared))
    return tuple(notes)


def _grid(first: int, last: int) -> IntArray:
    """The ranks of the band: all of them, of a long list those that are ``NEAR`` each other."""
    if last - first < EVERY_RANK:
        return np.arange(first, last + 1, dtype=np.int64)
    steps = int(np.log(last / first) * NEAR)
    return np.unique(np.rint(np.geomspace(first, last, steps)).astype(np.int64))


def _planned(heads: Heads, along: Along, sizes: IntArray, labels: int) -> IntArray:
    """The labels of each stratum of the frame, what both lists have only where all else has one."""
    counts = np.zeros(len(sizes), dtype=np.int64)
    mine = along.sizes
    shared = min(labels, int(mine.sum()))
    counts[: along.number] = shared_out(along.weights, mine, shared, portable=along.portable)
    rest = labels - int(mine.sum())
    union = len(heads.first)
    if rest > 0 and union > mine.sum():
        counts[along.number] = min(rest, union - int(mine.sum()))
    return counts


def _asking_order(setup: Setup, frame: TwoLists) -> IntArray:
    """Two of each stratum, then the planned ones, then all others, in random order across strata,
    every prefix in proportion."""
    planned = frame.planned
    shared = np.arange(len(planned)) < frame.along.number
    early = np.where(shared, np.minimum(OF_EACH, planned), 0)
    whole = np.where(shared, frame.sizes, planned)
    drawn, items_of_step = np.zeros_like(planned), []
    for upto in (early, planned, whole, np.where(frame.asked, frame.sizes, 0)):
        counts = upto - drawn
        items_of_step.append(in_proportion(setup, frame, drawn, counts, int(counts.sum())))
        drawn = upto
    return np.concatenate(items_of_step)
