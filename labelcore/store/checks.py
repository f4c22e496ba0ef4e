"""What every store checks before it keeps anything: that it will come back as it went in."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from labelcore.log.events import FIELDS, INTEGERS, REQUIRED, Content, Event
from labelcore.store.base import Contents, ProjectRecord

_INTEGER_LIMIT = 2**63
_NOT_TEXTS = (*INTEGERS, "detail")
_TEXTS = tuple(name for name in FIELDS if name not in _NOT_TEXTS)


def check_name(name: str) -> None:
    """Raise TypeError or ValueError when ``name`` cannot name a project."""
    _check_text("the project's name", name)
    if not name.strip():
        raise ValueError(f"the project's name must not be empty, got {name!r}")


def check_path(path: Path) -> None:
    """Raise ValueError for a path that is no text: projects say where their items are."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        rule = "the name of a file and of its folders must be UTF-8"
        raise ValueError(f"{rule}, got {os.fsencode(path)!r}; rename it") from error


def check_record(record: ProjectRecord) -> None:
    """Raise TypeError or ValueError when the record cannot be stored as it is."""
    check_name(record.name)
    for name in ("created_at", "fingerprint", "plan_json"):
        _check_text(name, getattr(record, name))
    check_changes(record.settings_json, record.archived, record.population_json)


def check_changes(
    settings_json: str | None, archived: bool | None, population_json: str | None
) -> None:
    """Raise TypeError or ValueError for values that ``update`` cannot store."""
    if settings_json is not None:
        _check_text("settings_json", settings_json)
    if population_json is not None:
        _check_text("population_json", population_json)
    if archived is not None and not isinstance(archived, bool):
        raise TypeError(f"archived must be True or False, got {archived!r}")


def check_person(key: str, at: str) -> None:
    """Raise TypeError or ValueError for values that ``person`` cannot store."""
    _check_text("a person's key", key)
    _check_text("a person's time", at)


def checked_events(events: Sequence[Event]) -> list[Event]:
    """The events with ``detail`` as it reads back from JSON: what every store keeps.

    Raises TypeError or ValueError when a field would not come back as it is, when sequence numbers
    skip within the batch, or when two events of the batch share a token.
    """
    seen: set[tuple[str, str]] = set()
    for position, event in enumerate(events):
        _check_fields(event)
        expected = events[0].sequence + position
        if event.sequence != expected:
            raise ValueError(f"event {event.sequence} must be event {expected}: no gaps in a batch")
        keys = tokens(event)
        if not seen.isdisjoint(keys):
            raise ValueError(f"event {event.sequence} repeats a token of its own batch: {keys!r}")
        seen.update(keys)
    return [replace(event, detail=json.loads(detail_json(event))) for event in events]


def tokens(event: Event) -> list[tuple[str, str]]:
    """The (field, token) pairs of an event that are unique in the store."""
    pairs = (("token", event.token), ("answers", event.answers))
    return [(field, token) for field, token in pairs if token is not None]


def detail_json(event: Event) -> str:
    """The event's detail as JSON text."""
    if not event.detail:
        return "{}"
    try:
        return json.dumps(dict(event.detail))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"event {event.sequence}: detail must hold JSON values only, got {event.detail!r}"
        ) from error


def checked_contents(contents: Contents) -> dict[str, Content]:
    """A copy of ``contents``; TypeError or ValueError when a part of it is not storable text."""
    for item_id, content in contents.items():
        _check_text("an item's id", item_id)
        _check_text(f"the salt of item {item_id!r}", content.salt)
        for column, text in content.columns.items():
            _check_text(f"a column name of item {item_id!r}", column)
            if not isinstance(text, str):
                raise TypeError(f"column {column!r} of item {item_id!r} must be text, got {text!r}")
    return {item: Content(dict(texts.columns), texts.salt) for item, texts in contents.items()}


def _check_fields(event: Event) -> None:
    from labelcore.log.kinds import kind_named  # What events do needs much more than a store.

    kind_named(event.kind)
    for name in REQUIRED:
        if getattr(event, name) is None:
            raise TypeError(f"{name} of event {event.sequence} must not be None")
    for name in INTEGERS:
        value = getattr(event, name)
        # Not isinstance: True and numpy integers would come back as something else.
        if value is not None and type(value) is not int:
            raise TypeError(f"{name} of event {event.sequence} must be an int, got {value!r}")
        if value is not None and not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
            raise ValueError(f"{name} of event {event.sequence} must fit in 64 bits, got {value!r}")
    if event.sequence < 1:
        raise ValueError(f"sequence must be 1 or more, got {event.sequence}")
    for name in _TEXTS:
        value = getattr(event, name)
        if value is not None:
            _check_text(f"{name} of event {event.sequence}", value)


def _check_text(what: str, value: object) -> None:
    if type(value) is not str:
        raise TypeError(f"{what} must be text, got {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} must be text that UTF-8 can hold, got {value!r}") from error
