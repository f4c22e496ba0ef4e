"""The database locked by another program, and moved away, while a person labels."""

import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.server import Server

SAID_WITHIN_SECONDS = 2.0
ALERT = '[data-testid="stAlert"]'


def another_program(server: Server) -> closing[sqlite3.Connection]:
    """Its connection; a lock that it still holds ends with it."""
    return closing(sqlite3.connect(server.data / "labelcore.db", isolation_level=None))


@pytest.mark.full
def test_a_lock_is_said_at_once_and_the_press_is_stored_when_it_ends(
    page: Page, shared_server: Server
) -> None:
    project = driving.begin(page, shared_server, "Locked")
    driving.label_items(page, 2, lambda _: "y")
    item = driving.shown(page)
    with another_program(shared_server) as other:
        other.execute("BEGIN EXCLUSIVE")
        said = page.locator(ALERT).first
        with driving.Pace() as pace:
            page.keyboard.press("n")
            expect(said).to_contain_text("not stored yet")
        assert pace.seconds <= SAID_WITHIN_SECONDS
        expect(said).to_contain_text("locked by another program")
        page.wait_for_timeout(6000)
        expect(said).to_contain_text("not stored yet")
        assert driving.shown(page) == item
        assert page.locator(".lc-answers button").first.is_enabled()
        other.execute("ROLLBACK")
    driving.wait_for_next(page, item["token"])
    expect(page.locator(ALERT)).to_have_count(0)
    driving.settle(page)
    driving.answer(page, "y")
    assert driving.all_said(shared_server.data, project) == [*("yes", "yes", "no", "yes")]


@pytest.mark.full
def test_a_press_made_anew_during_a_lock_takes_the_place_of_the_first(
    page: Page, shared_server: Server
) -> None:
    project = driving.begin(page, shared_server, "Changed")
    item = driving.shown(page)
    with another_program(shared_server) as other:
        other.execute("BEGIN EXCLUSIVE")
        page.keyboard.press("n")
        with driving.Pace() as pace:
            expect(page.locator(ALERT).first).to_contain_text("not stored yet")
        # The item that is not answered yet has just come back.
        expect(page.locator(driving.BOX)).to_have_text(item["text"])
        page.wait_for_function(driving.LOOKED_AT, arg=1000 * driving.SETTLE_SECONDS)
        page.keyboard.press("y")
        page.wait_for_timeout(3000 * pace.times)
        other.execute("ROLLBACK")
    driving.wait_for_next(page, item["token"])
    driving.settle(page)
    driving.answer(page, "n")
    assert driving.all_said(shared_server.data, project) == ["yes", "no"]


@pytest.mark.full
def test_a_page_opened_during_a_lock_comes_by_itself(page: Page, shared_server: Server) -> None:
    """The first item is drawn by writing, so there is none to show before."""
    project = driving.make_project(shared_server.data, "Opened")
    with another_program(shared_server) as other:
        other.execute("BEGIN EXCLUSIVE")
        page.goto(f"{shared_server.url}/label?project={project}")
        expect(page.locator(ALERT).first).to_contain_text("locked by another program")
        other.execute("ROLLBACK")
    page.wait_for_selector(".lc-answers button")
