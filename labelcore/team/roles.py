"""What each role may do: the one table that the door, the commands and docs/roles.md share."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from labelcore.access import Right, Visitor


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


def visitor_as(role: Role, name: str = "") -> Visitor:
    """Somebody with a role.

    >>> Right.SEE in visitor_as(Role.VIEWER).rights, Right.JUDGE in visitor_as(Role.VIEWER).rights
    (True, False)
    """
    return Visitor(name, str(role), RIGHTS[role])
