from labelcore.ui.people_page import people_page
from labelcore.ui.whole_pages import project_page

project_page("People", people_page, judges=True)
