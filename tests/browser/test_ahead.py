"""The next item is shown before the server has drawn it: what happens until its word comes.

Every message of the page is made slow on its way, so that there is time between.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labelcore.ui.actions import TOO_LATE
from labelcore.ui.surface import NOT_SAVED_YET, SAVING
from tests.browser import driving
from tests.browser.server import Server

DELAY_MS = 400
LOOK_MS = 170
SLOW = """
(() => {
  const later = (act) => window.labelcoreDelay ? setTimeout(act, window.labelcoreDelay) : act();
  window.WebSocket = class extends WebSocket {
    send(data) { later(() => super.send(data)); }
    addEventListener(kind, ear, ...rest) {
      super.addEventListener(kind, kind === "message" ? (e) => later(() => ear(e)) : ear, ...rest);
    }
    set onmessage(ear) { super.onmessage = (event) => later(() => ear(event)); }
  };
})();
"""


@pytest.fixture(scope="module")
def project(data: Path) -> str:
    return driving.make_project(data, "Ahead")


@pytest.fixture(scope="module")
def received(lasting_page: Page, shared_server: Server, project: str) -> list[list[bytes]]:
    """What the labelling page gets from the server: until it is drawn, and from then on."""
    both: list[list[bytes]] = [[]]

    def keep(sent: str | bytes) -> None:
        both[-1].append(sent if isinstance(sent, bytes) else sent.encode())

    lasting_page.on("websocket", lambda socket: socket.on("framereceived", keep))
    lasting_page.add_init_script(SLOW)
    driving.open_label(lasting_page, shared_server.url, project)
    both.append([])
    return both


@pytest.fixture
def slow_page(lasting_page: Page, received: list[list[bytes]]) -> Iterator[Page]:
    lasting_page.evaluate(f"window.labelcoreDelay = {DELAY_MS}")
    yield lasting_page
    lasting_page.evaluate("window.labelcoreDelay = 0")
    driving.settle(lasting_page)


@pytest.fixture
def before(slow_page: Page, data: Path, project: str) -> int:
    """The answers there were when the test began."""
    return len(driving.answers(data, project))


def press(page: Page, key: str) -> None:
    """As soon as the item may be answered."""
    page.wait_for_function(driving.LOOKED_AT, arg=LOOK_MS)
    page.keyboard.press(key)


def test_the_next_item_is_there_before_the_servers_word(
    slow_page: Page, data: Path, project: str, before: int
) -> None:
    page = slow_page
    first, saved = driving.shown(page), driving.saved(page)
    press(page, "y")
    ahead = driving.shown(page)
    assert ahead["text"] != first["text"] and ahead["token"] == ""
    assert driving.saved(page) == saved and not driving.all_said(data, project)[before:]
    # One press more waits; the one after it is refused.
    press(page, "n")
    assert driving.shown(page)["text"] == ahead["text"]
    expect(page.locator(".lc-saved")).to_have_text(SAVING)
    page.keyboard.press("y")
    expect(page.locator(".lc-saved")).to_have_text(NOT_SAVED_YET)
    driving.settle(page)
    assert driving.saved(page) == "Saved: No"
    assert driving.all_said(data, project)[before:] == ["yes", "no"]
    driving.agree(page, data, project, before)


def test_a_key_on_an_item_that_is_not_drawn_is_no_answer(
    slow_page: Page, shared_server: Server, data: Path, project: str, before: int
) -> None:
    """The other tab of the person has answered it: the item ahead is not the one that is drawn."""
    page = slow_page
    other = page.context.new_page()
    driving.open_label(other, shared_server.url, project)
    driving.label_items(other, 2, lambda _: "y")
    third = driving.shown(other)
    press(page, "y")
    ahead = driving.shown(page)
    assert ahead["token"] == "" and ahead["text"] != third["text"]
    press(page, "n")
    expect(page.locator(".lc-saved")).to_have_text(TOO_LATE)
    driving.settle(page)
    assert driving.shown(page) == third
    assert driving.all_said(data, project)[before:] == ["yes", "yes"]
    driving.answer(page, "n")
    other.close()
    assert driving.all_said(data, project)[before:] == ["yes", "yes", "no"]


def test_a_flag_or_note_of_an_item_ahead_is_its_own(
    slow_page: Page, data: Path, project: str
) -> None:
    page = slow_page
    press(page, "y")
    ahead = driving.shown(page)["text"]
    page.keyboard.press("f")
    page.locator("[data-act=unflag]").wait_for()
    driving.settle(page)
    (flag,) = [e for e in driving.events(data, project) if e.kind == "flagged"]
    assert driving.TEXTS[str(flag.item_id)] == ahead == driving.shown(page)["text"]


@pytest.mark.full
def test_roles_and_names_for_those_who_do_not_see_the_page(
    slow_page: Page, data: Path, project: str, before: int
) -> None:
    page = slow_page
    page.evaluate("window.labelcoreDelay = 0")
    item = page.get_by_role("region", name="The item to judge")
    expect(item).to_have_text(driving.shown(page)["text"])
    expect(page.get_by_role("status").filter(has_text=driving.saved(page))).to_have_count(1)
    yes = page.get_by_role("button", name="Yes", exact=True)
    expect(yes).to_have_attribute("aria-keyshortcuts", "Y")
    # By keyboard alone: the focus stays on the button from item to item.
    yes.focus()
    for _ in range(2):
        token = driving.shown(page)["token"]
        page.keyboard.press("Enter")
        driving.wait_for_next(page, token)
        driving.settle(page)
        expect(yes).to_be_focused()
    assert len(driving.all_said(data, project)[before:]) == 2


def test_script_and_style_come_with_the_page_and_not_with_an_answer(
    lasting_page: Page, received: list[list[bytes]]
) -> None:
    once = (b"SHORTEST_LOOK_MS", b".living {", b".lc-surface {")
    first, later = received
    assert [sum(part in one for one in first) for part in once] == [1, 1, 1]
    driving.answer(lasting_page, "y")
    assert any(b"labelcore_drawing" in one for one in later)
    assert not [part for part in once for one in later if part in one]


@pytest.mark.full
def test_two_presses_in_a_row_over_a_slow_line(
    slow_page: Page, data: Path, project: str, before: int
) -> None:
    """The second of each two waits. After Undo nothing is sent ahead: the second press is on the
    item that is answered already (s, y and n, y), or on one that is gone (u, y)."""
    page = slow_page
    for first, second in ("yn", "yu", "sy", "nl", "lb", "uy", "ny"):
        press(page, first)
        press(page, second)
        driving.settle(page)
    assert driving.all_said(data, project)[before:] == [
        "yes", "no", "yes", "unsure", "no", "later", "later", "broken", "no",
    ]  # fmt: skip
    driving.agree(page, data, project, before)
    # Undo as fast as can be: one is sent, one waits, the others are refused.
    gone = driving.undone(driving.events(data, project))
    assert len(gone) == 2
    for _ in range(6):
        page.keyboard.press("u")
    driving.settle(page)
    standing = [e.sequence for e in driving.answers(data, project) if e.sequence not in gone]
    assert driving.undone(driving.events(data, project)) - gone == set(standing[-2:])
