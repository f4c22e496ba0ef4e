from labelcore.ui.door import entrance
from labelcore.ui.whole_pages import app_page

app_page("Audit", entrance().show_trail)
