"""Files as the packages of other tools wrote them: see ``tests/data/traces/write.py``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.errors import PopulationError

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


def test_spans_that_call_no_model_are_told(tmp_path: Path) -> None:
    span = {"name": "GET /", "spanId": "1", "attributes": []}
    whole = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (tmp_path / "a.json").write_text(json.dumps(whole))
    with pytest.raises(PopulationError, match="none of 1 spans is a call of a model"):
        lc.read_population(tmp_path / "a.json", content="output")
