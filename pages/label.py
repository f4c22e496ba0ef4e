import streamlit as st

from labelcore.ui.figures import unfold_switch
from labelcore.ui.keys import watch_keys
from labelcore.ui.labelling import labelling
from labelcore.ui.page_errors import guard
from labelcore.ui.people import WAITING, introduced
from labelcore.ui.setup import no_project, project_in_url, setup

project = project_in_url()
setup("Label", wide=True, project=project)
with guard("label"):
    if project is None:
        no_project()
    else:
        watch_keys()
        if introduced():
            labelling(project)
            unfold_switch()
        else:
            st.text(WAITING)
