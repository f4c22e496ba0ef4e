"""What every sampling method owes, whatever it estimates: written once, run on each family.

A contract takes the name of a method and a file with known labels. Beside it stand deliberately
broken methods that must fail it: a contract that nothing can break proves nothing.
"""

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import joblib
import numpy as np

from labelcore.designs import DESIGNS
from labelcore.designs.base import Design, Frame, IntArray, Progress, Setup
from labelcore.designs.scalars import EstimatesScalars
from labelcore.figures.from_counts import answers_of, look_at, same_cells
from labelcore.log.engine import Engine
from labelcore.log.events import Draw
from labelcore.log.history import state_at
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.promises import Promise
from labelcore.results.base import Finding
from labelcore.results.curves import Band
from labelcore.results.types import Choice, Estimate
from labelcore.session.session import Session
from labelcore.stats.profile import FloatArray
from labelcore.testing.known import Known, label, labelled

Contract = Callable[[str, Known], None]

BROKEN = "broken"
ANSWER_KEY: dict[str, IntArray] = {}
"""What only the person knows; one of the broken methods peeks at it."""


def promises_of(name: str, estimands: Sequence[str]) -> tuple[Promise, ...]:
    """The promises that a method has for these with its own parameters."""
    design = DESIGNS[name]
    return design.promises_for(tuple(estimands), design.Params())


def drawn(engine: Engine) -> list[int]:
    return [asked.position for asked in engine.asked]


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """Methods that owe the same, the few things in which their contracts differ, and the contracts.

    n_items     items in the file
    plan_of     (name, **values) -> a plan for that file
    results     (engine) -> {key: result}: what counts as the figures
    undone_at   draws whose answers are taken back; those of the last draw are too
    agreed      labels on which two worlds agree that agree on nothing else
    written     values of the plan that goes through JSON; a stop only where it can be watched
    read_at     numbers of labels at which the figures go through JSON
    sound       the method that the broken ones derive from
    refusals    what a broken method may raise
    """

    n_items: int
    plan_of: Callable[..., Plan]
    results: Callable[[Engine], Mapping[str, Finding]]
    undone_at: tuple[int, ...]
    agreed: int
    written: Mapping[str, Any] = field(default_factory=dict)
    read_at: tuple[int, ...]
    sound: type[Design[Any]]
    refusals: tuple[type[Exception], ...]

    def figures(self, engine: Engine) -> dict[str, str]:
        return {key: result.to_json() for key, result in self.results(engine).items()}

    # --- the contracts -------------------------------------------------------------------------

    def same_seed_same_draws(self, name: str, known: Known) -> None:
        plan = self.plan_of(name)
        runs = [labelled(known.engine(plan, seed), known.truth) for seed in (4, 4, 5)]
        assert drawn(runs[0]) == drawn(runs[1])
        assert self.figures(runs[0]) == self.figures(runs[1])
        assert drawn(runs[0]) != drawn(runs[2])

    def replay_equals_incremental(self, name: str, known: Known) -> None:
        """Through a session with Undo and Later, a second session on its store, and a bare
        engine."""
        session = Session(known.population, self.plan_of(name), project="replay")
        answer_with_detours(session, known)
        known.population.let_go()
        again = Session(known.population, session.plan, session.store, "replay")
        known.population.let_go()
        engine = state_at(known.population, session.plan, session.events).engine
        assert drawn(engine) == drawn(session.engine) == drawn(again.engine)
        figures = self.figures(engine)
        assert figures == self.figures(session.engine) == self.figures(again.engine)
        assert engine.labels == session.labels == session.plan.planned
        assert self.plan_of(name).budget in (None, session.plan.planned)

    def undo_is_as_if_never_answered(self, name: str, known: Known) -> None:
        """Against a plain run by a method of its own, which shares no memory with the session's."""
        plain = known.engine(kept_plan(known.population, self.plan_of(name)), 4)
        plain.design = copy.deepcopy(plain.design)
        labelled(plain, known.truth)
        session = Session(known.population, self.plan_of(name))
        while (draw := session.next()) is not None:
            right = bool(known.truth[known.population.position(draw.item_id)])
            if draw.index in (*self.undone_at, session.plan.planned):
                draw = self.answer_and_undo(session, draw, (not right, "unsure", "broken"))
            session.answer(draw, right)
        assert drawn(session.engine) == drawn(plain)
        assert self.figures(session.engine) == self.figures(plain)

    def answer_and_undo(self, session: Session, draw: Draw, answers: Iterable[object]) -> Draw:
        """Each answer given, looked at and taken back; the same item, drawn once more."""
        before, items = self.figures(session.engine), drawn(session.engine)
        for wrong in answers:
            session.answer(draw, wrong)
            self.results(session.engine)
            session.undo()
            assert self.figures(session.engine) == before
            assert drawn(session.engine) == items, "what was drawn stays drawn"
            following = session.next()
            assert following is not None
            draw = following
        return draw

    def later_labels_do_not_matter(self, name: str, known: Known) -> None:
        """Two worlds that agree on the first items drawn and on nothing else."""
        agreed = self.agreed
        ANSWER_KEY["truth"] = known.truth
        first = known.engine(self.plan_of(name), 4)
        shown = {
            labels: self.figures(first)
            for labels in label(first, known.truth)
            if labels <= agreed and labels % 5 == agreed % 5
        }
        other = 1 - known.truth
        other[drawn(first)[:agreed]] = known.truth[drawn(first)[:agreed]]
        ANSWER_KEY["truth"] = other
        second = known.engine(self.plan_of(name), 4)
        for labels in label(second, other):
            if labels in shown:
                assert self.figures(second) == shown[labels]
        assert drawn(second)[:agreed] == drawn(first)[:agreed]

    def no_item_twice(self, name: str, known: Known) -> None:
        """Asked for every item; a method whose size follows from its parameters asks for fewer."""
        plan = self.plan_of(name, budget=self.n_items)
        items = drawn(labelled(known.engine(plan, 4), known.truth))
        assert len(set(items)) == len(items)
        assert plan.method.size_from_params or sorted(items) == list(range(self.n_items))

    def frame_stays_as_prepared(self, name: str, known: Known) -> None:
        """What changes while labels come is kept elsewhere."""
        engine = known.engine(self.plan_of(name), 4)
        before = joblib.hash(engine.frame)
        labelled(engine, known.truth)
        self.results(engine)
        assert joblib.hash(engine.frame) == before

    def json_round_trip(self, name: str, known: Known) -> None:
        params = getattr(DESIGNS[name], "example", {})
        written = dict(self.written)
        if Promise.WATCHED not in promises_of(name, self.plan_of(name).estimands):
            written.pop("stop", None)
        plan = self.plan_of(name, params=params, **written)
        assert Plan.from_json(plan.to_json()) == plan
        engine = known.engine(plan, 4)
        steps = label(engine, known.truth)
        for labels in self.read_at:
            while engine.labels < labels:
                next(steps)
            for result in self.results(engine).values():
                assert_comes_back(result)

    # --- the broken methods --------------------------------------------------------------------

    def twin(self, mistake: type[Design[Any]]) -> type[Design[Any]]:
        """The sound method of this family with a mistake that any method could make."""
        return type(mistake.__name__, (mistake, self.sound), {"__doc__": mistake.__doc__})

    def must_fail(self, contract: Contract, twin: type[Design[Any]], known: Known) -> None:
        """Raises AssertionError unless the broken method fails the contract."""
        with registered(twin()) as name:
            try:
                contract(name, known)
            except self.refusals:
                return
        raise AssertionError(f"{twin.__name__} passes {contract.__name__}, which it must fail")


def answer_with_detours(session: Session, known: Known) -> None:
    """Every label, each 17th answer put off for later and each 23rd taken back."""
    step = 0
    while (draw := session.next()) is not None:
        step += 1
        if step % 17 == 0:
            session.answer(draw, "later")
            continue
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
        if step % 23 == 0:
            session.undo()


def assert_comes_back(result: Finding) -> None:
    """From its JSON text the same result."""
    read = json.loads(result.to_json())
    if isinstance(result, Choice):
        assert read == result.to_dict()
        return
    if not isinstance(result, Band):
        assert Estimate.from_dict(read) == result
        return
    for key in ("x", "value", "low", "high", "threshold"):
        back = np.array([np.nan if number is None else number for number in read[key]], dtype=float)
        np.testing.assert_array_equal(back, getattr(result, key))


def beyond_chance(
    count: FloatArray, share: FloatArray, seeds: int, stratum: IntArray
) -> tuple[float, int]:
    """How unevenly the items of a stratum were drawn: Pearson's statistic with the covariance of
    sampling without replacement, which is chi-square, and its degrees of freedom.

    count    (n_items,), how often each item was drawn over all seeds
    share    (n_items,), the drawn share of its stratum, summed over the seeds

    >>> beyond_chance(np.array([9.0, 1.0]), np.full(2, 5.0), 10, np.zeros(2, dtype=int))
    (6.4, 1)
    """
    chance = share / seeds
    spread = seeds * chance * (1 - chance)
    statistic, freedom = 0.0, 0
    for place in np.unique(stratum):
        mine = (stratum == place) & (spread > 1e-9)
        size = int(mine.sum())
        if size > 1:
            excess = (count - seeds * chance)[mine] ** 2 / spread[mine]
            statistic += float(excess.sum()) * (size - 1) / size
            freedom += size - 1
    return statistic, freedom


# --- mistakes that any method could make ---------------------------------------------------------


class Unseeded(Design[Any]):
    """Draws other items each time."""

    def prepare(self, setup: Setup) -> Any:
        return super().prepare(replace(setup, seed=int(np.random.default_rng().integers(2**32))))


class Noting(Design[Any]):
    """Notes in its frame what it has asked."""

    def next_batch(self, setup: Setup, frame: Any, progress: Progress, batch: int) -> IntArray:
        frame.rates[0] *= 0.99
        return super().next_batch(setup, frame, progress, batch)


class Misordered(Design[Any]):
    """A mistake in the order in which the items are asked."""

    order: ClassVar[str]
    """The field of the frame that holds it; the family's sound method says which."""

    def prepare(self, setup: Setup) -> Any:
        frame = super().prepare(setup)
        return replace(frame, **{self.order: self.spoilt(frame, getattr(frame, self.order).copy())})

    def spoilt(self, frame: Frame, items: IntArray) -> IntArray:
        raise NotImplementedError


class Repeating(Misordered):
    """Asks the first item twice."""

    def spoilt(self, frame: Frame, items: IntArray) -> IntArray:
        items[1] = items[0]
        return items


class InFileOrder(Misordered):
    """Within a stratum the first items of the file first, whatever the seed."""

    def spoilt(self, frame: Frame, items: IntArray) -> IntArray:
        for place in range(frame.n_strata):
            places = np.flatnonzero(frame.stratum[items] == place)
            items[places] = np.sort(items[places])
        return items


# --- the tables ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Owed:
    """A contract and the broken methods that must fail it."""

    contract: Contract
    twins: Sequence[Any]
    slow: bool = False


@contextmanager
def registered(design: Design[Any], name: str = BROKEN) -> Iterator[str]:
    """While it lasts a design is one of ``DESIGNS`` under this name."""
    before = DESIGNS.get(name)
    DESIGNS[name] = design
    try:
        yield name
    finally:
        if before is None:
            del DESIGNS[name]
        else:  # In its place: the order is that of the pages.
            DESIGNS[name] = before


EARLY = 24


def assert_no_width_by_itself(engine: Engine) -> None:
    """What the method itself finds at a census has no width, before anything is cut."""
    for group in same_cells(engine.questions):
        (answers,) = answers_of([engine], group)
        figures = EstimatesScalars.of(engine.design).figures(answers, look_at(engine))
        assert (figures.high - figures.low < 1e-9).all()


def assert_wider_than_at_the_end(engine: Engine) -> None:
    """A watched interval spares its error level for the looks to come: with the same labels it is
    wider than where they were all that is planned."""
    look = look_at(engine)
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)
    for group in same_cells(engine.questions):
        (answers,) = answers_of([engine], group)
        now = design.figures(answers, look)
        at_the_end = design.figures(answers, replace(look, planned=look.labels))
        wide, narrow = now.high - now.low, at_the_end.high - at_the_end.low
        assert (wide >= narrow - 1e-9).all() and wide.sum() > 1.02 * narrow.sum()
