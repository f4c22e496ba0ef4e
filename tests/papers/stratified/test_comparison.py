"""The comparison of strata before any label, against the same figures worked out by hand."""

from pathlib import Path

import numpy as np
import pytest

from labelcore.errors import PlanError
from labelcore.papers.stratified import comparison as subject
from labelcore.papers.stratified.comparison import compare_stratifications
from labelcore.testing.known import Known, calibrated, write
from tests.cases import once

known = once(calibrated, 2000, seed=3)


def test_equal_width_by_hand(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "NUMBERS", (4,))
    frame = compare_stratifications(known.population, "lr")
    frame = frame.set_index(["stratification", "allocation"])
    p = known.population.scores["lr"]
    z = np.where(p >= 0.5, p, 1 - p)
    place = np.minimum(((z - z.min()) / (z.max() - z.min()) * 4).astype(int), 3)
    weight = np.bincount(place) / 2000
    share = np.bincount(place, np.clip(z, 1e-5, 1 - 1e-5)) / np.bincount(place)
    size = np.bincount(place)
    spread = share * (1 - share) * size / (size - 1)
    plain = z.mean() * (1 - z.mean()) * 2000 / 1999
    for allocation, variance in (
        ("proportional", weight @ spread),
        ("equal", 4 * weight**2 @ spread),
        ("optimal", (weight @ np.sqrt(spread)) ** 2),
    ):
        assert frame.loc[("eqwd", allocation), "ratio"] == pytest.approx(variance / plain, rel=1e-6)
    assert (frame["found"] == 4).all() and frame.loc[("eqwd", "equal"), "smallest"] == size.min()
    np.testing.assert_allclose(frame["ratio"] + frame["saved"], 1)


def test_every_combination_once_and_none_beats_the_optimal(known: Known) -> None:
    frame = compare_stratifications(known.population, "lr")
    assert len(frame) == 7 * 9 * 3
    wide = frame.pivot(index=["stratification", "n_strata"], columns="allocation", values="ratio")
    assert (wide["optimal"] <= wide[["proportional", "equal"]].min(axis=1) + 1e-12).all()
    assert (wide["proportional"] < 1.001).all()
    assert "probabilities" in frame.attrs["assumption"]


def test_quantiles_stand_for_many_items(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "NUMBERS", (5,))
    whole = compare_stratifications(known.population, "lr")
    monkeypatch.setattr(subject, "MOST_ITEMS", 500)
    part = compare_stratifications(known.population, "lr")
    np.testing.assert_allclose(part["ratio"], whole["ratio"], atol=0.02)


def test_margins_are_planned_by_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "NUMBERS", (3,))
    score = np.linspace(-3, 5, 400)
    file = write(tmp_path, (score > 0).astype(int), score=score, thresholds={"lr": 0})
    frame = compare_stratifications(file.population, "lr")
    assert "one half for the least sure" in frame.attrs["assumption"]
    ratio = frame.set_index(["stratification", "allocation"])["ratio"]
    thirds = np.array([7, 9, 11]) / 12  # mean chances of the thirds
    expected = (thirds * (1 - thirds)).mean() / (0.75 * 0.25)
    assert ratio["eqsz", "proportional"] == pytest.approx(expected, rel=0.01)


def test_it_needs_a_score(tmp_path: Path) -> None:
    bare = write(tmp_path, np.array([0, 1, 1, 0]), prediction=np.array([0, 1, 0, 1]))
    with pytest.raises(PlanError, match="needs a classifier with a score"):
        compare_stratifications(bare.population, "lr")
