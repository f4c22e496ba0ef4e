"""What each role may do: the one table that the door, the commands and docs/roles.md share."""

from collections.abc import Iterable, Mapping
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


GUEST = "guest"
"""What somebody is called outside of the projects in which they have a role."""


def visitor_of_roles(
    name: str, everywhere: Iterable[Role], there: Mapping[str, Iterable[Role]]
) -> Visitor:
    """Somebody with roles in every project and, by the keys of projects, in some.

    >>> ann = visitor_of_roles("Ann", [], {"k": [Role.VIEWER, Role.ANNOTATOR]})
    >>> ann.role, ann.at("k").role, sorted(map(str, ann.at("k").rights))
    ('guest', 'annotator, viewer', ['judge items', "see figures and everybody's answers"])
    """
    first = [*everywhere]
    both = {key: [*first, *more] for key, more in there.items()}
    return Visitor(
        name,
        _called(first) or GUEST,
        _rights(first),
        {key: (_called(roles), _rights(roles)) for key, roles in both.items()},
    )


def _called(roles: Iterable[Role]) -> str:
    return ", ".join(role for role in Role if role in roles)


def _rights(roles: Iterable[Role]) -> frozenset[Right]:
    return frozenset().union(*(RIGHTS[role] for role in roles))


def visitor_as(role: Role) -> Visitor:
    """Somebody with a role.

    >>> Right.SEE in visitor_as(Role.VIEWER).rights, Right.JUDGE in visitor_as(Role.VIEWER).rights
    (True, False)
    """
    return Visitor("", str(role), RIGHTS[role])
