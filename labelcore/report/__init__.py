"""A session as something to hand over: reports, tables, and a bundle that anyone can recompute."""

from labelcore.report.bundle import bundle_zip
from labelcore.report.data import report_json
from labelcore.report.labels import LABEL_FORMS, labels_file, table_file
from labelcore.report.markdown import report_markdown
from labelcore.report.page import report_html
from labelcore.report.pdf import report_pdf, report_png
from labelcore.report.spreadsheet import report_xlsx
from labelcore.report.tables import csv_cell, estimates_csv, events_csv, unguarded
from labelcore.report.written import REPORT_FORMS, write_report

__all__ = [
    "LABEL_FORMS",
    "REPORT_FORMS",
    "bundle_zip",
    "csv_cell",
    "estimates_csv",
    "events_csv",
    "labels_file",
    "report_html",
    "report_json",
    "report_markdown",
    "report_pdf",
    "report_png",
    "report_xlsx",
    "table_file",
    "unguarded",
    "write_report",
]
