"""All columns of an item: what stands beside what, and what is marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from labelcore.items import highlight, pair
from labelcore.items.forms import Folders, Form, Grid, Picture, Text
from labelcore.items.highlight import Highlights
from labelcore.items.kinds import form_of

MOST_BESIDE = 4
DIFFERENT = "Words that differ are marked."
SAME = "Word for word the same."


@dataclass(frozen=True, slots=True)
class Part:
    """One column of the item; ``name`` is the column's."""

    name: str
    form: Form


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows of parts that stand side by side, and lines that are ours to add."""

    rows: tuple[tuple[Part, ...], ...]
    notes: tuple[str, ...] = ()


def lay_out(
    content: Mapping[str, str], folders: Folders, highlights: Highlights | None = None
) -> Layout:
    """One or two columns in one row; of more, pictures that follow each other share a row."""
    parts = [Part(name, form_of(value, folders)) for name, value in content.items()]
    notes: list[str] = []
    if len(parts) == 2:
        parts = _compared(parts, notes)
    if highlights is not None:
        parts = [_highlighted(part, highlights, notes) for part in parts]
    rows = [tuple(parts)] if len(parts) <= 2 else _rows(parts)
    return Layout(tuple(rows), tuple(dict.fromkeys(notes)))


def _compared(parts: list[Part], notes: list[str]) -> list[Part]:
    """Two texts with the words marked that differ."""
    left, right = parts[0].form, parts[1].form
    if not (isinstance(left, Text) and isinstance(right, Text)):
        return parts
    found = pair.differences(left.text, right.text)
    if found is None:
        return parts
    notes.append(DIFFERENT if any(found) else SAME)
    forms = [replace(form, marks=m) for form, m in zip((left, right), found, strict=True)]
    return [Part(part.name, form) for part, form in zip(parts, forms, strict=True)]


def _highlighted(part: Part, highlights: Highlights, notes: list[str]) -> Part:
    """With words and patterns marked; a table becomes text, since its cells hold no marks."""
    form = part.form
    if isinstance(form, Grid):
        form = Text(form.text)
    if not isinstance(form, Text):
        return part
    found = highlight.find(form.text, highlights)
    if found.note:
        notes.append(found.note)
    return Part(part.name, replace(form, marks=(*form.marks, *found.marks)))


def _rows(parts: list[Part]) -> list[tuple[Part, ...]]:
    rows: list[tuple[Part, ...]] = []
    for part in parts:
        last = rows[-1] if rows else ()
        pictures = isinstance(part.form, Picture) and all(
            isinstance(one.form, Picture) for one in last
        )
        if last and pictures and len(last) < MOST_BESIDE:
            rows[-1] = (*last, part)
        else:
            rows.append((part,))
    return rows
