import json
import re
import tempfile
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import markdown as reader
import pytest
from openpyxl import load_workbook
from PIL import Image
from pypdf import PdfReader

import labelcore as lc
from labelcore.population.copies import copies_folder
from labelcore.report import REPORT_FORMS, estimates_csv, report_html, report_markdown, report_pdf
from labelcore.report.facts import Facts
from labelcore.report.first_page import slide
from labelcore.report.markdown import markdown
from labelcore.report.markup import element, facts_list, lines, theirs
from labelcore.report.page import sections_of
from labelcore.report.pdf import typeset
from labelcore.words.sentences import decimals
from labelcore.words.short_sentences import short_sentence
from tests.cli.test_output import full_disk
from tests.report.conftest import Made
from tests.report.sessions import HOSTILE, begun, label, session_on, write_items
from tests.report.test_page import hostile_session


def test_the_suffix_says_the_form(made: Made, tmp_path: Path) -> None:
    page, values, table = (tmp_path / f"report{suffix}" for suffix in (".HTML", ".json", ".csv"))
    assert lc.write_report(made.session, page) == page
    assert page.read_text("utf-8").startswith("<!doctype html>")
    lc.write_report(made.session, str(values))
    assert json.loads(values.read_text("utf-8"))["schema"] == "labelcore-report"
    lc.write_report(made.session, table)
    assert table.read_bytes() == estimates_csv(made.session).encode()


def test_a_file_is_replaced_once_the_new_one_is_whole(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("x" * 1_000_000)
    path.chmod(0o640)
    with full_disk(10), pytest.raises(OSError, match="File too large"):
        lc.write_report(made.session, path)
    assert path.read_text() == "x" * 1_000_000 and list(tmp_path.iterdir()) == [path]
    lc.write_report(made.session, path)
    assert json.loads(path.read_text("utf-8"))["status"] == "finished"
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["report.doc", "report.docx", "report", "html"])
def test_another_suffix_and_a_missing_folder_are_refused_whole(
    made: Made, tmp_path: Path, name: str
) -> None:
    said = re.escape(f"{', '.join(REPORT_FORMS)}, got {name!r}")
    with pytest.raises(ValueError, match=f"^path: .*{said}"):
        lc.write_report(made.session, tmp_path / name)
    with pytest.raises(TypeError, match="session must be a labelcore.Session, got 'x'"):
        lc.write_report("x", tmp_path / "report.html")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="path must be text or a Path, got 5"):
        lc.write_report(made.session, 5)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match="^path: the folder '.*nowhere' does not exist"):
        lc.write_report(made.session, tmp_path / "nowhere" / "report.html")


def test_markdown_says_what_the_page_says(made: Made, tmp_path: Path) -> None:
    path = lc.write_report(made.session, tmp_path / "report.md")
    text = path.read_text("utf-8")
    unmarked = unescape(text.replace("\\", ""))
    assert text.startswith("Is this spam? · items.csv")
    assert re.search(r"\n# 95.%.sure, of all but about \d.% that nobody can judge: ", text)
    for result in made.session.results().values():
        assert result.sentence() in unmarked.replace("\N{NO-BREAK SPACE}", " ")
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", report_html(made.session))
    assert [one for one in titles if one != "Figures" and f"## {one}" not in text] == []
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) > 10 and "| --- |" in text
    assert "1. Items were drawn at random within strata" in text
    assert "```\npython -m labelcore replay" in text


class Read(HTMLParser):
    """The tables of a page, what is in bold, and every other text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.bold: list[str] = []
        self.texts: list[str] = []
        self._in: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._in += [] if tag in ("meta", "br", "path", "line", "rect", "circle") else [tag]
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while tag in self._in and self._in.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        said = data.replace("\N{NO-BREAK SPACE}", " ")
        if {"td", "th"} & set(self._in):
            self.tables[-1][-1][-1] += said.strip()
        elif "svg" not in self._in:
            (self.bold if "strong" in self._in else self.texts).append(said.strip())


@pytest.mark.parametrize("kind", ["numbers", "ranked", "hostile"])
def test_a_markdown_reader_sees_every_figure(kind: str, made: Made, tmp_path: Path) -> None:
    """Page 1 has a table of the figures, and each other table has the cells of the HTML page."""
    if kind == "hostile":
        session: Any = hostile_session(tmp_path, HOSTILE[0])[1]
    else:
        session = made.session
        if kind == "ranked":
            session, truth = begun(
                tmp_path, estimands="precision_curve", design="geometric_strata", budget=120
            )
            label(session, truth, 120, looks=60)
    text = report_markdown(session)
    page = Read(reader.markdown(text, extensions=["tables", "fenced_code"]))
    first, *others = page.tables
    rows = json.loads(unescape(re.findall(r'data-rows="(.*?)"', report_html(session))[0]))
    assert first == [[" ".join(cell.split()) for cell in row] for row in rows] and len(first) > 1
    estimates = [one for one in session.results().values() if isinstance(one, lc.Estimate)]
    for (_, value, interval), one in zip(first[1:], estimates, strict=False):
        low, high = re.findall(r"[\d.]+", interval)
        step = 10.0 ** -(2 + decimals(one.high - one.low))
        assert -1e-9 <= one.low - float(low) / 100 < step  # Ends are rounded outwards.
        assert -1e-9 <= float(high) / 100 - one.high < step
        assert value == "" if one.told is None else value
        assert not value or abs(float(value.removesuffix(" %")) / 100 - one.told) <= step / 2 + 1e-9
    facts = Facts(session)
    assert others == Read("".join(one.html for one in sections_of(facts))).tables
    assert {"What it means.", "What it does not mean."} <= set(page.bold)
    assert not [one for one in page.texts if "**" in one or one.startswith("|")]
    assert not re.search(r"0 %25 %50 %", text), "the words of a drawing's axis"


def test_in_markdown_each_term_stands_before_what_it_is() -> None:
    claims = element("ul", element("li", "one"), element("li", "another"))
    pairs = [("Question", lines("Is it\nspam?")), ("Claims", claims), ("Seed", "3")]
    said = ["- Question: Is it spam?", "- Claims: one; another", "- Seed: 3"]
    assert markdown(facts_list(pairs)) == "\n\n".join(said) + "\n"


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_of_the_content_is_read_as_markdown(hostile: str) -> None:
    said = markdown(element("p", theirs(hostile + " **b** [a](j:1) | c")))
    assert not re.search(r"(?<!\\)[<*\[|]", said)


def test_excel_holds_figures_sentences_and_labels(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert copies_folder().exists()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))  # Nothing lies beside copies.
    book = load_workbook(lc.write_report(made.session, tmp_path / "report.xlsx"))
    assert book.sheetnames == ["Figures", "Sentences", "Labels"]
    rows = list(book["Labels"].iter_rows(values_only=True))
    table = made.session.labels_table()
    assert list(rows[0]) == list(table.columns) and len(rows) == len(table) + 1
    assert [row[0] for row in rows[1:]] == table["id"].tolist()
    precision = made.session.results()["precision"]
    told = {row[0]: row[1] for row in book["Sentences"].iter_rows(values_only=True)}
    assert told["precision"] == precision.sentence()
    names, *found = book["Figures"].iter_rows()
    row = next(dict(zip((one.value for one in names), one, strict=True)) for one in found)
    digits = decimals(precision.high - precision.low)
    for column, number in (("value", precision.told), ("low", precision.low)):
        assert row[column].value == pytest.approx(number, abs=1e-15), "whole in the cell"
        assert row[column].number_format == ("0." + "0" * digits + "%" if digits else "0%")


def pages(content: bytes) -> list[str]:
    """The text of each page of a PDF, without line ends and what ties or breaks a word."""
    found = (page.extract_text() for page in PdfReader(BytesIO(content)).pages)
    return [re.sub(r"\s+", " ", text.replace("\N{ZERO WIDTH SPACE}", "")) for text in found]


def test_pdf_says_the_numbers_of_the_page(made: Made, tmp_path: Path) -> None:
    path = lc.write_report(made.session, tmp_path / "report.pdf")
    first, *others = pages(path.read_bytes())
    whole = " ".join([first, *others])
    precision = made.session.results()["precision"]
    assert isinstance(precision, lc.Estimate)
    assert short_sentence(precision) in first and "What it does not mean." in first
    assert "Confusion table" in first and "Answers" not in first
    html = report_html(made.session).replace("\N{NO-BREAK SPACE}", " ")
    table = html.partition("<caption>The figures</caption>")[2].partition("</table>")[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[2:]]
    assert len(rows) == 1 and len(rows[0]) == 5
    for row in rows:
        assert " ".join(re.sub("<.*?>", "", cell) for cell in row) in whole
    assert made.session.events[-1].hash in whole and "Wilks, S. S. (1938)." in whole
    assert "The same as a table" not in whole
    set_in = set(re.findall(rb"/BaseFont/\w+\+([A-Za-z]+)", path.read_bytes()))
    assert set_in == {b"SourceSansPro", b"DejaVuSansMono"}


def test_the_picture_for_slides_is_made_of_parts_of_page_1(made: Made, tmp_path: Path) -> None:
    path = lc.write_report(made.session, tmp_path / "report.png")
    with Image.open(path) as picture:
        assert (picture.format, picture.size) == ("PNG", (1920, 1080))
    parts = [one.html for one in slide(Facts(made.session))]
    page = "".join(one.html for one in sections_of(Facts(made.session)))
    assert len(parts) == 4 and all(one in page for one in parts)
    said = short_sentence(made.session.results()["precision"])
    assert said in unescape(parts[0]).replace("\N{NO-BREAK SPACE}", " ")
    assert parts[1].count('rx="') >= 4  # two figures: a scale, an interval, a value


def test_everything_on_the_slide_fits_on_it(tmp_path: Path) -> None:
    """Long names, many figures: one page, and nothing is left for a second one."""
    truth = write_items(tmp_path / "items.csv")
    names = [f"a classifier with quite a long name, number {n}" for n in range(4)]
    scores = {"scores": dict.fromkeys(names, "score"), "thresholds": dict.fromkeys(names, 0.5)}
    plan = {"classifier": names, "estimands": ["accuracy", "precision", "recall", "f1"]}
    session = session_on(
        tmp_path / "items.csv", design="agreement_patterns", arguments=scores, **plan
    )
    label(session, truth, 40, eventful=False)
    facts = Facts(session)
    assert len(facts.results) == 16
    made = typeset(facts, slide(facts), "slide")
    assert len(PdfReader(BytesIO(made)).pages) == 1
    too_much = typeset(facts, slide(facts) * 4, "slide")
    assert len(PdfReader(BytesIO(too_much)).pages) > 1


def test_nothing_of_the_content_is_read_as_markup_of_the_pdf(tmp_path: Path) -> None:
    word = '#panic("a") $x$ *b* _c_ ]}) \\d @e <f> = g'
    _, session = hostile_session(tmp_path, word)
    assert isinstance(session, lc.Session)
    whole = " ".join(pages(report_pdf(session)))
    assert f"for this reason: {word}" in whole and f"Question {word}" in whole
