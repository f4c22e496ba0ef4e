"""What every sampling method owes, as functions that take the name of one.

Each contract runs over ``labelcore.DESIGNS``; beside it stands a deliberately broken method,
registered for the test, that must fail it: a contract that nothing can break proves nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import chi2

import labelcore as lc
from labelcore.designs.base import (
    DesignParams,
    Figures,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    parameter,
)
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.engine import Engine
from labelcore.errors import ReplayError
from labelcore.estimands import Estimand
from labelcore.estimation import scalar_results
from labelcore.stats.profile import Cells, FloatArray
from tests.designs.synthetic import (
    NOISE,
    SCALAR_DESIGNS,
    SCALARS,
    Known,
    calibrated,
    fewest,
    label,
    labelled,
    most,
)

N_ITEMS = 300


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return calibrated(tmp_path_factory.mktemp("contracts"), N_ITEMS, seed=11)


def plan_of(name: str, **values: Any) -> lc.Plan:
    return lc.Plan(name, values.pop("estimands", SCALARS), **{"budget": 120, "seed": 4, **values})


def figures(engine: Engine) -> dict[str, str]:
    return {key: one.to_json() for key, one in scalar_results(engine).items()}


def drawn(engine: Engine) -> list[int]:
    return [asked.position for asked in engine.asked]


# --- the contracts -----------------------------------------------------------------------------


def same_seed_same_draws(name: str, known: Known) -> None:
    runs = [labelled(known.engine(plan_of(name), seed), known.truth) for seed in (4, 4, 5)]
    assert drawn(runs[0]) == drawn(runs[1]) and figures(runs[0]) == figures(runs[1])
    assert drawn(runs[0]) != drawn(runs[2])


def replay_equals_incremental(name: str, known: Known) -> None:
    """Through a session with Undo and Later, a second session on its store, and a bare engine."""
    session = lc.Session(known.population, plan_of(name), project="replay")
    step = 0
    while (draw := session.next()) is not None:
        step += 1
        if step % 17 == 0:
            session.answer(draw, "later")
            continue
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
        if step % 23 == 0:
            session.undo()
    again = lc.Session(known.population, session.plan, session.store, "replay")
    engine = Engine(known.population, session.plan)
    for event in session.events:
        engine.apply(event)
    assert drawn(engine) == drawn(session.engine) == drawn(again.engine)
    assert figures(engine) == figures(session.engine) == figures(again.engine)
    assert engine.labels == session.labels == 120


def undo_is_as_if_never_answered(name: str, known: Known) -> None:
    session = lc.Session(known.population, plan_of(name))
    plain = labelled(known.engine(plan_of(name), 4), known.truth)
    while (draw := session.next()) is not None:
        right = bool(known.truth[known.population.position(draw.item_id)])
        if draw.index in (41, 60, 61, 90, 120):
            before, items = figures(session.engine), drawn(session.engine)
            for wrong in (not right, "unsure", "broken"):
                session.answer(draw, wrong)
                scalar_results(session.engine)
                session.undo()
                assert figures(session.engine) == before
                assert drawn(session.engine) == items, "what was drawn stays drawn"
                draw = session.next()
                assert draw is not None
        session.answer(draw, right)
    assert drawn(session.engine) == drawn(plain) and figures(session.engine) == figures(plain)


ANSWER_KEY: dict[str, np.ndarray] = {}
"""What only the person knows; one of the broken methods peeks at it."""


def later_labels_do_not_matter(name: str, known: Known) -> None:
    """Two worlds that agree on the first 70 items drawn and on nothing else."""
    ANSWER_KEY["truth"] = known.truth
    first = known.engine(plan_of(name), 4)
    asked, shown = [], {}
    for labels in label(first, known.truth):
        shown[labels] = figures(first)
    asked = drawn(first)
    other = 1 - known.truth
    other[asked[:70]] = known.truth[asked[:70]]
    ANSWER_KEY["truth"] = other
    second = known.engine(plan_of(name), 4)
    for labels in label(second, other):
        if labels <= 70:
            assert figures(second) == shown[labels]
    assert drawn(second)[:70] == asked[:70]


def no_item_twice(name: str, known: Known) -> None:
    engine = labelled(known.engine(plan_of(name, budget=N_ITEMS), 4), known.truth)
    assert sorted(drawn(engine)) == list(range(N_ITEMS))


def census_is_exact_and_only_a_census(name: str, known: Known) -> None:
    """Zero width exactly where every item of the quantity's denominator is labelled."""
    said = known.population.predictions["lr"] == 1
    for promise in ("fixed", "watched"):
        plan = plan_of(name, budget=N_ITEMS, promise=promise)
        engine = known.engine(plan, 4)
        for labels in label(engine, known.truth):
            if labels % 20 and labels < N_ITEMS - 5:
                continue
            seen = np.isin(np.arange(N_ITEMS), drawn(engine))
            for key, one in scalar_results(engine).items():
                rests_on = said if key == "precision" else np.ones(N_ITEMS, dtype=bool)
                if one.has_interval and one.half_width < 1e-9:
                    assert seen[rests_on].all(), (key, labels)
        for key, one in scalar_results(engine).items():
            assert one.state == "exact" and one.low == one.high == one.value
            assert one.value == pytest.approx(known.value(key), abs=1e-12)
    process = labelled(known.engine(replace(plan, target="process"), 4), known.truth)
    assert all(one.half_width > 0.005 for one in scalar_results(process).values())


def no_label_is_not_yet(name: str, known: Known) -> None:
    for promise in ("fixed", "watched"):
        engine = known.engine(plan_of(name, promise=promise), 4)
        for one in scalar_results(engine).values():
            assert (one.value, one.low, one.high, one.state) == (None, 0.0, 1.0, "nothing")
            assert "no item has a label yet" in one.sentence()
        for labels in label(engine, known.truth):
            for one in scalar_results(engine).values():
                if labels < 30 or (promise == "watched" and labels < 40):
                    assert (one.value, one.low, one.high, one.state) == (None, 0.0, 1.0, "too few")
                if promise == "fixed" and labels < 120:
                    assert not one.has_interval and (one.low, one.high) == (0.0, 1.0)


def json_round_trip(name: str, known: Known) -> None:
    params = getattr(lc.DESIGNS[name], "example", {})
    plan = plan_of(name, params=params, classifier=["lr"], margin=0.1, stop="margin")
    assert lc.Plan.from_json(plan.to_json()) == plan
    engine = known.engine(plan, 4)
    steps = label(engine, known.truth)
    for labels in (0, 20, 50, 110):
        while engine.labels < labels:
            next(steps)
        for one in scalar_results(engine).values():
            assert lc.Estimate.from_dict(json.loads(one.to_json())) == one


def sample_is_random(name: str, known: Known) -> None:
    """400 seeds; how often each item is among the first draws, within its stratum. Pearson's
    statistic with the covariance of sampling without replacement is chi-square; limit 1e-4."""
    seeds, count = 400, np.zeros(N_ITEMS)
    share = np.zeros(N_ITEMS)
    for seed in range(seeds):
        engine = known.engine(plan_of(name, budget=40, promise="fixed"), seed)
        ahead = engine.peek()
        while ahead is not None and ahead[2] == 1:
            engine.draw_next()
            ahead = engine.peek()
        count[drawn(engine)] += 1
        share += (engine.drawn / engine.frame.sizes)[engine.frame.stratum]
    stratum, chance = engine.frame.stratum, share / seeds
    spread = seeds * chance * (1 - chance)
    statistic, freedom = 0.0, 0
    for one in np.unique(stratum):
        mine = (stratum == one) & (spread > 0)
        size = int(mine.sum())
        if size > 1:
            excess = (count - seeds * chance)[mine] ** 2 / spread[mine]
            statistic += float(excess.sum()) * (size - 1) / size
            freedom += size - 1
    assert statistic < chi2.isf(NOISE, freedom)


def fixed_interval_covers(name: str, known: Known) -> None:
    """Confidence 80 %, 200 runs of 100 labels: coverage of each quantity not below the limit of
    the binomial noise (.69)."""
    runs, inside = 200, dict.fromkeys(SCALARS, 0)
    plan = plan_of(name, budget=100, confidence=0.8, promise="fixed")
    for seed in range(runs):
        engine = labelled(known.engine(plan, 1000 + seed), known.truth)
        for key, one in scalar_results(engine).items():
            inside[key] += one.low <= known.value(key) <= one.high
    assert min(inside.values()) / runs >= fewest(runs, 0.8), inside


def watched_interval_holds_at_every_look(name: str, known: Known) -> None:
    """Confidence 80 %, 50 sessions looked at after every fourth label: the share that ever misses
    at most that of alpha plus binomial noise (.44)."""
    runs, missed = 50, dict.fromkeys(SCALARS, 0)
    plan = plan_of(name, budget=200, confidence=0.8, promise="watched")
    for seed in range(runs):
        engine = known.engine(plan, 2000 + seed)
        wrong = set()
        for labels in label(engine, known.truth):
            if labels >= 40 and labels % 4 == 0:
                for key, one in scalar_results(engine).items():
                    if not one.low <= known.value(key) <= one.high:
                        wrong.add(key)
        for key in wrong:
            missed[key] += 1
    assert max(missed.values()) / runs <= most(runs, 0.2), missed


# --- broken methods ----------------------------------------------------------------------------


class Broken(RecalibratedNeyman):
    name: ClassVar[str] = "broken"


class Unseeded(Broken):
    def prepare(self, setup: Setup) -> Frame:
        return super().prepare(replace(setup, seed=int(np.random.default_rng().integers(2**32))))


class Forgetful(Broken):
    """Hidden state: what it draws depends on how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def allocate(self, setup: Setup, frame: Frame, progress: Progress) -> IntArray:
        self.asked += 1
        given = super().allocate(setup, frame, progress)
        return np.roll(given, self.asked) if progress.drawn.sum() else given


class Clinging(Broken):
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


class Peeking(Broken):
    """Draws positives first, which nobody can know."""

    def prepare(self, setup: Setup) -> Frame:
        frame = super().prepare(setup)
        truth, queue = ANSWER_KEY["truth"], frame.queue
        order = np.lexsort((-truth[queue], frame.stratum[queue]))
        return replace(frame, queue=queue[order])


class Repeating(Broken):
    def prepare(self, setup: Setup) -> Frame:
        frame = super().prepare(setup)
        queue = frame.queue.copy()
        queue[1] = queue[0]
        return replace(frame, queue=queue)


class NoFinitePopulation(Broken):
    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return super().estimate(rows, cells, replace(look, target="process"), rates)


class AlwaysExact(Broken):
    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        found = super().estimate(rows, cells, look, rates)
        return replace(found, low=found.value, high=found.value)


class Hasty(Broken):
    """Shows a figure from the first label on."""

    def first_look(self, frame: Frame, planned: int, promise: str) -> int:
        return 1


class NotJson(Broken):
    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        n_above: int = parameter(6, "", low=1)
        n_below: int = parameter(12, "", low=1)
        floor: float = parameter(0.2, "")
        n_step: int | None = parameter(None, "")
        focus: str | None = parameter(None, "")
        rates: object = parameter(None, "")

        def __post_init__(self) -> None:
            pass

    example: ClassVar[dict[str, Any]] = {"rates": (0.1, 0.2)}


class InFileOrder(Broken):
    """Within a stratum the first items of the file first, whatever the seed."""

    def prepare(self, setup: Setup) -> Frame:
        frame = super().prepare(setup)
        return replace(frame, queue=np.argsort(frame.stratum, kind="stable"))


class Narrow(Broken):
    """Half the width."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        found = super().estimate(rows, cells, look, rates)
        low, high = (found.low + found.value) / 2, (found.high + found.value) / 2
        return replace(found, low=low, high=high)


class FixedLooks(Broken):
    """Fixed intervals under a watched promise."""

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return super().estimate(rows, cells, replace(look, promise="fixed"), rates)


Contract = Callable[[str, Known], None]
CONTRACTS: list[tuple[Contract, list[type[Broken]]]] = [
    (same_seed_same_draws, [Unseeded]),
    (replay_equals_incremental, [Forgetful, Unseeded]),
    (undo_is_as_if_never_answered, [Clinging]),
    (later_labels_do_not_matter, [Peeking]),
    (no_item_twice, [Repeating]),
    (census_is_exact_and_only_a_census, [NoFinitePopulation, AlwaysExact]),
    (no_label_is_not_yet, [Hasty]),
    (json_round_trip, [NotJson]),
    (sample_is_random, [InFileOrder]),
    (fixed_interval_covers, [Narrow]),
    (watched_interval_holds_at_every_look, [FixedLooks]),
]
SLOW = {fixed_interval_covers, watched_interval_holds_at_every_look}


def marks(contract: Contract) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if contract in SLOW else []


@pytest.mark.parametrize(
    ("contract", "name"),
    [
        pytest.param(contract, name, marks=marks(contract), id=f"{contract.__name__}-{name}")
        for contract, _ in CONTRACTS
        for name in SCALAR_DESIGNS
    ],
)
def test_contract(contract: Contract, name: str, known: Known) -> None:
    contract(name, known)


@pytest.mark.parametrize(
    ("contract", "broken"),
    [
        pytest.param(
            contract, broken, marks=marks(contract), id=f"{contract.__name__}-{broken.__name__}"
        )
        for contract, twins in CONTRACTS
        for broken in twins
    ],
)
def test_broken_twin_fails(
    contract: Contract, broken: type[Broken], known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(lc.DESIGNS, "broken", broken())
    with pytest.raises((AssertionError, ReplayError)):
        contract("broken", known)


def test_unbroken_twin_passes_what_is_quick(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins fail because of their mistake, not because they are registered in a test."""
    monkeypatch.setitem(lc.DESIGNS, "broken", Broken())
    for contract, _ in CONTRACTS:
        if contract not in SLOW:
            contract("broken", known)
