"""Nested JSON on *New project*: from the file to the first item, or to a sentence."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from labelcore.errors import Fault, PopulationError
from labelcore.ui import new_items
from tests.app.conftest import created, error, texts, to_aim, with_upload

WORDS = "The parcel came late and the box was open, so I want my money back".split()  # noqa: SIM905
Row = dict[str, Any]


def said(n: int) -> str:
    return " ".join(WORDS[n % 7 :] + WORDS[: n % 5] + [str(n)])


def chat(n: int) -> list[Row]:
    call = {"role": "assistant", "content": None, "tool_calls": [{"name": "find", "arguments": {}}]}
    return [{"role": "user", "content": said(n)}, call, {"role": "tool", "content": f"order {n}"}]


def scored(n: int) -> Row:
    return {"score_lr": (n % 10) / 10 + 0.01, "pred_lr": int(n % 10 > 4)}


def answered(n: int) -> Row:
    scores = [{"name": "helpful", "value": n % 2}, {"name": "safe", "value": 1}]
    return {"output": {"content": said(n)}, "scores": scores}


def traced(n: int) -> Row:
    output = {"role": "assistant", "type": "message", "content": said(n)}
    return {"input": {"messages": chat(n)}, "output": output, "scores": answered(n)["scores"]}


def leafy(n: int) -> Row:
    leaves = {f"part{p}.leaf{q}": f"{said(n)} {p} {q}" for p in range(20) for q in range(10)}
    found: Row = {}
    for name, value in leaves.items():
        part, leaf = name.split(".")
        found.setdefault(part, {})[leaf] = value
    return found | scored(n)


MIXED = [{"a": 1}, "none", 3, None, [1]]
# Of each file a row by its number, and what is shown of it.
FILES: dict[str, tuple[Callable[[int], Row], tuple[str, ...]]] = {
    "flat object": (lambda n: {"ticket": {"subject": f"Late {n}", "body": said(n)}, **scored(n)},
        ("ticket.subject", "ticket.body")),
    "object with two lists": (lambda n: {"ticket": {"subject": said(n), "messages": chat(n),
        "tags": ["a"]}, **scored(n)}, ("ticket.subject", "ticket.messages")),
    "messages with tools": (lambda n: {"messages": chat(n), **scored(n)}, ("messages",)),
    "a trace": (traced, ("input.messages", "output.content")),
    "lists of scores": (answered, ("output.content",)),
    "mixed types": (lambda n: {"text": said(n), "more": MIXED[n % 5], **scored(n)}, ("text",)),
    "arrays of arrays": (lambda n: {"grid": [[n, 1], [2, 3]], **scored(n)}, ("grid",)),
    "empty objects": (lambda n: {}, ()),
    "200 leaves": (leafy, ()),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_from_the_file_to_the_first_item_or_to_a_sentence(app, data_folder, name: str) -> None:
    row_of, shown = FILES[name]
    rows = [{"id": n, **row_of(n)} if row_of(n) else {} for n in range(60)]
    lines = "\n".join(map(json.dumps, rows)).encode()
    page = with_upload(app, f"{name}.jsonl", lines)
    if name == "empty objects":
        assert f"{name}.jsonl: no row has a field: write each item as an object" in error(page)
        assert "no fault" not in texts(page)
        return
    content = page.multiselect(key=next(m.key for m in page.multiselect if "judge?" in m.label))
    offered = list(content.options)
    assert not [one for one in offered if any(other.startswith(f"{one}.") for other in offered)]
    if name == "200 leaves":
        assert content.value == [] and "at least one column to judge" in texts(page)
        assert f"{len(offered) - 8} more" in texts(page)
        content.set_value(["part0.leaf0", "part7.leaf9"]).run()
    assert not page.error and "60 items" in texts(page).replace("\\", "")
    assert f"{name}.jsonl" in texts(page) and ".parquet" not in texts(page)
    if name == "200 leaves":
        return
    to_aim(page, "Is the customer right?")
    session = created(page, data_folder)
    assert session.population.content_columns == shown
    assert session.population.name == f"{name}.jsonl"
    draw = session.next()
    assert draw is not None
    item = session.item(draw)
    assert all(item.values()) and not any(part[:1] == "{" for part in item.values())


def test_items_within_one_object_are_read_or_named(app) -> None:
    """One item that holds all of them would be taken to the end."""
    whole: Row = {"version": 1, "data": [{"id": n, "text": said(n)} for n in range(60)]}
    page = with_upload(app, "whole.json", json.dumps(whole).encode())
    assert not page.error and "60 items" in texts(page)
    whole |= {"errors": whole["data"]}
    page = with_upload(app, "two.jsonl", json.dumps(whole).encode())
    assert "two.jsonl, column 'data': the file holds one object, with 2 lists" in error(page)
    assert "save one of them" in error(page) and "no fault" not in texts(page)
    page = with_upload(app, "talk.jsonl", json.dumps({"messages": chat(1)}).encode())
    assert not page.error


def test_a_prediction_that_only_later_rows_have_is_none(app) -> None:
    rows = [{"id": n, "text": said(n)} for n in range(70)]
    rows += [{"id": n, "text": said(n), "judge": {"verdict": "yes"}} for n in range(70, 99)]
    page = with_upload(app, "late.jsonl", "\n".join(map(json.dumps, rows)).encode())
    said_of_it = texts(page).replace("\\", "")
    assert not page.error and "no fault. No classifier was found" in said_of_it


def test_what_cannot_be_used_says_the_next_step(app) -> None:
    rows = [{"text": said(n), "output": {"pred": n % 2} if n % 3 else {}} for n in range(60)]
    page = with_upload(app, "some.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert "must be one of the classes 'no', 'yes' or 0/1, got ''. Choose other" in error(page)
    assert "columns under 'Change what a column means', or mend the file." in error(page)
    assert "no fault" not in texts(page)


def test_what_is_found_wrong_below_is_not_called_faultless_above(
    app, items: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line with the number of items comes when every look at the file went well."""

    def broken(*given: object) -> None:
        raise PopulationError([Fault("items.csv", "text", 3, "x", "must be another value")])

    monkeypatch.setattr(new_items, "known_answers", broken)
    page = with_upload(app, "items.csv", items.read_bytes())
    assert "must be another value" in error(page)
    assert "no fault" not in texts(page) and "classifier was found" not in texts(page)


def test_verdicts_in_another_file_are_joined_and_nothing_else_is(app) -> None:
    """Langfuse's observations and their scores; a file that has no scores says so."""
    rows = [
        {"id": f"o{n}", "trace_id": f"t{n}", "start_time": "2026", "input": f"What is {n} + 1?",
         "output": f"It is {n + 1}.", "project_id": "p"}
        for n in range(60)
    ]  # fmt: skip
    said_of = [
        {"id": f"s{n}", "trace_id": f"t{n}", "observation_id": f"o{n}", "name": "strict",
         "value": n % 2, "string_value": ("fail", "pass")[n % 2]}
        for n in range(57)
    ]  # fmt: skip
    traces, scores = ("\n".join(map(json.dumps, some)).encode() for some in (rows, said_of))
    page = with_upload(app, "observations.jsonl", traces)
    page.file_uploader(key="new-scores-file").upload("wrong.jsonl", traces, "text/plain").run()
    assert "its rows must have name and trace_id" in error(page)
    page.file_uploader(key="new-scores-file").upload("scores.jsonl", scores, "text/plain").run()
    assert not page.error
    told = texts(page).replace("\\", "")
    assert "strict: pass counts as passed, all else does not: fail (29), empty (3)" in told
    assert "new-scores-file" not in [one.key for one in page.get("file_uploader")]
