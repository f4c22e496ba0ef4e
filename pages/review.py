from labelcore.ui.review import review_page
from labelcore.ui.whole_pages import project_page

project_page("Review", review_page, judges=True)
