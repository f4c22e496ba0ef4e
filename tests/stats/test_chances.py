"""Reference values are those of ``scipy.stats``."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from labelcore.stats.chances import at_least, binomial


@pytest.mark.whole
@pytest.mark.parametrize("trials", [1, 7, 300, 5_000])
@pytest.mark.parametrize("share", [0.0, 1e-6, 0.03, 0.5, 0.999, 1.0])
def test_binomial_is_that_of_scipy(trials: int, share: float) -> None:
    expected = binom.pmf(np.arange(trials + 1), trials, share)
    np.testing.assert_allclose(binomial(trials, share), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("size", "trials"), [(2, 1), (20, 18), (110, 70), (1_000, 50)])
def test_at_least_is_that_of_scipy_for_every_file(size: int, trials: int) -> None:
    for positives in range(0, size + 1, max(1, size // 100)):
        hits = range(0, trials + 2)
        found = [at_least(one, positives, size, trials) for one in hits]
        expected = hypergeom.sf(np.array(hits) - 1, size, positives, trials)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [5_000, 100_000, 5_000_000])
@pytest.mark.parametrize("trials", [300, 1_200])
@pytest.mark.parametrize("share", [0.0005, 0.03])
def test_at_least_is_exact_in_large_files(size: int, trials: int, share: float) -> None:
    """By whole numbers: ``scipy.stats.hypergeom`` itself is 8e-11 off in the largest file."""
    positives, mean = round(size * share), trials * share
    for hits in {0, 1, 3, round(mean), round(mean + 3 * mean**0.5)}:
        fewer = sum(comb(positives, k) * comb(size - positives, trials - k) for k in range(hits))
        expected = float(1 - Fraction(fewer, comb(size, trials)))
        found = at_least(hits, positives, size, trials)
        assert found == pytest.approx(expected, rel=0, abs=1e-12)
