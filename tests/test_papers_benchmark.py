"""The reproduction table: what decides and what does not, and its runs against the product."""

import importlib
import json
import math
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from plotly.graph_objects import Figure

from benchmarks.harness import Options
from benchmarks.papers import pictures
from benchmarks.papers import verdicts as subject
from benchmarks.papers.__main__ import PAPERS, faults, page
from benchmarks.papers.outcome import Outcome, kept, outcome_of
from benchmarks.papers.reach_selection_lists import RankedList
from benchmarks.papers.reach_selection_lockstep import once, orders_of, replaced, words_of
from benchmarks.papers.stratified_runs import Sample, Strata, printed_sessions, shared
from benchmarks.papers.verdicts import (
    AGREES,
    CONTRADICTS,
    NOT_PRINTED,
    NOT_RUN,
    NOT_TO_BE_HAD,
    OTHER_DATA,
    expected_rows,
    missing,
    verdicts,
)  # fmt: skip
from labelcore.papers.reach_selection.selection import ReachRules, ReachSelection
from labelcore.papers.stratified.neyman import printed_counts
from labelcore.stats.allocation import largest_remainder

HEADER = "key,where,what,published,low,high,must,data,reason\n"
ROWS = (
    HEADER + "a,Table 1,x,5,4.5,5.5,yes,,printed digits\n"
    'b,Table 1,"y | z",7,6.5,7.5,no,other,a stand-in\nc,Figure 2,w,"about 9",,,no,,only read off\n'
)


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(subject, "EXPECTED", tmp_path)
    (tmp_path / "one.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a": 5.0, "b": 7.0, "c": 1.0}, [AGREES, AGREES, CONTRADICTS]),
        ({"a": 5.5, "b": 7.6, "c": 9.4}, [AGREES, OTHER_DATA, AGREES]),
        ({"a": 5.51, "c": 8.5}, [CONTRADICTS, NOT_RUN, CONTRADICTS]),
        ({"a": math.nan, "b": math.nan}, [CONTRADICTS, OTHER_DATA, NOT_TO_BE_HAD]),
        ({}, [NOT_RUN, NOT_RUN, NOT_TO_BE_HAD]),
    ],
)
def test_verdicts(one: Path, values: dict[str, float], words: list[str]) -> None:
    found = verdicts("one", values)
    assert [row.words for row in found] == words
    assert [row.failed for row in found] == [words[0] == CONTRADICTS, False, False]
    assert missing(found) == ([] if "a" in values else ["a"])


def test_the_page_counts_the_words_of_the_tables() -> None:
    """Each row of docs/papers/README.md, by the tables beside it."""
    docs = Path(__file__).resolve().parents[1] / "docs" / "papers"
    told = re.findall(r"^\| 00\d .*$", (docs / "README.md").read_text("utf-8"), flags=re.MULTILINE)
    for line, name in zip(told, PAPERS, strict=True):
        text = (docs / f"{name}_table.md").read_text("utf-8")
        words = AGREES, CONTRADICTS, OTHER_DATA, NOT_PRINTED, NOT_TO_BE_HAD
        found = [re.split(r" (?<!\\)\| ", row) for row in text.splitlines()]
        counts = [sum(row[5:6] == [one] for row in found) for one in words]
        assert line.split(" | ", 1)[1].rstrip(" |") == " | ".join(map(str, counts)), name


def test_a_number_that_nobody_expected_is_refused(one: Path) -> None:
    with pytest.raises(ValueError, match="gave 'd', which one.csv does not have"):
        verdicts("one", {"d": 1.0})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a,T,x,5,4,6,yes,,r\na,T,x,5,4,6,yes,,r\n", "has the key 'a' twice"),
        ("a,T,x,5,,,yes,,r\n", "what must come out needs low or high"),
    ],
)
def test_tables_that_decide_nothing_are_refused(one: Path, line: str, words: str) -> None:
    (one / "one.csv").write_text(HEADER + line, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        expected_rows("one")


def test_what_is_kept_gives_the_same_page(one: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PAPERS, "one", "One paper")
    table = pd.DataFrame({"list": ["x"], "share": [1 / 3], "labels": [12]}, index=[7])
    outcome = Outcome({"a": 5.0, "b": math.nan}, {"f": Figure()}, {"More": table}, ["Stand-in."])
    again = outcome_of(json.loads(json.dumps(kept(outcome))))
    text = page("one", again, "Made by this.")
    assert text == page("one", outcome, "Made by this.")
    assert "Made by this. The ranges" in text and "\n- Stand-in.\n" in text
    assert "| x | 0.3333 | 12 |" in text
    assert again.figures == dict(outcome.figures)


def test_what_must_come_out_and_was_left_out_fails_a_full_run(one: Path) -> None:
    rows = {"one": [{"values": {"a": 9.0}}]}
    assert faults(rows, Options(1, quick=True)) == ["one: a"]
    assert faults({"one": [{"values": {}}]}, Options(1)) == ["one: a was not run"]
    assert faults({"one": [{"values": {}}]}, Options(1, quick=True)) == []


@pytest.mark.parametrize("name", PAPERS)
def test_the_page_of_a_paper_names_its_command(root: Path, name: str) -> None:
    text = (root / f"docs/papers/{name}_table.md").read_text("utf-8")
    assert "Made by `python -m benchmarks.papers" in text.split("|")[0]


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_has_rows_that_must_come_out_with_reasons(name: str) -> None:
    rows = expected_rows(name)
    assert sum(row.must for row in rows) >= 10
    assert all(row.reason and row.where and row.what for row in rows)
    for row in rows:
        if row.low is not None and row.high is not None:
            assert row.low <= row.high, row.key


def test_numbers_need_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are recomputed where only the product is installed."""
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    module = importlib.reload(pictures)
    module.save_pictures(Path("nowhere"), "none", {})
    with pytest.raises(ImportError):
        module.save_pictures(Path("nowhere"), "one", {"a": None})


FROZEN = Strata(np.array([4000, 4000, 1000, 1000]), np.array([3880, 3880, 700, 600]))


def test_tables_of_sessions_share_as_one_session_does() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        n_strata = int(rng.integers(1, 8))
        shares = rng.random(n_strata) * (rng.random(n_strata) < 0.7) + 1e-9
        room, total = rng.integers(0, 30, n_strata), int(rng.integers(0, 60))
        expected = largest_remainder(shares / shares.sum(), total, room)
        assert np.array_equal(shared(shares[None], total, room[None])[0], expected)


def test_a_session_in_a_table_is_a_session_by_itself() -> None:
    """Each step's labels follow from the counts before it by ``printed_counts``."""
    rng = np.random.default_rng(5)
    looks = (20, 30, 40, 50, 60)
    before: Sample | None = None
    for _, sample in printed_sessions(FROZEN, 5, 10, looks, 20, rng):
        for run in range(20) if before is not None else ():
            n, s = before.labelled[run], before.right[run]  # type: ignore[union-attr]
            added = printed_counts(FROZEN.sizes, n, n, s, 10)
            assert np.array_equal(sample.labelled[run], n + added)
        before = sample


SECTION_5 = ReachRules(0.9, 0.1, 0.1, delta=0.05, bound="hoeffding")

# --- the benchmark -----------------------------------------------------------------------------

NESTED = np.array([20, 40, 80, 160])
HEAD = (np.random.default_rng(1).random(160) < np.where(np.arange(160) < 50, 0.97, 0.2)).astype(int)


def alone(rules: ReachRules, order: np.ndarray, words: np.ndarray | None) -> ReachSelection:
    member = np.arange(160)[:, None] < NESTED
    selection = ReachSelection(member, rules, 400, order, words)
    while selection.item is not None:
        selection.take(int(HEAD[selection.item]))
    return selection


@pytest.mark.full
@pytest.mark.parametrize("sampler", ["pooled", "round_robin", "once"])
@pytest.mark.parametrize("elimination", [True, False])
def test_runs_side_by_side_are_those_of_the_product(sampler: str, elimination: bool) -> None:
    """The benchmark's draws and bounds for many runs at once, against ``ReachSelection``."""
    rules = replace(SECTION_5, elimination=elimination)
    if sampler == "once":
        rules, order = replace(rules, bound="prior_posterior_ratio"), orders_of(1, 4, 160)
        ends = once(HEAD, NESTED, rules, 400, 0.05, order)
        runs = [alone(rules, order[run].astype(np.int64), None) for run in range(4)]
    else:
        rules, words = replace(rules, sampler=sampler), words_of(1, 4, 400)
        ends, _ = replaced(HEAD, NESTED, rules, 400, np.array([0.05]), words)
        runs = [alone(rules, np.arange(160), words[run]) for run in range(4)]
    assert [run.made for run in runs] == ends.draws.tolist()
    assert [run.certain for run in runs] == ends.labels.tolist()
    assert [run.choice() for run in runs] == ends.choices(NESTED, rules)
    np.testing.assert_allclose([run.bounds.low for run in runs], ends.low)
    np.testing.assert_allclose([run.bounds.high for run in runs], ends.high)


def test_which_answers_the_benchmark_calls_right() -> None:
    """Precision 1, 1, .95, .85, ...: the fourth reaches 340 of 340 and is acceptable, the third
    reaches 190, the best good one; without a good one "none" is right."""
    truth = np.zeros(12_800, dtype=np.int64)
    truth[:190] = truth[200:350] = 1
    right, none_right = RankedList("a", truth).right(SECTION_5)
    assert right.tolist() == [False, False, True, True] + [False] * 5 and not none_right
    assert RankedList("b", 0 * truth).right(SECTION_5)[1]
