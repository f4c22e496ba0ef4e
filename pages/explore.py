from labelcore.ui.explore import explore_page
from labelcore.ui.whole_pages import project_page

project_page("Explore", explore_page)
