import streamlit as st

from labelcore.ui.keys import watch_keys
from labelcore.ui.page_errors import guard
from labelcore.ui.people import WAITING, introduced
from labelcore.ui.people_page import people_page
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes

project = project_in_url()
setup("People", wide=True, project=project)
with guard("people"):
    if project is None:
        no_project()
    else:
        warn_of_changes(project)
        watch_keys()
        if introduced():
            people_page(project)
        else:
            st.text(WAITING)
