"""What every method that estimates numbers about a classifier owes (``EstimatesScalars``).

The contracts of ``contracts`` and those that only these methods can owe, for each promise that the
method has.
"""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.stats import chi2

from labelcore.designs import DESIGNS
from labelcore.designs.base import IntArray, Look, Progress, Setup
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.designs.scalars import Figures
from labelcore.designs.stratified import StratifiedDesign
from labelcore.errors import ReplayError
from labelcore.estimands import Estimand
from labelcore.figures.scalars import scalar_results
from labelcore.plan.plan import Plan
from labelcore.promises import Promise
from labelcore.stats.profile import Cells, FloatArray
from labelcore.testing.contracts import (
    ANSWER_KEY,
    BROKEN,
    EARLY,
    Family,
    InFileOrder,
    Noting,
    Owed,
    Repeating,
    Unseeded,
    assert_no_width_by_itself,
    assert_wider_than_at_the_end,
    beyond_chance,
    drawn,
    promises_of,
)
from labelcore.testing.known import NOISE, SCALARS, Known, fewest, label, labelled, most


class Forgetful(StratifiedDesign[Any]):
    """Hidden state: what it draws depends on how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def allocate(self, setup: Setup, frame: Any, progress: Progress) -> IntArray:
        self.asked += 1
        given = super().allocate(setup, frame, progress)
        return np.roll(given, self.asked) if progress.drawn.sum() else given


class Clinging(StratifiedDesign[Any]):
    """Keeps the most positives it ever saw."""

    def __init__(self) -> None:
        self.seen: FloatArray = np.zeros(0)

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        if len(self.seen) != len(cells.positive) or cells.labelled.sum() == 0:
            self.seen = np.zeros(len(cells.positive))
        self.seen = np.maximum(self.seen, cells.positive)
        kept = replace(cells, positive=np.minimum(self.seen, cells.labelled))
        return super().estimate(rows, kept, look, rates)


class Peeking(StratifiedDesign[Any]):
    """Draws positives first, which nobody can know."""

    def prepare(self, setup: Setup) -> Any:
        frame = super().prepare(setup)
        truth, queue = ANSWER_KEY["truth"], frame.queue
        order = np.lexsort((-truth[queue], frame.stratum[queue]))
        return replace(frame, queue=queue[order])


class NoFinitePopulation(StratifiedDesign[Any]):
    """Takes the file for a sample of something endless."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return super().estimate(rows, cells, replace(look, target="process"), rates)


class AlwaysExact(StratifiedDesign[Any]):
    """Says that its estimate is the truth."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        figures = super().estimate(rows, cells, look, rates)
        return replace(figures, low=figures.value, high=figures.value)


class Hasty(StratifiedDesign[Any]):
    """Takes every look for the one at the planned size, and shows an interval before it."""

    only_watched = True
    """A method with the fixed promise alone cannot go wrong here."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return super().estimate(rows, cells, replace(look, planned=look.labels), rates)


class Narrow(StratifiedDesign[Any]):
    """Half the width."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        figures = super().estimate(rows, cells, look, rates)
        low, high = (figures.low + figures.value) / 2, (figures.high + figures.value) / 2
        return replace(figures, low=low, high=high)


N_ITEMS = 300


def asked_of(name: str) -> tuple[str, ...]:
    """What a method is asked for: what it can be watched for, if it can."""
    able = tuple(estimand for estimand in SCALARS if estimand in DESIGNS[name].estimands)
    watched = [some for some in (able, able[:1]) if Promise.WATCHED in promises_of(name, some)]
    return watched[0] if watched else able


def plan_of(name: str, **values: Any) -> Plan:
    return Plan(
        name,
        values.pop("estimands", asked_of(name)),
        **{"budget": 120, "seed": 4, **values},
    )


def census_is_exact_and_only_a_census(name: str, known: Known) -> None:
    """Zero width exactly where every item of the quantity's denominator is labelled."""
    predicted = known.population.predictions["lr"] == 1
    for promise in promises_of(name, asked_of(name)):
        plan = plan_of(name, budget=N_ITEMS, promise=promise)
        engine = known.engine(plan, 4)
        for labels in label(engine, known.truth):
            if labels % 20 and labels < N_ITEMS - 5:
                continue
            seen = np.isin(np.arange(N_ITEMS), drawn(engine))
            for key, estimate in scalar_results(engine).items():
                rests_on = predicted if key == "precision" else np.ones(N_ITEMS, dtype=bool)
                if estimate.has_interval and estimate.half_width < 1e-9:
                    assert seen[rests_on].all(), (key, labels)
        assert_no_width_by_itself(engine)
        for key, estimate in scalar_results(engine).items():
            assert estimate.state == "exact" and estimate.low == estimate.high == estimate.value
            assert abs(estimate.value - known.value(key)) <= 1e-12
    if "process" not in DESIGNS[name].targets:
        return
    process = labelled(known.engine(replace(plan, target="process"), 4), known.truth)
    assert all(estimate.half_width > 0.005 for estimate in scalar_results(process).values())


def no_label_is_not_yet(name: str, known: Known) -> None:
    for promise in promises_of(name, asked_of(name)):
        engine = known.engine(plan_of(name, promise=promise), 4)
        for estimate in scalar_results(engine).values():
            assert (estimate.value, estimate.low, estimate.high) == (None, 0.0, 1.0)
            assert estimate.state == "nothing" and "no item has a label yet" in estimate.sentence()
        for labels in label(engine, known.truth):
            if labels > 35 and labels % 10 and labels != EARLY:
                continue
            for key, estimate in scalar_results(engine).items():
                ends, certain = (estimate.low, estimate.high), known.certain(key, drawn(engine))
                if labels < 30 and not engine.plan.from_the_first_label:
                    assert (estimate.value, estimate.state) == (None, "too few")
                if estimate.state == "too few":
                    assert estimate.value is None and near(ends, certain)
                if promise == "watched" and labels == EARLY:
                    assert_wider_than_at_the_end(engine)
                if promise == "fixed" and labels < 120:
                    assert not estimate.has_interval and near(ends, certain)


def intervals_lie_within_what_is_certain(name: str, known: Known) -> None:
    """Half of the file and more is labelled: the extremes of what is left cut the intervals."""
    for promise in promises_of(name, asked_of(name)):
        engine = known.engine(plan_of(name, budget=N_ITEMS, confidence=0.9999, promise=promise), 4)
        for labels in label(engine, known.truth):
            if labels % 30 or labels < N_ITEMS // 2:
                continue
            for key, estimate in scalar_results(engine).items():
                low, high = known.certain(key, drawn(engine))
                assert low - 1e-12 <= estimate.low <= estimate.high <= high + 1e-12, (key, labels)
                assert estimate.value is None or estimate.low <= estimate.value <= estimate.high


def sample_is_random(name: str, known: Known) -> None:
    """200 seeds; how often each item is among the first draws, within its stratum; limit 1e-4."""
    seeds, count = 200, np.zeros(N_ITEMS)
    share = np.zeros(N_ITEMS)
    for seed in range(seeds):
        engine = known.engine(plan_of(name, budget=40, promise="fixed"), seed)
        ahead = engine.peek()
        while ahead is not None and ahead[2] == 1:
            engine.draw_next()
            ahead = engine.peek()
        count[drawn(engine)] += 1
        share += (engine.drawn / engine.frame.sizes)[engine.frame.stratum]
    statistic, freedom = beyond_chance(count, share, seeds, engine.frame.stratum)
    assert statistic < chi2.isf(NOISE, freedom)


def fixed_interval_covers(name: str, known: Known) -> None:
    """Confidence 80 %, 100 runs of 100 labels: coverage of each quantity not below the limit of
    the binomial noise (.64)."""
    runs, able = 100, tuple(estimand for estimand in SCALARS if estimand in DESIGNS[name].estimands)
    inside = dict.fromkeys(able, 0)
    plan = plan_of(name, estimands=able, budget=100, confidence=0.8, promise="fixed")
    for seed in range(runs):
        engine = labelled(known.engine(plan, 1000 + seed), known.truth)
        for key, estimate in scalar_results(engine).items():
            inside[key] += estimate.low <= known.value(key) <= estimate.high
    assert min(inside.values()) / runs >= fewest(runs, 0.8), inside


def watched_interval_holds_at_every_look(name: str, known: Known) -> None:
    """Confidence 80 %, 25 sessions of 120 labels, a look at every 20th: the share that ever misses
    at most that of alpha plus binomial noise (.52)."""
    runs, missed = 25, dict.fromkeys(SCALARS, 0)
    plan = plan_of(name, budget=120, confidence=0.8, promise="watched")
    for seed in range(runs):
        engine = known.engine(plan, 2000 + seed)
        wrong = set()
        for labels in label(engine, known.truth):
            if labels % 20 == 0 and labels > 30:
                for key, estimate in scalar_results(engine).items():
                    if not estimate.low <= known.value(key) <= estimate.high:
                        wrong.add(key)
        for key in wrong:
            missed[key] += 1
    assert max(missed.values()) / runs <= most(runs, 0.2), missed


def near(ends: tuple[float, float], other: tuple[float, float]) -> bool:
    return bool(np.allclose(ends, other, rtol=0, atol=1e-12))


class Broken(RecalibratedNeyman):
    """The sound method that the broken ones derive from."""

    name: ClassVar[str] = BROKEN
    order: ClassVar[str] = "queue"


class FixedLooks(StratifiedDesign[Any]):
    """Fixed intervals under a watched promise."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return super().estimate(rows, cells, replace(look, promise=Promise.FIXED), rates)


SCALAR = Family(
    n_items=N_ITEMS,
    plan_of=plan_of,
    results=scalar_results,
    undone_at=(41, 60, 61, 90),
    agreed=70,
    written={"classifier": ["lr"], "margin": 0.1, "stop": "margin"},
    read_at=(0, 20, 50, 110),
    sound=Broken,
    refusals=(AssertionError, ReplayError),
)
CONTRACTS = [
    Owed(SCALAR.same_seed_same_draws, [SCALAR.twin(Unseeded)]),
    Owed(SCALAR.replay_equals_incremental, [SCALAR.twin(Forgetful), SCALAR.twin(Unseeded)]),
    Owed(SCALAR.undo_is_as_if_never_answered, [SCALAR.twin(Clinging)]),
    Owed(SCALAR.later_labels_do_not_matter, [SCALAR.twin(Peeking)]),
    Owed(SCALAR.no_item_twice, [SCALAR.twin(Repeating)]),
    Owed(
        census_is_exact_and_only_a_census,
        [SCALAR.twin(NoFinitePopulation), SCALAR.twin(AlwaysExact)],
    ),
    Owed(no_label_is_not_yet, [SCALAR.twin(Hasty)]),
    Owed(intervals_lie_within_what_is_certain, []),
    Owed(SCALAR.frame_stays_as_prepared, [SCALAR.twin(Noting)]),
    Owed(SCALAR.json_round_trip, []),
    Owed(sample_is_random, [SCALAR.twin(InFileOrder)]),
    Owed(fixed_interval_covers, [SCALAR.twin(Narrow)], slow=True),
]
IF_WATCHED = [Owed(watched_interval_holds_at_every_look, [SCALAR.twin(FixedLooks)], slow=True)]
