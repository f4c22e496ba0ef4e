"""What can be taken away from a project, as files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from labelcore.report import (
    bundle_zip,
    estimates_csv,
    events_csv,
    report_html,
    report_json,
    report_markdown,
    report_pdf,
    report_xlsx,
    table_file,
)
from labelcore.session.session import Session


@dataclass(frozen=True)
class Download:
    """One thing to take away: the end of its file name, its type, what makes it."""

    label: str
    suffix: str
    mime: str
    make: Callable[[Session], str | bytes]


SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DOWNLOADS = (
    Download("HTML report", "report.html", "text/html", report_html),
    Download("PDF", "report.pdf", "application/pdf", report_pdf),
    Download("Excel", "report.xlsx", SHEET, report_xlsx),
    Download("Markdown", "report.md", "text/markdown", report_markdown),
    Download("JSON", "report.json", "application/json", report_json),
    Download("Events CSV", "events.csv", "text/csv", events_csv),
    Download("Estimates CSV", "estimates.csv", "text/csv", estimates_csv),
    Download("Replay bundle", "bundle.zip", "application/zip", bundle_zip),
)

LABELS_HELP = "One row for each item judged, with scores, predictions and weight."
TABLE_KINDS = {
    ".csv": ("CSV", "text/csv"),
    ".parquet": ("Parquet", "application/vnd.apache.parquet"),
    ".xlsx": ("Excel", SHEET),
}


def file_name(project: str, suffix: str) -> str:
    """
    >>> file_name("My / project", "report.html")
    'My_project-report.html'
    """
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '_', project).strip('._-') or 'project'}-{suffix}"


def downloads(project: str, session: Session) -> None:
    with st.container(horizontal=True, key="downloads"):
        for one in DOWNLOADS:
            st.download_button(
                one.label,
                data=partial(one.make, session),
                file_name=file_name(project, one.suffix),
                mime=one.mime,
                key=f"download-{one.suffix}",
                on_click="ignore",
                icon=":material/download:",
            )
        labels_button(session)


def labels_button(session: Session, label: str = "Labels") -> None:
    """The table of labels, with what was shown."""
    table_button(session, label, "labels", partial(session.labels_table, content=True), LABELS_HELP)


def table_button(
    session: Session,
    label: str,
    name: str,
    make: Callable[[], pd.DataFrame],
    help: str | None = None,
) -> None:
    """A table in three forms behind one button, made when a form is pressed; nothing where the log
    was changed outside Labelcore: a file would not say."""
    if session.broken_at:
        return
    with st.popover(label, icon=":material/table:", help=help, key=f"take-{name}"):
        for suffix, (kind, mime) in TABLE_KINDS.items():
            st.download_button(
                f"As {kind}",
                data=partial(_table_file, make, suffix),
                file_name=file_name(session.project, f"{name}{suffix}"),
                mime=mime,
                key=f"download-{name}{suffix}",
                on_click="ignore",
                icon=":material/download:",
            )


def _table_file(make: Callable[[], pd.DataFrame], suffix: str) -> bytes:
    return table_file(make(), suffix)


def csv_button(session: Session, label: str, name: str, make: Callable[[], str | bytes]) -> None:
    """A table to take away, unless the log was changed outside Labelcore: a file would not say."""
    if session.broken_at:
        return
    st.download_button(
        label,
        data=make,
        file_name=file_name(session.project, f"{name}.csv"),
        mime="text/csv",
        key=f"download-{name}",
        on_click="ignore",
        icon=":material/download:",
    )
