"""Tables as an Excel workbook in which no text runs as a formula."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from tempfile import NamedTemporaryFile
from typing import Any

import pandas as pd

from labelcore.figures.judge import NO_SHARES
from labelcore.population.copies import copies_folder
from labelcore.report.figure_table import tables_of
from labelcore.report.judged import judged_of
from labelcore.report.tables import guarded
from labelcore.session.session import Session
from labelcore.words.quantities import spoken_key
from labelcore.words.sentences import decimals

BOUNDED = ("value", "low", "high")
MEASURED, NARROWEST, WIDEST = 100, 6, 60
LONGEST_CELL = 32_767
"""What a cell of Excel holds; a longer text is cut, with an ellipsis."""
# A sheet with one of these is no XML, and no program opens it.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def report_xlsx(session: Session) -> bytes:
    """The table of figures, the sentences, the other results, the judge, the pairs of systems and
    the labels, a sheet each; every sheet can be filtered by its columns."""
    results, tables = session.results_table(), tables_of(session)
    sheets = {"Sentences": results[["estimand", "sentence"]].drop_duplicates()}
    if tables:
        figures = pd.concat([table.to_frame() for table in tables])
        whose = ["classifier", "by", "group", "estimand"]
        sheets = {"Figures": figures.drop_duplicates(whose), **sheets}
    held = {figure.estimate.estimand for table in tables for figure in table.cells}
    others = results[~results["estimand"].isin(held)]
    if len(others) or not tables:
        sheets["Estimates"] = others
    for name, sheet in sheets.items():
        names = [spoken_key(key, session.population.has_judge) for key in sheet["estimand"]]
        sheets[name] = sheet.assign(estimand=names)
    if (judged := judged_of(session)) is not None:
        sheets |= {"Judge": judged.both()} | ({"Pairs": judged.pairs} if len(judged.pairs) else {})
    return workbook({**sheets, "Labels": session.labels_table()})


def workbook(tables: Mapping[str, pd.DataFrame]) -> bytes:
    """A workbook with a sheet for each table, with filters; times are text in UTC, missing values
    empty cells. A share with an interval is shown with the decimals that this supports; the cell
    holds it whole.
    """
    from openpyxl import Workbook  # type: ignore[import-untyped]
    from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]
    from openpyxl.utils import get_column_letter  # type: ignore[import-untyped]
    from openpyxl.worksheet import _writer  # type: ignore[import-untyped]

    # Where a process that is killed leaves it, the next one removes it.
    _writer.NamedTemporaryFile = partial(NamedTemporaryFile, dir=copies_folder())
    book = Workbook(write_only=True)
    for name, table in tables.items():
        sheet = book.create_sheet(name)
        sheet.freeze_panes = "A2"
        for place, column in enumerate(table.columns, start=1):
            sheet.column_dimensions[get_column_letter(place)].width = width(column, table[column])
        sheet.append([cell(column) for column in table.columns])
        bounded = {*BOUNDED} <= {*table.columns}
        for row in table.itertuples(index=False, name=None):
            cells = [cell(value) for value in row]
            if bounded:
                shown = dict(zip(table.columns, cells, strict=True))
                share = shown.get("measure") not in NO_SHARES
                look = percent_format(shown["low"], shown["high"]) if share else ""
                for place, column in enumerate(table.columns):
                    if look and column in BOUNDED and cells[place] is not None:
                        cells[place] = WriteOnlyCell(sheet, cells[place])
                        cells[place].number_format = look
            sheet.append(cells)
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(table.columns))}{len(table) + 1}"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def width(column: str, values: pd.Series[Any]) -> int:
    """How wide a column is, in letters, so that its head and its first values can be read.

    >>> width("n", pd.Series([1, 2])), width("sentence", pd.Series(["a" * 200]))
    (8, 60)
    """
    texts = values.head(MEASURED).astype(str) if values.dtype != float else values.head(0)
    longest = texts.str.len().max() if len(texts) else 0
    return int(min(max(len(str(column)), longest, NARROWEST) + 2, WIDEST))


def percent_format(low: Any, high: Any) -> str:
    """How a spreadsheet shows a share or a difference of shares with this interval; "" for others.

    >>> percent_format(0.2, 0.515), percent_format(0.88, 0.93), percent_format(3, 40)
    ('0%', '0.0%', '')
    """
    known = all(isinstance(end, float) and -1 <= end <= 1 for end in (low, high))
    digits = decimals(high - low) if known else 0
    return f"0{'.' * bool(digits)}{'0' * digits}%" if known else ""


def cell(value: Any) -> Any:
    r"""
    >>> cell("=1+1"), cell("a\x00b"), cell(float("nan")), cell(0.5), cell(None)
    ("'=1+1", 'ab', None, 0.5, None)
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (bool, int, float)):
        return value
    text = guarded(_UNPRINTABLE.sub("", str(value)))
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
