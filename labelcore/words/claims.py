"""The sentences for every state of a claim."""

from __future__ import annotations

from math import floor, log10

from labelcore.promises import ClaimStatus
from labelcore.results.types import Claim
from labelcore.words.sentences import exact_percent, labels_words, percent_range, scope_words

CLAIMS = {
    ClaimStatus.DECIDED: (
        "{scope}, the labels show that {statement}. If that were false, at most {alpha} of such "
        "sessions would ever say so, however often one looks ({labels}, {times})."
    ),
    ClaimStatus.REFUTED: (
        "{scope}, the labels show that it is not true that {statement}. If it were true, at most "
        "{alpha} of such sessions would ever say this, however often one looks ({labels}, "
        "{times})."
    ),
    ClaimStatus.UNDECIDED: (
        "{scope}, it is not decided whether {statement} ({labels}; {times}, and {needed} decides)."
    ),
}

LEAST_TIMES, MOST_TIMES = 1e-3, 1_000_000
"""Evidence below and above is told as "under" and "over" them."""

# In a table or on one line.
SETTLED = {
    ClaimStatus.DECIDED: "shown",
    ClaimStatus.REFUTED: "shown to be false",
    ClaimStatus.UNDECIDED: "open",
}


# After a claim, for somebody who cannot see the picture of its evidence.
SHOWN = {
    ClaimStatus.DECIDED: "The labels show it",
    ClaimStatus.REFUTED: "The labels show it to be false",
    ClaimStatus.UNDECIDED: "It is not decided",
}


def claim_statement(sides: list[str], goal: float | None, above: bool) -> str:
    """A claim in words.

    >>> claim_statement(["the accuracy of 'A'", "the accuracy of 'B'"], None, True)
    "the accuracy of 'A' is above the accuracy of 'B'"
    """
    if goal is None:
        return f"{sides[0]} is {'above' if above else 'below'} {sides[1]}"
    return f"{sides[0]} is {'at least' if above else 'at most'} {exact_percent(goal)}"


def claim_sentence(claim: Claim, given: str = "") -> str:
    """What the labels say of a claim, filled in."""
    scope = claim.scope
    refuted = claim.status == ClaimStatus.REFUTED
    evidence = claim.evidence_against if refuted else claim.evidence
    return CLAIMS[claim.status].format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        statement=claim.statement,
        alpha=percent_range(claim.alpha, claim.alpha)[1],
        labels=labels_words(claim.labels_used, scope, given),
        times=f"evidence {times_words(evidence)}",
        needed=times_words(1 / claim.alpha),
    )


def times_words(evidence: float) -> str:
    """How strong evidence is, in round numbers that are never larger than it.

    >>> times_words(1.0), times_words(20.0), times_words(19.97)
    ('1 times', '20 times', '19 times')
    >>> times_words(0.0), times_words(1e9)
    ('under 0.001 times', 'over 1,000,000 times')
    """
    return f"{times_number(evidence)} times"


def times_number(evidence: float) -> str:
    """The number of ``times_words``."""
    if evidence > MOST_TIMES:
        return f"over {MOST_TIMES:,}"
    if evidence < LEAST_TIMES:
        return f"under {LEAST_TIMES:g}"
    times = evidence * (1 + 1e-9)
    if times >= 10:
        return f"{floor(times):,}"
    step = 10.0 ** (floor(log10(times)) - 1)
    return f"{floor(times / step) * step:.2g}"
