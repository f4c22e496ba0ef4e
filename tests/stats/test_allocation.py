"""Whole numbers shared over strata."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.stats.allocation import largest_remainder, top_up

STRATA = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 10**6)), min_size=1, max_size=20
).filter(lambda rows: sum(row[0] for row in rows) > 1e-3)


@given(STRATA, st.integers(0, 10**7))
def test_sums_and_capacities_hold(rows: list[tuple[float, int]], total: int) -> None:
    shares = np.array([row[0] for row in rows])
    capacity = np.array([row[1] for row in rows], dtype=np.int64)
    given_out = largest_remainder(shares, total, capacity)
    assert given_out.dtype == np.int64
    assert given_out.sum() == min(total, capacity.sum())
    assert np.all(given_out >= 0) and np.all(given_out <= capacity)


@given(STRATA, st.integers(1, 10**6))
def test_within_one_of_proportional_when_there_is_room(
    rows: list[tuple[float, int]], total: int
) -> None:
    shares = np.array([row[0] for row in rows])
    room = np.full(len(rows), 10**9)
    exact = total * shares / shares.sum()
    assert np.all(np.abs(largest_remainder(shares, total, room) - exact) < 1 + 1e-3)


def test_largest_remainder_by_hand() -> None:
    """Quotas 2.9, 2.9, 1.2: floors 2, 2, 1, the two left go to the largest remainders."""
    shares = np.array([2.9, 2.9, 1.2])
    assert largest_remainder(shares, 7, np.array([9, 9, 9])).tolist() == [3, 3, 1]
    # a full stratum passes its share on in proportion: 6 left over 1 : 1
    assert largest_remainder(np.array([8.0, 1, 1]), 10, np.array([4, 9, 9])).tolist() == [4, 3, 3]
    # strata without any share take what fits nowhere else
    assert largest_remainder(np.array([1.0, 0]), 5, np.array([2, 9])).tolist() == [2, 3]


@given(
    st.lists(st.tuples(st.floats(0.001, 1), st.integers(1, 500)), min_size=1, max_size=15),
    st.lists(st.floats(0, 1), min_size=15, max_size=15),
    st.integers(1, 400),
)
def test_top_up(rows: list[tuple[float, int]], done: list[float], batch: int) -> None:
    target = np.array([row[0] for row in rows])
    target /= target.sum()
    capacity = np.array([row[1] for row in rows], dtype=np.int64)
    drawn = np.floor(capacity * done[: len(rows)]).astype(np.int64)
    added = top_up(target, drawn, batch, capacity)
    assert added.sum() == min(batch, (capacity - drawn).sum())
    assert np.all(added >= 0) and np.all(drawn + added <= capacity)
    # a stratum beyond its share gets nothing while another one is short of its own
    wanted = target * (drawn.sum() + batch)
    short = np.clip(wanted - drawn, 0, capacity - drawn)
    if short.sum() >= batch:
        assert np.all(added[drawn >= wanted + 1] == 0)


@pytest.mark.parametrize("batch", [1, 5, 17])
def test_topping_up_again_and_again_reaches_the_target(batch: int) -> None:
    target, drawn = np.array([0.5, 0.3, 0.15, 0.05]), np.array([30, 2, 2, 2])
    room = np.full(4, 10_000)
    while drawn.sum() < 1000:
        drawn = drawn + top_up(target, drawn, batch, room)
    assert np.all(np.abs(drawn - target * drawn.sum()) <= 2)


def test_shares_out_as_many_as_fit_of_many_items() -> None:
    """Rounding leaves something over that no stratum has room for: it must not be looked for."""
    random = np.random.default_rng(0)
    for _ in range(40):
        ends = np.sort(np.append([0, 10**8], random.integers(0, 10**8, 20)))
        capacity = np.diff(ends)
        found = largest_remainder(random.random(21), 10**8, capacity)
        assert found.tolist() == capacity.tolist()
