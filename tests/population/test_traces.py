"""Files as the packages of other tools wrote them: see ``tests/data/traces/write.py``."""

import json
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.bounded import Work
from labelcore.cli import main
from labelcore.errors import PopulationError
from labelcore.population import apart

TRACES = Path(__file__).parents[1] / "data" / "traces"
JUDGED = ["fail", "pass", "pass", "fail"]
# File -> id, system, what is judged, verdict, each as a path, and the verdicts of the first rows.
FILES = {
    "langfuse.json": (
        *("id", "metadata.model", "output.content", "scores[name=verdict].stringValue"),
        JUDGED,
    ),
    "phoenix.parquet": (
        *("context.span_id", "attributes.llm.model_name"),
        *("attributes.llm.output_messages[0].message.content", "result.label"),
        ["incorrect", "correct", "correct", "incorrect"],
    ),
    "genai.jsonl": (
        *("span_id", "attributes.gen_ai.request.model"),
        "attributes.gen_ai.output.messages[0].parts[0].content",
        "evaluations[name=correctness].label",
        JUDGED,
    ),
    "openinference.json": (
        *("span_id", "attributes.llm.model_name"),
        *("attributes.llm.output_messages[0].message.content", "attributes.output.mime_type"),
        None,
    ),
    "datasets.jsonl": (
        *("id", "model", "messages[-1].content", "judgments[judge=strict].verdict"),
        JUDGED,
    ),
    "datasets.parquet": (
        *("id", "model", "messages[-1].content", "judgments[judge=strict].verdict"),
        JUDGED,
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_what_a_tool_wrote_is_read(name: str) -> None:
    key, system, answer, verdict, said = FILES[name]
    found = lc.read_population(
        TRACES / name,
        id=key,
        content=answer,
        groups=[system],
        predictions={"judge": verdict} if said else {},
    )
    assert len(found) == 12 and sorted(found.groups[system].names) == ["large", "small"]
    assert found.content(found.id_at(0)) == {answer: "It is **4**."}
    if said:
        assert [found.classes[one] for one in found.predictions["judge"][:4]] == said


def test_scores_in_a_file_of_their_own_are_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Langfuse writes observations and scores to files; what judges left out, said twice, or
    said of something else, is told."""
    both = (tmp_path / "observations.jsonl", tmp_path / "scores.jsonl", tmp_path / "one.jsonl")
    rows = [
        {"id": f"{kind}{n}", "trace_id": f"t{n}", "parent_observation_id": parent,
         "input": f"What is {n} and {n}?", "output": f"It is {2 * n}.", "start_time": "2026"}
        for n in range(10) for kind, parent in (("o", ""), ("i", f"o{n}"))
    ]  # fmt: skip
    said = [
        {"id": f"s{n}", "timestamp": f"2026-01-05 09:0{n}:00", "trace_id": f"t{n % 8}",
         "observation_id": f"i{n}" if n == 9 else None, "name": "verdict",
         "value": 1.0 * (n % 2), "string_value": "pass" if n % 2 else "fail", "comment": "sum"}
        for n in range(10)
    ]  # fmt: skip
    said += [said[0] | {"timestamp": "2026-01-06", "string_value": "pass"}]
    said += [said[0] | {"trace_id": "elsewhere"}]
    both[0].write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    both[1].write_text(json.dumps(said))
    assert main(["join", *map(str, both[:2]), "-o", str(both[2])]) == 0
    told = capsys.readouterr().out
    assert "verdict: a verdict in 9 of 20 lines, none in 11." in told
    assert "verdict: two verdicts in 1 of them; the newest counts." in told
    assert "1 of 12 scores are about no line, or not about one alone." in told
    column = "scores[name=verdict].string_value"
    found = lc.read_population(both[2], id="id", content="output", metadata=column)
    verdicts = dict(zip(found.ids(), found.column(column), strict=True))
    assert (verdicts["o0"], verdicts["o1"], verdicts["i9"]) == ("pass", "pass", "pass")
    assert (verdicts["o8"], verdicts["i0"]) == ("", "")
    files = [str(one) for one in both[:2]]
    work = Work("Joining", apart.join, files, folder=tmp_path, handed=apart.table_of)
    suffix, table = work.result()  # By the process that reads uploads, which has shut itself in.
    assert suffix == ".jsonl"
    assert [json.loads(one) for one in table.splitlines()] == [
        json.loads(one) for one in both[2].read_text().splitlines()
    ]
    assert main(["join", str(both[0]), str(both[0]), "-o", str(both[2])]) == 2
    assert "its rows must have name and trace_id" in capsys.readouterr().err


def test_spans_that_call_no_model_are_told(tmp_path: Path) -> None:
    span = {"name": "GET /", "spanId": "1", "attributes": []}
    whole = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (tmp_path / "a.json").write_text(json.dumps(whole))
    with pytest.raises(PopulationError, match="none of 1 spans is a call of a model"):
        lc.read_population(tmp_path / "a.json", content="output")
    said = {"key": "output.value", "value": {"stringValue": "hi"}}
    called = {"resourceSpans": [{"scopeSpans": [{"spans": [span | {"attributes": [said]}]}]}]}
    (tmp_path / "a.json").write_text(json.dumps([whole, called]))
    found = lc.read_population(tmp_path / "a.json", id="span_id", content="attributes")
    assert found.ids() == ["1"]
    named = {"key": "service.name", "value": {"stringValue": "shop"}}
    called["resourceSpans"][0] |= {"resource": {"attributes": [named]}}
    (tmp_path / "a.json").write_text(json.dumps(called))
    found = lc.read_population(tmp_path / "a.json", id="span_id", content="resource")
    assert "shop" in str(found.content("1"))
    called["resourceSpans"][0] |= {"resource": None}
    called["resourceSpans"].append({"scopeSpans": None})
    (tmp_path / "a.json").write_text(json.dumps(called))
    found = lc.read_population(tmp_path / "a.json", id="span_id", content="attributes")
    assert found.ids() == ["1"]
    many = {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "7"}]}}
    inner = {"kvlistValue": {"values": [{"key": "deep", "value": many}, {"key": "bare"}]}}
    attributes = [said, {"key": "more", "value": inner}]
    called = {"resourceSpans": [{"scopeSpans": [{"spans": [span | {"attributes": attributes}]}]}]}
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(called)}\n{json.dumps(whole)}\n")
    found = lc.read_population(tmp_path / "a.jsonl", id="span_id", content="attributes")
    shown = json.loads(found.content("1")["attributes"])
    assert shown["more"] == {"deep": ["a", 7], "bare": None}
    (tmp_path / "a.json").write_text(json.dumps({"resourceSpans": 5}))
    with pytest.raises(PopulationError, match="as OpenTelemetry's protocol has them in JSON"):
        lc.read_population(tmp_path / "a.json", id="span_id", content="attributes")
