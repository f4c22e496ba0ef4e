"""A person's name taken out of events, settings and what people wrote."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from labelcore.log.events import Event
from labelcore.log.kinds import holds_words

Same = Callable[[str], bool]
"""Whether a text is the name."""


def is_name(name: str) -> Same:
    return lambda text: text == name


def unnamed(event: Event, same: Same, words: int, called: str) -> Event:
    """An event without a name: as the one who did it, as a value or a key of what it records, and
    among words that somebody wrote, those of the project among them."""
    text = event.text
    if text and holds_words(event.kind):
        text = without_words(text, same, words, called)
    return replace(
        event,
        annotator=called if same(event.annotator) else event.annotator,
        text=text,
        detail=without_name(dict(event.detail), same, called, words if event.kind in WORDS else 0),
    )


WORDS = ("worded", "reworded")


def without_name(value: Any, same: Same, called: str, words: int = 0) -> Any:
    """A JSON value without a name, also among ``words`` in a row of its texts, unless that is 0."""
    if isinstance(value, str):
        return called if same(value) else without_words(value, same, words, called)
    if isinstance(value, Mapping):
        return {
            called if same(str(key)) else key: without_name(part, same, called, words)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [without_name(part, same, called, words) for part in value]
    return value


WORD = re.compile(r"\w+(?:[-.]\w+|'(?!s\b)\w+)*")
"""A name neither begins nor ends within one."""


def without_words(text: str, same: Same, words: int, called: str) -> str:
    """Words that somebody wrote, where so many in a row, with signs that touch them, are the
    name."""
    kept = ""
    while words and (place := _place_of_name(text, same, words)):
        kept, text = kept + text[: place[0]] + called, text[place[1] :]
    return kept + text


def _place_of_name(text: str, same: Same, words: int) -> tuple[int, int] | None:
    inside = {at for word in WORD.finditer(text) for at in range(word.start() + 1, word.end())}
    spans = [part.span() for part in re.finditer(r"\S+", text)]
    for (start, until), (since, end) in zip(spans, spans[words - 1 :], strict=False):
        for first, last in product(range(start, until), range(end, since, -1)):
            part = text[first:last]
            whole = first < last and not {first, last} & inside
            if whole and (same(part) or same(" ".join(part.split()))):
                return first, last
    return None
