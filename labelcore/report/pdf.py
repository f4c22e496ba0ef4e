"""The report as a PDF, and its answer as a picture for slides, set by typst from the same tree
as the HTML form."""

import json
import re
from dataclasses import replace
from importlib.resources import files
from io import BytesIO
from typing import Any

from labelcore.charts import svg
from labelcore.charts.design import LIGHT, roles
from labelcore.report.dates import moment
from labelcore.report.facts import Facts
from labelcore.report.first_page import slide
from labelcore.report.markup import Markup, joined
from labelcore.report.page import sections_of
from labelcore.session.session import Session

TEMPLATE = "report.typ"
FONT, FONTS = "Source Sans Pro", files("font_source_sans_pro").joinpath("files")
SLIDE_PPI = 192
"""Ten inches wide: 1920 pixels."""
FINER = 3
"""So many times finer is it drawn: of a drawing's rows of pixels typst may leave out one, which cut
the letters there."""
LEFT_OUT = frozenset({"details"})
"""What is folded on the page: the numbers of the figures, the text of the method."""
LONG = re.compile(r"(\S{24})(?=\S{8})")
COLOURS = {svg.colour(name): colour for name, colour in roles(LIGHT).items()}


def report_pdf(session: Session) -> bytes:
    """The report as a PDF of A4 pages, with its fonts; what is folded on the page is left out.

    Nothing of the content is read as typst's markup: it comes as data.
    """
    facts = Facts(session)
    at = int(moment(facts.as_of).timestamp())
    return typeset(facts, sections_of(facts), "a4", timestamp=at)


def report_png(session: Session) -> bytes:
    """The answer, its figures and the sentence to quote as a picture of 1920 x 1080 pixels."""
    from PIL import Image

    facts, small = Facts(session), BytesIO()
    large = typeset(facts, slide(facts), "slide", format="png", ppi=FINER * SLIDE_PPI)
    Image.open(BytesIO(large)).reduce(FINER).save(small, "PNG")
    return small.getvalue()


def typeset(facts: Facts, parts: list[Markup], paper: str, **form: Any) -> bytes:
    import typst

    body = tree(joined(*parts))
    values = {"title": facts.title, "colours": roles(LIGHT), "paper": paper, "body": body}
    template = files("labelcore.report").joinpath(TEMPLATE).read_bytes()
    form |= {"font_paths": [str(FONTS)], "sys_inputs": {"report": json.dumps(values)}}
    pages = typst.compile(template, **form)
    # Of several pages a picture shows the first.
    return bytes(pages[0] if isinstance(pages, list) else pages)


def tree(part: Markup) -> dict[str, Any]:
    """An element as the template takes it; a drawing stays SVG, in the light colours.

    >>> from labelcore.report.markup import element
    >>> tree(element("p", "a ", element("code", "#b"), element("details", "c")))
    {'tag': 'p', 'class': '', 'kids': ['a ', {'tag': 'code', 'class': '', 'kids': ['#b']}]}
    """
    given = part.attributes
    if part.tag == "svg":
        more = {"xmlns": "http://www.w3.org/2000/svg", "font-family": FONT}
        drawn = _light(replace(part, attributes={**given, **more}))
        return {"tag": "svg", "svg": drawn.html, "alt": given["aria-label"], "kids": []}
    long = "\\1" if part.tag in ("code", "pre") else "\\1\N{ZERO WIDTH SPACE}"
    kids = [
        tree(child) if isinstance(child, Markup) else LONG.sub(long, child)
        for child in part.children
        if isinstance(child, str) or child.tag not in LEFT_OUT
    ]
    return {"tag": part.tag, "class": given.get("class", ""), "kids": kids}


def _light(part: Markup) -> Markup:
    """A part of a drawing in the light colours."""
    attributes = {name: COLOURS.get(value, value) for name, value in part.attributes.items()}
    children = (_light(child) if isinstance(child, Markup) else child for child in part.children)
    return Markup(part.tag, attributes, tuple(children))
