"""What a person waits for, with a way to cancel it.

Work on files goes on in a process of its own: while one person's file is read, every other person's
presses are answered as ever. What is worked out of a file already read goes on in a thread beside
the page's script, which looks at it twice a second: whoever cancels, or does anything else, is
answered then, and the thread ends at its next step.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from hashlib import sha256
from time import monotonic
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from labelcore.access import Right
from labelcore.bounded import Work
from labelcore.errors import CancelledError, LimitError
from labelcore.safe_text import one_line, plain
from labelcore.ui.presses import acting, button
from labelcore.ui.reading import Ask

SOON, AGAIN = 0.3, 0.5
"""Seconds until anything is shown, and between two looks."""
KEPT, OF_KINDS = 8, {"race": 40}
"""Results of each kind that are kept; those asked for last."""
WAITS = "{what}: after the work of somebody else."
GOES_ON, SO_FAR = "{what} · {time}", "{what} · {share:.0f} % · {time}"
CANCELLED, STOPPED, GOING = "{what}: cancelled.", "work-cancelled", "work-going"

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

    def put(self, kind: str, key: Key, result: Any) -> Any:
        with self._lock:
            kept = self._found.setdefault(kind, OrderedDict())
            kept[key] = result
            kept.move_to_end(key)
            while len(kept) > OF_KINDS.get(kind, KEPT):
                kept.popitem(last=False)
            return result

    def start(self, kind: str, key: Key, begin: Callable[[], Any]) -> Any:
        """What is there, or the work that brings it: one for everybody who asks the same."""
        with self._lock:
            result = self.get(kind, key)
            return self.put(kind, key, begin()) if result is None else result

    def forget(self, kind: str, key: Key) -> None:
        with self._lock:
            self._found.get(kind, OrderedDict()).pop(key, None)


@st.cache_resource(show_spinner=False)
def works() -> Works:
    return Works()


def result_of(kind: str, key: Key, what: str, ask: Ask[T]) -> T:
    """What is made of a file, kept for the next who asks the same.

    kind, key  of the result; what: such as "Reading items.csv"

    Raises what the function raises, LimitError, CancelledError.
    """
    there = works().start(kind, key, lambda: ask.work(what))
    return cast(T, _waited_for(kind, key, there) if isinstance(there, Work) else there[0])


def result_kept(kind: str, key: Key) -> Any:
    """What is kept; None where nothing is, or where it is still to come."""
    kept = works().get(kind, key)
    return kept[0] if isinstance(kept, tuple) else None


def _waited_for(kind: str, key: Key, work: Work) -> Any:
    if not work.ended.wait(SOON) and get_script_run_ctx() is not None:
        _shown(work, name_of(kind, key), cancel, work)
    try:
        value = work.result()
    except (LimitError, CancelledError):
        button("Try again", f"again-{kind}", try_again, kind, key)
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


def _shown(work: Work | Here, name: str, on_click: Any, *about: Any) -> None:
    """What goes on, for how long, and a button that ends it. Whatever else the person does ends
    this script; the work goes on, and the next script finds it."""
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center", key=name):
        shown = st.empty()
        button("Cancel", f"{name}-cancel", on_click, *about)
    while True:
        shown.markdown(f":material/hourglass_top: {plain(_so_far(work))}")
        if work.ended.wait(AGAIN):
            break
    place.empty()


def _so_far(work: Work | Here) -> str:
    words = WAITS if not work.began else GOES_ON if work.share is None else SO_FAR
    share, time = 100 * (work.share or 0), f"{work.ran:.0f} s"
    return words.format(what=one_line(work.what, 60), time=time, share=share)


# --- beside the page's script --------------------------------------------------------------------


class Here:
    """Work in a thread of this process, with the ways of ``Work``."""

    def __init__(self, what: str, make: Callable[[], Any]) -> None:
        self.what, self.began, self.ended = what, monotonic(), threading.Event()
        self.share: float | None = None
        self.waiting = 0
        self._make, self._value = make, None
        self._error: BaseException | None = None
        add_script_run_ctx(threading.Thread(target=self._run, name=what, daemon=True)).start()

    @property
    def ran(self) -> float:
        return monotonic() - self.began

    def cancel(self) -> None:
        """Nobody waits any more: it ends at its next step."""
        self._error = CancelledError(f"{self.what} was cancelled.")
        self.ended.set()

    def went(self, share: float | None) -> None:
        if self.ended.is_set():
            raise CancelledError
        self.share = share

    def result(self) -> Any:
        self.ended.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def _run(self) -> None:
        _now.set(self)
        try:
            self._value = self._make()
        except BaseException as error:
            self._error = self._error or error
        self.ended.set()


_now: ContextVar[Here | None] = ContextVar("here", default=None)


def worked_out(kind: str, key: Key, what: str, make: Callable[[], T], *, keep: bool = True) -> T:
    """What ``make`` gives, which calls ``went`` between its steps; kept for the next who asks the
    same.

    Raises what it raises; CancelledError, with a way to try again, where the person has cancelled.
    """
    if get_script_run_ctx() is None:
        return make()
    name, state = name_of(kind, key), st.session_state
    if state.get(STOPPED) == name:
        with st.container(horizontal=True, vertical_alignment="center", key=name):
            st.text(CANCELLED.format(what=what))
            button("Try again", f"{name}-again", stop, "")
        raise CancelledError(CANCELLED.format(what=what))
    work = works().start(kind, key, lambda: Here(what, make))
    if not isinstance(work, Here):
        return cast(T, work[0])
    before = state.get(f"{GOING}-{kind}")
    if before is not None and before[1] is not work:
        _leave(kind, *before)
    state[f"{GOING}-{kind}"] = key, work
    work.waiting += 1
    try:
        if not work.ended.wait(SOON):
            _shown(work, name, stop, name, kind, key, work)
        value = work.result()
    except Exception:
        works().forget(kind, key)
        raise
    finally:
        work.waiting -= 1
    if keep:
        works().put(kind, key, (value,))
    else:
        works().forget(kind, key)
    return cast(T, value)


def _leave(kind: str, key: Key, work: Here) -> None:
    """End what nobody waits for any more."""
    if not work.waiting and not work.ended.is_set():
        work.cancel()
        works().forget(kind, key)


def went(share: float | None = None) -> None:
    """A step was done, of all so much. Raises CancelledError where nobody waits for the rest."""
    now = _now.get()
    if now is not None:
        now.went(share)


def stop(name: str, *about: Any) -> None:
    """Cancel what this name is of, and the work (kind, key, work); "": nothing any more."""
    st.session_state[STOPPED] = name
    if about:
        _leave(*about)
