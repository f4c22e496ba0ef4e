"""The report as a tree of elements, from which its forms are made, and the tree as HTML.

A plain text handed to ``element`` is a text of the tree, in which characters that would act unseen
are shown; ``Markup.html`` escapes every text. So a forgotten escape cannot happen: there is no way
to write a tag other than ``element``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from labelcore.charts.nodes import Node
from labelcore.items.text import visible


@dataclass(frozen=True, slots=True)
class Markup:
    """An element with what is in it; without a tag several pieces, one after another."""

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Markup | str, ...]

    @property
    def html(self) -> str:
        """The element as HTML."""
        escaped = str if self.tag in VERBATIM else escape
        inside = "".join(
            child.html if isinstance(child, Markup) else escaped(child) for child in self.children
        )
        if not self.tag:
            return inside
        given = "".join(f' {key}="{escape(value)}"' for key, value in self.attributes.items())
        return f"<{self.tag}{given}>" + ("" if self.tag in EMPTY else f"{inside}</{self.tag}>")


Child = Markup | str | int | None

MOST_ACROSS = 3
"""Columns that stand side by side on a telephone."""
EMPTY = frozenset({"meta", "br", "input"})
VERBATIM = frozenset({"style", "script"})
"""Their text is no HTML: nothing in it is escaped, and it ends at the first end tag."""


def element(name: str, /, *children: Child, **attributes: str) -> Markup:
    """An element; attribute names lose a closing underscore, others become hyphens.

    >>> element("p", "1 < 2", element("b", "so"), class_="note").html
    '<p class="note">1 &lt; 2<b>so</b></p>'
    """
    given = {key.rstrip("_").replace("_", "-"): visible(value) for key, value in attributes.items()}
    return Markup(name, given, joined(*children).children)


def picture(node: Node | str) -> Markup:
    """Nodes of a drawing; its colours are those of the page, light or dark.

    >>> picture(["text", {"x": "1", "fill": "var(--ink)"}, "a<b"]).html
    '<text x="1" fill="var(--ink)">a&lt;b</text>'
    """
    if isinstance(node, str):
        return joined(node)
    name, attributes, *children = node
    return element(name, *map(picture, children), **attributes)


def joined(*children: Child) -> Markup:
    """Several pieces one after another; None is left out."""
    pieces = (
        child if isinstance(child, Markup) else visible(str(child))
        for child in children
        if child is not None
    )
    return Markup("", {}, tuple(pieces))


def theirs(text: str) -> Markup:
    """Text that came from a file or a person: isolated, so that it cannot turn its surroundings."""
    return element("bdi", text)


def data_block(name: str, values: Any) -> Markup:
    r"""Values for the page's own script, which no text among them can end.

    >>> data_block("d", ["</script>"]).html
    '<script type="application/json" id="d">["\\u003c/script>"]</script>'
    """
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return element("script", text, type="application/json", id=name)


def lines(text: str) -> Markup:
    """Text of several lines, the line ends kept."""
    return element("p", text, class_="lines", dir="auto")


def facts_list(pairs: Iterable[tuple[str, Child]]) -> Markup:
    """Terms and what they are; a pair whose value is empty is left out."""
    rows = [
        element("div", element("dt", term), element("dd", value))
        for term, value in pairs
        if value not in (None, "")
    ]
    return element("dl", *rows)


def table(caption: str, head: Iterable[Child], rows: Iterable[Iterable[Child]]) -> Markup:
    """A table that scrolls in its own box when it is too wide; the first cell of a row heads it.
    On a telephone the cells of a row of many stand below each other, each beside its heading."""
    cells = [list(row) for row in rows]
    names = list(head)
    stacks = len(names) > MOST_ACROSS
    beside = [{"data_head": words_of(name)} if stacks else {} for name in names]
    numeric = [
        bool(cells) and all(_is_number(row[place]) for row in cells) for place in range(len(names))
    ]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row", **_side(numeric[0])),
            *(
                element("td", cell, **_side(numeric[i]), **beside[i])
                for i, cell in enumerate(row)
                if i
            ),
        )
        for row in cells
    ]
    columns = (
        element("th", name, scope="col", **_side(right))
        for name, right in zip(names, numeric, strict=True)
    )
    grid = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *columns)),
        element("tbody", *body),
    )
    kind = "scroll stacks" if stacks else "scroll"
    return element("div", grid, class_=kind, tabindex="0", role="region", aria_label=caption)


def words_of(child: Child) -> str:
    """The text of an element.

    >>> words_of(joined("a ", theirs("b"))), words_of(3), words_of(None)
    ('a b', '3', '')
    """
    if isinstance(child, Markup):
        return "".join(map(words_of, child.children))
    return "" if child is None else str(child)


def tied(text: str) -> str:
    r"""The text with percentages and half-widths that no line end tears apart.

    >>> tied("59.8 %, ± 3") == "59.8\N{NO-BREAK SPACE}%, ±\N{NO-BREAK SPACE}3"
    True
    """
    return text.replace(" %", "\N{NO-BREAK SPACE}%").replace("± ", "±\N{NO-BREAK SPACE}")


def _side(right: bool) -> dict[str, str]:
    return {"class_": "number"} if right else {}


def _is_number(cell: Child) -> bool:
    """Numbers stand to the right; a dash stands for one that is missing."""
    if isinstance(cell, str):
        return (
            cell == "–"
            or cell.lstrip("+-−")
            .replace(",", "")
            .removesuffix(" %")
            .replace(".", "", 1)
            .replace("e-", "")
            .isdecimal()
        )
    return isinstance(cell, int)
