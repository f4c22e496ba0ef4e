"""Prompts that several systems answered, drawn whole."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs import prompt_frame
from labelcore.designs.base import Look
from labelcore.designs.helpers import HelpedFrame
from labelcore.designs.prompt_frame import EACH, FEWEST, SAME, cheaper
from labelcore.errors import PlanError
from labelcore.figures import differences, from_counts, prompts
from labelcore.figures.current import results
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings, label_until
from tests.cases import SOUND_AND_BROKEN, repeated
from tests.grouped import label_all
from tests.judged import SYSTEMS, judged, judged_frame

TWO = {"alpha": 0.9, "beta": 0.4}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return judged_frame(500)


@pytest.fixture(scope="module")
def population(frame: pd.DataFrame) -> lc.Population:
    return judged(frame)


def plan_of(**values: object) -> lc.Plan:
    given = {"estimands": ("prevalence", "accuracy"), "classifier": "judge", "budget": 300,
             "promise": "fixed", "by": "model", "seed": 3, "params": {"prompts": "same"},
             **values}  # fmt: skip
    return lc.Plan("recalibrated_neyman", **given)  # type: ignore[arg-type]


def frame_of(population: lc.Population, plan: lc.Plan) -> tuple[Engine, HelpedFrame]:
    engine = Engine(population, kept_plan(population, plan))
    assert isinstance(engine.frame, HelpedFrame) and engine.frame.block is not None
    return engine, engine.frame


def test_every_stratum_of_prompts_has_them_once_for_each_system(population: lc.Population) -> None:
    engine, frame = frame_of(population, plan_of())
    groups = engine.setup.groups
    assert groups is not None and population.prompt is not None and frame.group is not None
    assert (frame.group[frame.stratum] == groups.codes).all()
    assert frame.block is not None
    for block in np.unique(frame.block):
        strata = np.flatnonzero(frame.block == block)
        queues = [
            population.prompt.codes[frame.queue[first : first + size]].tolist()
            for first, size in zip(frame.start[strata], frame.sizes[strata], strict=True)
        ]
        assert len(queues) == len(SYSTEMS) and all(one == queues[0] for one in queues)


def test_outputs_of_a_prompt_are_asked_one_after_another_in_an_order_by_chance(
    population: lc.Population, frame: pd.DataFrame
) -> None:
    session = lc.Session(population, plan_of())
    label_all(session, frame)
    drawn = [event.item_id for event in session.events if event.kind == "labelled"]
    asked = frame.set_index("id").loc[drawn]
    runs = (asked["prompt"] != asked["prompt"].shift()).cumsum()
    assert (asked.groupby(runs).size() == len(SYSTEMS)).all()
    assert asked["prompt"].nunique() * len(SYSTEMS) == len(asked) == 300
    assert asked.groupby(runs)["model"].first().value_counts().min() > 5


def test_prompts_that_some_systems_answered_are_asked_of_these(frame: pd.DataFrame) -> None:
    some = frame.drop(frame.index[(frame["model"] == "alpha") & (frame.index % 3 == 0)])
    population = judged(some)
    _, of_frame = frame_of(population, plan_of())
    assert of_frame.block is not None
    systems = np.bincount(of_frame.block)
    assert {*systems.tolist()} == {4, 5}
    session = lc.Session(population, plan_of())
    label_all(session, some)
    assert session.labels == 300 and len(session.differences("model", "prevalence")) == 10


def test_a_census_tells_each_difference_exactly(frame: pd.DataFrame) -> None:
    small = frame[frame["prompt"].isin([f"p{at}" for at in range(60)])]
    session = lc.Session(judged(small), plan_of(budget=300))
    label_all(session, small)
    rate = small.groupby("model")["truth"].mean()
    found = session.differences("model", "prevalence")
    for row in found.to_dict("records"):
        true = rate[row["a"]] - rate[row["b"]]
        assert row["low"] == pytest.approx(true, abs=1e-9) == row["high"]


@pytest.mark.parametrize("change", ["no prompt", "twice", "claims"])
def test_outputs_that_share_no_prompts_are_drawn_by_system(
    frame: pd.DataFrame, change: str
) -> None:
    """And so are those about which something is claimed."""
    if change == "claims":
        claimed = plan_of(params={}, claims=["accuracy >= 0.5"])
        assert "prompts" not in kept_plan(judged(frame), claimed).params
        return
    if change == "no prompt":
        population = judged(frame, prompt=None)
    else:
        twice = frame.assign(prompt=frame["prompt"].replace("p1", "p0"))
        population = judged(twice)
    assert "prompts" not in kept_plan(population, plan_of(params={})).params
    with pytest.raises(PlanError, match="= 'same' needs by, the column of systems"):
        lc.Session(population, plan_of())


def test_a_wrong_way_of_drawing_is_refused() -> None:
    with pytest.raises(PlanError, match="must be 'same' or 'each', got 'all'"):
        plan_of(params={"prompts": "all"})


def variance(strata: list[tuple[int, int, float, int]], sizes: tuple[int, ...]) -> float:
    """Of the rates of all systems together; system, size, rate and planned labels of each stratum,
    whose rate is believed half, and which gets two labels at least."""
    total = 0.0
    for system, size, rate, labels in strata:
        inside = [(n, p) for at, n, p, _ in strata if at == system]
        believed = (rate + sum(n * p for n, p in inside) / sizes[system]) / 2
        spread = believed * (1 - believed) * (1 / max(labels, FEWEST) - 1 / size)
        total += size**2 * spread / sizes[system] ** 2
    return total


def test_whole_prompts_are_drawn_from_the_point_on_from_which_they_are_surer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By how alike the judge finds the outputs on a prompt."""
    whole = [(0, 60, 0.3, 5), (0, 40, 0.8, 0), (1, 90, 0.6, 7)]
    each = [(0, 50, 0.2, 9), (0, 50, 0.7, 7), (1, 30, 0.9, 1), (1, 60, 0.5, 8)]
    sizes = 100, 90
    turns = 2 * (1 - variance(each, sizes) / variance(whole, sizes))
    assert 0 < turns < 1
    setup: Any = SimpleNamespace(groups=SimpleNamespace(sizes=np.array(sizes)))
    columns = [[np.array(column) for column in zip(*one, strict=True)] for one in (whole, each)]
    frames: Any = [SimpleNamespace(group=g, sizes=n, rates=p) for g, n, p, _ in columns]
    for alike, way in ((turns - 1e-9, EACH), (turns + 1e-9, SAME)):
        monkeypatch.setattr(prompt_frame, "alike_by_prompt", lambda *_, alike=alike: alike)
        assert cheaper(setup, np.empty(0), frames, [labels for *_, labels in columns]) == way


RUNS, LABELS, Z = repeated(100), 200, 3.0
LEAST = 0.95 - Z * np.sqrt(0.95 * 0.05 / RUNS)


def as_it_is(engine: Engine, rows: object, look: Look) -> Look:
    return replace(look)


def test_prompts_make_a_difference_surer_and_the_rate_of_all_systems_less_sure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against the same session read as if outputs on one prompt had nothing in common."""
    frame = judged_frame(300, shared=2.0)
    population = judged(frame)
    plan, codes = kept_plan(population, plan_of(budget=LABELS)), frame["truth"].to_numpy()

    def widths() -> tuple[float, float]:
        (engine,) = beginnings(population, plan, [1_000])
        label_until(engine, codes.astype(np.int64), LABELS)
        rate = results(engine)["prevalence"]
        rows = differences.differences(engine, ("model",), "prevalence")
        return rate.high - rate.low, float((rows["high"] - rows["low"]).mean())  # type: ignore[attr-defined]

    rate, difference = widths()
    monkeypatch.setattr(from_counts, "less_sure", as_it_is)
    monkeypatch.setattr(differences, "_correlation", lambda *_: 0.0)
    alone, apart = widths()
    assert rate > 1.1 * alone and 0.6 * apart < difference < 0.98 * apart


def _covered(
    population: lc.Population, frame: pd.DataFrame, see: Callable[[Engine], bool]
) -> float:
    plan = kept_plan(population, plan_of(budget=LABELS))
    codes = frame["truth"].to_numpy().astype(np.int64)
    engines = beginnings(population, plan, [*range(1_000, 1_000 + RUNS)])
    found = []
    for engine in engines:
        label_until(engine, codes, LABELS)
        found.append(see(engine))
    return float(np.mean(found))


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_the_difference_of_two_systems_is_covered_and_not_with_one_that_trusts_pairs_too_much(
    broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed 1,000 on, 100 runs, least .95 - 3 standard errors; the twin believes that what systems
    have in common cancels as if the correlation were .8 (it is about .3)."""
    frame = judged_frame(800, systems=TWO)
    population, rate = judged(frame), frame.groupby("model")["truth"].mean()
    true = rate["alpha"] - rate["beta"]

    def inside(engine: Engine) -> bool:
        row = differences.differences(engine, ("model",), "prevalence").iloc[0]
        return bool(row["low"] <= true <= row["high"])

    if broken:
        monkeypatch.setattr(differences, "_correlation", lambda *_: 0.8)
    assert (_covered(population, frame, inside) < LEAST) == broken


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("broken", SOUND_AND_BROKEN)
def test_the_rate_of_all_systems_is_covered_and_not_as_if_prompts_did_not_repeat_themselves(
    broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed 1,000 on, 100 runs, least .95 - 3 standard errors; the twin takes five outputs on one
    prompt for as much as one on each of five."""
    frame = judged_frame(800, shared=2.0)
    population, true = judged(frame), frame["truth"].mean()

    def inside(engine: Engine) -> bool:
        found = results(engine)["prevalence"]
        return bool(found.low <= true <= found.high)  # type: ignore[attr-defined]

    assert from_counts.less_sure is prompts.less_sure
    if broken:
        monkeypatch.setattr(from_counts, "less_sure", as_it_is)
    assert (_covered(population, frame, inside) < LEAST) == broken
