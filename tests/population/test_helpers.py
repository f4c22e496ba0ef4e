"""Columns that may help to choose items: numbers on any scale, or verdicts."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from labelcore.errors import Fault
from labelcore.population import Population
from labelcore.population.helpers import read_helper

Read = Callable[..., Population]
DATA = (
    "text,s,p,judge,rule,stars\n"
    "a,0.1,no,pass,,1\n"
    "b,0.3,yes,fail,x,5\n"
    "c,0.9,yes, ,,n/a\n"
    "d,1,no,pass,x,3\n"
)


def test_a_score_keeps_its_scale_and_lacks_what_is_no_number(read: Read) -> None:
    helper = read(DATA, helpers={"h": "stars"}).helpers["h"]
    assert helper.verdict is None and helper.score is not None
    np.testing.assert_array_equal(helper.score, [1, 5, np.nan, 3])
    part = helper.part(np.array([2, 0])).score
    assert part is not None
    np.testing.assert_array_equal(part, [np.nan, 1])


def test_verdicts_are_texts_and_an_empty_one_is_none(read: Read) -> None:
    population = read(DATA, helpers={"judge": "judge", "rule": "rule"})
    judge, rule = population.helpers["judge"], population.helpers["rule"]
    assert judge.names == ("pass", "fail") and judge.verdict is not None
    assert judge.verdict.tolist() == [0, 1, -1, 0]
    assert rule.names == ("x",) and rule.verdict is not None
    assert rule.verdict.tolist() == [-1, 0, -1, 0]
    part = judge.part(np.array([3])).verdict
    assert part is not None and part.tolist() == [0]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["0", "1", "1", "0"], ("0", "1")),
        (["1.5", "", "1.5", ""], ("1.5",)),
        (["", "", "", ""], ()),
        (["good", "bad", "3", "4"], ("good", "bad", "3", "4")),
    ],
)
def test_two_numbers_or_fewer_are_verdicts(
    read: Read, values: list[str], names: tuple[str, ...]
) -> None:
    data = "text,h\n" + "".join(f"t,{value}\n" for value in values)
    assert read(data, helpers={"h": "h"}).helpers["h"].names == names


def test_without_helpers_the_fingerprint_is_as_it_was(read: Read) -> None:
    plain, none = read(DATA), read(DATA, helpers={})
    assert "helpers" not in plain.arguments and plain.fingerprint == none.fingerprint
    helped = read(DATA, helpers={"judge": "judge"})
    assert helped.fingerprint != plain.fingerprint
    arguments = json.loads(json.dumps(helped.arguments))
    again = read(DATA, **arguments)
    assert again.fingerprint == helped.fingerprint and [*again.helpers] == ["judge"]


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"helpers": {"h": "none"}}, "helpers['h'] names no column of the file"),
        ({"helpers": {"h": "text"}}, "a helper must not be shown while labelling"),
        ({"helpers": {"": "judge"}}, "helpers must have names that are not empty"),
        ({"helpers": {"lr": "judge"}, "scores": {"lr": "s"}}, "which is a classifier"),
        ({"helpers": {"h": "p"}, "known": "p"}, "the column of known answers"),
    ],
)
def test_rules(
    faults_of: Callable[..., Sequence[Fault]], arguments: dict[str, Any], rule: str
) -> None:
    assert any(rule in fault.rule for fault in faults_of(DATA, **arguments))


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int64(), pa.string()])
def test_a_score_of_any_type_is_the_same(kind: pa.DataType) -> None:
    column = pa.chunked_array([[1, None, 3], [2, 5]]).cast(kind)
    found = read_helper(column, ".").score
    assert found is not None
    np.testing.assert_array_equal(found, [1, np.nan, 3, 2, 5])


@pytest.mark.parametrize(("endless", "a_score"), [(3, True), (4, False)])
def test_half_of_what_is_there_must_be_finite(endless: int, a_score: bool) -> None:
    """NaN and nothing are not there; an endless number is."""
    numbers = [1.0, 2.0, 3.0, *[np.inf] * endless, np.nan, None, None, None, None]
    assert (read_helper(pa.chunked_array([numbers]), ".").score is not None) == a_score
