from dataclasses import replace

import pytest

from labelcore.report.sections import name_of
from labelcore.results.types import Estimate, Scope
from labelcore.words.found_so_far import missing_range, own_name
from labelcore.words.sentences import estimate_sentence
from labelcore.words.short_sentences import short_sentence
from tests.findings import BASIS

SCOPE = Scope(
    "papers.csv", 4000, "found", "file", "yes", existing=428, existing_use="certainty",
    planned=200, found=175,
)  # fmt: skip
ESTIMATE = Estimate("recall", 0.86, 0.7, 0.95, 0.95, **BASIS, scope=SCOPE, form="approximate")


def test_the_bounds_of_what_is_missing_are_those_of_the_recall() -> None:
    """175 found and 9 missing are a recall of .951, 175 and 10 one of .946; so at the other end."""
    assert missing_range(ESTIMATE) == (9, 75)
    least, most = missing_range(ESTIMATE)
    assert 175 / (175 + least + 1) < ESTIMATE.high <= 175 / (175 + least)
    assert 175 / (175 + most) <= ESTIMATE.low < 175 / (175 + most - 1)


@pytest.mark.parametrize(("low", "most"), [(0.0, 3572), (0.01, 3572), (1.0, 0)])
def test_no_more_can_be_missing_than_was_not_read(low: float, most: int) -> None:
    assert missing_range(replace(ESTIMATE, low=low, high=1.0)) == (0, most)


def test_both_sentences_say_what_is_found_and_what_is_not() -> None:
    assert short_sentence(ESTIMATE) == (
        "95 % sure: 70 to 95 % of the items that are 'yes' are found; 9 to 75 are missing."
    )
    long = estimate_sentence(ESTIMATE)
    assert "recall so far (of the items that human judgement calls 'yes'" in long
    assert name_of(ESTIMATE) == own_name(ESTIMATE) != ""
    assert long.endswith(" Found: 175. Still to be found: 9 to 75.")


def test_any_other_recall_says_no_number_of_items() -> None:
    other = replace(ESTIMATE, scope=replace(SCOPE, found=None))
    assert "Found:" not in estimate_sentence(other)
    assert "'found' finds 70 to 95 %" in short_sentence(other)
