"""Paths into nested records, in every form that holds them."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.errors import PopulationError
from labelcore.population.paths import MOST_INNER, Fields, names_there, value_at

TRACES = [
    {
        "id": f"t{n}",
        "messages": [{"content": "hi"}, {"content": f"answer {n}"}],
        "scores": [{"name": "helpful", "value": n / 10}, {"name": "safe", "value": 1}],
    }
    for n in range(4)
]


def written(form: str, folder: Path, rows: list[Any]) -> Path:
    path = folder / f"traces.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif form == "json":
        path.write_text(json.dumps(rows, indent=1))
    else:
        path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_paths_lead_into_nested_records(tmp_path: Path, form: str) -> None:
    path = written(form, tmp_path, TRACES)
    found = lc.read_population(
        path,
        id="id",
        content=["messages[-1].content"],
        scores={"judge": "scores[name=helpful].value"},
    )
    assert found.scores["judge"].tolist() == [0.0, 0.1, 0.2, 0.3]
    assert found.content("t2") == {"messages[-1].content": "answer 2"}
    assert json.loads(found.column("messages")[1]) == TRACES[1]["messages"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("scores[name=helpfull].value", "there are 'helpful', 'safe'; did you mean 'helpful'?"),
        ("scores[name=safe].valu", "there are 'name', 'value'; did you mean 'value'?"),
        ("scores.value", "'scores' is a list of at most 2"),
        ("messages[7].content", "'messages' is a list of at most 2"),
        ("mesages[0].content", "there are 'id', 'messages', 'scores'; did you mean 'messages'?"),
        ("scores[name", "is no path into a record; write a.b, a[0].b or a[key=value].b"),
    ],
)
def test_a_path_that_matches_nothing_says_what_is_there(
    tmp_path: Path, path: str, said: str
) -> None:
    file = written("jsonl", tmp_path, TRACES)
    with pytest.raises(PopulationError) as caught:
        lc.read_population(file, content="id", scores={"judge": path})
    (fault,) = [one for one in caught.value.faults if one.column == path]
    assert said in fault.rule and "scores['judge'] leads nowhere" in fault.rule


def test_a_path_that_only_a_late_row_has_is_a_column(tmp_path: Path) -> None:
    rows: list[Any] = [{"id": n, "said": [{"who": "a", "text": "x"}]} for n in range(9)]
    rows[8]["said"].append({"who": "b", "text": "late"})
    found = lc.read_population(
        written("jsonl", tmp_path, rows), content="id", metadata="said[who=b].text"
    )
    assert found.column("said[who=b].text") == [""] * 8 + ["late"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b", 1), ("a.c", None), ("l[1].x", 2), ("l[-1].x", 2), ("l[7].x", None), ("l[k=v].x", 2),
        ("l[k=w].x", None), ("a[0]", None), ("t.u[0]", "in a text"), ("t.u[0].v", None),
        ("dotted.name.x", 3),
    ],
)  # fmt: skip
def test_a_path_that_leads_nowhere_is_a_missing_value(path: str, value: object) -> None:
    record = {"a": {"b": 1}, "l": [{"x": 1}, {"k": "v", "x": 2}], "t": '{"u": ["in a text"]}'}
    assert value_at({**record, "dotted.name": {"x": 3}}, path) == value


def test_what_named_objects_of_a_list_say_are_columns() -> None:
    fields = Fields()
    said = {"id": "s1", "name": "safe", "value": 1, "comment": "c", "result": {"label": "ok"}}
    fields.note({"scores": [said], "tools": [{"name": "look", "schema": {}}], "tags": ["a"]})
    fields.note({"scores": [{"name": "kind", "value": 2}, {"name": "a]b", "value": 3}]})
    assert fields.columns() == (
        *("scores", "scores[name=safe].value", "scores[name=safe].comment"),
        *("scores[name=safe].result", "scores[name=safe].result.label", "tools", "tags"),
    )
    many = Fields()
    many.note({"scores": [{"name": f"n{n}", "value": n} for n in range(MOST_INNER + 1)]})
    assert many.columns() == ("scores",)


def test_names_are_told_of_what_never_was() -> None:
    assert names_there([], "a.b") == "no record has 'a'; there are none"
