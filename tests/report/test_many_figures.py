"""Reports of sixteen figures and of a choice: page 1 is one page, every form is whole and small."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

import labelcore as lc
from labelcore.report import report_html, report_pdf, report_xlsx
from tests.report.sessions import label, session_on, write_items

NAMES = ("forest", "logistic", "rules", "network")
LARGEST_HTML = 2_000_000


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
        path,
        design="agreement_patterns",
        arguments=scores,
        classifier=list(NAMES),
        estimands=["accuracy", "precision", "recall", "f1"],
    )
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


def test_page_1_shows_whole_groups_and_says_how_many_more(sixteen: lc.Session) -> None:
    html = report_html(sixteen)
    first = header(html)
    assert len(html) < LARGEST_HTML and "9 further figures below" in first
    rows = re.findall(r"(Accuracy|Precision|Recall|F1) \((\w+)\)", first)
    own = [(name, "forest") for name in ("Accuracy", "Precision", "Recall", "F1")]
    assert rows == own + [("Accuracy", name) for name in NAMES[1:]]
    assert "all 16" in html and re.search(r"\d+ % to \d+ %", html)


@pytest.mark.parametrize("name", ["sixteen", "choice"])
def test_page_1_is_one_page_and_every_page_has_words(
    name: str, request: pytest.FixtureRequest
) -> None:
    session = request.getfixturevalue(name)
    texts = [page.extract_text() for page in PdfReader(BytesIO(report_pdf(session))).pages]
    assert "What it does not mean." in texts[0] and texts[1].startswith("Answers")
    assert all(len(text) > 100 for text in texts) and len(texts) <= 8


def test_page_1_of_a_choice_says_what_was_wanted_and_what_each_candidate_takes(
    choice: lc.Session,
) -> None:
    result = choice.results()["selection"]
    assert isinstance(result, lc.Choice)
    html = report_html(choice)
    first = header(html).replace("\N{NO-BREAK SPACE}", " ")
    assert len(html) < LARGEST_HTML and "wanted: 70 %" in first
    assert "with a precision of 70.0 % or more. Tolerated: a precision of 50.0 %" in first
    for row in result.bounds.to_dict("records"):
        assert re.search(rf"{re.escape(str(row['classifier']))}\s+{row['size']:,}\s", first)


@pytest.mark.parametrize("name", ["sixteen", "choice"])
def test_excel_holds_every_figure_and_no_formula(name: str, request: pytest.FixtureRequest) -> None:
    session = request.getfixturevalue(name)
    book = load_workbook(BytesIO(report_xlsx(session)))
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    assert cells and not [cell for cell in cells if cell.data_type == "f"]
    told = {row[0] for row in book["Sentences"].iter_rows(min_row=2, values_only=True)}
    assert told == set(session.results())
