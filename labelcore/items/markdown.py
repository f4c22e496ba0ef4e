"""Markdown as blocks of literal text: nothing in it becomes markup, an address or a style.

A link stands as its words with the address behind them, a picture as a word for it: neither is ever
followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from labelcore.items.forms import Block, BlockKind, Text
from labelcore.items.text import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

LONGEST = 50_000
"""Longer texts are shown as they are, and from there on behind a line: a browser needs ten seconds
to lay out a megabyte."""
NOT_FETCHED = "[picture, not fetched: {words}]"
KINDS: dict[str, BlockKind] = {
    "paragraph": "paragraph",
    "heading": "heading",
    "strong": "bold",
    "em": "italic",
    "s": "struck",
    "code_inline": "code",
    "fence": "lines",
    "code_block": "lines",
    "blockquote": "quote",
    "bullet_list": "points",
    "ordered_list": "steps",
    "list_item": "point",
    "table": "table",
    "tr": "row",
    "th": "head",
    "td": "cell",
}


@lru_cache(maxsize=64)
def prose(text: str) -> tuple[Block | Text, ...]:
    """A text as the blocks that its marks make.

    >>> prose("a **b**")
    (Block(kind='paragraph', parts=(Text(text='a ', marks=(), note=''), Block(kind='bold', \
parts=(Text(text='b', marks=(), note=''),), said='')), said=''),)
    """
    if len(text) > LONGEST:
        rest = f"{len(text) - LONGEST:,} more characters"
        return Text(visible(text[:LONGEST])), Block("fold", (Text(visible(text[LONGEST:])),), rest)
    from markdown_it.tree import SyntaxTreeNode

    return tuple(_blocks(SyntaxTreeNode(_parser().parse(visible(text)))))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Markup within it is text, and no address is looked at.
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _blocks(found: SyntaxTreeNode) -> Iterator[Block | Text]:
    for one in found.children:
        kind: BlockKind | None = KINDS.get(one.type)
        if one.type in ("softbreak", "hardbreak"):
            yield Text("\n")
        elif one.type == "image":
            words = " ".join(filter(None, (one.content, str(one.attrs.get("src", "")))))
            yield Text(NOT_FETCHED.format(words=words))
        elif kind is None and not one.children:
            yield from [Text(one.content)] if one.content else []
        elif kind is None:
            yield from _blocks(one)
            address = str(one.attrs.get("href", ""))
            if address and address != "".join(inner.content for inner in one.children):
                yield Text(f" ({address})")
        elif one.children:
            yield Block(kind, tuple(_blocks(one)))
        else:
            yield Block(kind, (Text(one.content.removesuffix("\n")),) if one.content else ())
