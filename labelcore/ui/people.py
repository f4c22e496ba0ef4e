"""Which person this browser is, and whose page has been gone for a while.

The browser keeps a random id, in its storage and in a cookie that the server can read when a page
is opened again. What a person is called in a project is in the store.
"""

import re
import threading
import time
from collections import Counter

import streamlit as st

from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.session.ledger import now
from labelcore.session.session import Session
from labelcore.ui import visitor
from labelcore.ui.scripts import component, constants, text_of

COOKIE = "labelcore_person"
SECRET = "person id"
FORM = re.compile(r"[0-9a-f]{32}")
GONE_SECONDS = 60.0
"""How long an item is kept for a person whose pages of the project have all ended. Streamlit says
so two minutes after a window was closed: who reloads or loses the network is back by then."""
WAITING = (
    "One moment: the page is asking your browser who you are. Reload it if this does not go away."
)
SCRIPT = constants(NAME=COOKIE) + text_of("people.js")


# --- who this is --------------------------------------------------------------------------------


def secret() -> str | None:
    """The id of this browser; None while it is not known."""
    known = st.session_state.get(SECRET) or st.context.cookies.get(COOKIE)
    return str(known) if known and FORM.fullmatch(str(known)) else None


def name(session: Session) -> str:
    """Under which name this person's answers are stored: that of a link or a login, else what the
    project calls this browser; "me" where there is none."""
    if known := visitor.name_of_login():
        return known
    known_browser = secret()
    return session.person(known_browser) if known_browser else DEFAULT_ANNOTATOR


def introduced() -> bool:
    """Whether it is known who this is. Where it is not, the browser says it in the next run."""
    if not st.context.headers or visitor.name_of_login():
        return True  # There is no browser that could say it, or it need not.
    known = secret()
    with st.container(key="person"):
        answer = component("person", js=SCRIPT)(
            key="labelcore-person",
            data={"known": known is not None},
            height=1,
            on_id_change=lambda: None,
        )
    st.session_state[SECRET] = known or getattr(answer, "id", None)
    return secret() is not None


# --- who is there -------------------------------------------------------------------------------


class Presence:
    """Open pages by project and person, and since when those who left are gone."""

    def __init__(self) -> None:
        self._pages: Counter[tuple[str, str]] = Counter()
        self._left: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def arrive(self, project: str, person: str) -> None:
        with self._lock:
            self._pages[project, person] += 1
            self._left.pop((project, person), None)

    def leave(self, project: str, person: str) -> None:
        with self._lock:
            self._pages[project, person] -= 1
            if self._pages[project, person] <= 0:
                del self._pages[project, person]
                self._left[project, person] = time.monotonic()

    def gone(self, project: str) -> list[str]:
        """The people who left the project long enough ago."""
        before = time.monotonic() - GONE_SECONDS
        with self._lock:
            return [
                who for (where, who), at in self._left.items() if where == project and at <= before
            ]


@st.cache_resource(show_spinner=False)
def presence() -> Presence:
    return Presence()


def _closed(page: tuple[str, str]) -> None:
    presence().leave(*page)


@st.cache_resource(show_spinner=False, scope="session", on_release=_closed)
def _opened(project: str, person: str) -> tuple[str, str]:
    presence().arrive(project, person)
    return project, person


def is_here(session: Session) -> None:
    """Note that this person has a page of the project open; its end is noted by itself."""
    _opened(session.project, name(session))


def release_gone(session: Session) -> bool:
    """Give back what people have on the screen whose pages have ended; what they took for a time
    is theirs until it is over."""
    released, at = False, now()
    for person in presence().gone(session.project):
        for draw in session.state.on_screen(person):
            shown = session.state.screens.shown[draw.token]
            if shown.minutes is None or shown.over(at):
                released = session.release(draw) is not None or released
    return released
