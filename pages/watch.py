from labelcore.ui.watching import watch_page
from labelcore.ui.whole_pages import app_page

app_page("Watch", watch_page)
