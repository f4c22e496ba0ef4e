"""Which labels are a plain random sample of the whole file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.samples import Samples
from labelcore.figures.sampled import drawn_evenly, sampled_labels, sampled_tally, samples_of
from labelcore.log.engine import Engine
from labelcore.testing.known import Known, calibrated, label
from tests.cases import once
from tests.existing_files import at_random
from tests.existing_files import read as read_existing
from tests.recycled import plan_of, written

HEAD = {"head": 10}
known = once(calibrated, 300, seed=3)


@pytest.mark.parametrize(
    ("design", "asked", "more", "evenly"),
    [
        ("simple_random", "accuracy", {}, True),
        ("simple_random", "recall", {}, True),
        ("random_curve", "precision_curve", {"promise": "fixed"}, True),
        ("random_curve", "precision_curve", {"promise": "fixed", "params": HEAD}, False),
        ("recalibrated_neyman", "accuracy", {}, False),
        ("recalibrated_neyman", "precision", {}, False),
        ("stratified", "accuracy", {}, False),
        ("geometric_strata", "precision_curve", {"budget": 120}, False),
        ("oversampling", "precision", {}, False),
    ],
)
def test_a_plain_random_sample_is_even_and_nothing_else_is(
    known: Known, design: str, asked: str, more: dict[str, Any], evenly: bool
) -> None:
    plan = lc.Plan(design, asked, **{"budget": 50, **more})
    assert drawn_evenly(known.engine(plan, 1)) is evenly


@pytest.mark.parametrize(
    ("use", "evenly"), [("random", True), ("certainty", False), ("ignored", True)]
)
def test_labels_from_before_keep_it_even_if_they_were_drawn_so(
    tmp_path: Path, use: str, evenly: bool
) -> None:
    population = read_existing(tmp_path, at_random(40))
    plan = lc.Plan("simple_random", ["accuracy"], budget=50, classifier="a", existing=use)
    assert drawn_evenly(lc.Session(population, plan).engine) is evenly


@pytest.mark.parametrize("anew", [False, True])
def test_samples_are_worked_out_once_for_a_frame(
    monkeypatch: pytest.MonkeyPatch, anew: bool
) -> None:
    """However many labels there are, looks ahead and back among them; another seed has its own."""
    asked: list[object] = []

    def counted(design: Any, frame: Any, classifier: str | None) -> Samples:
        asked.append(classifier)
        return samples(design, frame, classifier)

    recycling = type(lc.DESIGNS["recycling"])
    samples = recycling.samples
    monkeypatch.setattr(recycling, "samples", counted)
    recycled = written()
    engine = recycled.engine(plan_of("recycling", estimands=("precision",)), 1)
    for _ in label(engine, recycled.truth):
        if anew:
            engine._of_frame.clear()
        now = sampled_tally(engine, "a")
        ahead = sampled_tally(engine.beginning(), "a")
        known = np.isin(engine.codes.labelled, sampled_labels(engine, "a"))
        assert now.counts.sum() == known.sum() and not ahead.counts.sum()
        if engine.labels == 6:
            break
    assert (len(asked) == 1) is not anew
    other = engine.redrawn(2)
    mine, yours = (sampled_labels_of(one) for one in (engine, other))
    assert not np.array_equal(mine, yours)


def sampled_labels_of(engine: Engine) -> np.ndarray:
    """The items whose label would be one of a sample."""
    found = samples_of(engine, "a")
    assert found is not None and found.members is not None
    return found.members
