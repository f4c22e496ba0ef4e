"""Conversations and prose as blocks; what no reader of a page may be led by."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.items import Block, Folders, Rich, Text, form_of, glimpse, lay_out
from labelcore.items.layout import texts_of
from labelcore.items.talk import LONG, LONGEST, prose
from tests.population.test_traces import TRACES

FOLDERS = Folders(Path("nowhere"))


def talk(*messages: Any) -> Rich:
    shown = form_of(json.dumps(messages), FOLDERS)
    assert isinstance(shown, Rich) and shown.talk
    return shown


def outline(shown: Rich | Block) -> list[str]:
    """Each block that has a name, with its words."""
    found = []
    for one in shown.parts:
        if isinstance(one, Block) and one.said:
            words = "".join(text.text for text in texts_of(one))
            found.append(f"{one.kind} {one.said}: {words}")
    return found


USER, OK = {"role": "user", "content": "Can I?"}, {"role": "assistant", "content": "Yes."}
CALL = {"id": "c", "function": {"name": "bill.look", "arguments": '{"month": "2026-03"}'}}
# The same question, call, result and answer, as each tool writes it.
FORMS: dict[str, list[Any]] = {
    "OpenAI": [
        USER, {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "content": '{"seats": 2}'}, OK,
    ],
    "Anthropic": [
        {"role": "user", "content": [{"type": "text", "text": "Can I?"}]},
        {"role": "assistant", "content": [
            {"type": "tool_use", "name": "bill.look", "input": {"month": "2026-03"}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": '{"seats": 2}'}]}, OK,
    ],
    "OpenTelemetry": [
        {"role": "user", "parts": [{"type": "text", "content": "Can I?"}]},
        {"role": "assistant", "parts": [
            {"type": "tool_call", "name": "bill.look", "arguments": {"month": "2026-03"}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "response": '{"seats": 2}'}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "Yes."}]},
    ],
    "OpenInference": [
        {"message": USER},
        {"message": {"role": "assistant", "tool_calls": [{"tool_call": CALL}]}},
        {"message": {"role": "tool", "content": '{"seats": 2}'}}, {"message": OK},
    ],
    "Phoenix, flat": [
        {"message.role": "user", "message.content": "Can I?"},
        {"message.role": "assistant", "message.tool_calls": [{
            "tool_call.function.name": "bill.look",
            "tool_call.function.arguments": '{"month": "2026-03"}'}]},
        {"message.role": "tool", "message.content": '{"seats": 2}'},
        {"message.role": "assistant", "message.content": "Yes."},
    ],
    "ShareGPT": [
        {"from": "human", "value": "Can I?"},
        {"from": "gpt", "tool_calls": [CALL]},
        {"from": "function", "value": '{"seats": 2}'}, {"from": "gpt", "value": "Yes."},
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_talk_is_the_same_talk(name: str) -> None:
    assert outline(talk(*FORMS[name])) == [
        "asked user: Can I?",
        'fold calls bill.look(month="2026-03"): 2026-03',
        'fold tool: {"seats": 2}: 2',
        "judged assistant: Yes.",
    ]


@pytest.mark.parametrize(
    "whole",
    [
        {"model": "secret", "messages": [USER, OK]},
        {"messages": [USER], "choices": [{"index": 0, "message": OK}]},
        {"id": "x", "model": "secret", "choices": [{"index": 0, "message": OK}]},
        OK | {"model": "secret"},
    ],
)
def test_a_request_or_an_answer_of_a_model_is_its_messages(whole: dict[str, Any]) -> None:
    shown = form_of(json.dumps(whole), FOLDERS)
    assert isinstance(shown, Rich) and shown.talk and "secret" not in str(shown)
    assert outline(shown)[-1] in ("judged assistant: Yes.", "asked user: Can I?")


def test_the_system_s_prompt_earlier_and_long_turns_are_folded() -> None:
    system = {"role": "system", "content": "Be brief. " * 3, "name": "gpt-secret"}
    long = {"role": "user", "content": "why " * LONG}
    shown = outline(talk(system, USER, OK, long, {"role": "assistant", "content": "so " * LONG}))
    assert [one.partition(":")[0] for one in shown] == [
        *("fold system prompt, 6 words", "fold 2 earlier turns"),
        *(f"fold user, {LONG:,} words", "judged assistant"),
    ]
    assert "gpt-secret" not in str(shown)


def test_an_answer_beside_its_talk_or_prompt_is_what_is_judged() -> None:
    def kinds(content: dict[str, str]) -> list[list[str]]:
        forms = [part.form for row in lay_out(content, FOLDERS).rows for part in row]
        return [outline(one) if isinstance(one, Rich) else [] for one in forms]

    messages = json.dumps([USER, OK, USER])
    assert kinds({"input.messages": messages, "output.content": "**No**"}) == [
        ["fold 2 earlier turns: Can I?Yes.", "asked user: Can I?"], ["judged assistant: No"],
    ]  # fmt: skip
    assert kinds({"prompt": "2 + 2?", "response": "4"}) == [
        ["asked user: 2 + 2?"], ["judged assistant: 4"],
    ]  # fmt: skip
    both = kinds({"llm.input_messages": json.dumps([USER, OK]), "llm.output_messages": messages})
    assert both[0] == ["asked user: Can I?", "turn assistant: Yes."]
    assert kinds({"title": "a", "text": "b " * 80}) == [[], []]
    found = json.dumps([{"title": "t", "snippet": "s " * 40}])
    rows = lay_out({"query": "q", "results": found}, FOLDERS).rows
    assert [[part.name for part in row] for row in rows] == [["query"], ["results"]]


def test_pictures_are_named_and_not_fetched() -> None:
    part = {"type": "image_url", "image_url": {"url": "http://labelcore.invalid/a.png"}}
    shown = talk({"role": "user", "content": [part, {"type": "text", "text": "![b](http://c/d)"}]})
    assert outline(shown) == [
        'asked user: [picture, not fetched: {"url": "http://labelcore.invalid/a.png"}]',
        "asked user: [picture, not fetched: b http://c/d]",
    ]


def test_marks_of_markdown_and_what_stays_literal() -> None:
    text = "# Sum\n1. **two**\n2. `x`\n\n> [a](http://b) <b>c</b>\n\n"
    text += "```js\nalert(1)\n```\n| d |\n|-|\n| e |"
    kinds = [one.kind for one in prose(text) if isinstance(one, Block)]
    assert kinds == ["heading", "steps", "quote", "lines", "table"]
    words = "".join(one.text for one in texts_of(Rich(prose(text))))
    assert words == "Sumtwoxa (http://b) <b>c</b>alert(1)de"
    assert prose("*x*" * LONGEST) == (
        Text(("*x*" * LONGEST)[:LONGEST]),
        Block("fold", (Text(("*x*" * LONGEST)[LONGEST:]),), "100,000 more characters"),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"\(x\) is \{1, 2\}, 5\%, snake\_case \\\\", r"\(x\) is \{1, 2\}, 5\%, snake\_case \\\\"),
        ("&lt;b&gt; &amp;amp; &#8238;gpj.exe", "&lt;b&gt; &amp;amp; &#8238;gpj.exe"),
        ("[1]: http://a.example 'all of it'", "[1]: http://a.example 'all of it'"),
        ("See [a][1].\n\n[1]: http://a.example", "See [a][1].[1]: http://a.example"),
    ],
)
def test_prose_says_what_the_file_says(text: str, words: str) -> None:
    assert "".join(one.text for one in texts_of(Rich(prose(text)))) == words


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("7.", ["7"]), ("42) is it", ["42"]), ("1. a\n1. b\n1. c", ["1", "1", "1"]), ("- a", [""])],
)
def test_points_keep_their_numbers(text: str, numbers: list[str]) -> None:
    (steps,) = prose(text)
    assert isinstance(steps, Block)
    assert [point.said for point in steps.parts if isinstance(point, Block)] == numbers


def test_a_refusal_and_an_empty_answer_are_what_is_judged() -> None:
    refused = talk(USER, {"role": "assistant", "content": None, "refusal": "I cannot."})
    assert outline(refused) == ["asked user: Can I?", "judged assistant: I cannot."]
    empty = talk(USER, {"role": "assistant", "content": ""})
    assert outline(empty) == ["asked user: Can I?", "judged assistant: "]


def test_an_answer_beside_the_messages_is_shown() -> None:
    request = {"model": "m", "messages": [USER]}
    shown = form_of(json.dumps({**request, "choices": [{"message": OK}]}), FOLDERS)
    assert isinstance(shown, Rich) and outline(shown)[-1] == "judged assistant: Yes."
    for name, answer in (("response", "Yes."), ("output", OK)):
        shown = form_of(json.dumps({**request, name: answer}), FOLDERS)
        assert isinstance(shown, Rich) and "Yes." in [one.text for one in texts_of(shown)]


def test_a_megabyte_in_one_turn_is_folded_and_literal() -> None:
    whole = "**x** " * 170_000
    shown = talk({"role": "user", "content": whole}, OK)
    (fold, _) = shown.parts
    assert isinstance(fold, Block) and fold.kind == "fold" and fold.said.startswith("user, 170,000")
    assert len(fold.said) < 140 and "".join(one.text for one in texts_of(fold)) == whole


@given(st.text())
def test_no_text_breaks_prose_or_a_talk(text: str) -> None:
    assert all(isinstance(one, (Block, Text)) for one in prose(text))
    first = {"role": text or "x", "content": text, "tool_calls": [text, {"name": text}]}
    shown = talk(first, {"role": "user", "content": [text, {"type": text, "text": text}, 1, None]})
    assert all("\x00" not in one.text and "\u202e" not in one.text for one in texts_of(shown))


@pytest.mark.parametrize("value", ["[]", "[1]", '[{"a": 1}]', '[{"role": 1}]', '{"messages": [1]}'])
def test_other_lists_are_no_talk(value: str) -> None:
    shown = form_of(value, FOLDERS)
    assert not (isinstance(shown, Rich) and shown.talk)


def test_a_glimpse_is_what_was_said_last() -> None:
    tool = {"role": "tool", "content": "{}"}
    assert glimpse({"messages": json.dumps([USER, OK, tool])}) == "Yes."


def test_a_trace_of_a_tool_is_a_talk() -> None:
    row = json.loads((TRACES / "datasets.jsonl").read_text().splitlines()[0])
    assert outline(talk(*row["messages"]))[1:] == [
        "asked user: What is 0 plus 3?", "judged assistant: It is 4.",
    ]  # fmt: skip
