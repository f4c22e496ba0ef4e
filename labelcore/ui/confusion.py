"""The estimated confusion table on the Progress page."""

from itertools import count

import pandas as pd
import streamlit as st

from labelcore.designs.lists import ComparesLists
from labelcore.figures.confusion import Bounds, cell_bounds, confusion, labelled_cells
from labelcore.figures.sampled import drawn_evenly
from labelcore.figures.scalars import headline_stage
from labelcore.safe_text import one_line, plain
from labelcore.session.session import Session
from labelcore.ui.downloads import table_button
from labelcore.ui.review import CELL, go_to_cell
from labelcore.ui.status import first_figure_line
from labelcore.words.counts import NO_LABEL, each_cell, row_words
from labelcore.words.quantities import model_word

TABLE, ROWS, IN_ALL = "confusion", "called \\ judged", "in all"
LONGEST = 1000
"""Letters of a heading in a file."""
CAPTION = (
    "Press a cell to see the items judged so. {each} Parts of the file that have no label yet are "
    "not guessed: they have a column of their own."
)


def predicted(session: Session) -> list[str]:
    """The classifiers of the plan that have predictions."""
    known = session.population.predictions
    if isinstance(session.plan.method, ComparesLists):  # It asks nothing of most of the file.
        return []
    return [str(name) for name in headline_stage(session.engine).classifiers if name in known]


def confusion_panel(session: Session) -> None:
    """The table of one classifier that has predictions, and the same to take away."""
    names = predicted(session)
    if first_figure_line(session) is not None:
        st.text("This table comes with the first figure.")
        return
    name = names[0]
    if len(names) > 1:
        name = st.selectbox(
            f"Of which {model_word(session.population.has_judge)}?",
            names,
            format_func=lambda name: one_line(name, 80),
            key="confusion-which",
        )
    engine = headline_stage(session.engine)
    table = confusion(engine, name)
    go_to_cell(session.project)
    shown = readable(table, cell_bounds(engine, name), labelled_cells(engine, name))
    st.dataframe(
        shown,
        key=TABLE,
        selection_mode="single-cell",
        on_select=lambda: press_cell(str(name), table),
    )
    each = each_cell(shown.to_numpy().ravel(), drawn_evenly(session.engine))
    st.caption(plain(CAPTION.format(each=each)))
    table_button(session, "Take this table", "confusion", lambda: for_file(table))


def press_cell(classifier: str, table: pd.DataFrame) -> None:
    """Remember which judged items were asked for: those of a cell, or of a whole row."""
    cells = st.session_state[TABLE].selection.cells
    if not cells:
        return
    row, heading = cells[0]
    names = distinct([ROWS, *table.columns, IN_ALL])[1:-1]
    answer = table.columns[names.index(heading)] if heading in names[: len(table)] else None
    st.session_state[CELL] = classifier, table.index[row], answer


def readable(table: pd.DataFrame, bounds: Bounds, labels: pd.DataFrame) -> pd.DataFrame:
    """Numbers of items with their ``bounds``, or labels, as text; the last column only where it
    says something."""
    shown = table if table.iloc[:, -1].any() else table.iloc[:, :-1]
    totals = table.sum(axis=1).to_numpy()
    each = zip(shown.to_numpy(), bounds, labels.to_numpy(), strict=True)
    rows = [row_words(counts.tolist(), ends.tolist(), mine.tolist()) for counts, ends, mine in each]
    named = [f"{total:,.0f}" for total in totals]
    unlabelled = [NO_LABEL] if len(shown.columns) > len(table) else []
    names = distinct([ROWS, *shown.columns[: len(table)], *unlabelled, IN_ALL])
    body = [
        [one_line(name, 60), *cells, total]
        for name, cells, total in zip(table.index, rows, named, strict=True)
    ]
    return pd.DataFrame(body, columns=names).set_index(names[0])


def distinct(names: list[str], most: int = 60) -> list[str]:
    """Headings, each once and no longer than that: a table needs it, and class names promise
    nothing.

    >>> distinct(["a", "in all", "in  all"])
    ['a', 'in all', 'in all (2)']
    """
    heads: list[str] = []
    for name in names:
        short = one_line(name, most)
        more = (f"{short} ({number})" for number in count(2))
        heads.append(short if short not in heads else next(m for m in more if m not in heads))
    return heads


def for_file(table: pd.DataFrame) -> pd.DataFrame:
    """The estimated numbers of items, the predicted class in front."""
    heads = distinct(["predicted", *table.columns], LONGEST)
    return table.round(4).reset_index(allow_duplicates=True).set_axis(heads, axis=1)
