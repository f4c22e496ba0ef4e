"""What a person waits for, with a way to cancel it.

Work on files goes on in a process of its own: while one person's file is read, every other person's
presses are answered as ever. What is worked out of a file already read goes on in the page's
script, step by step: whatever the person does ends it at its next step.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from time import monotonic
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

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
CANCELLED, STOPPED = "{what}: cancelled.", "work-cancelled"

Key = tuple[Hashable, ...]
T = TypeVar("T")


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
        _shown(work, name_of(kind, key))
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


def name_of(kind: str, key: Hashable) -> str:
    """Of the row of what is waited for, and of its button."""
    return f"work-{kind}-{sha256(repr(key).encode()).hexdigest()[:8]}"


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
    said = _row(place, name, cancel, work)
    while True:
        words = WAITS.format(what=one_line(work.what, 60)) if not work.began else None
        _say(said, words or _so_far(work.what, work.share, work.ran))
        if work.ended.wait(AGAIN):
            break
    place.empty()


def _row(place: DeltaGenerator, name: str, on_click: Any, about: Any) -> DeltaGenerator:
    """Where it is said what goes on, and the button that ends it."""
    with place.container(horizontal=True, vertical_alignment="center", key=name):
        said = st.empty()
        st.button("Cancel", key=f"{name}-cancel", on_click=on_click, args=(about,))
    return said


def _so_far(what: str, share: float | None, ran: float) -> str:
    words = GOES_ON if share is None else SO_FAR
    return words.format(what=one_line(what, 60), time=f"{ran:.0f} s", share=100 * (share or 0))


def _say(said: DeltaGenerator, text: str) -> None:
    said.markdown(f":material/hourglass_top: {plain(text)}")


# --- in the page's script -----------------------------------------------------------------------


class _Steps:
    """The row of what this script works out, drawn once it has taken a while."""

    def __init__(self, name: str, what: str) -> None:
        self.place, self.began, self.name, self.what = st.empty(), monotonic(), name, what
        self.share: float | None = None
        self._said: DeltaGenerator | None = None
        self._lock, self._over = threading.Lock(), False
        self._timer = threading.Timer(SOON, self._show)
        add_script_run_ctx(self._timer).start()

    def _show(self) -> None:
        with self._lock:
            if not self._over:
                self._said = _row(self.place, self.name, stop, self.name)
                _say(self._said, _so_far(self.what, self.share, monotonic() - self.began))

    def went(self, share: float | None) -> None:
        self.share = share
        if self._said is not None:  # Here Streamlit ends a script that nobody waits for.
            _say(self._said, _so_far(self.what, share, monotonic() - self.began))

    def end(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True


_now: ContextVar[_Steps | None] = ContextVar("steps", default=None)


@contextmanager
def steps(kind: str, key: Hashable, what: str) -> Iterator[None]:
    """Around what this script works out; between its steps it calls ``went``.

    Raises CancelledError, with a way to try again, where the person has cancelled it.
    """
    if get_script_run_ctx() is None:
        yield
        return
    name = name_of(kind, key)
    if st.session_state.get(STOPPED) == name:
        with st.container(horizontal=True, vertical_alignment="center", key=name):
            st.text(CANCELLED.format(what=what))
            st.button("Try again", key=f"{name}-again", on_click=stop, args=("",))
        raise CancelledError(CANCELLED.format(what=what))
    now = _Steps(name, what)
    token = _now.set(now)
    try:
        yield
    finally:
        _now.reset(token)
        now.end()
    now.place.empty()


def worked_out(kind: str, key: Key, what: str, make: Callable[[], T]) -> T:
    """What ``make`` gives in ``steps``, kept for the next who asks the same."""
    kept = works().get(kind, key)
    if not isinstance(kept, tuple):
        with steps(kind, key, what):
            kept = works().put(kind, key, (make(),))
    return cast(T, kept[0])


def went(share: float | None = None) -> None:
    """A step was done, of all so much: whoever cancelled is no longer kept waiting."""
    now = _now.get()
    if now is not None:
        now.went(share)


def stop(name: str) -> None:
    """Cancel what this name is of; "": nothing any more."""
    st.session_state[STOPPED] = name
