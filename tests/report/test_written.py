from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from openpyxl import load_workbook

import labelcore as lc
from labelcore.report import estimates_csv, report_html
from labelcore.report.markdown import markdown
from labelcore.report.markup import element, theirs
from tests.report.conftest import Made
from tests.report.sessions import HOSTILE


def test_the_suffix_says_the_form(made: Made, tmp_path: Path) -> None:
    page, values, table = (tmp_path / f"report{suffix}" for suffix in (".HTML", ".json", ".csv"))
    assert lc.write_report(made.session, page) == page
    assert page.read_text("utf-8").startswith("<!doctype html>")
    lc.write_report(made.session, str(values))
    assert json.loads(values.read_text("utf-8"))["schema"] == "labelcore-report"
    lc.write_report(made.session, table)
    assert table.read_bytes() == estimates_csv(made.session).encode()


def test_a_file_that_is_there_is_replaced(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("x" * 1_000_000)
    lc.write_report(made.session, path)
    assert json.loads(path.read_text("utf-8"))["status"] == "finished"


@pytest.mark.parametrize("name", ["report.pdf", "report.docx", "report", "html"])
def test_another_suffix_is_refused_and_nothing_written(
    made: Made, tmp_path: Path, name: str
) -> None:
    said = rf"^path: .*\.html, \.md, \.json, \.xlsx, \.csv, got {re.escape(repr(name))}"
    with pytest.raises(ValueError, match=said):
        lc.write_report(made.session, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(made: Made, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="^path: the folder '.*nowhere' does not exist"):
        lc.write_report(made.session, tmp_path / "nowhere" / "report.html")


def test_markdown_says_what_the_page_says(made: Made, tmp_path: Path) -> None:
    path = lc.write_report(made.session, tmp_path / "report.md")
    text = path.read_text("utf-8")
    unmarked = text.replace("\\", "")
    assert text.startswith("Is this spam? · items.csv") and "\n# 95 % sure: " in text
    for result in made.session.results().values():
        assert result.sentence() in unmarked.replace("\N{NO-BREAK SPACE}", " ")
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", report_html(made.session))
    assert [one for one in titles if one != "Figures" and f"## {one}" not in text] == []
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 10 and "| --- |" in text
    assert "1. Items were drawn at random within strata" in text
    assert "```\npython -m labelcore replay" in text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_of_the_content_is_read_as_markdown(hostile: str) -> None:
    said = markdown(element("p", theirs(hostile + " **b** [a](j:1) | c")).html)
    assert not re.search(r"(?<!\\)[<*\[|]", said)


def test_excel_holds_sentences_estimates_and_labels(made: Made, tmp_path: Path) -> None:
    book = load_workbook(lc.write_report(made.session, tmp_path / "report.xlsx"))
    assert book.sheetnames == ["Sentences", "Estimates", "Labels"]
    rows = list(book["Labels"].iter_rows(values_only=True))
    table = made.session.labels_table()
    assert list(rows[0]) == list(table.columns) and len(rows) == len(table) + 1
    assert [row[0] for row in rows[1:]] == table["id"].tolist()
    precision = made.session.results()["precision"]
    told = {row[0]: row[1] for row in book["Sentences"].iter_rows(values_only=True)}
    assert told["precision"] == precision.sentence()
