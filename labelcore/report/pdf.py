"""The report as a PDF, and its answer as a picture for slides, set by typst from the same page as
the HTML form."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

from labelcore.charts import svg
from labelcore.charts.design import LIGHT, roles
from labelcore.report.dates import moment
from labelcore.report.facts import Facts, gather
from labelcore.report.first_page import slide
from labelcore.report.markup import EMPTY, Markup, element
from labelcore.report.page import sections_of
from labelcore.session.session import Session

TEMPLATE = "report.typ"
FONT, FONTS = "Source Sans Pro", files("font_source_sans_pro").joinpath("files")
SLIDE_PPI = 192
"""Ten inches wide: 1920 pixels."""
LEFT_OUT = frozenset({"details"})
"""What is folded on the page: the numbers of the figures, the text of the method."""
LONG = re.compile(r"(\S{24})(?=\S{8})")
COLOURS = {svg.colour(name): colour for name, colour in roles(LIGHT).items()}
# HTML knows no capitals in names, SVG does.
SPELLED = {"viewbox": "viewBox", "patternunits": "patternUnits"}


def report_pdf(session: Session) -> bytes:
    """The report as a PDF of A4 pages, with its fonts; what is folded on the page is left out.

    Nothing of the content is read as typst's markup: it comes as data.
    """
    return pdf(gather(session))


def report_png(session: Session) -> bytes:
    """The answer, its figures and the sentence to quote as a picture of 1920 x 1080 pixels."""
    return slide_png(gather(session))


def pdf(facts: Facts) -> bytes:
    """The bytes of ``report_pdf``."""
    at = int(moment(facts.as_of).timestamp())
    return typeset(facts, sections_of(facts), "a4", timestamp=at)


def slide_png(facts: Facts) -> bytes:
    """The bytes of ``report_png``."""
    return typeset(facts, slide(facts), "slide", format="png", ppi=SLIDE_PPI)


def typeset(facts: Facts, parts: list[Markup], paper: str, **form: Any) -> bytes:
    import typst

    body = tree("".join(part.html for part in parts))
    values = {"title": facts.title, "colours": roles(LIGHT), "paper": paper, "body": body}
    template = files("labelcore.report").joinpath(TEMPLATE).read_bytes()
    form |= {"font_paths": [str(FONTS)], "sys_inputs": {"report": json.dumps(values)}}
    pages = typst.compile(template, **form)
    # Of several pages a picture shows the first.
    return bytes(pages[0] if isinstance(pages, list) else pages)


def tree(html: str) -> list[Any]:
    """The elements of HTML that ``labelcore.report.markup`` made, as the template takes them.

    >>> tree("<p>a <code>#b</code></p><details>c</details>")
    [{'tag': 'p', 'class': '', 'kids': ['a ', {'tag': 'code', 'class': '', 'kids': ['#b']}]}]
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return list(reader.kids[0])


class _Reader(HTMLParser):
    """Collects elements; a drawing stays SVG, in the light colours."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.kids: list[list[Any]] = [[]]
        self._open: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._open.append((tag, given))
        self.kids.append([])
        if tag in EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        name, given = self._open.pop()
        kids = self.kids.pop()
        if name in LEFT_OUT:
            return
        if name == "svg" or any(parent == "svg" for parent, _ in self._open):
            self.kids[-1].append(_drawing(name, given, kids))
        else:
            self.kids[-1].append({"tag": name, "class": given.get("class", ""), "kids": kids})

    def handle_data(self, data: str) -> None:
        names = [name for name, _ in self._open]
        whole = {"svg", "code", "pre"}.intersection(names)
        self.kids[-1].append(data if whole else LONG.sub("\\1\N{ZERO WIDTH SPACE}", data))


def _drawing(name: str, given: dict[str, str], kids: list[Any]) -> Any:
    """A part of a drawing as markup; the whole as an element of its own."""
    attributes = {SPELLED.get(key, key): COLOURS.get(value, value) for key, value in given.items()}
    if name != "svg":
        return element(name, *kids, **attributes)
    more = {"xmlns": "http://www.w3.org/2000/svg", "font_family": FONT}
    drawn: Markup = element(name, *kids, **{**attributes, **more})
    return {"tag": "svg", "svg": drawn.html, "alt": given.get("aria-label", ""), "kids": []}
