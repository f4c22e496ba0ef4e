"""The pages that come with sampling methods, as they are registered."""

import streamlit as st

from labelcore.access import Right
from labelcore.designs.registry import Page, pages
from labelcore.plugins import loaded
from labelcore.session.session import Session
from labelcore.ui.page_errors import guarded
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes

TITLE = "Methods"
AWAY = "This page comes with a method that is not installed here."


def method_page() -> None:
    """The page that the address names, with all that belongs around it."""
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
    """The ways to pages that are about no project."""
    for page in pages().values():
        if not page.of_project:
            way(page)


def links_of(session: Session) -> None:
    """The ways to pages that are for this session."""
    for page in pages().values():
        if page.of_project and loaded(page.offered)(session):
            way(page, session.project)


def way(page: Page, project: str | None = None) -> None:
    query = {"page": page.name, **({"project": project} if project else {})}
    st.page_link("pages/method.py", label=page.link, icon=page.icon, query_params=query)
