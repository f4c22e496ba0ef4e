"""Results are plain, frozen, and survive JSON."""

import ast
import inspect
import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import labelcore as lc
from labelcore.results.base import Finding
from labelcore.results.in_common import ErrorsInCommon, Shared
from labelcore.results.types import Scope
from labelcore.testing.known import SCALARS, Known, calibrated, labelled
from tests.answering import answer_draws
from tests.cases import once
from tests.designs.synthetic import SCALAR_DESIGNS
from tests.findings import BASIS

ONE = lc.Estimate(
    "f1", 0.5, 0.4, 0.7, 0.95, tail_share=0.25, **{**BASIS, "assumptions": ("a", "b")},
    scope=Scope("file.csv", 9, "lr", "file", "yes", 0.1, 40, 300),
)  # fmt: skip

CURVED = [name for name in SCALAR_DESIGNS if "precision_curve" in lc.DESIGNS[name].estimands]
known = once(calibrated, 200, seed=2)


def test_estimate_round_trip() -> None:
    assert lc.Estimate.from_dict(json.loads(ONE.to_json())) == ONE
    none = replace(ONE, value=None, tail_share=None, state="nothing", low=0.0, high=1.0)
    assert lc.Estimate.from_dict(json.loads(none.to_json())) == none


def test_json_holds_no_number_that_readers_refuse() -> None:
    counts = (np.int64(3), 3, 0, 9, np.inf, 1.5, np.inf, 0.01)
    shared = Shared("yes", "word", "text", "prize", False, *counts)  # type: ignore[arg-type]
    text = ErrorsInCommon("lr", 12, 24, 5, 0.95, (shared,)).to_json()
    (found,) = json.loads(text, parse_constant=pytest.fail)["found"]
    assert (found["wrong"], found["times"], found["low"], found["high"]) == (3, None, 1.5, None)


def test_estimate_is_frozen_and_consistent() -> None:
    with pytest.raises(FrozenInstanceError):
        ONE.value = 0.1  # type: ignore[misc]
    assert ONE.half_width == pytest.approx(0.15) and ONE.interval.half_width == ONE.half_width
    assert ONE.to_frame().iloc[0][["value", "low", "high"]].tolist() == [0.5, 0.4, 0.7]


@pytest.mark.parametrize("design", CURVED)
def test_band(design: str, known: Known) -> None:
    plan = lc.Plan(design, [*SCALARS, "precision_curve"], budget=100)
    session = lc.Session(known.population, plan)
    empty = session.results()["precision_curve"]
    assert isinstance(empty, lc.Band) and empty.state == "nothing"
    assert np.isnan(empty.value).all() and not empty.low.any() and empty.high.all()
    assert "nothing is known yet" in empty.sentence() and "NaN" not in empty.to_json()
    answer_draws(session, known)
    band = session.results()["precision_curve"]
    assert isinstance(band, lc.Band)
    first = int(band.x[0])
    assert np.all(np.diff(band.x) > 0) and first == (1 if band.simultaneous else 5)
    assert band.x[-1] == 200
    assert np.all((band.low <= band.value) & (band.value <= band.high))
    assert np.all(np.diff(band.threshold) <= 0)
    value, interval = band.at(200)
    assert (value, interval.low) == (band.value[-1], band.low[-1])
    together = design == "recalibrated_neyman"
    assert ("all ranks together" if together else "each rank on its own") in band.sentence()
    assert len(band.to_frame()) == len(band.x)
    assert json.loads(band.to_json())["x"] == band.x.tolist()
    assert band.at(first)[0] == band.value[0]
    for rank in range(first, 201):  # between two points: all that the hits at both allow
        value, interval = band.at(rank)
        assert 0 <= interval.low <= value + 1e-12 and value <= interval.high + 1e-12 <= 1 + 1e-12
        before = band.x <= rank
        x, low = band.x[before][-1], band.low[before][-1]
        assert interval.low * rank >= x * low - 1e-9
    for rank in (0, first - 1, 201, np.nan):  # never the figure of another rank
        with pytest.raises(ValueError, match=f"rank must lie between {first} and 200"):
            band.at(rank)
    for no_rank in (first + 0.5, "x", None, True):
        with pytest.raises(TypeError, match=f"^rank must be a whole number, got {no_rank!r}$"):
            band.at(no_rank)  # type: ignore[arg-type]
    assert repr(band) == f"<Band 'precision_curve': {len(band.x)} ranks, {session.labels} labels>"
    assert len(repr(session.cut(100))) < 400


@pytest.mark.parametrize("design", CURVED)
def test_curves_of_a_census_are_the_true_ones(design: str, known: Known) -> None:
    plan = lc.Plan(design, [*SCALARS, "precision_curve"], budget=200, promise="fixed")
    engine = labelled(known.engine(plan, 1), known.truth)
    from labelcore.figures.curves import band as reading
    from labelcore.figures.curves import ranked_curve
    from tests.curves import precision_curve

    hits = np.cumsum(known.truth[engine.rank_order])
    for band, truth in (
        (precision_curve(engine), lambda r: hits[r - 1] / r),
        (reading(engine, ranked_curve(engine), "recall"), lambda r: hits[r - 1] / hits[-1]),
    ):
        expected = truth(band.x.astype(int))
        for part in (band.value, band.low, band.high):
            np.testing.assert_allclose(part, expected, atol=1e-12)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("design", CURVED)
def test_each_point_of_the_band_covers(design: str, known: Known) -> None:
    """Confidence 80 %, 60 runs of 80 labels: at ranks with 20 items and more, coverage of each
    point not below the binomial limit (Bonferroni over the ranks)."""
    from scipy.stats import binom

    runs = 60
    plan = lc.Plan(design, [*SCALARS, "precision_curve"], budget=80, confidence=0.8,
                   promise="fixed")  # fmt: skip
    curves = lc.simulate(known.population, plan, truth="truth", runs=runs, seed=1).curves()
    low, truth, high = (curves[name] for name in ("low", "truth", "high"))
    inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    share = inside.groupby(curves["x"]).mean()
    share = share[share.index >= 20]
    assert share.min() >= binom.ppf(1e-4 / len(share), runs, 0.8) / runs


@pytest.mark.parametrize("kind", [lc.Estimate, lc.Band, lc.Claim, lc.Choice])
def test_a_finding_has_what_code_reads_of_any(kind: type[Finding]) -> None:
    """Types say so of ``Finding``; each kind brings the fields."""
    tree = ast.parse(inspect.getsource(Finding))
    named = {ast.unparse(one.target) for one in ast.walk(tree) if isinstance(one, ast.AnnAssign)}
    assert "promise" in named and {"estimand", *named} <= {*dir(kind)}
    assert issubclass(kind, lc.Result)
