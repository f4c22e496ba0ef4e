"""What a result claims for itself: its form, and the method that made it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """How far the promise of an interval is shown.

    STRICT       it holds in every population
    APPROXIMATE  it is not proved; how often such intervals hold was measured
    UNSTATED     the method says neither
    """

    STRICT = "strict"
    APPROXIMATE = "approximate"
    UNSTATED = ""


@dataclass(frozen=True, slots=True)
class Method:
    """How an interval or a choice was made.

    >>> str(Method("Wilson score interval", "Wilson (1927)", Form.APPROXIMATE))
    'Wilson score interval (approximate)'
    """

    name: str
    source: str
    form: Form = Form.UNSTATED

    def __str__(self) -> str:
        return f"{self.name} ({self.form})" if self.form else self.name
