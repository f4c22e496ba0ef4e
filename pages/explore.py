from labelcore.ui.explore import explore_page
from labelcore.ui.guard import guard
from labelcore.ui.setup import crumbs, no_project, project_in_url, setup

project = project_in_url()
setup("Explore", wide=True, project=project)
with guard():
    if project is None:
        no_project()
    else:
        crumbs(project, "Explore")
        explore_page(project)
