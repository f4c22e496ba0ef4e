from labelcore.ui.keys import watch_keys
from labelcore.ui.new_project import new_project_page
from labelcore.ui.page_errors import guard
from labelcore.ui.setup import setup

setup("New project", wide=True)
with guard("new_project"):
    watch_keys()
    new_project_page()
