from labelcore.ui.page_errors import guard
from labelcore.ui.setup import setup
from labelcore.ui.watching import watch_page

setup("Watch", wide=True)
with guard("watch"):
    watch_page()
