"""Undo, notes, and rows of Review."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

FIRST_FIGURE = 40


def test_undo_brings_items_and_figures_back(page: Page, shared_server: Server, data: Path) -> None:
    project = driving.make_project(data, "Undo")
    driving.label_without_page(data, project, FIRST_FIGURE - 1)
    driving.open_label(page, shared_server.url, project)
    driving.unfold(page, "details")
    driving.label_items(page, 2, lambda place: "yn"[place])
    wait_until_idle(page)
    before, item = driving.figures(page), driving.shown(page)
    assert "%" in before and f"{FIRST_FIGURE + 1} labels" in before
    seen = []
    for _ in range(3):
        seen.append(driving.shown(page)["text"])
        driving.answer(page, "n")
    assert driving.figures(page) != before
    for text in reversed(seen):
        driving.answer(page, "u")
        assert driving.shown(page)["text"] == text
    assert driving.shown(page)["text"] == item["text"] and driving.shown(page) != item
    assert driving.figures(page) == before
    # Answered anew, the item has the new answer and only that one counts.
    driving.answer(page, "y")
    log = driving.events(data, project)
    gone = driving.undone(log)
    left = [e for e in driving.answers(data, project) if e.sequence not in gone]
    assert len(left) == FIRST_FIGURE + 2 and driving.said(left[-1]) == "yes"
    texts = {f"i{place}": f"Message {place}" for place in range(400)}
    stored = driving.answers(data, project)[FIRST_FIGURE - 1 :]
    assert driving.disagreements(stored, driving.pressed(page), texts) == []


def places(page: Page) -> list[object]:
    """Where the item and the answers stand."""
    return [page.locator(one).bounding_box() for one in (".lc-box", ".lc-answers")]


def test_a_note_with_answer_letters_labels_nothing(
    page: Page, shared_server: Server, data: Path
) -> None:
    project = driving.begin(page, shared_server, "Note")
    driving.answer(page, "y")
    item = driving.shown(page)["text"]
    words = "yes, no: any <b>funny</b> lousy business"
    before = places(page)
    page.keyboard.press("m")
    field = page.get_by_label("Note about this item")
    expect(field).to_be_focused()
    page.keyboard.type(words, delay=5)
    assert places(page) == before, "neither the item nor the answers move or go"
    page.keyboard.press("Enter")
    expect(page.locator(".lc-saved")).to_contain_text("Note saved")
    expect(field).to_be_hidden()
    driving.wait_for_item(page)
    assert driving.shown(page)["text"] == item
    log = driving.events(data, project)
    notes = [event.text for event in log if event.kind == "noted"]
    assert notes == [words] and len(driving.answers(data, project)) == 1
    # Opened again it has the note; Esc leaves it as it was, and help moves nothing either.
    page.keyboard.press("m")
    expect(field).to_have_value(words)
    page.keyboard.type("yn")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    page.keyboard.press("h")
    expect(page.get_by_text("What counts?")).to_be_visible()
    wait_until_idle(page)
    assert places(page) == before
    page.keyboard.press("h")
    expect(page.get_by_text("What counts?")).to_have_count(0)
    wait_until_idle(page)
    page.keyboard.press("f")
    page.locator("[data-act=unflag]").wait_for()
    assert len(driving.answers(data, project)) == 1
    driving.wait_for_item(page)
    driving.answer(page, "n")
    assert driving.all_said(data, project) == ["yes", "no"]


def test_a_row_is_opened_and_judged_again_by_key(page: Page, shared_server: Server) -> None:
    name = driving.make_project(shared_server.data, "Looked through")
    driving.label_without_page(shared_server.data, name, 12)
    before = driving.all_said(shared_server.data, name)
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

    # What is aimed at is opened, also where a filter comes before the button is up; so is, on the
    # place that was pressed last, the row that is there then.
    _, _, third, *_, last = driving.answers(shared_server.data, name)[:12]
    for place, aimed in ((1, eleventh), (0, last)):  # No card is there then, or that of another.
        field.fill("")
        field.press("Enter")
        expect(cards).to_have_count(12)
        wait_until_idle(page)
        field.fill(str(third.item_id))
        cards.nth(place).locator(".text").hover()
        page.mouse.down()
        expect(cards).to_have_count(1)
        page.mouse.up()
        expect(item).to_contain_text(f"Message {str(aimed.item_id)[1:]}")
    cards.first.click()
    expect(item).to_contain_text(f"Message {str(third.item_id)[1:]}")

    # So is what has the focus when Space goes down.
    for _ in range(9):
        field.fill("")
        field.press("Enter")
        expect(cards).to_have_count(12)
        wait_until_idle(page)
        field.fill(str(third.item_id))
        cards.first.evaluate("card => card.focus()")  # The filter goes out, and is faster at times.
        page.keyboard.down(" ")
        if cards.count() == 12:
            break
        page.keyboard.up(" ")
    expect(cards).to_have_count(1)
    page.keyboard.up(" ")
    expect(item).to_contain_text(f"Message {str(last.item_id)[1:]}")
    wait_until_idle(page)
    cards.first.press(" ")
    expect(item).to_contain_text(f"Message {str(third.item_id)[1:]}")

    # A right click opens none, not even later where the list has changed.
    field.fill("")
    field.press("Enter")
    expect(cards).to_have_count(12)
    wait_until_idle(page)
    cards.last.click(button="right")
    at = cards.last.bounding_box()
    field.fill(str(eleventh.item_id))
    field.press("Enter")
    expect(cards).to_have_count(1)
    wait_until_idle(page)
    page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    wait_until_idle(page)
    expect(item).to_contain_text(f"Message {str(third.item_id)[1:]}")
