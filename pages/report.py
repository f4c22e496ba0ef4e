from labelcore.ui.reporting import report_page
from labelcore.ui.whole_pages import project_page

project_page("Report", report_page, checked=False)
