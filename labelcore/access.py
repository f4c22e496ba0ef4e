"""What a visitor may do, and what each page asks for: the one table that everything else reads.

Somebody alone on this machine is the owner. Where a page or an act asks for a right that a visitor
has not, it is refused on the server, whatever the page shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class NotAllowedError(ValueError):
    """Somebody asked for what they may not do."""


class Right(StrEnum):
    """Something that a visitor may do."""

    JUDGE = "judge items"
    SEE = "see figures and everybody's answers"
    SETTLE = "settle answers and judge again what others judged"
    RUN = "make, change and finish projects"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever is at a page.

    name   under which answers are stored; "" where each browser says who it is
    role   what they are called here
    """

    name: str
    role: str
    rights: frozenset[Right]


OWNER = Visitor("", "owner", frozenset(Right))

PAGES: Mapping[str, Right | None] = MappingProxyType(
    {
        "app": None,
        "new_project": Right.RUN,
        "label": Right.JUDGE,
        "progress": Right.SEE,
        "explore": Right.SEE,
        "review": Right.SEE,
        "people": Right.SEE,
        "report": Right.SEE,
        "watch": Right.SEE,
        "method": None,
    }
)
"""{page, by the name of its file: the right it asks for}; None: any visitor who was let in, or, on
the page of a method, the right that goes with what it shows."""


def may(visitor: Visitor | None, right: Right | None) -> bool:
    """Whether a visitor has a right; None as right: any visitor, None as visitor: nobody.

    >>> may(OWNER, Right.JUDGE), may(Visitor("Ann", "viewer", frozenset()), None), may(None, None)
    (True, True, False)
    """
    return visitor is not None and (right is None or right in visitor.rights)
