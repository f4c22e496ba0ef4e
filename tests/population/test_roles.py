"""What the columns of a log of model calls are, and what passes."""

import json
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import PopulationError
from labelcore.population.guess import guess
from labelcore.population.head import head_of
from labelcore.population.roles import Judge, Roles, passing, roles_of
from labelcore.population.tables import recognised_as_table
from tests.population.test_traces import FILES, TRACES

OF_SCORES = "scores[name={}].{}"
OF_JUDGES = "judgments[judge={}].{}"
JUDGES = {
    "langfuse.json": [
        Judge(
            "verdict",
            OF_SCORES.format("verdict", "stringValue"),
            None,
            OF_SCORES.format("verdict", "comment"),
        ),
        Judge(
            "helpfulness",
            None,
            OF_SCORES.format("helpfulness", "value"),
            OF_SCORES.format("helpfulness", "comment"),
        ),
    ],
    "phoenix.parquet": [Judge("judge", "result.label")],
    "genai.jsonl": [
        Judge(
            "correctness",
            "evaluations[name=correctness].label",
            None,
            "evaluations[name=correctness].explanation",
        )
    ],
    "openinference.json": [],
    "datasets.jsonl": [
        Judge(one, OF_JUDGES.format(one, "verdict"), None, OF_JUDGES.format(one, "reason"))
        for one in ("strict", "kind")
    ],
}
PROMPTS = {
    "langfuse.json": "metadata.prompt_id",
    "phoenix.parquet": "attributes.metadata.prompt_id",
    "genai.jsonl": "attributes.prompt.id",
    "openinference.json": "attributes.metadata.prompt_id",
    "datasets.jsonl": "prompt_id",
}


@pytest.mark.parametrize("name", JUDGES)
def test_the_columns_of_each_tool_are_known(name: str, tmp_path: Path) -> None:
    path = TRACES / name
    if (table := recognised_as_table(name, path.read_bytes())) is not None:
        path = tmp_path / f"{name}{table[0]}"
        path.write_bytes(table[1])
    head = head_of([path], {})
    found = guess(head.columns, head.sample)
    key, system, *_ = FILES[name]
    assert (
        found.id == key and found.roles is not None and not any(map(found.asks, found.confidence))
    )
    assert (found.roles.system, found.roles.prompt) == (system, PROMPTS[name])
    assert list(found.roles.judges) == JUDGES[name]
    assert found.content[0].endswith("messages") and len(found.content) == (
        1 if name == "datasets.jsonl" else 2
    )


def roles(**columns: list[Any]) -> Roles | None:
    return roles_of({name.replace("__", "."): list(map(str, v)) for name, v in columns.items()})


def test_what_a_judge_of_people_said_is_an_answer() -> None:
    said = {"question": ["q", "r"], "answer": ["a", "b"], "human.label": ["yes", "no"],
            "judge.verdict": ["fail", "pass"], "judge.score": ["1", "0"]}  # fmt: skip
    rows = zip(*said.values(), strict=True)
    flat = guess(list(said), [dict(zip(said, row, strict=True)) for row in rows])
    assert flat.roles is not None and flat.answers == ("human.label",)
    assert [one.verdict for one in flat.roles.judges] == ["judge.verdict"]
    named = {f"scores[annotator={n}].label": ["pass", "fail"] for n in ("human-1", "gpt")}
    found = roles_of({"prompt": ["p", "q"], "response": ["a", "b"], **named})
    assert found is not None and found.human == "scores[annotator=human-1].label"
    assert [one.name for one in found.judges] == ["gpt"]


@pytest.mark.parametrize(
    "columns",
    [
        {"question": ["p", "q"], "answer": ["a", "b"], "verdict": ["pass", "fail"]},
        {"input": ["p", "q"], "output": ["a", "b"], "judge": ["yes", "no"]},
        {"prompt": ["p", "q"], "response": ["a", "b"], "Verdict": ["correct", ""]},
        {"prompt": ["p", "q", "r"], "response": ["a", "b", "c"], "judge": [1, 5, 3]},
    ],
)
def test_the_only_judge_s_column_needs_no_name_before_it(columns: dict[str, list[Any]]) -> None:
    given, said, verdict = columns
    found = roles(**columns, reason=["Long."] * len(columns[given]))
    assert found is not None and found.content == (given, said)
    (judge,) = found.judges
    assert {judge.verdict, judge.score} == {None, verdict}
    assert (judge.name, judge.reason) == ("judge", "reason")


@pytest.mark.parametrize(
    "value",
    [
        '[{"role": "user", "content": "a"}]',
        '{"messages": [{"role": "user", "content": "a"}], "model": "b"}',
        '{"role": "user", "content": "a"}',
        '[{"content": "a", "role": "user"}]',
    ],
)
def test_a_request_is_messages_too(value: str) -> None:
    found = roles(input=[value] * 2, output=["a", "b"])
    assert found is not None and found.content == ("input", "output")


@pytest.mark.parametrize(
    "columns",
    [
        {"text": ["a", "b"], "score": [0.1, 0.2], "pred": [0, 1]},
        {"prompt": ["a", "b"], "judge__verdict": ["pass", "fail"]},
        {"question": ["a", "b"], "answer": ["c", "d"], "lr_score": [0.1, 0.2]},
        {"messages": ['[{"to": "a"}]'], "judge": ["yes"]},
        {"response": ["a", "b"], "verdict": ["pass", "fail"]},
        {"question": ["a", "b"], "answer": ["c", "d"], "judge": ["gpt-4", "gpt-5"]},
    ],
)
def test_other_files_are_no_logs(columns: dict[str, list[Any]]) -> None:
    assert roles(**columns) is None


def judged(*verdicts: object) -> list[dict[str, Any]]:
    return [{"id": n, "answer": "a", "verdict": one} for n, one in enumerate(verdicts)]


def read(rows: list[dict[str, Any]], **more: Any) -> lc.Population:
    return lc.read_population(rows, content="answer", predictions={"judge": "verdict"}, **more)


def test_only_what_passes_counts_whatever_else_a_judge_said() -> None:
    found = read(judged("pass", "fail", "ERROR", None, "Pass"), passing={"judge": ["pass", "Pass"]})
    assert found.classes == ("no", "yes")
    assert found.predictions["judge"].tolist() == [1, 0, 0, 0, 1]
    assert found.arguments["passing"] == {"judge": ["pass", "Pass"]}
    assert "passing" not in read(judged("yes", "no")).arguments
    again = read(judged(1, 3, 5, 4), passing={"judge": ["4", "5"]})
    assert again.predictions["judge"].tolist() == [0, 0, 1, 1]
    truth = read(judged(True, False, True, None), passing={"judge": ["True"]})
    assert truth.predictions["judge"].tolist() == [1, 0, 1, 0]


def test_grades_are_a_score_and_none_of_them_passes_by_itself() -> None:
    said = {"prompt": ["2 + 2?"] * 3, "answer": ["4", "5", "6"], "judge.grade": ["5", "3", "1"]}
    found = roles_of(said)
    assert found is not None and found.judges == (Judge("judge", None, "judge.grade"),)
    assert passing({"judge": said["judge.grade"]}) == {}


def test_judges_with_words_of_their_own_and_people_s_answers() -> None:
    rows = [
        {"answer": "a", "one": "pass", "two": "incorrect", "person": "pass"},
        {"answer": "b", "one": "fail", "two": "correct", "person": ""},
        {"answer": "c", "one": "", "two": "correct", "person": "fail"},
    ]
    found = lc.read_population(
        rows,
        content="answer",
        predictions={"one": "one", "two": "two"},
        passing={"one": ["pass"], "two": ["correct"]},
        known="person",
    )
    assert [column.tolist() for column in found.predictions.values()] == [[1, 0, 0], [0, 1, 1]]
    assert found.known is not None and found.known.tolist() == [1, -1, 0]


def test_what_passes_names_a_classifier_with_verdicts() -> None:
    with pytest.raises(PopulationError, match="passing names 'jugde', which has no prediction"):
        read(judged("pass", "fail"), passing={"jugde": ["pass"]})


def test_arguments_outlive_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, judged("pass", "fail", "ERROR", ""))))
    first = lc.read_population(path, content="answer", predictions={"judge": "verdict"},
                               passing={"judge": ["pass"]})  # fmt: skip
    again = lc.read_population(path, **first.arguments)
    assert again.fingerprint == first.fingerprint
    assert again.predictions["judge"].tolist() == [1, 0, 0, 0]
