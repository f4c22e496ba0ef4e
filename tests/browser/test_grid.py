"""Twelve items at once: what is pressed is what is stored, whole, once, and nothing moves."""

import pytest
from playwright.sync_api import Page, expect

from labelcore.log.events import Event
from labelcore.ui.surface import SAVING, TIMES
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.contrast import contrasts, too_faint
from tests.browser.server import Server
from tests.browser.test_still import Still

CELL = ".lc-cell"
LOOK_MS = TIMES["SHORTEST_PAGE_MS"] + 50
PRESSED = "nodes => nodes.map(one => one.ariaPressed).join(' ')"


def open_grid(page: Page, server: Server, name: str, **plan: object) -> str:
    """A page of twelve short texts, drawn at random in one order."""
    terms = {"design": "simple_random", "budget": 40, "promise": "watched", **plan}
    project = driving.begin(page, server, name, **terms)
    page.keyboard.press("g")
    page.locator(CELL).first.wait_for()
    driving.settle(page)
    return project


def texts(page: Page) -> list[str]:
    return page.locator(f"{CELL} .lc-text").all_inner_texts()


def save(page: Page) -> None:
    """Enter, after a look at the page; then the next page."""
    page.wait_for_timeout(LOOK_MS)
    page.keyboard.press("Enter")
    driving.settle(page)


def said(stored: list[Event]) -> list[tuple[str, str]]:
    return [(f"Message {str(one.item_id)[1:]}", driving.said(one)) for one in stored]


def test_what_is_pressed_is_stored_in_the_order_shown(page: Page, shared_server: Server) -> None:
    project = open_grid(page, shared_server, "Grid, stored")
    shown = texts(page)
    assert len(shown) == 12
    still = Still(page)
    expect(page.locator(".lc-question")).to_have_text("Is this right? Press every Yes.")
    for key in ("1", "e", "x", "x", "Shift+A", "Shift+@", "2"):
        page.keyboard.press(key)
        still.look(key)
    places = page.locator(CELL).evaluate_all(PRESSED).split()
    assert [n for n, one in enumerate(places) if one == "true"] == [0, 1, 5]
    assert [n for n, one in enumerate(places) if one == "mixed"] == [6]
    expect(page.locator(".lc-counts")).to_have_text("3 Yes, 8 No, 1 Not sure")
    save(page)
    still.look("Enter")
    expected = ["no"] * 12
    for place in (0, 1, 5):
        expected[place] = "yes"
    expected[6] = "unsure"
    stored = driving.answers(shared_server.data, project)
    assert said(stored) == list(zip(shown, expected, strict=True))
    assert len({one.at for one in stored}) == 1
    assert driving.saved(page) == "Saved: 3 Yes, 8 No, 1 Not sure"
    second = texts(page)
    assert len(second) == 12 and not {*second} & {*shown}
    assert set(page.locator(CELL).evaluate_all(PRESSED).split()) == {"false"}
    # A page that was not looked at is not saved: twice Enter, and Enter held, is one page.
    page.wait_for_timeout(LOOK_MS)
    page.keyboard.press("Enter")
    page.wait_for_timeout(TIMES["SHORTEST_LOOK_MS"])
    page.keyboard.press("Enter")
    driving.hold(page, "Enter", 20)
    driving.settle(page)
    still.look("Enter, held")
    assert len(driving.answers(shared_server.data, project)) == 24
    save(page)
    still.look("Enter")
    assert len(texts(page)) == 4, "what is left of forty"

    page.keyboard.press("u")
    driving.settle(page)
    still.look("u")
    log = driving.events(shared_server.data, project)
    assert sum(one.kind == "undone" for one in log) == 12 and len(texts(page)) == 12
    can_be_read(page)
    save(page)
    save(page)
    page.locator(".st-key-state").wait_for()
    assert len(driving.answers(shared_server.data, project)) == 52


@pytest.mark.full
def test_marks_outlive_a_reload_and_the_former_ones_come_back_with_undo(
    page: Page, shared_server: Server
) -> None:
    open_grid(page, shared_server, "Grid, reloaded")
    page.keyboard.press("w")
    page.keyboard.press("Shift+S")
    before, marked = texts(page), page.locator(CELL).evaluate_all(PRESSED)
    page.reload()
    driving.wait_for_item(page)
    assert texts(page) == before and page.locator(CELL).evaluate_all(PRESSED) == marked
    save(page)
    page.keyboard.press("u")
    driving.settle(page)
    assert texts(page) == before and page.locator(CELL).evaluate_all(PRESSED) == marked


@pytest.mark.full
def test_the_other_answer_may_be_pressed_and_one_by_one_goes_on_in_order(
    page: Page, shared_server: Server
) -> None:
    project = open_grid(page, shared_server, "Grid, others")
    first = texts(page)
    page.keyboard.press("p")
    expect(page.locator(".lc-question")).to_have_text("Is this right? Press every No.")
    driving.settle(page)
    page.locator(CELL).nth(3).click()
    save(page)
    stored = driving.answers(shared_server.data, project)
    assert [driving.said(one) for one in stored] == ["yes"] * 3 + ["no"] + ["yes"] * 8
    second = texts(page)
    page.keyboard.press("g")
    page.locator("[data-place=positive]").wait_for()
    driving.settle(page)
    for text in second[:3]:
        assert driving.shown(page)["text"] == text
        driving.answer(page, "y")
    page.keyboard.press("g")
    page.locator(CELL).first.wait_for()
    driving.settle(page)
    assert texts(page)[: len(second) - 3] == second[3:]
    order = [one.index for one in driving.answers(shared_server.data, project)]
    assert order == list(range(1, 16)) and first


@pytest.mark.full
def test_arrows_move_between_items_and_space_presses(page: Page, shared_server: Server) -> None:
    open_grid(page, shared_server, "Grid, arrows")
    page.locator(CELL).first.focus()
    for key in ("ArrowRight", "ArrowDown", " "):
        page.keyboard.press(key)
    places = page.locator(CELL).evaluate_all(PRESSED).split()
    assert [n for n, one in enumerate(places) if one == "true"] == [4]
    save(page)
    focused = page.evaluate(
        "[...document.querySelectorAll('.lc-cell')].indexOf(document.activeElement)"
    )
    assert focused == 4, "the same place of the next page"


def can_be_read(page: Page) -> None:
    """In both colours and on a narrow screen, with an item of each mark."""
    usual = page.viewport_size
    assert usual is not None
    page.keyboard.press("q")
    page.keyboard.press("Shift+S")
    page.set_viewport_size({"width": 390, "height": 800})
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        wait_until_idle(page)
        assert len(contrasts(page)) > 12 and too_faint(page) == []
    inside = page.locator(CELL).evaluate_all(
        "nodes => nodes.every(one => one.getBoundingClientRect().right <= innerWidth)"
    )
    assert inside
    page.set_viewport_size(usual)
    wait_until_idle(page)


@pytest.mark.full
def test_a_page_saved_while_the_server_is_away_is_stored_once(server: Server, page: Page) -> None:
    project = open_grid(page, server, "Grid, away")
    shown = texts(page)
    page.keyboard.press("q")
    page.wait_for_timeout(LOOK_MS)
    server.kill()
    page.keyboard.press("Enter")
    expect(page.locator(".lc-saved")).to_have_text(SAVING)
    assert driving.answers(server.data, project) == []
    server.start()
    page.wait_for_function(
        "old => document.querySelector('.lc-cell .lc-text')?.textContent !== old", arg=shown[0]
    )
    driving.settle(page)
    stored = driving.answers(server.data, project)
    assert [text for text, _ in said(stored)] == shown
    assert [word for _, word in said(stored)].count("yes") == 1
