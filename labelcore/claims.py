"""What a plan claims before the first label: "precision >= 0.9", "accuracy[A] > accuracy[B]"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from labelcore.errors import PlanError
from labelcore.estimands import SCALARS

# A name in brackets or after "@" may hold a sign of its own, as in "accuracy[lr>=0.3] > 0.8".
SIDE = re.compile(r"(\w+)\s*(?:\[([^\]]+)\])?\s*(?:@(.+))?")
FORM = re.compile(
    r"(?P<left>\w+\s*(?:\[[^\]]+\])?\s*(?:@.+)?)\s*(?P<relation>>=|<=|>|<|≥|≤)\s*(?P<right>.+)",
    re.DOTALL,
)
NUMBER = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(%?)")
RELATIONS = {"≥": ">=", "≤": "<="}
EXAMPLES = "'precision >= 0.9' or 'accuracy[A] > accuracy[B]'"


@dataclass(frozen=True, slots=True)
class Quantity:
    """An estimand by name, of the classifier or class in brackets, of the classifier after "@"."""

    estimand: str
    inside: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim as it was read: ``left`` is above (or, if not ``above``, below) ``right``."""

    text: str
    left: Quantity
    right: Quantity | float
    above: bool

    @property
    def compares(self) -> bool:
        """Whether two quantities are compared, not one with a number."""
        return isinstance(self.right, Quantity)


def read_claim(text: object) -> ClaimText:
    """Read a claim; raises TypeError for anything but text, PlanError with the rule it breaks.

    >>> read_claim("recall >= 80 %").right, read_claim("accuracy[A] > accuracy[B]").left.inside
    (0.8, 'A')
    """
    if not isinstance(text, str):
        raise TypeError(f"claims must be a list of texts, got {text!r}")
    form = FORM.fullmatch(text.strip())
    if form is None:
        raise PlanError(f"claims holds {text!r}, which is not a claim such as {EXAMPLES}")
    left = _quantity(text, form["left"])
    if left is None:
        raise PlanError(f"claims holds {text!r}, which must begin with one of {', '.join(SCALARS)}")
    right: Quantity | float | None = _quantity(text, form["right"])
    if right is None:
        right = _number(text, form["right"])
    elif isinstance(right, Quantity) and right.estimand != left.estimand:
        raise PlanError(
            f"claims holds {text!r}, which compares {left.estimand!r} with {right.estimand!r}; "
            "a comparison is between two classifiers in the same quantity"
        )
    above = RELATIONS.get(form["relation"], form["relation"]).startswith(">")
    return ClaimText(text, left, right, above)


def _quantity(text: str, side: str) -> Quantity | None:
    found = SIDE.fullmatch(side.strip())
    if found is None or found[1].lower() not in SCALARS:
        return None
    return Quantity(found[1].lower(), *(part and part.strip() for part in found.groups()[1:]))


def _number(text: str, side: str) -> float:
    found = NUMBER.fullmatch(side.strip())
    try:
        value = float(found[1]) / (100 if found[2] else 1) if found else float("nan")
    except ValueError:
        value = float("nan")
    if not 0 < value < 1:
        raise PlanError(
            f"claims holds {text!r}, where {side.strip()!r} must be a share between 0 and 1, such "
            "as 0.9 or 90 %, or the same quantity of another classifier"
        )
    return value
