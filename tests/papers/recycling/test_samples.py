"""Recycled samples: proportions, levels, the exact distribution of savings, and broken twins."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

from labelcore.papers.recycling import savings as recycling_savings
from labelcore.papers.recycling.samples import (
    NEW,
    RECYCLED,
    REMAINDER,
    Recycled,
    agreement_levels,
    child_sample,
    level_share,
    recycle_all,
    suggest_parent,
)
from labelcore.papers.recycling.savings import Savings, mean_savings, savings
from labelcore.stats.proportion import share_interval
from tests.cases import searched

NOISE = 1e-4
"""The chance that a correct method fails one statistical test by bad luck."""

# A_P is 0 to 29, A_C is 20 to 44: PIR = 1/3, CIR = .4
PARENT, OVERLAP, REST = np.arange(30), np.arange(20, 30), np.arange(30, 45)
Child = Callable[[np.random.Generator, int, str], Recycled]


def within(parent_sample: np.ndarray) -> np.ndarray:
    """S+ of a parent's sample."""
    return parent_sample[np.isin(parent_sample, OVERLAP)]


def child(random: np.random.Generator, size: int, option: str) -> Recycled:
    return child_sample(within(random.choice(PARENT, 40)), OVERLAP, REST, size, option, random)


def unmixed(random: np.random.Generator, size: int, option: str) -> Recycled:
    """Broken: S+ before S-, and cut."""
    whole = child(random, 400, option)
    order = np.argsort(whole.origin, kind="stable")[:size]
    return Recycled(whole.items[order], whole.origin[order])


def without_new(random: np.random.Generator, size: int, option: str) -> Recycled:
    """Broken: S+ and a remainder, nothing from outside the parent's set."""
    plus = within(random.choice(PARENT, 40))[:size]
    rest = random.choice(np.concatenate([OVERLAP, REST]), size - len(plus))
    return Recycled(np.concatenate([plus, rest]), np.zeros(size, dtype=np.int8))


def elements_are_uniform(draw: Child, size: int, option: str) -> bool:
    """Lemmas 1 and 2: the first, middle and last element over 1500 samples, 25 items each."""
    random = np.random.default_rng((7, size, len(option)))
    places = [0, size // 2, size - 1]
    found = np.array([draw(random, size, option).items[places] for _ in range(1500)])
    counts = [np.bincount(column - 20, minlength=25) for column in found.T]
    return min(chisquare(one).pvalue for one in counts) > NOISE


@pytest.mark.parametrize("option", ["shuffle", "sample"])
@pytest.mark.parametrize("size", [15, 60])
def test_elements_are_uniform(size: int, option: str) -> None:
    assert elements_are_uniform(child, size, option)
    assert not elements_are_uniform(unmixed if size == 15 else without_new, size, option)


def test_new_items_are_proportional_on_average() -> None:
    """|S-| / |S+| = 1.5; with |S+| = 3 it is 4 or 5, and rounding down is seen."""
    random = np.random.default_rng(3)
    plus = np.array([20, 21, 21])
    number = np.array(
        [(child_sample(plus, OVERLAP, REST, 20, "shuffle", random).origin == NEW).sum()
         for _ in range(2000)]
    )  # fmt: skip
    assert set(number.tolist()) == {4, 5}

    def unbiased(found: np.ndarray) -> bool:
        return bool(abs(found.mean() - 4.5) < 4 * 0.5 / np.sqrt(2000))

    assert unbiased(number)
    assert not unbiased(np.full(2000, 4))


def test_origins() -> None:
    random = np.random.default_rng(1)
    plus = np.array([20, 20, 25])
    one = child_sample(plus, OVERLAP, REST, 30, "shuffle", random)
    assert one.saved == 3
    assert sorted(one.items[one.origin == RECYCLED].tolist()) == [20, 20, 25]
    assert np.isin(one.items[one.origin == NEW], REST).all()
    kinds = one.origin[: one.saved + (one.origin == NEW).sum()]
    assert REMAINDER not in kinds and (one.origin[len(kinds) :] == REMAINDER).all()
    assert len(one.items) == 30


@pytest.mark.parametrize("option", ["shuffle", "sample"])
def test_nothing_to_recycle(option: str) -> None:
    """Disjoint sets, or a sample of the parent that misses the child: a plain sample of A_C."""
    random = np.random.default_rng(1)
    nothing = np.zeros(0, dtype=np.int64)
    for overlap, parent in ((nothing, PARENT[:5]), (OVERLAP, np.array([0, 1, 1]))):
        plus = parent[np.isin(parent, overlap)]
        one = child_sample(plus, overlap, REST, 50, option, random)
        assert one.saved == 0
        assert set(one.origin.tolist()) == {REMAINDER}
        assert np.isin(one.items, np.concatenate([overlap, REST])).all()


def test_a_child_within_the_parent_needs_nothing_new() -> None:
    random = np.random.default_rng(1)
    one = child_sample(within(PARENT), OVERLAP, REST[:0], 10, "shuffle", random)
    assert one.saved == 10 and sorted(one.items.tolist()) == OVERLAP.tolist()


def test_huge_sets_take_no_memory() -> None:
    """|S-| would be 10^9 here: only what stays in the first n_C is drawn."""
    random = np.random.default_rng(1)
    rest = np.arange(1, 1_000_001)
    one = child_sample(np.zeros(1000, dtype=np.int64), rest[:1] - 1, rest, 500, "shuffle", random)
    assert len(one.items) == 500 and (one.origin == NEW).sum() >= 495


def test_levels_and_a_child_that_is_a_parent() -> None:
    """Under the root a child, under it a grandchild; every sample stays in its own set."""
    called = np.array([
        [1, 1, 1, 1, 0, 0, 0, 0],
        [1, 1, 0, 0, 1, 1, 0, 0],
        [1, 0, 1, 0, 1, 0, 1, 0],
    ], dtype=bool)  # fmt: skip
    levels = agreement_levels(called, (-1, 0, 1))
    assert levels[0].tolist() == [0, 0, 0, 0, -1, -1, -1, -1]
    assert levels[1].tolist() == [1, 1, -1, -1, 0, 0, -1, -1]
    assert levels[2].tolist() == [2, -1, 0, -1, 1, -1, 0, -1]
    random = np.random.default_rng(5)
    samples = recycle_all(called, (-1, 0, 1), np.arange(8), 60, "shuffle", random)
    for mine, sample in zip(called, samples, strict=True):
        assert mine[sample.items].all() and len(sample.items) == 60


def grandchild_is_unbiased(whole: bool) -> bool:
    """A precision that differs by level, 250 samples of 120 draws: the mean error within 4 standard
    errors. Broken: the elements of the child's sample alone, nothing new."""
    random = np.random.default_rng(11)
    called = np.zeros((3, 400), dtype=bool)
    called[0, :200], called[1, 190:230], called[2, 195:330] = True, True, True
    truth = np.zeros(400, dtype=bool)
    truth[195:230], truth[230:240] = True, True
    levels = agreement_levels(called, (-1, 0, 1))[2]
    sizes = np.bincount(levels[levels >= 0])
    errors = []
    for _ in range(250):
        samples = recycle_all(called, (-1, 0, 1), np.arange(400), 120, "shuffle", random)
        items = np.unique(samples[2].items)
        n = np.bincount(levels[items], minlength=3)
        s = np.bincount(levels[items], truth[items], minlength=3)
        value = level_share(sizes, n, s, 0.95)[0]
        if not whole:
            shared = samples[1].items[called[2][samples[1].items]]
            value = float(truth[shared].mean())
        errors.append(value - truth[called[2]].mean())
    kept = np.array(errors)[~np.isnan(errors)]
    return bool(abs(kept.mean()) < 4 * kept.std() / np.sqrt(len(kept)))


def test_grandchild_is_unbiased() -> None:
    assert grandchild_is_unbiased(whole=True)
    assert not grandchild_is_unbiased(whole=False)


def test_one_level_is_a_plain_share() -> None:
    for sizes, n, s in (([500], [60], [51]), ([500, 0], [60, 0], [51, 0])):
        value, low, high = level_share(sizes, n, s, 0.95)
        assert value == 0.85 and (low, high) == share_interval(51, 60, 500, 0.95)
    process = level_share([500], [60], [51], 0.95, target="process")
    assert process[1:] == share_interval(51, 60, np.inf, 0.95)


def test_levels_are_weighed_by_their_sizes() -> None:
    value, low, high = level_share([900, 100], [50, 50], [45, 10], 0.95)
    assert value == pytest.approx(0.9 * 0.9 + 0.1 * 0.2)
    assert low < value < high
    wider = level_share([900, 100], [50, 50], [45, 10], 0.95, inflation=2.0)
    assert wider[1] < low and high < wider[2]


def test_a_census_is_exact_and_no_label_says_nothing() -> None:
    assert level_share([40, 60], [40, 60], [10, 30], 0.95) == pytest.approx((0.4, 0.4, 0.4))
    value, low, high = level_share([40, 60], [0, 0], [0, 0], 0.95)
    assert np.isnan(value) and (low, high) == (0, 1)


@searched(40)
@given(
    st.lists(st.tuples(st.integers(1, 400), st.floats(0, 1), st.floats(0, 1)), min_size=1,
             max_size=3)
)  # fmt: skip
def test_interval_holds_its_value(levels: list[tuple[int, float, float]]) -> None:
    size = np.array([one[0] for one in levels])
    n = np.floor(size * [one[1] for one in levels])
    s = np.floor(n * [one[2] for one in levels])
    value, low, high = level_share(size, n, s, 0.9)
    assert 0 <= low <= high <= 1
    assert np.isnan(value) == (n.sum() == 0)
    assert np.isnan(value) or low <= value <= high


def simulated(option: str, n_child: int) -> np.ndarray:
    """Numbers of draws saved, 4000 times, n_P = 40, PIR = 1/3, CIR = .4."""
    random = np.random.default_rng((13, n_child, len(option)))
    return np.array([child(random, n_child, option).saved for _ in range(4000)])


def fits(found: np.ndarray, exact: Savings) -> bool:
    """Pearson's statistic over numbers that are expected at least five times."""
    expected = len(found) * exact.chance
    counts = np.bincount(found, minlength=len(expected))[: len(expected)]
    often = expected >= 5
    if counts[~often].sum() > 60:
        return False
    statistic = ((counts[often] - expected[often]) ** 2 / expected[often]).sum()
    return bool(statistic < chi2.isf(NOISE, often.sum() - 1))


@pytest.mark.parametrize("n_child", [60, 30])
def test_savings_are_exact(n_child: int) -> None:
    """S+ + S- is shorter than 60 and longer than 30 in most samples; part b as printed, which says
    that all of X is saved whatever the option, must fail with option sample."""
    exact = savings(40, n_child, 1 / 3, 0.4)
    assert fits(simulated("shuffle", n_child), exact)
    assert not fits(simulated("sample", n_child), exact)


def test_savings_need_the_random_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 3 elements of S+ 4.5 new ones are due; four always would save more."""
    whole = recycling_savings._pairs

    def rounded_down(n: int, pir: float, cir: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        available, _, chance = whole(n, pir, cir)
        return available, np.floor(available * (1 - cir) / cir).astype(int), chance

    exact = mean_savings(3, 5, 1.0, 0.4)
    assert exact == pytest.approx((3 * 5 / 7 + 3 * 5 / 8) / 2 / 5)
    monkeypatch.setattr(recycling_savings, "_pairs", rounded_down)
    assert mean_savings(3, 5, 1.0, 0.4) != pytest.approx(exact)


@searched(40)
@given(st.integers(1, 60), st.integers(1, 60), st.floats(0.01, 1), st.floats(0.01, 1))
def test_savings_properties(n_parent: int, n_child: int, pir: float, cir: float) -> None:
    one = savings(n_parent, n_child, pir, cir)
    assert one.chance.sum() == pytest.approx(1) and (one.chance >= 0).all()
    assert one.mean_share == pytest.approx(mean_savings(n_parent, n_child, pir, cir))
    assert one.quantile(0.025) <= one.quantile(0.975) <= min(n_child, n_parent * 60)


def test_savings_at_the_ends() -> None:
    assert savings(50, 50, 0.0, 0.0).chance[0] == 1
    assert savings(50, 50, 1.0, 1.0).chance[50] == 1
    assert mean_savings(50, 50, 0.0, 0.0) == 0


def test_suggested_parent() -> None:
    random = np.random.default_rng(2)
    names = ("a", "b", "c")
    called = {name: random.random(200) < 0.4 for name in names}
    votes = sum(one.astype(int) for one in called.values())
    with_vote = {**called, "vote": votes >= 2}
    assert suggest_parent(with_vote).parent == "vote" and suggest_parent(with_vote).majority_vote
    near = {**called, "vote": (votes >= 2) ^ (np.arange(200) == 7)}
    assert suggest_parent(near).parent == "vote" and not suggest_parent(near).majority_vote
    nested = {"s": np.arange(20) < 4, "m": np.arange(20) < 8, "l": np.arange(20) < 16}
    found = suggest_parent(nested)
    assert (found.parent, found.majority_vote) == ("m", False)
    assert found.shared == pytest.approx({"s": 0.375, "m": 0.5, "l": 0.375})
