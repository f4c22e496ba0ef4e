"""One event of the log: the hash that chains it does not depend on who writes it down."""

from __future__ import annotations

import hashlib
import json

from labelcore.log.events import Event

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
