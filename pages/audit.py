from labelcore.ui.door import entrance
from labelcore.ui.page_errors import guard
from labelcore.ui.setup import setup

setup("Audit", wide=True)
with guard("audit"):
    entrance().show_trail()
