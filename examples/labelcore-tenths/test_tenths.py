from __future__ import annotations

import pytest
from labelcore_tenths import TenthsOfScore

from labelcore.testing import Case, broken_cases, cases


def marked(found: list[Case]) -> list[object]:
    return [pytest.param(one, marks=[pytest.mark.slow] * one.slow, id=str(one)) for one in found]


@pytest.mark.parametrize("case", marked(cases(TenthsOfScore)))
def test_contract(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("case", marked(broken_cases(TenthsOfScore)))
def test_broken_variant_fails(case: Case) -> None:
    case.must_fail()
