"""What a visitor may do, and what each page asks for: the one table that everything else reads.

Somebody alone on this machine is the owner. Where a page or an act asks for a right that a visitor
has not, it is refused on the server, whatever the page shows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


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
    rights in every project, and outside of projects
    there  {key of a project: role and rights} besides, in that project alone
    """

    name: str
    role: str
    rights: frozenset[Right]
    there: Mapping[str, tuple[str, frozenset[Right]]] = field(default_factory=dict)

    def at(self, project: str) -> Visitor:
        """The same person in a project, by its key.

        >>> ann = Visitor("Ann", "guest", frozenset(), {"k": ("viewer", frozenset({Right.SEE}))})
        >>> ann.at("k").role, may(ann.at("k"), Right.SEE), may(ann.at("other"), Right.SEE)
        ('viewer', True, False)
        """
        role, rights = self.there.get(project, (self.role, frozenset()))
        return Visitor(self.name, role, self.rights | rights)


OWNER = Visitor("", "owner", frozenset(Right))

OF_PROJECTS: Mapping[str, Right] = {
    "label": Right.JUDGE,
    "progress": Right.SEE,
    "explore": Right.SEE,
    "review": Right.SEE,
    "people": Right.SEE,
    "report": Right.SEE,
}
"""Pages of one project, in the order of their links; others ask for a right in every project."""
PAGES: Mapping[str, Right | None] = {
    "app": None,
    "new_project": Right.RUN,
    **OF_PROJECTS,
    "watch": Right.SEE,
    "audit": Right.RUN,
    "method": None,
}
"""{page, by the name of its file: the right it asks for}; None: any visitor who was let in, or, on
the page of a method, the right that goes with what it shows."""


def key_of(created_at: str, fingerprint: str) -> str:
    """What a project is known by where roles are kept, whatever it is called."""
    text = f"labelcore project\n{created_at}\n{fingerprint}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


Listener = Callable[[str, str, str], None]
LISTENERS: list[Listener] = []
"""What is told of a login, a refusal and a role: what happened, who, and about what."""


def note(happened: str, who: str, about: str = "") -> None:
    """Tell the listeners; never contents, never keys.

    happened   "login", "refused", "role", "role taken", "link opened" or "withdrawn"
    """
    for listener in LISTENERS:
        listener(happened, who, about)


def may(visitor: Visitor | None, right: Right | None) -> bool:
    """Whether a visitor has a right; None as right: any visitor, None as visitor: nobody.

    >>> may(OWNER, Right.JUDGE), may(Visitor("Ann", "viewer", frozenset()), None), may(None, None)
    (True, True, False)
    """
    return visitor is not None and (right is None or right in visitor.rights)
