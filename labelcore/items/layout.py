"""All columns of an item: what stands beside what, and what is marked."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal

from labelcore.items import highlight, json_text, talk
from labelcore.items.forms import Block, Folders, Form, Grid, Mark, Picture, Rich, Text
from labelcore.items.highlight import Highlights
from labelcore.items.kinds import form_of

MOST_WORDS = 1_000
LARGEST_SHARE = 0.6
# Writing without spaces is compared sign by sign.
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_STOPS = r"!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u2027\u2030-\u205e\u3000-\u303f\uff01-\uff0f"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*|[{_SIGNS}]|[^\s{_STOPS}{_SIGNS}]+|[{_STOPS}]")

Marks = tuple[Mark, ...]


@lru_cache(maxsize=64)
def differences(left: str, right: str) -> tuple[Marks, Marks] | None:
    """The words of each text that the other does not have in their place.

    White space is not compared. None where marks would not help: a text without words or with more
    than MOST_WORDS, or more than LARGEST_SHARE of all the words would be marked.
    """
    words, others = list(_WORD.finditer(left)), list(_WORD.finditer(right))
    if not words or not others or max(len(words), len(others)) > MOST_WORDS:
        return None
    texts, other_texts = [word[0] for word in words], [word[0] for word in others]
    most_shared = sum((Counter(texts) & Counter(other_texts)).values())
    if _share(most_shared, len(words) + len(others)) > LARGEST_SHARE:
        return None
    steps = SequenceMatcher(None, texts, other_texts, autojunk=False).get_opcodes()
    shared = sum(stop - start for kind, start, stop, _, _ in steps if kind == "equal")
    if _share(shared, len(words) + len(others)) > LARGEST_SHARE:
        return None
    changes = [step for step in steps if step[0] != "equal"]
    return (
        _marks(words, [(start, stop) for _, start, stop, _, _ in changes]),
        _marks(others, [(start, stop) for _, _, _, start, stop in changes]),
    )


def _share(shared: int, all_words: int) -> float:
    return 1 - 2 * shared / all_words


def _marks(words: Sequence[re.Match[str]], runs: Sequence[tuple[int, int]]) -> Marks:
    return tuple(
        Mark(words[start].start(), words[stop - 1].end(), "differs")
        for start, stop in runs
        if stop > start
    )


MOST_BESIDE = 4
BETWEEN = "\n"
DIFFERENT = "Words that differ are marked."
SAME = "Word for word the same."
# Names of columns that head an item, and those that set two columns against each other.
TITLES = frozenset({"title", "subject", "headline", "heading"})
OPPOSITES = (
    *({"a", "b"}, {"1", "2"}, {"left", "right"}, {"first", "second"}, {"one", "two"}),
    *({"old", "new"}, {"before", "after"}, {"source", "target"}, {"original", "translation"}),
    *({"reference", "candidate"}, {"premise", "hypothesis"}, {"expected", "actual"}, {"x", "y"}),
)
LONGEST_TITLE, LONGEST_FIELD = 200, 120
LONGER_THAN_A_FACT = 3
"""How many times as long as a fact the one text beside it is; two of more alike lengths are a pair,
of which now the one and now the other is the longer."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")

Role = Literal["title", "field", "body"]


@dataclass(frozen=True, slots=True)
class Part:
    """One column of the item; ``name`` is the column's.

    role   a title heads the item, fields are short facts on one line, all else is body
    """

    name: str
    form: Form
    role: Role = "body"


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows of parts that stand side by side, and lines that are ours to add."""

    rows: tuple[tuple[Part, ...], ...]
    notes: tuple[str, ...] = ()


def lay_out(
    content: Mapping[str, str], folders: Folders, highlights: Highlights | None = None
) -> Layout:
    """A pair side by side; else a title, the fields, the body, and pictures that follow each other
    in one row."""
    parts = [Part(name, form_of(value, folders)) for name, value in content.items()]
    notes: list[str] = []
    parts = _spoken(parts)
    beside = len(parts) == 2 and not _stacked(parts) and not _of_one_object(parts)
    beside = beside and (not any(isinstance(part.form, Rich) for part in parts)
                         or opposed(*(part.name for part in parts)))  # fmt: skip
    parts = _compared(parts, notes) if beside else _with_roles(parts)
    if highlights is not None:
        parts = [_highlighted(part, highlights, notes) for part in parts]
    rows = [tuple(parts)] if beside else _rows(parts)
    return Layout(tuple(rows), tuple(dict.fromkeys(notes)))


def _spoken(parts: list[Part]) -> list[Part]:
    """A question and its answer as turns, and an answer that follows a conversation as its end."""
    talks = [n for n, part in enumerate(parts) if isinstance(part.form, Rich) and part.form.talk]
    texts = [n for n, part in enumerate(parts) if isinstance(part.form, Text)]
    asks = [n for n in texts if talk.PROMPT.search(parts[n].name)]
    answers = [n for n in (*texts, *talks) if talk.ANSWER.search(parts[n].name)] or talks[1:]
    first = next(iter([*talks, *asks]), None)
    last = next((n for n in reversed(answers) if n != first), None)
    if first is None or last is None:
        return parts
    turns = list(parts)
    begun, ended = parts[first].form, parts[last].form
    begun = begun if isinstance(begun, Rich) else talk.asked(_text_of(begun))
    ended = ended if isinstance(ended, Rich) else talk.answered(_text_of(ended))
    turns[first] = replace(parts[first], form=talk.without_frame(begun))
    turns[last] = replace(parts[last], form=ended)
    return turns


def _text_of(form: Form) -> str:
    return form.text if isinstance(form, Text) else ""


def _of_one_object(parts: Sequence[Part]) -> bool:
    """Whether two columns are fields of one object, such as "ticket.subject" and "ticket.body"."""
    first, second = ((part.name.rpartition(".")[0], part.name) for part in parts)
    return first[0] == second[0] != "" and not opposed(first[1], second[1])


def _stacked(parts: Sequence[Part]) -> bool:
    """Whether two columns are a title or fact and its text, not two things to compare."""
    lengths = sorted(len(part.form.text) for part in parts if isinstance(part.form, Text))
    if len(lengths) < len(parts) or opposed(*(p.name for p in parts)):
        return False
    roles = {part.role for part in _with_roles(parts)}
    fact = "field" in roles and lengths[-1] >= LONGER_THAN_A_FACT * lengths[0]
    return fact or "title" in roles


def opposed(first: str, second: str) -> bool:
    """Whether two names of columns differ only in which side they are.

    >>> opposed("text_a", "text_b"), opposed("title1", "title2"), opposed("subject", "body")
    (True, True, False)
    """
    words = [[word.lower() for word in _WORDS.findall(name)] for name in (first, second)]
    if len(words[0]) != len(words[1]):
        return False
    differing = [{word, other} for word, other in zip(*words, strict=True) if word != other]
    return len(differing) == 1 and differing[0] in OPPOSITES


def _with_roles(parts: Sequence[Part]) -> list[Part]:
    """The title first, then what is short beside a longer text, then the rest."""
    lengths = [len(part.form.text) if isinstance(part.form, Text) else 0 for part in parts]
    longest = max(lengths, default=0)
    with_roles: list[Part] = []
    for part, length in zip(parts, lengths, strict=True):
        single = isinstance(part.form, Text) and "\n" not in part.form.text.strip()
        titled = any(earlier.role == "title" for earlier in with_roles)
        if single and not titled and length <= LONGEST_TITLE and _is_title(part.name):
            with_roles.append(replace(part, role="title"))
        elif single and length <= LONGEST_FIELD and length < longest:
            with_roles.append(replace(part, role="field"))
        else:
            with_roles.append(part)
    order: dict[Role, int] = {"title": 0, "field": 1, "body": 2}
    return sorted(with_roles, key=lambda part: order[part.role])


def _is_title(name: str) -> bool:
    return bool(TITLES & {word.lower() for word in _WORDS.findall(name)})


def _compared(parts: list[Part], notes: list[str]) -> list[Part]:
    """Two texts with the words marked that differ."""
    left, right = parts[0].form, parts[1].form
    if not (isinstance(left, Text) and isinstance(right, Text)):
        return parts
    marks = differences(left.text, right.text)
    if marks is None:
        return parts
    notes.append(DIFFERENT if any(marks) else SAME)
    forms = [replace(form, marks=m) for form, m in zip((left, right), marks, strict=True)]
    return [replace(part, form=form) for part, form in zip(parts, forms, strict=True)]


def _highlighted(part: Part, highlights: Highlights, notes: list[str]) -> Part:
    """With words and patterns marked; a table becomes fields, since its cells hold no marks."""
    form = part.form
    if isinstance(form, Grid):
        form = json_text.fields(form.whole)
    if not isinstance(form, (Text, Rich)):
        return part
    leaves = list(texts_of(form))
    places = highlight.find(BETWEEN.join(leaf.text for leaf in leaves), highlights)
    if places.note:
        notes.append(places.note)
    starts = [0, *accumulate(len(leaf.text) + len(BETWEEN) for leaf in leaves)]
    marked = iter(
        replace(leaf, marks=(*leaf.marks, *_within(places.marks, start, start + len(leaf.text))))
        for leaf, start in zip(leaves, starts, strict=False)
    )
    return replace(part, form=_anew(form, marked))


def texts_of(form: Text | Rich | Block) -> Iterator[Text]:
    if isinstance(form, Text):
        yield form
    else:
        for part in form.parts:
            yield from texts_of(part)


def _within(marks: Sequence[Mark], start: int, end: int) -> Iterator[Mark]:
    """The marks of a stretch, counted from its start."""
    for mark in marks:
        if mark.start < end and mark.end > start:
            first, last = max(mark.start, start), min(mark.end, end)
            yield replace(mark, start=first - start, end=last - start)


def _anew(form: Any, texts: Iterator[Text]) -> Any:
    """The same with other texts, in order."""
    if isinstance(form, Text):
        return next(texts)
    return replace(form, parts=tuple(_anew(part, texts) for part in form.parts))


def _rows(parts: list[Part]) -> list[tuple[Part, ...]]:
    rows: list[tuple[Part, ...]] = []
    for part in parts:
        last = rows[-1] if rows else ()
        fields = part.role == "field" and all(other.role == "field" for other in last)
        pictures = len(last) < MOST_BESIDE and all(
            isinstance(other.form, Picture) for other in (part, *last)
        )
        if last and (fields or pictures):
            rows[-1] = (*last, part)
        else:
            rows.append((part,))
    return rows
