"""Sessions side by side: what each of them is, where it is looked at, and the law of its draws."""

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm

import labelcore as lc
from labelcore.designs import base, score_frame
from labelcore.designs.scalars import Goal
from labelcore.figures.current import results, results_of
from labelcore.figures.from_counts import answers_after_each, answers_of
from labelcore.figures.scalars import kept_band
from labelcore.figures.stops import stop_reason
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning import runs
from labelcore.planning.forecast import kept_plan, planned_size
from labelcore.planning.simulation import in_order, true_numbers
from labelcore.promises import Status
from labelcore.results.types import Estimate
from labelcore.stats import orders
from labelcore.stats.orders import shuffled
from labelcore.testing.known import NOISE, SCALARS, Known, calibrated, write
from tests.cases import SOUND_AND_BROKEN, once, repeated, sampled
from tests.designs.paired_files import paired
from tests.findings import BASIS

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

N_RUNS = 2
known = once(calibrated, 600, seed=7)
pair = once(paired, 500, seed=5)
larger = once(calibrated, 3000, seed=7)


def engines(known: Known, plan: lc.Plan, number: int = N_RUNS) -> list[Engine]:
    return list(runs.beginnings(known.population, kept_plan(known.population, plan), range(number)))


def one_by_one(engine: Engine, known: Known) -> Status:
    """Draw, answer and look after every label, as a person does."""
    watching = bool(runs.looking(runs.rule_names(engine.plan.stop or ())))
    answers = [Event(0, "labelled", "", "me", label=name) for name in engine.population.classes]
    while engine.peek() is not None:
        index = engine.draw_next()
        engine.answer(index, answers[known.truth[engine.asked[index - 1].position]])
        runs.end_pilots([engine])
        if watching and stop_reason(engine, None):
            return Status.GOAL_REACHED
    everything = len(engine.asked) >= engine.most
    return Status.EXHAUSTED if everything else Status.BUDGET_USED


def order(engine: Engine) -> list[int]:
    return [asked.position for asked in engine.asked]


plan = partial(partial, lc.Plan)
PLANS = {
    "fixed": plan("recalibrated_neyman", SCALARS, budget=90, promise="fixed"),
    "watched": plan("recalibrated_neyman", SCALARS, budget=90),
    "margin": plan("recalibrated_neyman", SCALARS, margin=0.15),
    "one figure": plan("recalibrated_neyman", ["precision"], margin=0.1),
    "items like these": plan("recalibrated_neyman", ["accuracy"], margin=0.14,
        target="process", budget=400),
    "claims": plan("recalibrated_neyman", SCALARS, claims=("accuracy > 0.6",), budget=200),
    "claims and margin": plan("recalibrated_neyman", ["accuracy"], margin=0.2,
        claims=("accuracy > 0.5",), stop=("all", "margin", "claims")),
    "a deadline": plan("recalibrated_neyman", ["accuracy"], margin=0.1,
        stop=("margin", "deadline 2030-01-01T12:00")),
    "all together": plan("recalibrated_neyman", ["accuracy", "precision", "recall"], margin=0.14,
        together=True),
    "plain": plan("simple_random", SCALARS, budget=90, promise="fixed"),
    "plain with a margin": plan("simple_random", ["accuracy"], margin=0.12, promise="watched"),
    "a curve": plan("paula", ["precision_curve"], budget=100),
    "two groups": plan("oversampling", SCALARS, budget=60, promise="fixed"),
    "by sureness": plan("stratified", ["accuracy"], budget=80, promise="fixed"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANS)
def test_sessions_side_by_side_are_those_one_after_another(name: str, known: Known) -> None:
    """The same draws, states, stops and figures as drawing and looking label by label."""
    plan = PLANS[name]()
    mine = engines(known, plan)
    statuses = runs.label_all(mine, known.truth)
    together = results_of(mine)
    for engine, other, status, found in zip(
        mine, engines(known, plan), statuses, together, strict=True
    ):
        assert one_by_one(other, known) == status
        assert order(engine) == order(other) and engine.kinds == other.kinds
        every = np.arange(len(engine.population))
        np.testing.assert_array_equal(engine.codes[every], other.codes[every])
        np.testing.assert_array_equal(engine.drawn, other.drawn)
        assert engine.answers_given == other.answers_given and engine.prefix() == other.prefix()
        for key, result in results(other).items():
            for end in ("value", "low", "high"):
                if getattr(result, end, None) is None:
                    assert getattr(found[key], end, None) is None
                    continue
                np.testing.assert_allclose(
                    getattr(result, end), getattr(found[key], end), atol=1e-8
                )


# --- looks -----------------------------------------------------------------------------------


def stops(known: Known, plan: lc.Plan, number: int = 12) -> list[int]:
    mine = engines(known, plan, number)
    runs.label_all(mine, known.truth)
    return [engine.labels for engine in mine]


BOTH = {"classifier": ("a", "b")}
PROCESS = {"target": "process", "budget": 500}
MARGINS = {
    "all figures": (plan("recalibrated_neyman", SCALARS, margin=0.16), 2),
    "one": (plan("recalibrated_neyman", ["recall"], margin=0.08), 6),
    "differences": (
        plan("paired_comparison", ["accuracy_difference"], margin=0.03, **BOTH), 36
    ),
}  # fmt: skip
MORE_MARGINS = {
    "part of the file": (plan("recalibrated_neyman", ["precision"], margin=0.06), 4),
    "items like these": (
        plan("recalibrated_neyman", ["accuracy", "recall"], margin=0.09, **PROCESS), 8
    ),
    "helpers": (
        plan("recalibrated_neyman", SCALARS, margin=0.1, classifier="a",
                params={"helpers": ("b",)}), 12
    ),
    "two classifiers": (plan("recalibrated_neyman", ["recall"], margin=0.08, **BOTH), 12),
    "plain": (plan("simple_random", ["accuracy"], margin=0.08), 12),
    "plain, more figures": (plan("simple_random", SCALARS, margin=0.12), 36),
    "plain, items like these": (
        plan("simple_random", ["accuracy", "precision"], margin=0.1, **PROCESS), 8
    ),
    "two groups": (plan("oversampling", SCALARS, margin=0.06), 36),
    "by sureness": (plan("stratified", ["accuracy"], margin=0.07), 12),
    "more differences": (
        plan("paired_comparison", ["precision_difference"], margin=0.06, **BOTH), 24
    ),
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(
    "name", sampled([*MARGINS, *MORE_MARGINS], 1, seed=1, keep=["all figures"])
)
def test_no_stop_is_missed_between_two_looks(
    name: str, known: Known, pair: Known, larger: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions stop where they do when each label is looked at; a bound that takes an interval for
    a hundredth wider than it is misses stops. (Of few items left the bounds are in whole ones,
    which widens an interval by more than that.)"""
    asked, number = {**MARGINS, **MORE_MARGINS}[name]
    plan = asked()
    file = pair if {"a", "b"} & {*plan.classifiers} else known
    file = larger if name == "part of the file" else file
    found = stops(file, plan, number)
    missed = Goal.missed

    def too_bold(goal: Goal, value: Any, low: Any, high: Any) -> Any:
        more = (0.25 if plan.target == "process" else 0.005) * (high - low)
        return missed(goal, value, low - more, high + more)

    with monkeypatch.context() as patch:
        patch.setattr(Goal, "missed", too_bold)
        later = stops(file, plan, number)
    monkeypatch.setattr(
        runs._Session, "may_stop", lambda self, items: np.ones(len(items), dtype=bool)
    )
    every = stops(file, plan, number)
    assert found == every
    assert later != every


@pytest.mark.parametrize("kept", [(0.2, 0.4), (0.25, 0.37), None])
def test_a_goal_is_missed_only_where_the_band_that_is_kept_misses_it(
    kept: tuple[float, float] | None,
) -> None:
    """Against ``kept_band`` for intervals in and across the band of the planned size; a goal that
    forgets that band is not missed where a wide one is kept."""
    random = np.random.default_rng(1)
    low = random.uniform(0.1, 0.4, 2000)
    high = low + random.uniform(0.05, 0.2, 2000)
    value = random.uniform(low, high)
    goal = Goal(0.075, kept)
    met = []
    for one in zip(value, low, high, strict=True):
        now = estimate(*one)
        found = now if kept is None else kept_band(estimate(float(np.mean(kept)), *kept), now)
        met.append(found.half_width <= goal.margin)
    np.testing.assert_array_equal(goal.missed(value, low, high), ~np.array(met))
    if kept == (0.2, 0.4):
        assert (goal.missed(value, low, high) != Goal(0.075).missed(value, low, high)).any()


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate("recall", value, low, high, 0.95, **BASIS)


def test_no_claim_is_settled_between_two_looks(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3 sessions end where they do when the claim is looked at after every label; whoever waits
    for evidence that reaches far enough twice in a row ends later."""
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], claims=("accuracy > 0.5",), budget=400)
    found = stops(known, plan, 3)
    bound = runs.may_be_settled

    def twice(*given: Any) -> np.ndarray:
        possible = bound(*given)
        return np.concatenate([[False], possible[1:] & possible[:-1]])

    with monkeypatch.context() as patch:
        patch.setattr(runs, "may_be_settled", twice)
        too_bold = stops(known, plan, 3)
    monkeypatch.setattr(
        runs._Session, "may_stop", lambda self, items: np.ones(len(items), dtype=bool)
    )
    every = stops(known, plan, 3)
    assert found == every and max(every) < 400
    assert too_bold != every


@pytest.mark.parametrize("name", ["all figures", "differences", "helpers"])
def test_what_each_label_ahead_leads_to(name: str, known: Known, pair: Known) -> None:
    """Counts and rates after each of the next labels are those of the labels given one by one."""
    plan = {**MARGINS, **MORE_MARGINS}[name][0]()
    file = pair if {"a", "b"} & {*plan.classifiers} else known
    (engine,) = engines(file, plan, 1)
    drawn = next(
        drawn
        for drawn in range(40, 80)
        if not runs.label_until(engine, file.truth, drawn) and len(engine.upcoming(3)) == 3
    )
    ahead = engine.upcoming(3)
    question = engine.questions[-1]
    found = answers_after_each(engine, [question], ahead, file.truth[ahead])
    for place in range(len(ahead)):
        runs.label_until(engine, file.truth, drawn + 1 + place)
        (now,) = answers_of([engine], [question])
        np.testing.assert_array_equal(found.cells.labelled[place], now.cells.labelled)
        np.testing.assert_array_equal(found.cells.positive[place], now.cells.positive)
        assert now.rates is not None and found.rates is not None
        np.testing.assert_allclose(found.rates[place], now.rates, rtol=1e-8)


# --- the law of the draws --------------------------------------------------------------------


def spread(known: Known, plan: lc.Plan, of: np.ndarray) -> float:
    """The chance that the items in ``of`` are drawn as unevenly as they are in so many runs, if all
    of them are drawn equally often; Pearson's chi-square, for draws without replacement."""
    number, drawn = repeated(400), np.zeros(len(known.truth))
    for engine in engines(known, plan, number):
        runs.label_until(engine, known.truth, engine.limit)
        drawn[order(engine)] += 1
    share = drawn[of].mean() / number
    statistic = ((drawn[of] - number * share) ** 2).sum() / (number * share * (1 - share))
    return float(chi2.sf(statistic, len(of) - 1))


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """120 items with predictions alone, so that the order of ties cuts all strata."""
    random = np.random.default_rng(4)
    said = (random.random(120) < 0.4).astype(int)
    truth = np.where(random.random(120) < 0.8, said, 1 - said)
    return write(tmp_path_factory.mktemp("tied"), truth, prediction=said)


@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_every_item_of_a_plain_sample_is_drawn_as_often(
    broken: bool, tied: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = lc.Plan("simple_random", ["accuracy"], budget=40, promise="fixed")
    everything = np.arange(120)
    if broken:
        monkeypatch.setattr(base, "shuffled", lambda seed, purpose, queue, *edges: queue)
    assert (spread(tied, plan, everything) < NOISE) == broken


@pytest.mark.full
@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_ties_are_broken_anew_in_every_run(
    broken: bool, tied: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strata of one prediction get different shares of labels; whoever broke ties once for all runs
    would draw some of these items more often than others."""
    plan = lc.Plan(
        "recalibrated_neyman", ["recall"], budget=40, promise="fixed",
        params={"n_step": 4, "n_above": 6, "n_below": 12},
    )  # fmt: skip
    said = next(iter(tied.population.predictions.values()))
    below = np.flatnonzero(said == 0)
    if broken:
        monkeypatch.setattr(score_frame, "_ties_anew", lambda setup, frame: frame)
    assert (spread(tied, plan, below) < NOISE) == broken


def gap(known: Known, mine: Iterable[Engine], others: Iterable[Engine]) -> float:
    """The largest number of standard errors by which two sets of sessions differ in the mean of a
    value, of a half-width, of the share that is covered or of the labels of the first stratum."""
    both = []
    for part in (list(mine), list(others)):
        runs.label_all(part, known.truth)
        both.append([_numbers(known, *one) for one in zip(part, results_of(part), strict=True)])
    first, second = (np.array(part, dtype=float) for part in both)
    error = np.sqrt(first.var(axis=0) / len(first) + second.var(axis=0) / len(second))
    return float(np.max(np.abs(first.mean(axis=0) - second.mean(axis=0)) / error))


def _numbers(known: Known, engine: Engine, found: dict[str, Any]) -> list[float]:
    numbers = [float(engine.drawn[0])]
    truth = true_numbers(engine, known.truth)
    for name, one in found.items():
        numbers += [one.value, one.half_width, one.low <= truth[name] <= one.high]
    return numbers


@pytest.mark.slow
@pytest.mark.full
def test_drawn_sessions_have_the_law_of_hashed_ones(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 sessions of 80 labels of 600 items each; nine means, so the limit is that of a chance of
    1e-4 over nine two-sided tests. Drawing those of high score first in each stratum is seen."""
    strata = {"n_above": 6, "n_below": 12}
    asked = ["accuracy", "precision"]
    plan = kept_plan(
        known.population,
        lc.Plan("recalibrated_neyman", asked, budget=80, promise="fixed", params=strata),
    )
    limit = float(norm.isf(NOISE / 14))
    hashed = [Engine(known.population, plan.with_seed(seed)) for seed in range(1000, 1200)]
    drawn = runs.beginnings(known.population, plan, range(200))
    assert gap(known, drawn, [engine.beginning() for engine in hashed]) < limit
    score = known.population.scores["lr"]

    def by_score(seed: int, purpose: str, queue: Any, first: Any, end: Any) -> Any:
        found = shuffled(seed, purpose, queue, first, end)
        for start, stop in zip(first, end, strict=True):
            part = found[start:stop]
            noisy = score[part] + np.random.default_rng(seed).normal(0, 0.05, len(part))
            found[start:stop] = part[np.argsort(-noisy)]
        return found

    monkeypatch.setattr(base, "shuffled", by_score)
    uneven = runs.beginnings(known.population, plan, range(200))
    assert gap(known, uneven, hashed) > limit


@pytest.mark.full
@pytest.mark.parametrize("asked", [("precision",), ("precision", "recall")])
def test_recycled_samples_that_are_drawn_have_the_law_of_hashed_ones(
    asked: tuple[str, ...], pair: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 sessions of two classifiers with 60 draws each, each with the size that its own draws
    give; the limit is that of a chance of 1e-4 over all means. Draws that leave out the fifth of
    lowest score are seen."""
    asked_for = lc.Plan(
        "recycling", asked, params={"parent": "a", "children": ("b",), "sample_size": 60}
    )
    from labelcore.papers.recycling import samples

    plan = kept_plan(pair.population, asked_for)
    limit = float(norm.isf(NOISE / 2 / (1 + 6 * len(asked))))
    hashed = [
        Engine(pair.population, one.with_planned(planned_size(pair.population, one)))
        for one in (replace(plan, planned=None).with_seed(seed) for seed in range(1000, 1300))
    ]
    drawn = list(runs.beginnings(pair.population, plan, range(300)))
    assert len({engine.setup.planned for engine in drawn}) > 1
    assert gap(pair, drawn, hashed) < limit
    score, uniform = pair.population.scores["a"], samples._uniform

    def by_score(items: Any, number: int, random: Any) -> Any:
        kept = items[np.argsort(-score[items])][: -(-4 * len(items) // 5)]
        return uniform(kept, number, random)

    monkeypatch.setattr(samples, "_uniform", by_score)
    uneven = runs.beginnings(pair.population, plan, range(300))
    assert gap(pair, uneven, [engine.beginning() for engine in hashed]) > limit


def test_drawing_recycled_samples_hashes_nothing(
    pair: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = kept_plan(
        pair.population,
        lc.Plan("recycling", ["recall"], params={"parent": "a", "children": ("b",)}),
    )

    def refused(*given: Any) -> Any:
        raise AssertionError("an id was hashed")

    for name in ("hash_keys", "hash_keys_of", "mixed_keys"):
        monkeypatch.setattr(orders, name, refused)
    assert len(list(runs.beginnings(pair.population, plan, range(3)))) == 3
    with pytest.raises(AssertionError, match="hashed"):
        Engine(pair.population, plan.with_seed(1))  # The frame of its own seed is kept.


# --- shared out over processes ---------------------------------------------------------------


def table(known: Known, **given: Any) -> Any:
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=40)
    return lc.simulate(known.population, plan, truth="truth", runs=30, **given).table()


@pytest.mark.full
def test_the_number_of_processes_changes_nothing(known: Known) -> None:
    pd.testing.assert_frame_equal(table(known), table(known, workers=2))


@pytest.mark.full
def test_a_process_runs_no_file_of_its_caller(known: Known, tmp_path: Path) -> None:
    """A script without a guard: ``multiprocessing`` would start it again in each process."""
    script = tmp_path / "script.py"
    script.write_text(
        "import labelcore as lc\n"
        "print('started')\n"
        f"population = lc.read_population({str(known.population.path)!r}, id='id', "
        "content='text', scores={'lr': 'score'})\n"
        "plan = lc.Plan('simple_random', ['prevalence'], budget=40)\n"
        "found = lc.simulate(population, plan, truth='truth', runs=30, workers=2)\n"
        "print(len(found.runs))\n"
    )
    path = {**os.environ, "PYTHONPATH": str(Path(lc.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, str(script)], env=path, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split() == ["started", "30"], done.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_told_and_may_end_it(workers: int, known: Known) -> None:
    seen: list[tuple[int, int]] = []
    assert len(table(known, workers=workers, progress=lambda *now: seen.append(now))) == 30
    assert seen[-1] == (30, 30) and seen == sorted(seen)
    assert 0 < len(table(known, workers=workers, progress=lambda done, every: False)) < 30

    def interrupt(done: int, every: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table(known, workers=workers, progress=interrupt)


def refuse(part: int) -> int:
    raise ValueError(f"no part {part}")


@pytest.mark.full
def test_an_error_in_a_process_is_raised() -> None:
    with pytest.raises(ValueError, match="no part 1"):
        in_order(refuse, [1, 1, 1], workers=2)
