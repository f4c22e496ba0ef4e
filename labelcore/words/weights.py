"""What the weights of the table of labels are right for."""

from labelcore.words.existing import count

WEIGHTED = (
    "Each label stands for as many items of the file as its weight says: weighted shares estimate "
    "those of the file, unweighted ones are those of the sample."
)
UNWEIGHTED = "These labels have no weight: they are no random sample of parts of the file."


def weight_words(weighted: bool, left_out: int = 0) -> str:
    """What the weight of a label is, and for how many items no label stands.

    >>> weight_words(False)
    'These labels have no weight: they are no random sample of parts of the file.'
    >>> weight_words(True, 56).partition(" No label ")[2]
    'stands for 56 items, in parts of strata that have none: weighted shares leave these out.'
    """
    if not weighted:
        return UNWEIGHTED
    parts = f"{count(left_out, 'item')}, in parts of strata that have none"
    return WEIGHTED + f" No label stands for {parts}: weighted shares leave these out." * bool(
        left_out
    )
