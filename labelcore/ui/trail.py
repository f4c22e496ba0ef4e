"""The audit trail of the app: each visitor and each item once for each time it is shown.

Never a content and never a key: who, what, of which project and item.
"""

from functools import cache

import streamlit as st

from labelcore.access import LISTENERS
from labelcore.store import Trail
from labelcore.ui import sessions, visitor
from labelcore.ui.door import PLAIN

CAME, REFUSED, VIEWED, EXPORTED = "came", "refused", "viewed", "exported"
GIVEN = ("role", "role taken", "withdrawn")
WAYS = {"link": "by a link of their own", "start": "by the link of a share",
        "login": "by a login at the proxy"}  # fmt: skip
SAID = "trail-said"


@cache
def trail() -> Trail:
    """Of the store that the app has open."""
    return Trail(sessions.store, sessions.address)


def heard(happened: str, whom: str, about: str) -> None:
    """What the door, pages and presses tell of refusals, links and roles: a role is given by
    whoever is at the page."""
    if happened in GIVEN:
        trail().note(who(), happened, f"{whom}: {about}" if about else whom)
    else:
        trail().note(whom or "somebody", happened, about)


LISTENERS.append(heard)


def who() -> str:
    """Name and role of whoever is at the page."""
    person = visitor.visitor()
    if person is None:
        return visitor.stranger() or "somebody without a role"
    return f"{person.name} ({person.role})" if person.name else person.role


def how() -> str:
    """By what somebody came in; nothing for whoever is at this machine."""
    way = visitor.came().partition(" ")[0]
    return "" if way == PLAIN else WAYS.get(way, "by a login")


def say(what: str, about: str = "") -> None:
    trail().note(who(), what, about)


def say_once(what: str, about: str, key: str = "") -> None:
    """Once for each visit of a browser; with another key again."""
    already = st.session_state.setdefault(SAID, set())
    if (what, about, key) not in already:
        already.add((what, about, key))
        say(what, about)


def saw(project: str, item: str, key: str = "") -> None:
    """The content of an item is shown."""
    say_once(VIEWED, f"project {project!r}, item {item!r}", key)
