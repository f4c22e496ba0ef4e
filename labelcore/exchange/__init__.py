"""Items to other tools and answers from them."""

from labelcore.exchange.answers import Answered, Outcome, read_answers, store_answers
from labelcore.exchange.batches import BATCH_FORMS
from labelcore.exchange.labelled import CONFIGS, LABELLED_FORMS

__all__ = [
    "BATCH_FORMS",
    "CONFIGS",
    "LABELLED_FORMS",
    "Answered",
    "Outcome",
    "read_answers",
    "store_answers",
]
