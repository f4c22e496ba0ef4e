"""The item on screen: nothing of its content runs, is fetched or changes the page."""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from labelcore import items
from labelcore.charts.nodes import Node, node
from labelcore.safe_text import one_line
from labelcore.settings import data_folder

PNG = b"\x89PNG"
WITHOUT_PICTURE = "If you cannot judge without the picture, answer Broken (B)."


def item_nodes(
    content: Mapping[str, str],
    highlights: items.Highlights | None = None,
    items_file: Path | None = None,
) -> list[Node]:
    """An item as nodes: a pair side by side, else title, fields and body.

    Paths of pictures are looked up beside ``items_file``, then in the data folder.
    """
    folders = items.Folders(data_folder(), items_file.parent if items_file else None)
    layout = items.lay_out(content, folders, highlights)
    bodies = sum(part.role == "body" for row in layout.rows for part in row)
    drawn: list[Node] = []
    for row in layout.rows:
        if row[0].role == "field":
            drawn.append(_fields(row))
        elif row[0].role == "title":
            drawn.append(node("div", *_form(row[0].form), klass="lc-title"))
        elif len(row) == 1:
            drawn += _part(row[0], named=bodies > 1)
        else:
            columns = (node("div", *_part(part, named=True)) for part in row)
            drawn.append(node("div", *columns, klass="lc-beside"))
    return drawn + [_note(note) for note in layout.notes]


def _fields(row: Sequence[items.Part]) -> Node:
    """Short facts: plain ones on one line, marked ones below it."""
    forms = {part.name: part.form for part in row if isinstance(part.form, items.Text)}
    simple = {name: form for name, form in forms.items() if not form.marks and not form.note}
    facts = [f"{one_line(name, 80)}: {one_line(form.text, 200)}" for name, form in simple.items()]
    marked = [child for part in row if part.name not in simple for child in _part(part, named=True)]
    first = [node("div", " · ".join(facts), klass="lc-text")] if facts else []
    return node("div", *first, *marked, klass="lc-fields")


def _part(part: items.Part, *, named: bool) -> list[Node]:
    turns = isinstance(part.form, items.Rich) and part.form.talk
    name = [_note(one_line(part.name, 80) or "(no name)")] if named and not turns else []
    return [*name, *_form(part.form)]


def _form(form: items.Form) -> list[Node]:
    match form:
        case items.Text():
            content = pieces(form.text, form.marks) if form.text.strip() else ["(empty)"]
            return [*_noted(form.note), node("div", *content, klass="lc-text")]
        case items.Rich():
            return [node("div", *_rich(form.parts), klass="lc-text lc-rich")]
        case items.Grid():
            return [_table(form), *_noted(form.note)]
        case items.Picture():
            return [picture_node(form, "the item to judge"), *_noted(form.note)]
        case items.Refusal():
            content = node("div", one_line(form.sentence, 2000), klass="lc-refusal", role="alert")
            return [content, _note(WITHOUT_PICTURE)]


def picture_node(form: items.Picture, alt: str) -> Node:
    """A picture as data in the page: nothing is fetched."""
    kind = "png" if form.data.startswith(PNG) else "jpeg"
    data = f"data:image/{kind};base64,{b64encode(form.data).decode()}"
    return node("img", src=data, alt=alt, klass="lc-smooth" if form.smooth else "lc-pixels")


TAGS = {
    "paragraph": "p", "heading": "strong", "bold": "strong", "italic": "em", "struck": "del",
    "code": "code", "lines": "pre", "quote": "blockquote", "points": "ul", "steps": "ol",
    "point": "li", "table": "table", "row": "tr", "head": "th", "cell": "td", "fold": "details",
}  # fmt: skip
"""Of the kinds of blocks; a field and a turn are plain ones with their names."""
JUDGED = "judge this"


def _rich(parts: Iterable[items.Block | items.Text]) -> Iterator[Node | str]:
    for part in parts:
        if isinstance(part, items.Text):
            yield from pieces(part.text, part.marks)
            continue
        inside = list(_rich(part.parts))
        if part.kind == "fold":
            yield node("details", node("summary", part.said), *inside)
        elif part.kind in TAGS:
            named = {"klass": f"lc-{part.kind}"} if part.kind in ("heading", "table") else {}
            named |= {"value": part.said} if part.kind == "point" and part.said else {}
            yield node(TAGS[part.kind], *inside, **named)
        else:
            frame = [node("strong", f" {JUDGED}")] if part.kind == "judged" else []
            name = node("span", part.said, *frame, klass="lc-said")
            yield node("div", name, node("div", *inside, klass="lc-inner"), klass=f"lc-{part.kind}")


def _table(grid: items.Grid) -> Node:
    head = node("tr", *(node("th", name, scope="col") for name in grid.columns))
    rows = (node("tr", *(node("td", cell) for cell in row)) for row in grid.rows)
    return node("table", node("thead", head), node("tbody", *rows), klass="lc-table")


def _noted(note: str) -> list[Node]:
    return [_note(note)] if note else []


def _note(sentence: str) -> Node:
    return node("p", one_line(sentence, 2000), klass="lc-note")


def pieces(text: str, marks: Sequence[items.Mark]) -> Iterator[Node | str]:
    """The text cut where a mark begins or ends."""
    opened: Counter[str] = Counter()
    changes: dict[int, list[tuple[str, int]]] = {0: [], len(text): []}
    for mark in marks:
        changes.setdefault(mark.start, []).append((mark.kind, 1))
        changes.setdefault(mark.end, []).append((mark.kind, -1))
    for start, end in pairwise(sorted(changes)):
        for kind, by in changes[start]:
            opened[kind] += by
        kinds = " ".join(f"lc-{kind}" for kind in sorted(+opened))
        piece = text[start:end]
        yield node("mark", piece, klass=kinds) if kinds else piece
