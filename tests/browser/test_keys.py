"""Keys held, pressed twice and pressed too fast: never a label on an item not pressed on."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from labelcore.log.events import Event
from tests.browser import driving
from tests.browser.server import Server

SHORTEST_LOOK = 0.145  # Of 150 ms: the probe notes an item later than the page, a press earlier.
HELD = 60  # repeats, two seconds and a half of a keyboard
FULL = pytest.mark.full


@pytest.fixture(scope="module")
def project(data: Path) -> str:
    return driving.make_project(data, "Keys")


@pytest.fixture(scope="module")
def label_page(lasting_page: Page, shared_server: Server, project: str) -> Page:
    driving.open_label(lasting_page, shared_server.url, project)
    return lasting_page


@pytest.fixture
def before(label_page: Page, data: Path, project: str) -> int:
    """The answers there were when the test began."""
    driving.settle(label_page)
    return len(driving.answers(data, project))


def quickest(page: Page, stored: list[Event]) -> float:
    """The shortest time in seconds that an item was on the screen before its answer."""
    presses = [one for one in driving.pressed(page) if not one.repeat]
    looked = [
        max(one.looked for one in presses
            if (one.token, one.key) == (event.answers, driving.KEYS[driving.said(event)]))
        for event in stored
    ]  # fmt: skip
    return min(looked) / 1000


def test_a_key_held_for_seconds_is_one_label(
    label_page: Page, data: Path, project: str, before: int
) -> None:
    page = label_page
    repeats = sum(one.repeat for one in driving.pressed(page))
    driving.answer(page, "n")
    first = driving.shown(page)
    driving.hold(page, "y", HELD)
    driving.settle(page)
    presses = driving.pressed(page)
    assert sum(one.repeat for one in presses) == repeats + HELD
    stored = driving.answers(data, project)[before:]
    assert [driving.said(event) for event in stored] == ["no", "yes"]
    assert stored[1].answers == first["token"]
    # The key is up: the next press counts.
    driving.answer(page, "y")
    assert driving.all_said(data, project)[before:] == ["no", "yes", "yes"]
    driving.agree(page, data, project, before)


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
    label_page: Page, data: Path, project: str, before: int, first: str, second: str
) -> None:
    page = label_page
    for _ in range(8):
        token = driving.shown(page)["token"]
        page.keyboard.press(first)
        page.wait_for_timeout(15)
        page.keyboard.press(second)
        driving.wait_for_next(page, token)
        driving.settle(page)
    driving.agree(page, data, project, before)
    stored = driving.answers(data, project)[before:]
    tokens = [event.answers for event in stored]
    assert len(tokens) == len(set(tokens)) and 8 <= len(tokens) <= 16
    assert quickest(page, stored) >= SHORTEST_LOOK


def test_bursts_of_keys_label_only_what_was_seen(
    label_page: Page, data: Path, project: str, before: int
) -> None:
    page = label_page
    for burst in ("ynyny", "yyyyy", "nsyln", "yuyuy", "bnuny"):
        for key in burst:
            page.keyboard.press(key)
            page.wait_for_timeout(10)
        driving.settle(page)
    driving.agree(page, data, project, before)
    stored = driving.answers(data, project)[before:]
    assert len(stored) >= 5 and quickest(page, stored) >= SHORTEST_LOOK
    driving.answer(page, "y")
    driving.agree(page, data, project, before)


def test_double_clicks_are_one_label(
    label_page: Page, data: Path, project: str, before: int
) -> None:
    page, clicked = label_page, len(driving.pressed(label_page, "click"))
    for place in range(8):
        token = driving.shown(page)["token"]
        which = "positive" if place % 2 else "negative"
        page.locator(f"[data-place={which}]").dblclick()
        driving.wait_for_next(page, token)
        driving.settle(page)
    clicks = driving.pressed(page, "click")[clicked:]
    tokens = [one.token for one in clicks]
    stored = driving.answers(data, project)[before:]
    assert len(clicks) == 16
    assert 8 <= len(stored) <= 9
    for event in stored:
        assert event.answers in tokens
    assert driving.wrongly_drawn(page, data, project, driving.TEXTS) == []


def test_an_answer_that_came_too_soon_is_refused_with_a_hint(
    label_page: Page, data: Path, project: str, before: int
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
    assert quickest(page, driving.answers(data, project)[before:]) >= SHORTEST_LOOK
    driving.settle(page)
    driving.answer(page, "n")
    assert "Too quick" not in driving.saved(page)
    driving.agree(page, data, project, before)


def test_keys_act_where_no_item_is_left(lasting_page: Page, shared_server: Server) -> None:
    page, name = lasting_page, "Keys at the end"
    driving.begin(page, shared_server, name, design="simple_random", budget=2, promise="fixed")
    for key in "yn":
        driving.answer(page, key)
    page.keyboard.press("h")
    page.get_by_text("What counts?").wait_for(timeout=10_000)
    page.keyboard.press("u")
    driving.wait_for_item(page)
    assert len(driving.undone(driving.events(shared_server.data, name))) == 1
