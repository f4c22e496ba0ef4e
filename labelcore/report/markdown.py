"""The report as Markdown: the words and tables of the page; of its drawings the rows of figures."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from labelcore.report.facts import Facts
from labelcore.report.markup import Markup, joined
from labelcore.report.page import sections_of
from labelcore.session.session import Session

_MARKS = re.compile(r"[\\`*_{}\[\]<>#|~$&!]")
# Not every reader of Markdown takes a backslash before these.
_CODES = {"<": "&lt;", "&": "&amp;", "|": "&#124;"}
_LIST_MARK = re.compile(r"^(\s*)([-+=]|\d+[.)])")
HEADINGS = {"h1": "# ", "h2": "## ", "h3": "### "}
SPANS = {"code": "`", "em": "*", "strong": "**", "b": "**"}
INLINE = {*SPANS, "bdi", "span", "br"}


def report_markdown(session: Session) -> str:
    """The words and tables of ``report_html`` for a repository or a wiki. Nothing of the content is
    read as Markdown or HTML."""
    return markdown(*sections_of(Facts(session)))


def markdown(*parts: Markup) -> str:
    r"""Markdown of elements.

    >>> from labelcore.report.markup import element
    >>> print(markdown(element("h2", "A*b"), element("p", "1 < 2", element("br"), "so")), end="")
    ## A\*b
    <BLANKLINE>
    1 &lt; 2 so
    """
    return "\n\n".join(block for part in parts for block in _blocks(part)) + "\n"


def _blocks(part: Markup) -> Iterator[str]:
    if "data-rows" in part.attributes:
        # Of a picture, which nobody could read without it.
        told = json.loads(part.attributes["data-rows"])
        yield _table([[_literal(_one_line(cell)) for cell in row] for row in told])
    if part.tag == "svg":
        return
    if part.tag == "pre":
        text = _text(part, plain=True)
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        yield f"{fence}\n{text.strip()}\n{fence}"
    elif part.tag == "table":
        caption, *grid = _elements(part.children)
        yield from _blocks(caption)
        rows = [row for group in grid for row in _elements(group.children)]
        yield _table([[_line(cell) for cell in _elements(row.children)] for row in rows])
    elif part.tag in ("ul", "ol"):
        for number, item in enumerate(_elements(part.children), start=1):
            yield f"{f'{number}.' if part.tag == 'ol' else '-'} {_line(item)}"
    elif part.tag == "dl":
        for pair in _elements(part.children):
            term, what = _elements(pair.children)
            yield f"- {_line(term)}: {_line(what)}"
    else:
        for inline, pieces in groupby(part.children, _is_inline):
            if not inline:
                yield from (block for piece in _elements(pieces) for block in _blocks(piece))
            elif text := _line(joined(*pieces)):
                yield HEADINGS.get(part.tag, "") + _LIST_MARK.sub(r"\1\\\2", text)


def _elements(parts: Iterable[Markup | str]) -> list[Markup]:
    return [part for part in parts if isinstance(part, Markup)]


def _is_inline(part: Markup | str) -> bool:
    if isinstance(part, str) or part.tag in INLINE:
        return True
    return not part.tag and all(map(_is_inline, part.children))


def _line(part: Markup) -> str:
    return _one_line(_text(part))


def _text(part: Markup | str, *, plain: bool = False) -> str:
    """All text of a part; ``plain``: as it is, not as Markdown."""
    if isinstance(part, str):
        return part if plain else _literal(part)
    mark = "" if plain else SPANS.get(part.tag, "")
    between = "; " if part.tag == "ul" else ""
    inside = between.join(
        _text(child, plain=plain or part.tag == "code") for child in part.children
    )
    text = inside.rstrip()
    return " " if part.tag == "br" else f"{mark}{text}{mark}{inside[len(text) :]}"


def _table(rows: list[list[str]]) -> str:
    head, *body = rows
    ruled = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(row)} |" for row in ruled)


def _literal(text: str) -> str:
    """Text that no reader of Markdown takes for anything else."""
    return _MARKS.sub(lambda mark: _CODES.get(mark[0], f"\\{mark[0]}"), text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
