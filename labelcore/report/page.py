"""The report as one HTML file that needs no network."""

from labelcore.report import labelling_account, sections
from labelcore.report.claims import claims
from labelcore.report.error_cards import error_cards
from labelcore.report.facts import Facts
from labelcore.report.figures import figures
from labelcore.report.first_page import apart, confusion_tables, front
from labelcore.report.markup import Markup, element, joined
from labelcore.report.replayed import replayed
from labelcore.report.sections import along_the_ranks, second_readings
from labelcore.report.style import POLICY, SCRIPT, STYLE
from labelcore.session.session import Session

ACCOUNT = "Method, assumptions, and how to recompute it"


def report_html(session: Session, *, errors: bool = False) -> str:
    """A self-contained page to hand over: no network, nothing of the content runs, readable and
    printable everywhere. It begins with one sentence, what is known, and a replay of how that came
    about; the whole account stands folded below. Marked *Interim* until ``finish``.

    errors   whether items that the classifier got wrong stand in it, with what they hold
    """
    return page(session, Facts(session), error_cards(session) if errors else None)


def page(session: Session, facts: Facts, errors: Markup | None = None) -> str:
    """The text of ``report_html``."""
    replay = replayed(session, facts)
    first, *account = sections_of(facts, replay.figure if replay else None)
    folded = element("details", element("summary", ACCOUNT), *account, class_="account")
    parts = [part for part in (first, errors, folded) if part is not None]
    return document(f"{facts.title}: report", *parts, data=replay.data if replay else None)


def document(title: str, *children: Markup, data: Markup | None = None) -> str:
    """A page in the report's style, by the policy that lets nothing run but the page's own script,
    which is there with its data."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", STYLE),
    )
    script = None if data is None else element("script", SCRIPT)
    body = element("body", element("main", *children), data, script)
    return "<!doctype html>\n" + element("html", head, body, lang="en").html + "\n"


def sections_of(facts: Facts, played: Markup | None = None) -> list[Markup]:
    """Everything that a report says, in order: page 1, the figures, and how they came about.

    played   the part of page 1 that a script can play
    """
    curve, drawn = figures(facts, played=played is not None)
    return [
        front(facts, curve, played),
        joined(*(apart(facts, curve) if facts.judged else ())),
        sections.estimates(facts),
        joined(*confusion_tables(facts)[1:]),
        joined(claims(facts)),
        joined(along_the_ranks(facts)),
        drawn,
        joined(sections.second_stage(facts)),
        second_readings(facts),
        labelling_account.caveats(facts),
        labelling_account.methods(facts),
        sections.appendix(facts),
        sections.question(facts),
        sections.population(facts),
        sections.plan(facts),
        labelling_account.labelling(facts),
        labelling_account.looks(facts),
        labelling_account.ending(facts),
        labelling_account.others(facts),
        labelling_account.recompute(facts),
    ]
