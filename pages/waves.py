from labelcore.ui.guard import guard
from labelcore.ui.setup import crumbs, no_project, project_in_url, setup
from labelcore.ui.waves import waves_page

project = project_in_url()
setup("Waves", wide=True, project=project)
with guard():
    if project is None:
        no_project()
    else:
        crumbs(project, "Waves")
        waves_page(project)
