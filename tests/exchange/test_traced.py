"""Labels sent back to the tools that recorded the traces; ``benchmarks/installed.py`` lets their
own packages read these files."""

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import labelcore as lc
from labelcore.exchange import LABELLED_FORMS
from tests.answering import next_draw
from tests.report.sessions import HOSTILE

TRACES = Path(__file__).parents[1] / "data" / "traces"
# File -> its arguments, where the ids of traces and of spans stand, and the forms offered for it.
SOURCES: dict[str, tuple[dict[str, Any], str, str | None, set[str]]] = {
    "langfuse.json": (
        {"id": "id", "content": "output.content"}, "id", None, {"langfuse"}
    ),
    "phoenix.parquet": (
        {"id": "context.span_id", "content": "attributes.output.value"},
        *("context.trace_id", "context.span_id", {"phoenix"}),
    ),
    "genai.jsonl": (
        {"content": "attributes.gen_ai.output.messages"},
        *("trace_id", "span_id", {"langfuse", "phoenix"}),
    ),
    "datasets.jsonl": ({"id": "id", "content": "messages"}, "id", None, set()),
}  # fmt: skip


def labelled(
    source: Any, answers: int = 12, project: str = "judged", store: Any = None, **given: Any
) -> lc.Session:
    """Answers "yes" and "no" by turns, the third not sure, by somebody called Ann."""
    population = lc.read_population(source, classes=["no", "yes"], **given)
    session = lc.Session(population, lc.Plan("simple_random", ["prevalence"], budget=12),
                         store, project)  # fmt: skip
    for number in range(answers):
        session.answer(next_draw(session), "unsure" if number == 2 else ("no", "yes")[number % 2])
    session.introduce("Ann", "me")
    return session


def scores(session: lc.Session) -> list[dict[str, Any]]:
    return [json.loads(line) for line in LABELLED_FORMS["langfuse"](session).splitlines()]


def annotations(session: lc.Session) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(LABELLED_FORMS["phoenix"](session)))


@pytest.mark.parametrize("name", SOURCES)
def test_an_answer_goes_back_to_the_trace_and_span_that_it_is_about(name: str) -> None:
    given, trace, span, offered = SOURCES[name]
    session = labelled(TRACES / name, **given)
    population = session.population
    fit = {one for one in ("langfuse", "phoenix") if LABELLED_FORMS[one].fits(population)}
    assert fit == offered
    answers = session.labels_table().dropna(subset=["answer"]).set_index("id")["answer"]
    ids = population.ids()
    traces = dict(zip(population.column(trace), ids, strict=True))
    spans = dict(zip(population.column(span), ids, strict=True)) if span else {}
    found = scores(session)
    assert len(found) == 11
    for one in found:
        item = traces[one["traceId"]]
        assert one["value"] == answers[item] and one["dataType"] == "CATEGORICAL"
        assert (spans[one["observationId"]] == item) if span else "observationId" not in one
        assert one["metadata"]["labelcore_annotator"] == "Ann"
        assert one["metadata"]["labelcore_weight"] > 0 and one["metadata"]["labelcore_time"]
    if not span:
        return
    frame = annotations(session)
    assert {*frame["annotator_kind"]} == {"HUMAN"} and {*frame["name"]} == {"human"}
    assert [answers[spans[one]] for one in frame["span_id"]] == frame["label"].tolist()
    assert frame["score"].tolist() == (frame["label"] == "yes").astype(float).tolist()
    assert all(one["labelcore_annotator"] == "Ann" for one in frame["metadata"])


def test_written_again_an_answer_takes_the_place_of_what_was_sent() -> None:
    """Langfuse keeps one score for a project, day, name and id; Phoenix one for an identifier."""
    given = SOURCES["phoenix.parquet"][0]
    session = labelled(TRACES / "phoenix.parquet", **given)
    before, frame = scores(session), annotations(session)
    answered = {event.at for event in session.events if event.kind == "labelled"}
    assert {one["timestamp"] for one in before} <= answered
    session.revise(1, "yes", "m", annotator="me")
    after, later = scores(session), annotations(session)
    assert [one["value"] for one in before] != [one["value"] for one in after]
    keys = ("id", "timestamp", "name", "traceId")
    assert [[one[key] for key in keys] for one in before] == [
        [one[key] for key in keys] for one in after
    ]
    assert frame["identifier"].tolist() == later["identifier"].tolist()
    assert frame["explanation"].isna().all(), "an empty text would show as a remark"
    other = labelled(TRACES / "phoenix.parquet", project="another question", **given)
    assert not {one["id"] for one in scores(other)} & {one["id"] for one in before}


def test_an_observation_of_langfuse_has_its_own_id() -> None:
    """https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields"""
    rows = [
        {"id": f"o{n}", "trace_id": f"t{n // 2}", "start_time": "2026-01-05 09:00:00.000000",
         "parent_observation_id": "", "output": f"It is {n}."}
        for n in range(12)
    ]  # fmt: skip
    found = scores(labelled(rows, id="id", content="output"))
    assert {(one["observationId"], one["traceId"]) for one in found} < {
        (row["id"], row["trace_id"]) for row in rows
    }
    flat = [{"trace_id": row["id"], "id": f"r{n}", "text": "x"} for n, row in enumerate(rows)]
    found = scores(labelled(flat, id="id", content="text"))
    assert {one["traceId"][0] for one in found} == {"o"} and "observationId" not in found[0]


def test_ids_stay_when_the_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    rows = [{"text": f"It is {n}.", "traceId": f"t{n}", "more": "x"} for n in range(12)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    store = f"sqlite:///{tmp_path}/labels.db"
    labelled(file, content="text", store=store).store.close()
    file.unlink()
    session = lc.Session.open(store, "judged")
    assert {one["traceId"] for one in scores(session)} < {f"t{n}" for n in range(12)}


def test_without_ids_nothing_is_written_and_it_is_said() -> None:
    rows = [{"text": f"It is {n}.", "trace_id": "" if n % 3 else f"t{n}"} for n in range(12)]
    without = labelled([{"text": row["text"]} for row in rows], content="text")
    for form in ("langfuse", "phoenix"):
        with pytest.raises(ValueError, match="no column with the ids of traces or spans, such as "):
            LABELLED_FORMS[form](without)
        some = labelled(rows, content="text")
        rule = r"[78] of 11 answers have no id of a trace in the column 'trace_id', the first is"
        with pytest.raises(ValueError, match=rule):
            LABELLED_FORMS[form](some)


def test_a_card_has_the_figures_and_leaves_the_licence_open(tmp_path: Path) -> None:
    """Nothing of a hostile name is markup, in the front matter or below it."""
    rows = [{"id": f"r{n}", "text": HOSTILE[n % len(HOSTILE)]} for n in range(12)]
    session = labelled(rows, id="id", content="text", project='x"\n---\nlicense: mit\n<script>')
    card = LABELLED_FORMS["hugging-face-card"](session).decode()
    _, front, text = card.split("---\n", 2)
    told = dict(line.split(": ", 1) for line in front.strip().splitlines())
    assert json.loads(told["pretty_name"]) == session.project
    assert "license" not in told and "# license" in told
    assert json.loads(told["size_categories"]) == ["n<1K"]
    assert "12 items of" in text and "<script" not in text and "## Columns" in text
    estimate = session.results()["prevalence"]
    assert isinstance(estimate, lc.Estimate) and estimate.sentence().split(",")[0] in text
