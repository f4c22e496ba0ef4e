from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.report import estimates_csv
from tests.report.conftest import Made


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


@pytest.mark.parametrize("name", ["report.pdf", "report.xlsx", "report.md", "report", "html"])
def test_another_suffix_is_refused_and_nothing_written(
    made: Made, tmp_path: Path, name: str
) -> None:
    said = rf"^path: .*\.html, \.json, \.csv, got {re.escape(repr(name))}"
    with pytest.raises(ValueError, match=said):
        lc.write_report(made.session, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(made: Made, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="^path: the folder '.*nowhere' does not exist"):
        lc.write_report(made.session, tmp_path / "nowhere" / "report.html")
