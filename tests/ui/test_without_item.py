"""What stands in the place of the item: the truth at the end of a trial."""

from labelcore.ui.without_item import truth_words
from tests.trials.test_reveal import row


def test_a_miss_is_named_and_told_like_a_hit() -> None:
    hit = "Each holds it in about 19 of 20 sessions. None of your answers differs from it."
    rows = [row(key="accuracy"), row(key="recall")]
    assert truth_words(rows, 120) == f"Dots: the truth, inside both intervals. {hit}"
    missed = truth_words([row(key="accuracy"), row(0.97, key="precision")], 120)
    assert missed == (
        f"Dots: the truth, inside 1 of 2 intervals, outside that of Precision (97.0 %). {hit}"
    )


def test_the_answers_that_differ_are_counted() -> None:
    """First, because what follows is to be read with it."""
    assert truth_words([row(0.97, 3, key="accuracy")], 120) == (
        "3 of your 120 answers differ from the truth; intervals do not count that. Dots: the "
        "truth, outside the interval of Accuracy (97.0 %). Without such answers such an interval "
        "holds it in about 19 of 20 sessions."
    )
    assert "1 of your 9 answers differs from the truth" in truth_words(
        [row(0.5, 1, key="recall")], 9
    )


def test_many_misses_are_counted() -> None:
    names = ("accuracy", "precision", "recall", "f1", "specificity")
    said = truth_words([row(0.97, key=name) for name in names], 120)
    assert said.count("97.0 %") == 3 and "Recall (97.0 %) and 2 more" in said


def test_no_frequency_without_a_promise_or_an_interval() -> None:
    early = truth_words([row(0.5, key="accuracy", promise="none")], 9)
    assert "sessions" not in early and "No promise" in early
    assert "outside the interval of Accuracy (50.0 %)" in early
    none = truth_words([row(key="accuracy", state="too few", low=0.0, high=1.0)], 9)
    assert "No interval" in none and "sessions" not in none


def test_a_proved_promise_is_at_least_as_good() -> None:
    assert "in 19 of 20 sessions" in truth_words([row(key="accuracy", form="strict")], 120)
