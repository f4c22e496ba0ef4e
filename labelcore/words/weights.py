"""What the weights of the table of labels are right for."""

from __future__ import annotations

WEIGHTED = (
    "Each label stands for as many items of the file as its weight says: weighted shares estimate "
    "those of the file, unweighted ones are those of the sample."
)
UNWEIGHTED = "These labels have no weight: they are no random sample of parts of the file."


def weight_words(weighted: bool) -> str:
    """
    >>> weight_words(False)
    'These labels have no weight: they are no random sample of parts of the file.'
    """
    return WEIGHTED if weighted else UNWEIGHTED
