from labelcore.ui.page_errors import guard
from labelcore.ui.progress import progress_page
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes

project = project_in_url()
setup("Progress", wide=True, project=project)
with guard("progress"):
    if project is None:
        no_project()
    else:
        warn_of_changes(project)
        progress_page(project)
