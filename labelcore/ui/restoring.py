"""The way back from a damaged store or a broken log: the newest backup, by one press."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import streamlit as st

from labelcore.access import Right
from labelcore.errors import StoreError
from labelcore.safe_text import plain
from labelcore.store import backups, guarded, made_at
from labelcore.ui import sessions, trail, visitor
from labelcore.ui.presses import acting, button, sentence
from labelcore.ui.times import clock, reader_zone

if TYPE_CHECKING:
    from labelcore.session.backups import Restored

PUT_BACK, DONE, FAILED = "put-back", "put-back-done", "put-back-failed"
SHOWN_SECONDS = 30.0
NONE_YET = "There is no automatic backup of this store."
KEEPS = "Answers given since come back as far as the store still has them. Nothing is deleted."


def way_back() -> None:
    """The newest backup and its button, for the owner; whoever presses is told what came back."""
    if not visitor.allowed(Right.RUN):
        return
    if FAILED in st.session_state:
        st.error(plain(st.session_state.pop(FAILED)), icon=":material/error:")
    try:
        place = guarded(sessions.address())
    except StoreError:  # A database that cannot be reached has its backups where it is named.
        place = None
    newest = next(iter(backups(place)), None) if place else None
    at = made_at(newest) if newest else None
    if newest is None or at is None:
        st.text(NONE_YET)
        return
    words = f"Put back the backup of {clock(at.isoformat(), reader_zone())}"
    button(words, PUT_BACK, put_back, type="primary", icon=":material/restore:", help=KEEPS)


@acting(Right.RUN)
def put_back() -> None:
    try:
        st.session_state[DONE] = (monotonic(), restored_words(sessions.restore_newest(trail.who())))
    except (ValueError, OSError) as error:
        st.session_state[FAILED] = sentence(error)


def restored_words(done: Restored) -> str:
    """What is in the store now, and where the one that was there is."""
    from labelcore.words.sentences import count

    at = made_at(done.backup)
    when = clock(at.isoformat(), reader_zone()) if at else done.backup.name
    since = sum(done.recovered.values())
    aside = f" The store as it was is {Path(done.aside).name} now." if done.aside else ""
    return f"The backup of {when} is back, with {count(since, 'answer')} given since.{aside}"


def show_done() -> None:
    """For a while: what came back."""
    at, text = st.session_state.get(DONE, (0.0, ""))
    if text and monotonic() - at < SHOWN_SECONDS:
        st.success(plain(text), icon=":material/restore:")
