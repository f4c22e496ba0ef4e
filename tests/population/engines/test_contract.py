"""Every engine says of the same items what arrays in memory say."""

from __future__ import annotations

from hashlib import md5
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from labelcore.population.engines import ranked, table_items
from labelcore.population.engines.postgres import PostgresEngine
from labelcore.population.engines.sql import sql
from labelcore.population.engines.table_items import TableItems
from labelcore.population.items import BEHIND, UNIT, Mark, MeanScore, Part, Score, Stretch, Sureness
from labelcore.population.text import as_text
from labelcore.stats.orders import hash_keys, hash_order, ranking
from tests.population.engines.conftest import ID, SMOOTH, Given, N

SEED = 7


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the table were large: cells are cut again, ties are counted by their first digits."""
    small = {"EDGES": 15, "MOST_VALUES": 40, "FEW_CELLS": 2, "MOST_TIES": 60, "PREFIX": 1}
    for name, number in small.items():
        monkeypatch.setattr(ranked, name, number)


DERIVED = {
    "probabilities": Sureness("filter", 1),
    "low probabilities": Sureness("low", 1, descending=True),
    "margins": Sureness("cut", 1, cut=0.1),
    "low margins": Sureness("cut", 0, descending=True, cut=-0.3),
    "several classes": Sureness("filter", None),
    "low scores of several classes": Sureness("filter", None, descending=True, cut=0.0),
    "the turned score of one": MeanScore(("low",), ("low",)),
    "the mean of three": MeanScore(("filter", "cut", "low"), ("low",)),
}
FAR = Sureness("cut", 1, cut=-3e10)
"""Its units take more than 64 bits."""


def values_of(given: Given, score: Score) -> np.ndarray:
    """A score, how sure a classifier is of each item, or what several say together."""
    if isinstance(score, str):
        return given.scores[score]
    if isinstance(score, MeanScore):
        each = [given.scores[SMOOTH if name == "cut" else "crowded"] for name in score.classifiers]
        turned = [name in score.descending for name in score.classifiers]
        return np.mean([1 - a if b else a for a, b in zip(each, turned, strict=True)], axis=0)
    own = given.scores[SMOOTH if score.classifier == "cut" else "crowded"]
    found = []
    for number, code in zip(own.tolist(), given.codes[score.classifier].tolist(), strict=True):
        towards = score.positive in (None, code)
        if score.cut is None:
            share = 1 - number if score.descending else number
            found.append(share if towards else 1 - share)
        else:
            turned = -number if score.descending else number
            found.append(turned - score.cut if towards else score.cut - turned)
    return np.array(found)


def order_of(
    given: Given, score: Score, falling: bool, seed: int, members: np.ndarray
) -> np.ndarray:
    """Positions in the order of a score, as the designs put them."""
    own = values_of(given, score)[members]

    def ties(items: np.ndarray) -> np.ndarray:
        return hash_keys(seed, "tie", [given.ids[one] for one in members[items]])

    return members[ranking(own if falling else -own, ties)]


def mark_of(given: Given, score: Score, seed: int, position: int) -> Mark:
    tie = md5(f"{seed}|tie|{given.ids[position]}".encode()).hexdigest()
    return Mark(float(values_of(given, score)[position]), tie)


def strata(
    given: Given, items: TableItems, score: Score, falling: bool = True, code: int = 0
) -> tuple[list[Part], list[np.ndarray]]:
    """Pieces of one side, as parts and as positions in memory."""
    members = np.flatnonzero(given.codes["filter"] == code)
    order = order_of(given, score, falling, SEED, members)
    ranks = [1, 40, len(order) // 3, len(order) // 3 + 1, len(order) - 200]
    whole = Stretch(score, falling, SEED)
    marks = items.at_ranks(whole, {"filter": code}, ranks)
    assert marks == [mark_of(given, score, SEED, int(order[rank - 1])) for rank in ranks]
    ends = [None, *marks, None]
    parts = [
        Part({"filter": code}, (Stretch(score, falling, SEED, after, until),))
        for after, until in pairwise(ends)
    ]
    return parts, np.split(order, ranks)


@pytest.mark.parametrize("score", ["crowded", SMOOTH, *DERIVED])
@pytest.mark.parametrize("falling", [True, False])
def test_ranks_and_the_strata_between_them(
    anywhere: Given, score: Score, falling: bool, small_steps: None
) -> None:
    score = DERIVED.get(str(score), score)
    items = anywhere.items()
    parts, members = strata(anywhere, items, score, falling)
    assert items.counts(parts).tolist() == [len(one) for one in members]
    units = [sum(map(int, np.rint(values_of(anywhere, score)[one] * UNIT))) for one in members]
    assert items.sums(score, parts) == units


def test_ranks_in_large_steps(anywhere: Given) -> None:
    strata(anywhere, anywhere.items(), "crowded")
    strata(anywhere, anywhere.items(), SMOOTH, code=1)


def test_ranks_within_a_stretch(anywhere: Given, small_steps: None) -> None:
    items = anywhere.items()
    order = order_of(anywhere, "crowded", True, SEED, np.arange(N))
    after, until = (mark_of(anywhere, "crowded", SEED, int(order[at])) for at in (99, 1_999))
    found = items.at_ranks(Stretch("crowded", True, SEED, after, until), {}, [1, 1_000, 1_900])
    wanted = [
        mark_of(anywhere, "crowded", SEED, int(order[99 + rank])) for rank in (1, 1_000, 1_900)
    ]
    assert found == wanted


@pytest.mark.parametrize("ranks", [[0, 5], [5, N + 1]])
def test_refuses_ranks_that_are_not_there(anywhere: Given, ranks: list[int]) -> None:
    with pytest.raises(ValueError, match=f"ranks must be 1 to {N:,}, got"):
        anywhere.items().at_ranks(Stretch("crowded", True, SEED), {}, ranks)


@pytest.mark.parametrize("falling", [True, False])
@pytest.mark.parametrize("score", ["crowded", SMOOTH, None])
def test_ranks_of_items_and_scores_at_ranks(
    anywhere: Given, score: str | None, falling: bool, small_steps: None
) -> None:
    """Of tied items too, which are a third of all."""
    items, whole = anywhere.items(), Stretch(score, falling, SEED)
    own = np.zeros(N) if score is None else anywhere.scores[score]
    ties = hash_keys(SEED, "tie", anywhere.ids)
    order = ranking(own if falling else -own, lambda some: ties[some])
    ranks = np.unique([1, 2, 40, N // 3, N // 2, N - 30, N])
    assert items.scores_at(whole, ranks).tolist() == own[order[ranks - 1]].tolist()
    if anywhere.held is not None and anywhere.engine.place is None:
        return
    random = np.random.default_rng(3)
    asked = random.choice(N, 400)
    place = np.empty(N, dtype=np.int64)
    place[order] = np.arange(1, N + 1)
    assert items.ranks(whole, asked).tolist() == place[asked].tolist()
    assert items.ranks(whole, asked[:0]).tolist() == []
    after, until = items.at_ranks(whole, {}, [50, 2_000])
    inside = order[50:2_000:9]
    found = items.ranks(Stretch(score, falling, SEED, after, until), inside)
    assert found.tolist() == (place[inside] - 50).tolist()


def test_one_hash_for_ties_and_draws_gives_other_ranks(
    given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    items, whole, some = given.items(), Stretch("crowded", True, SEED), np.arange(300)
    if given.engine.place is None:
        pytest.skip("its rows have no positions")
    ranks, drawn = items.ranks(whole, some), given.engine.hash
    monkeypatch.setattr(given.engine, "hash", lambda seed, purpose: drawn(seed, "draw"))
    assert given.items().ranks(whole, some).tolist() != ranks.tolist()


def test_different_scores(anywhere: Given) -> None:
    items = anywhere.items()
    for name, own in anywhere.scores.items():
        number = len(np.unique(own))
        assert items.distinct(name, N) == items.distinct(name, number) == number
        assert items.distinct(name, number - 1) == number


def test_items_outside_of_stretches(anywhere: Given) -> None:
    items, whole = anywhere.items(), Stretch("crowded", True, SEED)
    first, second, third = items.at_ranks(whole, {}, [40, 900, 1_300])
    pieces = (
        Stretch("crowded", True, SEED, until=first),
        Stretch("crowded", True, SEED, second, third),
    )
    parts = [*(Part({}, (piece,)) for piece in pieces), Part(without=pieces)]
    assert items.counts(parts).tolist() == [40, 400, N - 440]
    order = order_of(anywhere, "crowded", True, SEED, np.arange(N))
    draws = hash_order(hash_keys(SEED, "draw", anywhere.ids))
    rest = draws[np.isin(draws, np.concatenate([order[40:900], order[1_300:]]))]
    assert items.queue(parts, SEED)[440:500].tolist() == rest[:60].tolist()


def test_samples_are_the_first_of_each_stratum_in_draw_order(given: Given) -> None:
    items = given.items()
    parts, members = strata(given, items, "crowded")
    items.counts(parts)
    order = hash_order(hash_keys(SEED, "draw", given.ids))
    for part, own in zip(parts, members, strict=True):
        wanted = order[np.isin(order, own)]
        assert items.sample(part, SEED, 0, 20).tolist() == wanted[:20].tolist()
        assert items.sample(part, SEED, 20, N).tolist() == wanted[20:].tolist()


def test_queue_and_strata_of_parts(anywhere: Given) -> None:
    items = anywhere.items()
    parts, members = strata(anywhere, items, "crowded")
    parts.append(Part({"filter": 1}))
    members.append(np.flatnonzero(anywhere.codes["filter"] == 1))
    order = hash_order(hash_keys(SEED, "draw", anywhere.ids))
    queue, stratum, start = items.queue(parts, SEED), items.strata(parts), 0
    assert len(queue) == len(stratum) == N
    for number, own in enumerate(members):
        wanted = order[np.isin(order, own)]
        end = start + min(20, len(own))
        assert queue[start:end].tolist() == wanted[: end - start].tolist()
        assert queue[np.array([start])].tolist() == wanted[:1].tolist()
        if anywhere.held is None or anywhere.engine.place is not None:
            assert stratum[own[:7]].tolist() == [number] * len(own[:7])
            assert int(stratum[int(own[0])]) == number
        start += len(own)


def test_items_without_a_score_stand_in_the_order_of_their_ties(
    anywhere: Given, small_steps: None
) -> None:
    order = hash_order(hash_keys(SEED, "tie", anywhere.ids))
    own = order[anywhere.codes["filter"][order] == 1]
    found = anywhere.items().at_ranks(Stretch(None, True, SEED), {"filter": 1}, [1, 30, len(own)])
    wanted = [md5(f"{SEED}|tie|{anywhere.ids[own[at]]}".encode()) for at in (0, 29, len(own) - 1)]
    assert [mark.tie for mark in found] == [one.hexdigest() for one in wanted]


def test_strata_by_two_scores_and_two_classifiers(anywhere: Given) -> None:
    """Parts may lie in pieces of several orders and be called by several classifiers; here of all
    items."""
    items = anywhere.items()
    order = order_of(anywhere, SMOOTH, True, SEED, np.arange(N))
    other = order_of(anywhere, "crowded", False, SEED, np.arange(N))
    one, two = Stretch(SMOOTH, True, SEED), Stretch("crowded", False, SEED)
    first = one.pieces(items.at_ranks(one, {}, [900]))
    second = two.pieces(items.at_ranks(two, {}, [1_700]))
    parts, members = [], []
    for calls in product((0, 1), repeat=2):
        called = (anywhere.codes["filter"] == calls[0]) & (anywhere.codes["low"] == calls[1])
        for a, b in product((0, 1), repeat=2):
            parts.append(Part({"filter": calls[0], "low": calls[1]}, (first[a], second[b])))
            inside = np.isin(np.arange(N), order[900 * a : 900 if a == 0 else N])
            inside &= np.isin(np.arange(N), other[1_700 * b : 1_700 if b == 0 else N])
            members.append(np.flatnonzero(inside & called))
    assert sum(bool(len(own)) for own in members) > 8
    assert_strata(anywhere, items, parts, members)


def test_pieces_between_values_and_what_lies_outside_them(anywhere: Given) -> None:
    """Items of equal score are taken together; a part may lie on both sides of another one."""
    items = anywhere.items()
    for sure in DERIVED.values():
        z = values_of(anywhere, sure)
        edges = [float(one) for one in np.quantile(z, [0.2, 0.7])]
        pieces = Stretch(sure, False, SEED).pieces([Mark(edge, BEHIND) for edge in edges])
        parts = [Part(stretches=(pieces[1],)), Part(without=(pieces[1],))]
        inside = (z > edges[0]) & (z <= edges[1])
        assert 0 < inside.sum() < N
        assert_strata(anywhere, items, parts, [np.flatnonzero(inside), np.flatnonzero(~inside)])
        falling = Stretch(sure, True, SEED).pieces([Mark(edges[0], BEHIND)])[0]
        assert items.counts([Part(stretches=(falling,))]).tolist() == [(z >= edges[0]).sum()]


def assert_strata(
    given: Given, items: TableItems, parts: list[Part], members: list[np.ndarray]
) -> None:
    """Counts, sums, joined predictions, stratum and draw order of parts of all items."""
    assert items.counts(parts).tolist() == [len(own) for own in members]
    units = np.rint(given.scores[SMOOTH] * UNIT)
    assert items.sums(SMOOTH, parts) == [sum(map(int, units[own])) for own in members]
    called = items.joined(["cut"], parts).get((1,), np.zeros(len(parts)))
    assert called.tolist() == [given.codes["cut"][own].sum() for own in members]
    draws = hash_order(hash_keys(SEED, "draw", given.ids))
    queue, stratum, start = items.queue(parts, SEED), items.strata(parts), 0
    for number, own in enumerate(members):
        end = start + min(15, len(own))
        assert queue[start:end].tolist() == draws[np.isin(draws, own)][: end - start].tolist()
        if given.held is None or given.engine.place is not None:
            assert stratum[own[:7]].tolist() == [number] * len(own[:7])
        start += len(own)


def test_a_sample_that_falls_short_is_fetched_again(
    given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = given.items()
    parts, members = strata(given, items, "crowded")
    monkeypatch.setattr(table_items, "LEAST_TAKEN", 1)
    monkeypatch.setattr(table_items, "_threshold", lambda size, number: "01")
    order = hash_order(hash_keys(SEED, "draw", given.ids))
    found = items.sample(parts[-1], SEED, 0, 30).tolist()
    assert found == order[np.isin(order, members[-1])][:30].tolist()


def test_draws_and_ties_are_two_orders(anywhere: Given) -> None:
    """One hash for both would bias the estimate: the first draws of a stratum that ends within a
    score would be those that its ties put first."""
    items = anywhere.items()
    half = items.at_ranks(Stretch("crowded", True, SEED), {"filter": 0}, [1_500])
    parts = [Part({"filter": 0}, (Stretch("crowded", True, SEED, half[0]),))]
    rest = Part({"filter": 0}, (Stretch("crowded", True, SEED, until=half[0]),))
    other = Part({"filter": 1})
    drawn = items.queue([*parts, rest, other], SEED)[:100]
    ties = [md5(f"{SEED}|tie|{anywhere.ids[one]}".encode()).hexdigest() for one in drawn]
    assert ties != sorted(ties)


def test_predictions_of_several_classifiers_together(anywhere: Given) -> None:
    items = anywhere.items()
    parts, members = strata(anywhere, items, SMOOTH)
    found = items.joined(["filter", "cut", "low"], [Part(), *parts])
    codes = np.stack([anywhere.codes[name] for name in ("filter", "cut", "low")], axis=1)
    assert set(found) == set(map(tuple, codes.tolist()))
    for key, numbers in found.items():
        there = (codes == key).all(axis=1)
        assert numbers.tolist() == [there.sum(), *(there[own].sum() for own in members)]


def test_histogram_over_one_grid(anywhere: Given) -> None:
    edges = np.array([0.0, 0.01, 0.07, 0.5, 2.0])
    for name, own in anywhere.scores.items():
        for predicted, there in ({}, np.ones(N, bool)), ({"low": 1}, anywhere.codes["low"] == 1):
            cells = np.searchsorted(edges, own[there], side="right")
            found = anywhere.items().histogram(name, edges, predicted)
            assert found.tolist() == np.bincount(cells, minlength=6).tolist()


@pytest.mark.parametrize("name", ["crowded", SMOOTH, *DERIVED, "far"])
def test_counts_sums_and_extremes_over_one_grid(anywhere: Given, name: str) -> None:
    score = FAR if name == "far" else DERIVED.get(name, name)
    own = values_of(anywhere, score)
    for edges in (np.zeros(0), np.array([-9.0, 0.0, 0.01, 0.07, 0.5, 0.99, 2.0, 40.0])):
        found = anywhere.items().bins(score, edges)
        cells = np.searchsorted(edges, own, side="right")
        for cell in range(len(edges) + 1):
            there = own[cells == cell]
            assert found.counts[cell] == len(there)
            assert found.sums[cell] == sum(map(int, np.rint(there * UNIT)))
            assert found.lowest[cell] == there.min(initial=np.inf)
            assert found.highest[cell] == there.max(initial=-np.inf)


def test_every_row_in_the_order_of_positions(given: Given) -> None:
    found = pa.Table.from_batches(list(given.engine.items([ID, SMOOTH, "called", "text"])))
    assert found.column(0).to_pylist() == given.ids
    assert found.column(1).to_numpy().tolist() == given.scores[SMOOTH].tolist()
    assert found.column(2).to_pylist() == given.rows.column("called").to_pylist()
    assert found.column(3).to_pylist() == given.rows.column("text").to_pylist()


def test_the_content_of_one_row(given: Given) -> None:
    texts = given.rows.column("text").to_pylist()
    for position in (0, 700, N - 1, texts.index(None)):
        found = given.engine.cells(position, given.ids[position], ["text", ID])
        assert found == {"text": texts[position] or "", ID: given.ids[position]}


def test_texts_of_a_column(given: Given) -> None:
    yes = int(given.codes["filter"].sum())
    assert given.engine.texts("called", 2) == {"yes": yes, "no": N - yes}
    assert given.engine.texts("called", 1) is None


def test_a_tick_that_raises_ends_a_pass_and_leaves_the_engine_whole(given: Given) -> None:
    class Enough(Exception):
        pass

    def enough() -> None:
        raise Enough

    items = given.items()
    items.tick = enough
    with pytest.raises(Enough):
        items.counts([Part()])
    with pytest.raises(Enough):
        list(given.engine.items(["text"], enough))
    items.tick = lambda: None
    assert items.counts([Part()]).tolist() == [N]


def test_refuses_a_column_that_is_not_there(given: Given) -> None:
    with pytest.raises(ValueError, match="has no column 'mystery'; its columns are 'i d'"):
        given.engine.column("mystery")


# --- moments -------------------------------------------------------------------------------------


def test_moments_are_one_text_wherever_they_are_asked_for(given: Given) -> None:
    """In the columns that are read, in the row of one item, and in SQL, where ids are hashed."""
    engine, names = given.engine, ["moment", "day", "local"]
    read = pa.Table.from_batches(list(engine.items(names)))
    texts = {name: as_text(read.column(name)).to_pylist() for name in names}
    if not isinstance(engine, PostgresEngine):
        assert texts == {name: as_text(given.rows.column(name)).to_pylist() for name in names}
    for name in ("moment", "local"):
        moments = pd.to_datetime(texts[name], utc=True, format="ISO8601")
        assert moments.tolist() == given.rows.column("moment").to_pandas().tolist()
    asked = sql("SELECT {}, {} FROM {}", engine.item_id(), engine.text("moment"), engine.table)
    assert dict(engine.fetch(asked)) == dict(zip(given.ids, texts["moment"], strict=True))
    for place in (0, 701, N - 1):
        cells = engine.cells(place, given.ids[place], names)
        assert cells == {name: texts[name][place] for name in names}


@pytest.mark.parametrize("name", ["moment", "local"])
def test_an_item_is_found_by_a_moment_that_is_its_id(given: Given, name: str) -> None:
    kind, told = given.engine.__reduce__()
    engine = kind(*told[:-1], [name])
    read = pa.Table.from_batches(list(engine.items([name, "text"])))
    for place in (0, 701, N - 1):
        item, text = (as_text(read.column(one))[place].as_py() for one in (name, "text"))
        assert engine.cells(place, item, ["text"]) == {"text": text}
    engine.close()
