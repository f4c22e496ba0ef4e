"""What can be taken away from a project, as files."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.exchange import LABELLED_FORMS
from labelcore.figures.labels_table import weights_told
from labelcore.report import (
    REPORT_FORMS,
    bundle_zip,
    estimates_csv,
    events_csv,
    report_html,
    table_file,
)
from labelcore.report.error_cards import errors_of
from labelcore.session.session import Session
from labelcore.ui import trail, visitor
from labelcore.ui.door import SHARE
from labelcore.words.sentences import count

Make = Callable[[Session], str | bytes]
CALLED = {
    ".pdf": "Report (PDF)",
    ".png": "Picture for slides",
    ".xlsx": "Excel",
    ".md": "Markdown",
    ".json": "JSON",
}
"""What a form of the report is called; another one by its suffix."""
AT_HAND = (".pdf", ".png")
"""Those beside the share file."""
ELSEWHERE = (".html", *AT_HAND, ".csv")

ONE_FILE = "One file: the answer, its figures, and a replay. It needs no network."
WITH_TEXTS = "{errors} can go with the file. What these items hold then goes out with it."
LABELS_HELP = "One row for each item judged, with scores, predictions and weight."
TABLE_KINDS = {".csv": "CSV", ".jsonl": "JSON Lines", ".parquet": "Parquet", ".xlsx": "Excel"}
TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".zip": "application/zip",
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
        _taken_as(session, "Share file", "report.html", report_html, ONE_FILE)
        with st.popover("With errors, by link", icon=":material/ios_share:", key="take-share"):
            _shares(session)
        for suffix in AT_HAND:
            _taken_as(session, CALLED[suffix], f"report{suffix}", REPORT_FORMS[suffix])
        labels_button(session)
        with st.popover("Other forms", icon=":material/download:", key="take-forms"):
            for name, (called, make) in further().items():
                _taken_as(session, called, name, make)


def further() -> dict[str, tuple[str, Make]]:
    """{file: its words, what makes it} of those behind one button."""
    forms = {suffix: make for suffix, make in REPORT_FORMS.items() if suffix not in ELSEWHERE}
    return {
        **{f"report{suffix}": (CALLED.get(suffix, suffix), make) for suffix, make in forms.items()},
        "events.csv": ("Events CSV", events_csv),
        "estimates.csv": ("Estimates CSV", estimates_csv),
        "bundle.zip": ("Replay bundle", bundle_zip),
    }


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
        _taken_as(session, "With the errors", "report-errors.html", make)
    st.link_button("Open as a page", page_of(session.project), type="tertiary")


def labels_button(session: Session, label: str = "Labels") -> None:
    """The table of labels, with what was shown, and the labels in the forms of other tools; nothing
    where the log was changed outside Labelcore: a file would not say."""
    if session.broken_at:
        return
    with st.popover(label, icon=":material/table:", help=LABELS_HELP, key="take-labels"):
        _tables(session, "labels", partial(session.labels_table, content=True))
        st.caption(weights_told(session.engine))
        with st.container(horizontal=True):
            for name, form in LABELLED_FORMS.items():
                if form.fits(session.population):
                    _taken_as(session, f"As {form.tool}", f"{name}{form.suffixes[0]}", form)


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
        for suffix, kind in TABLE_KINDS.items():

            def content(_: Session, suffix: str = suffix) -> bytes:
                return table_file(make(), suffix)

            _taken_as(session, f"As {kind}", f"{name}{suffix}", content)


def _taken_as(session: Session, label: str, name: str, make: Make, about: str = "") -> None:
    what, file = f"project {session.project!r}, {name}", file_name(session.project, name)
    key = f"download-{name}"
    taken(label, file, lambda: make(session), what, key=key, help=about or None)


def taken(
    label: str, file: str, make: Callable[[], str | bytes], what: str, *, key: str, **more: Any
) -> None:
    """A button for a file, made when it is pressed; the audit trail keeps ``what`` it is."""
    whose = trail.who()

    def content() -> str | bytes:
        trail.trail().note(whose, trail.EXPORTED, what)
        return make()

    st.download_button(
        label,
        data=content,
        file_name=file,
        mime=TYPES.get(PurePath(file).suffix, "application/octet-stream"),
        key=key,
        on_click="ignore",
        icon=":material/download:",
        **more,
    )
