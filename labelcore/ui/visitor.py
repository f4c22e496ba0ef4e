"""Who is at the page: what the door says of how they came, and their role and name as of now.

Asked anew at every run and every press: a role that was taken away counts no more, also on a page
that is open.
"""

import streamlit as st

from labelcore.access import PAGES, NotAllowedError, Right, Visitor, key_of, may, note
from labelcore.errors import UnknownProjectError
from labelcore.store import ProjectRecord
from labelcore.ui import sessions
from labelcore.ui.door import CAME, OWN, PLAIN, entrance

NOT_ALLOWED = "You are here as {role}, and may not see or do this."
WAYS_ON = {"progress": "See what is known so far", "label": "Go on with the items"}
"""The page that is offered instead to whoever may not see another one of a project."""


def came() -> str:
    """How this visitor came; the owner's way where there is no browser."""
    headers = st.context.headers
    return str(headers.get(CAME.decode()) or "") if headers else PLAIN


def sits_here() -> bool:
    """Whether this is the machine of whoever is at the page, and their own files are on it."""
    return bool(st.context.headers.get(OWN.decode()))


def visitor(project: str | None = None) -> Visitor | None:
    """Whoever is at the page, as they are in a project: the one named, else that of the page. None
    for somebody who has no role."""
    person = everywhere()
    if person is None or not person.there:
        return person
    return person.at(key_named(project or st.query_params.get("project") or ""))


def everywhere() -> Visitor | None:
    """The same with the rights of every project alone, which no address changes."""
    return entrance().visitor(came())


def key_named(project: str) -> str:
    """The key of a project of this name; "" where there is none."""
    try:
        return key(sessions.store().project(project)) if project else ""
    except UnknownProjectError:
        return ""


def key(record: ProjectRecord) -> str:
    """What a project is known by where roles are kept."""
    return key_of(record.created_at, record.fingerprint)


def allowed(right: Right | None, project: str | None = None) -> bool:
    """Whether whoever is at the page has a right in a project: the one named, else the page's."""
    return may(visitor(project), right)


def runs_all() -> bool:
    """Whether whoever is at the page runs every project, and so may make one."""
    return may(everywhere(), Right.RUN)


def stranger() -> str:
    """What a login calls whoever is at the page without a role; "" where there is no such name."""
    return entrance().stranger(came())


def visible(record: ProjectRecord) -> bool:
    """Whether somebody with this role sees that the project is there."""
    person = everywhere()
    return person is not None and bool(person.rights or key(record) in person.there)


def enter(project: str) -> None:
    """Raises NotAllowedError for whoever has no right in this project, whatever page asks."""
    person = visitor(project)
    if person is not None and not person.rights:
        raise NotAllowedError(refusal(person))


def name_of_login() -> str:
    """The name that a link or a login gives this person; "" where the browser is who they are."""
    person = visitor()
    return person.name if person else ""


def require(right: Right, project: str | None = None) -> None:
    """Raises NotAllowedError for whoever may not do this in a project; where none is named, in all
    of them, or, of what concerns the page alone, in any."""
    person = everywhere() if project is None else visitor(project)
    anywhere = project is None and right != Right.RUN and person is not None
    if may(person, right) or (
        anywhere and person and any(right in rights for _, rights in person.there.values())
    ):
        return
    note("refused", person.name if person else stranger(), str(right))
    raise NotAllowedError(refusal(person))


def refusal(person: Visitor | None) -> str:
    """Why somebody is refused, in one sentence."""
    if person is None:
        return entrance().refusal(came())
    article = "an" if person.role[0] in "aeiou" else "a"
    return NOT_ALLOWED.format(role=f"{article} {person.role}")


def show_refusal(person: Visitor | None) -> None:
    """In the place of a page: why it is not shown, and the way in where there is one."""
    st.text(refusal(person))
    if person is None:
        entrance().show_way_in(came())
        return
    project = st.query_params.get("project")
    first = next((name for name in WAYS_ON if allowed(PAGES[name], project)), None)
    if project and first:
        way = WAYS_ON[first]
        st.page_link(f"pages/{first}.py", label=way, query_params={"project": project})


def show_way_out() -> None:
    """The end of a login or of a person's link; nothing for others."""
    entrance().show_way_out(came())


sessions.before_opening = enter
