"""The sentences of a choice: what is shown, how surely, and what is not."""

import json
from typing import Any

import pandas as pd
import pytest

import labelcore as lc
from labelcore.charts.candidates import candidates_chart
from labelcore.charts.figure_bars import candidate_bar
from labelcore.designs.choices import LabelsUntil, Named, OtherChoice
from labelcore.promises import CandidateState, ChoiceStatus, Form
from labelcore.results.base import sentence
from labelcore.results.types import Scope
from labelcore.words.choices import (
    ChoiceOfProject,
    candidate_rows,
    choice_short,
    other_rows,
    side_by_side_words,
    until_words,
)

OUT = (CandidateState.REACH_TOO_SMALL, CandidateState.PRECISION_TOO_LOW)

BOUNDS = pd.DataFrame(
    {
        "classifier": ["top 50", "top 100", "top 200"],
        "size": [50, 100, 200],
        "value": [0.96, 0.9, float("nan")],
        "low": [0.85, 0.82, 0.0],
        "high": [0.99, 0.94, 1.0],
        "state": ["good", "acceptable", "in"],
    }
)


def choice(**changes: Any) -> lc.Choice:
    values: dict[str, Any] = {
        "estimand": "selection", "chosen": "top 100", "threshold": 0.8125, "status": "guaranteed",
        "bounds": BOUNDS, "precision_threshold": 0.9, "precision_slack": 0.1, "reach_slack": 0.1,
        "confidence": 0.95, "labels_used": 312, "draws_used": 340, "method": "bounds (strict)",
        "promise": "watched", "assumptions": ("items were drawn at random",), "source": "nobody",
        "missing": "", "scope": Scope("posts.csv", 5000, None, "file", "spam"), "form": Form.STRICT,
    }  # fmt: skip
    return lc.Choice(**{**values, **changes})


def test_a_candidate_that_is_out_is_never_told_to_reach_what_is_wanted() -> None:
    """An upper end of 89.6 % was told as 90, where 90 % is wanted."""
    bounds = BOUNDS.assign(low=[0.85, 0.82, 0.4], high=[0.99, 0.94, 0.896])
    bounds["state"] = ["good", "acceptable", CandidateState.PRECISION_TOO_LOW]
    made = choice(bounds=bounds)
    assert [*candidate_rows(made)["precision"]] == ["85 to 99 %", "82 to 94 %", "40.0 to 89.6 %"]
    bars = [candidate_bar(row, "", made) for row in bounds.to_dict("records")]
    assert [bar.said for bar in bars] == [
        ("", "85 to 99"),
        ("", "82 to 94"),
        ("out", "40.0 to 89.6"),
    ]
    assert [bar.chosen for bar in bars] == [False, True, False]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "For the 5,000 items in posts.csv, 'top 100' (score 0.8125 and better) is the choice: "
         "its precision is at least 80.0 %, and it finds at least 90.0 % of the 'spam' items "
         "that the best candidate with a precision of 90.0 % or more finds (95 % confidence, "
         "strict, valid at every look), from 312 labels. By the same bounds its precision is at "
         "least 82 %."),
        ({"status": "none acceptable", "chosen": None, "threshold": None},
         "For the 5,000 items in posts.csv, no candidate has a precision of 90.0 % or more "
         "(95 % confidence, strict, valid at every look), from 312 labels: none should be used."),
        ({"status": "guess", "promise": "none"},
         "For the 5,000 items in posts.csv, 'top 100' (score 0.8125 and better) looks best so "
         "far, but nothing is shown about it yet: this is a guess, from 312 labels."),
        ({"status": "guess", "chosen": None, "threshold": None, "promise": "none"},
         "For the 5,000 items in posts.csv, none of the candidates looks best so far, but "
         "nothing is shown about it yet: this is a guess, from 312 labels."),
        ({"status": "undecided", "chosen": None, "missing": "8 of 9 candidates are left"},
         "For the 5,000 items in posts.csv, the choice of a candidate with a precision of 90.0 "
         "% or more is still open: 8 of 9 candidates are left, from 312 labels."),
        ({"status": "undecided", "chosen": None, "labels_used": 0,
         "missing": "no item has a label yet"},
         "For the 5,000 items in posts.csv, the choice of a candidate with a precision of 90.0 "
         "% or more is still open: no item has a label yet."),
    ],
)  # fmt: skip
def test_sentence(changes: dict[str, Any], words: str) -> None:
    assert choice(**changes).sentence() == words
    same = choice(bounds=BOUNDS.assign(low=0.8), **changes).sentence()
    assert "By the same bounds" not in same, "what it is at least was said"


def test_json_has_no_number_that_is_none() -> None:
    read = json.loads(choice().to_json())
    assert read["bounds"][2]["value"] is None and read["bounds"][0]["value"] == 0.96
    assert read["sentence"] == choice().sentence()
    assert list(choice().to_frame()["classifier"]) == ["top 50", "top 100", "top 200"]


@pytest.mark.parametrize(
    ("states", "left"), [(["good", "acceptable", "in"], 3), (["in", *map(str, OUT)], 1)]
)
def test_a_candidate_that_is_out_is_told_by_its_state(states: list[str], left: int) -> None:
    """The state may be a word of the closed set or, from a stored look, its text."""
    found = choice(status="undecided", chosen=None, bounds=BOUNDS.assign(state=states))
    assert found.left == left
    assert choice_short(found).startswith(f"Still open: {left} of 3 candidates may")
    table = candidates_chart(found).table
    assert table["State"].tolist() == states and all(type(one) is str for one in table["State"])


def test_the_people_stand_behind_the_labels() -> None:
    said = sentence(choice(), "by one person, 3 May 2026")
    assert "from 312 labels by one person, 3 May 2026." in said
    assert sentence(choice()) == said.replace(" by one person, 3 May 2026", "")


def test_one_more_label_is_told_in_the_singular() -> None:
    said = until_words(LabelsUntil(0.8, 1, 1, 3), "under a minute")
    assert said.startswith("About 1 more label (1 to 3 in half")
    never = until_words(LabelsUntil(0.8, None, None, None), "")
    assert never == "More than a quarter of the simulated sessions never decided it."


def test_another_precision_is_told_by_its_choice_else_by_the_surest() -> None:
    first, second = Named("top 50", 0.8512, 40.0 - 1e-12), Named("top 20", 0.9, 17.9)
    rows = [
        OtherChoice(0.8, ChoiceStatus.GUARANTEED, first, second, 1),
        OtherChoice(0.9, ChoiceStatus.UNDECIDED, None, second, 2),
        OtherChoice(0.95, ChoiceStatus.NONE_ACCEPTABLE, None, None, 0),
    ]
    assert other_rows(rows, "spam").to_numpy().tolist() == [
        ["80.0 %", "top 50", "top 20", "85 % or more", "40 or more"],
        ["90.0 %", "still open, 2 left", "top 20", "90.0 % or more", "17 or more"],
        ["95.0 %", "none is that precise", "none yet", "", ""],
    ]


def test_the_delta_that_is_told_gives_what_is_said_of_it() -> None:
    nan = float("nan")
    one = ChoiceOfProject("Spam?", 0.9, 0.05, ChoiceStatus.UNDECIDED, None, nan, 0)
    for number in range(2, 12):
        told = side_by_side_words([one] * number).split("A delta of ")[1]
        assert number * float(told.split()[0]) <= 0.05 + 1e-12
