"""One evaluation over many waves: has a figure fallen below what is required, or changed?"""
