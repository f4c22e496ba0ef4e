"""What every method that estimates a curve owes (``EstimatesCurve``).

The contracts of ``labelcore.testing`` and those that only these methods can owe: more of them the
methods for ranked lists, whose bounds hold for all ranks together, than those that give each rank
its own. Ties are in the file: two decimals of the score.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import chi2, norm

import labelcore as lc
from labelcore.designs import geometric_strata
from labelcore.designs.base import Frame, IntArray, Look, Progress, Setup
from labelcore.designs.curves import Curve, Ranked
from labelcore.designs.geometric_strata import GeometricStrata
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.errors import PlanError, ReplayError
from labelcore.figures.current import results
from labelcore.figures.curves import ranked_curve, whole_curve
from labelcore.log.engine import Engine
from labelcore.stats import rank_band
from labelcore.stats.curve_readings import READINGS, Yields, area_under_roc, average_precision
from labelcore.testing.contracts import (
    ANSWER_KEY,
    BROKEN,
    Contract,
    Family,
    InFileOrder,
    Noting,
    Owed,
    Repeating,
    Unseeded,
    beyond_chance,
    drawn,
    promises_of,
)
from labelcore.testing.known import NOISE, Known, calibrated, fewest, label, labelled, most, write
from tests.answering import many_labelled
from tests.cases import once, repeated
from tests.contracts.cases import Twin, method_cases, must_fail, register, twin_cases, unwritable
from tests.designs.synthetic import LIST_DESIGNS

N_ITEMS = 400
ASKED = ("precision_curve", "average_precision", "area_under_roc")
GEOMETRIC = "geometric_strata"
SIZED: dict[str, dict[str, Any]] = {
    "paula": {"epsilon": 0.2, "window": 10},
    "logarithmic_stratified": {
        "epsilon": 0.2, "first_rank": 60, "beta": 1.25, "minimum_precision": 0.9,
    },
}  # fmt: skip
"""Parameters of the methods whose size follows from them: 157 labels of 400 each."""

longer = once(calibrated, 1000, seed=13)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """400 items, 101 different scores at most; the share of positives follows the score."""
    rng = np.random.default_rng(12)
    score = np.round(rng.beta(0.8, 1.0, N_ITEMS), 2)
    truth = (rng.random(N_ITEMS) < score).astype(int)
    folder = tmp_path_factory.mktemp("lists")
    return write(folder, truth, score=score, thresholds={"lr": 0.5})


def plan_of(name: str, **values: Any) -> lc.Plan:
    params, promise = values.pop("params", {}), values.get("promise")
    if lc.DESIGNS[name].size_from_params:
        return lc.Plan(name, ASKED, params={**SIZED[name], **params}, seed=4, promise=promise)
    return lc.Plan(name, ASKED, params=params, seed=4, **{"budget": 160, **values})


def true_yields(known: Known, engine: Engine) -> np.ndarray:
    """Hits among the first r items, (n_items,)."""
    return np.cumsum(known.truth[engine.rank_order]).astype(float)


# --- the contracts -----------------------------------------------------------------------------


def no_label_changes_what_is_asked(name: str, known: Known) -> None:
    """The numbers of labels are fixed before the first one: the opposite answers, the same
    items."""
    ANSWER_KEY["truth"] = known.truth
    runs = [
        labelled(known.engine(plan_of(name), 4), truth)
        for truth in (known.truth, 1 - known.truth, np.ones(N_ITEMS, dtype=np.int64))
    ]
    assert drawn(runs[0]) == drawn(runs[1]) == drawn(runs[2])


def census_is_exact_and_only_a_census(name: str, known: Known) -> None:
    """With every label the truth itself; before, zero width where everything up to the rank is
    labelled, and where a confidence goes with the band nowhere else."""
    everything = {"first_rank": N_ITEMS} if lc.DESIGNS[name].size_from_params else {}
    engine = known.engine(plan_of(name, budget=N_ITEMS, params=everything), 4)
    ranks = np.arange(1, N_ITEMS + 1)
    for labels in label(engine, known.truth):
        if labels % 25 and labels < N_ITEMS - 2:
            continue
        whole = ranked_curve(engine, ranks)
        if not whole.confidence or whole.yields is None:
            continue
        seen = np.zeros(N_ITEMS, dtype=bool)
        seen[engine.rank_of[drawn(engine)[: whole.draws]] - 1] = True
        settled = np.logical_and.accumulate(seen)
        _, low, high = whole.read("precision")
        assert np.array_equal(high - low < 1e-9, settled), labels
    truth = true_yields(known, engine)
    curve = results(engine)["precision_curve"]
    assert curve.state == "exact" and len(curve.x) == N_ITEMS
    for one in (curve.value, curve.low, curve.high):
        np.testing.assert_allclose(one, truth / ranks, rtol=0, atol=1e-12)
    exact = Yields(N_ITEMS, ranks, truth, truth, truth)
    for key, formula in (("average_precision", average_precision), ("area_under_roc",
                                                                    area_under_roc)):  # fmt: skip
        one = results(engine)[key]
        assert one.state == "exact"
        assert [one.value, one.low, one.high] == pytest.approx([formula(exact)[0]] * 3, abs=1e-12)


def no_label_is_not_yet(name: str, known: Known) -> None:
    """Nothing at first; no bounds before the first look, whichever promise, but for watched numbers
    with intervals of their own."""
    for promise in lc.DESIGNS[name].promises:
        plan = plan_of(name, promise=promise)
        engine = known.engine(plan, 4)
        first = engine.design.first_look(engine.frame, int(engine.plan.planned or 0), promise)
        assert plan.method.size_from_params or first == (160 if promise == "fixed" else 5)
        empty = results(engine)
        assert np.isnan(empty["precision_curve"].value).all()
        assert {one.state for one in empty.values()} <= {"nothing", "too few"}
        for labels in label(engine, known.truth):
            if labels >= first:
                break
            found = results(engine)
            curve = found["precision_curve"]
            assert not curve.has_interval and np.all(curve.low == 0) and np.all(curve.high == 1)
            for key in ASKED[1:]:
                own = found[key].method.startswith("empirical likelihood")
                if promise == "fixed" or not own:  # A watched one of its own is there before.
                    assert not found[key].has_interval
                    assert (found[key].low, found[key].high) == (0.0, 1.0)
        assert results(engine)["precision_curve"].has_interval


def sample_is_random_at_every_look(name: str, known: Known) -> None:
    """150 seeds, 40 and 100 draws of 160: how often each item is among them, within its
    stretch of ranks; limit 1e-4."""
    seeds, file = 150, untied(known)
    for draws in (40, 100):
        count, share = np.zeros(N_ITEMS), np.zeros(N_ITEMS)
        for seed in range(seeds):
            engine = file.engine(plan_of(name), seed)
            while len(engine.asked) < draws:
                engine.draw_next()
            count[drawn(engine)] += 1
            share += (engine.drawn / engine.frame.sizes)[engine.frame.stratum]
        statistic, freedom = beyond_chance(count, share, seeds, engine.frame.stratum)
        assert statistic < chi2.isf(NOISE, freedom), draws


def untied(known: Known) -> Known:
    """The same labels with all scores different, so that the stretches are the same for all
    seeds."""
    folder = known.population.path.parent / "untied"
    return write(folder, known.truth, score=np.linspace(1, 0, N_ITEMS))


def everything_read_off_is_covered_at_once(name: str, known: Known) -> None:
    """Confidence 80 %, 70 runs of 250 labels of 1,000: the share of runs in which every reading at
    every rank and both summaries hold, not below the limit of the binomial noise (.61)."""
    runs, inside = repeated(70), 0
    plan = plan_of(name, budget=250, confidence=0.8, promise="fixed")
    for engine in many_labelled(known, plan, runs):
        inside += all_hold(known, engine)
    assert inside / runs >= fewest(runs, 0.8), inside / runs


def looks_hold_together(name: str, known: Known) -> None:
    """Confidence 60 %, 25 sessions of 250 labels looked at after every 25th: the share that is ever
    wrong anywhere at most 40 % plus binomial noise (.76)."""
    runs, missed = 25, 0
    plan = plan_of(name, budget=250, confidence=0.6, promise="watched")
    for seed in range(runs):
        engine = known.engine(plan, 2000 + seed)
        looks = [
            all_hold(known, engine, readings=("precision",))
            for labels in label(engine, known.truth)
            if labels % 25 == 0
        ]
        missed += not all(looks)
    assert missed / runs <= most(runs, 0.4), missed / runs


def all_hold(known: Known, engine: Engine, readings: tuple[str, ...] = tuple(READINGS)) -> bool:
    """Whether every reading at every rank, and both summaries, hold the truth."""
    n_items = len(known.truth)
    ranks = np.arange(1, n_items + 1)
    hits = true_yields(known, engine)
    truth = Yields(n_items, ranks, hits, hits, hits)
    curve = ranked_curve(engine, ranks)
    assert curve.state == "interval" and curve.yields is not None
    for name in readings:
        real = READINGS[name](truth)[0]
        _, low, high = curve.read(name)
        if np.any((real < low - 1e-9) | (real > high + 1e-9)):
            return False
    if len(readings) == 1:
        return True
    whole = whole_curve(engine, curve).yields
    assert whole is not None
    for formula in (average_precision, area_under_roc):
        _, least, largest = formula(whole)
        if not least - 1e-9 <= formula(truth)[0] <= largest + 1e-9:
            return False
    return True


# --- broken methods ----------------------------------------------------------------------------


class Broken(GeometricStrata):
    name: ClassVar[str] = BROKEN
    order: ClassVar[str] = "queue"


class Forgetful(Broken):
    """Hidden state: what it draws depends on how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def next_batch(self, setup: Setup, frame: Frame, progress: Progress, batch: int) -> IntArray:
        self.calls += 1
        return np.roll(super().next_batch(setup, frame, progress, batch), self.calls)


class Clinging(Broken):
    """Keeps every positive it ever saw."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def curve(
        self, setup: Setup, frame: Frame, ranked: Ranked, look: Look, ranks: IntArray | None = None
    ) -> Curve:
        if not len(ranked.rank):
            self.seen = set()
        self.seen |= set(ranked.rank[ranked.verdict == 1].tolist())
        kept = np.where(np.isin(ranked.rank, list(self.seen)), 1.0, ranked.verdict)
        return super().curve(setup, frame, replace(ranked, verdict=kept), look, ranks)


class Peeking(Broken):
    """Draws positives first, which nobody can know."""

    def asked(self, setup: Setup, frame: Any, first: int, end: int) -> IntArray:
        asked = super().asked(setup, frame, 0, self.most(frame))
        order = np.argsort(-ANSWER_KEY["truth"][asked], kind="stable")
        return np.asarray(asked[order][first:end])


class Learning(Broken):
    """The counts are learned from the labels: it goes on where positives were found."""

    def next_batch(self, setup: Setup, frame: Frame, progress: Progress, batch: int) -> IntArray:
        if batch == 1:
            self.given = super().next_batch(setup, frame, progress, batch)
            return self.given
        left = frame.queue[~np.isin(frame.queue, self.given)]
        rate = progress.positive / np.maximum(progress.labelled, 1)
        order = np.argsort(-rate[frame.stratum[left]], kind="stable")
        take = left[order][: progress.limit - int(progress.drawn.sum())]
        return np.asarray(take)


class AlwaysExact(Broken):
    """The estimate without bounds, as if it were known."""

    def curve(
        self, setup: Setup, frame: Frame, ranked: Ranked, look: Look, ranks: IntArray | None = None
    ) -> Curve:
        found = super().curve(setup, frame, ranked, look, ranks)
        if found.yields is None:
            return found
        tight = replace(found.yields, low=found.yields.estimate, high=found.yields.estimate)
        return replace(found, yields=tight, read=lambda name: READINGS[name](tight))


class NeverExact(Broken):
    """Does not believe the last label of the head."""

    def curve(
        self, setup: Setup, frame: Frame, ranked: Ranked, look: Look, ranks: IntArray | None = None
    ) -> Curve:
        doubted = replace(ranked, verdict=np.where(ranked.rank == 50, np.nan, ranked.verdict),
                          opened=ranked.opened | (ranked.rank == 50))  # fmt: skip
        return super().curve(setup, frame, doubted, look, ranks)


class Hasty(Broken):
    """Shows a band from the first label on."""

    def curve(
        self, setup: Setup, frame: Frame, ranked: Ranked, look: Look, ranks: IntArray | None = None
    ) -> Curve:
        return super().curve(setup, frame, ranked, replace(look, planned=1), ranks)


def unspent(patch: pytest.MonkeyPatch) -> str:
    """The band of a fixed size at every look."""
    patch.setattr(geometric_strata, "_critical", lambda *_: None)
    return GEOMETRIC


def pointwise(patch: pytest.MonkeyPatch) -> str:
    """The quantile of one rank for all of them."""
    patch.setattr(
        rank_band, "critical_value", lambda spread, level, seed: float(norm.isf((1 - level) / 2))
    )
    return GEOMETRIC


def interpolated(patch: pytest.MonkeyPatch) -> str:
    """Bounds at the edges joined by straight lines."""

    def at(self: rank_band.YieldBand, ranks: IntArray) -> list[Any]:
        places = np.append(0, self.known.edges)
        bounds = [np.append(0.0, end) for end in (self.low_at_edges, self.high_at_edges)]
        return [np.interp(ranks, places, end) for end in bounds]

    patch.setattr(rank_band.YieldBand, "at", at)
    return GEOMETRIC


LISTS = Family(
    n_items=N_ITEMS,
    plan_of=plan_of,
    results=results,
    undone_at=(3, 40, 67, 80, 120),  # in the head, on the way, right at a look
    agreed=85,
    read_at=(0, 20, 80, 150),
    sound=Broken,
    refusals=(AssertionError, ReplayError, PlanError),
)
CONTRACTS = [
    Owed(LISTS.same_seed_same_draws, [LISTS.twin(Unseeded)]),
    Owed(LISTS.replay_equals_incremental, [Forgetful, LISTS.twin(Unseeded)]),
    Owed(LISTS.undo_is_as_if_never_answered, [Clinging]),
    Owed(LISTS.later_labels_do_not_matter, [Peeking]),
    Owed(no_label_changes_what_is_asked, [Learning]),
    Owed(LISTS.no_item_twice, [LISTS.twin(Repeating)]),
    Owed(census_is_exact_and_only_a_census, [AlwaysExact, NeverExact]),
    Owed(no_label_is_not_yet, [Hasty]),
    Owed(LISTS.frame_stays_as_prepared, [LISTS.twin(Noting)]),
    Owed(LISTS.json_round_trip, [unwritable(LISTS, edges=(50, 100))]),
]
RANDOM = [
    Owed(sample_is_random_at_every_look, [LISTS.twin(InFileOrder)], slow=True),
    Owed(everything_read_off_is_covered_at_once, [pointwise, interpolated], slow=True),
    Owed(looks_hold_together, [unspent], slow=True),
]
"""Those that only a method which draws at random can owe."""


# --- methods that give each rank its own bounds --------------------------------------------------

POINTWISE = [
    name
    for name, one in lc.DESIGNS.items()
    if "precision_curve" in one.estimands and name not in LIST_DESIGNS
]


def points_plan(name: str, **values: Any) -> lc.Plan:
    return lc.Plan(name, "precision_curve", **{"budget": 160, "seed": 4, **values})


def points_of_a_census_are_the_truth(name: str, known: Known) -> None:
    engine = labelled(known.engine(points_plan(name, budget=N_ITEMS), 4), known.truth)
    band = results(engine)["precision_curve"]
    truth = (true_yields(known, engine) / np.arange(1, N_ITEMS + 1))[band.x.astype(int) - 1]
    np.testing.assert_allclose(band.value, truth, rtol=0, atol=1e-12)
    assert (band.low <= truth + 1e-12).all() and (band.high >= truth - 1e-12).all()


def no_point_before_its_time(name: str, known: Known) -> None:
    """Nothing before the first label, and no interval that is promised at the planned size only
    before that size."""
    for promise in promises_of(name, ["precision_curve"]):
        engine = known.engine(points_plan(name, promise=promise), 4)
        for labels in chain([0], label(engine, known.truth)):
            owed = labels == 0 or (promise == "fixed" and labels % 20 == 1)
            if not owed or labels >= engine.setup.planned:
                continue
            band = results(engine)["precision_curve"]
            if labels == 0:
                assert np.isnan(band.value).all() and band.state in ("nothing", "too few")
            if labels == 0 or promise == "fixed":
                assert not band.has_interval
                assert np.all(band.low == 0) and np.all(band.high == 1)


class BrokenPoints(RecalibratedNeyman):
    name: ClassVar[str] = BROKEN


class Shifted(BrokenPoints):
    """Takes each label for that of the next rank."""

    def curve(
        self, setup: Setup, frame: Frame, ranked: Ranked, look: Look, ranks: IntArray | None = None
    ) -> Curve:
        moved = replace(ranked, rank=ranked.rank % ranked.n_items + 1)
        return super().curve(setup, frame, moved, look, ranks)


class Early(BrokenPoints):
    """Shows a curve from the first label on."""

    def curve(
        self, setup: Setup, frame: Frame, ranked: Ranked, look: Look, ranks: IntArray | None = None
    ) -> Curve:
        return super().curve(setup, frame, ranked, replace(look, first=1, complete=True), ranks)


POINTS = Family(
    n_items=N_ITEMS, plan_of=points_plan, results=results, undone_at=(3, 67), agreed=85,
    read_at=(0, 20, 80, 150), sound=BrokenPoints, refusals=(AssertionError, ReplayError, PlanError),
)  # fmt: skip
BY_POINT = [
    Owed(POINTS.same_seed_same_draws, [POINTS.twin(Unseeded)]),
    Owed(POINTS.replay_equals_incremental, [POINTS.twin(Unseeded)]),
    Owed(POINTS.json_round_trip, []),
    Owed(points_of_a_census_are_the_truth, [Shifted]),
    Owed(no_point_before_its_time, [Early]),
]


def file_for(contract: Contract, known: Known, longer: Known) -> Known:
    long = contract in (everything_read_off_is_covered_at_once, looks_hold_together)
    return longer if long else known


@pytest.mark.parametrize(
    ("contract", "name"),
    [
        *method_cases(CONTRACTS, LIST_DESIGNS),
        *method_cases(BY_POINT, POINTWISE),
        *method_cases(RANDOM, [GEOMETRIC]),
        *method_cases(RANDOM[:1], ["logarithmic_stratified", "random_curve"]),
        *method_cases(RANDOM[1:2], ["random_curve"]),
    ],
)
def test_contract(contract: Contract, name: str, known: Known, longer: Known) -> None:
    contract(name, file_for(contract, known, longer))


@pytest.mark.parametrize(("contract", "twin"), twin_cases([*CONTRACTS, *RANDOM, *BY_POINT]))
def test_broken_twin_fails(
    contract: Contract, twin: Twin, known: Known, longer: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    must_fail(LISTS, contract, twin, file_for(contract, known, longer), monkeypatch)


@pytest.mark.full
def test_unbroken_twin_passes_what_is_quick(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins fail because of their mistake, not because they are registered in a test."""
    name = register(Broken, monkeypatch)
    for row in CONTRACTS:
        row.contract(name, known)
