"""What was found so far, in words: its recall, and how many items are still to be found."""

from math import ceil, floor

from labelcore.results.types import Estimate

NAME, TERM = "Found so far", "the share found"
MEASURES = (
    "recall so far (of the items that human judgement calls {positive!r}, the share that was found)"
)
SHORT = "{range} % of the items that are {positive!r} are found; {missing} are missing"
COUNTED = " Found: {found:,}. Still to be found: {missing}."


def own_name(estimate: Estimate) -> str:
    """What the recall of what was found so far is called; "" for any other figure."""
    return "" if estimate.scope.found is None else NAME


def missing_range(estimate: Estimate) -> tuple[int, int]:
    """How many items of the positive class were not found, rounded outwards; what was found is
    counted, so that the bounds of its recall say it.

    >>> from types import SimpleNamespace
    >>> from labelcore.results.types import Scope
    >>> scope = Scope(n_items=5000, existing=900, found=400)
    >>> missing_range(SimpleNamespace(low=0.5, high=0.8, scope=scope))
    (100, 400)
    """
    found, scope = estimate.scope.found or 0, estimate.scope
    least, most = (
        found / share - found if share > 0 else float("inf")
        for share in (estimate.high, estimate.low)
    )
    unread = scope.n_items - scope.existing
    return floor(least + 1e-6), ceil(min(most, unread) - 1e-6)


def missing_words(estimate: Estimate) -> str:
    """
    >>> from types import SimpleNamespace
    >>> from labelcore.results.types import Scope
    >>> scope = Scope(n_items=5000, existing=900, found=400)
    >>> missing_words(SimpleNamespace(low=0.25, high=0.8, scope=scope))
    '100 to 1,200'
    """
    least, most = missing_range(estimate)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def counted_words(estimate: Estimate) -> str:
    """What is found and what is not, after the sentence of its recall; "" for any other figure."""
    found = estimate.scope.found
    if found is None or not estimate.has_interval:
        return ""
    return COUNTED.format(found=found, missing=missing_words(estimate))
