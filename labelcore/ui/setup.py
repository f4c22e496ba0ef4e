"""The first call of app.py and of every page: safe when a deep link opens a page alone."""

from __future__ import annotations

import gc

import streamlit as st

from labelcore.errors import BrokenLogError
from labelcore.population.copies import clear_leftovers
from labelcore.ui import sessions
from labelcore.ui.icon import icon
from labelcore.ui.plain import one_line, plain
from labelcore.ui.style import STYLE

PAGES = {
    "Label": ("pages/label.py", ":material/edit:"),
    "Progress": ("pages/progress.py", ":material/show_chart:"),
    "Explore": ("pages/explore.py", ":material/content_cut:"),
    "Report": ("pages/report.py", ":material/description:"),
}


@st.cache_resource(show_spinner=False)
def boot() -> None:
    """Import what the first label would wait for, and keep it out of later garbage collections;
    clear away what killed processes have left."""
    clear_leftovers()
    import plotly.graph_objects  # noqa: F401

    import labelcore.charts
    import labelcore.session.session  # noqa: F401

    gc.collect()
    gc.freeze()


def setup(title: str, *, wide: bool = False, project: str | None = None) -> None:
    """Page title, icon, style and sidebar. ``project`` is kept in every link."""
    name = f"{title} · {one_line(project, 40)}" if project else title
    st.set_page_config(
        page_title=f"{name} · Labelcore",
        page_icon=icon(),
        layout="wide" if wide else "centered",
        initial_sidebar_state="collapsed" if wide else "auto",
    )
    boot()
    st.html(STYLE)
    with st.sidebar:
        st.page_link("app.py", label="Projects", icon=":material/home:")
        st.page_link("pages/new_project.py", label="New project", icon=":material/add:")
        st.page_link("pages/compare.py", label="Compare methods", icon=":material/balance:")
        if project:
            st.caption(plain(project, 60))
            links(project)


def crumbs(project: str, here: str) -> None:
    """One line of ways to go, for pages whose sidebar is folded, and below it what is wrong with
    the log. Raises what opening raises."""
    session = sessions.session(project)
    with st.container(horizontal=True, key="crumbs", vertical_alignment="center"):
        st.page_link("app.py", label="Projects", icon=":material/home:")
        links(project, but=here)
        with st.container(key="small", width="content"):
            st.text(one_line(project, 60))
    if session.broken_at and here != "Label":  # there it stands in the place of the item
        said = str(BrokenLogError(project, session.broken_at))
        st.error(plain(said), icon=":material/error:")


def links(project: str, *, but: str = "") -> None:
    """Links to the project's pages."""
    for label, (page, symbol) in PAGES.items():
        if label != but:
            st.page_link(page, label=label, icon=symbol, query_params={"project": project})


def project_in_url() -> str | None:
    """The project named in the address; None when there is none."""
    return st.query_params.get("project") or None


def no_project() -> None:
    """The state of a project page opened without a project."""
    st.info("No project is named in this address. Choose one on the start page.")
    st.page_link("app.py", label="All projects", icon=":material/home:")
