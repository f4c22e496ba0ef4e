"""What follows from a population is made once, lives as long as it does, and holds no one back."""

import gc
import weakref

import numpy as np
import pytest

import labelcore as lc
from labelcore.planning.outlook import Outlook
from labelcore.population.kept import Kept, Recent, Same
from labelcore.stats import orders
from tests.columns import items

ITEMS = 400


def population() -> lc.Population:
    score = np.random.default_rng(2).random(ITEMS)
    scores = {"a": score.round(2), "b": (1 - score).round(2)}
    return items(scores=scores, predictions={"a": (score > 0.5).astype(int)})


def test_each_owner_has_its_own_value_while_it_lives() -> None:
    kept = Kept(Recent[int])
    first, second = population(), population()
    assert kept.of(first) is kept.of(first) is not kept.of(second)
    assert kept.of(first).get("x", lambda: 1) == kept.of(first).get("x", lambda: 2) == 1
    assert kept.of(second).get("x", lambda: 2) == 2
    Kept.let_go(first)
    assert kept.of(first).get("x", lambda: 3) == 3


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    recent = Recent[np.ndarray](most=20)
    for key in "ab":
        recent.get(key, lambda: np.zeros(8, dtype=np.int8))
    recent.get("a", lambda: np.ones(1))
    recent.get("c", lambda: np.zeros(8, dtype=np.int8))
    assert [recent.there(key) is not None for key in "abc"] == [True, False, True]
    recent.get("large", lambda: np.zeros(99, dtype=np.int8))
    assert [recent.there(key) is not None for key in ("a", "large")] == [False, True]


def test_nobody_changes_what_is_shared() -> None:
    found = Recent[np.ndarray]().get("a", lambda: np.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_a_thing_is_the_same_only_as_itself() -> None:
    one, twin = np.zeros(3), np.zeros(3)
    assert Same(one) == Same(one) != Same(twin)


def test_a_population_goes_with_all_that_was_made_of_it() -> None:
    file = population()
    plan = lc.Plan("recalibrated_neyman", ["accuracy", "precision"], classifier="a", budget=50)
    lc.preview(file, plan)
    alive = weakref.ref(file)
    del file
    gc.collect()
    assert alive() is None


def test_one_file_is_ranked_and_put_in_order_once_for_all_methods_and_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ranked, mixed = [], []
    file = population()
    ranking, order = orders.ranking, orders.hash_order
    monkeypatch.setattr(
        "labelcore.population.array_items.ranking", lambda *said: ranked.append(1) or ranking(*said)
    )
    monkeypatch.setattr(orders, "hash_order", lambda keys: mixed.append(1) or order(keys))
    for budget in (50, 100, 200):
        for estimands in (["accuracy"], ["precision", "recall"]):
            for design in ("recalibrated_neyman", "agreement_patterns", "oversampling"):
                lc.preview(file, lc.Plan(design, estimands, classifier="a", budget=budget))
    assert (len(ranked), len(mixed)) == (1, 1)


def test_plans_of_the_same_strata_share_them() -> None:
    file = population()
    one, two = (
        Outlook(file, lc.Plan("recalibrated_neyman", names, classifier="a", budget=budget))
        for names, budget in ((["accuracy"], 120), (["precision", "recall"], 200))
    )
    assert one.frame.queue is two.frame.queue and one.frame.stratum is two.frame.stratum
    other = Outlook(
        file, lc.Plan("recalibrated_neyman", ["accuracy"], classifier="a", budget=60, seed=8)
    )
    assert not np.array_equal(other.frame.queue, one.frame.queue)
