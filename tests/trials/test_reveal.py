"""The words of the reveal."""

from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.results.types import Estimate, Scope
from labelcore.trials.reveal import Reveal, reveal
from labelcore.trials.table import TRIALS
from tests.answering import answer_draws
from tests.columns import items
from tests.findings import BASIS


def row(truth: float = 0.9, differing: int = 0, *, key: str = "accuracy", **changes: Any) -> Reveal:
    values: dict[str, Any] = {
        "estimand": key, "value": 0.91, "low": 0.85, "high": 0.95, "confidence": 0.95,
        "form": "approximate",
        "scope": Scope(file="f.csv", n_items=1000, classifier="lr", positive="yes"),
    }  # fmt: skip
    return Reveal(key, truth, Estimate(**{**BASIS, **values, **changes}), differing)


def test_inside() -> None:
    assert row().inside is True
    assert row().sentence() == (
        "In truth, accuracy (the share of items that the classifier 'lr' gets right) is "
        "90.0 %; the session said 85.0 % to 95.0 %: inside the interval, as promised for 19 of 20 "
        "sessions."
    )


def test_outside() -> None:
    assert row(0.5).inside is False
    assert row(0.5).sentence().endswith("outside, which the promise allows in 1 of 20 sessions.")


@pytest.mark.parametrize("truth", [0.85, 0.95, 0.85 - 1e-15])
def test_the_ends_belong_to_the_interval(truth: float) -> None:
    assert row(truth).inside is True


@pytest.mark.parametrize(
    ("confidence", "holds", "misses"),
    [
        (0.9, "9 of 10 sessions", "1 of 10 sessions"),
        (0.99, "99 of 100 sessions", "1 of 100 sessions"),
        (0.8, "80 % of all sessions", "20 % of all sessions"),
        (0.975, "97.5 % of all sessions", "2.5 % of all sessions"),
    ],
)
def test_other_confidences(confidence: float, holds: str, misses: str) -> None:
    assert holds in row(confidence=confidence).sentence()
    assert misses in row(0.5, confidence=confidence).sentence()


def test_without_an_interval_nothing_is_compared() -> None:
    for state in ("nothing", "too few", "provisional"):
        early = row(state=state, low=0.0, high=1.0)
        assert early.inside is None
        assert "no interval" in early.sentence() and "of 20" not in early.sentence()


def test_without_a_promise_no_frequency_is_claimed() -> None:
    for truth in (0.9, 0.5):
        text = row(truth, promise="none", state="stopped early").sentence()
        assert "of 20" not in text and "no promise goes with this interval" in text


def test_bounds_without_a_confidence_are_not_called_early() -> None:
    for truth in (0.9, 0.5):
        text = row(truth, promise="none", confidence=None).sentence()
        assert "No confidence goes with the bounds" in text
        assert "early" not in text and "of 20" not in text


def test_a_persons_own_errors_are_named_where_the_interval_missed() -> None:
    text = row(0.5, differing=3).sentence()
    assert "3 answers were other than the file's own" in text
    assert "1 answer was other" in row(0.5, differing=1).sentence()
    assert "other than" not in row(differing=3).sentence()


def test_a_file_without_known_answers_is_refused() -> None:
    scores = [n / 10 for n in range(10)]
    population = items(scores={"a": scores}, predictions={"a": [0, 1] * 5})
    session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=5))
    with pytest.raises(ValueError, match="true_label"):
        reveal(session, TRIALS["digits"])


def test_unsure_answers_are_no_errors(tmp_path: Path) -> None:
    trial = TRIALS["messages"]
    population = lc.read_population(trial.write(tmp_path), **trial.read_arguments)
    session = lc.Session(population, trial.plan)
    answer_draws(session, "unsure", 1)
    assert [row.differing for row in reveal(session, trial)] == [0, 0]
