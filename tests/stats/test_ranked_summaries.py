"""Average precision and the area under the ROC curve from strata: value, interval, coverage."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import t as student

from labelcore.stats import ranked_summaries
from labelcore.stats.curve_readings import Yields, area_under_roc, average_precision
from labelcore.stats.rank_strata import rank_allocation, rank_edges
from labelcore.stats.ranked_summaries import (
    AREA_UNDER_ROC,
    AVERAGE_PRECISION,
    RankedSample,
    Summary,
    estimate,
    pieces,
    summary_interval,
)
from tests.cases import repeated, searched

BOTH = pytest.mark.parametrize(
    "summary", [AVERAGE_PRECISION, AREA_UNDER_ROC], ids=["precision", "area"]
)
FORMULAS = {AVERAGE_PRECISION: average_precision, AREA_UNDER_ROC: area_under_roc}


def sample_of(truth: np.ndarray, edges: np.ndarray, rank: np.ndarray) -> RankedSample:
    """The labels of ``rank`` in strata that end at ``edges``."""
    sizes = np.diff(edges, prepend=0)
    return RankedSample(
        len(truth), sizes, edges - (sizes - 1) / 2, rank, np.searchsorted(edges, rank),
        truth[rank - 1],
    )  # fmt: skip


def drawn(truth: np.ndarray, edges: np.ndarray, counts: np.ndarray, seed: object) -> RankedSample:
    """A simple random sample of each stratum."""
    rng = np.random.default_rng(seed)  # type: ignore[call-overload]
    starts = np.append(0, edges[:-1])
    rank = [
        start + 1 + rng.permutation(end - start)[:n]
        for start, end, n in zip(starts, edges, counts, strict=True)
    ]
    return sample_of(truth, edges, np.concatenate(rank))


def falling(n_items: int, first: float, last: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random(n_items) < np.linspace(first, last, n_items)).astype(float)


def of_list(truth: np.ndarray, summary: Summary) -> float:
    """The number of a list whose items are all known, by another module."""
    hits = np.cumsum(truth)
    ranks = np.arange(1, len(truth) + 1)
    return FORMULAS[summary](Yields(len(truth), ranks, hits, hits, hits))[0]


# The figure of weighted items, one after another, and the region, written out a second time.


def by_hand(
    summary: Summary, rows: list[tuple[float, float]], weights: np.ndarray, n: int
) -> float:
    """``rows`` hold rank and 0 or 1."""
    order = np.argsort([rank for rank, _ in rows], kind="stable")
    total = sum(weights[i] * rows[i][1] for i in order)
    before = precise = wrong = 0.0
    for i in order:
        rank, hit = rows[i]
        weight = weights[i] * hit
        precise += weight * min((0.5 + before + weight / 2) / rank, 1)
        wrong += weight * max(rank - 0.5 - before - weight / 2, 0)
        before += weight
    return precise / total if summary is AVERAGE_PRECISION else 1 - wrong / (total * (n - total))


def optimised(sample: RankedSample, summary: Summary, side: float, critical: float) -> float:
    """The end of the region by a general optimiser over the logarithms of all masses."""
    n, sizes = sample.labelled, sample.sizes
    opened = np.flatnonzero(n < sizes)
    labels = [(float(r), float(y)) for r, y in zip(sample.rank, sample.positive, strict=True)]
    start = np.array([sizes[h] / n[h] for h in sample.stratum])
    middle = by_hand(summary, labels, start, sample.n_items)
    rows, of, count = list(labels), list(sample.stratum), [1.0] * len(labels)
    for h in opened:
        place = float(sample.middles[h])
        more = by_hand(summary, [*labels, (place, 1.0)], np.append(start, 1e-6), sample.n_items)
        rows.append((place, float(side * (more - middle) > 0)))
        of.append(h)
        count.append(n[h] / (4 * n[opened].sum()))
    c, stratum = np.array(count), np.array(of)
    certain = (np.arange(len(c)) < len(labels)).astype(float)

    member = (stratum[:, None] == np.arange(len(n))).astype(float)
    log_total = np.log(c / (c @ member)[stratum])
    rest = (1 - n / sizes)[stratum] * c
    places = np.array([rank for rank, _ in rows])
    order = np.argsort(places, kind="stable")
    above, hit = places[order], np.array([hit for _, hit in rows])[order]

    def mixture(x: np.ndarray) -> np.ndarray:
        parts = c * np.exp(x)
        return parts / (parts @ member)[..., stratum]

    def statistic(x: np.ndarray) -> np.ndarray:
        return 2 * (rest * (log_total - np.log(mixture(x)))).sum(axis=-1)

    def lost(x: np.ndarray) -> np.ndarray:
        """``by_hand`` of many points at once, (..., n_masses)."""
        weights = (certain + (sizes - n)[stratum] * mixture(x))[..., order] * hit
        before, total = weights.cumsum(axis=-1) - weights / 2, weights.sum(axis=-1)
        if summary is AVERAGE_PRECISION:
            found = (weights * np.minimum((0.5 + before) / above, 1)).sum(axis=-1) / total
        else:
            wrong = (weights * np.maximum(above - 0.5 - before, 0)).sum(axis=-1)
            found = 1 - wrong / (total * (sample.n_items - total))
        return -side * found

    def slope(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
        step = 1.5e-8 * np.eye(len(x))
        return (function(x + step) - function(x)) / 1.5e-8

    inside = {
        "type": "ineq",
        "fun": lambda x: critical - statistic(x),
        "jac": lambda x: -slope(statistic, x),
    }
    first = np.linspace(-1, 1, len(c))
    weights = certain + (sizes - n)[stratum] * mixture(first)
    assert -side * lost(first) == pytest.approx(by_hand(summary, rows, weights, sample.n_items))
    rng, best = np.random.default_rng(5), -np.inf
    for spread in (0.3, 1.0, 2.0):
        found = minimize(
            lost, rng.normal(0, spread, len(c)), jac=lambda x: slope(lost, x), method="SLSQP",
            constraints=[inside], options={"maxiter": 1000, "ftol": 1e-13},
        )  # fmt: skip
        if statistic(found.x) <= critical * (1 + 1e-5):
            best = max(best, -found.fun)
    return float(np.clip(side * best, 0.0, 1.0))


def critical_of(sample: RankedSample, summary: Summary) -> float:
    return float(student.ppf(0.975, ranked_summaries._freedom(sample, summary)) ** 2)


@BOTH
@pytest.mark.parametrize("case", range(3))
def test_ends_are_those_of_a_general_optimiser(
    summary: Summary, case: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three starts of SLSQP over every mass, phantoms and region written out once more; with its
    usual number of rounds the search comes within .0005. In this list no weights crowd so that a
    precision of 1 is reached, where the derivative jumps."""
    truth = falling(80, 0.65, 0.3, case)
    sample = drawn(truth, np.array([10, 30, 80]), np.array([10, 8, 10]), case)
    critical = critical_of(sample, summary)
    usual = summary_interval(sample, summary, 0.95)
    monkeypatch.setattr(ranked_summaries, "ROUNDS", 80)
    monkeypatch.setattr(ranked_summaries, "ENOUGH", 1e-9)
    monkeypatch.setattr(ranked_summaries, "SEARCH_PRECISION", 1e-9)
    value, low, high = summary_interval(sample, summary, 0.95)
    assert low == pytest.approx(min(value, optimised(sample, summary, -1.0, critical)), abs=2e-6)
    assert high == pytest.approx(max(value, optimised(sample, summary, 1.0, critical)), abs=2e-6)
    assert usual[1:] == pytest.approx((low, high), abs=5e-4)


@BOTH
@pytest.mark.parametrize("case", [0, 1])
def test_ends_where_weights_crowd(summary: Summary, case: int) -> None:
    """As above, in a list that begins with nothing but hits: where the derivative jumps the search
    may stay up to .005 inside."""
    truth = falling(60, 1.4, 0.1, case)
    sample = drawn(truth, np.array([6, 20, 60]), np.array([6, 5, 8]), case)
    critical = critical_of(sample, summary)
    value, low, high = summary_interval(sample, summary, 0.95)
    assert low == pytest.approx(min(value, optimised(sample, summary, -1.0, critical)), abs=5e-3)
    assert high == pytest.approx(max(value, optimised(sample, summary, 1.0, critical)), abs=5e-3)


@BOTH
def test_degrees_of_freedom_by_differences(summary: Summary) -> None:
    """Satterthwaite's formula with a slope from finite differences of the figure."""
    truth = falling(400, 0.8, 0.2, 4)
    edges, counts = np.array([50, 150, 400]), np.array([30, 12, 25])
    sample = drawn(truth, edges, counts, 4)
    n, sizes = sample.labelled, sample.sizes
    smooth = (sample.hits + 0.5) / (n + 1)
    rows = [(float(rank), 1.0) for rank in sample.rank]
    weights = (sizes * smooth / n)[sample.stratum]
    step = 1e-5

    def slope(item: int) -> float:
        ends = [weights.copy(), weights.copy()]
        ends[0][item] -= step
        ends[1][item] += step
        low, high = (by_hand(summary, rows, part, 400) for part in ends)
        return (high - low) / (2 * step)

    mean = np.bincount(sample.stratum, [slope(i) for i in range(len(rows))]) / n
    parts = mean**2 * sizes**2 * smooth * (1 - smooth) / n * (1 - n / sizes)
    expected = parts.sum() ** 2 / (parts**2 / (n - 1)).sum()
    assert ranked_summaries._freedom(sample, summary) == pytest.approx(expected, rel=1e-5)
    assert expected > 4


@BOTH
def test_a_list_with_every_item_labelled_is_known(summary: Summary) -> None:
    truth = falling(40, 0.9, 0.2, 3)
    edges = np.array([10, 25, 40])
    sample = drawn(truth, edges, np.array([10, 15, 15]), 1)
    real = of_list(truth, summary)
    assert summary_interval(sample, summary, 0.95) == pytest.approx((real,) * 3, abs=1e-12)


SUMS: dict[str, Callable[..., float]] = {
    "hits before": lambda weight, rank, hits, others, n: float((weight * hits / rank).sum()) / 100,
    "others before": lambda weight, rank, hits, others, n: float((weight * others).sum()) / 1_000,
    "hits": lambda weight, rank, hits, others, n: float(weight.sum()) / 100,
}


@pytest.mark.parametrize("name", SUMS)
def test_the_sums_behind_the_value_are_unbiased(name: str) -> None:
    """Over all samples of 2 of 5 and 3 of 4 items, strata whose ranks lie between each other."""
    truth = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1.0])
    strata = np.array([0, 1, 0, 0, 1, 1, 0, 1, 0])
    summary = Summary(AVERAGE_PRECISION.of, AVERAGE_PRECISION.gradient, SUMS[name])

    def of(ranks: tuple[int, ...]) -> float:
        rank = np.array(ranks)
        sizes, middles = np.array([5, 4]), np.array([4.0, 5.5])
        return estimate(
            RankedSample(9, sizes, middles, rank, strata[rank - 1], truth[rank - 1]), summary
        )

    first, second = np.flatnonzero(strata == 0) + 1, np.flatnonzero(strata == 1) + 1
    samples = [
        (*a, *b)
        for a in itertools.combinations(first.tolist(), 2)
        for b in itertools.combinations(second.tolist(), 3)
    ]
    whole = of(tuple(range(1, 10)))
    assert np.mean([of(one) for one in samples]) == pytest.approx(whole, abs=1e-12)
    assert 0 < whole < 0.5, "no sum is cut at 1"


@BOTH
def test_labels_in_any_order(summary: Summary) -> None:
    truth = falling(500, 0.8, 0.05, 2)
    sample = drawn(truth, rank_edges(500), rank_allocation(rank_edges(500), 200), 3)
    turned = RankedSample(
        500, sample.sizes, sample.middles, sample.rank[::-1], sample.stratum[::-1],
        sample.positive[::-1],
    )  # fmt: skip
    expected = summary_interval(sample, summary, 0.95)
    assert summary_interval(turned, summary, 0.95) == pytest.approx(expected, abs=1e-9)


@BOTH
def test_items_known_from_the_start_are_certain(summary: Summary) -> None:
    """As if they were a stratum of their own with every item labelled."""
    truth = falling(300, 0.8, 0.1, 8)
    edges = np.array([40, 120, 300])
    sample = drawn(truth, edges, np.array([40, 20, 30]), 6)
    known = RankedSample(
        300, np.array([80, 180]), sample.middles[1:], sample.rank, sample.stratum - 1,
        sample.positive,
    )  # fmt: skip
    expected = summary_interval(sample, summary, 0.95)
    assert summary_interval(known, summary, 0.95) == pytest.approx(expected, abs=1e-9)


@BOTH
def test_a_wider_boundary_is_wider(summary: Summary) -> None:
    truth = falling(800, 0.9, 0.02, 9)
    sample = drawn(truth, rank_edges(800), rank_allocation(rank_edges(800), 150), 2)
    value, low, high = summary_interval(sample, summary, 0.95)
    again, lower, higher = summary_interval(sample, summary, 0.95, widening=2.0)
    assert again == value and lower < low < value < high < higher
    narrow = summary_interval(sample, summary, 0.5)
    assert low < narrow[1] < value < narrow[2] < high


@BOTH
def test_nothing_is_known_without_hits_or_of_a_stratum_without_labels(summary: Summary) -> None:
    edges = np.array([10, 30])
    none = drawn(np.zeros(30), edges, np.array([10, 5]), 1)
    assert summary_interval(none, summary, 0.95) == pytest.approx((np.nan, 0, 1), nan_ok=True)
    truth = falling(30, 0.9, 0.2, 5)
    half = sample_of(truth, edges, np.arange(1, 9))
    assert summary_interval(half, summary, 0.95) == pytest.approx((np.nan, 0, 1), nan_ok=True)


def test_nothing_but_hits() -> None:
    """Average precision is 1 as far as seen; of pairs with an other item nothing is known."""
    sample = drawn(np.ones(60), np.array([20, 60]), np.array([15, 10]), 1)
    value, low, high = summary_interval(sample, AVERAGE_PRECISION, 0.95)
    assert value == high == 1 and 0.5 < low < 1
    assert np.isnan(summary_interval(sample, AREA_UNDER_ROC, 0.95)[0])


@searched(80)
@given(st.integers(0, 10**6), st.integers(1, 400), st.floats(0.02, 1))
def test_pieces_part_strata_by_the_number_of_labels(seed: int, n_items: int, share: float) -> None:
    """Each lies in one stratum, whole ranks between edges, with eight labels or all of it."""
    rng = np.random.default_rng(seed)
    stratum = rng.integers(-1, 3, n_items)
    rank = np.flatnonzero(rng.random(n_items) < share) + 1
    edges = rank_edges(n_items, 5, 1.5)
    found = pieces(stratum, rank, edges)
    np.testing.assert_array_equal(found == -1, stratum == -1)
    place = np.searchsorted(edges, np.arange(1, n_items + 1))
    used = np.unique(found[found >= 0])
    assert used.tolist() == list(range(len(used)))
    for piece in used:
        inside = np.flatnonzero(found == piece)
        of = stratum[inside[0]]
        assert (stratum[inside] == of).all()
        whole = (stratum == of) & np.isin(place, np.unique(place[inside]))
        assert (found[whole] == piece).all(), "no part of a stretch is left to another piece"
        labels = np.isin(rank, inside + 1).sum()
        assert labels >= 8 or (found[stratum == of] == piece).all()


def test_pieces_of_a_plain_sample_know_its_ranks() -> None:
    """600 of 4,000 items at random: in one stratum the masses may crowd at ranks that cannot hold
    them, so that average precision could be anything up to 1; in pieces it is known."""
    truth = falling(4_000, 0.9, 0.05, 3)
    rank = np.random.default_rng(1).permutation(4_000)[:600] + 1
    plain = np.zeros(4_000, dtype=np.int64)
    cut = pieces(plain, rank, rank_edges(4_000))
    ends = [
        summary_interval(RankedSample.of(one, rank, truth[rank - 1]), AVERAGE_PRECISION, 0.95)[1:]
        for one in (plain, cut)
    ]
    (low, high), (lower, higher) = ends
    assert low < lower < of_list(truth, AVERAGE_PRECISION) < higher < high <= 1
    assert higher - lower < 0.6 * (high - low)


SMALL = st.tuples(st.integers(0, 10**6), st.integers(2, 60), st.floats(0.02, 0.98))


@BOTH
@searched(60)
@given(case=SMALL)
def test_an_interval_lies_within_0_and_1_and_holds_its_value(
    summary: Summary, case: tuple[int, int, float]
) -> None:
    """Strata of any size with one label or more, their ranks in any order."""
    seed, n_items, rate = case
    rng = np.random.default_rng(seed)
    truth = (rng.random(n_items) < rate).astype(float)
    stratum = rng.integers(0, 3, n_items)
    sizes = np.bincount(stratum, minlength=3)
    rank = np.concatenate(
        [
            rng.permutation(np.flatnonzero(stratum == h) + 1)[: rng.integers(1, sizes[h] + 1)]
            for h in range(3)
            if sizes[h]
        ]
    ).astype(np.int64)
    middles = np.array([np.median(np.flatnonzero(stratum == h) + 1) if sizes[h] else 1.0
                        for h in range(3)])  # fmt: skip
    sample = RankedSample(n_items, sizes, middles, rank, stratum[rank - 1], truth[rank - 1])
    value, low, high = summary_interval(sample, summary, 0.95)
    assert 0 <= low <= high <= 1
    assert np.isnan(value) or low <= value <= high


def test_bad_input_is_named() -> None:
    one = np.array([1])
    with pytest.raises(ValueError, match="rank must lie between 1 and 4, got 5"):
        RankedSample(4, np.array([4]), np.array([2.5]), np.array([5]), one * 0, one * 1.0)
    with pytest.raises(ValueError, match=r"positive must be 0 or 1, got 0\.5 at rank 1"):
        RankedSample(4, np.array([4]), np.array([2.5]), one, one * 0, one * 0.5)
    with pytest.raises(ValueError, match="stratum 0 has 1 items, got 2 labelled ones"):
        RankedSample(4, one, one * 1.0, np.array([1, 2]), np.zeros(2, dtype=int), np.ones(2))


COVERAGE_RUNS = repeated(150)


def rare_tail() -> np.ndarray:
    """Nearly all hits at the head, a few far down: at most samples see one or none of them."""
    rng = np.random.default_rng(7)
    depth = np.arange(4_000) / 4_000
    return (rng.random(4_000) < 0.9 * np.exp(-25 * depth) + 0.001).astype(float)


def misses(truth: np.ndarray, summary: Summary, *, one_stratum: bool = False) -> int:
    """Runs of 250 labels, half of them in proportion to the items, that miss the truth."""
    edges = rank_edges(len(truth), 50, 1.8)
    counts = rank_allocation(edges, 125) + 125 * np.diff(edges, prepend=0) // len(truth)
    counts = np.minimum(counts, np.diff(edges, prepend=0))
    real, wrong = of_list(truth, summary), 0
    for run in range(COVERAGE_RUNS):
        sample = drawn(truth, edges, counts, (17, run))
        if one_stratum:
            sample = sample_of(truth, np.array([len(truth)]), sample.rank)
        _, low, high = summary_interval(sample, summary, 0.95)
        wrong += not low - 1e-9 <= real <= high + 1e-9
    return wrong


LIMIT = COVERAGE_RUNS * 0.05 + 3 * np.sqrt(COVERAGE_RUNS * 0.05 * 0.95)


@pytest.mark.full
@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(
    "truth",
    [pytest.param(falling(4_000, 0.9, 0.05, 3), marks=pytest.mark.full), rare_tail()],
    ids=["slow", "rare"],
)
def test_coverage(truth: np.ndarray, summary: Summary) -> None:
    """At least 95 % less three binomial standard errors, 150 runs."""
    assert misses(truth, summary) <= LIMIT


@pytest.mark.full
@pytest.mark.slow
@BOTH
def test_coverage_of_a_plain_sample_in_pieces(summary: Summary) -> None:
    truth, wrong = rare_tail(), 0
    real = of_list(truth, summary)
    for run in range(COVERAGE_RUNS):
        rank = np.random.default_rng((18, run)).permutation(len(truth))[:300] + 1
        cut = pieces(np.zeros(len(truth), dtype=np.int64), rank, rank_edges(len(truth)))
        _, low, high = summary_interval(RankedSample.of(cut, rank, truth[rank - 1]), summary, 0.95)
        wrong += not low - 1e-9 <= real <= high + 1e-9
    assert wrong <= LIMIT


@pytest.mark.slow
def test_a_plain_sample_of_a_list_with_hardly_another_item_in_its_head() -> None:
    """Average precision, 60 runs of 300 labels: not covered by the region alone, because chance
    has more hits before an item than there is room for."""
    rng, runs = np.random.default_rng(5), 60
    truth = (rng.random(4_000) < np.where(np.arange(4_000) < 1_600, 0.985, 0.003)).astype(float)
    real, wrong = of_list(truth, AVERAGE_PRECISION), np.zeros(2)
    for run in range(runs):
        rank = np.random.default_rng((19, run)).permutation(len(truth))[:300] + 1
        cut = pieces(np.zeros(len(truth), dtype=np.int64), rank, rank_edges(len(truth)))
        sample = RankedSample.of(cut, rank, truth[rank - 1])
        for place, centred in enumerate((True, False)):
            found = summary_interval(sample, AVERAGE_PRECISION, 0.95, centred=centred)
            wrong[place] += not found[1] - 1e-9 <= real <= found[2] + 1e-9
    limit = runs * 0.05 + 3 * np.sqrt(runs * 0.05 * 0.95)
    assert wrong[0] <= limit < wrong[1]


@pytest.mark.slow
@BOTH
@pytest.mark.full
def test_without_strata_it_does_not_cover(summary: Summary) -> None:
    """The twin that takes all labels for one sample of the list."""
    assert misses(falling(4_000, 0.9, 0.05, 3), summary, one_stratum=True) > LIMIT


@pytest.mark.slow
def test_without_phantoms_it_does_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin in which no stratum has hits that no label has shown."""
    monkeypatch.setattr(ranked_summaries, "PHANTOM_LABELS", 0.0)
    assert misses(rare_tail(), AREA_UNDER_ROC) > LIMIT


def test_pieces_of_many_strata_in_sixteen_bits() -> None:
    """More strata times edges than sixteen bits count."""
    stratum_at = np.arange(60_000) // 60
    edges, rank = rank_edges(len(stratum_at)), np.arange(1, len(stratum_at), 7)
    found = pieces(stratum_at.astype(np.int16), rank, edges)
    assert (stratum_at.max() + 1) * len(edges) > np.iinfo(np.int16).max
    assert (found == pieces(stratum_at, rank, edges)).all() and (found >= 0).all()
