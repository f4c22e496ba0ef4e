"""Claims on the screen: what the labels say of each, and the evidence as a picture."""

from collections.abc import Callable, Sequence

import streamlit as st

from labelcore.charts.base import Chart
from labelcore.charts.evidence import evidence_chart
from labelcore.promises import ClaimStatus
from labelcore.results.types import Claim, Estimate
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui.status import figure_name
from labelcore.words import sentences as words
from labelcore.words.claims import enough_words, times_words
from labelcore.words.sentences import FORMS

FORMS_TITLE = "How these intervals are made"
LONGEST_CLAIM = 200
LEAST_TAIL, MOST_TAILS = 0.1, 4
ONE_END = "The interval of the same figure may extend past this, because it guards both ends."


def evidence_words(claim: Claim) -> str:
    """How strong the evidence is on either side, and why an interval may seem to say less."""
    both_ends = (
        "" if claim.status == ClaimStatus.UNDECIDED or claim.value is None else f"\n{ONE_END}"
    )
    enough = enough_words(claim.alpha, claim.form)
    return (
        f"Evidence for it {times_words(claim.evidence)} · against it "
        f"{times_words(claim.evidence_against)} · {enough}{both_ends}"
    )


def claims_panel(session: Session, draw: Callable[[Chart, str, str], None], said: str) -> None:
    """Every claim in words but for the sentence that stands above already (``said``), and the
    evidence of one of them."""
    claims = session.results().of(Claim)
    for place, claim in enumerate(claims):
        with st.container(key=f"claim-{place}"):
            repeats = claim.sentence() == said
            st.text("\n".join([*([] if repeats else [claim.sentence()]), evidence_words(claim)]))
    claim = claims[0]
    if len(claims) > 1:
        keys = [claim.claim for claim in claims]
        key = st.selectbox(
            "Evidence for which claim?",
            keys,
            format_func=lambda name: one_line(name, LONGEST_CLAIM),
            key="which-claim",
        )
        claim = claims[keys.index(str(key))]
    chart = evidence_chart(
        session.looks(), claim.claim, alpha=claim.alpha, statement=claim.statement, form=claim.form
    )
    draw(chart, "evidence", "The evidence as a table")


def form_lines(estimates: Sequence[Estimate]) -> str:
    """How far the promise of the intervals goes, what it rests on, and where they are open."""
    figures: dict[str, list[str]] = {}
    for estimate in estimates:
        if estimate.form in FORMS and estimate.has_interval:
            sentence = f"{FORMS[estimate.form]}."
            figures.setdefault(sentence, []).append(figure_name(estimate))
    lines = [f"{', '.join(names)}: {sentence}" for sentence, names in figures.items()]
    return "\n".join([*lines, *filter(None, [tail_words(estimates)])])


def tail_words(estimates: Sequence[Estimate]) -> str:
    """The figures that owe much of their width to parts where nothing was found, most first.

    >>> from types import SimpleNamespace
    >>> from labelcore.results.types import Scope
    >>> found = SimpleNamespace(estimand="recall", tail_share=0.62, has_interval=True)
    >>> found.scope = Scope()
    >>> tail_words([found])
    'No positive item was found yet in some parts of the file; more labels narrow what comes from
    there: Recall 62 % of its uncertainty.'
    """
    tails = [(figure_name(estimate), words.tail_of(estimate)) for estimate in estimates]
    owed = {name: share for name, share in tails if share >= LEAST_TAIL}
    most = sorted(owed.items(), key=lambda pair: -pair[1])[:MOST_TAILS]
    if not most:
        return ""
    shares = ", ".join(f"{name} {words.percent(share, 0)}" for name, share in most)
    return (
        "No positive item was found yet in some parts of the file; more labels narrow what comes "
        f"from there: {shares} of its uncertainty."
    )
