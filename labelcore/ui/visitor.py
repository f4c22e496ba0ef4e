"""Who is at the page: what the door says of how they came, and their role and name as of now.

Asked anew at every run and every press: a role that was taken away counts no more, also on a page
that is open.
"""

from __future__ import annotations

import streamlit as st

from labelcore.access import NotAllowedError, Right, Visitor, may
from labelcore.ui.door import CAME, OWN, PLAIN, entrance

NOT_ALLOWED = "You are here as {role}, and may not see or do this."


def came() -> str:
    """How this visitor came; the owner's way where there is no browser."""
    headers = st.context.headers
    return str(headers.get(CAME.decode()) or "") if headers else PLAIN


def sits_here() -> bool:
    """Whether this is the machine of whoever is at the page, and their own files are on it."""
    return bool(st.context.headers.get(OWN.decode()))


def visitor() -> Visitor | None:
    """Whoever is at the page; None for somebody who has no role."""
    return entrance().visitor(came())


def allowed(right: Right | None) -> bool:
    """Whether whoever is at the page has a right."""
    return may(visitor(), right)


def name_of_login() -> str:
    """The name that a link or a login gives this person; "" where the browser is who they are."""
    person = visitor()
    return person.name if person else ""


def require(right: Right) -> None:
    """Raises NotAllowedError for whoever may not do this."""
    if not allowed(right):
        raise NotAllowedError(refusal(visitor()))


def refusal(person: Visitor | None) -> str:
    """Why somebody is refused, in one sentence."""
    if person is None:
        return entrance().refusal(came())
    article = "an" if person.role[0] in "aeiou" else "a"
    return NOT_ALLOWED.format(role=f"{article} {person.role}")


def show_refusal() -> None:
    """In the place of a page: why it is not shown, and the way in where there is one."""
    person = visitor()
    st.text(refusal(person))
    if person is None:
        entrance().show_way_in(came())


def show_way_out() -> None:
    """The end of a login or of a person's link; nothing for others."""
    entrance().show_way_out(came())
