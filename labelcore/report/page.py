"""The report as one HTML file that needs no network."""

from __future__ import annotations

from labelcore.report import account, sections
from labelcore.report.claims import claims
from labelcore.report.facts import Facts, gather
from labelcore.report.figures import figures
from labelcore.report.front import apart, front
from labelcore.report.markup import Markup, element, joined
from labelcore.report.ranks import along_the_ranks
from labelcore.report.second_readings import second_readings
from labelcore.report.style import POLICY, STYLE
from labelcore.session.session import Session


def report_html(session: Session) -> str:
    """A self-contained page: no network, nothing of the content runs, readable and printable
    everywhere. The first line is one sentence to quote; marked *Interim* until ``finish``."""
    return page(gather(session))


def page(facts: Facts) -> str:
    """The text of ``report_html``."""
    return document(f"{facts.title}: report", *sections_of(facts))


def document(title: str, *children: Markup) -> str:
    """A page in the report's style, by the policy that lets nothing run."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        Markup(f"<style>{STYLE}</style>"),
    )
    body = element("body", element("main", *children))
    return "<!doctype html>\n" + element("html", head, body, lang="en").html + "\n"


def sections_of(facts: Facts) -> list[Markup]:
    """Everything that a report says, in order: page 1, the figures, and how they came about."""
    curve, drawn = figures(facts)
    return [
        front(facts, curve),
        joined(*(apart(facts, curve) if facts.judged else ())),
        sections.estimates(facts),
        joined(claims(facts)),
        joined(along_the_ranks(facts)),
        drawn,
        joined(sections.second_stage(facts)),
        second_readings(facts),
        account.caveats(facts),
        account.methods(facts),
        sections.appendix(facts),
        sections.question(facts),
        sections.population(facts),
        sections.plan(facts),
        account.labelling(facts),
        account.looks(facts),
        account.ending(facts),
        account.others(facts),
        account.recompute(facts),
    ]
