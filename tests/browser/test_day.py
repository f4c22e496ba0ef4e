"""A day: label, look through it, judge one again, find it among the errors, take all of it away."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from labelcore.session.session import Session
from labelcore.words.short_sentences import short_sentence
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server
from tests.report.test_labels import READ

PROJECT = "A day"
BEFORE, BY_KEY = 46, 4
ROW_PIXELS = 36
FORWARDED, FURTHER = ("html", "pdf", "png"), ("md", "json", "xlsx")
SHARE = re.compile(r"\d[\d,]*(?:\.\d+)? %")


def opened(server: Server) -> Session:
    return Session.open(driving.store_url(server.data), PROJECT)


def go(page: Page, name: str) -> None:
    """By the line on top of every page."""
    driving.choose(page, page.locator(".st-key-ways").get_by_role("link", name=name, exact=True))
    page.wait_for_url(f"**/{name.lower()}?project=*")
    wait_until_idle(page)


def called(session: Session, item_id: object) -> str:
    position = session.population.position(str(item_id))
    return session.population.classes[session.population.predictions["m"][position]]


def shares_of_page(html: str) -> Counter[str]:
    """Every percentage that the page shows, as often as it does; not what is folded."""
    unseen = re.compile(r"<details>.*?</details>|<script\b.*?</script>", re.DOTALL)
    shown = unseen.sub("", html.partition("<main>")[2])
    text = unescape(re.sub("<[^>]+>", " ", shown))
    return Counter(SHARE.findall(text.replace("\N{NO-BREAK SPACE}", " ")))


def shares_of_pdf(path: Path) -> Counter[str]:
    text = " ".join(page.extract_text() for page in PdfReader(path).pages)
    return Counter(SHARE.findall(re.sub(r"\s+", " ", text)))


def formulas(path: Path) -> Iterator[object]:
    for sheet in load_workbook(path).worksheets:
        yield from (
            cell.value for row in sheet.iter_rows() for cell in row if cell.data_type == "f"
        )


@pytest.mark.full
def test_a_day(shared_server: Server, page: Page, tmp_path: Path) -> None:
    rows = [{**row, "text": f"={row['text']}"} for row in driving.simple_rows(400)]
    driving.make_project(shared_server.data, PROJECT, rows=rows, budget=BEFORE + BY_KEY)
    driving.label_without_page(shared_server.data, PROJECT, BEFORE)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    driving.open_label(page, shared_server.url, PROJECT)
    driving.label_items(page, BY_KEY, lambda place: "yn"[place % 2])
    expect(page.locator(".st-key-state")).to_be_visible()

    # The newest answer that agrees with the classifier is judged again.
    go(page, "Review")
    before = opened(shared_server)
    value_before = before.results()["accuracy"].value
    given = driving.answers(shared_server.data, PROJECT)
    right = next(one for one in reversed(given) if called(before, one.item_id) == one.label)
    place = len(given) - int(right.index or 0)
    cards = page.locator(".st-key-review-table .cards button")
    cards.nth(place).click()
    said = page.locator(".st-key-quiet-said")
    text = f"=Message {str(right.item_id)[1:]}"
    expect(page.locator(driving.BOX)).to_have_text(text)
    wait_until_idle(page)
    other = "no" if right.label == "yes" else "yes"
    page.keyboard.press(driving.KEYS[other])
    expect(said).to_contain_text(re.compile(f"{right.label}.*\n.*{other}$", re.IGNORECASE))
    wait_until_idle(page)

    # It stands among the errors now, and in the list that is taken away.
    driving.choose(page, page.get_by_role("radio", name=re.compile("^Classifier was wrong")))
    expect(cards.filter(has_text=text)).to_have_count(1)
    driving.choose(page, page.locator(".st-key-take-reviewed button").first)
    session = opened(shared_server)
    table = session.labels_table()
    wrong = table[table["answer"] != table["prediction_m"]]
    assert right.item_id in set(wrong["id"]) and len(wrong) < len(table) == BEFORE + BY_KEY
    for kind, read in READ.items():
        found = read(driving.download(page, f"reviewed{kind}", tmp_path))
        assert dict(zip(found["id"], found["answer"], strict=True)) == dict(
            zip(wrong["id"], wrong["answer"], strict=True)
        )
        guarded = text if kind in (".parquet", ".jsonl") else f"'{text}"
        assert found.loc[found["id"] == right.item_id, "text"].tolist() == [guarded]

    # A cell of the confusion table leads to the same item; no other download is in sight.
    go(page, "Progress")
    driving.unfold(page, "fold-confusion")
    cells = page.locator(".st-key-confusion .stDataFrameGlideDataEditor").first
    cells.hover()
    offered = page.locator("[aria-label^='Download as CSV']")
    expect(offered).not_to_have_count(0)
    assert not any(one.is_visible() for one in offered.all())
    row, column = (["no", "yes"].index(one) for one in (called(session, right.item_id), other))
    box = cells.bounding_box()
    assert box is not None
    cells.click(position={"x": box["width"] * (column + 1.5) / 4, "y": ROW_PIXELS * (row + 1.5)})
    page.wait_for_url("**/review?project=*")
    wait_until_idle(page)
    expect(cards.filter(has_text=text)).to_have_count(1)

    # The report says the same in every form, with the answer as it is now.
    go(page, "Label")
    driving.choose(page, page.locator(".st-key-state-finish button"))
    expect(page.locator(".st-key-state")).to_contain_text("This project is finished")
    go(page, "Report")
    sentence = page.locator(".st-key-sentence code").inner_text()
    page.get_by_role("button", name="Copy sentence").click()
    expect(page.get_by_text("Copied.", exact=True)).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == sentence
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("It opens on this computer only.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url.replace(
        "/report?", "/share?"
    )
    report = {one: driving.download(page, f"report.{one}", tmp_path) for one in FORWARDED}
    driving.choose(page, page.locator(".st-key-take-forms button").first)
    report |= {one: driving.download(page, f"report.{one}", tmp_path) for one in FURTHER}
    accuracy = opened(shared_server).results()["accuracy"]
    assert accuracy.value != value_before
    html = report["html"].read_text("utf-8")
    shares = shares_of_page(html)
    assert sum(shares.values()) > 20
    # A picture that moves on the page has words below it in the PDF.
    assert shares <= shares_of_pdf(report["pdf"])
    for told in (
        html,
        report["md"].read_text("utf-8"),
        PdfReader(report["pdf"]).pages[0].extract_text(),
    ):
        plain = unescape(told).replace("\\", "")
        assert short_sentence(accuracy) in re.sub(r"\s+", " ", plain)
    (result,) = json.loads(report["json"].read_text("utf-8"))["results"].values()
    assert (result["value"], result["low"]) == (accuracy.value, accuracy.low)
    estimates = pd.read_excel(report["xlsx"], sheet_name="Figures")
    assert estimates["value"].tolist() == [accuracy.value]
    assert list(formulas(report["xlsx"])) == []
    assert list(formulas(tmp_path / "A_day-reviewed.xlsx")) == []
