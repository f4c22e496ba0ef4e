"""One store and one session per project in this process, shared by every browser.

A session is imported where it is opened: the list of projects needs the store alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from labelcore.errors import RenamedProjectError, StoreError, UnknownProjectError
from labelcore.settings import DATABASE, STORE, data_folder
from labelcore.store import LabelStore, open_store

if TYPE_CHECKING:
    from labelcore.plan.plan import Plan
    from labelcore.population import Population
    from labelcore.session.backups import Restored
    from labelcore.session.session import Session

# Less than the time within which a person must hear that a press was not stored.
BUSY_SECONDS = 1.0
# Addresses of stores that this process has opened: one that is gone is not made anew.
_opened: set[str] = set()


def before_opening(project: str) -> None:
    """Asked whenever a page takes a project; who is at the page is asked where that is known."""


def address() -> str:
    """Of the store: ``LABELCORE_STORE``, else a file in the data folder."""
    return os.environ.get(STORE) or f"sqlite:///{data_folder() / DATABASE}"


def read_apart(source: str | os.PathLike[str], **arguments: Any) -> Population:
    """``labelcore.ui.reading.read_apart``, imported when a project is opened."""
    from labelcore.ui.reading import read_apart

    return read_apart(source, **arguments)


class Registry:
    """An open store and its open sessions.

    The store is created only when this process opens it for the first time.
    """

    def __init__(self, url: str) -> None:
        self.store: LabelStore = open_store(
            url, create=url not in _opened, busy_seconds=BUSY_SECONDS
        )
        _opened.add(url)
        self._sessions: dict[str, Session] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def session(self, project: str) -> Session:
        """The project's session, opened when first asked for.

        A name that now belongs to another project, or to none, is never served from memory: a
        screen that still has the old name must not write under it.
        """
        created_at = self._created_at(project)
        with self._lock_of(project):
            kept = self._sessions.get(project)
            other = kept is None or kept.record.created_at != created_at
            if kept is None or other or kept.ledger.stale:
                from labelcore.session.session import Session

                kept = self._sessions[project] = Session.open(self.store, project, read=read_apart)
        return kept

    def _created_at(self, project: str) -> str:
        try:
            return self.store.project(project).created_at
        except UnknownProjectError:
            self._sessions.pop(project, None)
            from labelcore.session.managing import renamed_to

            name = renamed_to(self.store, project)
            if name is not None:
                raise RenamedProjectError(project, name) from None
            # Whoever has a link to one project is not told the names of the others.
            raise UnknownProjectError(f"There is no project {project!r} here.") from None

    def rename(self, old: str, new: str) -> str:
        """Give a project another name; its session is opened anew under it. Returns the name."""
        from labelcore.session import managing

        with self._lock_of(old):
            name = managing.rename(self.store, old, new)
            if name != old:
                self._sessions.pop(old, None)
            return name

    def relink(self, project: str, file: Path) -> None:
        """Remember where a project's file is now."""
        from labelcore.session import managing

        with self._lock_of(project):
            managing.relink(self.store, project, file)
            self._sessions.pop(project, None)

    def create(
        self, project: str, population: Population, plan: Plan, settings: Mapping[str, Any]
    ) -> Session:
        from labelcore.session.session import Session

        with self._lock_of(project):
            words = {"dots": True, **settings}
            created = Session(population, plan, self.store, project, settings=words)
            self._sessions[project] = created
            return created

    def _lock_of(self, project: str) -> threading.Lock:
        with self._lock:
            return self._locks.setdefault(project, threading.Lock())


@st.cache_resource(show_spinner=False)
def _registry(url: str) -> Registry:
    return Registry(url)


def registry() -> Registry:
    """Raises StoreError when the store cannot be used; tried again at the next call."""
    return _registry(address())


def store() -> LabelStore:
    return registry().store


def session(project: str) -> Session:
    """Raises what ``Session.open`` raises, and NotAllowedError for whoever has no right in it."""
    before_opening(project)
    return registry().session(project)


def restore_newest(who: str) -> Restored:
    """Put the newest backup back, with what the store still has after it, and open it.

    Raises StoreError, LosesLabelsError.
    """
    from labelcore.session.backups import restore

    with suppress(StoreError):
        registry().store.close()
    forget()
    try:
        return restore(None, address(), recover=True, who=who)
    finally:
        forget()


def forget() -> None:
    """Open the store anew at the next call: it may have been repaired meanwhile."""
    _registry.clear()
