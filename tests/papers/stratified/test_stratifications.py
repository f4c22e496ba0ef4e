"""Cuts of a score into strata, each against its own definition."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from labelcore.papers.stratified.stratifications import STRATIFICATIONS, best_clusters, stratify
from labelcore.stats import histogram as bins
from labelcore.stats.orders import KeysOf, hash_keys

NAMES = sorted(STRATIFICATIONS)
CUTS = [name for name in NAMES if name not in ("eqsz", "gmm")]


def keys(n: int, seed: int = 1) -> KeysOf:
    return hash_keys(seed, "tie", [f"i{i}" for i in range(n)]).__getitem__


def crowded(n: int, seed: int = 3) -> np.ndarray:
    """Probabilities of the predicted class of an accurate classifier: most close to 1."""
    return 1 - 0.5 * np.random.default_rng(seed).beta(0.3, 2, n)


@pytest.mark.whole
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_strata", [1, 2, 6, 10, 50])
def test_every_item_is_in_one_stratum_and_none_is_empty(name: str, n_strata: int) -> None:
    z = crowded(4000)
    found = stratify(name, z, n_strata, keys(4000))
    sizes = np.bincount(found)
    assert len(sizes) <= n_strata and sizes.min() > 0
    if name in CUTS:
        order = np.argsort(z)
        assert np.all(np.diff(found[order]) >= 0), "strata rise with z"


@pytest.mark.parametrize("name", NAMES)
def test_few_values_and_one_value(name: str) -> None:
    """Ties stay together everywhere but in EQSZ; a constant z is one stratum but there."""
    z = np.repeat([0.5, 0.7, 0.9, 1.0], [10, 20, 30, 40])
    found = stratify(name, z, 4, keys(100))
    if name != "eqsz":
        for value in (0.5, 0.7, 0.9, 1.0):
            assert len(set(found[z == value])) == 1
    same = stratify(name, np.full(60, 0.8), 3, keys(60))
    assert np.bincount(same).tolist() == ([20, 20, 20] if name == "eqsz" else [60])


@pytest.mark.parametrize("name", NAMES)
def test_scale_and_shift_do_not_matter(name: str) -> None:
    """But for WTMN, which is about sums of z."""
    z = crowded(2000)
    one = stratify(name, z, 5, keys(2000))
    other = stratify(name, 100 * z - (0 if name == "wtmn" else 40), 5, keys(2000))
    assert np.mean(one != other) < 0.002


def test_equal_width() -> None:
    z = np.array([0.5, 0.61, 0.7, 0.74, 1.0])
    assert stratify("eqwd", z, 5, keys(5)).tolist() == [0, 1, 1, 2, 3]


def test_equal_size_splits_ties_by_their_keys_only() -> None:
    z = np.repeat([0.5, 1.0], [100, 900])
    found = [stratify("eqsz", z, 4, keys(1000, seed)) for seed in (1, 1, 2)]
    assert np.bincount(found[0]).tolist() == [250] * 4
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])
    assert set(found[0][z == 0.5]) == {0}, "the least sure items are in the first stratum"
    backwards = stratify("eqsz", z[::-1], 4, lambda items: keys(1000)(999 - items))[::-1]
    assert np.array_equal(backwards, found[0]), "the order of the file does not matter"


def test_weighted_mean_makes_equal_sums() -> None:
    z = crowded(5000)
    sums = np.bincount(stratify("wtmn", z, 8, keys(5000)), z)
    assert np.ptp(sums) <= 2 * z.max()
    margins = np.abs(np.random.default_rng(1).normal(size=5000))
    sums = np.bincount(stratify("wtmn", margins, 8, keys(5000)), margins)
    assert np.ptp(sums) <= 2 * margins.max()


@pytest.mark.parametrize(("name", "power"), [("sqrt", 1 / 2), ("cbrt", 1 / 3)])
def test_equal_parts_of_a_power_of_a_known_density(name: str, power: float) -> None:
    """Density 2 z on [0, 1]: its power integrates to z^(1 + power), so the cuts of five strata lie
    at (k/5)^(1 / (1 + power)); 40,000 values at the quantiles."""
    z = np.sqrt((np.arange(40_000) + 0.5) / 40_000)
    found = stratify(name, z, 5, keys(40_000))
    cuts = [z[found >= k].min() for k in range(1, 5)]
    expected = (np.arange(1, 5) / 5) ** (1 / (1 + power))
    np.testing.assert_allclose(cuts, expected, atol=0.004)
    other = (np.arange(1, 5) / 5) ** (1 / (1 + 1))
    assert np.abs(cuts - other).max() > 0.03, "the density itself would be told apart"


def test_crowded_scores_keep_several_strata_in_the_crowd() -> None:
    """99 % of the items within a thousandth of the range, which is sqrt(.99 x .001) = .0315 of
    .0315 + sqrt(.01 x .999) = .1314: 24 % of the integral, so two of nine cuts. 256 bins of equal
    width would be one there."""
    rng = np.random.default_rng(5)
    z = np.concatenate([1 - 1e-3 * rng.random(99_000), 0.999 * rng.random(1000)])
    found = stratify("sqrt", z, 10, keys(100_000))
    assert len(set(found[:99_000])) == 3 and (np.bincount(found[:99_000])[-2:] > 40_000).all()


@pytest.mark.parametrize("seed", range(5))
def test_best_clusters_against_all_cuts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = np.sort(rng.random(9)), rng.integers(1, 9, 9).astype(float)

    def cost(ends: tuple[int, ...]) -> float:
        parts = np.split(np.arange(9), np.array(ends))
        return sum(float(w[p] @ (x[p] - np.average(x[p], weights=w[p])) ** 2) for p in parts)

    best = min(combinations(range(1, 9), 3), key=cost)
    assert best_clusters(x, w, 4).tolist() == [*(np.array(best) - 1), 8]
    assert best_clusters(x[:2], w[:2], 4).tolist() == [0, 1]


def test_k_means_is_no_worse_than_many_starts_of_lloyd() -> None:
    z = crowded(3000)
    found = stratify("km", z, 6, keys(3000))
    inertia = sum(((z[found == k] - z[found == k].mean()) ** 2).sum() for k in range(6))
    lloyd = KMeans(6, n_init=10, random_state=0).fit(z[:, None]).inertia_
    assert inertia < 1.005 * lloyd, "256 bins cost less than half a per cent"
    even = stratify("km", np.linspace(0, 1, 1001), 2, keys(1001))
    assert np.bincount(even).tolist() == [500, 501], "cut between the bins 128 and 129"


def test_mixture_components_may_interleave() -> None:
    """A narrow component inside a wide one: the wide one's items lie on both sides of it, and the
    assignment agrees with an independent fit on all items."""
    rng = np.random.default_rng(2)
    z = np.concatenate([rng.normal(0, 1, 4000), rng.normal(1.5, 0.05, 4000)])
    found = stratify("gmm", z, 2, keys(8000))
    narrow = found[8000 - 1]
    assert z[found != narrow].min() < z[found == narrow].min()
    assert z[found != narrow].max() > z[found == narrow].max()
    whole = GaussianMixture(2, random_state=1, n_init=3).fit(z[:, None])
    other = np.argsort(np.argsort(whole.means_[:, 0]))[whole.predict(z[:, None])]
    assert np.mean(found == other) > 0.99


@pytest.mark.parametrize("name", NAMES)
def test_many_items_are_cut_from_a_sample_of_quantiles(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The road of over a million items, taken by 30,000: nearly the same strata."""
    z = crowded(30_000)
    exact = stratify(name, z, 6, keys(30_000))
    monkeypatch.setattr(bins, "EXACT_UP_TO", 1000)
    monkeypatch.setattr(bins, "SAMPLE", 10_000)
    assert np.mean(stratify(name, z, 6, keys(30_000)) != exact) < 0.02


def test_binned_counts_and_means_are_those_of_all_items(monkeypatch: pytest.MonkeyPatch) -> None:
    z = np.round(crowded(20_000), 3)
    monkeypatch.setattr(bins, "EXACT_UP_TO", 1000)
    found = bins.histogram(z)
    assert found.counts.sum() == 20_000
    assert found.counts @ found.means == pytest.approx(z.sum())
    place = np.searchsorted(found.edges[1:-1], z, side="left")
    assert np.array_equal(np.bincount(place), found.counts)
