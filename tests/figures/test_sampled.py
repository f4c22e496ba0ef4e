"""Which labels are a plain random sample of the whole file."""

from __future__ import annotations

from pathlib import Path

import pytest

import labelcore as lc
from labelcore.figures.sampled import drawn_evenly
from tests.designs.synthetic import Known, calibrated
from tests.existing_files import at_random
from tests.existing_files import read as read_existing

HEAD = {"head": 10}
RANKED = ("precision_curve",)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Known:
    return calibrated(tmp_path_factory.mktemp("even"), 300, seed=3)


@pytest.mark.parametrize(
    ("plan", "evenly"),
    [
        (lc.Plan("simple_random", ["accuracy"], budget=50), True),
        (lc.Plan("simple_random", ["recall"], budget=50), True),
        (lc.Plan("random_curve", RANKED, budget=50, promise="fixed"), True),
        (lc.Plan("random_curve", RANKED, budget=50, promise="fixed", params=HEAD), False),
        (lc.Plan("recalibrated_neyman", ["accuracy"], budget=50), False),
        (lc.Plan("recalibrated_neyman", ["precision"], budget=50), False),
        (lc.Plan("stratified", ["accuracy"], budget=50), False),
        (lc.Plan("geometric_strata", RANKED, budget=120), False),
        (lc.Plan("oversampling", ["precision"], budget=50), False),
    ],
)
def test_a_plain_random_sample_is_even_and_nothing_else_is(
    known: Known, plan: lc.Plan, evenly: bool
) -> None:
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
