"""The server killed with -9 at random moments: nothing that the page called saved is missing.

Twice in every run; ``python -m benchmarks.kills`` does it five hundred times.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

import labelcore as lc
from labelcore.ui.actions import TOO_LATE, TOO_QUICK
from labelcore.ui.page_script import AWAY, CLOSED
from labelcore.ui.review import CHOOSE, NO_ROW
from labelcore.ui.surface import NOT_SAVED_YET, ONE_TOO_LATE, SAVING
from labelcore.ui.surface import TIMES as TIMES_OF_PAGE
from tests.answering import answer_draws
from tests.browser import driving
from tests.browser.killing import killed_often
from tests.browser.server import Server

TIMES, SEED = 2, 1


@pytest.fixture
def server(shared_server: Server) -> Iterator[Server]:
    """That of the process: a page of a server on another port would be compiled anew."""
    yield shared_server
    if not shared_server.running:
        shared_server.start()


def test_nothing_called_saved_is_missing_after_kill_minus_nine(server: Server, page: Page) -> None:
    kills, _ = killed_often(page, server, TIMES, SEED)
    assert len(kills) == TIMES


@pytest.mark.full
def test_a_page_left_open_goes_on_after_the_server_is_back(server: Server, page: Page) -> None:
    """Nobody reloads: a press while it is down waits, is not called saved, and is stored then."""
    project = driving.begin(page, server, "Open")
    driving.answer(page, "y")
    token = driving.shown(page)["token"]
    server.kill()
    page.keyboard.press("n")
    expect(page.locator(".lc-saved")).to_have_text(SAVING)
    expect(page.locator(".lc-away")).to_have_text(AWAY, timeout=60_000)
    assert not page.get_by_text("Connection error").is_visible(), "in the page's own words only"
    assert len(driving.answers(server.data, project)) == 1
    server.start()
    driving.wait_for_next(page, token)
    driving.settle(page)
    assert driving.saved(page) == "Saved: No" and not page.locator(".lc-away").is_visible()
    driving.answer(page, "y")
    assert driving.all_said(server.data, project) == ["yes", "no", "yes"]
    driving.agree(page, server.data, project, 0)


@pytest.mark.full
def test_a_page_without_answers_does_not_say_that_it_keeps_presses(
    server: Server, page: Page
) -> None:
    project = driving.make_project(server.data, "Looked at")
    driving.label_without_page(server.data, project, 3)
    page.goto(f"{server.url}/review?project={project}")
    page.get_by_text(CHOOSE).wait_for()
    # Streamlit fetches the parts of a page as they are drawn: one cut off then stays without them.
    page.get_by_placeholder("Search").wait_for()
    driving.wait_until_idle(page)
    server.kill()
    expect(page.locator(".lc-away")).to_have_text(CLOSED, timeout=60_000)
    # The box behind it, which is not shown, keeps nothing from screen readers.
    expect(page.get_by_role("status").filter(has_text=CLOSED)).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    server.start()
    expect(page.locator(".lc-away")).to_be_hidden()
    driving.fill(page, page.get_by_placeholder("Search"), "no such word")
    expect(page.get_by_text(NO_ROW)).to_be_visible()


@pytest.mark.full
def test_presses_made_while_a_page_knows_of_it_are_stored_when_the_server_is_back(
    server: Server, page: Page
) -> None:
    """The page has heard that its line is cut before the first press; the server that comes back
    knows no part of it."""
    project = driving.make_project(server.data, "Away")
    page.on("websocket", lambda socket: socket.on("close", lambda _: closed.append(True)))
    closed: list[bool] = []
    driving.open_label(page, server.url, project)
    token = driving.shown(page)["token"]
    server.kill()
    while not closed:
        page.wait_for_timeout(50)
    page.wait_for_timeout(500)
    page.keyboard.press("n")
    page.wait_for_timeout(500)
    page.keyboard.press("y")
    expect(page.locator(".lc-away")).to_have_text(AWAY, timeout=60_000)
    server.start()
    driving.wait_for_next(page, token)
    driving.settle(page)
    assert driving.all_said(server.data, project) == ["no", "yes"]


@pytest.mark.full
def test_of_two_presses_under_way_the_one_that_is_lost_is_named(server: Server, page: Page) -> None:
    """The first one's item was answered elsewhere; the second is stored, and the page still says
    what became of the first. Another answer to an item whose press is under way is refused."""
    project = driving.begin(page, server, "Both")
    server.kill()
    page.keyboard.press("n")
    page.wait_for_timeout(500)
    page.keyboard.press("y")
    page.keyboard.press("n")
    expect(page.locator(".lc-saved")).to_have_text(NOT_SAVED_YET)
    answered_elsewhere(server, project)
    token = driving.shown(page)["token"]
    server.start()
    driving.wait_for_next(page, token)
    driving.settle(page)
    assert driving.all_said(server.data, project) == ["yes", "yes"]
    expect(page.locator(".lc-saved")).to_have_text(ONE_TOO_LATE)


@pytest.mark.full
def test_presses_under_way_are_stored_in_order_by_a_page_made_anew(
    server: Server, page: Page
) -> None:
    project = driving.begin(page, server, "Anew")
    token = driving.shown(page)["token"]
    server.kill()
    page.keyboard.press("n")
    expect(page.locator(".lc-saved")).to_have_text(SAVING)
    page.wait_for_timeout(200)  # As long as a look takes at the least.
    page.keyboard.press("y")
    server.start()
    page.reload()
    driving.wait_for_next(page, token)
    driving.settle(page)
    assert driving.all_said(server.data, project) == ["no", "yes"]


@pytest.mark.full
def test_a_press_under_way_on_an_item_answered_elsewhere_is_named(
    server: Server, page: Page
) -> None:
    project = driving.begin(page, server, "Elsewhere")
    token = driving.shown(page)["token"]
    server.kill()
    page.keyboard.press("n")
    expect(page.locator(".lc-saved")).to_have_text(SAVING)
    answered_elsewhere(server, project)
    server.start()
    page.reload()
    driving.wait_for_next(page, token)
    expect(page.locator(".lc-saved")).to_have_text(TOO_LATE)
    assert driving.all_said(server.data, project) == ["yes"]
    page.reload()
    driving.wait_for_item(page)
    expect(page.locator(".lc-saved")).to_have_text(TOO_LATE)
    driving.answer(page, "y")
    page.reload()
    driving.wait_for_item(page)
    expect(page.locator(".lc-saved")).to_have_text("Saved: Yes")


@pytest.mark.full
def test_why_a_press_was_refused_is_said_until_the_next_one(server: Server, page: Page) -> None:
    driving.begin(page, server, "Quick")
    server.kill()
    page.keyboard.press("n")
    page.keyboard.press("y")
    page.keyboard.press("n")
    page.wait_for_timeout(2 * TIMES_OF_PAGE["SLOW_MS"])
    expect(page.locator(".lc-saved")).to_have_text(TOO_QUICK)
    page.keyboard.press("y")
    expect(page.locator(".lc-saved")).to_have_text(SAVING)


@pytest.mark.full
def test_each_press_that_is_too_late_is_named_whatever_was_refused_meanwhile(
    server: Server, page: Page
) -> None:
    project = driving.begin(page, server, "Refused")
    token = driving.shown(page)["token"]
    server.kill()
    page.keyboard.press("s")
    page.wait_for_timeout(200)
    page.keyboard.press("n")
    page.wait_for_timeout(200)
    page.keyboard.press("y")
    expect(page.locator(".lc-saved")).to_have_text(NOT_SAVED_YET)
    answered_elsewhere(server, project)
    server.start()
    driving.wait_for_next(page, token)
    driving.settle(page)
    late = page.locator(".lc-saved").inner_text()
    assert late in (TOO_LATE, ONE_TOO_LATE)
    answered_elsewhere(server, project)
    page.evaluate(SAYINGS)
    page.keyboard.press("n")
    driving.settle(page)
    expect(page.locator(".lc-saved")).to_have_text(TOO_LATE)
    assert page.evaluate("labelcoreSayings")[0] != TOO_LATE, "heard anew, not left standing"


SAYINGS = """() => {
  window.labelcoreSayings = [];
  const saved = document.querySelector(".lc-saved");
  new MutationObserver(() => labelcoreSayings.push(saved.textContent))
    .observe(saved, { childList: true, subtree: true, characterData: true });
}"""


def answered_elsewhere(server: Server, project: str) -> None:
    session = lc.Session.open(driving.store_url(server.data), project)
    answer_draws(session, "yes", 1)
    session.store.close()
