"""What a refused plan is told in: the arguments of a plan and the parameters of a method by the
names that the pages give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labelcore.designs import DESIGNS
from labelcore.designs.params import parameter_label
from labelcore.errors import Names, PlanError
from labelcore.plan.stop_rules import RULES
from labelcore.words.existing import SOURCES
from labelcore.words.promises import PROMISES

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
    return ARGUMENTS.get(name, name)


def value_words(name: str, value: Any) -> str:
    """An argument of a plan with its value, as the pages call it.

    >>> value_words("target", "process"), value_words("budget", 9)
    ('“Items like these”', 'number of items 9')
    """
    called = VALUES.get(name, {}).get(str(value))
    if name == "design" and value in DESIGNS:
        called = DESIGNS[value].label
    return f"{argument_words(name)} {value!r}" if called is None else f"“{called}”"


def refusal_words(error: PlanError, parameter: Callable[[str], str] = parameter_label) -> str:
    """What is wrong with a plan, its arguments and parameters called as they are on the pages.

    >>> from labelcore.errors import ParameterError, PlanArgumentError
    >>> refusal_words(ParameterError("n_above", "must be at least 1", got=0))
    'N above must be at least 1, got 0'
    >>> refusal_words(PlanArgumentError("budget", "must be at least 1", got=0))
    'Number of items must be at least 1, got 0'
    """
    text = error.worded(Names(parameter, argument_words, value_words))
    return text[:1].upper() + text[1:]
