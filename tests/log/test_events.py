"""One event of the log: the hash that chains it does not depend on who writes it down."""

import hashlib
import json
from typing import Any

import pytest

from labelcore.log.events import Content, Event

VALUES = {"sequence": 3, "kind": "looked", "at": "2026-01-02T03:04:05.000006+00:00",
          "annotator": "Zoë"}  # fmt: skip
TEXT = (
    '{"annotator":"Zoë","answers":null,"at":"2026-01-02T03:04:05.000006+00:00","basis":null,'
    '"batch":null,"detail":{"after":2,"labels":1},"index":null,"item_id":null,"kind":"looked",'
    '"label":null,"previous":null,"sequence":3,"shown_at":null,"stratum":null,"text":null,'
    '"token":null}'
)


def test_the_hash_follows_from_the_one_before_and_every_field() -> None:
    """SHA-256 of the hash before, a line feed, and the fields as JSON, sorted, without spaces: a
    log written years ago is checked against this."""
    expected = hashlib.sha256(f"before\n{TEXT}".encode()).hexdigest()
    for detail in ({"labels": 1, "after": 2}, {"after": 2, "labels": 1}):
        event = Event(**VALUES, detail=detail).chained("before")  # type: ignore[arg-type]
        assert event.hash == expected
        assert Event.from_json(json.loads(json.dumps(event.to_json()))) == event


@pytest.mark.parametrize(
    "values",
    [
        {"text": 'a "quote", a \\ and \n\t\x00\x1f\x7f\u2028 \U0001f600'},
        {"label": "", "item_id": "</script>", "index": 0, "batch": -(2**62)},
        {"detail": {"b": [1, 2.5, None, True, "é"], "a": {"z": {}, "y": "\\"}}},
        {"index": True, "batch": 1.5, "text": ["damaged"], "detail": {}},
    ],
)
def test_the_hash_is_that_of_the_json_text_whatever_stands_in_a_field(
    values: dict[str, Any],
) -> None:
    event = Event(**(VALUES | values))
    text = json.dumps(event.content(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert event.digest("before") == hashlib.sha256(f"before\n{text}".encode()).hexdigest()


def test_what_no_json_holds_does_not_follow() -> None:
    for damaged in (b"bytes", {1, 2}, "\ud800"):
        event = Event(**(VALUES | {"text": damaged, "hash": "0" * 64}))  # type: ignore[arg-type]
        assert not event.follows("before", 3)


CLAIMS = [f"The diagnosis is {number}." for number in range(1000)]
"""What somebody would try who knows how such texts read."""


def guessed(shown: Content) -> list[str]:
    """The texts whose hash is that of the log, by somebody who has the log and no salt."""
    recorded = shown.digest("m-1").rpartition(":")[2]
    tried = {text: Content({"text": text}).digest("m-1") for text in CLAIMS}
    return [text for text, digest in tried.items() if digest == recorded]


def test_a_text_is_not_guessed_from_its_hash_without_its_salt() -> None:
    """The twin, a hash without a salt, is guessed at once."""
    assert guessed(Content.drawn({"text": CLAIMS[7]})) == []
    assert guessed(Content({"text": CLAIMS[7]})) == [CLAIMS[7]]


def test_the_same_text_twice_has_two_hashes() -> None:
    one, other = (Content.drawn({"text": "same"}) for _ in range(2))
    assert one.digest("m-1") != other.digest("m-1")
    assert Content({"text": "same"}, one.salt).digest("m-1") == one.digest("m-1")


def test_a_hash_of_before_salts_is_checked_against_this() -> None:
    text = '["m-1", {"a": "Zoë", "b": ""}]'
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert Content({"b": "", "a": "Zoë"}).digest("m-1") == expected
