"""Review by mouse and keys: a card opened, the next one by arrow, judged again, a word searched."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server


def test_a_row_is_opened_and_judged_again_by_key(page: Page, shared_server: Server) -> None:
    name = driving.make_project(shared_server.data, "Looked through")
    driving.label_without_page(shared_server.data, name, 12)
    before = [driving.said(one) for one in driving.answers(shared_server.data, name)]
    page.goto(f"{shared_server.url}/review?project=Looked+through")
    cards = page.locator(".st-key-review-table .cards button")
    cards.first.wait_for()
    wait_until_idle(page)
    cards.first.click()
    again = page.locator(".st-key-quiet-said")
    expect(again).to_have_count(1)
    wait_until_idle(page)
    page.keyboard.press("ArrowDown")
    item = page.locator(driving.BOX)
    eleventh = driving.answers(shared_server.data, name)[10]
    expect(item).to_contain_text(f"Message {str(eleventh.item_id)[1:]}")
    wait_until_idle(page)
    page.keyboard.press("n" if before[10] == "yes" else "y")
    expect(again).to_contain_text("No" if before[10] == "yes" else "Yes")
    wait_until_idle(page)
    after = driving.answers(shared_server.data, name)
    assert len(after) == 13 and after[-1].index == 11 and driving.said(after[-1]) != before[10]

    # A letter typed into the search is no answer.
    field = page.locator(".st-key-review-search input")
    field.fill("")
    field.press_sequentially("yny")
    field.press("Enter")
    expect(page.get_by_text("No judged item has these words.")).to_be_visible()
    wait_until_idle(page)
    assert len(driving.answers(shared_server.data, name)) == 13

    # The first press after a filter opens its row, also on the place that was pressed last.
    third = driving.answers(shared_server.data, name)[2]
    field.fill(str(third.item_id))
    field.press("Enter")
    wait_until_idle(page)
    cards.first.click()
    expect(item).to_contain_text(f"Message {str(third.item_id)[1:]}")
