"""Counts, ranks and samples of items, held against sorting and counting them one by one."""

from hashlib import md5
from itertools import pairwise, product

import numpy as np
import pytest

from labelcore.population.array_items import (
    BEHIND,
    UNIT,
    Items,
    Mark,
    MeanScore,
    Part,
    Score,
    Stretch,
    Sureness,
)
from labelcore.stats.orders import HASHED, hash_keys, hash_order, ranking
from tests.population.engines.conftest import SMOOTH, Given, N, given_rows, in_memory, made_rows

SEED = 7


@pytest.fixture(scope="module")
def given() -> Given:
    return given_rows(None, made_rows())


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
    given: Given, items: Items, score: Score, falling: bool = True, code: int = 0
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
def test_ranks_and_the_strata_between_them(given: Given, score: Score, falling: bool) -> None:
    score = DERIVED.get(str(score), score)
    items = Items(in_memory(given.rows), HASHED)
    parts, members = strata(given, items, score, falling)
    assert items.counts(parts).tolist() == [len(one) for one in members]
    units = [sum(map(int, np.rint(values_of(given, score)[one] * UNIT))) for one in members]
    assert items.sums(score, parts) == units


def test_ranks_in_large_steps(given: Given) -> None:
    strata(given, Items(in_memory(given.rows), HASHED), "crowded")
    strata(given, Items(in_memory(given.rows), HASHED), SMOOTH, code=1)


def test_ranks_within_a_stretch(given: Given) -> None:
    items = Items(in_memory(given.rows), HASHED)
    order = order_of(given, "crowded", True, SEED, np.arange(N))
    after, until = (mark_of(given, "crowded", SEED, int(order[at])) for at in (99, 1_999))
    found = items.at_ranks(Stretch("crowded", True, SEED, after, until), {}, [1, 1_000, 1_900])
    wanted = [mark_of(given, "crowded", SEED, int(order[99 + rank])) for rank in (1, 1_000, 1_900)]
    assert found == wanted


@pytest.mark.parametrize("ranks", [[0, 5], [5, N + 1]])
def test_refuses_ranks_that_are_not_there(given: Given, ranks: list[int]) -> None:
    with pytest.raises(ValueError, match=f"ranks must be 1 to {N:,}, got"):
        Items(in_memory(given.rows), HASHED).at_ranks(Stretch("crowded", True, SEED), {}, ranks)


@pytest.mark.parametrize("falling", [True, False])
@pytest.mark.parametrize("score", ["crowded", SMOOTH, None])
def test_ranks_of_items_and_scores_at_ranks(given: Given, score: str | None, falling: bool) -> None:
    """Of tied items too, which are a third of all."""
    items, whole = Items(in_memory(given.rows), HASHED), Stretch(score, falling, SEED)
    own = np.zeros(N) if score is None else given.scores[score]
    ties = hash_keys(SEED, "tie", given.ids)
    order = ranking(own if falling else -own, lambda some: ties[some])
    ranks = np.unique([1, 2, 40, N // 3, N // 2, N - 30, N])
    assert items.scores_at(whole, ranks).tolist() == own[order[ranks - 1]].tolist()
    if given.held is not None and given.engine.place is None:
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


def test_different_scores(given: Given) -> None:
    items = Items(in_memory(given.rows), HASHED)
    for name, own in given.scores.items():
        number = len(np.unique(own))
        assert items.distinct(name, N) == items.distinct(name, number) == number
        assert items.distinct(name, number - 1) == number


def test_items_outside_of_stretches(given: Given) -> None:
    items, whole = Items(in_memory(given.rows), HASHED), Stretch("crowded", True, SEED)
    first, second, third = items.at_ranks(whole, {}, [40, 900, 1_300])
    pieces = (
        Stretch("crowded", True, SEED, until=first),
        Stretch("crowded", True, SEED, second, third),
    )
    parts = [*(Part({}, (piece,)) for piece in pieces), Part(without=pieces)]
    assert items.counts(parts).tolist() == [40, 400, N - 440]
    order = order_of(given, "crowded", True, SEED, np.arange(N))
    draws = hash_order(hash_keys(SEED, "draw", given.ids))
    rest = draws[np.isin(draws, np.concatenate([order[40:900], order[1_300:]]))]
    assert items.queue(parts, SEED)[440:500].tolist() == rest[:60].tolist()


def test_queue_and_strata_of_parts(given: Given) -> None:
    items = Items(in_memory(given.rows), HASHED)
    parts, members = strata(given, items, "crowded")
    parts.append(Part({"filter": 1}))
    members.append(np.flatnonzero(given.codes["filter"] == 1))
    order = hash_order(hash_keys(SEED, "draw", given.ids))
    queue, stratum, start = items.queue(parts, SEED), items.strata(parts), 0
    assert len(queue) == len(stratum) == N
    for number, own in enumerate(members):
        wanted = order[np.isin(order, own)]
        end = start + min(20, len(own))
        assert queue[start:end].tolist() == wanted[: end - start].tolist()
        assert queue[np.array([start])].tolist() == wanted[:1].tolist()
        if given.held is None or given.engine.place is not None:
            assert stratum[own[:7]].tolist() == [number] * len(own[:7])
            assert int(stratum[int(own[0])]) == number
        start += len(own)


def test_items_without_a_score_stand_in_the_order_of_their_ties(given: Given) -> None:
    order = hash_order(hash_keys(SEED, "tie", given.ids))
    own = order[given.codes["filter"][order] == 1]
    found = Items(in_memory(given.rows), HASHED).at_ranks(
        Stretch(None, True, SEED), {"filter": 1}, [1, 30, len(own)]
    )
    wanted = [md5(f"{SEED}|tie|{given.ids[own[at]]}".encode()) for at in (0, 29, len(own) - 1)]
    assert [mark.tie for mark in found] == [one.hexdigest() for one in wanted]


def test_strata_by_two_scores_and_two_classifiers(given: Given) -> None:
    """Parts may lie in pieces of several orders and be called by several classifiers; here of all
    items."""
    items = Items(in_memory(given.rows), HASHED)
    order = order_of(given, SMOOTH, True, SEED, np.arange(N))
    other = order_of(given, "crowded", False, SEED, np.arange(N))
    one, two = Stretch(SMOOTH, True, SEED), Stretch("crowded", False, SEED)
    first = one.pieces(items.at_ranks(one, {}, [900]))
    second = two.pieces(items.at_ranks(two, {}, [1_700]))
    parts, members = [], []
    for calls in product((0, 1), repeat=2):
        called = (given.codes["filter"] == calls[0]) & (given.codes["low"] == calls[1])
        for a, b in product((0, 1), repeat=2):
            parts.append(Part({"filter": calls[0], "low": calls[1]}, (first[a], second[b])))
            inside = np.isin(np.arange(N), order[900 * a : 900 if a == 0 else N])
            inside &= np.isin(np.arange(N), other[1_700 * b : 1_700 if b == 0 else N])
            members.append(np.flatnonzero(inside & called))
    assert sum(bool(len(own)) for own in members) > 8
    assert_strata(given, items, parts, members)


def test_pieces_between_values_and_what_lies_outside_them(given: Given) -> None:
    """Items of equal score are taken together; a part may lie on both sides of another one."""
    items = Items(in_memory(given.rows), HASHED)
    for sure in DERIVED.values():
        z = values_of(given, sure)
        edges = [float(one) for one in np.quantile(z, [0.2, 0.7])]
        pieces = Stretch(sure, False, SEED).pieces([Mark(edge, BEHIND) for edge in edges])
        parts = [Part(stretches=(pieces[1],)), Part(without=(pieces[1],))]
        inside = (z > edges[0]) & (z <= edges[1])
        assert 0 < inside.sum() < N
        assert_strata(given, items, parts, [np.flatnonzero(inside), np.flatnonzero(~inside)])
        falling = Stretch(sure, True, SEED).pieces([Mark(edges[0], BEHIND)])[0]
        assert items.counts([Part(stretches=(falling,))]).tolist() == [(z >= edges[0]).sum()]


def assert_strata(given: Given, items: Items, parts: list[Part], members: list[np.ndarray]) -> None:
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


def test_draws_and_ties_are_two_orders(given: Given) -> None:
    """One hash for both would bias the estimate: the first draws of a stratum that ends within a
    score would be those that its ties put first."""
    items = Items(in_memory(given.rows), HASHED)
    half = items.at_ranks(Stretch("crowded", True, SEED), {"filter": 0}, [1_500])
    parts = [Part({"filter": 0}, (Stretch("crowded", True, SEED, half[0]),))]
    rest = Part({"filter": 0}, (Stretch("crowded", True, SEED, until=half[0]),))
    other = Part({"filter": 1})
    drawn = items.queue([*parts, rest, other], SEED)[:100]
    ties = [md5(f"{SEED}|tie|{given.ids[one]}".encode()).hexdigest() for one in drawn]
    assert ties != sorted(ties)


def test_predictions_of_several_classifiers_together(given: Given) -> None:
    items = Items(in_memory(given.rows), HASHED)
    parts, members = strata(given, items, SMOOTH)
    found = items.joined(["filter", "cut", "low"], [Part(), *parts])
    codes = np.stack([given.codes[name] for name in ("filter", "cut", "low")], axis=1)
    assert set(found) == set(map(tuple, codes.tolist()))
    for key, numbers in found.items():
        there = (codes == key).all(axis=1)
        assert numbers.tolist() == [there.sum(), *(there[own].sum() for own in members)]


def test_histogram_over_one_grid(given: Given) -> None:
    edges = np.array([0.0, 0.01, 0.07, 0.5, 2.0])
    for name, own in given.scores.items():
        for predicted, there in ({}, np.ones(N, bool)), ({"low": 1}, given.codes["low"] == 1):
            cells = np.searchsorted(edges, own[there], side="right")
            found = Items(in_memory(given.rows), HASHED).histogram(name, edges, predicted)
            assert found.tolist() == np.bincount(cells, minlength=6).tolist()


@pytest.mark.parametrize("name", ["crowded", SMOOTH, *DERIVED, "far"])
def test_counts_sums_and_extremes_over_one_grid(given: Given, name: str) -> None:
    score = FAR if name == "far" else DERIVED.get(name, name)
    own = values_of(given, score)
    for edges in (np.zeros(0), np.array([-9.0, 0.0, 0.01, 0.07, 0.5, 0.99, 2.0, 40.0])):
        found = Items(in_memory(given.rows), HASHED).bins(score, edges)
        cells = np.searchsorted(edges, own, side="right")
        for cell in range(len(edges) + 1):
            there = own[cells == cell]
            assert found.counts[cell] == len(there)
            assert found.sums[cell] == sum(map(int, np.rint(there * UNIT)))
            assert found.lowest[cell] == there.min(initial=np.inf)
            assert found.highest[cell] == there.max(initial=-np.inf)
