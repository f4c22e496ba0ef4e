"""The rules that end a session early: one row each, with what it reads, when it is met, its words.

A plan writes a rule as its name and, for a rule that takes one, a value: "margin",
"deadline 2027-01-31T18:00". Nothing else in the package lists the rules.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from labelcore.errors import PlanArgumentError

ALL, ANY = "all", "any"


class Standing(Protocol):
    """What a rule may ask of a session at one moment; ``figures/stops.py`` answers."""

    @property
    def labels(self) -> int: ...

    @property
    def at(self) -> datetime | None:
        """The present moment, None where no clock is read."""

    def goal_reached(self) -> bool: ...

    def claims_settled(self) -> bool: ...

    def choice_made(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRule:
    """One row of the table.

    met     whether it ends a session, from where that stands and the rule's value
    needs   the fields of a plan that it is about, of which one must be given; () for none
    looks   whether it looks at the results, which needs a promise that holds at every look: it is
            there, and the default, for designs that name it; any other rule is there for all
    timed   whether its value is a moment, after which it is met: no simulation has one
    read    a written value as the plan keeps it. Raises ValueError. None: the rule takes none
    written what a value looks like, for the error
    value_words   the value in a sentence

    The words are those before the first label (``choice`` on a form, ``until`` after "as soon as"),
    while it goes on (``open``), and at the end (``short``, ``title``, ``was``). {goal} stands for
    the margin, {of_goal} for the same after a noun, {value} for the value.
    """

    name: str
    met: Callable[[Standing, str], bool]
    needs: tuple[str, ...] = ()
    looks: bool = False
    timed: bool = False
    read: Callable[[str], str] | None = None
    written: str = ""
    value_words: Callable[[str], str] = str
    choice: str
    until: str
    open: str
    short: str
    title: str
    was: str


def moment_words(moment: datetime) -> str:
    """A moment with the zone that it was given in.

    >>> moment_words(datetime.fromisoformat("2027-01-31T18:00+01:00"))
    '31 January 2027, 18:00 UTC+01:00'
    """
    return f"{moment.day} {moment:%B %Y, %H:%M %Z}"


def _read_moment(text: str) -> str:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _passed(now: Standing, moment: str) -> bool:
    return now.at is not None and now.at >= datetime.fromisoformat(moment)


_ROWS = (
    StopRule(
        name="margin",
        met=lambda now, _: now.goal_reached(),
        needs=("margin", "group_margin"),
        looks=True,
        choice="Every interval is as narrow as wanted",
        until="every interval is within plus or minus {goal}",
        open="the goal is not reached yet",
        short="goal reached",
        title="The goal is reached",
        was="the goal{of_goal} was reached",
    ),
    StopRule(
        name="claims",
        met=lambda now, _: now.claims_settled(),
        needs=("claims",),
        looks=True,
        choice="Every claim is settled: shown, or shown to be false",
        until="every claim is decided or refuted",
        open="not every claim is settled yet",
        short="claims settled",
        title="The claims are settled",
        was="every claim was decided or refuted",
    ),
    StopRule(
        name="choice",
        met=lambda now, _: now.choice_made(),
        looks=True,
        choice="The choice is made, or every candidate is shown not to be good enough",
        until="the choice between the candidates is made",
        open="the choice is not made yet",
        short="choice made",
        title="The choice is made",
        was="the choice between the candidates was made",
    ),
    StopRule(
        name="deadline",
        met=_passed,
        timed=True,
        read=_read_moment,
        written="'deadline 2027-01-31T18:00' (UTC unless it says so)",
        value_words=lambda moment: moment_words(datetime.fromisoformat(moment)),
        choice="A deadline has passed",
        until="it is {value}",
        open="the deadline has not passed yet",
        short="deadline passed",
        title="The deadline has passed",
        was="the deadline {value} had passed",
    ),
)
RULES: dict[str, StopRule] = {row.name: row for row in _ROWS}


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
        none = "says {value!r} and names no rule; known are {known}"
        raise PlanArgumentError.naming("stop", none, value=how, known=", ".join(RULES))
    if len(set(rules)) < len(rules):
        raise PlanArgumentError(
            "stop", f"names a rule twice: {', '.join(rules)}", value=tuple(rules)
        )
    return (ALL, *rules) if how == ALL and len(rules) > 1 else tuple(rules)


def _rule(text: str) -> str:
    name, value = rule_parts(text)
    if name not in RULES:
        raise PlanArgumentError(
            "stop",
            f"names {text!r}, which is not a stop rule; known are {', '.join(RULES)}, any "
            "of them, or all with ('all', ...)",
            value=text,
        )
    row = RULES[name]
    if row.read is None:
        if value:
            nothing = "names {value!r}; the rule {name!r} takes nothing after its name"
            raise PlanArgumentError.naming("stop", nothing, value=text, name=name)
        return name
    try:
        return f"{name} {row.read(value)}"
    except ValueError:
        raise PlanArgumentError(
            "stop", f"names {text!r}; write it as {row.written}", value=text
        ) from None


def rule_parts(rule: str) -> tuple[str, str]:
    """The name of a rule and its value, "" where it takes none.

    >>> rule_parts("deadline 2027-01-31T18:00"), rule_parts("margin")
    (('deadline', '2027-01-31T18:00'), ('margin', ''))
    """
    name, _, value = rule.strip().partition(" ")
    return name, value.strip()


def rules_in(stop: Sequence[str]) -> tuple[str, ...]:
    """The rules in force, each as the plan writes it.

    >>> rules_in(("all", "margin", "deadline 2027-01-31T18:00:00+00:00"))
    ('margin', 'deadline 2027-01-31T18:00:00+00:00')
    """
    return tuple(part for part in stop if part not in (ALL, ANY))


def rule_names(stop: Sequence[str]) -> tuple[str, ...]:
    """The names of the rules in force.

    >>> rule_names(("all", "margin", "deadline 2027-01-31T18:00:00+00:00"))
    ('margin', 'deadline')
    """
    return tuple(rule_parts(rule)[0] for rule in rules_in(stop))


def looking(names: Sequence[str]) -> tuple[str, ...]:
    """Those of the rules that look at the results.

    >>> looking(("claims", "deadline"))
    ('claims',)
    """
    return tuple(name for name in names if RULES[name].looks)


def wanted(names: Sequence[str], asked: object) -> tuple[str, ...]:
    """Those of the rules that look, for what a plan or a form asks for: its fields are read."""
    given = (name for name in looking(names) if RULES[name].needs)
    missing = {
        name for name in given if not any(getattr(asked, need, None) for need in RULES[name].needs)
    }
    return tuple(name for name in looking(names) if name not in missing)


def available(looked: Sequence[str]) -> tuple[str, ...]:
    """The rules of a design, given those that it has of the ones that look.

    >>> {*available(("choice",))} - {*available(())}
    {'choice'}
    """
    return tuple(name for name, row in RULES.items() if name in looked or not row.looks)


def met_rules(stop: Sequence[str], now: Standing) -> tuple[str, ...]:
    """The rules that end a session now, as the plan writes them; none where it goes on."""
    rules = rules_in(stop)
    parts = ((rule, *rule_parts(rule)) for rule in rules)
    met = [rule for rule, name, value in parts if RULES[name].met(now, value)]
    enough = len(met) == len(rules) if stop[:1] == (ALL,) else bool(met)
    return tuple(met) if enough else ()
