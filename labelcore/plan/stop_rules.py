"""The rules that end a session early, as a plan writes them: "margin", "claims", "deadline ..."."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from labelcore.errors import PlanError

RULES: dict[str, str] = {
    "margin": "every interval is within plus or minus the margin",
    "claims": "every claim is decided or refuted",
    "choice": "a candidate is chosen for sure, or none is acceptable for sure",
    "deadline": "a moment has passed, such as 'deadline 2027-01-31T18:00' (UTC unless it says so)",
}
LOOKING = ("margin", "claims", "choice")
"""Rules that look at the labels: they need a promise that holds at every look."""
ALL, ANY = "all", "any"


def read_stop(stop: object) -> tuple[str, ...]:
    """The rules as a plan keeps them: "all" first where all of them must hold.

    >>> read_stop(("any", "margin")), read_stop("deadline 2027-01-31T18:00")
    (('margin',), ('deadline 2027-01-31T18:00:00+00:00',))

    Raises TypeError, PlanError for an unknown rule, a moment that is none, "all" without a rule.
    """
    parts = [stop] if isinstance(stop, str) else stop
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise TypeError(f"stop must be names of rules, got {stop!r}")
    how = parts[0] if parts and parts[0] in (ALL, ANY) else None
    rules = [_rule(part) for part in (parts[1:] if how else parts)]
    if how and not rules:
        raise PlanError(f"stop says {how!r} and names no rule; known are {', '.join(RULES)}")
    if len(set(rules)) < len(rules):
        raise PlanError(f"stop names a rule twice: {', '.join(rules)}")
    return (ALL, *rules) if how == ALL and len(rules) > 1 else tuple(rules)


def _rule(text: str) -> str:
    name, _, rest = text.strip().partition(" ")
    if name not in RULES:
        raise PlanError(
            f"stop names {text!r}, which is not a stop rule; known are {', '.join(RULES)}, "
            "any of them, or all with ('all', ...)"
        )
    if name == "deadline":
        return f"deadline {_moment(text, rest).isoformat()}"
    if rest:
        raise PlanError(f"stop names {text!r}; the rule {name!r} takes nothing after its name")
    return name


def _moment(text: str, moment: str) -> datetime:
    try:
        found = datetime.fromisoformat(moment.strip())
    except ValueError:
        raise PlanError(
            f"stop names {text!r}; a deadline is written as 'deadline 2027-01-31T18:00'"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def rule_names(stop: Sequence[str]) -> tuple[str, ...]:
    """The names of the rules in force.

    >>> rule_names(("all", "margin", "deadline 2027-01-31T18:00:00+00:00"))
    ('margin', 'deadline')
    """
    return tuple(part.partition(" ")[0] for part in stop if part not in (ALL, ANY))


def deadline_of(stop: Sequence[str]) -> datetime | None:
    """The moment of the rule "deadline", None without it."""
    for part in stop:
        name, _, moment = part.partition(" ")
        if name == "deadline":
            return datetime.fromisoformat(moment)
    return None
