"""The table of labels as a file: CSV, JSON Lines, Parquet, or Excel."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pandas as pd

from labelcore.report.spreadsheet import workbook
from labelcore.report.tables import BYTE_ORDER_MARK, csv_text
from labelcore.session.session import Session


def labels_csv(table: pd.DataFrame) -> bytes:
    """With a byte order mark, as Excel wants it; times in ISO 8601; texts that a spreadsheet would
    take for a formula have an apostrophe before them."""
    return csv_text([*map(str, table.columns)], _rows(table), BYTE_ORDER_MARK).encode()


def _rows(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    cells = table.astype(object).where(table.notna(), None)
    for row in cells.to_dict("records"):
        yield {
            str(name): value.isoformat() if isinstance(value, datetime) else value
            for name, value in row.items()
        }


def labels_jsonl(table: pd.DataFrame) -> bytes:
    """An object a line, null where there is nothing; times in ISO 8601, texts as they are."""
    lines = (json.dumps(row, ensure_ascii=False, default=str) for row in _rows(table))
    return "".join(f"{line}\n" for line in lines).encode()


def labels_parquet(table: pd.DataFrame) -> bytes:
    """With its types and its ``attrs``; texts as they are."""
    return table.to_parquet(index=False)


def labels_xlsx(table: pd.DataFrame) -> bytes:
    """A sheet, and one that explains it where there is a word on it; times in ISO 8601, texts
    guarded as in the CSV file."""
    page = pd.DataFrame([{"column": name, "meaning": words} for name, words in table.attrs.items()])
    return workbook({"Labels": table} | ({"About": page} if len(page) else {}))


# The suffix of a file of labels -> what makes its bytes.
LABEL_FORMS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    ".csv": labels_csv,
    ".jsonl": labels_jsonl,
    ".parquet": labels_parquet,
    ".xlsx": labels_xlsx,
}


def labels_file(session: Session, suffix: str, *, content: bool = False) -> bytes:
    """The bytes of ``Session.labels_table`` in the form that a suffix names.

    Raises ValueError for another suffix; the message lists those that can be written.
    """
    return table_file(session.labels_table(content), suffix)


def table_file(table: pd.DataFrame, suffix: str) -> bytes:
    """The bytes of a table in the form that a suffix names. Raises ValueError for another one."""
    write = LABEL_FORMS.get(suffix.lower())
    if write is None:
        known = ", ".join(LABEL_FORMS)
        raise ValueError(f"labels are written as {known}, got {suffix or 'a name without one'!r}")
    return write(table)
