"""A claim from the form to the report: laid down, labelled by key until it is settled, gone on with
and finished; the report tells it in that order."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labelcore.report import report_html
from labelcore.session.session import Session
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server
from tests.report.test_page import Outline

ITEMS, CALLED = 300, 120
PERCENT, CLAIM = "40", "precision >= 0.4"
MOST_PRESSES, MORE = 150, 4
REASON = "shown, and that is enough"


def rows() -> list[dict[str, object]]:
    """120 items called spam, of which one in twenty is not; a few missed among the others."""
    found = []
    for number in range(ITEMS):
        called = number < CALLED
        truth = number % 20 != 7 if called else number % 60 == 0
        score = 0.75 if called else 0.1
        found.append(
            {
                "id": f"m{number}",
                "text": f"Message {number}: {'prize' if truth else 'lunch'}",
                "score_f": round(score + number % 17 / 100, 3),
                "pred_f": int(called),
            }
        )
    return found


def create_with_claim(page: Page, url: str, path: Path) -> str:
    """Through the three screens, with a claim and no margin; the name of the project."""
    driving.to_aim(page, url, path, "Is it a prize?")
    driving.choose_aim(page, "Precision and recall")
    driving.choose(page, page.get_by_text("A claim", exact=True))
    page.get_by_text("Enter the percentage to continue.").wait_for()
    percent = page.locator(".st-key-new-claim-percent-0-percent input")
    driving.fill(page, percent, PERCENT)
    page.get_by_text("until every claim is settled").wait_for()
    driving.create_project(page)
    return path.stem


def judge(page: Page) -> None:
    """One key, the right one for the item that is on screen."""
    driving.answer(page, "y" if "prize" in driving.shown(page)["text"] else "n")


@pytest.mark.full
def test_a_claim_is_laid_down_settled_and_reported(
    shared_server: Server, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labelcore.report.replayed.MOST_FRAMES", 400)
    path = driving.write_csv(tmp_path / "prizes.csv", rows())
    project = create_with_claim(page, shared_server.url, path)
    driving.open_label(page, shared_server.url, project)
    line = page.locator(".lc-line").first
    expect(line).to_contain_text("0 of about")
    judge(page)
    driving.unfold(page, "details")
    expect(page.locator(".st-key-details")).to_contain_text("it is not decided whether")
    expect(page.locator(".st-key-short")).to_contain_text("of 20)")
    presses = 1
    while driving.shown(page)["token"]:
        assert presses < MOST_PRESSES, "the claim was not settled"
        judge(page)
        presses += 1
    state = page.locator(".st-key-state")
    expect(state).to_contain_text("The claims are settled")
    expect(state).to_contain_text("the labels show that the precision of 'f' for")
    expect(line).to_contain_text("claims settled")
    settled = len(driving.answers(shared_server.data, project))
    assert settled == presses

    driving.unfold(page, "add-more")
    slider = page.locator(".st-key-more input, .st-key-more [role=slider]").first
    for key in ("Home", *["ArrowRight"] * (MORE - 1)):
        slider.press(key)
    page.get_by_text(f"{MORE} more: ").wait_for()
    wait_until_idle(page)
    driving.choose(page, page.locator(".st-key-go-on button"))
    driving.wait_for_item(page)
    for _ in range(MORE - 1):
        judge(page)
    driving.finish(page, REASON)

    kinds = [e.kind for e in driving.events(shared_server.data, project)]
    ends = [kind for kind in kinds if kind in ("stopped", "extended", "finished")]
    assert ends == ["stopped", "extended", "finished"]
    assert len(driving.answers(shared_server.data, project)) == settled + MORE - 1
    report_tells_it(page, shared_server, project, settled, tmp_path)


def report_tells_it(page: Page, server: Server, project: str, settled: int, folder: Path) -> None:
    """The downloaded report is that of the session, and tells the ends as they were."""
    page.goto(f"{server.url}/report?project={project}")
    page.locator(".st-key-downloads").wait_for()
    file = driving.download(page, "report.html", folder)
    text = Outline(file.read_text("utf-8")).text.replace("\N{NO-BREAK SPACE}", " ")
    told = text.partition("Why labelling stopped")[2]
    ends = ("Every claim was decided or refuted (", f"Extended to {settled + MORE}", REASON)
    places = [told.find(words) for words in ends]
    assert -1 not in places and places == sorted(places), told[:600]
    session = Session.open(driving.store_url(server.data), project)
    claim = session.results()[CLAIM]
    assert claim.status != "refuted" and claim.sentence() in text
    fallen = f"'{CLAIM}' was shown at {settled} labels" in text
    assert fallen == (claim.status == "undecided"), "a few labels more may weaken the evidence"
    assert f"{settled} labels, look " in text, "since when it was seen settled"
    assert Outline(report_html(session)).text.replace("\N{NO-BREAK SPACE}", " ") == text
    session.store.close()
