"""What a value can be drawn as. Everything in them is still other people's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MarkKind = Literal["differs", "word", "pattern"]


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the paths of pictures may lead: into ``root``; ``beside`` (the folder of the items
    file) is looked in first, and counts only where it lies inside ``root``.
    """

    root: Path
    beside: Path | None = None


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


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of short cells; ``text`` holds the same, whole, for where a table cannot stand."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str
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


Form = Text | Grid | Picture | Refusal
Reader = Callable[[str, Folders], Form | None]
