"""What helpers are said to have saved: by hand, and where they know much or nothing."""

from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import Expected, Frame, Saved
from labelcore.designs.helped_savings import labels_without, rates_with_verdicts, slopes_of
from labelcore.estimands import SCALARS
from labelcore.testing.known import Known, labelled
from labelcore.words.savings import expected_words, saved_words
from tests.answering import answer_draws
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
    row = slopes_of(SCALARS["prevalence"])
    found = labels_without(row, crossed, rates, counts, plain, lambda n: np.ones(1))
    assert found == 48
    alike = labels_without(row, crossed, np.full(2, 0.5), counts, plain, lambda n: np.ones(1))
    assert alike == 20
    unknown = np.array([10.0, 0.0])
    assert labels_without(row, crossed, rates, unknown, plain, lambda n: np.ones(1)) is None


@pytest.mark.parametrize(("right", "least", "most"), [(0.95, 1.3, 6.0), (0.5, 0.9, 1.1)])
def test_a_helper_that_knows_saves_and_one_that_does_not_saves_nothing(
    right: float, least: float, most: float
) -> None:
    """Mean of three sessions of 200 labels."""
    known = file_of(judge=right_in(right))
    shares = []
    for seed in range(3):
        engine = labelled(known.engine(kept(known), seed), known.truth)
        found = engine.design.saved(engine.setup, engine.frame, engine.progress)
        assert found is not None and (found.helpers, found.labels) == (("judge",), 200)
        shares.append(found.without["accuracy"] / 200)
    assert least < np.mean(shares) < most


def test_nothing_is_said_without_helpers_or_labels() -> None:
    known = file_of(judge=right_in(0.95))
    for plan in (kept(known), kept(known, params={"helpers": []})):
        engine = known.engine(plan, 1)
        assert engine.design.saved(engine.setup, engine.frame, engine.progress) is None
    labelled(engine, known.truth)
    assert engine.design.saved(engine.setup, engine.frame, engine.progress) is None


def test_the_report_says_what_was_saved_and_how_that_is_worked_out(tmp_path: Path) -> None:
    known = file_of(judge=right_in(0.95))
    session = lc.Session(known.population, kept(known), project="helped")
    answer_draws(session, known)
    lc.write_report(session, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "helped to choose the items: 200 labels say about accuracy what about" in page
    assert "How the labels saved are worked out" in page
    assert page.index("How the labels saved") < page.index("the sum over the strata of g")


def test_a_helper_that_cost_labels_is_said_to_have_saved_none() -> None:
    assert "saved no labels here: without, about 190 labels in place of 200" in saved_words(
        Saved(("judge",), 200, {"recall": 190})
    )


def test_rates_with_a_verdict_are_those_of_bayes() -> None:
    """1,000 items at each of two rates; the verdict is right in .9 of the positives and in .8 of
    the others, exactly: .2 x .9 + .8 x .2 = .34 and .6 x .9 + .4 x .2 = .62 are called so."""
    rates = np.repeat([0.2, 0.6], 1000)
    vote = np.concatenate([np.arange(1000) < 340, np.arange(1000) < 620]).astype(float)
    found = rates_with_verdicts(rates, [vote])
    assert found[[0, 999, 1000, 1999]] == pytest.approx(
        [0.18 / 0.34, 0.02 / 0.66, 0.54 / 0.62, 0.06 / 0.38], rel=1e-9
    )
    assert found.mean() == pytest.approx(0.4, rel=1e-9)
    unsaid = np.where(np.arange(2000) % 2, vote, np.nan)
    assert rates_with_verdicts(rates, [unsaid])[::2] == pytest.approx(rates[::2])
    same = rates_with_verdicts(np.full(2000, 0.3), [vote])
    assert same == pytest.approx(np.full(2000, 0.3))


@pytest.mark.parametrize(("right", "least", "most"), [(0.95, 0.25, 0.8), (0.7, 0.0, 0.2)])
def test_what_helpers_may_save_is_expected_before_the_first_label(
    right: float, least: float, most: float
) -> None:
    """The twin is a verdict that says nothing: of it nothing is said."""
    known = file_of(judge=right_in(right), noise=right_in(0.5))
    found = expected(known, ["judge"])
    assert least <= (found.saved if found else 0.0) <= most
    assert expected(known, ["noise"]) is None
    if found:
        own = known.population.predictions["own"] == 1
        helper = known.population.helpers["judge"]
        said = helper.verdict == helper.names.index("pass")  # type: ignore[operator]
        assert found.agrees == (said == own).mean() and found.helper == "judge"
        both = expected(known, ["noise", "judge"])
        assert both is not None and (both.helper, both.others) == ("judge", 1)


def expected(known: Known, names: list[str]) -> Expected | None:
    plan = lc.Plan("recalibrated_neyman", ["accuracy", "f1"], budget=200, promise="fixed",
                   params={"helpers": names})  # fmt: skip
    found = lc.preview(known.population, plan).derived["expected_saving"]
    assert found is None or isinstance(found, Expected)
    return found


@pytest.mark.parametrize("others", [0, 1, 12])
def test_the_expected_saving_is_one_short_sentence(others: int) -> None:
    said = expected_words(Expected("lr", "judge", others, 0.913, 0.437))
    assert "agrees with 'lr' in 91 %" in said and said.startswith("'judge' ")
    assert "may save about 45 % of the labels" in said and len(said.split()) <= 20
