"""Reports of sixteen figures and of a choice: page 1 is one page, every form is whole and small."""

import json
import re
from html import unescape
from io import BytesIO, StringIO

import pandas as pd
import pytest
from openpyxl import load_workbook
from pandas.testing import assert_frame_equal
from pypdf import PdfReader

import labelcore as lc
from labelcore.report import (
    estimates_csv,
    figure_table,
    report_html,
    report_json,
    report_pdf,
    report_xlsx,
)
from labelcore.words.tables import cell_said
from tests.answering import answer_draws
from tests.grouped import grouped, grouped_frame, label_all
from tests.report.sessions import label, session_on, write_items

NAMES = ("forest", "logistic", "rules", "network")


@pytest.fixture(scope="module")
def sixteen(tmp_path_factory: pytest.TempPathFactory) -> lc.Session:
    """Four figures of each of four classifiers."""
    path = tmp_path_factory.mktemp("sixteen") / "items.csv"
    truth = write_items(path)
    scores = {
        "scores": dict.fromkeys(NAMES, "score"),
        "thresholds": {name: 0.3 + 0.1 * place for place, name in enumerate(NAMES)},
    }
    session = session_on(
        path, design="agreement_patterns", arguments=scores, classifier=list(NAMES),
        estimands=["accuracy", "precision", "recall", "f1"],
    )  # fmt: skip
    label(session, truth, 60, eventful=False)
    session.finish()
    return session


@pytest.fixture(scope="module")
def choice(tmp_path_factory: pytest.TempPathFactory) -> lc.Session:
    path = tmp_path_factory.mktemp("choice") / "items.csv"
    truth = write_items(path)
    session = session_on(
        path,
        design="reach_selection",
        arguments={"thresholds": {}},
        estimands=["selection"],
        params={
            "candidates": [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
            "precision_threshold": 0.7,
            "precision_slack": 0.2,
        },
        budget=200,
    )
    label(session, truth, 200, eventful=False)
    session.finish()
    return session


def header(html: str) -> str:
    return unescape(re.sub("<[^>]+>", " ", html.partition("</header>")[0]))


@pytest.fixture(scope="module")
def by_language() -> lc.Session:
    frame = grouped_frame(1_000, shares=(0.5, 0.3, 0.2))
    session = lc.Session(
        grouped(frame),
        lc.Plan("recalibrated_neyman", ["accuracy", "recall"], classifier="m", by="language",
                budget=150, seed=1),
    )  # fmt: skip
    label_all(session, frame)
    return session


def test_groups_stand_by_their_names_in_every_form(by_language: lc.Session) -> None:
    """Every cell of the table with its numbers: page 1, the numbers below, Excel, JSON, CSV."""
    html, table = report_html(by_language), by_language.table()
    told = json.loads(unescape(re.findall(r'data-rows="(.*?)"', html)[0]))
    assert [row[0] for row in told[1:]] == ["All items", "l0", "l1", "l2"]
    assert "a group that the table lacks" in header(html)
    page = unescape(html).replace("\N{NO-BREAK SPACE}", " ")
    assert all(f">{cell_said(one)}</td>" in page for one in table.cells)
    frame = table.to_frame()
    sheet = pd.read_excel(BytesIO(report_xlsx(by_language)), sheet_name="Figures")
    assert_frame_equal(sheet, frame, check_dtype=False)
    values = json.loads(report_json(by_language))
    assert values["tables"] == [json.loads(table.to_json())]
    rows = pd.read_csv(StringIO(estimates_csv(by_language)))
    assert len(rows) == len(frame) and rows["asked"].tolist().count(True) == 8
    keys = ["classifier", "by", "group", "low", "high", "labels_used", "asked"]
    assert_frame_equal(
        rows[keys].sort_values(keys, ignore_index=True),
        frame[keys].sort_values(keys, ignore_index=True),
        check_dtype=False,
    )


def test_hundreds_of_groups_are_told_apart_from_the_first_rows(
    by_language: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure_table, "MOST_NUMBERS", 3)
    page = report_html(by_language)
    numbers = page.partition("<caption>By language</caption>")[2].partition("</table>")[0]
    assert numbers.count("<tr>") == 1 + 3
    further = len(by_language.table().rows) - 3
    assert f"{further} further rows stand in the Excel file." in page


def test_figures_of_a_plan_that_stopped_early_are_told_without_a_confidence() -> None:
    plan = lc.Plan("simple_random", "accuracy", classifier="m", promise="fixed", budget=50)
    session = lc.Session(grouped(grouped_frame(60)), plan)
    answer_draws(session, True, 40)
    session.finish()
    assert figure_table.promise_note(session.table()).startswith("No promise goes with it. ")


def test_excel_can_be_filtered(by_language: lc.Session) -> None:
    book = load_workbook(BytesIO(report_xlsx(by_language)))
    assert book.sheetnames == ["Figures", "Sentences", "Labels"]
    for sheet in book.worksheets:
        assert sheet.auto_filter.ref == sheet.dimensions


@pytest.mark.parametrize("name", [pytest.param("sixteen", marks=pytest.mark.full), "choice"])
def test_page_1_is_one_page_and_each_has_words(name: str, request: pytest.FixtureRequest) -> None:
    session = request.getfixturevalue(name)
    texts = [page.extract_text() for page in PdfReader(BytesIO(report_pdf(session))).pages]
    assert "What it does not mean." in texts[0] and texts[1].startswith("Answers")
    assert all(len(text) > 100 for text in texts) and len(texts) <= 8


@pytest.mark.parametrize("name", ["sixteen", "choice"])
def test_excel_holds_every_figure_and_no_formula(name: str, request: pytest.FixtureRequest) -> None:
    session = request.getfixturevalue(name)
    book = load_workbook(BytesIO(report_xlsx(session)))
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    assert cells and not [cell for cell in cells if cell.data_type == "f"]
    told = {row[0] for row in book["Sentences"].iter_rows(min_row=2, values_only=True)}
    assert told == set(session.results())
