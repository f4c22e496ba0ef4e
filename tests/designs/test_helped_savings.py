"""What helpers are said to have saved: by hand, and where they know much or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import Frame, Saved
from labelcore.designs.helped_savings import labels_without
from labelcore.estimands import SCALARS
from labelcore.words.savings import saved_words
from tests.designs.synthetic import labelled
from tests.designs.test_helpers import file_of, kept, right_in


def frame_of(stratum: np.ndarray, rates: list[float]) -> Frame:
    sizes = np.bincount(stratum)
    predicted = np.zeros(len(sizes), dtype=bool)
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    queue = np.argsort(stratum, kind="stable")
    return Frame(stratum, sizes, np.array(rates), predicted, queue, start)


def test_labels_without_helpers_by_hand() -> None:
    """Two strata of 100 with rates .9 and .1, 10 labels each: 2 x 100^2 x .09 (1/10 - 1/100) = 162;
    as one stratum with rate .5 and n labels 200^2 x .25 (1/n - 1/200), so n = 1 / .0212 = 47.2."""
    stratum = np.repeat([0, 1], 100)
    crossed, plain = frame_of(stratum, [0.9, 0.1]), frame_of(stratum * 0, [0.5])
    rates, counts = np.array([0.9, 0.1]), np.array([10.0, 10.0])
    row = SCALARS["prevalence"]
    found = labels_without(row, crossed, rates, counts, plain, lambda n: np.ones(1))
    assert found == 48
    alike = labels_without(row, crossed, np.full(2, 0.5), counts, plain, lambda n: np.ones(1))
    assert alike == 20
    unknown = np.array([10.0, 0.0])
    assert labels_without(row, crossed, rates, unknown, plain, lambda n: np.ones(1)) is None


@pytest.mark.parametrize(("right", "least", "most"), [(0.95, 1.3, 6.0), (0.5, 0.9, 1.1)])
def test_a_helper_that_knows_saves_and_one_that_does_not_saves_nothing(
    tmp_path: Path, right: float, least: float, most: float
) -> None:
    """Mean of three sessions of 200 labels."""
    known = file_of(tmp_path, judge=right_in(right))
    shares = []
    for seed in range(3):
        engine = labelled(known.engine(kept(known), seed), known.truth)
        found = engine.design.saved(engine.setup, engine.frame, engine.progress)
        assert found is not None and (found.helpers, found.labels) == (("judge",), 200)
        shares.append(found.without["accuracy"] / 200)
    assert least < np.mean(shares) < most


def test_nothing_is_said_without_helpers_or_labels(tmp_path: Path) -> None:
    known = file_of(tmp_path, judge=right_in(0.95))
    for plan in (kept(known), kept(known, params={"helpers": []})):
        engine = known.engine(plan, 1)
        assert engine.design.saved(engine.setup, engine.frame, engine.progress) is None
    labelled(engine, known.truth)
    assert engine.design.saved(engine.setup, engine.frame, engine.progress) is None


def test_the_report_says_what_was_saved_and_how_that_is_worked_out(tmp_path: Path) -> None:
    known = file_of(tmp_path, judge=right_in(0.95))
    session = lc.Session(known.population, kept(known), project="helped")
    while (draw := session.next()) is not None:
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
    lc.write_report(session, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "helped to choose the items: 200 labels say about accuracy what about" in page
    assert "How the labels saved are worked out" in page
    assert page.index("How the labels saved") < page.index("the sum over the strata of g")


def test_a_helper_that_cost_labels_is_said_to_have_saved_none() -> None:
    assert "saved no labels here: without, about 190 labels in place of 200" in saved_words(
        Saved(("judge",), 200, {"recall": 190})
    )
