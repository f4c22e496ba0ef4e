"""What ends a session, in words: the rules beforehand, and which of them it was afterwards."""

from collections.abc import Iterable, Sequence

from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import ALL, RULES, looking, rule_names, rule_parts, rules_in
from labelcore.words.sentences import count, goal_points

SEVERAL = "The session has ended as planned"


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
    return " and ".join(RULES[name].short for name in rule_names(rules_of(reason)))


def stopped_title(reason: str) -> str:
    """
    >>> stopped_title("claims"), stopped_title("margin; claims")
    ('The claims are settled', 'The session has ended as planned')
    """
    names = rule_names(rules_of(reason))
    return RULES[names[0]].title if len(names) == 1 else SEVERAL


def stopped_words(reason: str, margin: float | None) -> str:
    """What had come true when the session ended.

    >>> stopped_words("margin; deadline 2027-01-31T18:00+00:00", 0.05)
    'the goal of plus or minus 5.0 points was reached and the deadline 31 January 2027, 18:00 \
UTC had passed'
    """
    return _listed([_filled("was", rule, margin) for rule in rules_of(reason)], "and")


def stop_words(stop: Iterable[str], margin: float | None) -> str:
    """When a plan's session ends by itself; "" where only its size ends it.

    >>> stop_words(("all", "margin", "claims"), 0.05)
    'as soon as every interval is within plus or minus 5.0 points and every claim is decided or \
refuted'
    """
    rules = tuple(stop)
    parts = [_filled("until", rule, margin) for rule in rules_in(rules)]
    joined = _listed(parts, "and" if rules[:1] == (ALL,) else "or")
    return f"as soon as {joined}" if parts else ""


def _filled(field: str, rule: str, margin: float | None) -> str:
    """One of a rule's sentences, with the plan's goal and the rule's value in it."""
    name, value = rule_parts(rule)
    row, goal = RULES[name], goal_points(margin or 0)
    return str(getattr(row, field)).format(
        goal=goal,
        of_goal="" if margin is None else f" of plus or minus {goal}",
        value=row.value_words(value) if value else "",
    )


def open_words(names: Sequence[str]) -> str:
    """What labelling goes on for under the rules that look at the results; of a session without
    one, its goal.

    >>> open_words(["claims", "deadline"]), open_words([])
    ('not every claim is settled yet', 'the goal is not reached yet')
    """
    return " and ".join(RULES[name].open for name in looking(names) or ("margin",))


def planned_words(plan: Plan, planned: int | None = None) -> str:
    """The plan's size, which labels may forecast anew, or ``planned``; in draws it is the most.

    >>> plan = Plan("simple_random", ["f1"], budget=50)
    >>> planned_words(plan.with_planned(50))
    '50 labels'
    """
    size = int(plan.planned or 0) if planned is None else planned
    words = f"at most {count(size, 'draw')}" if plan.counts_draws else count(size)
    return f"{words}, a first forecast" if plan.learns and planned is None else words


def _listed(parts: Sequence[str], last: str) -> str:
    return f", {last} ".join(parts) if len(parts) > 2 else f" {last} ".join(parts)
