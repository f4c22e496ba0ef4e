"""SQL put together from pieces; values are bound, never written into the text."""

from collections.abc import Iterable
from typing import Any, NamedTuple

HOLE = "\0"
"""Where a value is bound; each engine writes its own sign for it. No name can hold it."""


class Piece(NamedTuple):
    """A text with holes, and the values that go there."""

    text: str
    values: tuple[Any, ...] = ()


def value(bound: Any) -> Piece:
    """A value in the place of an expression."""
    return Piece(HOLE, (bound,))


def sql(template: str, *parts: Piece) -> Piece:
    """The template with the parts in the place of each {}.

    >>> sql("{} > {}", Piece("score"), value(0.5)).values
    (0.5,)
    """
    texts = template.split("{}")
    if len(texts) != len(parts) + 1:
        raise ValueError(f"template has {len(texts) - 1} places, got {len(parts)} parts")
    text = texts[0] + "".join(
        part.text + after for part, after in zip(parts, texts[1:], strict=True)
    )
    return Piece(text, tuple(parameter for part in parts for parameter in part.values))


def joined(between: str, parts: Iterable[Piece]) -> Piece:
    parts = list(parts)
    return Piece(
        between.join(part.text for part in parts),
        tuple(parameter for part in parts for parameter in part.values),
    )
