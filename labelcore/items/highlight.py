"""Words and patterns that are to be seen at once in every item."""

import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from labelcore.items.forms import Mark

SETTING = "highlight"
MOST = {"word": 200, "pattern": 20}
LONGEST = {"word": 100, "pattern": 200}
SHOWN = 60
# A pattern is unrolled before it runs: repeats of repeats would fill the memory.
MOST_REPEATS = 1_000
LONGEST_SEARCHED = 50_000
MOST_MARKS = 2_000
SECONDS = 0.1
_REPEATS = re.compile(r"\{\s*(\d*)\s*,?\s*(\d*)\s*\}")


@dataclass(frozen=True, slots=True)
class Highlights:
    """What is marked in the text of items.

    words     found as whole words, upper and lower case alike; spaces fit any white space
    patterns  regular expressions of the package ``regex``, upper and lower case alike
    left_out  why others are not marked, a sentence each
    Raises ValueError for too many or too long ones and for a pattern that cannot be used,
    TypeError for what is not text.
    """

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, values in (("word", self.words), ("pattern", self.patterns)):
            most = MOST[name]
            if len(values) > most:
                raise ValueError(f"at most {most} {name}s can be marked, got {len(values)}")
            for value in values:
                _check(name, value)


@dataclass(frozen=True, slots=True)
class Found:
    """The marks of one text, in order, and what was left out, in a sentence."""

    marks: tuple[Mark, ...]
    note: str


def highlights_of(settings: Mapping[str, Any]) -> Highlights | None:
    """The setting ``highlight`` of a project, {"words": [...], "patterns": [...]}; None: off.

    Blank entries and repeated ones are left out. Raises what ``Highlights`` raises.
    """
    words, patterns = _wanted(settings)
    return Highlights(words, patterns) if words or patterns else None


def usable_highlights(settings: Mapping[str, Any]) -> Highlights | None:
    """The same without what cannot be used, so that a project is shown whatever was once stored."""
    try:
        return highlights_of(settings)
    except (ValueError, TypeError) as error:
        faults = [str(error)]
    try:
        wanted = dict(zip(MOST, _wanted(settings), strict=True))
    except TypeError:
        wanted = {}
    kept: dict[str, list[str]] = {name: [] for name in MOST}
    for name, values in wanted.items():
        for value in values:
            try:
                _check(name, value)
            except (ValueError, TypeError) as error:
                faults.append(str(error))
            else:
                kept[name].append(value)
    lists = {name: tuple(values[: MOST[name]]) for name, values in kept.items()}
    notes = (f"Not marked: {fault}." for fault in dict.fromkeys(faults))
    return Highlights(lists["word"], lists["pattern"], tuple(notes))


def _wanted(settings: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words and patterns as they were asked for. Raises TypeError for what is no list of them."""
    wanted = settings.get(SETTING) or {}
    if not isinstance(wanted, Mapping):
        raise TypeError(f"the setting {SETTING!r} must hold words and patterns, got {wanted!r}")
    words, patterns = (_entries(name, wanted.get(name) or ()) for name in ("words", "patterns"))
    return words, patterns


def find(text: str, highlights: Highlights) -> Found:
    """Where the words and patterns stand in the first LONGEST_SEARCHED characters of a text.

    Takes at most about SECONDS: a pattern that is not through by then is left out and named.
    """
    start = text[:LONGEST_SEARCHED]
    notes = [*highlights.left_out]
    if len(text) > len(start):
        notes.append(f"Words are marked in the first {LONGEST_SEARCHED:,} characters only.")
    marks = list(_words_in(start, highlights.words))
    until = time.monotonic() + SECONDS
    for pattern in highlights.patterns:
        try:
            marks += _pattern_in(start, pattern, until)
        except (TimeoutError, MemoryError):
            notes.append(f"The pattern {pattern!r} takes too long on this item and is left out.")
    if len(marks) > MOST_MARKS:
        notes.append(f"Only {MOST_MARKS:,} of {len(marks):,} places are marked.")
    return Found(tuple(sorted(marks)[:MOST_MARKS]), " ".join(notes))


def _words_in(text: str, words: tuple[str, ...]) -> Iterator[Mark]:
    if words:
        for match in _any_of(words).finditer(text):
            yield Mark(match.start(), match.end(), "word")


@lru_cache(maxsize=64)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    kinds = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest_first)
    return re.compile(rf"(?<!\w)(?:{kinds})(?!\w)", re.IGNORECASE)


def _pattern_in(text: str, pattern: str, until: float) -> list[Mark]:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    hits = _compiled(pattern).finditer(text, timeout=left)
    return [Mark(hit.start(), hit.end(), "pattern") for hit in hits if hit.end() > hit.start()]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    # Imported here: most projects mark nothing.
    import regex  # type: ignore[import-untyped]

    counts = [max(int(number or 1) for number in pair) for pair in _REPEATS.findall(pattern)]
    if math.prod(max(1, count) for count in counts) > MOST_REPEATS:
        raise ValueError(
            f"the pattern {pattern!r} repeats a part too often: the numbers in braces, multiplied, "
            f"may be at most {MOST_REPEATS:,}"
        )
    try:
        return regex.compile(pattern, regex.IGNORECASE)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise ValueError(f"the pattern {pattern!r} cannot be read: {error}") from None


def _entries(name: str, values: object) -> tuple[str, ...]:
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"the setting {SETTING!r}, {name}, must be a list, got {values!r}")
    kept = (value.strip() if isinstance(value, str) else value for value in values)
    return tuple(dict.fromkeys(value for value in kept if value != ""))


def _check(name: str, value: object) -> None:
    """Raise ValueError or TypeError for one word or pattern that cannot be marked."""
    longest = LONGEST[name]
    if not isinstance(value, str):
        raise TypeError(f"a {name} to mark must be text, got {value!r}")
    if not value.strip():
        raise ValueError(f"a {name} to mark must not be blank, got {value!r}")
    if len(value) > longest:
        shown = f"{value[:SHOWN]}…"
        raise ValueError(
            f"a {name} to mark may have at most {longest} characters, got {len(value)}: {shown!r}"
        )
    if name == "pattern":
        _compiled(value)
