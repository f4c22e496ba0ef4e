from labelcore.ui.progress import progress_page
from labelcore.ui.whole_pages import project_page

project_page("Progress", progress_page)
