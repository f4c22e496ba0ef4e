"""The messages: distinct, judgeable, scored by a classifier that never saw them."""

import pandas as pd
import pytest

from labelcore.trials import messages as trial
from labelcore.trials.message_texts import PATTERNS, WORDS, messages


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return trial.build()


def test_a_few_hundred_distinct_short_messages_of_both_kinds(table: pd.DataFrame) -> None:
    assert len(table) == trial.SCORED == 600
    assert table["text"].is_unique and table["id"].is_unique
    assert table["text"].str.len().max() < 200
    assert not table["text"].str.contains("[{}]").any()
    assert 0.3 < table["true_label"].mean() < 0.45


def test_the_classifier_never_saw_what_it_scores(table: pd.DataFrame) -> None:
    made = messages(trial.TRAINING + trial.SCORED, trial.SEED)
    known = [message for message in made if not message.new][: trial.TRAINING]
    assert len(known) == trial.TRAINING
    assert not {message.text for message in known} & set(table["text"])


def test_the_classifier_is_good_and_errs_both_ways(table: pd.DataFrame) -> None:
    predicted, truth = table["pred_filter"], table["true_label"]
    assert (predicted == (table["score_filter"] >= 0.5)).all()
    assert 0.85 < (predicted == truth).mean() < 0.97
    assert ((predicted == 1) & (truth == 0)).sum() >= 10
    assert ((predicted == 0) & (truth == 1)).sum() >= 10


def test_every_pattern_can_be_filled_and_no_address_is_a_real_one() -> None:
    for patterns in (level for levels in PATTERNS.values() for level in levels):
        for pattern in patterns:
            pattern.format(**{name: words[0] for name, words in WORDS.items()})
    assert all(site.endswith(".example") for site in WORDS["site"])
