import streamlit as st

from labelcore.ui.keys import watch_keys
from labelcore.ui.page_errors import guard
from labelcore.ui.people import WAITING, introduced
from labelcore.ui.review import review_page
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes

project = project_in_url()
setup("Review", wide=True, project=project)
with guard("review"):
    if project is None:
        no_project()
    else:
        warn_of_changes(project)
        watch_keys()
        if introduced():
            review_page(project)
        else:
            st.text(WAITING)
