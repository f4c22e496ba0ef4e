"""The harness of the reproduction table: what decides, and what does not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.papers import verdicts as subject
from benchmarks.papers.__main__ import PAPERS, as_table, markdown
from benchmarks.papers.verdicts import expected_rows, missing, verdicts

HEADER = "key,where,what,published,low,high,must,reason\n"
ROWS = (
    HEADER + "a,Table 1,x,5,4.5,5.5,yes,printed digits\n"
    'b,Table 1,"y | z",7,6.5,7.5,no,a stand-in\nc,Figure 2,w,"about 9",,,no,only read off\n'
)


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(subject, "EXPECTED", tmp_path)
    (tmp_path / "one.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": 5.0, "b": 7.0, "c": 1.0}, ["comes out", "comes out", "reported"]),
        ({"a": 5.5, "b": 7.6}, ["comes out", "differs", "not to be had"]),
        ({"a": 5.51}, ["DOES NOT COME OUT", "not at this size", "not to be had"]),
        ({"a": math.nan, "b": math.nan}, ["DOES NOT COME OUT", "differs", "not to be had"]),
        ({"a": 4.6, "b": 6.4}, ["comes out", "differs", "not to be had"]),
        ({}, ["not at this size", "not at this size", "not to be had"]),
    ],
)
def test_verdicts(one: Path, values: dict[str, float], words: list[str]) -> None:
    found = verdicts("one", values)
    assert [row.words for row in found] == words
    assert [row.failed for row in found] == [word == "DOES NOT COME OUT" for word in words]
    assert missing(found) == ([] if "a" in values else ["a"])


def test_a_range_may_have_one_end(one: Path) -> None:
    (one / "one.csv").write_text(HEADER + "a,T,x,5,4,,yes,r\n", encoding="utf-8")
    assert [verdicts("one", {"a": value})[0].failed for value in (3.9, 4.0, 1e9)] == [
        True, False, False,
    ]  # fmt: skip


def test_a_number_that_nobody_expected_is_refused(one: Path) -> None:
    with pytest.raises(ValueError, match="gave 'd', which one.csv does not have"):
        verdicts("one", {"d": 1.0})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a,T,x,5,4,6,yes,r\na,T,x,5,4,6,yes,r\n", "has the key 'a' twice"),
        ("a,T,x,5,,,yes,r\n", "what must come out needs low or high"),
    ],
)
def test_tables_that_decide_nothing_are_refused(one: Path, line: str, words: str) -> None:
    (one / "one.csv").write_text(HEADER + line, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        expected_rows("one")


def test_markdown_keeps_bars_inside_cells(one: Path) -> None:
    text = markdown(as_table(verdicts("one", {"b": 7.25})))
    assert "| Table 1 | y \\| z | 7 | 7.25 | 6.5 to 7.5 | comes out | a stand-in |" in text


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_has_rows_that_must_come_out_with_reasons(name: str) -> None:
    rows = expected_rows(name)
    assert sum(row.must for row in rows) >= 10
    assert all(row.reason and row.where and row.what for row in rows)
    for row in rows:
        if row.low is not None and row.high is not None:
            assert row.low <= row.high, row.key
