from labelcore.ui.guard import guard
from labelcore.ui.new_project import new_project_page
from labelcore.ui.setup import setup

setup("New project", wide=True)
with guard("new_project"):
    new_project_page()
