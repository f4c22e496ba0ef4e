"""A project renamed, reworded and put away while another tab has it open."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server


def choose(page: Page, url: str, what: str) -> None:
    """The form of the newest project's menu on the start page."""
    page.goto(url)
    menu = page.locator(".st-key-menu-0 button")
    menu.wait_for()
    driving.choose(page, menu)
    driving.choose(page, page.get_by_role("menuitem", name=what, exact=True))
    page.locator(".st-key-life").wait_for()
    wait_until_idle(page)


def rename(page: Page, url: str, name: str) -> None:
    choose(page, url, "Rename")
    driving.fill(page, page.locator(".st-key-life input"), name)
    driving.choose(page, page.locator(".st-key-life-do button"))
    expect(page.locator('[data-testid="stAlert"]')).to_contain_text(f"is called '{name}' now")


@pytest.mark.full
def test_rename_while_a_second_tab_is_open(
    new_browser: Callable[..., Page], shared_server: Server
) -> None:
    tab, other = new_browser(), new_browser()
    driving.begin(tab, shared_server, "Before")
    driving.label_items(tab, 2, lambda _: "y")
    rename(other, shared_server.url, "After <b>it</b>")

    tab.keyboard.press("y")
    said = tab.locator('[data-testid="stAlert"]').first
    expect(said).to_contain_text("The project 'Before' is called 'After <b>it</b>' now")
    expect(tab.locator(".lc-answers button")).to_have_count(0)
    assert len(driving.answers(shared_server.data, "After <b>it</b>")) == 2
    assert "Traceback" not in shared_server.log

    driving.choose(tab, tab.get_by_role("link", name="All projects"))
    card = tab.locator(".st-key-project-0")
    expect(card).to_contain_text("After <b>it</b>")
    expect(card).to_contain_text("2 of 200 judged")
    driving.choose(tab, card.get_by_role("link", name="After <b>it</b>"))
    tab.wait_for_url("**/label?project=After*")
    driving.wait_for_item(tab)
    driving.answer(tab, "n")
    said_now = driving.all_said(shared_server.data, "After <b>it</b>")
    assert said_now == ["yes", "yes", "no"]


@pytest.mark.full
def test_words_mended_in_one_tab_stand_in_the_other(
    new_browser: Callable[..., Page], shared_server: Server
) -> None:
    tab, other = new_browser(), new_browser()
    driving.begin(tab, shared_server, "Words")
    choose(other, shared_server.url, "Correct the wording")
    field = other.locator("[class*='st-key-life-question-'] input")
    driving.fill(other, field, "Is it **really** right?", "Tab")
    driving.choose(other, other.locator(".st-key-life-do button"))
    expect(other.locator('[data-testid="stAlert"]')).to_contain_text("is corrected")
    driving.answer(tab, "y")
    expect(tab.locator(".lc-question")).to_have_text("Is it **really** right?")
    assert len(driving.answers(shared_server.data, "Words")) == 1
