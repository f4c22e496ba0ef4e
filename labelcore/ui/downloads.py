"""What can be taken away from a project, as files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.exchange import LABELLED_FORMS
from labelcore.report import (
    bundle_zip,
    estimates_csv,
    events_csv,
    report_html,
    report_json,
    report_markdown,
    report_pdf,
    report_png,
    report_xlsx,
    table_file,
)
from labelcore.report.error_cards import errors_of
from labelcore.session.session import Session
from labelcore.ui import trail, visitor
from labelcore.ui.door import SHARE
from labelcore.words.sentences import count
from labelcore.words.weights import weight_words


@dataclass(frozen=True)
class Download:
    """One thing to take away: the end of its file name, its type, what makes it."""

    label: str
    suffix: str
    mime: str
    make: Callable[[Session], str | bytes]


SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
REPORTS = (
    Download("Report (PDF)", "report.pdf", "application/pdf", report_pdf),
    Download("Picture for slides", "report.png", "image/png", report_png),
)
FURTHER = (
    Download("Excel", "report.xlsx", SHEET, report_xlsx),
    Download("Markdown", "report.md", "text/markdown", report_markdown),
    Download("JSON", "report.json", "application/json", report_json),
    Download("Events CSV", "events.csv", "text/csv", events_csv),
    Download("Estimates CSV", "estimates.csv", "text/csv", estimates_csv),
    Download("Replay bundle", "bundle.zip", "application/zip", bundle_zip),
)

ONE_FILE = "One file: the answer, its figures, and a replay. It needs no network."
WITH_TEXTS = "{errors} can go with the file. What these items hold then goes out with it."
LABELS_HELP = "One row for each item judged, with scores, predictions and weight."
PARQUET = "application/vnd.apache.parquet"
TABLE_KINDS = {
    ".csv": ("CSV", "text/csv"),
    ".jsonl": ("JSON Lines", "application/jsonl"),
    ".parquet": ("Parquet", PARQUET),
    ".xlsx": ("Excel", SHEET),
}
TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".csv": "text/csv",
    ".parquet": PARQUET,
    ".md": "text/markdown",
}


def file_name(project: str, suffix: str) -> str:
    """
    >>> file_name("My / project", "report.html")
    'My_project-report.html'
    """
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '_', project).strip('._-') or 'project'}-{suffix}"


def downloads(session: Session) -> None:
    """What people send, the labels, and behind one button what machines read."""
    with st.container(horizontal=True, key="downloads"):
        _taken_as(session, "Share file", "report.html", "text/html", report_html, ONE_FILE)
        with st.popover("With errors, by link", icon=":material/ios_share:", key="take-share"):
            _shares(session)
        for form in REPORTS:
            _taken_as(session, form.label, form.suffix, form.mime, form.make)
        labels_button(session)
        with st.popover("Other forms", icon=":material/download:", key="take-forms"):
            for form in FURTHER:
                _taken_as(session, form.label, form.suffix, form.mime, form.make)


def page_of(project: str) -> str:
    """Where the page by link is, beside any page of the project."""
    return f"{SHARE.strip('/')}?{urlencode({'project': project})}"


def _shares(session: Session) -> None:
    """The file with what the classifier got wrong, which goes out only when an owner presses for
    it, each time anew; and the page by link."""
    errors = 0 if session.broken_at else len(errors_of(session)[1])
    if errors and visitor.allowed(Right.RUN):
        st.caption(WITH_TEXTS.format(errors=count(errors, "error")))
        make = partial(report_html, errors=True)
        _taken_as(session, "With the errors", "report-errors.html", "text/html", make)
    st.link_button("Open as a page", page_of(session.project), type="tertiary")


def labels_button(session: Session, label: str = "Labels") -> None:
    """The table of labels, with what was shown, and the labels in the forms of other tools; nothing
    where the log was changed outside Labelcore: a file would not say."""
    if session.broken_at:
        return
    with st.popover(label, icon=":material/table:", help=LABELS_HELP, key="take-labels"):
        _tables(session, "labels", partial(session.labels_table, content=True))
        st.caption(weight_words(session.plan.method.has_weights))
        with st.container(horizontal=True):
            for name, form in LABELLED_FORMS.items():
                if form.fits(session.population):
                    suffix = form.suffixes[0]
                    kind = TYPES.get(suffix, "application/octet-stream")
                    _taken_as(session, f"As {form.tool}", f"{name}{suffix}", kind, form)


def table_button(session: Session, label: str, name: str, make: Callable[[], pd.DataFrame]) -> None:
    """A table in four forms behind one button, made when a form is pressed; nothing where the log
    was changed outside Labelcore."""
    if session.broken_at:
        return
    with st.popover(label, icon=":material/table:", key=f"take-{name}"):
        _tables(session, name, make)


def _tables(session: Session, name: str, make: Callable[[], pd.DataFrame]) -> None:
    """A row of buttons, one for each form of a table."""
    with st.container(horizontal=True):
        for suffix, (kind, mime) in TABLE_KINDS.items():

            def content(_: Session, suffix: str = suffix) -> bytes:
                return table_file(make(), suffix)

            _taken_as(session, f"As {kind}", f"{name}{suffix}", mime, content)


def _taken_as(
    session: Session,
    label: str,
    name: str,
    mime: str,
    make: Callable[[Session], str | bytes],
    about: str = "",
) -> None:
    whose = trail.who()

    def content() -> str | bytes:
        trail.trail().note(whose, trail.EXPORTED, f"project {session.project!r}, {name}")
        return make(session)

    st.download_button(
        label,
        data=content,
        file_name=file_name(session.project, name),
        mime=mime,
        key=f"download-{name}",
        on_click="ignore",
        icon=":material/download:",
        help=about or None,
    )
