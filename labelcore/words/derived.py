"""What a method derives from its parameters, in words."""

from collections.abc import Mapping
from typing import Any

from labelcore.designs import DESIGNS


def derived_lines(design: str, derived: Mapping[str, Any]) -> list[str]:
    """A line for each figure for which the design has words."""
    return [
        f"{words}: {derived_words(derived[name])}"
        for name, words in DESIGNS[design].derived_words.items()
        if derived.get(name) is not None
    ]


def derived_words(value: Any) -> str:
    """A number, or one for each classifier.

    >>> derived_words(11292), derived_words({"B": 0.5, "C": 0.25})
    ('11,292', 'B 0.5, C 0.25')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {derived_words(number)}" for name, number in value.items())
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
