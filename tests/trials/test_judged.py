"""The judge audit: truth worked out from the words, programs of differing skill, a kind judge."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pandas as pd
import pytest

from labelcore.population.guess import guess
from labelcore.population.head import head_of
from labelcore.trials import judged as trial
from labelcore.ui.hidden import hidden_columns

Record = Mapping[str, Any]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return trial.build()


def asked(record: Record) -> str:
    (message,) = record["input"]["messages"]
    return str(message["content"])


def worked_out(question: str) -> int:
    """The right number, read off the words of the question."""
    numbers = [int(one) for one in re.findall(r"\d+", question)]
    if "film" in question:
        start, end = (datetime(2024, 1, 1, *numbers[at : at + 2]) for at in (0, 2))
        return round((end - start).total_seconds() / 60)
    if "shop" in question:
        signs = [
            1,
            *(1 if one == "brought" else -1 for one in re.findall("brought|sold", question)),
        ]
        return sum(sign * one for sign, one in zip(signs, numbers, strict=True))
    a, year, b = re.findall(r"It is (\d+ \w+) (\d+)\. In how many days is it (\d+ \w+)", question)[
        0
    ]
    first, last = (datetime.strptime(f"{one} {year}", "%d %B %Y") for one in (a, b))
    return (last - first).days


def test_the_truth_is_what_the_question_says(records: list[Record]) -> None:
    for one in records:
        said = re.findall(r"\d+", one["output"]["content"].replace(" An hour has 60.", ""))[-1]
        assert one["true_label"] == (int(said) == worked_out(asked(one))), one
    assert len({one["id"] for one in records}) == len(records) == 5 * trial.QUESTIONS


def test_programs_differ_and_the_judge_errs_both_ways(records: list[Record]) -> None:
    rows = [(one["metadata"]["model"], asked(one), one["true_label"],
             one["scores"][0]["value"] == "pass") for one in records]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "question", "right", "passed"])
    assert (frame.groupby("question").size() == 5).all(), "all programs answer the same questions"
    rates = frame.groupby("model")[["right", "passed"]].mean()
    assert rates["right"].max() > 0.9 and rates["right"].min() < 0.5
    assert rates["right"].nunique() == 5 and 0.05 < (frame["passed"] - frame["right"]).mean() < 0.2
    errors = pd.crosstab(frame["right"], frame["passed"])
    assert errors.loc[0, True] > 100 and errors.loc[1, False] > 50


def test_the_file_is_read_as_that_of_a_user_would_be(tmp_path) -> None:
    head = head_of([trial.JUDGED.write(tmp_path)], {})
    found = guess(head.columns, head.sample)
    arguments = trial.JUDGED.read_arguments
    assert found.roles is not None and found.id == arguments["id"]
    assert list(found.content) == arguments["content"]
    assert {one.name: one.prediction for one in found.classifiers} == arguments["predictions"]
    assert [found.roles.system] == arguments["groups"] and found.roles.prompt == arguments["prompt"]
    assert hidden_columns(found.roles, found.content) == trial.JUDGED.hidden
    assert found.answers == (trial.JUDGED.truth_column,)
