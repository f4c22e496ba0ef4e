"""A project of items that stay in their engine draws and says what one in memory does."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs import base
from labelcore.errors import ItemsFileError, PlanError, PopulationError, TooManyItemsError
from labelcore.population import items
from labelcore.population.engines import kept, sources, table_items
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.engine import EngineError

N, SEED = 4_000, 11
REACH = {"candidates": [100, 300], "precision_threshold": 0.6}
MIXTURE = {"stratification": "gmm", "n_strata": 5}
EQUAL_SIZE = {"stratification": "eqsz", "n_strata": 5}
SCALARS = ["precision", "recall", "accuracy"]
READ: dict[str, Any] = {
    "id": "id",
    "content": "text",
    "scores": {"lr": "score", "raw": "raw", "doubt": "doubt"},
    "predictions": {"lr": "call", "said": "said"},
    "thresholds": {"raw": 0.5, "doubt": 0.55},
    "descending": ["raw", "doubt"],
}
BETTER = {"estimands": ["accuracy_difference", "recall_difference", "precision"]}
PLANS: dict[str, tuple[str, dict[str, Any]]] = {
    "default": ("recalibrated_neyman", {"params": {"helpers": ()}}),
    "one figure": ("recalibrated_neyman", {"estimands": ["precision"], "params": {"helpers": ()}}),
    "by a margin": (
        "recalibrated_neyman",
        {"estimands": ["precision"], "margin": 0.15, "budget": None, "params": {"helpers": ()}},
    ),
    "no probability": ("recalibrated_neyman", {"classifier": "raw", "params": {"helpers": ()}}),
    "plain": ("simple_random", {}),
    "two groups": ("oversampling", {"estimands": ["precision", "recall"]}),
    "two groups, raw": ("oversampling", {"estimands": ["precision"], "classifier": "raw"}),
    "by sureness": ("stratified", {"estimands": ["accuracy"]}),
    "by sureness, raw": (
        "stratified",
        {"estimands": SCALARS, "classifier": "raw", "promise": "fixed"},
    ),
    "by a mixture": ("stratified", {"estimands": ["accuracy"], "params": MIXTURE}),
    "of equal size": ("stratified", {"estimands": ["accuracy"], "params": EQUAL_SIZE}),
    "comparison": ("paired_comparison", {**BETTER, "classifier": ["lr", "doubt"]}),
    "comparison, one score": ("paired_comparison", {**BETTER, "classifier": ["said", "doubt"]}),
    "comparison, raw": ("paired_comparison", {**BETTER, "classifier": ["raw", "said"]}),
    "patterns": (
        "agreement_patterns",
        {"estimands": ["precision", "recall"], "classifier": ["lr", "doubt", "said"]},
    ),
    "patterns, one score": (
        "agreement_patterns",
        {"estimands": ["accuracy", "f1_difference"], "classifier": ["raw", "said"]},
    ),
    "all disagreements": (
        "paired_comparison",
        {
            "classifier": ["lr", "said"],
            "estimands": ["accuracy_difference"],
            "params": {"disagreements": "all"},
            "budget": 2_000,
        },
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parts with a score of two decimals, a third tied, and calls that do not quite follow."""
    random, found = np.random.default_rng(3), tmp_path_factory.mktemp("parts")
    score = np.round(random.beta(0.5, 1.5, N), 2)
    score[: N // 3] = 0.0
    table = pd.DataFrame(
        {
            "id": [f"item {number * 7919 % 100_003}" for number in range(N)],
            "score": score,
            "raw": random.normal(0, 2, N) - 4 * score,
            "doubt": 1 - np.clip(score + random.normal(0, 0.1, N), 0, 1),
            "said": (score + random.normal(0, 0.2, N) >= 0.5).astype(int),
            "call": ((score >= 0.5) ^ (random.random(N) < 0.05)).astype(int),
            "text": [f"text {number}" for number in range(N)],
        }
    )
    for number, first in enumerate(range(0, N, 1_500)):
        table[first : first + 1_500].to_parquet(found / f"part-{number}.parquet")
    return found


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the file were large: an engine reads it, scores are summed up exactly."""
    monkeypatch.setattr(sources, "LARGE", 1)
    monkeypatch.setattr(base, "LARGE", 1)
    monkeypatch.setattr(table_items, "LEAST_TAKEN", 5)


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if memory held few items."""
    monkeypatch.setattr(items, "IN_MEMORY", 1_000)
    monkeypatch.setattr(items, "HELD", 1_000)


def plan(name: str) -> lc.Plan:
    design, given = PLANS[name]
    given = {"estimands": SCALARS, "classifier": "lr", "budget": 60, **given}
    return lc.Plan(design, seed=SEED, **given)


def labelled(session: lc.Session, number: int = 24, first: int = 0) -> list[str]:
    """What is drawn, and what the figures say after each of some labels."""
    found = []
    for step in range(first, first + number):
        draw = session.next()
        if draw is None:
            break
        found.append(f"{draw.item_id} {draw.stratum} {draw.batch} {session.item(draw)['text']}")
        session.answer(draw, step % 3 == 0)
        found += [f"{key} {one.sentence()}" for key, one in session.results().items()]
    return found


def kept_population(folder: Path, monkeypatch: pytest.MonkeyPatch) -> lc.Population:
    monkeypatch.setattr(items, "IN_MEMORY", 1_000)
    monkeypatch.setattr(items, "HELD", 1_000)
    found = lc.read_population(folder, **READ)
    assert found.kept is not None
    return found


@pytest.mark.parametrize("name", PLANS)
def test_says_what_arrays_say(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = lc.read_population(folder, **READ)
    assert held.kept is None
    ahead, drawn = lc.preview(held, plan(name)), labelled(lc.Session(held, plan(name)))
    away = kept_population(folder, monkeypatch)
    assert away.fingerprint == held.fingerprint
    told = lc.preview(away, plan(name))
    assert told.labels == ahead.labels
    assert told.derived["stratum_sizes"] == ahead.derived["stratum_sizes"]
    assert told.derived["planned"] == ahead.derived["planned"]
    widths = ahead.expected_half_width
    assert told.expected_half_width == pytest.approx(widths, rel=1e-9)
    assert labelled(lc.Session(away, plan(name))) == drawn
    assert len(drawn) >= 48


def test_another_seed_for_ties_draws_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above can fail."""
    held = lc.read_population(folder, **READ)
    drawn = labelled(lc.Session(held, plan("default")))
    away = kept_population(folder, monkeypatch)
    monkeypatch.setattr(base.Setup, "along", lambda setup, name: items.Stretch(name, True, 1))
    assert labelled(lc.Session(away, plan("default"))) != drawn


def test_opens_again_without_a_pass(
    folder: Path, tmp_path: Path, outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = f"sqlite:///{tmp_path}/labels.db"
    whole = labelled(lc.Session(lc.read_population(folder, **READ), plan("default")))
    monkeypatch.setattr("labelcore.session.prepared.LEAST", 1)
    first = lc.Session(lc.read_population(folder, **READ), plan("default"), store, "p")
    before = labelled(first, 19)

    def never(*given: Any) -> Any:
        raise AssertionError("all rows were read")

    sums = table_items.TableItems.sums

    monkeypatch.setattr(kept, "read_kept", never)
    for name in ("counts", "sums", "at_ranks", "histogram", "prefetch"):
        monkeypatch.setattr(table_items.TableItems, name, never)
    monkeypatch.setattr(table_items.TableItems, "counts", _known_counts)
    again = lc.Session.open(store, "p")
    assert again.population.kept is not None
    monkeypatch.setattr(table_items.TableItems, "_of_parts", never)
    monkeypatch.setattr(table_items.TableItems, "sums", sums)
    assert lc.preview(again.population, again.plan).expected_half_width
    assert before + labelled(again, 5, 19) == whole[: len(before) + 5 * 4]


def _known_counts(self: table_items.TableItems, parts: Any) -> Any:
    return np.array([self._sizes[table_items._key(part)] for part in parts])


def test_a_value_of_every_item_is_refused(folder: Path, outside: None) -> None:
    population = lc.read_population(folder, **READ)
    words = "of all 4,000 items would have to be held in memory, which is done for up to"
    reach = lc.Plan("reach_selection", ["selection"], classifier="lr", budget=60, params=REACH)
    paired = lc.Plan(
        "paired_comparison", ["accuracy_difference"], classifier=["lr", "raw"], budget=60
    )
    recycled = lc.Plan(
        "recycling", "precision", params={"parent": "lr", "children": ["said"], "sample_size": 50}
    )
    patterns = lc.Plan("agreement_patterns", "precision", classifier=["lr", "said"], budget=60)
    for ask in (
        lambda: lc.Session(population, recycled),
        lambda: lc.Session(population, paired),
        lambda: lc.Session(population, replace(patterns, classifier=("lr", "raw"))),
        lambda: lc.Session(population, replace(patterns, budget=8, promise="fixed")),
        lambda: population.scores["lr"] + 1,
        lambda: np.asarray(population.predictions["lr"]),
        lambda: population.scores["lr"][:10],
        population.ids,
        lambda: population.column("text"),
        lambda: lc.Session(population, reach),
    ):
        with pytest.raises(TooManyItemsError, match=words):
            ask()


@pytest.mark.parametrize("claim", ["recall@lr > recall@said", "precision@lr > 0.5"])
def test_a_claim_is_refused(folder: Path, outside: None, claim: str) -> None:
    plan = lc.Plan(
        "agreement_patterns", "recall", claims=[claim], classifier=["lr", "said"], budget=60
    )
    words = "evidence for a claim is worked out from all items in memory"
    with pytest.raises(PlanError, match=words):
        lc.Session(lc.read_population(folder, **READ), plan)


def test_a_method_that_asks_for_all_values_gets_them_where_they_fit(
    folder: Path, tmp_path: Path, outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "HELD", N)
    reach = lc.Plan("reach_selection", ["selection"], classifier="lr", budget=60, params=REACH)
    held = labelled(lc.Session(lc.read_population(folder, **READ).held(), reach), 5)
    population, store = lc.read_population(folder, **READ), f"sqlite:///{tmp_path}/labels.db"
    assert population.kept is not None
    assert lc.preview(population, reach).planned == 60
    session = lc.Session(population, reach, store, "p")
    assert session.population.kept is None
    found = labelled(session, 3)
    again = lc.Session.open(store, "p")
    assert [*found, *labelled(again, 2, 3)] == held


def test_an_older_plan_keeps_its_sums(
    folder: Path, outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "HELD", N)
    older = replace(lc.Session(lc.read_population(folder, **READ), plan("default")).plan, rules=6)
    assert lc.Session(lc.read_population(folder, **READ), older).population.kept is None
    monkeypatch.setattr(items, "HELD", N - 1)
    with pytest.raises(TooManyItemsError, match="which an older plan sums up"):
        lc.Session(lc.read_population(folder, **READ), older)


def test_single_items_are_looked_up(folder: Path, outside: None) -> None:
    population = lc.read_population(folder, **READ)
    item = population.id_at(2_345)
    assert population.position(item) == 2_345
    assert population.content(item) == {"text": "text 2345"}
    assert population.scores["lr"][np.array([2_345, 3])].shape == (2,)
    with pytest.raises(ValueError, match="has no item with the id 'nobody'"):
        population.position("nobody")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("score", np.inf, "row 8, column 'score': a score must be a finite number, got 'inf'"),
        ("id", "", "row 8, column 'id': an id must not be empty"),
        ("id", "item 0", "an id must be unique, and row 1 has the same"),
        ("call", 7, "the predictions hold|a prediction must be one of"),
    ],
)
def test_faults_of_rows_are_named(
    folder: Path, tmp_path: Path, outside: None, column: str, value: Any, words: str
) -> None:
    for part in sorted(folder.iterdir()):
        table = pd.read_parquet(part)
        if part.name == "part-0.parquet":
            table.loc[7, column] = value
        table.to_parquet(tmp_path / part.name)
    with pytest.raises(PopulationError, match=words):
        lc.read_population(tmp_path, classes=["no", "yes"], **READ)


# --- what goes wrong -----------------------------------------------------------------------------


def test_an_engine_that_dies_in_mid_plan_leaves_nothing_half_made(
    folder: Path, tmp_path: Path, outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever tries again goes on from the passes that were finished."""
    store, fetch = f"sqlite:///{tmp_path}/labels.db", DuckEngine.fetch
    passes: list[str] = []
    alive = 1_000

    def dies(self: DuckEngine, query: Any, *given: Any) -> Any:
        if len(passes) == alive:
            raise EngineError("parts: DuckDB cannot read it: it is gone")
        passes.append(query.text)
        return fetch(self, query, *given)

    first, population = (lc.read_population(folder, **READ) for _ in range(2))
    monkeypatch.setattr(DuckEngine, "fetch", dies)
    lc.Session(first, plan("default"))
    alive = len(passes) - 1
    assert alive >= 4
    passes.clear()
    with pytest.raises(EngineError, match="it is gone"):
        lc.Session(population, plan("default"), store, "p")
    assert len(passes) == alive
    assert not lc.open_store(store).projects()
    passes.clear()
    again = lc.Session(population, plan("default"), store, "p")
    assert len(passes) == 1, "a pass that was finished was made again"
    monkeypatch.setattr(DuckEngine, "fetch", fetch)
    whole = labelled(lc.Session(lc.read_population(folder, **READ), plan("default")))
    assert labelled(again) == whole


def test_a_plan_is_watched_and_can_be_ended(folder: Path, tmp_path: Path, outside: None) -> None:
    class Enough(Exception):
        pass

    ticks, store = [], f"sqlite:///{tmp_path}/labels.db"

    def enough() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            raise Enough

    population = lc.read_population(folder, **READ)
    with pytest.raises(Enough), population.ticking(enough):
        lc.Session(population, plan("default"), store, "p")
    assert not lc.open_store(store).projects()
    with population.ticking(lambda: ticks.append(2)):
        session = lc.Session(population, plan("default"), store, "p")
    assert 2 in ticks
    ticks.clear()
    assert labelled(session, 3) and not ticks


@pytest.mark.parametrize("harm", ["gone", "changed"])
def test_parts_that_are_not_what_was_read(
    folder: Path, tmp_path: Path, outside: None, harm: str
) -> None:
    parts = tmp_path / "parts"
    shutil.copytree(folder, parts)
    store = f"sqlite:///{tmp_path}/labels.db"
    session = lc.Session(lc.read_population(parts, **READ), plan("plain"), store, "p")
    before = labelled(session, 5)
    part = parts / "part-1.parquet"
    sound = part.read_bytes()
    part.unlink()
    if harm == "changed":
        pd.read_parquet(folder / "part-1.parquet").assign(score=0.5).to_parquet(part)
    with pytest.raises(ItemsFileError, match="parts"):
        lc.Session.open(store, "p")
    part.write_bytes(sound)
    again = lc.Session.open(store, "p")
    assert again.labels == 5
    whole = labelled(lc.Session(lc.read_population(folder, **READ), plan("plain")), 8)
    more = labelled(again, 3, 5)
    assert [one.replace(f" in {folder.name},", " in parts,") for one in whole] == before + more


def test_a_part_that_changes_while_a_session_is_open(
    folder: Path, tmp_path: Path, outside: None
) -> None:
    parts = tmp_path / "parts"
    shutil.copytree(folder, parts)
    population = lc.read_population(parts, **READ)
    lc.Session(population, plan("plain"))
    pd.read_parquet(folder / "part-1.parquet")[::-1].to_parquet(parts / "part-1.parquet")
    with pytest.raises(ValueError, match="parts was changed after it was read"):
        population.content(population.id_at(1_600))
