"""What comes in from outside the core: entry points of installed packages, and of rooms beside it.

A package says in its ``pyproject.toml`` what it brings, in one of these groups:

    labelcore.designs      sampling methods, each a ``labelcore.designs.Method``
    labelcore.readers      ".suffix" -> a ``Reader`` of ``labelcore.population.formats``
    labelcore.item_kinds   a name -> a ``Reader`` of ``labelcore.items.forms``
    labelcore.exports      a name -> a ``LabelledForm`` of ``labelcore.exchange``
    labelcore.stores       "scheme" of an address -> what opens the store there
    labelcore.commands     a name -> a command of ``click``, in place of one of ours of that name
    labelcore.entrance     any name -> an ``Entrance`` of ``labelcore.ui.door``, who may come in
"""

import re
import warnings
from collections import UserDict
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any, TypeVar

BESIDE: Mapping[str, Mapping[str, str]] = {
    "labelcore.designs": {"papers": "labelcore.papers:METHODS"},
    "labelcore.stores": {"postgresql": "labelcore.team:postgres_store"},
    "labelcore.commands": {
        "app": "labelcore.team.commands:app",
        "people": "labelcore.team.commands:people",
    },
    "labelcore.entrance": {"team": "labelcore.team.entrance:TeamEntrance"},
}
"""What the rooms beside the core bring, as ``pyproject.toml`` says, too: they are found without
being installed, and passed over where their folder is away."""

Row = TypeVar("Row")


class PluginWarning(UserWarning):
    """Something that an installed package brings was left out."""


def loaded(reference: str) -> Any:
    """What ``package.module:name`` stands for."""
    return EntryPoint("", reference, "").load()


def brought(group: str, needed: bool = False) -> Iterator[tuple[str, Any]]:
    """Name and value of everything that comes in under a group; what fails to load is left out,
    with a warning, unless it is ``needed``: then its error is raised."""
    ours = BESIDE.get(group, {})
    for name, reference in ours.items():
        package, room, *_ = re.split("[.:]", reference)
        if find_spec(f"{package}.{room}") is not None:
            yield name, loaded(reference)
    for point in entry_points(group=group):
        if point.value not in ours.values():
            try:
                yield point.name, point.load()
            except Exception as error:
                if needed:
                    raise
                warn(f"{point.value}, an entry point of {group}, is left out: {error}")


def warn(message: str) -> None:
    warnings.warn(message, PluginWarning, stacklevel=2)


class Table(UserDict[str, Row]):
    """A table of the core whose further rows come in under a group, when it is first looked into.

    A row that is no ``kind``, or has the name of one that is there, is left out with a warning;
    where rows are ``replaceable``, the one that comes in takes its place.

    >>> table = Table("labelcore.nothing", {"own": 1}, int)
    >>> dict(table)
    {'own': 1}
    """

    def __init__(
        self, group: str, own: Mapping[str, Row], kind: Any, replaceable: bool = False
    ) -> None:
        self.group, self.own, self.kind, self.replaceable = group, own, kind, replaceable

    @cached_property
    def data(self) -> dict[str, Row]:  # type: ignore[override]
        rows = dict(self.own)
        for name, row in brought(self.group):
            if not isinstance(row, self.kind):
                warn(f"{name!r} of {self.group} is left out: it must be a {self.kind.__name__}")
            elif name in rows and not self.replaceable:
                warn(f"{name!r} of {self.group} is left out: there is one of this name")
            else:
                rows[name] = row
        return rows
