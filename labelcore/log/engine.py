"""The engine: (population, plan, log) -> state, next draws, results.

It does no input or output. ``labelcore.log.kinds`` folds the events of a log into it; a fresh
engine fed the same events draws the same items. A batch depends only on the events before its first
item was shown, whose number the log records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from labelcore.designs import base
from labelcore.designs.base import Due, IntArray, Progress, Toward, rank_order
from labelcore.designs.curves import fine_grid
from labelcore.designs.recut import from_json, recut_frame
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import PlanError
from labelcore.log.answers import answer_kind
from labelcore.log.drawn_items import DrawnItems
from labelcore.log.events import Event
from labelcore.log.further_readings import chances, worth_of_cells
from labelcore.log.ranked_items import Along
from labelcore.log.recorded_answers import Asked, Book
from labelcore.log.repeats import Repeats
from labelcore.plan.against_file import as_ordered, check_size, chosen_classifiers, make_setup
from labelcore.plan.claim_totals import ClaimTotals, claim_totals
from labelcore.plan.existing import RANDOM, existing_labels, prepared, remember
from labelcore.plan.pilot import after_pilot, largest_size, pilot_of
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import looking
from labelcore.population import Population
from labelcore.promises import Unsure
from labelcore.stats.orders import Orders
from labelcore.stats.profile import NOT_SAMPLED, Cells, FloatArray, smoothed_rates
from labelcore.tallies import Tallies, Tally, questions, tallies_of

Kept = TypeVar("Kept")


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """What an engine counts in: a frame, its cells without or with labels, and what follows from
    the frame."""

    frame: Any
    tallies: Tallies
    of_frame: dict[Hashable, Any]


class Engine(Book):
    """State of one session, a function of population, plan and the events applied.

    plan.planned must be set (``labelcore.preview`` computes it, ``labelcore.Session`` freezes it).
    ``orders`` says where the random orders come from, None: from the seed and the ids. ``frame``
    is what the method prepared for the same population and plan, where that is at hand.

    cut_after    so many items were drawn when strata were cut once more
    seen, told   (draws, what was found) of looks back at earlier draws, in rising order, as long as
                 the answers up to there stay as they are: bands by themselves, and results
    """

    def __init__(
        self,
        population: Population,
        plan: Plan,
        orders: Orders | None = None,
        frame: base.Frame | None = None,
    ) -> None:
        if plan.planned is None:
            raise PlanError("the plan's planned size is not frozen yet")
        population = as_ordered(population, plan)
        self.population, self.plan, self.design = population, plan, plan.method
        self.classifiers = chosen_classifiers(population, plan)
        setup = make_setup(population, plan, self.classifiers, plan.planned)
        self.setup = setup if orders is None else replace(setup, orders=orders)
        self.existing = existing_labels(population, plan, self.classifiers[0])
        self.frame: Any = frame
        if frame is None:
            self.frame = prepared(self.design, self.setup, self.existing)
        else:
            remember(self.design, self.setup, self.existing, frame)
        self.given = int(self.frame.drawn_before.sum())
        self.setup = replace(self.setup, planned=plan.planned + self.given)
        check_size(self.design, self.frame, self.setup.planned)
        self.questions = questions(
            population, tuple(plan.estimands), self.classifiers, plan.classes, self.setup.groups
        )
        self.classes = {name: code for code, name in enumerate(population.classes)}
        self._of_frame: dict[Hashable, Any] = {}
        self._uncut: Parts | None = None
        self._cut: Parts | None = None
        self._tally()
        self._start()

    def _tally(self) -> None:
        """The empty cells of everything that the plan asks about, for the strata of the frame."""
        stratum = self.frame.stratum
        self.tallies = self._tallies_of(self.frame)
        first, target, groups = self.classifiers[0], self.plan.target, self.setup.groups
        self.claims: list[ClaimTotals] = [
            claim_totals(self.population, text, first, stratum, target, groups)
            for text in self.plan.claims
        ]

    def _tallies_of(self, frame: base.Frame) -> Tallies:
        return tallies_of(
            self.population, frame.stratum, self.classifiers, self.questions, self.setup.groups
        )

    def _start(self) -> None:
        """The state before the first event."""
        super().__init__(repeats_of(self.plan))
        if self.repeats.others:
            self.repeats.chance_of = self.chance_of
        self._chances: dict[int, FloatArray] = {}
        self.drawn = self.frame.drawn_before.copy()
        self.first_limit = self.limit = self._first_limit()
        self._queue: list[tuple[int, int]] = []
        self._queue_basis = -1
        self._batches = 0
        self._owed: set[int] = set()
        self._last_answered = 0
        self._unanswered: set[int] = set()
        self._undecided: set[int] = set()
        self.codes = base.AnswerCodes()
        self.draws = DrawnItems()
        self._memory: dict[Hashable, Any] = {}
        self._planned: tuple[int, bool, Any] | None = None
        self._toward: tuple[Toward | None, int] = None, 0
        self.cut_after = 0
        self.seen: list[tuple[int, Any]] = []
        self.told: list[tuple[int, Any]] = []
        self.codes[self.existing.positions] = self.existing.codes
        for tally in self.tallies.values():
            tally.add_all(self.existing.positions, self.existing.codes)

    def beginning(self) -> Engine:
        """An engine of the same file and plan before the first event, nothing prepared again."""
        fresh = copy(self)
        if self._uncut is not None:
            fresh._count_in(self._uncut)
        fresh.tallies = Tallies({name: tally.emptied() for name, tally in fresh.tallies.items()})
        fresh.claims = [claim.on(claim.tally.emptied()) for claim in self.claims]
        fresh._start()
        return fresh

    def stages(self, draws: Sequence[int]) -> Iterator[Engine]:
        """The engine as it would be after each of these numbers of draws, which rise, with the
        answers as they are now; nobody may answer in it."""
        growing = self.beginning()
        for end in draws:
            if len(self.recuts) > len(growing.recuts) and end > self.cut_after:
                growing._take_over(self, self.cut_after)
                growing.cut_anew(self.recuts[0])
            growing._take_over(self, end)
            for replan in self.replans[len(growing.replans) :]:
                if growing.pilot <= growing.labels:
                    growing.replan(*replan)
            stage = growing._apart()
            stage.seen = self.seen
            yield stage

    def _take_over(self, other: Engine, end: int) -> None:
        """Draws and answers of another engine of the same plan, up to draw ``end``."""
        start = len(self.asked)
        if end <= start:
            return
        new = slice(start, end)
        positions, codes = other.draws.position[new], other.draws.code[new]
        self.asked += other.asked[new]
        same = self.frame is other.frame
        strata = other.draws.stratum[new] if same else self.frame.stratum[positions]
        self._put_behind(positions, strata)
        if (codes >= 0).all():
            self._put_in_labels(positions, codes)
            return
        for index in range(start + 1, len(self.asked) + 1):
            self._put_in(index)

    def _put_in_labels(self, positions: IntArray, codes: IntArray) -> None:
        """The last items drawn have these classes."""
        self.codes[positions] = codes
        self.draws.code[-len(codes) :] = codes
        self.kinds["labelled"] += len(positions)
        for tally in (*self.tallies.values(), *(claim.tally for claim in self.claims)):
            tally.add_all(positions, codes)
        self._last_answered, self.version = len(self.asked), self.version + len(positions)

    def _apart(self) -> Engine:
        """The same state, to be changed apart."""
        other = copy(self)
        other.tallies = Tallies({name: tally.copied() for name, tally in self.tallies.items()})
        other.claims = [claim.on(claim.tally.copied()) for claim in self.claims]
        other.asked, other.kinds = list(self.asked), Counter(self.kinds)
        other.drawn, other.codes = self.drawn.copy(), self.codes.copy()
        other.draws = self.draws.copy()
        other._queue, other._owed, other._memory = list(self._queue), set(self._owed), {}
        other._unanswered, other._undecided = set(self._unanswered), set(self._undecided)
        other.seen, other.told = list(self.seen), list(self.told)
        other._chances = dict(self._chances)
        return other

    def redrawn(self, seed: int, *, strata_kept: bool = False) -> Engine:
        """An engine of the same file and plan before the first event under another seed, nothing
        prepared again that does not depend on the seed. Its orders must be drawn, not hashed.
        Where the size follows from the parameters, it is that of these draws.

        strata_kept   of a method that draws from strata: equal scores at an edge stay where they
                      are, which saves preparing strata anew
        """
        fresh = copy(self)
        fresh._uncut = fresh._cut = None
        fresh.plan, fresh.setup = self.plan.with_seed(seed), replace(self.setup, seed=seed)
        anew = base.drawn_anew if strata_kept else self.design.redrawn
        frame = None if self.existing.use else anew(fresh.setup, self.frame)
        fresh.frame = prepared(self.design, fresh.setup, self.existing) if frame is None else frame
        fresh._of_frame = {}
        if fresh.frame.stratum is not self.frame.stratum:
            fresh._tally()
        if self.design.size_from_params:
            most = self.design.most(fresh.frame)
            size = most if self.plan.budget is None else min(self.plan.budget, most)
            fresh.plan = fresh.plan.with_planned(size)
            fresh.setup = replace(fresh.setup, planned=size + self.given)
        for name in ("rank_order", "rank_of"):
            fresh.__dict__.pop(name, None)
        return fresh.beginning()

    def of_frame(self, name: Hashable, work: Callable[[], Kept]) -> Kept:
        """What follows from the file, the plan and the frame alone, worked out once for each name
        and shared by the looks ahead and back of this engine; nobody may change it."""
        if name not in self._of_frame:
            self._of_frame[name] = work()
        kept: Kept = self._of_frame[name]
        return kept

    @cached_property
    def rank_order(self) -> IntArray:
        """Items from the highest score to the lowest, ties by the tie hash, (n_items,).

        Raises PlanError where the first classifier has no score.
        """
        return rank_order(self.setup)

    @cached_property
    def rank_of(self) -> Along:
        """The rank (1, 2, ...) of each item at positions that are asked for, and the scores at
        ranks.

        Raises PlanError where the first classifier has no score.
        """
        edges = getattr(self.frame, "edges", self.frame.sizes[:0])
        return Along(
            self.setup,
            lambda: self.design.soon(self.setup, self.frame, self.drawn),
            lambda: fine_grid(len(self.population), edges),
        )

    def _first_limit(self) -> int:
        plan, items = self.plan, self.most
        if plan.budget is not None:
            return min(plan.budget, items)
        assert plan.planned is not None
        if (furthest := plan.furthest(self.watched_for)) is not None:
            return min(furthest - self.given, items)
        return items if looking(plan.stop_rules) else min(self.watched_for - self.given, items)

    @property
    def planned(self) -> int:
        """The planned size, with the labels that were there before: that of the plan, or the one
        that was forecast after its pilot."""
        return self.replanned or self.setup.planned

    @property
    def size_known(self) -> int:
        """``planned``, or while a pilot goes on that told too little the labels to which it goes:
        so many there will be at least."""
        return self.pilot_until or self.planned

    @property
    def pilot(self) -> int:
        """The labels after which a margin plan forecasts its size anew; 0 for other plans, and once
        the pilot has ended."""
        if self.replans:
            return self.pilot_until
        return pilot_of(self.given) if self.plan.learns else 0

    @property
    def watched_for(self) -> int:
        """The labels that the watched band is for: the planned size, or while a pilot is to tell it
        the largest that may come of it."""
        return self.largest if self.pilot else self.planned

    @property
    def largest(self) -> int:
        """The largest size that may be planned, before the pilot or after it."""
        plan, planned = self.plan, self.setup.planned
        if not plan.learns:
            return planned
        known = len(self.questions), self._items, planned, self.given
        return self.of_frame("largest", lambda: largest_size(plan, *known))

    def size_after(self, half_width: float) -> tuple[int, int]:
        """The size to plan for by the widest fixed interval of a pilot that ends now, and to how
        many labels the pilot goes on, 0 if it does not."""
        known = len(self.questions), self._items, self.setup.planned, self.given
        return after_pilot(self.plan, *known, len(self.asked), half_width, self.labels)

    @property
    def _items(self) -> int:
        """Those that the method samples."""
        return int(self.frame.sizes[self.frame.asked].sum())

    @property
    def most(self) -> int:
        """The most items that can be asked."""
        return self.design.most(self.frame)

    @property
    def allowed(self) -> int:
        """How many items may be asked now: up to its limit, or no more than those so far."""
        return len(self.asked) if self.ended else self.limit

    @property
    def unsure_reading(self) -> Unsure:
        """That of the plan; both ways where some strata are asked nothing, so that nobody knows how
        many of their items a person can judge."""
        reading, method = self.plan.unsure_reading, self.design
        if reading != Unsure.JUDGED or not isinstance(method, EstimatesScalars):
            return reading
        return reading if method.judges_all(self.frame) else Unsure.EITHER_WAY

    @property
    def drawn_positions(self) -> IntArray:
        """The positions of the items drawn, in that order, (n_drawn,)."""
        return self.draws.position

    # --- drawing ---------------------------------------------------------------------------

    @property
    def progress(self) -> Progress:
        """Drawn and labelled items by stratum, as the design may see them."""
        tally = self.tallies[self.classifiers[0]]
        cells = tally.cells(self.class_of_progress)
        return Progress(
            self.drawn,
            self._by_stratum(tally, cells.labelled),
            self._by_stratum(tally, cells.positive),
            self.limit + self.given,
            self._by_stratum(tally, tally.right()),
            self.codes,
            self.drawn_positions,
            self._memory,
            self.sought,
        )

    def progress_after_each(self, positions: IntArray, codes: IntArray) -> Progress:
        """``progress`` after each of several labels more: labelled and positive items by stratum,
        (n_labels, n_strata); of what else there is, only the limit.

        positions, codes   (n_labels,), the items and their classes
        """
        tally = self.tallies[self.classifiers[0]]
        cells = tally.after_each(positions, codes, self.class_of_progress)
        labelled = self._by_stratum(tally, cells.labelled)
        positive = self._by_stratum(tally, cells.positive)
        return Progress(self.drawn, labelled, positive, self.limit + self.given)

    @property
    def class_of_progress(self) -> int | None:
        """The class whose items count as positive in ``progress``; None: those rightly judged."""
        several = len(self.population.classes) > 2
        return None if several else self.classes[self.population.positive]

    def _by_stratum(self, tally: Tally, of_cells: FloatArray) -> FloatArray:
        """Sums over the cells of each stratum, (..., n_strata)."""
        strata = self.frame.n_strata
        if of_cells.ndim == 1:
            stratum = tally.stratum - NOT_SAMPLED
            sums = np.bincount(stratum, of_cells, strata - NOT_SAMPLED)
            return sums[-NOT_SAMPLED:].astype(float)
        return np.asarray(of_cells @ (tally.stratum[:, None] == np.arange(strata)), dtype=float)

    def peek(self) -> tuple[int, int, int, int] | None:
        """(index, position, batch, basis) of the next new item; None at the limit, and where the
        method has nothing to ask at the moment.

        A batch is composed from the state just before its first item is drawn, so that a replay,
        which composes it at that event, gets the same one."""
        if len(self.asked) >= self.limit:
            return None
        if not self.batch_left and (not self._queue or self._queue_basis != self.sequence):
            self._queue_up(self.design.next_batch(*self._due()))
        if not self._queue:
            return None
        position, batch = self._queue[-1]
        return len(self.asked) + 1, position, batch, self._queue_basis

    @property
    def batch_left(self) -> int:
        """The items still to be drawn of the batch that was begun: whatever is answered before
        them, they come next."""
        begun = bool(self._queue) and self._queue[-1][1] == self._batches
        return len(self._queue) if begun else 0

    @property
    def has_more(self) -> bool:
        """Whether there is a new item to ask at the moment."""
        return len(self.asked) < self.limit and (bool(self._queue) or self.peek() is not None)

    def _due(self) -> Due[Any]:
        setup = replace(self.setup, planned=self.planned) if self.replanned else self.setup
        progress, (toward, until) = self.progress, self._toward
        if toward is not None and len(self.asked) < until:
            setup = replace(setup, toward=toward)
            progress = replace(progress, limit=min(progress.limit, until + self.given))
        return Due(setup, self.frame, progress, self._batches + 1)

    def _queue_up(self, ordered: IntArray) -> None:
        batch = self._batches + 1
        if self.repeats.others:
            self._chances[batch] = self._chances_of_batch()
        self._queue = [(position, batch) for position in ordered[::-1].tolist()]
        self._queue_basis = self.sequence

    def _chances_of_batch(self) -> FloatArray:
        """The chance of being read again for the items of a batch that is composed now,
        (n_cells, 2): by the cell of the first classifier, for those whose first answer says no and
        yes. Yes is the class that counts as positive, with several classes the one that is
        predicted.

        With these chances the plan's share of the labels is expected to be read again. A plan for
        no single figure, such as a curve's, has none that would gain: there all are alike.
        """
        share, tally = self.plan.overlap, self.tallies[self.classifiers[0]]
        if share >= 1 or self.plan.superseded or not self.questions:
            return np.full((len(tally.size), 2), share)
        cells = tally.cells(self.class_of_progress)
        by_stratum = np.asarray(self.design.fitted_rates(self.frame, self.progress))
        rates = smoothed_rates(cells, by_stratum[..., np.maximum(tally.stratum, 0)])
        count = self.expected_labels(cells)
        worth = worth_of_cells(self.questions, self.tallies, count)
        return chances(cells, rates, count, worth, share)

    def expected_labels(self, cells: Cells) -> FloatArray:
        """The labels that each cell is expected to have at the planned size, at least those
        there."""
        planned, stratum = self.planned, np.maximum(np.asarray(cells.stratum), 0)
        counts = self.of_frame(
            ("labels of strata", planned),
            lambda: self.design.planned_counts(self.setup, self.frame, planned),
        )
        planned_here = cells.size * (counts / np.maximum(self.frame.sizes, 1))[stratum]
        return np.where(cells.sampled, np.maximum(planned_here, cells.labelled), cells.size)

    def chance_of(self, index: int, answer: Event) -> float:
        """The chance that an item with this first answer is read again."""
        asked, wanted = self.asked[index - 1], self.class_of_progress
        tally = self.tallies[self.classifiers[0]]
        cell = int(tally.cells_at(asked.position))
        positive = tally.prediction[cell] if wanted is None else wanted
        called = int(self.classes[str(answer.label)] == positive)
        return float(self._chances[asked.batch][cell, called])

    def draw_next(self) -> int:
        """Take the next new item; returns its index."""
        ahead = self.peek()
        if ahead is None:
            raise ValueError("nothing is left to draw within the limit")
        index, position, batch, _ = ahead
        self._queue.pop()
        self._batches = batch
        stratum = int(self.frame.stratum[position])
        self._put_behind(np.array([position]), np.array([stratum]))
        self.codes[position] = base.OPEN
        self.asked.append(Asked(position, stratum, batch))
        self._unanswered.add(index)
        return index

    def _put_behind(self, positions: IntArray, strata: IntArray) -> None:
        """These items are drawn now, behind those drawn before."""
        self.draws.append(positions, strata)
        self.drawn += np.bincount(strata, minlength=len(self.drawn))

    def upcoming(self, most: int) -> IntArray:
        """The positions of the next new items of the present batch, at most so many; none where it
        is at its end (``compose_batches`` makes the next one)."""
        number = max(min(most, len(self._queue), self.limit - len(self.asked)), 0)
        ahead = [position for position, _ in self._queue[: -number - 1 : -1]]
        return np.array(ahead, dtype=np.int64)

    # --- answering -------------------------------------------------------------------------

    def label_ahead(self, number: int, codes: IntArray, answers: Sequence[Event]) -> None:
        """Draw the first ``number`` of the ``upcoming`` items and answer them, as ``draw_next`` and
        ``answer`` do one after another.

        codes    (n_items,), the class of each item
        answers  an answer for each class
        """
        positions, batch = self.upcoming(number), self._queue[-1][1]
        del self._queue[-number:]
        self._batches = batch
        strata, drawn_codes = self.frame.stratum[positions], codes[positions]
        self._put_behind(positions, strata)
        self.asked += [
            Asked(position, stratum, batch, [answers[code]])
            for position, stratum, code in zip(
                positions.tolist(), strata.tolist(), drawn_codes.tolist(), strict=True
            )
        ]
        self._put_in_labels(positions, drawn_codes)

    def kind_of(self, answer: object) -> tuple[str, str | None]:
        """The event kind and the class name of an answer; raises AnswerError for anything else."""
        return answer_kind(answer, self.population.classes, self.population.positive)

    def at_planned(self, results: Callable[[Engine], tuple[int, Any]]) -> Any:
        """``results`` at the planned size, with the draw at which it is reached: worked out again
        only when an answer up to that draw has changed."""
        if self._planned is None or self._planned[1] != self.finished:
            draws, figures = results(self)
            self._planned = draws, self.finished, figures
        return self._planned[2]

    def _put_in(self, index: int) -> None:
        super()._put_in(index)
        if self._planned is not None and index <= self._planned[0]:
            self._planned = None
        for looks in (self.seen, self.told):
            while looks and looks[-1][0] >= index:
                looks.pop()
        answered = self.answered(index)
        code = self.codes[self.asked[index - 1].position] = self._code(index)
        self.draws.put(index, code)
        (self._undecided.add if code == base.UNDECIDED else self._undecided.discard)(index)
        (self._unanswered.discard if answered else self._unanswered.add)(index)
        if answered:
            self._last_answered = max(self._last_answered, index)
        elif index == self._last_answered:
            while self._last_answered and not self.answered(self._last_answered):
                self._last_answered -= 1
        self.version += 1

    def _code(self, index: int) -> int:
        """The class of the label in force, UNDECIDED or OPEN where there is none."""
        event = self.in_force(index)
        if event is None or event.kind == "later":
            return base.OPEN
        return base.UNDECIDED if event.label is None else self.classes[event.label]

    def _count(self, index: int, number: int) -> None:
        super()._count(index, number)
        event = self.in_force(index)
        if event is not None and event.kind == "labelled":
            position, code = self.asked[index - 1].position, self.classes[event.label or ""]
            for tally in (*self.tallies.values(), *(claim.tally for claim in self.claims)):
                tally.add(position, code, number)

    def supposing(self, index: int, event: Event) -> Engine:
        """An engine as this one would be after one more answer; this one stays as it is."""
        after, asked = self._apart(), self.asked[index - 1]
        after.asked[index - 1] = replace(asked, answers=list(asked.answers))
        after.repeats = self.repeats.copied()
        after.first_answer(index, event)
        after.sequence = event.sequence
        return after

    # --- counts ----------------------------------------------------------------------------

    @property
    def labels(self) -> int:
        """Items with a class that the figures rest on: those of a random sample that was there
        before count, items that were known from the start do not."""
        return self.kinds["labelled"] + self.given

    @property
    def existing_used(self) -> int:
        """Labels from before the project that the figures rest on."""
        return self.given if self.existing.use == RANDOM else len(self.existing.positions)

    def waiting_indices(self) -> list[int]:
        """Drawn items without a final answer, in the order drawn."""
        return sorted(self._unanswered)

    def prefix(self) -> int:
        """The draw up to which results look: the last answered one."""
        return self._last_answered

    def open_draws(self) -> list[int]:
        """Draws whose items count both ways: without a final answer inside the prefix, or put off
        for later anywhere, because what a person puts off is not a random part."""
        return [
            index
            for index in self._unanswered
            if index < self._last_answered or self.in_force(index) is not None
        ]

    def open_positions(self) -> list[int]:
        """The items of these draws."""
        return [self.asked[index - 1].position for index in self.open_draws()]

    def undecided_positions(self) -> list[int]:
        """Items called unsure or broken, in the order drawn."""
        return [self.asked[index - 1].position for index in sorted(self._undecided)]

    @property
    def first_undecided(self) -> int:
        """The draw of the first item called unsure or broken; 0 without one."""
        return min(self._undecided, default=0)

    @property
    def undecided(self) -> int:
        """How many items are called unsure or broken."""
        return len(self._undecided)

    # --- the course of the session -----------------------------------------------------------

    def draw(self, event: Event) -> None:
        """An item is put before somebody, for the first time or once more: it is owed no more."""
        index = int(event.index or 0)
        if index > len(self.asked):
            self.draw_next()
        self._owed.discard(index)

    def undo(self, index: int) -> None:
        super().undo(index)
        if self.in_force(index) is None:
            self._owed.add(index)

    def extend(self, budget: int, estimand: str | None = None, group: str | None = None) -> None:
        """Go on until so many items in all. Those more than before are asked next, and for a figure
        or of a group where one is named."""
        more, groups = min(budget, self.most) - self.allowed, self.setup.groups
        super().extend(min(budget, self.most))
        if estimand is None and group is None:
            return
        place = None if group is None or groups is None else groups.names.index(group)
        self._toward = Toward(estimand, place), len(self.asked) + more
        self._queue = []

    def seek(self, precision: float, budget: int) -> None:
        super().seek(precision, min(budget, self.most))
        self._queue = []

    def directed(self, group: str | None) -> int:
        """How many items are still to be asked of a group, None for all items, or for one figure of
        it, before the plan goes on by itself."""
        toward, until = self._toward
        groups = self.setup.groups
        if toward is None:
            return 0
        of = None if toward.group is None or groups is None else groups.names[toward.group]
        return max(until - len(self.asked), 0) if of == group else 0

    def replan(self, planned: int, pilot: int = 0) -> None:
        """The size is another one from here on, and so is what the band is for unless the pilot
        goes on."""
        super().replan(planned, pilot)
        self.first_limit, self._planned = self._first_limit(), None
        self.seen, self.told = [], []
        if not self.extended:
            self.limit = self.first_limit

    def cut_anew(self, told: Mapping[str, Any]) -> None:
        """The strata are cut once more, as recorded, and all that was drawn is counted in the parts
        that it lies in."""
        super().cut_anew(told)
        self.cut_after = len(self.asked)
        parts = self._cut or self._parts_of(told)
        if parts is None:
            return
        uncut = Parts(self.frame, self.tallies, self._of_frame)
        self._uncut, self._cut = self._uncut or uncut, parts
        self._count_in(parts)
        self._queue, self._memory, self._planned = [], {}, None
        positions, codes = self.draws.position, self.draws.code
        self.drawn = self.frame.counts(positions)
        self.draws.stratum[:] = self.frame.stratum[positions]
        there = codes >= 0
        self.tallies = Tallies({name: tally.emptied() for name, tally in self.tallies.items()})
        for tally in self.tallies.values():
            tally.add_all(positions[there], codes[there])

    def _parts_of(self, told: Mapping[str, Any]) -> Parts | None:
        """What is counted in after a cut; None where nothing was cut."""
        cut = from_json(told, len(self.population))
        if cut is None:
            return None
        frame = recut_frame(self.frame, cut, len(self.asked))
        return Parts(frame, self._tallies_of(frame), {})

    def _count_in(self, parts: Parts) -> None:
        self.frame, self.tallies, self._of_frame = parts.frame, parts.tallies, parts.of_frame

    @property
    def cut_anew_yet(self) -> bool:
        """Whether its strata are those of a second cut."""
        return self._cut is not None and self.frame is self._cut.frame

    @property
    def owed(self) -> list[int]:
        """Draws taken back by Undo, neither shown again nor answered since, oldest first."""
        return sorted(self._owed & self._unanswered)


def repeats_of(plan: Plan) -> Repeats:
    """Nothing read again yet, by the plan's rule for what will be."""
    if plan.overlap:
        return Repeats(plan.seed, plan.overlap, plan.readers, others=True)
    return Repeats(plan.seed, plan.repeats)


def compose_batches(engines: Sequence[Engine]) -> None:
    """Compose the next batch of each of these sessions of one plan that is at the end of one and
    may go on, as each would at its next draw."""
    due = [engine for engine in engines if not engine._queue and len(engine.asked) < engine.limit]
    if not due:
        return
    batches = due[0].design.next_batches([engine._due() for engine in due])
    for engine, ordered in zip(due, batches, strict=True):
        engine._queue_up(ordered)
