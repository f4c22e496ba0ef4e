"""Keys held, pressed twice and pressed too fast: never a label on an item not pressed on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from labelcore.log.events import Event
from tests.browser import driving
from tests.browser.server import Server

SHORTEST_LOOK = 0.150
HELD = 60  # repeats, two seconds and a half of a keyboard
FULL = pytest.mark.full
TEXTS = {f"i{place}": f"Message {place}" for place in range(400)}


@pytest.fixture
def data(shared_server: Server) -> Path:
    return shared_server.data


@pytest.fixture
def project(shared_server: Server, request: pytest.FixtureRequest) -> str:
    return driving.make_project(shared_server.data, request.node.name)


@pytest.fixture
def label_page(page: Page, shared_server: Server, project: str) -> Page:
    driving.open_label(page, shared_server.url, project)
    return page


def quickest(page: Page, stored: list[Event]) -> float:
    """The shortest time in seconds that an item was on the screen before its answer."""
    presses = [one for one in driving.pressed(page) if not one.repeat]
    looked = [
        max(one.looked for one in presses
            if (one.token, one.key) == (event.answers, driving.KEYS[driving.said(event)]))
        for event in stored
    ]  # fmt: skip
    return min(looked) / 1000


def agree(page: Page, data: Path, project: str) -> None:
    stored = driving.answers(data, project)
    assert driving.disagreements(stored, driving.pressed(page), TEXTS) == []
    assert driving.wrongly_drawn(page, data, project, TEXTS) == []


def test_a_key_held_for_seconds_is_one_label(label_page: Page, data: Path, project: str) -> None:
    page = label_page
    driving.answer(page, "n")
    first = driving.shown(page)
    driving.hold(page, "y", HELD)
    driving.settle(page)
    presses = driving.pressed(page)
    assert sum(one.repeat for one in presses) == HELD
    stored = driving.answers(data, project)
    assert [driving.said(event) for event in stored] == ["no", "yes"]
    assert stored[1].answers == first["token"]
    # The key is up: the next press counts.
    driving.answer(page, "y")
    assert [driving.said(e) for e in driving.answers(data, project)] == ["no", "yes", "yes"]
    agree(page, data, project)


@pytest.mark.parametrize("key", ["b", *(pytest.param(key, marks=FULL) for key in "slu")])
def test_every_other_key_held_acts_once(
    label_page: Page, data: Path, project: str, key: str
) -> None:
    page = label_page
    driving.label_items(page, 4, lambda _: "y")
    before = len(driving.events(data, project))
    driving.hold(page, key, HELD // 3)
    driving.settle(page)
    new = driving.events(data, project)[before:]
    done = [event.kind for event in new if event.kind not in ("drawn", "looked")]
    assert done == [{"s": "unsure", "b": "broken", "l": "later", "u": "undone"}[key]]


@pytest.mark.full
@pytest.mark.parametrize(("first", "second"), ["yn", "yy", "ny"])
def test_two_keys_at_once_label_only_what_was_seen(
    label_page: Page, data: Path, project: str, first: str, second: str
) -> None:
    page = label_page
    for _ in range(8):
        token = driving.shown(page)["token"]
        page.keyboard.press(first)
        page.wait_for_timeout(15)
        page.keyboard.press(second)
        driving.wait_for_next(page, token)
        driving.settle(page)
    agree(page, data, project)
    stored = driving.answers(data, project)
    tokens = [event.answers for event in stored]
    assert len(tokens) == len(set(tokens)) and 8 <= len(tokens) <= 16
    assert quickest(page, stored) >= SHORTEST_LOOK


def test_bursts_of_keys_label_only_what_was_seen(
    label_page: Page, data: Path, project: str
) -> None:
    page = label_page
    for burst in ("ynyny", "yyyyy", "nsyln", "yuyuy", "bnuny"):
        for key in burst:
            page.keyboard.press(key)
            page.wait_for_timeout(10)
        driving.settle(page)
    agree(page, data, project)
    stored = driving.answers(data, project)
    assert len(stored) >= 5 and quickest(page, stored) >= SHORTEST_LOOK
    driving.answer(page, "y")
    agree(page, data, project)


def test_double_clicks_are_one_label(label_page: Page, data: Path, project: str) -> None:
    page = label_page
    for place in range(8):
        token = driving.shown(page)["token"]
        which = "positive" if place % 2 else "negative"
        page.locator(f"[data-place={which}]").dblclick()
        driving.wait_for_next(page, token)
        driving.settle(page)
    clicks = driving.pressed(page, "click")
    tokens = [one.token for one in clicks]
    stored = driving.answers(data, project)
    assert len(clicks) == 16
    assert 8 <= len(stored) <= 9
    for event in stored:
        assert event.answers in tokens
    assert driving.wrongly_drawn(page, data, project, TEXTS) == []


def test_an_answer_that_came_too_soon_is_refused_with_a_hint(
    label_page: Page, data: Path, project: str
) -> None:
    page = label_page
    hinted = False
    for _ in range(30):  # On a slow machine the second press may come late enough.
        # Within the page, because a key from here would come too late: y, and as soon as the next
        # item's buttons listen, y again.
        hinted = page.evaluate(
            """() => new Promise(done => {
              const token = labelcoreProbe.now().token;
              const send = () => ["keydown", "keyup"].forEach(kind =>
                document.body.dispatchEvent(new KeyboardEvent(
                  kind, { key: "y", code: "KeyY", keyCode: 89, which: 89, bubbles: true })));
              const watcher = new MutationObserver(() => {
                if (labelcoreProbe.now().token === token) return;
                watcher.disconnect();
                setTimeout(send, 40);
                setTimeout(() => done(
                  document.querySelector(".lc-saved").innerText.includes("Too quick")), 600);
              });
              watcher.observe(document.body, { childList: true, subtree: true, attributes: true });
              send();
            })"""
        )
        if hinted:
            break
    assert hinted
    assert quickest(page, driving.answers(data, project)) >= SHORTEST_LOOK
    driving.settle(page)
    driving.answer(page, "n")
    assert "Too quick" not in driving.saved(page)
    agree(page, data, project)


def test_two_screens_of_one_person_never_label_an_item_twice(
    label_page: Page, shared_server: Server, data: Path, project: str
) -> None:
    other = label_page.context.new_page()
    driving.open_label(other, shared_server.url, project)
    assert driving.shown(other)["token"] == driving.shown(label_page)["token"]
    driving.answer(label_page, "y")
    # The second screen still has the first item, which is answered: its press changes nothing.
    driving.answer(other, "n")
    assert [driving.said(e) for e in driving.answers(data, project)] == ["yes"]
    assert driving.shown(other)["token"] == driving.shown(label_page)["token"]
