"""The sentences for every state of a claim."""

from collections.abc import Sequence
from math import floor, log10

from labelcore.promises import ClaimStatus, Form
from labelcore.results.types import Claim
from labelcore.safe_text import one_line
from labelcore.words.sentences import (
    confidence_words,
    exact_percent,
    labels_words,
    percent_range,
    scope_words,
    valid_words,
)

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

# The same for approximate ones.
LIKELY = {
    ClaimStatus.DECIDED: (
        "{scope}, it is likely that {statement}: it is at least {low}, and at most {high} (each "
        "end {promise}; {labels}). The evidence for it is {times}; {needed} would prove it."
    ),
    ClaimStatus.REFUTED: (
        "{scope}, it is likely not true that {statement}: it is at least {low}, and at most {high} "
        "(each end {promise}; {labels}). The evidence against it is {times}; {needed} would prove "
        "that."
    ),
    ClaimStatus.UNDECIDED: (
        "{scope}, it is open whether {statement}: it is at least {low}, and at most {high} (each "
        "end {promise}; {labels})."
    ),
}

# In few words.
SHORT = {
    ClaimStatus.DECIDED: "The labels show that {statement}.",
    ClaimStatus.REFUTED: "The labels show that it is not true that {statement}.",
    ClaimStatus.UNDECIDED: "It is not decided whether {statement}.",
}
LIKELY_SHORT = {
    ClaimStatus.DECIDED: "It is likely that {statement}.",
    ClaimStatus.REFUTED: "It is likely not true that {statement}.",
    ClaimStatus.UNDECIDED: "It is open whether {statement}.",
}

# What a person chooses between.
TERMS = {
    Form.STRICT: (
        "A claim is looked at after every label: its evidence is valid at every look, and the "
        "intervals are {valid}. Of 100 sessions in which a claim is false, at most {false:.3g} "
        "ever call it shown.{shared} Evidence of {times:,.0f} times decides."
    ),
    Form.APPROXIMATE: (
        "A claim is looked at after every label, by a one-sided interval; all intervals are "
        "{valid}. Of 100 sessions in which a claim is false, at most {false:.3g} are meant to "
        "ever call it likely.{shared}"
    ),
}
CHOICES = {
    Form.STRICT: "Shown by strict evidence: about {labels}",
    Form.APPROXIMATE: "Likely by the interval: about {labels}",
}
CHOICE_CAPTIONS = {
    Form.STRICT: "Proved: the error above holds for every file.",
    Form.APPROXIMATE: (
        "Approximate: the same error was measured on many files, not proved. A claim is called "
        "likely, never shown, and only up to the labels that the plan is for."
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
LIKELY_SETTLED = {**SETTLED, ClaimStatus.DECIDED: "likely", ClaimStatus.REFUTED: "likely false"}


# After a claim, for somebody who cannot see the picture of its evidence.
SHOWN = {
    ClaimStatus.DECIDED: "The labels show it",
    ClaimStatus.REFUTED: "The labels show it to be false",
    ClaimStatus.UNDECIDED: "It is not decided",
}
LIKELY_SHOWN = {
    ClaimStatus.DECIDED: "It is likely",
    ClaimStatus.REFUTED: "It is likely to be false",
    ClaimStatus.UNDECIDED: "It is open",
}


def claim_statement(sides: list[str], goal: float | None, above: bool, strictly: bool) -> str:
    """A claim in words; ``strictly``: it is false where both are equal.

    >>> claim_statement(["the accuracy of 'A'", "the accuracy of 'B'"], None, True, True)
    "the accuracy of 'A' is above the accuracy of 'B'"
    >>> claim_statement(["the accuracy"], 0.9, True, False)
    'the accuracy is at least 90.0 %'
    """
    other = sides[1] if goal is None else exact_percent(goal)
    if strictly:
        return f"{sides[0]} is {'above' if above else 'below'} {other}"
    return f"{sides[0]} is {'at least' if above else 'at most'} {other}"


def in_group_words(column: str, name: str, each: str = "", joined: int = 0) -> str:
    """Of which group, or groups, a figure of a claim is; ``joined`` of them count as one.

    >>> in_group_words("language", "de"), in_group_words("language", "", "every", 3)
    ("in language 'de'", 'in every language (the 3 smallest as one)')
    >>> in_group_words("language", "", "some", 1)
    'in some language'
    """
    if not each:
        return f"in {column} {name!r}"
    return f"in {each} {column}" + (f" (the {joined} smallest as one)" if joined > 1 else "")


def settled_words(status: str, form: Form) -> str:
    """A claim's status in a table or on one line; nothing but evidence shows a claim.

    >>> settled_words("decided", Form.STRICT), settled_words("decided", Form.APPROXIMATE)
    ('shown', 'likely')
    """
    words = LIKELY_SETTLED if form == Form.APPROXIMATE else SETTLED
    return words[ClaimStatus(status)]


def shown_words(status: str, form: Form) -> str:
    """The same as a short sentence without its full stop."""
    return (LIKELY_SHOWN if form == Form.APPROXIMATE else SHOWN)[ClaimStatus(status)]


def enough_words(alpha: float, form: Form) -> str:
    """How much evidence settles a claim, or would.

    >>> enough_words(0.05, Form.STRICT), enough_words(0.05, Form.APPROXIMATE)
    ('20 times decides', '20 times would prove it')
    """
    return f"{times_words(1 / alpha)} {'would prove it' if form == Form.APPROXIMATE else 'decides'}"


def claim_sentence(claim: Claim, given: str = "") -> str:
    """What the labels say of a claim, filled in."""
    refuted = claim.status == ClaimStatus.REFUTED
    evidence = claim.evidence_against if refuted else claim.evidence
    if claim.form == Form.APPROXIMATE:
        return _likely(claim, evidence, given)
    scope = claim.scope
    return CLAIMS[claim.status].format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        statement=claim.statement,
        alpha=f"{100 * claim.alpha:.3g} %",
        labels=labels_words(claim.labels_used, scope, given),
        times=f"evidence {times_words(evidence)}",
        needed=times_words(1 / claim.alpha),
    )


def claim_short(claim: Claim) -> str:
    """What the labels say of a claim, without scope, evidence and labels."""
    words = LIKELY_SHORT if claim.form == Form.APPROXIMATE else SHORT
    return words[claim.status].format(statement=claim.statement)


def claims_short(claims: Sequence[Claim]) -> str:
    """Every claim on a line of its own, for narrow screens."""
    return "\n".join(f"{settled_line([claim])} ({_how_far(claim)})" for claim in claims)


def settled_line(claims: Sequence[Claim]) -> str:
    """What came of every claim, each on a line."""
    return "\n".join(
        f"{claim.statement[:1].upper()}{one_line(claim.statement[1:], 120)}: "
        f"{settled_words(claim.status, claim.form)}"
        for claim in claims
    )


def _how_far(claim: Claim) -> str:
    """How far a claim has come: the ends of its region, or its evidence and what decides."""
    if claim.low is not None and claim.high is not None:
        low, high = percent_range(claim.low, claim.high)
        return f"{low} or more, {high} or less"
    strongest = times_number(max(claim.evidence, claim.evidence_against))
    return f"evidence {strongest} of {times_number(1 / claim.alpha)}"


def _likely(claim: Claim, evidence: float, given: str) -> str:
    scope = claim.scope
    low, high = percent_range(claim.low or 0.0, 1.0 if claim.high is None else claim.high)
    sure = confidence_words(1 - claim.alpha)
    return LIKELY[claim.status].format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        statement=claim.statement,
        low=low,
        high=high,
        promise=f"{sure} confidence, {claim.form}, {valid_words(claim.promise, scope)}",
        labels=labels_words(claim.labels_used, scope, given),
        times=times_words(evidence),
        needed=times_words(1 / claim.alpha),
    )


def times_words(evidence: float) -> str:
    """How strong evidence is, in round numbers that are never larger than it.

    >>> times_words(1.0), times_words(20.0), times_words(19.97), times_words(33.2)
    ('1 times', '20 times', '19.9 times', '33.2 times')
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
    if times >= 100:
        return f"{floor(times):,}"
    step = 10.0 ** min(floor(log10(times)) - 1, -1)
    return f"{floor(times / step) * step:.3g}"


def half_words(half: Sequence[int]) -> str:
    """How far the labels that settle the claims differ from session to session.

    >>> half_words([90, 250])
    'Half of the simulated sessions took 90 to 250 labels.'
    """
    low, high = half
    return f"Half of the simulated sessions took {low:,} to {high:,} labels."
