"""No traceback on the page: what happened, what is safe, what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from labelcore import errors
from labelcore.access import OF_PROJECTS, PAGES, Right, may, note
from labelcore.safe_text import plain
from labelcore.ui import files, presses, sessions, visitor
from labelcore.ui.last_look import card_line
from labelcore.ui.presses import acting, button
from labelcore.ui.restoring import way_back
from labelcore.ui.setup import link_to
from labelcore.ui.summary import summaries


def next_step(error: Exception) -> str:
    """What is safe and what to do, where the error's own words do not say it."""
    if isinstance(error, (errors.RenamedProjectError, errors.ItemsFileError)):
        return ""
    if isinstance(error, errors.UnknownProjectError):
        return "Nothing was changed. Choose a project on the start page."
    if isinstance(error, errors.StoreBusyError):
        return "Labels saved earlier are in the store. This page tries again by itself."
    if isinstance(error, errors.StoreError):
        return "Labels saved earlier are in the store. When the cause is fixed, reload this page."
    if isinstance(error, (FileNotFoundError, ValueError)):
        return "The labels are safe in the store. When the cause is fixed, reload this page."
    return ""


def show(error: Exception) -> None:
    """The error as a box with a way on."""
    presses.reopen(error)
    if isinstance(error, errors.StoreBusyError):
        presses.try_again_later()
    lost = isinstance(error, errors.ItemsFileError)
    pressed = ""
    if presses.PROBLEM in st.session_state and not lost:
        pressed = presses.NOT_YET if presses.WAITING in st.session_state else presses.NOT_STORED
    st.error(plain(pressed + presses.sentence(error)), icon=":material/error:")
    step = next_step(error)
    if step:
        st.text(step)
    if isinstance(error, errors.RenamedProjectError):
        words = f"Open {plain(error.name, 60)}"
        link_to("progress", words, ":material/show_chart:", project=error.name)
    if isinstance(error, (errors.BrokenLogError, errors.DamagedStoreError)):
        way_back()
    if isinstance(error, errors.ItemsFileError) and visitor.allowed(Right.RUN):
        relink_form(error.project)
    st.page_link("app.py", label="All projects", icon=":material/home:")


@contextmanager
def guard(page: str, project: str | None = None) -> Iterator[None]:
    """Around a page or a part of it: errors are told, and whoever may not see it gets no further.

    page      the name of its file, as in ``labelcore.access.PAGES``
    project   of a part that is drawn again by itself: whose it is; else what the address says
    """
    with guarded(PAGES[page], project, everywhere=page not in OF_PROJECTS):
        yield


@contextmanager
def guarded(
    right: Right | None, project: str | None = None, *, everywhere: bool = True
) -> Iterator[None]:
    """The same for whoever has this right, in every project or in one."""
    person = visitor.everywhere() if everywhere else visitor.visitor(project)
    if not may(person, right):
        note(
            "refused", person.name if person else visitor.stranger(), f"a page that asks to {right}"
        )
        visitor.show_refusal(person)
        st.stop()
    try:
        yield
    except errors.CancelledError:
        pass  # It is said where it was waited for.
    except Exception as error:
        show(error)


CHOSEN, UPLOAD = "relink-chosen", "relink-upload"


def relink_form(project: str) -> None:
    """The figures of the last look, and a way to name the file."""
    known = next(summary for summary in summaries() if summary.name == project)
    st.text(f"From the log alone: {card_line(known)}.")
    with st.container(border=True, key="relink"):
        st.header("Where is the file now?", anchor=False)
        st.text("Any name will do: the file is recognised by its content.")
        listed = [name for name in files.listed() if Path(name).suffix == Path(known.file).suffix]
        same_name = [name for name in listed if Path(name).name == known.file]
        st.selectbox(
            "A file in the data folder",
            [*same_name, *(name for name in listed if name not in same_name)],
            key=CHOSEN,
        )
        st.file_uploader("Or upload it", key=UPLOAD)
        button("Use this file", "relink-do", use, project, type="primary")
        presses.show_problem()


@acting(Right.RUN)
def use(project: str) -> None:
    """Take the uploaded file, else the chosen one."""
    given, chosen = st.session_state.get(UPLOAD), st.session_state.get(CHOSEN)
    if given is not None:
        path = files.keep_upload(given.name, given.getvalue())
    elif chosen is not None:
        path = files.inside(chosen)
    else:
        raise ValueError("Choose a file, or upload one.")
    sessions.registry().relink(project, path)
