from labelcore.ui.compare_methods import compare_page
from labelcore.ui.guard import guard
from labelcore.ui.setup import setup

setup("Compare methods")
with guard("compare"):
    compare_page()
