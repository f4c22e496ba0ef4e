"""Outlines are closed and keep to the points asked for."""

from __future__ import annotations

import numpy as np

from labelcore.charts.band import band_outline, gaps, runs

X = np.array([1.0, 2, 3, 4, 5])
LOW, HIGH = X / 10, X / 5


def test_one_stretch_goes_along_low_and_back_along_high_to_its_start() -> None:
    keep = np.array([False, True, True, True, False])
    assert band_outline((X, LOW), (X, HIGH), keep) == (
        [2, 3, 4, 4, 3, 2, 2],
        [0.2, 0.3, 0.4, 0.8, 0.6, 0.4, 0.2],
    )


def test_stretches_are_apart() -> None:
    xs, ys = band_outline((X, LOW), (X, HIGH), np.array([True, True, False, True, True]))
    assert xs == [1, 2, 2, 1, 1, None, 4, 5, 5, 4, 4]
    assert [y is None for y in ys] == [x is None for x in xs]


def test_a_stretch_of_one_point_is_an_upright_line() -> None:
    keep = np.array([False, False, True, False, False])
    assert band_outline((X, LOW), (X, HIGH), keep) == ([3, 3, 3], [0.3, 0.6, 0.3])


def test_nothing_kept_gives_nothing() -> None:
    keep = np.zeros(5, dtype=bool)
    assert band_outline((X, LOW), (X, HIGH), keep) == ([], [])
    assert list(runs(keep)) == []


def test_gaps_are_none() -> None:
    assert gaps([0.5, float("nan"), float("inf")]) == [0.5, None, None]
    assert gaps(X, X > 3) == [None, None, None, 4.0, 5.0]
