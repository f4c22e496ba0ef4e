from labelcore.ui.figures import unfold_switch
from labelcore.ui.guard import guard
from labelcore.ui.keys import watch_keys
from labelcore.ui.labelling import labelling
from labelcore.ui.setup import crumbs, no_project, project_in_url, setup

project = project_in_url()
setup("Label", wide=True, project=project)
with guard():
    if project is None:
        no_project()
    else:
        crumbs(project, "Label")
        watch_keys()
        labelling(project)
        unfold_switch()
