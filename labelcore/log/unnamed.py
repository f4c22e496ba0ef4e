"""Events without the name of a person: as the one who did it, as a value or a key of what an event
records, and among words that somebody wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from labelcore.log.events import ERASED, Event

FREE_WORDS = ("noted", "finished", "restarted", "settled", ERASED)
"""Kinds of events whose text somebody wrote."""
Same = Callable[[str], bool]
"""Whether a text is the name."""


def is_name(name: str) -> Same:
    return lambda text: text == name


def unnamed(event: Event, same: Same, words: int, called: str) -> Event:
    """An event without a name: as the one who did it, as a value or a key of what it records, and
    among words that somebody wrote."""
    text = event.text
    if text and event.kind in FREE_WORDS:
        text = _without_words(text, same, words, called)
    return replace(
        event,
        annotator=called if same(event.annotator) else event.annotator,
        text=text,
        detail=without_name(dict(event.detail), same, called),
    )


def without_name(value: Any, same: Same, called: str) -> Any:
    if isinstance(value, str):
        return called if same(value) else value
    if isinstance(value, Mapping):
        return {
            called if same(str(key)) else key: without_name(one, same, called)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [without_name(one, same, called) for one in value]
    return value


def _without_words(text: str, same: Same, words: int, called: str) -> str:
    """Words that somebody wrote, where so many in a row are the name."""
    spans = [found.span() for found in re.finditer(r"\w+(?:[-'.]\w+)*", text)]
    for first in range(len(spans) - words, -1, -1):
        start, end = spans[first][0], spans[first + words - 1][1]
        if words and same(text[start:end]):
            text = text[:start] + called + text[end:]
    return text
