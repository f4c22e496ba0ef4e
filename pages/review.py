from labelcore.ui.project_pages import project_page
from labelcore.ui.review import review_page

project_page("Review", review_page, judges=True)
