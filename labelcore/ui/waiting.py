"""Work on files: in a process of its own, waited for with a way to cancel it.

While one person's file is read, every other person's presses are answered as ever.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from labelcore.access import Right
from labelcore.bounded import Work
from labelcore.errors import CancelledError, LimitError
from labelcore.ui.plain import one_line, plain
from labelcore.ui.presses import acting
from labelcore.ui.reading import Ask

SOON, AGAIN = 0.3, 0.5
"""Seconds until anything is shown, and between two looks."""
KEPT = 8
"""Results of each kind that are kept; those asked for last."""
WAITS = "{what}: after the work of somebody else."
GOES_ON, SO_FAR = "{what} · {time}", "{what} · {share:.0f} % · {time}"

Key = tuple[Hashable, ...]


class Works:
    """The work of this process that goes on, and what came of it, by what it is about."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._found: dict[str, OrderedDict[Key, Work | Any]] = {}

    def get(self, kind: str, key: Key) -> Any:
        with self._lock:
            kept = self._found.setdefault(kind, OrderedDict())
            if key in kept:
                kept.move_to_end(key)
            return kept.get(key)

    def put(self, kind: str, key: Key, found: Any) -> Any:
        with self._lock:
            kept = self._found.setdefault(kind, OrderedDict())
            kept[key] = found
            kept.move_to_end(key)
            while len(kept) > KEPT:
                kept.popitem(last=False)
            return found

    def start(self, kind: str, key: Key, what: str, ask: Ask) -> Any:
        """What is there, or the work that brings it: one for everybody who asks the same."""
        with self._lock:
            found = self.get(kind, key)
            return self.put(kind, key, ask.work(what)) if found is None else found

    def forget(self, kind: str, key: Key) -> None:
        with self._lock:
            self._found.get(kind, OrderedDict()).pop(key, None)


@st.cache_resource(show_spinner=False)
def works() -> Works:
    return Works()


def found(kind: str, key: Key, what: str, ask: Ask) -> Any:
    """What is made of a file, kept for the next who asks the same.

    kind, key  of the result; what: such as "Reading items.csv"

    Raises what the function raises, LimitError, CancelledError.
    """
    there = works().start(kind, key, what, ask)
    return _waited_for(kind, key, there) if isinstance(there, Work) else there[0]


def there(kind: str, key: Key) -> Any:
    """What is kept; None where nothing is, or where it is still to come."""
    kept = works().get(kind, key)
    return kept[0] if isinstance(kept, tuple) else None


def _waited_for(kind: str, key: Key, work: Work) -> Any:
    if not work.ended.wait(SOON) and get_script_run_ctx() is not None:
        _shown(work, f"work-{kind}-{sha256(repr(key).encode()).hexdigest()[:8]}")
    try:
        value = work.result()
    except (LimitError, CancelledError):
        st.button("Try again", key=f"again-{kind}", on_click=try_again, args=(kind, key))
        raise
    except OSError:  # it may be mended; what is wrong in the file itself stays wrong
        works().forget(kind, key)
        raise
    works().put(kind, key, (value,))
    return value


@acting(Right.RUN)
def try_again(kind: str, key: Key) -> None:
    works().forget(kind, key)


@acting(Right.RUN)
def cancel(work: Work) -> None:
    work.cancel()


def _shown(work: Work, name: str) -> None:
    """What goes on, for how long, and a button that ends it. Whatever else the person does ends
    this script; the work goes on, and the next script finds it."""
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center", key=name):
        said = st.empty()
        st.button("Cancel", key=f"{name}-cancel", on_click=cancel, args=(work,))
    while True:
        share = work.share
        words = WAITS if not work.began else GOES_ON if share is None else SO_FAR
        text = words.format(
            what=one_line(work.what, 60), time=f"{work.ran:.0f} s", share=100 * (share or 0)
        )
        said.markdown(f":material/hourglass_top: {plain(text)}")
        if work.ended.wait(AGAIN):
            break
    place.empty()
