"""Promises, states and the like are types that read as their texts everywhere they are written."""

import json
from enum import StrEnum
from pathlib import Path

import pandas as pd
import pytest

import labelcore as lc
import labelcore.words
from labelcore import promises
from labelcore.promises import (
    CandidateState,
    ChoiceStatus,
    ClaimStatus,
    Form,
    Promise,
    State,
    Status,
    Unsure,
    Word,
)
from labelcore.results.types import Estimate, Scope
from tests.findings import BASIS

KINDS = [Promise, State, Status, ClaimStatus, ChoiceStatus, CandidateState, Form, Unsure]
MEMBERS = [member for kind in KINDS for member in kind]
VALUES = {
    "estimand": "precision", "value": 0.5, "low": 0.4, "high": 0.6, "confidence": 0.95,
    "scope": Scope(file="a.csv"), **BASIS,
}  # fmt: skip


def test_all_kinds_of_words_are_looked_at_here() -> None:
    made = {one for one in vars(promises).values() if isinstance(one, type)}
    assert {one for one in made if issubclass(one, Word) and one is not Word} == set(KINDS)
    assert not {one for one in made if issubclass(one, StrEnum) and not issubclass(one, Word)} - {
        StrEnum
    }


@pytest.mark.parametrize("member", MEMBERS, ids=lambda one: f"{type(one).__name__} {one}")
def test_a_word_is_written_as_its_text(member: Word, tmp_path: Path) -> None:
    text = member.value
    assert member == text and type(text) is str
    assert (str(member), repr(member), f"{member!r}", f"{member:>15}") == (
        text, repr(text), repr(text), f"{text:>15}",
    )  # fmt: skip
    assert json.dumps({"one": member}) == json.dumps({"one": text})
    assert {member: 1}[text] == {text: 1}[member] == 1, "as keys they are the same"
    frame = pd.DataFrame({"one": [member]})
    frame.to_parquet(tmp_path / "one.parquet")
    assert frame.to_csv() == pd.DataFrame({"one": [text]}).to_csv()
    assert pd.read_parquet(tmp_path / "one.parquet")["one"].to_list() == [text]


def test_three_states_have_no_interval() -> None:
    without = {state for state in State if not state.has_interval}
    assert without == {"nothing", "too few", "provisional"}


def test_a_plan_reads_and_writes_its_promise_as_text() -> None:
    plan = lc.Plan("simple_random", "accuracy", budget=20, promise="fixed")
    assert plan.promise is Promise.FIXED and plan.promise == "fixed"
    assert '"promise": "fixed"' in plan.to_json() and "promise='fixed'" in repr(plan)
    assert lc.Plan.from_json(plan.to_json()) == plan
    assert lc.Plan("simple_random", "accuracy", budget=200).promise is Promise.WATCHED


def test_a_result_made_from_texts_holds_the_types() -> None:
    estimate = Estimate(**VALUES, state="too few", form="strict")
    assert estimate.promise is Promise.WATCHED and estimate.form is Form.STRICT
    assert estimate.state is State.TOO_FEW and not estimate.has_interval
    assert "promise='watched'" in repr(estimate) and "state='too few'" in repr(estimate)
    written = json.loads(estimate.to_json())
    assert (written["promise"], written["state"]) == ("watched", "too few")
    assert Estimate.from_dict(written) == estimate


def test_a_result_with_an_unknown_state_is_refused() -> None:
    with pytest.raises(ValueError, match="'nearly' is not a valid State"):
        Estimate(**VALUES, state="nearly")
