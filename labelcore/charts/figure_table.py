"""The table of figures as it is drawn: rows of classifiers or groups, a column for each figure, all
on one scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from labelcore.charts.figure_bars import estimate_bar
from labelcore.charts.live_picture import Bar, track_node
from labelcore.charts.nodes import Node, node
from labelcore.promises import State
from labelcore.results.cells import Row, Table, TableCell
from labelcore.words.differences import points_range, signed_points
from labelcore.words.quantities import label_of
from labelcore.words.sentences import count, decimals

ALL_ITEMS, GUESS = "All items", "first guess"
AHEAD, OPEN = "{name} ahead", "open"
LESS, IN_POINTS = "{first} minus {second}", "in points, all pairs at once"
SCALE = ("0", "100")
NARROWEST = 0.05
"""The least reach of a scale around zero."""


@dataclass(frozen=True, slots=True)
class Less:
    """The difference of two rows in one figure; ``ahead``: the one that is surely larger."""

    value: float
    low: float
    high: float
    ahead: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """What of a table is drawn.

    rows       in their order; marked: at most two of them, which are compared
    sorted_by  the figure whose values the rows follow; "" for none
    less       by figure, where two rows are marked
    opened     row and figure of the cell whose arithmetic is shown
    price      what the widest asked cell would take, in a few words; "" for nothing
    """

    table: Table
    rows: Sequence[Row]
    marked: Sequence[Row] = ()
    sorted_by: str = ""
    less: Mapping[str, Less] = field(default_factory=dict)
    opened: tuple[Row, str] | None = None
    price: str = ""

    @property
    def several(self) -> bool:
        """Whether the rows are of several classifiers."""
        return len({classifier for classifier, _ in self.rows}) > 1


def figure_table_node(drawn: Drawn) -> Node:
    """The table. What is pressed says so: "row 3", "head 1" or "cell 3 1"."""
    rows = [_row(drawn, place, row) for place, row in enumerate(drawn.rows)]
    less = [_difference(drawn)] if drawn.less else []
    columns = f"--columns: {len(drawn.table.figures)}"
    return node("div", _heads(drawn), *rows, *less, klass="figures", style=columns, role="table")


def row_name(row: Row, several: bool) -> str:
    """What a row is called; ``several``: whether the rows are of several classifiers."""
    classifier, group = row
    if group is None:
        return classifier if classifier and several else ALL_ITEMS
    return f"{classifier}, {group}" if several and classifier else group


def _heads(drawn: Drawn) -> Node:
    ends = node("div", *(node("span", text) for text in SCALE), klass="ends", aria_hidden="true")
    audit = drawn.table.cells[0].estimate.scope.audit
    heads = []
    for place, figure in enumerate(drawn.table.figures):
        sorted_so = figure == drawn.sorted_by
        name = node(
            "button",
            _label(figure, audit) + (" ↓" if sorted_so else ""),
            klass="head",
            data_figure=f"head {place}",
            aria_pressed=str(sorted_so).lower(),
        )
        heads.append(node("div", name, ends, role="columnheader"))
    return node("div", node("div", role="cell"), *heads, klass="line", role="row")


def _label(figure: str, audit: bool) -> str:
    name, bracket, inside = figure.partition("[")
    label = label_of(name, audit)
    return f"{label} of {inside[:-1]}" if bracket else label


def _row(drawn: Drawn, place: int, row: Row) -> Node:
    cells = {cell.figure: cell for cell in drawn.table.cells if cell.row == row}
    first = next(iter(cells.values())).estimate
    marked = list(drawn.marked).index(row) + 1 if row in drawn.marked else 0
    whole = row[1] is None and bool(drawn.table.by)
    who = node(
        "button",
        node("span", row_name(row, drawn.several), klass="of"),
        node("span", f"{first.scope.n_items:,} · {count(first.labels_used)}", klass="under"),
        klass="who",
        data_figure=f"row {place}",
        aria_pressed=str(bool(marked)).lower(),
    )
    widest = drawn.table.widest()
    of_row = [
        _cell(drawn, cells.get(figure), widest, f"cell {place} {number}")
        for number, figure in enumerate(drawn.table.figures)
    ]
    kind = f"line marked-{marked}" if marked else "line whole" if whole else "line"
    return node("div", node("div", who, role="rowheader"), *of_row, klass=kind, role="row")


def _cell(drawn: Drawn, cell: TableCell | None, widest: TableCell | None, name: str) -> Node:
    if cell is None:
        return node("div", klass="cell", role="cell")
    bar = estimate_bar(cell.estimate, "")
    value, between = bar.said
    kind = "cell"
    if not cell.asked:
        bar = replace(bar, value=None)
        if bar.low is not None and cell.estimate.state != State.EXACT:
            value, kind = GUESS, "cell guess"
    framed = " widest" if cell is widest else ""
    opened = (cell.row, cell.figure) == drawn.opened
    price = [node("span", drawn.price, klass="price")] if cell is widest and drawn.price else []
    inside = node(
        "button",
        *_said(value, between, track_node(bar)),
        *price,
        klass="inside",
        data_figure=name,
        aria_expanded=str(opened).lower(),
    )
    kind += framed + (" opened" if opened else "")
    audit = cell.estimate.scope.audit
    return node("div", inside, klass=kind, role="cell", data_of=_label(cell.figure, audit))


def _said(value: str, between: str, track: Node) -> list[Node]:
    words = [node("span", value, klass="value"), node("span", between, klass="between")]
    return [node("div", *words, klass="said"), track]


def _difference(drawn: Drawn) -> Node:
    """The first marked row less the second, on a scale around zero that all figures share."""
    first, second = (row_name(row, drawn.several) for row in drawn.marked)
    ends = [abs(end) for gap in drawn.less.values() for end in (gap.low, gap.high)]
    reach = max([NARROWEST, *ends])
    who = node(
        "div",
        node("span", LESS.format(first=first, second=second), klass="of"),
        node("span", IN_POINTS, klass="under"),
        klass="who",
        role="rowheader",
    )
    audit = drawn.table.cells[0].estimate.scope.audit
    less = [
        _less(drawn.less.get(figure), reach, _label(figure, audit))
        for figure in drawn.table.figures
    ]
    return node("div", who, *less, klass="line less", role="row")


def _less(less: Less | None, reach: float, name: str) -> Node:
    if less is None:
        return node("div", klass="cell", role="cell")
    track = track_node(Bar("", less.value, less.low, less.high), (-reach, reach), [0.0])
    digits = decimals(less.high - less.low)
    number = signed_points(less.value, digits).removesuffix(" points")
    bottom, top = points_range(less.low, less.high)
    state = AHEAD.format(name=less.ahead) if less.ahead else OPEN
    nodes = _said(number, f"{bottom} to {top.removesuffix(' points')}", track)
    sure = "state sure" if less.ahead else "state"
    ahead = node("div", state, klass=sure)
    return node("div", *nodes, ahead, klass="cell", role="cell", data_of=name)
