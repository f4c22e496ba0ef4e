"""The door for sampling methods, ours and those of other packages: ``Method`` and ``register``.

A package says in its ``pyproject.toml`` where its methods are, and they are found with the others:

    [project.entry-points."labelcore.designs"]
    tenths = "labelcore_tenths:TENTHS"
"""

from collections import UserDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labelcore.designs.agreement_patterns import AgreementPatterns
from labelcore.designs.base import Design
from labelcore.designs.contracts import check_design
from labelcore.designs.geometric_strata import GeometricStrata
from labelcore.designs.paired_comparison import PairedComparison
from labelcore.designs.paired_lists import PairedLists
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.designs.simple_random import SimpleRandom
from labelcore.errors import ContractError
from labelcore.plugins import brought, warn

GROUP = "labelcore.designs"


@dataclass(frozen=True)
class Planner:
    """What a method would give on a file, shown before any project and any label.

    title   how it is called on *Compare methods*
    show    ``package.module:function`` that draws it, given what was chosen of the file
    """

    title: str
    show: str


@dataclass(frozen=True)
class Page:
    """A page of the app that comes with a method.

    name      in its address
    show      ``package.module:function`` that draws it; given the name of the project if it is
              ``of_project``
    link      what the way to it is called
    icon      a Material symbol, beside that
    offered   ``package.module:function`` that says of a session whether the page is for it;
              "": for none, as the page is not about a project
    """

    name: str
    title: str
    show: str
    link: str
    icon: str
    offered: str = ""

    @property
    def of_project(self) -> bool:
        return bool(self.offered)


@dataclass(frozen=True)
class AlarmRule:
    """A rule of alarm that comes with a method, told beside ours for monitors that draw by it.

    title    how it is called on *Watch*
    figures  the estimands that it is about
    noticed  ``package.module:function`` that says of simulated waves, a figure, the planned number
             and the error by which wave each of its rules has an alarm
    told     ``package.module:function`` that makes a table of the waves of a monitor
    """

    title: str
    figures: tuple[str, ...]
    noticed: str
    told: str


@dataclass(frozen=True)
class Method:
    """A sampling method as it is registered: its design, which has its words, its pages, and its
    rule of alarm."""

    design: Design[Any]
    planner: Planner | None = None
    pages: tuple[Page, ...] = ()
    alarm: AlarmRule | None = None


OWN = tuple(
    Method(design)
    for design in (
        SimpleRandom(),
        RecalibratedNeyman(),
        PairedComparison(),
        AgreementPatterns(),
        GeometricStrata(),
        PairedLists(),
    )
)


class Methods(UserDict[str, Method]):
    """Every registered method by the name of its design, found when it is first asked for."""

    def __init__(self) -> None:
        pass

    @cached_property
    def data(self) -> dict[str, Method]:  # type: ignore[override]
        known = {method.design.name: method for method in OWN}
        for _, given in brought(GROUP):
            for method in given if isinstance(given, Iterable) else (given,):
                try:
                    _check(method, {name: one.design for name, one in known.items()})
                except ContractError as error:
                    warn(str(error))
                else:
                    known[method.design.name] = method
        return known


def _check(method: Any, known: Mapping[str, Design[Any]]) -> None:
    """Raises ContractError for what is no Method, and for a bad one of another package."""
    if not isinstance(method, Method):
        raise ContractError(type(method).__name__, "it says what it is", "it must be a Method")
    if not type(method.design).__module__.startswith("labelcore."):
        check_design(method.design, known)


class Designs(UserDict[str, Design[Any]]):
    """The designs of all registered methods by name."""

    def __init__(self, methods: Methods) -> None:
        self.methods = methods

    @cached_property
    def data(self) -> dict[str, Design[Any]]:  # type: ignore[override]
        return {name: method.design for name, method in self.methods.items()}


METHODS = Methods()
DESIGNS = Designs(METHODS)


def register(method: Method) -> None:
    """Let a method be one of ``DESIGNS``, as if its package had an entry point.

    Raises ContractError if the method breaks a contract that shows without a session; the others
    are in ``labelcore.testing``.
    """
    check_design(method.design, DESIGNS)
    METHODS[method.design.name] = method
    DESIGNS[method.design.name] = method.design


def pages() -> dict[str, Page]:
    return {page.name: page for method in METHODS.values() for page in method.pages}
