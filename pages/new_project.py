from labelcore.ui.new_project import new_project_page
from labelcore.ui.whole_pages import app_page

app_page("New project", new_project_page)
