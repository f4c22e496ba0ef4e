"""The methods for a ranked list ask an engine what they ask arrays, and say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.designs import base
from labelcore.designs.base import Look, Setup
from labelcore.designs.curves import Ranked
from labelcore.designs.ranked_list import ListFrame, RankedListDesign
from labelcore.errors import ParameterError
from labelcore.log.along import Along
from labelcore.plan.against_file import make_setup
from labelcore.population import items
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.table_items import TableItems
from labelcore.promises import Promise

N = 4_000
PLANS: dict[str, dict[str, Any]] = {
    "geometric_strata": {"budget": 300},
    "paula": {"params": {"epsilon": 0.5, "window": 20}},
    "logarithmic_stratified": {"params": {"epsilon": 0.2, "beta": 1.5, "first_rank": 67}},
    "random_curve": {"budget": 120, "params": {"head": 40}},
}


class Some:
    """What an engine says of items at some positions; never of all."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, positions: Any) -> Any:
        assert not isinstance(positions, slice)
        return self._values[positions]

    def __array__(self, *given: Any, **named: Any) -> np.ndarray:
        raise AssertionError("an array of all items is asked for")

    def min(self) -> float:
        return float(self._values.min())

    def max(self) -> float:
        return float(self._values.max())


def rows() -> pd.DataFrame:
    """A fifth of the scores are 0, the others of two and of more decimals."""
    random = np.random.default_rng(8)
    score = random.beta(0.5, 2, N)
    score[::2] = score[::2].round(2)
    score[::5] = 0.0
    ids = [f"item {number * 7919 % 100_003}" for number in range(N)]
    return pd.DataFrame({"id": ids, "text": "a text", "s": score})


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckEngine]:
    folder, table = tmp_path_factory.mktemp("parts"), pa.Table.from_pandas(rows())
    for number, first in enumerate(range(0, N, 1_500)):
        pq.write_table(table.slice(first, 1_500), folder / f"{number}.parquet")
    found = DuckEngine("parts", sorted(map(str, Path(folder).glob("*.parquet"))), ["id"])
    yield found
    found.close()


@pytest.fixture(scope="module")
def in_memory() -> lc.Population:
    return lc.read_population(
        rows(), id="id", content="text", scores={"up": "s", "down": "s"}, descending=["down"]
    )


@pytest.fixture
def setups(in_memory: lc.Population, engine: DuckEngine, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The setups of a plan in memory and on the engine; the file counts as a large one."""
    monkeypatch.setattr(base, "LARGE", N)
    scores: Any = {name: Some(own) for name, own in in_memory.scores.items()}
    items = TableItems(engine, scores={"up": "s", "down": "s"})
    kept = replace(in_memory, scores=scores, kept=items)

    def of(design: str, classifier: str = "up") -> tuple[lc.Plan, Setup, Setup]:
        plan = lc.Plan(design, ["precision_curve"], classifier=classifier, seed=5, **PLANS[design])
        planned = plan.budget or 1
        setup = make_setup(in_memory, plan, (classifier,), planned)
        return plan, setup, replace(setup, population=kept)

    return of


@pytest.mark.parametrize("design", PLANS)
@pytest.mark.parametrize("classifier", ["up", "down"])
def test_the_same_strata_draws_and_bounds(setups: Any, design: str, classifier: str) -> None:
    plan, setup, other = setups(design, classifier)
    method = RankedListDesign.of(plan.method)
    frames = [method.prepare(one) for one in (setup, other)]
    same(*frames)
    most = min(method.most(frames[0]), 900)
    both = [*zip((setup, other), frames, strict=True)]
    drawn = [method.asked(one, frame, 0, most) for one, frame in both]
    assert drawn[0].tolist() == drawn[1].tolist()
    assert len(set(drawn[0].tolist())) == most
    some = drawn[0][::7]
    assert frames[0].stratum[some].tolist() == frames[1].stratum[some].tolist()
    for first, end in ((0, 1), (30, 130), (290, 310), (most - 1, most)):
        part = method.asked(other, frames[1], first, end)
        assert part.tolist() == drawn[0][first:end].tolist()
    curves = []
    for one, frame in both:
        along = Along(one, lambda: np.arange(0))
        seen = Ranked(
            N, lambda: pytest.fail("an order of all items is asked for"), np.arange(1, most + 1),
            along[drawn[0]], frames[0].stratum[drawn[0]], (drawn[0] % 3 == 0).astype(float),
            np.zeros(most, dtype=bool), frame.rates, 0.0,
        )  # fmt: skip
        look = Look(0.95, Promise.FIXED, most, most, "file", frame.n_strata, most)
        curve = method.curve(one, frame, seen, look)
        scores = along.scores(curve.rank)
        curves.append([*curve.read("precision"), *curve.read("recall"), scores])
        assert along.levels(scores[:3]) == Along(setup, lambda: np.arange(0)).levels(scores[:3])
    for ours, theirs in zip(*curves, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def same(ours: ListFrame, theirs: ListFrame) -> None:
    for name in ("sizes", "rates", "start", "asked_of", "batch_ends", "edges", "spans"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist(), name
    assert ours.notes == theirs.notes and "different scores" in ours.notes[0]


def test_nothing_is_drawn_while_a_plan_is_made(
    setups: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: Any) -> None:
        pytest.fail("items are drawn")

    monkeypatch.setattr(TableItems, "prefetch", refused)
    for design in PLANS:
        plan, _, other = setups(design)
        plan.method.prepare(other)


def test_draws_that_need_the_item_at_a_rank_are_refused(
    setups: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "HELD", N - 1)
    plan, _, other = setups("logarithmic_stratified")
    printed = replace(plan, params={**PLANS[plan.design]["params"], "sampling": "printed"})
    with pytest.raises(ParameterError, match="sampling.*known in memory only.*choose 'fixed'"):
        printed.method.prepare(replace(other, params=printed.design_params))


def test_ties_by_the_hash_of_draws_give_other_strata(
    setups: Any, engine: DuckEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, setup, other = setups("geometric_strata")
    drawn, own = engine.hash, plan.method.prepare(setup)
    monkeypatch.setattr(engine, "hash", lambda seed, purpose: drawn(seed, "draw"))
    kept = replace(other.population, kept=TableItems(engine, scores={"up": "s"}))
    theirs = plan.method.prepare(replace(other, population=kept))
    every = np.arange(N)
    assert theirs.stratum[every].tolist() != own.stratum[every].tolist()
