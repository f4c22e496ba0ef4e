"""Contracts that a sampling method keeps, for the tests of packages that bring one.

The same that our own methods are tested with, and deliberately broken variants of a method that
must fail them. In a test file:

    import pytest
    from labelcore.testing import Case, broken_cases, cases
    from labelcore_tenths import TenthsOfScore

    @pytest.mark.parametrize("case", cases(TenthsOfScore), ids=str)
    def test_contract(case: Case) -> None:
        case.check()

    @pytest.mark.parametrize("case", broken_cases(TenthsOfScore), ids=str)
    def test_broken_variant_fails(case: Case) -> None:
        case.must_fail()
"""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from labelcore.designs.base import Design
from labelcore.designs.contracts import check_design as check_contracts
from labelcore.designs.scalars import ComparesTwo, EstimatesScalars
from labelcore.errors import ContractError
from labelcore.promises import Promise
from labelcore.testing.contracts import Family, Owed, promises_of, registered
from labelcore.testing.known import Known, calibrated
from labelcore.testing.scalars import CONTRACTS, IF_WATCHED, N_ITEMS, SCALAR, asked_of

__all__ = ["Case", "Known", "broken_cases", "calibrated", "cases", "check_design"]


@dataclass(frozen=True)
class Case:
    """One contract of one method, or of a broken variant of it.

    Attributes
    ----------
    owed
        the contract as a function, and broken variants of our own method that fail it
    design
        the class of the method, or of its broken variant
    family
        what the contracts of methods of its kind differ in
    """

    owed: Owed
    design: type[Design[Any]]
    family: Family

    def __str__(self) -> str:
        return f"{self.contract}-{self.design.__name__}"

    @property
    def contract(self) -> str:
        """The contract in words.

        >>> from labelcore.designs.simple_random import SimpleRandom
        >>> cases(SimpleRandom)[0].contract
        'same seed same draws'
        """
        return self.owed.contract.__name__.replace("_", " ")

    @property
    def slow(self) -> bool:
        """Whether it takes more than a few seconds."""
        return self.owed.slow

    def check(self) -> None:
        """Try the contract.

        Raises
        ------
        ContractError
            The method breaks it; the message names the method, the contract and what failed.
        """
        name = self.design.name
        try:
            with registered(self.design(), name):
                self.owed.contract(name, _known())
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            why = str(error) or f"`{last.line}` does not hold"
            raise ContractError(name, self.contract, why) from error

    def must_fail(self) -> None:
        """Try the contract on a broken variant.

        Raises
        ------
        AssertionError
            The broken variant passes: for this method the contract shows nothing.
        """
        self.family.must_fail(self.owed.contract, self.design, _known())


@cache
def _known() -> Known:
    """300 items with a score that is their chance of being positive."""
    return calibrated(Path(mkdtemp(prefix="labelcore-testing-")), N_ITEMS, seed=11)


def cases(design: type[Design[Any]]) -> list[Case]:
    """The contracts that a method owes.

    Parameters
    ----------
    design
        the class of a method that estimates numbers about a classifier from its own parameters,
        made without arguments

    Returns
    -------
    list of Case
        one for each contract; those that are ``slow`` try coverage over many seeds

    Raises
    ------
    ContractError
        The class does not say what every method says.

    Examples
    --------
    >>> from labelcore.designs.simple_random import SimpleRandom
    >>> [case.contract for case in cases(SimpleRandom) if case.slow]
    ['fixed interval covers', 'watched interval holds at every look']
    """
    return [Case(owed, design, SCALAR) for owed in _owed(design)]


def broken_cases(design: type[Design[Any]]) -> list[Case]:
    """Broken variants of a method, each with the contract that it must fail.

    Parameters
    ----------
    design
        as for ``cases``; the variants derive from it

    Returns
    -------
    list of Case
        to be tried by ``must_fail``
    """
    return [Case(owed, _variant(twin, design), SCALAR) for owed, twin in _twins(design)]


def check_design(design: type[Design[Any]], *, slow: bool = False) -> None:
    """Try every contract of a method, the slow ones if asked.

    Parameters
    ----------
    design
        as for ``cases``
    slow
        whether to try coverage, too, which takes minutes

    Raises
    ------
    ContractError
        The method breaks a contract; the first one is named.
    """
    for case in cases(design):
        if slow or not case.slow:
            case.check()


def _owed(design: type[Design[Any]]) -> list[Owed]:
    check_contracts(design(), {})
    if not issubclass(design, EstimatesScalars) or issubclass(design, ComparesTwo):
        return []
    with registered(design(), design.name) as name:
        watched = Promise.WATCHED in promises_of(name, asked_of(name))
        fixed = Promise.FIXED in promises_of(name, asked_of(name))
    owed = [contract for contract in CONTRACTS if fixed or not contract.slow]
    return [*owed, *(IF_WATCHED if watched else [])]


def _twins(design: type[Design[Any]]) -> Iterator[tuple[Owed, type[Design[Any]]]]:
    owed = _owed(design)
    watched = IF_WATCHED[0] in owed
    for contract in owed:
        for twin in contract.twins:
            if watched or not getattr(twin, "only_watched", False):
                yield contract, twin


def _variant(twin: type[Design[Any]], design: type[Design[Any]]) -> type[Design[Any]]:
    """The mistake of a variant of our own sound method, in another method."""
    mistake = twin.__mro__[1]
    fields = {"__doc__": mistake.__doc__, "order": "queue", "name": "broken"}
    return type(mistake.__name__, (mistake, design), fields)
