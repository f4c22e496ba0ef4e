from labelcore.ui.project_pages import project_page
from labelcore.ui.reporting import report_page

project_page("Report", report_page, checked=False)
