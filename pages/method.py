from labelcore.ui.method_pages import method_page

method_page()
