"""What each role may do, and what each page asks for: the one table that everything else reads.

Somebody alone on this machine is the owner. Where a page or an act asks for a right that a visitor
has not, it is refused on the server, whatever the page shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class NotAllowedError(ValueError):
    """Somebody asked for what their role does not allow."""


class Right(StrEnum):
    """Something that a role may do."""

    JUDGE = "judge items"
    SEE = "see figures and everybody's answers"
    SETTLE = "settle answers and judge again what others judged"
    RUN = "make, change and finish projects"


class Role(StrEnum):
    """What somebody is here."""

    OWNER = "owner"
    ADJUDICATOR = "adjudicator"
    ANNOTATOR = "annotator"
    VIEWER = "viewer"


RIGHTS: Mapping[Role, frozenset[Right]] = MappingProxyType(
    {
        Role.OWNER: frozenset(Right),
        Role.ADJUDICATOR: frozenset({Right.JUDGE, Right.SEE, Right.SETTLE}),
        Role.ANNOTATOR: frozenset({Right.JUDGE}),
        Role.VIEWER: frozenset({Right.SEE}),
    }
)

PAGES: Mapping[str, Right | None] = MappingProxyType(
    {
        "app": None,
        "new_project": Right.RUN,
        "label": Right.JUDGE,
        "progress": Right.SEE,
        "explore": Right.SEE,
        "review": Right.SEE,
        "report": Right.SEE,
        "method": None,
    }
)
"""{page, by the name of its file: the right it asks for}; None: any role will do, or, on the page
of a method, the right that goes with what it shows."""


def may(role: Role | None, right: Right | None) -> bool:
    """Whether a role has a right; None as right: any role, None as role: nobody who may come in.

    >>> may(Role.ANNOTATOR, Right.JUDGE), may(Role.VIEWER, Right.JUDGE), may(None, None)
    (True, False, False)
    """
    return role is not None and (right is None or right in RIGHTS[role])
