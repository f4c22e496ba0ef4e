"""Items to other tools and answers from them."""

from labelcore.exchange.answers import Outcome, read_answers, store_answers
from labelcore.exchange.batches import BATCH_FORMS, BATCH_SUFFIXES
from labelcore.exchange.labelled import CONFIGS, LABELLED_FORMS, LabelledForm
from labelcore.exchange.rows import Answered

__all__ = [
    "BATCH_FORMS",
    "BATCH_SUFFIXES",
    "CONFIGS",
    "LABELLED_FORMS",
    "Answered",
    "LabelledForm",
    "Outcome",
    "read_answers",
    "store_answers",
]
