"""The first call of app.py and of every page: safe when a deep link opens a page alone."""

from __future__ import annotations

from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING

import streamlit as st
from PIL import Image, ImageDraw

from labelcore.access import OF_PROJECTS, Right, may
from labelcore.access import PAGES as ASKED
from labelcore.charts.design import SCROLLS, both
from labelcore.safe_text import one_line, plain
from labelcore.ui import sessions, trail, visitor
from labelcore.ui.door import entrance
from labelcore.ui.page_script import watch_page
from labelcore.ui.restoring import show_done, way_back
from labelcore.ui.scripts import text_of

STYLE = (
    "<style>.stApp { "
    + both("ground", "border", "data", "warn", "data-3", "data-5", "data-6")
    + " }\n"
    + f'[data-testid="stTable"] > div {{ {SCROLLS} }}\n'
    + text_of("style.css")
    + text_of("surface.css")
    + text_of("rich.css")
    + "</style>"
)


BLUE, WHITE = (0, 114, 178, 255), (255, 255, 255, 255)


@cache
def icon() -> Image.Image:
    """An interval with its estimate."""
    image = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, 63, 63), 14, fill=BLUE)
    draw.line((14, 32, 50, 32), fill=WHITE, width=5)
    for x in (14, 50):
        draw.line((x, 22, x, 42), fill=WHITE, width=5)
    draw.ellipse((25, 25, 39, 39), fill=WHITE)
    return image


if TYPE_CHECKING:
    from labelcore.session.session import Session

PAGES = {name.capitalize().replace("_", " "): f"pages/{name}.py" for name in OF_PROJECTS}
OUTSIDE = {"Watch": "pages/watch.py", "New project": "pages/new_project.py"}
SHARED = {"Audit": "pages/audit.py"}
"""Where others may come in."""


def setup(
    title: str, *, wide: bool = False, project: str | None = None, scripts: bool = True
) -> None:
    """Page title, icon, style, and the one way of going from page to page; without scripts, what
    may be shown before everything is imported."""
    name = f"{title} · {one_line(project, 40)}" if project else title
    st.set_page_config(
        page_title=f"{name} · Labelcore", page_icon=icon(), layout="wide" if wide else "centered"
    )
    if project is None:
        keep_address()
    dress(scripts=scripts)
    head(title, project)
    show_done()


def keep_address() -> None:
    """Put what the page is about into the browser's address. A link to the page that is shown
    leaves it out there, and the next press would be about something else."""
    st.query_params.from_dict(st.query_params.to_dict())


def dress(*, scripts: bool = True) -> None:
    """Style and scripts, which a page is given once."""
    st.html(STYLE)
    if not scripts:
        watch_page()
        return
    from labelcore.ui import drawing, surface

    watch_page((drawing.SCRIPT, surface.SCRIPT))


def head(here: str, project: str | None) -> None:
    """The same line on every page: all projects, this one's name and its pages, where one is."""
    with st.container(horizontal=True, key="ways", vertical_alignment="center"):
        if visitor.visitor() is None:
            return
        trail.say_once(trail.CAME, trail.how())
        way("Projects", "app.py", here)
        if project is None:
            for label, page in (OUTSIDE | (SHARED if entrance().is_shared() else {})).items():
                way(label, page, here)
        else:
            with st.container(key="whose", width="content"):
                st.text(one_line(project, 60))
            links(project, here)
        who_is_here()


def who_is_here() -> None:
    """Name and role of a person with a link or a login, and the way out; nothing for others."""
    person = visitor.visitor()
    if person is not None and person.name:
        with st.container(key="quiet-visitor", width="content"):
            name = one_line(person.name, 20)
            st.text(f"{name} · {person.role}" if person.rights else name)
        visitor.show_way_out()


def way(label: str, page: str, here: str, project: str | None = None) -> None:
    """A link, for those who may follow it; the style sheet underlines the one of the page that is
    shown."""
    name = PurePath(page).stem
    person = visitor.visitor(project) if name in OF_PROJECTS else visitor.everywhere()
    if not may(person, ASKED[name]):
        return
    query = {"project": project} if project else None
    with st.container(key="here" if label == here else None, width="content"):
        st.page_link(page, label=label, query_params=query)


def link_to(page: str, label: str, icon: str | None = None, **query: str) -> None:
    """A link to a page, whose address says what it is about."""
    st.page_link(f"pages/{page}.py", label=label, icon=icon, query_params=query)


def warn_of_changes(project: str) -> None:
    """What is wrong with the project's log. Raises what opening raises."""
    session = sessions.session(project)
    if session.broken_at:
        st.error(plain(str(session.ledger.broken())), icon=":material/error:")
        way_back()


def links(project: str, here: str = "") -> None:
    """Links to the project's pages."""
    for label, page in PAGES.items():
        way(label, page, here, project)


def project_in_url() -> str | None:
    """The project named in the address; None when there is none."""
    return st.query_params.get("project") or None


def no_project() -> None:
    """The state of a project page opened without a project."""
    st.info("No project is named in this address. Choose one on the start page.")
    st.page_link("app.py", label="All projects")


def way_to_label(session: Session) -> None:
    """What to do next where nothing is judged yet."""
    if session.last_answer(None) or session.status.over or not visitor.allowed(Right.JUDGE):
        return
    link_to("label", "Label the first item", ":material/arrow_forward:", project=session.project)


def way_to_explore(session: Session) -> None:
    """To the page on which a cut is moved along the curve."""
    words, icon = "Move a cut along this curve", ":material/content_cut:"
    link_to("explore", words, icon, project=session.project)
