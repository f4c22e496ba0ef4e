"""How many items have which answer, in the one line that every page has for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labelcore.words.sentences import count, percent

NAMES = {"labelled": "labelled", "unsure": "not sure", "broken": "broken"}


def answers_words(kinds: Mapping[str, int]) -> str:
    """Items with a final answer by its kind, and their sum; those put off are no answers yet.

    >>> answers_words({"labelled": 148, "unsure": 1, "broken": 1, "later": 2})
    '148 labelled + 1 not sure + 1 broken = 150'
    >>> answers_words({"labelled": 37})
    '37 labelled'
    """
    said = [f"{kinds[kind]:,} {name}" for kind, name in NAMES.items() if kinds.get(kind, 0)]
    if len(said) < 2:
        return said[0] if said else "0 labelled"
    return f"{' + '.join(said)} = {sum(kinds.get(kind, 0) for kind in NAMES):,}"


NO_LABEL = "no label near them yet"
"""Over the items of a confusion table that nothing is said of: their stratum has no label."""
FEW_LABELS = 20
"""With fewer in a row of a confusion table, the row says its labels and estimates nothing."""


def row_words(numbers: Sequence[float], labels: Sequence[int], total: float) -> list[str]:
    """A row of a confusion table: about how many of its ``total`` items are of each class, then
    those in strata without a label; of few ``labels`` only these are told.

    >>> row_words([512.3, 37.7, 0], [150, 9], 550)
    ['512 (93.1 %)', '38 (6.9 %)', '0']
    >>> row_words([412.5, 137.5, 0], [3, 1], 550)
    ['3 of 4 labels', '1 of 4 labels', '0']
    """
    known = sum(labels)
    said = [cell_words(number, total) for number in numbers]
    if 0 < known < min(FEW_LABELS, total):
        said[: len(labels)] = [f"{one:,} of {count(known, 'label')}" for one in labels]
    return said


def cell_words(number: float, total: float) -> str:
    """A cell of a confusion table, with its share of the row.

    >>> cell_words(512.3, 550), cell_words(0.4, 550), cell_words(0, 550), cell_words(0, 0)
    ('512 (93.1 %)', '0.4 (0.073 %)', '0', '0')
    """
    if number == 0 or total == 0:
        return "0"
    whole = number >= 10 or number == round(number)
    share = percent(number / total)
    return f"{number:,.0f} ({share})" if whole else f"{number:.1f} ({share})"
