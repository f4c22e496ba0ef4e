"""Items sorted by what several classifiers say: whole patterns, and which join where they are too
many."""

from itertools import product

import numpy as np
import pytest

from labelcore.stats.agreement_patterns import Patterns, agreement_patterns


def every_way(copies: dict[tuple[bool, ...], int]) -> np.ndarray:
    """(n_classifiers, n_items): each way to judge an item as often as it says."""
    rows = [way for way, number in copies.items() for _ in range(number)]
    return np.array(rows).T


def patterns_of(called: np.ndarray, most: int) -> tuple[Patterns, np.ndarray]:
    """The patterns of some items, and that of each; ``called`` is (n_classifiers, n_items)."""
    ways, way, sizes = np.unique(called.T, axis=0, return_inverse=True, return_counts=True)
    found = agreement_patterns(ways.T, sizes, most)
    of_item = found.of_way[way.reshape(-1)]
    assert np.array_equal(found.sizes, np.bincount(of_item, minlength=len(found.sizes)))
    return found, of_item


def test_each_pattern_is_judged_alike_and_its_sizes_add_up() -> None:
    called = np.random.default_rng(1).random((4, 500)) < 0.3
    found, of_item = patterns_of(called, 99)
    assert np.array_equal(found.said[:, of_item], called)
    assert found.sizes.sum() == 500 and not found.rare and not found.mixed.any()
    votes = found.said.sum(axis=0)
    assert (np.diff(votes) <= 0).all(), "those that most call positive first"


def test_the_rarest_join_the_likest_and_never_what_nobody_calls_positive() -> None:
    ways = list(product((True, False), repeat=3))
    copies = {way: 10 * place + 3 for place, way in enumerate(ways)}
    rare = (True, True, False)
    copies |= {rare: 1, (False, False, False): 5000}
    called = every_way(copies)
    found, of_item = patterns_of(called, 6)
    assert (found.rare, found.items) == (1 + 0, 1)
    place = int(np.flatnonzero((rare == called.T).all(axis=1))[0])
    said = tuple(found.said[:, of_item[place]])
    # One classifier apart: all three (3 items), only the first, only the second (53); the larger.
    apart = {way: copies[way] for way in ways if sum(np.not_equal(way, rare)) == 1}
    assert said == max((way for way in apart if any(way)), key=lambda way: apart[way])
    assert found.mixed.tolist() == [tuple(way) == said for way in found.said.T.tolist()]
    for most in range(1, 8):
        some, of_item = patterns_of(called, most)
        assert some.said.any(axis=0).sum() == most
        nobody = ~called.any(axis=0)
        assert np.array_equal(nobody, ~some.said[:, of_item].any(axis=0))


@pytest.mark.parametrize("value", [True, False])
def test_classifiers_that_all_say_the_same(value: bool) -> None:
    found, _ = patterns_of(np.full((3, 7), value), 4)
    assert found.sizes.tolist() == [7] and found.said.tolist() == [[value]] * 3
