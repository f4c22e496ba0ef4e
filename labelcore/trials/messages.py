"""Short messages made by a generator of our own: "Is this message spam?", and a real classifier.

The classifier (TF-IDF of words, logistic regression) learns from one generated set and scores
another one, in which some kinds of message are new to it: it errs as filters do.
"""

import random
from types import MappingProxyType

import pandas as pd

from labelcore.trials.base import Trial, short_plan
from labelcore.trials.message_texts import Message, messages
from labelcore.trials.words import WORDS

TRAINING, SCORED = 120, 600
SEED = 11
CLASSIFIER = "filter"


def build() -> pd.DataFrame:
    """One row per scored message: id, text, score_filter, pred_filter, true_label."""
    drawn = messages(TRAINING + SCORED, SEED)
    known = [message for message in drawn if not message.new][:TRAINING]
    taken = {message.text for message in known}
    scored = [message for message in drawn if message.text not in taken]
    random.Random(SEED).shuffle(scored)
    score = _scores(known, scored)
    return pd.DataFrame(
        {
            "id": [f"m-{number}" for number in range(1, len(scored) + 1)],
            "text": [message.text for message in scored],
            f"score_{CLASSIFIER}": score,
            f"pred_{CLASSIFIER}": [int(value >= 0.5) for value in score],
            "true_label": [int(message.spam) for message in scored],
        }
    )


def _scores(known: list[Message], scored: list[Message]) -> list[float]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=3.0))
    model.fit([message.text for message in known], [message.spam for message in known])
    probability = model.predict_proba([message.text for message in scored])[:, 1]
    return [round(float(value), 4) for value in probability]


MESSAGES = Trial(
    name="messages",
    **WORDS["messages"]._asdict(),
    positive_words="Unwanted advertising, false prizes, and attempts to get money or passwords.",
    negative_words="Messages between people who know each other, and notices that were asked for.",
    instructions=(
        "The messages are invented. Judge what the sender wants: somebody who asks a stranger for "
        "money, data or a click is sending spam, however politely; a friend or a service that the "
        "reader uses is not, however excited."
    ),
    truth_column="true_label",
    read_arguments=MappingProxyType(
        {
            "id": "id",
            "content": ["text"],
            "scores": {CLASSIFIER: f"score_{CLASSIFIER}"},
            "predictions": {CLASSIFIER: f"pred_{CLASSIFIER}"},
        }
    ),
    plan=short_plan(CLASSIFIER),
    build=build,
    seconds=4.0,
)
