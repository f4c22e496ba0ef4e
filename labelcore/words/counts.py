"""How many items have which answer, in the one line that every page has for it."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, isnan

from labelcore.words.sentences import count

NAMES = {"labelled": "labelled", "unsure": "not sure", "broken": "broken"}


def answers_words(kinds: Mapping[str, int]) -> str:
    """Items with a final answer by its kind, and their sum; those put off are no answers yet.

    >>> answers_words({"labelled": 148, "unsure": 1, "broken": 1, "later": 2})
    '148 labelled + 1 not sure + 1 broken = 150'
    >>> answers_words({"labelled": 37})
    '37 labelled'
    """
    parts = [f"{kinds[kind]:,} {name}" for kind, name in NAMES.items() if kinds.get(kind, 0)]
    if len(parts) < 2:
        return parts[0] if parts else "0 labelled"
    return f"{' + '.join(parts)} = {sum(kinds.get(kind, 0) for kind in NAMES):,}"


ROUNDING = 1e-6
NO_LABEL = "no label near them yet"
"""Over the items of a confusion table that nothing is said of: their stratum has no label."""
EACH_CELL = "Each cell: about how many items of the file, and between which bounds, each by itself."
NOT_YET, COUNTS_LABELS = "not yet: ", " Where it says not yet, it counts the labels"
UNEVEN_LABELS = ": their shares are not those of the file, because they are not drawn evenly"
EVEN = (
    "Items are drawn evenly: shares of all judged items estimate those of the file, without an "
    "interval."
)
EVERY = "Every item is judged: shares of all judged items are those of the file."
UNEVEN = "Items are not drawn evenly: shares of this list are not those of the file."


def each_cell(cells: Iterable[object], evenly: bool) -> str:
    """What the numbers of a confusion table are; ``evenly``: whether the labels are a plain random
    sample of the file.

    >>> each_cell(["not yet: 3 labels"], True)[-60:]
    'each by itself. Where it says not yet, it counts the labels.'
    >>> each_cell(["38 (25 to 53)"], False)[-38:]
    ' between which bounds, each by itself.'
    """
    if not any(str(cell).startswith(NOT_YET) for cell in cells):
        return EACH_CELL
    return f"{EACH_CELL}{COUNTS_LABELS}{'' if evenly else UNEVEN_LABELS}."


def list_words(evenly: bool, *, every: bool = False) -> str:
    """What shares of a list of judged items are; ``evenly`` as for ``each_cell``, ``every``:
    whether each item of the file has a label.

    >>> list_words(False)
    'Items are not drawn evenly: shares of this list are not those of the file.'
    >>> list_words(False, every=True)
    'Every item is judged: shares of all judged items are those of the file.'
    """
    if every:
        return EVERY
    return EVEN if evenly else UNEVEN


def row_words(
    numbers: Sequence[float], bounds: Sequence[tuple[float, float]], labels: Sequence[int]
) -> list[str]:
    """A row of a confusion table: about how many of its items are of each class, with the bounds,
    or "not yet" and the labels where these are NaN; then the items in strata without a label.

    >>> row_words([512.3, 37.7, 0], [(497.2, 524.1), (25.9, 52.8)], [150, 9])
    ['512 (497 to 525)', '38 (25 to 53)', '0']
    >>> from math import nan
    >>> row_words([412.5, 137.5, 0], [(nan, nan), (nan, nan)], [3, 0])
    ['not yet: 3 labels', '–', '0']
    >>> row_words([0, 0, 550], [(nan, nan), (nan, nan)], [0, 0])
    ['–', '–', '550']
    """
    if isnan(bounds[0][0]):
        cells = [f"{NOT_YET}{count(number, 'label')}" if number else "–" for number in labels]
    else:
        each = zip(numbers[: len(labels)], bounds, strict=True)
        cells = [cell_words(number, *ends) for number, ends in each]
    return [*cells, *(f"{number:,.0f}" for number in numbers[len(labels) :])]


def cell_words(number: float, low: float, high: float) -> str:
    """A number of items with its bounds, rounded outwards.

    >>> cell_words(0.4, 0.1, 31.2), cell_words(16557.2, 16337, 16669), cell_words(80, 80, 80)
    ('0.4 (0 to 32)', '16,557 (16,337 to 16,669)', '80')
    """
    shown = f"{number:,.0f}" if number >= 10 or number == round(number) else f"{number:.1f}"
    if high - low < ROUNDING:
        return shown
    return f"{shown} ({floor(low + ROUNDING):,} to {ceil(high - ROUNDING):,})"
