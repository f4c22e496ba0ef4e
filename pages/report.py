from labelcore.ui.page_errors import guard
from labelcore.ui.reporting import report_page
from labelcore.ui.setup import no_project, project_in_url, setup

project = project_in_url()
setup("Report", wide=True, project=project)
with guard("report"):
    if project is None:
        no_project()
    else:
        report_page(project)
