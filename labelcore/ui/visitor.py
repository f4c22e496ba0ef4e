"""Who is at the page: what the door says of how they came, and their role and name as of now.

Asked anew at every run and every press: a role that was taken away counts no more, also on a page
that is open.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

import streamlit as st

from labelcore.access.register import Person
from labelcore.access.roles import NotAllowedError, Right, Role, may
from labelcore.access.settings import PARAMETER
from labelcore.ui import login
from labelcore.ui.door import ASK, BY_LINK, BY_LOGIN, CAME, LEAVE, who_came

NOT_ALLOWED = "You are here as {role}, and may not see or do this."
NOT_LOGGED_IN = "Log in to go on."
NO_CLAIM = "You are logged in, but not under a name that counts here. Log out and take another one."
UNKNOWN = (
    "You are logged in as {name}, who has no role here. Ask the owner for one "
    "(labelcore people add)."
)
LINK_ENDED = "This link is no longer valid. Ask for a new one."
LOG_IN, LOG_OUT, LEAVING = "Log in", "Log out", "Leave"


def came() -> str:
    """How this visitor came; the owner's way where there is no browser."""
    headers = st.context.headers
    return str(headers.get(CAME.decode()) or "") if headers else f"start {Role.OWNER}"


def visitor() -> Person | None:
    """Whoever is at the page; None for somebody who has no role."""
    way = came()
    if way == ASK:
        name = login.name_of(st.user.to_dict())
        way = f"{BY_LOGIN} {quote(name)}" if name else ASK
    return who_came(way)


def allowed(right: Right | None) -> bool:
    """Whether whoever is at the page has a right."""
    person = visitor()
    return may(person.role if person else None, right)


def name_of_login() -> str:
    """The name that a link or a login gives this person; "" where the browser is who they are."""
    person = visitor()
    return person.name if person else ""


def require(right: Right) -> None:
    """Raises NotAllowedError for whoever may not do this."""
    if not allowed(right):
        raise NotAllowedError(refusal(visitor()))


def refusal(person: Person | None) -> str:
    """Why somebody is refused, in one sentence."""
    if person is not None:
        return NOT_ALLOWED.format(role=f"{'an' if person.role[0] in 'ao' else 'a'} {person.role}")
    way = came()
    if way == ASK:
        said = st.user.to_dict()
        name = login.name_of(said)
        if not said.get("is_logged_in"):
            return NOT_LOGGED_IN
        return UNKNOWN.format(name=name) if name else NO_CLAIM
    if way.startswith(BY_LOGIN):
        return UNKNOWN.format(name=unquote(way.partition(" ")[2]))
    return LINK_ENDED


def may_log_in() -> bool:
    return came() == ASK and not st.user.to_dict().get("is_logged_in")


def show_refusal() -> None:
    """In the place of a page: why it is not shown, and the way to log in where there is one."""
    person = visitor()
    st.text(refusal(person))
    if may_log_in():
        st.button(LOG_IN, key="log-in", type="primary", on_click=st.login)
    elif person is None:
        show_way_out()


def show_way_out() -> None:
    """The end of a login or of a person's link; nothing for others."""
    way = came()
    if way == ASK and st.user.to_dict().get("is_logged_in"):
        st.button(LOG_OUT, key="log-out", type="tertiary", on_click=st.logout)
    elif way.startswith(BY_LINK):
        st.link_button(LEAVING, f"/?{PARAMETER}={LEAVE}", type="tertiary")
