from labelcore.ui.guard import guard
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes
from labelcore.ui.waves import waves_page

project = project_in_url()
setup("Waves", wide=True, project=project)
with guard("waves"):
    if project is None:
        no_project()
    else:
        warn_of_changes(project)
        waves_page(project)
