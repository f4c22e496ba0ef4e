"""The sample of cases that runs with every change."""

import pytest

from tests.cases import EVERY_EXAMPLE, beyond_one_each, repeated, sampled

CASES = [(letter, number) for letter in "abcd" for number in range(5)]


def at_once(**values: object) -> list[object]:
    given = {"size": 6, "seed": 1, "keep": [("d", 4)], **values}
    return [one.values for one in sampled(CASES, **given) if not one.marks]  # type: ignore[arg-type]


def test_the_same_seed_draws_the_same_cases_and_all_of_them_are_there_where_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(EVERY_EXAMPLE, raising=False)
    few = [one.values for one in sampled(CASES, 6, seed=1)]
    monkeypatch.setenv(EVERY_EXAMPLE, "1")
    every = sampled(CASES, 6, seed=1)
    assert [one.values for one in every] == CASES
    assert few == [one.values for one in every if not one.marks] and len(few) == 6
    assert at_once() == at_once() != at_once(seed=2)
    assert len(at_once()) == 6 and len(at_once(size=99)) == len(CASES)


def test_known_edges_are_always_among_them() -> None:
    assert all(("d", 4) in at_once(seed=seed) for seed in range(20))
    assert at_once(size=0) == [("d", 4)]
    assert [one.values for one in sampled("xyz", 1, seed=0, keep="y") if not one.marks] == [("y",)]
    with pytest.raises(ValueError, match=r"keep: \('e', 0\) is none of the cases"):
        sampled(CASES, 6, seed=1, keep=[("e", 0)])


def test_a_third_of_the_sessions_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EVERY_EXAMPLE, raising=False)
    assert [repeated(times) for times in (1, 3, 100)] == [1, 1, 34]
    monkeypatch.setenv(EVERY_EXAMPLE, "1")
    assert repeated(100) == 100


def test_of_a_product_every_value_stays_in_a_case() -> None:
    cases = [{"letter": one, "number": other} for one in range(4) for other in range(5)]
    left_out = beyond_one_each(cases, seed=1)
    kept = [one for place, one in enumerate(cases) if place not in left_out]
    assert {one["letter"] for one in kept} == {*range(4)}
    assert {one["number"] for one in kept} == {*range(5)}
    assert 5 <= len(kept) < 10 and left_out == beyond_one_each(cases, seed=1)
