"""What the pages of one project, which the address names, have around them."""

from collections.abc import Callable

import streamlit as st

from labelcore.ui.keys import watch_keys
from labelcore.ui.page_errors import guard
from labelcore.ui.people import WAITING, introduced
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes


def project_page(
    title: str, show: Callable[[str], None], *, checked: bool = True, judges: bool = False
) -> None:
    """A page of that project, which ``show`` draws.

    checked   whether changes of its log are told first
    judges    whether it has keys, and must know who sits there
    """
    project = project_in_url()
    setup(title, wide=True, project=project)
    with guard(title.lower()):
        if project is None:
            no_project()
            return
        if checked:
            warn_of_changes(project)
        if judges:
            watch_keys()
        if judges and not introduced():
            st.text(WAITING)
        else:
            show(project)
