"""The table of figures on a page: classifiers, or groups of a column, down, and figures across.

Two rows that are pressed are compared, a head sorts by its figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.charts.figure_table import Drawn, Less, figure_table_node, row_name
from labelcore.charts.history import history_chart
from labelcore.designs.scalars import EstimatesScalars
from labelcore.figures.arithmetic import Arithmetic, arithmetic
from labelcore.figures.tables import USUAL, wider_together
from labelcore.figures.with_classifier import race_of
from labelcore.report.judged import columns_of
from labelcore.results.cells import Row, Table, TableCell
from labelcore.results.types import Estimate, Results
from labelcore.safe_text import one_line, plain
from labelcore.session.session import Session
from labelcore.ui import people, sessions
from labelcore.ui.chart import show_chart
from labelcore.ui.drawing import draw
from labelcore.ui.presses import acting, button
from labelcore.ui.status import figure_name
from labelcore.ui.tables import number_table, reading_table
from labelcore.words import sentences as words
from labelcore.words.differences import is_difference
from labelcore.words.quantities import key_parts, label_of, model_word, term_of
from labelcore.words.race import pair_words, short_name
from labelcore.words.tables import cell_words

PRICE = "{labels} for ± {points}"
ADD = "Add {labels} for ± {points} points"
NOT_KEPT = "About {labels} for ± {points} points; this plan's promise ends sooner."
COMING = "Asked next for it: {labels}."
SUM = "{value} = {above} of {below}, estimated from {labels} in {strata}."
SUM_ALONE = "{above} of {below}, estimated from {labels} in {strata}."


def price_words(sums: Arithmetic) -> str:
    """What the next narrower interval takes; "" where there is no price."""
    if sums.more is None or sums.half_width is None or not sums.kept or sums.coming:
        return ""
    labels = words.count(sums.more, "more label")
    return PRICE.format(labels=labels, points=f"{100 * sums.half_width:g}")


def cell_panel(session: Session, cell: TableCell, by: tuple[str, ...]) -> None:
    """The arithmetic of a cell, what would make it narrower, and how it came about."""
    sums, estimate = arithmetic(session.engine, by, cell), cell.estimate
    with st.container(key="table-cell", border=True):
        st.markdown(f"**{plain(cell_words(cell)[:1].upper() + cell_words(cell)[1:])}**")
        st.text(sum_words(cell, sums))
        with st.container(horizontal=True, vertical_alignment="center"):
            _price(session, cell, sums)
        shown, course = st.columns([3, 2], gap="large")
        with shown:
            number_table(parts_table(sums), "table-cell-parts")
        with course:
            if cell.asked and not is_difference(estimate.estimand):
                margin = session.plan.margin_of(grouped=bool(estimate.scope.by))
                key = estimate.estimand
                name = figure_name(estimate)
                chart = history_chart(session.course(key), key, margin=margin, label=name)
                if not chart.table.empty:
                    show_chart(chart, "table-cell-course", height=240)


def _price(session: Session, cell: TableCell, sums: Arithmetic) -> None:
    if sums.coming:
        st.caption(COMING.format(labels=words.count(sums.coming)))
        return
    if sums.more is None or sums.half_width is None:
        return
    labels, points = words.count(sums.more, "more label"), f"{100 * sums.half_width:g}"
    if not sums.kept:
        st.caption(NOT_KEPT.format(labels=labels, points=points))
        return
    add = ADD.format(labels=labels, points=points)
    button(add, "table-cell-add", _add, session.project, sums.more, cell)


@acting(Right.RUN)
def _add(project: str, more: int, cell: TableCell) -> None:
    """Ask so many labels more, of the group and for the figure of a cell."""
    session = sessions.session(project)
    name = key_parts(cell.figure)[0]
    group = cell.estimate.scope.group if cell.estimate.scope.by else None
    session.extend(
        budget=min(session.engine.allowed + more, session.engine.most),
        annotator=people.name(session),
        estimand=name if name in session.plan.estimands else None,
        group=group,
    )


def sum_words(cell: TableCell, sums: Arithmetic) -> str:
    """The figure as what it is a ratio of."""
    told, estimate = cell.estimate.told, cell.estimate
    number = sums.parts["stratum"].nunique()
    parts = {
        "above": f"{sums.above:,.0f}",
        "below": f"{sums.below:,.0f}",
        "labels": words.count(int(sums.parts["labels"].sum())),
        "strata": f"{number} {'stratum' if number == 1 else 'strata'}",
    }
    if told is None:
        return SUM_ALONE.format(**parts)
    return SUM.format(value=words.value_percent(told, estimate.low, estimate.high), **parts)


def parts_table(sums: Arithmetic) -> pd.DataFrame:
    """The strata that a figure rests on, those that it is most of first."""
    parts = sums.parts[sums.parts[["above", "below"]].any(axis=1)]
    parts = parts.sort_values("below", ascending=False)
    names = {"stratum": "Stratum", "called": "Called", "items": "Items", "labels": "Labels",
             "positive": "Positive", "above": "Adds", "below": "Of"}  # fmt: skip
    return parts[[*names]].rename(columns=names).round({"Adds": 1, "Of": 1})


CLASSIFIERS, TOGETHER = "classifiers", "All of these together, {sure}"
COSTS = "Ticked: {wider} times as wide, or {more} times the labels for the same width."
HINT = "Press two rows to compare them, a heading to sort, a cell to open it."
HINT_OF_ONE = "Press a cell to open it."
NONE_AHEAD = "No group is sure to differ from the rest in {measure} yet."
ONE_AHEAD = "{sure} sure: {name} is {range} points {side} than {rest} in {measure}."
SOME_AHEAD = "{sure} sure: {names} differ from the rest in {measure}."
PAIR = "{first} or {second}"
FORECAST = "Labels that decide it are a forecast, if the difference is what it seems."
ALL_PAIRS = "{sure} sure of all pairs of a column at once. " + FORECAST
LONGEST, MOST_NAMED = 40, 4
MARKED, SORTED, SHOWN, OPENED = "table-marked", "table-sorted", "table-of", "table-opened"


def has_table(session: Session) -> bool:
    """Whether there are numbers, and more than one row of them."""
    several = bool(session.population.groups) or len(session.population.classifiers) > 1
    return several and isinstance(session.plan.method, EstimatesScalars)


def compare_panel(session: Session) -> None:
    """The table, what is known of its rows in a sentence, and what is pressed."""
    if not has_table(session):
        return
    if st.session_state.get(SHOWN, session.project) != session.project:
        st.session_state.pop(MARKED, None)
    st.session_state[SHOWN] = session.project
    by = _by(session)
    columns = (by,) if by else ()
    together = st.session_state.get("table-together", False)
    table = session.table(columns, together=bool(together))
    if not table.cells:
        return
    opened, widest = _opened(table, by), table.widest()
    price = "" if widest is None else price_words(arithmetic(session.engine, columns, widest))
    drawn = replace(
        drawn_table(session, table, by, _marked(table, by), st.session_state.get(SORTED, "")),
        opened=None if opened is None else (opened.row, opened.figure),
        price=price and f"{price} ›",
    )
    if by and len({group for _, group in table.rows}) > 2:
        st.text(differing(session, by))
    shown = figure_table_node(drawn)
    draw("figure-table", "table", shown, lambda one: _press(one, table, drawn.rows, by))
    if opened is not None:
        cell_panel(session, opened, columns)
    sure = words.confidence_words(session.plan.confidence)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.checkbox(TOGETHER.format(sure=sure), key="table-together")
        wider = wider_together(session.engine, columns)
        if not session.plan.together and wider > 1:
            st.caption(COSTS.format(wider=f"{wider:.2f}", more=f"{wider**2:.1f}"))
    st.caption(HINT if len(table.rows) > 1 else HINT_OF_ONE)


def compares_pairs(session: Session) -> bool:
    """Whether every two of the plan's classifiers can be compared, and no judge's table does so."""
    named = [name for name in session.plan.classifiers if name in session.population.predictions]
    two = len(session.population.classes) == 2 and not session.population.has_judge
    return two and len(named) > 1 and isinstance(session.plan.method, EstimatesScalars)


def pairs_table(session: Session) -> pd.DataFrame:
    """A row for each two classifiers, and in points who is ahead in each figure or what decides."""
    by_name: dict[str, dict[str, str]] = {}
    race = race_of(session.engine)
    for figure in USUAL:
        try:
            pairs = session.differences(None, figure)
        except ValueError:  # Nothing stands behind it: the plan asks for no labels that tell it.
            continue
        for row in pairs.to_dict("records"):
            if race is not None and race.alone and figure == USUAL[0]:
                row["more"] = race.expected(row["value"], row["low"], row["high"])
            name = PAIR.format(first=short_name(row["a"]), second=short_name(row["b"]))
            by_name.setdefault(name, {})[label_of(figure)] = pair_words(row)
    rows = [{"points": name, **cells} for name, cells in by_name.items()]
    return pd.DataFrame(rows)


def pairs_panel(session: Session) -> None:
    """The same on the page, and that it is about all pairs at once."""
    reading_table(pairs_table(session), "table-pairs")
    sure = words.confidence_words(session.plan.confidence)
    st.caption(ALL_PAIRS.format(sure=sure) if len(session.plan.classifiers) > 2 else FORECAST)


def marked_figures(results: Results, project: str) -> list[Estimate]:
    """What is asked of the row that was pressed last in this project's table; none without one."""
    by, rows = st.session_state.get(MARKED, ("", []))
    if not rows or st.session_state.get(SHOWN) != project:
        return []
    figures = [one for one in results.of(Estimate) if not one.is_difference]
    return [estimate for estimate in figures if _row_of(estimate, by) == rows[-1]]


def _row_of(estimate: Estimate, by: str) -> Row | None:
    """The row of the table by this column that holds a figure."""
    scope = estimate.scope
    if not scope.by:
        return scope.classifier, None
    return (scope.classifier, scope.group) if scope.by == by else None


def _opened(table: Table, by: str) -> TableCell | None:
    """The cell that is open, as far as this table has it."""
    of, row, figure = st.session_state.get(OPENED, ("", None, ""))
    cells = (cell for cell in table.cells if (of, row, figure) == (by, cell.row, cell.figure))
    return next(cells, None)


def _by(session: Session) -> str:
    """The column whose groups are the rows; "" for classifiers."""
    columns = [*session.population.groups]
    if not columns:
        return ""
    rates = session.population.has_judge and "prevalence" in session.plan.estimands
    asked = columns_of(session) if rates else session.plan.by or ()
    several = "s" * (len(session.population.classifiers) > 1)
    rows = f"{model_word(session.population.has_judge)}{several}"
    chosen = st.segmented_control(
        "Rows",
        [CLASSIFIERS, *columns],
        default=asked[0] if len(asked) == 1 else CLASSIFIERS,
        required=True,
        format_func=lambda name: rows if name == CLASSIFIERS else plain(one_line(name, LONGEST)),
        key="table-rows",
        label_visibility="collapsed",
    )
    return "" if chosen == CLASSIFIERS else str(chosen)


def _marked(table: Table, by: str) -> list[Row]:
    """The rows that are pressed, as far as this table has them."""
    of, rows = st.session_state.get(MARKED, ("", []))
    return [row for row in rows if of == by and row in table.rows]


def _press(pressed: str, table: Table, rows: Sequence[Row], by: str) -> None:
    """Mark the row, the older one of two giving way, or sort by the head."""
    kind, place = pressed.split(maxsplit=1)
    if kind == "head":
        figure = table.figures[int(place)]
        st.session_state[SORTED] = "" if st.session_state.get(SORTED) == figure else figure
        return
    if kind == "cell":
        row_at, figure_at = (int(number) for number in place.split())
        cell = by, rows[row_at], table.figures[figure_at]
        st.session_state[OPENED] = ("", None, "") if st.session_state.get(OPENED) == cell else cell
        return
    row, marked = rows[int(place)], _marked(table, by)
    left = [other for other in marked if other != row]
    st.session_state[MARKED] = by, left if row in marked else [*left[-1:], row]


def drawn_table(
    session: Session, table: Table, by: str, marked: Sequence[Row], sorted_by: str
) -> Drawn:
    """The rows in their order, all items first, then the widest interval, or the largest value of
    the figure that is sorted by; classifiers in the order of the plan."""
    figure = sorted_by if sorted_by in table.figures else ""
    rows = table.rows if not by else [row for row in table.rows if row[0] == table.rows[0][0]]

    def place(row: Row) -> tuple[bool, float]:
        estimate = table.cell(row[0], figure or table.figures[0], row[1]).estimate
        first = by != "" and row[1] is None
        if figure:
            return not first, -1.0 if estimate.told is None else -estimate.told
        return not first, -estimate.half_width if by else 0.0

    ordered = sorted(rows, key=place)
    return Drawn(table, ordered, marked, figure, _less(session, table, by, marked))


def _less(session: Session, table: Table, by: str, marked: Sequence[Row]) -> Mapping[str, Less]:
    """The difference of two marked rows in each figure, where there is one."""
    if len(marked) < 2 or any(by and group is None for _, group in marked):
        return {}
    a, b = (row_name(row, not by) for row in marked)
    differences = {}
    for figure in table.figures:
        try:
            pairs = session.differences(by or None, figure)
        except ValueError:  # There is no difference in this figure, or of these classifiers.
            continue
        for row in pairs.to_dict("records"):
            if {row["a"], row["b"]} == {a, b} and row["value"] == row["value"]:
                turned = row["a"] != a
                low, high = (-row["high"], -row["low"]) if turned else (row["low"], row["high"])
                value = -row["value"] if turned else row["value"]
                differences[figure] = Less(value, low, high, str(row["ahead"]))
    return differences


def differing(session: Session, by: str) -> str:
    """Which groups surely differ from the rest, all compared at once: systems that are judged in
    their pass rate, where that is asked, others in accuracy."""
    audit = session.population.has_judge
    estimand = "prevalence" if audit and "prevalence" in session.plan.estimands else "accuracy"
    measure, pairs = term_of(estimand, audit), session.differences(by, estimand, rest=True)
    sure, rows = words.confidence_words(session.plan.confidence), pairs[pairs["ahead"] != ""]
    rest = "the rest"
    if len(pairs) == 2 == len(rows):  # Each of two is the rest of the other.
        behind = pairs["high"] < 0
        rest, rows = one_line(str(rows["a"][behind].iloc[0]), LONGEST), rows[~behind]
    names = [one_line(str(group), LONGEST) for group in rows["a"]]
    if not names:
        return NONE_AHEAD.format(measure=measure)
    if len(names) > 1:
        more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
        parts = [*names[:MOST_NAMED], *more]
        listed = f"{', '.join(parts[:-1])} and {parts[-1]}"
        return SOME_AHEAD.format(sure=sure, names=listed, measure=measure)
    low, high = float(rows["low"].iloc[0]), float(rows["high"].iloc[0])
    near, far = sorted((abs(low), abs(high)))
    span = words.range_text(near, far, unit="")
    return ONE_AHEAD.format(
        sure=sure, name=names[0], range=span, side="better" if low > 0 else "worse", rest=rest,
        measure=measure,
    )  # fmt: skip
