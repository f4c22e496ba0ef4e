"""Exact bins over a grid that is refined where values crowd, against all values one by one."""

import numpy as np
import pytest

from labelcore.stats import histogram as subject
from labelcore.stats.histogram import FINE_BINS, UNIT, binned, fine_bins, histogram, histogram_of


def test_sums_are_exact_in_every_order_and_at_every_size() -> None:
    """Also where a unit is more than 62 bits; floats added up would differ by the order."""
    rng = np.random.default_rng(1)
    for scale in (1.0, 1e5, 1e9, 1e30):
        values = rng.normal(0, scale, 1_000)
        edges = np.array([-scale, 0.0, scale / 2])
        found = binned(np.split(np.sort(values), [10, 10, 700]), edges)
        other = binned([values[::-1]], edges)
        cells = np.searchsorted(edges, values, side="right")
        for cell in range(4):
            there = values[cells == cell]
            total = sum(int(one) for one in np.rint(there * UNIT))
            assert found.sums[cell] == other.sums[cell] == total
            assert (found.lowest[cell], found.highest[cell]) == (there.min(), there.max())
    assert np.float64(sum(values)) != np.float64(sum(values[::-1])), "a sum of floats would"


@pytest.mark.parametrize(
    "kind", ["smooth", "crowded at one", "two decimals", "a third in the middle", "one value"]
)
def test_no_bin_with_more_than_one_value_holds_many(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred bins in place of 8,192, on 20,000 values, in a few passes."""
    rng = np.random.default_rng(2)
    values = {
        "smooth": rng.normal(0, 3, 20_000),
        "crowded at one": 1 - 1e-9 * rng.random(20_000) ** 4,
        "two decimals": np.round(rng.beta(0.3, 2, 20_000), 2),
        "a third in the middle": np.where(rng.random(20_000) < 1 / 3, 0.3, rng.random(20_000)),
        "one value": np.full(20_000, 0.7),
    }[kind]
    monkeypatch.setattr(subject, "FINE_BINS", 100)
    asked = []

    def ask(edges: np.ndarray) -> subject.Bins:
        asked.append(len(edges))
        return binned([values], edges)

    edges, found = fine_bins(ask)
    crowded = found.counts > len(values) / 100
    assert (found.lowest[crowded] == found.highest[crowded]).all()
    assert len(asked) <= 9 and max(asked) < 1_000
    assert found.counts.sum() == len(values) and len(found.counts) == len(edges) + 1
    made = histogram_of(found)
    assert made.counts.sum() == len(values)
    assert made.counts @ made.means == pytest.approx(values.sum(), abs=1e-7)
    assert (made.low, made.high) == (values.min(), values.max())
    place = np.searchsorted(made.edges[1:-1], values, side="left")
    assert np.array_equal(np.bincount(place, minlength=len(made.counts)), made.counts)


def test_many_values_have_exact_counts_and_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred bins between the quantiles of every tenth of 20,000 values."""
    monkeypatch.setattr(subject, "EXACT_UP_TO", 10_000)
    monkeypatch.setattr(subject, "SAMPLE", 1_999)
    monkeypatch.setattr(subject, "FINE_BINS", 100)
    values = np.random.default_rng(4).normal(0, 3, 20_000)
    found = histogram(values)
    place = np.searchsorted(found.edges[1:-1], values, side="left")
    assert np.array_equal(np.bincount(place), found.counts) and 90 < len(found.counts) <= 100
    assert found.counts.max() < 3 * 200
    assert found.counts * found.means == pytest.approx(np.bincount(place, values))
    assert (found.low, found.high) == (values.min(), values.max())


def test_few_values_have_the_bins_of_a_small_file() -> None:
    values = np.round(np.random.default_rng(3).beta(0.3, 2, 5_000), 2)
    exact, found = histogram(values), histogram_of(fine_bins(lambda e: binned([values], e))[1])
    for name in ("edges", "counts", "means", "low", "high"):
        assert np.array_equal(getattr(exact, name), getattr(found, name)), name
    assert len(found.counts) < FINE_BINS
