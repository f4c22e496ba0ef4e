from labelcore.ui.whole_pages import method_page

method_page()
