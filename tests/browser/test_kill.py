"""The server killed with -9 at random moments: nothing that the page called saved is missing.

Four times in every run; ``python -m benchmarks.kills`` does it five hundred times.
"""

from __future__ import annotations

from playwright.sync_api import Page, expect

from labelcore.ui.surface import SAVING
from tests.browser import driving
from tests.browser.killing import TEXTS, killed_often
from tests.browser.server import Server

TIMES, SEED = 4, 1


def test_nothing_called_saved_is_missing_after_kill_minus_nine(server: Server, page: Page) -> None:
    kills, _ = killed_often(page, server, TIMES, SEED)
    assert len(kills) == TIMES


def test_a_page_left_open_goes_on_after_the_server_is_back(server: Server, page: Page) -> None:
    """Nobody reloads: a press while it is down waits, is not called saved, and is stored then."""
    project = driving.make_project(server.data, "Open")
    driving.open_label(page, server.url, project)
    driving.answer(page, "y")
    token = driving.shown(page)["token"]
    server.kill()
    page.keyboard.press("n")
    expect(page.locator(".lc-saved")).to_have_text(SAVING)
    assert len(driving.answers(server.data, project)) == 1
    server.start()
    driving.wait_for_next(page, token)
    driving.settle(page)
    assert driving.saved(page) == "Saved: No"
    driving.answer(page, "y")
    stored = driving.answers(server.data, project)
    assert [driving.said(event) for event in stored] == ["yes", "no", "yes"]
    assert driving.disagreements(stored, driving.pressed(page), TEXTS) == []
