from labelcore.ui.guard import guard
from labelcore.ui.setup import setup
from labelcore.ui.start import start_page

setup("Projects", wide=True)
with guard():
    start_page()
