"""What a value can be drawn as. Everything in them is still other people's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

LARGEST_SHOWN = 1600
"""Pixels."""
MarkKind = Literal["differs", "word", "pattern"]


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the paths of pictures may lead: into ``root``; ``beside`` (the folder of the items
    file) is looked in first, and counts only where it lies inside ``root``. No picture is read
    with more pixels than ``largest`` in width or height.
    """

    root: Path
    beside: Path | None = None
    largest: int = LARGEST_SHOWN


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """The characters ``start`` to ``end`` (not included) of a text, and why they are marked."""

    start: int
    end: int
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class Text:
    """Text to be shown literally; ``note`` is ours."""

    text: str
    marks: tuple[Mark, ...] = ()
    note: str = ""


# fmt: off
BlockKind = Literal[
    "paragraph", "heading", "bold", "italic", "struck", "code", "lines", "quote", "points", "steps",
    "point", "table", "row", "head", "cell", "fold", "field", "turn", "asked", "judged",
]
# fmt: on


@dataclass(frozen=True, slots=True)
class Block:
    """A part of prose, of a conversation or of an object, and what lies within it.

    said   our word or a name for it: who speaks, the name of a field, the line that opens a fold,
           the number of a point
    """

    kind: BlockKind
    parts: tuple[Block | Text, ...]
    said: str = ""


@dataclass(frozen=True, slots=True)
class Rich:
    """Prose, a conversation or the fields of an object; ``talk``: with turns, of which the last one
    is judged unless something follows."""

    parts: tuple[Block | Text, ...]
    talk: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of short cells; ``whole`` is the JSON that it shows, decoded."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    whole: Any
    note: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG or JPEG made anew from the pixels, without a name: file names can give answers away.

    ``smooth``: larger than the screen may be, to be scaled without visible pixels.
    """

    data: bytes
    smooth: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is shown: a sentence that names the file and the rule."""

    sentence: str


Form = Text | Rich | Grid | Picture | Refusal
Reader = Callable[[str, Folders], Form | None]
