"""What ends a session, in words: the rules beforehand, and which of them it was afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from labelcore.log.events import Event
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import ALL, deadline_of, rule_names
from labelcore.words.sentences import count, goal_points

SHORT = {
    "margin": "goal reached",
    "claims": "claims settled",
    "choice": "choice made",
    "deadline": "deadline passed",
}
TITLES = {
    "margin": "The goal is reached",
    "claims": "The claims are settled",
    "choice": "The choice is made",
    "deadline": "The deadline has passed",
}
SEVERAL = "The session has ended as planned"


def stopped_for(events: Sequence[Event]) -> str:
    """The rules that ended the session last, as its log has them; "" where none did."""
    return next((event.text or "" for event in reversed(events) if event.kind == "stopped"), "")


def rules_of(reason: str) -> tuple[str, ...]:
    """
    >>> rules_of("margin; deadline 2027-01-31T18:00+00:00")
    ('margin', 'deadline 2027-01-31T18:00+00:00')
    """
    return tuple(part.strip() for part in reason.split(";") if part.strip()) or ("margin",)


def stopped_short(reason: str) -> str:
    """
    >>> stopped_short("claims; deadline 2027-01-31T18:00+00:00"), stopped_short("")
    ('claims settled and deadline passed', 'goal reached')
    """
    return " and ".join(SHORT[name] for name in rule_names(rules_of(reason)))


def stopped_title(reason: str) -> str:
    """
    >>> stopped_title("claims"), stopped_title("margin; claims")
    ('The claims are settled', 'The session has ended as planned')
    """
    names = rule_names(rules_of(reason))
    return TITLES[names[0]] if len(names) == 1 else SEVERAL


def stopped_words(reason: str, margin: float | None) -> str:
    """What had come true when the session ended.

    >>> stopped_words("margin; deadline 2027-01-31T18:00+00:00", 0.05)
    'the goal of plus or minus 5.0 points was reached and the deadline 31 January 2027, 18:00 \
UTC had passed'
    """
    goal = "" if margin is None else f" of plus or minus {goal_points(margin)}"
    said = {
        "margin": f"the goal{goal} was reached",
        "claims": "every claim was decided or refuted",
        "choice": "the choice between the candidates was made",
    }
    parts = []
    for rule in rules_of(reason):
        moment = deadline_of((rule,))
        name = rule.partition(" ")[0]
        parts.append(f"the deadline {moment_words(moment)} had passed" if moment else said[name])
    return _listed(parts, "and")


def stop_words(stop: Iterable[str], margin: float | None) -> str:
    """When a plan's session ends by itself; "" where only its size ends it.

    >>> stop_words(("all", "margin", "claims"), 0.05)
    'as soon as every interval is within plus or minus 5.0 points and every claim is decided or \
refuted'
    """
    rules = tuple(stop)
    said = {
        "margin": "every interval is within plus or minus " + goal_points(margin or 0),
        "claims": "every claim is decided or refuted",
        "choice": "the choice between the candidates is made",
    }
    parts = []
    for rule in (rule for rule in rules if rule != ALL):
        moment = deadline_of((rule,))
        parts.append(f"it is {moment_words(moment)}" if moment else said[rule])
    joined = _listed(parts, "and" if rules[:1] == (ALL,) else "or")
    return f"as soon as {joined}" if parts else ""


def planned_words(plan: Plan, noun: str = "label") -> str:
    """The planned size; with a calibrated stop, and counted in draws, it is the most.

    >>> plan = Plan("simple_random", ["f1"], budget=50)
    >>> planned_words(plan.with_planned(50))
    '50 labels'
    """
    most = "at most " if plan.calibrated_stop else ""
    if plan.method.counts_draws:
        most, noun = "at most ", "draw"
    return most + count(int(plan.planned or 0), noun)


def moment_words(moment: datetime) -> str:
    """A moment with the zone that it was given in.

    >>> moment_words(datetime.fromisoformat("2027-01-31T18:00+01:00"))
    '31 January 2027, 18:00 UTC+01:00'
    """
    return f"{moment.day} {moment:%B %Y, %H:%M %Z}"


def _listed(parts: Sequence[str], last: str) -> str:
    return f", {last} ".join(parts) if len(parts) > 2 else f" {last} ".join(parts)
