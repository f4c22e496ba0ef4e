"""What a page has around it: of the app, of the project that the address names, of a method."""

from collections.abc import Callable

import streamlit as st

from labelcore.access import Right
from labelcore.designs.registry import Page, pages
from labelcore.plugins import loaded
from labelcore.session.session import Session
from labelcore.ui.page_errors import guard, guarded
from labelcore.ui.people import WAITING, introduced
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes

TITLE = "Methods"
AWAY = "This page comes with a method that is not installed here."


def app_page(title: str, show: Callable[[], None]) -> None:
    """A page about no project, which ``show`` draws."""
    setup(title, wide=True)
    with guard(title.lower().replace(" ", "_")):
        show()


def project_page(
    title: str, show: Callable[[str], None], *, checked: bool = True, judges: bool = False
) -> None:
    """A page of that project, which ``show`` draws.

    checked   whether changes of its log are told first
    judges    whether it must know who sits there
    """
    project = project_in_url()
    setup(title, wide=True, project=project)
    with guard(title.lower().replace(" ", "_")):
        if project is None:
            no_project()
            return
        if checked:
            warn_of_changes(project)
        if judges and not introduced():
            st.text(WAITING)
        else:
            show(project)


def method_page() -> None:
    """The page of a method that the address names, as it is registered."""
    page = pages().get(st.query_params.get("page", ""))
    project = project_in_url() if page is not None and page.of_project else None
    setup(page.title if page else TITLE, wide=project is not None, project=project)
    with guarded(Right.SEE if page is None or page.of_project else Right.RUN):
        if page is None:
            st.title(TITLE, anchor=False)
            st.info(AWAY)
        elif not page.of_project:
            loaded(page.show)()
        elif project is None:
            no_project()
        else:
            warn_of_changes(project)
            loaded(page.show)(project)


def links_before() -> None:
    """The ways to pages of methods that are about no project."""
    for page in pages().values():
        if not page.of_project:
            way(page)


def links_of(session: Session) -> None:
    """The ways to pages of methods that are for this session."""
    for page in pages().values():
        if page.of_project and loaded(page.offered)(session):
            way(page, session.project)


def way(page: Page, project: str | None = None) -> None:
    query = {"page": page.name, **({"project": project} if project else {})}
    st.page_link("pages/method.py", label=page.link, icon=page.icon, query_params=query)
