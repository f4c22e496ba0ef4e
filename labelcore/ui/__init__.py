"""Streamlit helpers: besides app.py and pages/ the only importer of streamlit."""
