"""The report as Markdown: the words and tables of the page; of its drawings the rows of figures."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

from labelcore.report.facts import gather
from labelcore.report.page import sections_of
from labelcore.session.session import Session

_MARKS = re.compile(r"[\\`*_{}\[\]<>#|~$&!]")
# Not every reader of Markdown takes a backslash before these.
_CODES = {"<": "&lt;", "&": "&amp;", "|": "&#124;"}
_LIST_MARK = re.compile(r"^(\s*)([-+=]|\d+[.)])")
HEADINGS = {"h1": "# ", "h2": "## ", "h3": "### ", "caption": "", "summary": ""}
BLOCKS = {*HEADINGS, "p", "li", "dt", "dd", "pre", "tr", "figure"}
SPANS = {"code": "`", "em": "*", "strong": "**", "b": "**"}


def report_markdown(session: Session) -> str:
    """The words and tables of ``report_html`` for a repository or a wiki. Nothing of the content is
    read as Markdown or HTML."""
    whole = "".join(section.html for section in sections_of(gather(session)))
    return markdown(whole)


def markdown(html: str) -> str:
    r"""Markdown of HTML that ``labelcore.report.markup`` made.

    >>> print(markdown("<h2>A*b</h2><p>1 &lt; 2<br>so</p>"), end="")
    ## A\*b
    <BLANKLINE>
    1 &lt; 2 so
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return "\n\n".join(reader.blocks) + "\n"


class _Reader(HTMLParser):
    """Collects blocks; a table is kept row by row until it ends."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._text = ""
        self._term = ""
        self._rows: list[list[str]] | None = None
        self._in: list[str] = []
        self._number = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._text += " "
            return
        if tag in BLOCKS or tag == "svg":
            self._flush()
        self._told(dict(attrs).get("data-rows"))
        if tag in SPANS and "pre" not in self._in:
            self._text += SPANS[tag]
        if tag in ("ol", "ul"):
            self._number = 0
        if tag == "table":
            self._rows = []
        if tag == "tr" and self._rows is not None:
            self._rows.append([])
        if tag != "meta":
            self._in.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in SPANS and "pre" not in self._in:
            text = self._text.rstrip()
            self._text = text + SPANS[tag] + self._text[len(text) :]
        if tag in ("td", "th") and self._rows is not None:
            self._rows[-1].append(_one_line(self._text))
            self._text = ""
        elif tag == "table":
            self._end_table()
        elif tag == "pre":
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", self._text)), default=0))
            self.blocks.append(f"{fence}\n{self._text.strip()}\n{fence}")
            self._text = ""
        elif tag in BLOCKS:
            self._end_block(tag)
        while tag in self._in and self._in.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "svg" in self._in:
            return
        plain = "pre" in self._in or "code" in self._in
        self._text += data if plain else _literal(data)

    def _end_block(self, tag: str) -> None:
        text, self._text = _one_line(self._text), ""
        if tag == "dt":
            self._term = text
        elif text and tag == "dd":
            self.blocks.append(f"- {self._term}: {text}")
        elif text and tag == "li":
            self._number += 1
            mark = f"{self._number}." if "ol" in self._in else "-"
            self.blocks.append(f"{mark} {text}")
        elif text:
            self.blocks.append(HEADINGS.get(tag, "") + _LIST_MARK.sub(r"\1\\\2", text))

    def _flush(self) -> None:
        if self._text.strip() and self._rows is None:
            inside = self._in[-1] if self._in else "p"
            self._end_block(inside if inside in ("dd", "li") else "p")

    def _told(self, rows: str | None) -> None:
        """The rows of a picture, which nobody could read without it, as a table."""
        if rows is not None:
            self._flush()
            self._rows = [[_literal(_one_line(cell)) for cell in row] for row in json.loads(rows)]
            self._end_table()

    def _end_table(self) -> None:
        rows, self._rows = self._rows or [], None
        if rows:
            head, *body = rows
            ruled = [head, ["---"] * len(head), *body]
            self.blocks.append("\n".join(f"| {' | '.join(row)} |" for row in ruled))


def _literal(text: str) -> str:
    """Text that no reader of Markdown takes for anything else."""
    return _MARKS.sub(lambda mark: _CODES.get(mark[0], f"\\{mark[0]}"), text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
