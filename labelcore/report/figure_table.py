"""The table of figures in a report: as a picture on page 1, and in numbers below."""

import json
from collections.abc import Sequence

import pandas as pd

from labelcore.charts.figure_bars import estimate_bar
from labelcore.charts.figure_table import row_name
from labelcore.charts.intervals import interval_columns
from labelcore.charts.live_picture import Bar
from labelcore.promises import Promise
from labelcore.report.markup import Child, Markup, element, joined, picture, table, theirs, tied
from labelcore.results.cells import Table
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.words.quantities import key_parts, label_of, model_word
from labelcore.words.sentences import confidence_words, count, valid_words
from labelcore.words.tables import EACH, TOGETHER, cell_said, guess_note

MOST_COLUMNS, MOST_NUMBERS = 4, 60
"""Figures beside each other in the picture, and rows in numbers."""
REST = "{number} further rows stand in the Excel file."
BY = "By {column}"
FIGURES, ITEMS, LABELS = "The figures", "Items", "Labels"


def tables_of(session: Session) -> tuple[Table, ...]:
    """The table of what is asked, by the groups of the plan, and one for each other column of
    groups; of one row only what is asked. None for a plan without numbers, and for figures that
    are not computed any more."""
    if session.plan.superseded:
        return ()
    asked = session.plan.by or ()
    others = [(name,) for name in session.population.groups if (name,) != tuple(asked)]
    tables = [session.table(by) for by in (tuple(asked), *others)]
    whole = tables[0] if len(tables[0].rows) > 1 else tables[0].of_asked()
    return tuple(shown for shown in (whole, *tables[1:]) if shown.cells)


def apart_from(tables: Sequence[Table], numbers: Sequence[Estimate]) -> list[Estimate]:
    """The numbers that no table holds: differences, and summaries of a list."""
    held = {cell.estimate.estimand for table in tables for cell in table.cells}
    return [number for number in numbers if number.estimand not in held]


def table_picture(shown: Table, most: int, where: str) -> Markup | None:
    """The first rows and figures with their intervals, all on one scale; None before there is any.

    most, where   how many rows, and where the others are
    """
    figures = shown.figures[:MOST_COLUMNS]
    bars = [
        [None if estimate is None else estimate_bar(estimate, "") for estimate in line]
        for line in drawn_cells(shown, most)
    ]
    drawn = [bar for line in bars for bar in line if bar is not None]
    if not any(bar.low is not None for bar in drawn):
        return None
    audit = shown.cells[0].estimate.scope.audit
    names, heads = row_names(shown)[:most], [figure_label(figure, audit) for figure in figures]
    texts = [
        [name, *("" if bar is None else bar_words(bar) for bar in line)]
        for name, line in zip(names, bars, strict=True)
    ]
    words = "; ".join(f"{name}: {', '.join(line)}" for name, *line in texts)
    drawing = picture(interval_columns(heads, list(zip(names, bars, strict=True)), words=words))
    left = len(shown.cells) - len(drawn)
    note = element("p", f"{count(left, 'further figure')} {where}.", class_="note")
    rows_told = json.dumps([["", *heads], *texts])
    return element("div", drawing, note if left else None, class_="plot", data_rows=rows_told)


def drawn_cells(shown: Table, most: int) -> list[list[Estimate | None]]:
    """The first figures of the first rows; None where there is none."""
    estimates = {(cell.row, cell.figure): cell.estimate for cell in shown.cells}
    figures = shown.figures[:MOST_COLUMNS]
    return [[estimates.get((row, figure)) for figure in figures] for row in shown.rows[:most]]


def bar_words(bar: Bar) -> str:
    """
    >>> bar_words(Bar("", 0.7, 0.6, 0.8, ("70 %", "60 to 80")))
    '70 % (60 to 80)'
    """
    value, between = bar.said
    return f"{value} ({between})" if value and between else value or between


def table_numbers(shown: Table) -> Markup:
    """The rows and figures in numbers, with items, labels and the promise."""
    frame = numbers_frame(shown)
    rows: list[list[Child]] = [
        [theirs(name), *map(tied, texts)] for name, *texts in frame.to_numpy().tolist()
    ]
    caption = BY.format(column=shown.by) if shown.by else FIGURES
    note = element("p", promise_note(shown), class_="note")
    first, *heads = map(str, frame)
    return joined(table(caption, [theirs(first), *heads], rows), note)


def numbers_frame(shown: Table) -> pd.DataFrame:
    """Every figure of the first rows as text, with items and labels."""
    cells = {(cell.row, cell.figure): cell for cell in shown.cells}
    rows = []
    for name, row in list(zip(row_names(shown), shown.rows, strict=True))[:MOST_NUMBERS]:
        of_row = [cells.get((row, figure)) for figure in shown.figures]
        first = next(cell.estimate for cell in of_row if cell is not None)
        texts = [cell_said(cell) if cell is not None else "–" for cell in of_row]
        rows.append([name, f"{first.scope.n_items:,}", f"{first.labels_used:,}", *texts])
    audit = shown.cells[0].estimate.scope.audit
    head = shown.by or model_word(audit).capitalize()
    heads = [head, ITEMS, LABELS, *(figure_label(figure, audit) for figure in shown.figures)]
    return pd.DataFrame(rows, columns=heads)


def promise_note(shown: Table) -> str:
    """How sure the figures are, and until when; what a first guess is, and where other rows are."""
    asked = [cell.estimate for cell in shown.cells if cell.asked] or [shown.cells[0].estimate]
    held = dict.fromkeys(_promise_words(estimate, shown) for estimate in asked)
    left = len(shown.rows) - MOST_NUMBERS
    rest = REST.format(number=f"{left:,}") if left > 0 else ""
    return " ".join(filter(None, (*held, guess_note(shown), rest)))


def _promise_words(estimate: Estimate, shown: Table) -> str:
    valid = valid_words(estimate.promise, estimate.scope)
    if estimate.promise == Promise.NONE or estimate.confidence is None:
        return f"{valid[:1].upper()}{valid[1:]}."
    how = TOGETHER if shown.together else EACH
    return f"{confidence_words(estimate.confidence)} confidence {how}, {valid}."


def row_names(shown: Table) -> list[str]:
    """What each row is called."""
    several = len({classifier for classifier, _ in shown.rows}) > 1
    return [row_name(row, several or not shown.by) for row in shown.rows]


def figure_label(figure: str, audit: bool = False) -> str:
    """
    >>> figure_label("precision[spam]"), figure_label("f1")
    ("Precision of 'spam'", 'F1')
    """
    name, inside, _ = key_parts(figure)
    return label_of(name, audit) + (f" of {inside!r}" if inside else "")
