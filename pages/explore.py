from labelcore.ui.explore import explore_page
from labelcore.ui.page_errors import guard
from labelcore.ui.setup import no_project, project_in_url, setup, warn_of_changes

project = project_in_url()
setup("Explore", wide=True, project=project)
with guard("explore"):
    if project is None:
        no_project()
    else:
        warn_of_changes(project)
        explore_page(project)
