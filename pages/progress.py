from labelcore.ui.guard import guard
from labelcore.ui.progress import progress_page
from labelcore.ui.setup import crumbs, no_project, project_in_url, setup

project = project_in_url()
setup("Progress", wide=True, project=project)
with guard():
    if project is None:
        no_project()
    else:
        crumbs(project, "Progress")
        progress_page(project)
