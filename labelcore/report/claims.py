"""The claims of a plan: what was laid down, what the labels say of it, and since when."""

from collections.abc import Iterator, Mapping
from typing import Any

from labelcore.charts.base import Chart
from labelcore.charts.evidence import evidence_chart
from labelcore.promises import ClaimStatus, Form
from labelcore.report.dates import moment_words
from labelcore.report.facts import Facts
from labelcore.report.markup import Child, Markup, element, table, theirs, tied
from labelcore.report.sections import section
from labelcore.results.types import Claim
from labelcore.words.claims import settled_words, times_number, times_words
from labelcore.words.sentences import confidence_words, count

HEAD = (
    "Claim",
    "Status",
    "For",
    "Against",
    "Needed",
    "Error level",
    "Labels",
    "First seen settled",
)
INTRO = (
    "Laid down before the first label. Evidence for a claim is how many times better a scheme "
    "fixed beforehand predicts the labels than any truth in which the claim is false; evidence "
    "against it, than any truth in which it holds. Items without a verdict count in whichever way "
    "leaves the least evidence. Both may be looked at after every label. The claims share the "
    "error level of the plan."
)

INTRO_LIKELY = (
    "The claims of this plan are approximate: each is called likely, or likely false, as soon as "
    "an end of its interval passes the number claimed. Each end alone has the error level of the "
    "claim, up to the labels that the plan is for; that was measured, not proved. The evidence, "
    "which is proved, stands beside it and decides nothing here."
)


REOPENED = (
    "'{claim}' was {status} at {labels}, with evidence of {then}; with the labels since, the "
    "evidence is {now}. The error level covers the first time that the evidence reaches "
    "{needed}, however it moves afterwards, as long as no answer given before was changed."
)

OPEN_AGAIN = (
    "'{claim}' was {status} at {labels} and is open now. The error level covers every look, also "
    "that one, as long as no answer given before was changed."
)


def claims(facts: Facts) -> Markup | None:
    """Every claim with its status, its evidence and when it was first seen settled."""
    tested = facts.claims
    if not tested:
        return None
    return section(
        "claims",
        "Claims",
        element("p", INTRO),
        *([element("p", INTRO_LIKELY)] if tested[0].form == Form.APPROXIMATE else ()),
        element("ul", *(element("li", tied(claim.sentence())) for claim in tested)),
        *(element("p", tied(sentence)) for sentence in reopened(facts)),
        table("Claims, with the evidence in times", HEAD, [_row(facts, claim) for claim in tested]),
    )


def reopened(facts: Facts) -> Iterator[str]:
    """A sentence for each claim that was settled at a look and is open now."""
    for claim in facts.claims:
        seen = first_seen(facts, claim) if claim.status == ClaimStatus.UNDECIDED else None
        if seen is not None and claim.form == Form.APPROXIMATE:
            yield OPEN_AGAIN.format(
                claim=claim.claim,
                status=settled_words(seen[1]["results"][claim.claim]["state"], claim.form),
                labels=count(int(seen[1]["labels"])),
            )
        elif seen is not None:
            then = seen[1]["results"][claim.claim]
            side = "evidence" if then["state"] == ClaimStatus.DECIDED else "evidence_against"
            yield REOPENED.format(
                claim=claim.claim,
                status=settled_words(then["state"], claim.form),
                labels=count(int(seen[1]["labels"])),
                then=times_words(then[side]),
                now=times_words(getattr(claim, side)),
                needed=times_words(1 / claim.alpha),
            )


def _row(facts: Facts, claim: Claim) -> list[Child]:
    return [
        theirs(claim.claim),
        settled_words(claim.status, claim.form),
        times_number(claim.evidence),
        times_number(claim.evidence_against),
        times_number(1 / claim.alpha),
        confidence_words(claim.alpha),
        f"{claim.labels_used:,}",
        _first_words(facts, claim),
    ]


def first_seen(facts: Facts, claim: Claim) -> tuple[int, Mapping[str, Any]] | None:
    """The first look, counted from 1, that saw the claim decided or refuted; None without one."""
    for number, look in enumerate(facts.looks, start=1):
        if look.get("results", {}).get(claim.claim, {}).get("state") in (
            ClaimStatus.DECIDED,
            ClaimStatus.REFUTED,
        ):
            return number, look
    return None


def _first_words(facts: Facts, claim: Claim) -> str:
    first = first_seen(facts, claim)
    if first is None:
        return "–"
    number, look = first
    text = f"{count(int(look['labels']))}, look {number:,}, {moment_words(look['at'])}"
    return f"{text}; open again" if claim.status == ClaimStatus.UNDECIDED else text


def evidence_charts(facts: Facts) -> Iterator[tuple[str, Chart]]:
    """The evidence for each claim over the labels."""
    looks = facts.looks
    for claim in facts.claims if looks else ():
        chart = evidence_chart(
            looks, claim.claim, alpha=claim.alpha, statement=claim.statement, form=claim.form
        )
        yield f"Evidence: {claim.claim}", chart


def claims_text(facts: Facts) -> str:
    """The claims in the methods paragraph, with a space before it; "" without claims."""
    tested = facts.claims
    if not tested:
        return ""
    first = tested[0]
    named = "; ".join(claim.claim for claim in tested)
    many = len(tested) > 1
    methods = " and ".join(dict.fromkeys(f"{claim.method} ({claim.source})" for claim in tested))
    return (
        f" The {'claims' if many else 'claim'} {named} {'were' if many else 'was'} laid down with "
        f"the plan and tested at every look by {methods}, "
        f"{'each ' if many else ''}at the level {confidence_words(first.alpha)}: "
        f"{_settling(first)}."
    )


def _settling(claim: Claim) -> str:
    """What decides or refutes a claim."""
    if claim.form == Form.APPROXIMATE:
        return "an end of this interval beyond the number claimed makes it likely, or likely false"
    return f"evidence of {times_words(1 / claim.alpha)} decides or refutes it"
