"""A project whose file is not where it was: what is known without it, and where it is now."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from labelcore.access import Right
from labelcore.ui import files, sessions
from labelcore.ui.known import card_line
from labelcore.ui.presses import acting, show_problem
from labelcore.ui.summary import summaries

CHOSEN, UPLOAD = "relink-chosen", "relink-upload"


def relink_form(project: str) -> None:
    """The figures of the last look, and a way to name the file."""
    known = next(one for one in summaries() if one.name == project)
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
        st.button("Use this file", key="relink-do", type="primary", on_click=use, args=(project,))
        show_problem()


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
