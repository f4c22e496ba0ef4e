"""The exact bytes of a log and of small JSON files, so that a changed byte never goes unseen."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from labelcore.errors import ReplayError
from labelcore.log.events import FIELDS, INTEGERS, REQUIRED, Event


def event_line(event: Event) -> str:
    """One line of a log: the event's fields in their order, no spaces."""
    return json.dumps(event.to_json(), ensure_ascii=False, separators=(",", ":"))


def log_text(events: Iterable[Event]) -> str:
    """A whole log, one event a line."""
    return "".join(event_line(event) + "\n" for event in events)


def json_text(values: Mapping[str, Any]) -> str:
    """A small JSON file as it is always written."""
    return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def json_values(name: str, content: bytes) -> dict[str, Any]:
    """The values of a file written by ``json_text``.

    Raises ReplayError for event 0 when the file is not exactly what ``json_text`` writes.
    """
    try:
        text = content.decode()
        values = json.loads(text)
        same = isinstance(values, dict) and json_text(values) == text
    except (ValueError, TypeError, RecursionError) as error:
        raise ReplayError(0, f"{name} cannot be read: {error}") from None
    if not same:
        raise ReplayError(0, f"{name} is not written as Labelcore writes it: it was changed")
    return dict(values)


class LogText(Iterable[Event]):
    """The events of a log file, checked line by line while they are read.

    Iterating raises ReplayError at the first line that is not exactly an event as ``event_line``
    writes it, with the number of that event.
    """

    def __init__(self, content: bytes) -> None:
        self._lines = content.split(b"\n")

    def __iter__(self) -> Iterator[Event]:
        *lines, rest = self._lines
        for number, line in enumerate(lines, start=1):
            yield _event(number, line)
        if rest:
            _event(len(lines) + 1, rest)
            raise ReplayError(len(lines) + 1, "its line in log.jsonl does not end")


def _event(number: int, line: bytes) -> Event:
    where = f"line {number} of log.jsonl"
    try:
        text = line.decode()
        values = json.loads(text)
        if not isinstance(values, dict):
            raise TypeError("it is not a JSON object")
        event = Event.from_json(values)
        same = event_line(event) == text
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ReplayError(number, f"{where} is not an event: {error}") from None
    if not same:
        raise ReplayError(number, f"{where} is not written as Labelcore writes it: it was changed")
    return event


def check_fields(event: Event, expected: int) -> None:
    """Raise ReplayError unless the event is number ``expected``, its fields of the right types."""
    if type(event.sequence) is not int or event.sequence != expected:
        raise ReplayError(expected, f"the log has event {event.sequence!r} in its place")
    for name in FIELDS:
        fault = _fault(name, getattr(event, name))
        if fault:
            raise ReplayError(expected, f"{name} {fault}")
    try:
        moment = datetime.fromisoformat(event.at)
    except ValueError:
        raise ReplayError(expected, f"its time {event.at!r} is not a time") from None
    if moment.tzinfo is None:
        raise ReplayError(expected, f"its time {event.at!r} has no zone")


def _fault(name: str, value: Any) -> str:
    """What is wrong with one field, "" when nothing is."""
    if name == "detail":
        return "" if isinstance(value, Mapping) else f"must be a JSON object, got {value!r}"
    if value is None:
        return "is missing" if name in REQUIRED else ""
    if name in INTEGERS:
        return "" if type(value) is int else f"must be a whole number, got {value!r}"
    if not isinstance(value, str) or not _encodable(value):
        return f"must be text, got {value!r}"
    return ""


def _encodable(text: str) -> bool:
    """Whether UTF-8 can hold the text: half of a surrogate pair it cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
