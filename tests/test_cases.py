"""The sample of cases that runs with every change."""

from __future__ import annotations

import pytest

from tests.cases import sampled

CASES = [(letter, number) for letter in "abcd" for number in range(5)]


def at_once(**values: object) -> list[object]:
    given = {"size": 6, "seed": 1, "keep": [("d", 4)], **values}
    return [one.values for one in sampled(CASES, **given) if not one.marks]  # type: ignore[arg-type]


def test_the_same_seed_draws_the_same_cases_and_all_of_them_are_there() -> None:
    assert [one.values for one in sampled(CASES, 6, seed=1)] == CASES
    assert at_once() == at_once() != at_once(seed=2)
    assert len(at_once()) == 6 and len(at_once(size=99)) == len(CASES)


def test_known_edges_are_always_among_them() -> None:
    assert all(("d", 4) in at_once(seed=seed) for seed in range(20))
    assert at_once(size=0) == [("d", 4)]
    assert [one.values for one in sampled("xyz", 1, seed=0, keep="y") if not one.marks] == [("y",)]
    with pytest.raises(ValueError, match=r"keep: \('e', 0\) is none of the cases"):
        sampled(CASES, 6, seed=1, keep=[("e", 0)])
