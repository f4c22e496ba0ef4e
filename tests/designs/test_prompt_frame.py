"""Prompts that several systems answered, drawn whole."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs.base import Look
from labelcore.designs.helpers import HelpedFrame
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


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.parametrize("change", ["no prompt", "twice"])
def test_outputs_that_share_no_prompts_are_drawn_by_system(
    frame: pd.DataFrame, change: str
) -> None:
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


@pytest.mark.full
def test_the_cheaper_way_is_chosen() -> None:
    frame = judged_frame(400)
    assert kept_plan(judged(frame), plan_of(params={})).params["prompts"] == "same"
    random = np.random.default_rng(2)
    mixed = frame.assign(prompt=frame.groupby("model")["prompt"].transform(random.permutation))
    assert kept_plan(judged(mixed), plan_of(params={})).params["prompts"] == "each"


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
