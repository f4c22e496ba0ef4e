"""The head of the start page and the ways to begin: what is shown while the rest is imported.

Nothing here imports what reads, estimates or draws: a server that was just started shows this at
once, and the rest of the page when it is there.
"""

from concurrent.futures import Future

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.access import PAGES, Right
from labelcore.errors import StoreError
from labelcore.safe_text import plain
from labelcore.trials.words import WORDS
from labelcore.ui import sessions, visitor
from labelcore.ui.presses import acting, button
from labelcore.ui.setup import setup

STARTED = "started trial"
TO_EXPECT = (
    "You judge each item with one key. Every figure comes with its interval, and the report has "
    "the sentence to quote."
)
TRUTH_AT_END = "The truth is known, and shown at the end."
OWN_FILE = "Items with your classifier's scores or predictions."
NO_ANSWERS = "No right answers needed: you give them."
SOON = "Your projects are being opened …"
TITLE = "Projects"


def front(imported: Future[None] | None) -> None:
    """Until everything is imported: the page as far as it is known without that.

    imported   what to wait for; None where nothing is
    """
    if imported is None:
        return
    setup(TITLE, wide=True, scripts=False)
    if visitor.allowed(PAGES["app"]):
        head()
        if visitor.allowed(Right.RUN) and none_yet():
            first_steps()
        else:
            st.caption(SOON)
    imported.result()
    st.rerun()


def none_yet() -> bool:
    """Whether there is no project; not where the store cannot be read, which the page tells."""
    try:
        return not sessions.store().projects()
    except StoreError:
        return False


def head() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="start-head"):
        with st.container(width="stretch", gap="small"):
            st.title("Labelcore", anchor=False)
            st.text("How good is your classifier? Find out with the fewest human labels.")
        if visitor.runs_all() and st.button(
            "New project", key="start-new", type="primary", icon=":material/add:"
        ):
            st.switch_page("pages/new_project.py")


def first_steps() -> None:
    """For whoever has no project yet: trials, and the own file."""
    st.header("Try it, or bring your own file", anchor=False)
    st.text(TO_EXPECT)
    columns = st.columns(len(WORDS) + 1)
    for place, (name, trial) in enumerate(WORDS.items()):
        with columns[place], card(trial.label, trial.question, f"{trial.data} {TRUTH_AT_END}"):
            kind = "secondary" if place else "primary"
            button("Start", f"trial-{name}", begin, name, type=kind, icon=":material/play_arrow:")
    with columns[-1], card("My own file", OWN_FILE, NO_ANSWERS):
        if st.button("New project", key="start-own", icon=":material/add:"):
            st.switch_page("pages/new_project.py")


def card(title: str, text: str, more: str) -> DeltaGenerator:
    """A frame with what it is about, to put a button in."""
    frame = st.container(border=True, height="stretch", gap="small")
    with frame:
        st.markdown(f"**{plain(title)}**")
        st.text(text)
        st.caption(plain(more))
    return frame


def try_line() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="quiet-trials"):
        st.text("Try it:", width="content")
        for name, trial in WORDS.items():
            button(trial.label, f"trial-{name}", begin, name)


@acting(Right.RUN)
def begin(name: str) -> None:
    """A trial of one's own; one that nobody has begun is opened rather than made again."""
    from labelcore.ui import trying
    from labelcore.ui.summary import summaries

    trials = (trial for trial in summaries() if trial.trial == name)
    untouched = (trial.name for trial in trials if not trial.people and not trial.archived)
    st.session_state[STARTED] = next(untouched, None) or trying.start_trial(name)
