"""What a refused plan is told in: the arguments of a plan and the parameters of a method by the
names that the pages give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from labelcore.designs import DESIGNS
from labelcore.designs.params import parameter_label
from labelcore.errors import Names, PlanError
from labelcore.estimands import ESTIMANDS
from labelcore.plan.stop_rules import RULES
from labelcore.words.existing import SOURCES
from labelcore.words.promises import PROMISES
from labelcore.words.quantities import label_of

TARGETS = {"file": "This file", "process": "Items like these"}
ARGUMENTS = {
    "design": "method",
    "estimands": "question",
    "by": "choice of groups",
    "budget": "number of items",
    "margin": "goal",
    "claims": "list of claims",
    "claim_form": "proof of the claims",
    "stop": "stop rule",
    "target": "scope",
    "existing": "use of known answers",
    "repeats": "share shown twice",
    "overlap": "share judged by several people",
    "readers": "number of people",
    "planned": "planned size",
    "params": "list of parameters",
    "sure_scores": "list of turned scores",
}
VALUES: Mapping[str, Mapping[str, str]] = {
    "promise": {promise.value: words for promise, words in PROMISES.items()},
    "target": TARGETS,
    "existing": SOURCES,
    "stop": {name: rule.choice for name, rule in RULES.items()},
}


def argument_words(name: str) -> str:
    """An argument of a plan as the pages call it."""
    return ARGUMENTS.get(name, parameter_label(name))


def value_alone(name: str, value: Any) -> str:
    """A value of an argument or a parameter, as the pages call it; "" where it stands as it is.

    >>> value_alone("margin", 0.135), value_alone("interval", "wilson"), value_alone("budget", 9)
    ('± 13.5 points', '“labels only”', '')
    """
    if name in ("margin", "group_margin"):
        return f"± {100 * value:g} points"
    called = VALUES.get(name, {}).get(str(value))
    if name == "design" and value in DESIGNS:
        called = DESIGNS[value].label
    elif name == "estimands" and value in ESTIMANDS:
        called = label_of(value)
    elif name not in (*VALUES, *ARGUMENTS):
        params = (item for design in DESIGNS.values() for item in fields(design.Params))
        words = (item.metadata["called"].get(str(value)) for item in params if item.name == name)
        called = next(filter(None, words), None)
    return "" if called is None else f"“{called}”"


def value_words(name: str, value: Any) -> str:
    """An argument of a plan, or a parameter, with its value, as the pages call it.

    >>> value_words("target", "process"), value_words("budget", 9)
    ('“Items like these”', 'number of items 9')
    """
    said = value_alone(name, value)
    if said and (name in VALUES or name == "design"):
        return said
    return f"{argument_words(name)} {said or repr(value)}"


def refusal_words(error: PlanError, parameter: Callable[[str], str] = parameter_label) -> str:
    """What is wrong with a plan, its arguments and parameters called as they are on the pages.

    >>> from labelcore.errors import PlanArgumentError
    >>> refusal_words(PlanArgumentError("budget", "must be at least 1", got=0))
    'Number of items must be at least 1, got 0'
    """
    text = error.worded(Names(parameter, argument_words, value_words, value_alone))
    return text[:1].upper() + text[1:]
