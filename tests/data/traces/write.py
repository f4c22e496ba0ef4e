"""Writes the files beside this one with the packages of the tools whose exports they are.

    pip install "langfuse==3.15.0" && python write.py langfuse
    pip install arize-phoenix-client==3.5.0 openinference-instrumentation==0.1.72 \
        opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-common==1.45.2 \
        datasets==5.2.0 pandas pyarrow && python write.py others
"""

import base64
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
SYSTEMS = ("small", "large")
ITEMS = 12


def question(n: int) -> str:
    return f"What is {n // 2} plus {n // 2 + 3}?"


def messages(n: int) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": "You are a careful calculator."},
        {"role": "user", "content": question(n)},
    ]


def answer(n: int) -> str:
    return f"It is **{2 * (n // 2) + 3 + (n % 5 == 0)}**."


def passes(n: int) -> bool:
    return n % 3 != 0


def langfuse() -> None:
    """Traces with their scores, as the package reads a page of them from its server."""
    from langfuse.api import Score_Categorical, Score_Numeric, TraceWithFullDetails

    pages = []
    for n in range(ITEMS):
        at = START + timedelta(minutes=n)
        common: dict[str, Any] = {
            "trace_id": f"t{n:02d}", "timestamp": at, "created_at": at, "updated_at": at,
            "environment": "default", "source": "EVAL",
        }  # fmt: skip
        verdict = Score_Categorical(
            id=f"s{n}v", name="verdict", value=float(passes(n)), comment="adds up" * passes(n),
            string_value="pass" if passes(n) else "fail", **common,
        )  # fmt: skip
        grade = Score_Numeric(id=f"s{n}g", name="helpfulness", value=float(1 + n % 5), **common)
        trace = TraceWithFullDetails(
            id=f"t{n:02d}", timestamp=at, name="answer", input={"messages": messages(n)},
            output={"role": "assistant", "content": answer(n)}, session_id=f"p{n // 2}",
            metadata={"model": SYSTEMS[n % 2], "prompt_id": f"p{n // 2}"}, tags=["demo"],
            public=False, environment="default", html_path=f"/trace/t{n:02d}", latency=1.5,
            total_cost=0.01, observations=[], scores=[verdict, grade], release=None, version=None,
            user_id=None,
        )  # fmt: skip
        pages.append(json.loads(trace.json()))
    whole = {"data": pages, "meta": {"page": 1, "limit": 50, "totalItems": ITEMS, "totalPages": 1}}
    (HERE / "langfuse.json").write_text(json.dumps(whole, indent=1))


def spans(attributes_of: Any, evaluated: bool) -> Any:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("calculator")
    for n in range(ITEMS):
        with tracer.start_as_current_span("answer"):
            with tracer.start_as_current_span("lookup"):
                pass
            with tracer.start_as_current_span("chat", attributes=attributes_of(n)) as span:
                if evaluated:
                    said = {
                        "gen_ai.evaluation.name": "correctness",
                        "gen_ai.evaluation.score.value": float(passes(n)),
                        "gen_ai.evaluation.score.label": "pass" if passes(n) else "fail",
                        "gen_ai.evaluation.explanation": "The sum was checked.",
                    }
                    span.add_event("gen_ai.evaluation.result", said)
    return kept.get_finished_spans()


def otlp(found: Any) -> dict[str, Any]:
    """The protocol's message as JSON, with ids in hexadecimal, as its specification asks."""
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    whole = MessageToDict(encode_spans(found))
    for one in whole["resourceSpans"]:
        for scope in one["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64decode(span[name]).hex()
    return whole


def genai(n: int) -> dict[str, Any]:
    """https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/: messages as JSON texts."""
    parts = [
        {"role": one["role"], "parts": [{"type": "text", "content": one["content"]}]}
        for one in messages(n)
    ]
    call = {"type": "tool_call", "id": f"c{n}", "name": "add", "arguments": {"a": n // 2, "b": 3}}
    result = {"type": "tool_call_response", "id": f"c{n}", "response": f"{n // 2 + 3}"}
    parts += [{"role": "assistant", "parts": [call]}, {"role": "tool", "parts": [result]}]
    out = {
        "role": "assistant",
        "parts": [{"type": "text", "content": answer(n)}],
        "finish_reason": "stop",
    }
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": SYSTEMS[n % 2],
        "gen_ai.input.messages": json.dumps(parts),
        "gen_ai.output.messages": json.dumps([out]),
        "prompt.id": f"p{n // 2}",
    }


def openinference(n: int) -> dict[str, Any]:
    from openinference.instrumentation import get_llm_attributes, get_output_attributes

    return {
        **get_llm_attributes(
            model_name=SYSTEMS[n % 2],
            input_messages=messages(n),  # type: ignore[arg-type]
            output_messages=[{"role": "assistant", "content": answer(n)}],
        ),
        **get_output_attributes(answer(n)),
        "metadata": json.dumps({"prompt_id": f"p{n // 2}"}),
    }


def phoenix() -> None:
    """What Client().spans.get_spans_dataframe() gives, by the function that makes it of the
    server's answer, with one annotation of a judge joined to it, as pandas writes it."""
    import pandas as pd
    from phoenix.client.resources.spans import _flatten_nested_column

    rows = [
        {
            "name": "chat", "span_kind": "LLM", "parent_id": None, "status_code": "OK",
            "start_time": START + timedelta(minutes=n),
            "context": {"span_id": f"{n:016x}", "trace_id": f"{n:032x}"},
            "attributes": {
                "llm": {
                    "model_name": SYSTEMS[n % 2],
                    "input_messages": [
                        {"message": {"role": one["role"], "content": one["content"]}}
                        for one in messages(n)
                    ],
                    "output_messages": [{"message": {"role": "assistant", "content": answer(n)}}],
                },
                "output": {"value": answer(n)}, "metadata": {"prompt_id": f"p{n // 2}"},
            },
            "result": {"label": "correct" if passes(n) else "incorrect", "score": float(passes(n))},
        }
        for n in range(ITEMS)
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    for name in ("context", "attributes", "result"):
        frame = _flatten_nested_column(frame, name)
    frame.to_parquet(HERE / "phoenix.parquet", index=False)


def hugging_face() -> None:
    from datasets import Dataset

    rows = [
        {
            "id": f"r{n:02d}", "prompt_id": f"p{n // 2}", "model": SYSTEMS[n % 2],
            "messages": [*messages(n), {"role": "assistant", "content": answer(n)}],
            "judgments": [
                {"judge": "strict", "verdict": "pass" if passes(n) else "fail", "reason": "sum"},
                {"judge": "kind", "verdict": "fail" if n % 4 == 3 else "pass", "reason": ""},
            ],
        }
        for n in range(ITEMS)
    ]  # fmt: skip
    found = Dataset.from_list(rows)
    found.to_parquet(HERE / "datasets.parquet")
    found.to_json(HERE / "datasets.jsonl")


if __name__ == "__main__":
    if sys.argv[1:] == ["langfuse"]:
        langfuse()
    else:
        (HERE / "genai.jsonl").write_text(json.dumps(otlp(spans(genai, True))) + "\n")
        (HERE / "openinference.json").write_text(
            json.dumps(otlp(spans(openinference, False)), indent=1)
        )
        phoenix()
        hugging_face()
