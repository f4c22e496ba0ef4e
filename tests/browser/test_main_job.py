"""From a file to labels through the browser: every label belongs to the item that was seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labelcore.session.session import Session
from tests.browser import driving, traps
from tests.browser.driving import Pressed
from tests.browser.server import Server

ITEMS, SEED = 14, 1  # With other seeds a tenth of the projects draws no hostile text so early.
CYCLE = "yynynnysynbyny"


def create_project(page: Page, url: str, path: Path, question: str) -> str:
    """Through the three screens of the page; the name of the project."""
    driving.to_aim(page, url, path, question)
    driving.choose_aim(page, "How accurate is it?")
    driving.unfold(page, "new-advanced")
    driving.fill(page, page.locator(".st-key-new-seed input"), str(SEED))
    page.add_init_script(driving.PROBE)
    driving.create_project(page)
    driving.wait_for_item(page)
    return path.stem


@pytest.fixture
def requests(page: Page) -> Iterator[list[str]]:
    """Every address that the page asked for."""
    asked: list[str] = []
    listeners = {
        "request": lambda request: asked.append(request.url),
        "page": lambda opened: asked.append(f"new page {opened.url}"),
    }
    for event, listener in listeners.items():
        page.context.on(event, listener)
    yield asked
    for event, listener in listeners.items():
        page.context.remove_listener(event, listener)


def test_a_file_with_every_trap_is_labelled_as_it_was_seen(
    shared_server: Server, page: Page, requests: list[str], tmp_path: Path
) -> None:
    rows = traps.rows()
    path = driving.write_csv(tmp_path / "letters and traps.csv", rows)
    project = create_project(page, shared_server.url, path, "Is it <b>spam</b> for $5 or **more**?")
    # A page of its own: the probe must be there from its first moment.
    driving.open_label(page, shared_server.url, project)
    expect(page.locator(".lc-question")).to_have_text("Is it <b>spam</b> for $5 or **more**?")
    driving.label_items(page, ITEMS, lambda place: CYCLE[place % len(CYCLE)])

    texts = {str(row["id"]): str(row["text"]) for row in rows}
    stored = driving.answers(shared_server.data, project)
    presses = driving.pressed(page)
    assert len(stored) == len(presses) == ITEMS
    assert driving.disagreements(stored, presses, texts) == []
    assert driving.wrongly_drawn(page, shared_server.data, project, texts) == []

    shown = {one["text"] for one in driving.probed(page)["shown"]}
    assert shown & set(traps.HOSTILE) and shown & set(traps.EMPTY_LOOKING)
    assert page.evaluate(f"window.{traps.FLAG}") is None
    elsewhere = [
        url for url in requests if not url.startswith((shared_server.url, "data:", "blob:"))
    ]
    assert elsewhere == [], "something on the page asked another machine"
    for word in (traps.TRUE, traps.FALSE):
        assert not driving.page_source_holds(page, word), "the answer key is on the page"


def test_the_comparison_would_catch_a_shifted_label(tmp_path: Path) -> None:
    """The test above can fail: labels stored for the neighbour of the item seen are found."""
    data = tmp_path / "data"
    driving.make_project(data, items=60, budget=50)
    session = Session.open(driving.store_url(data), "Messages")
    presses = []
    for _ in range(6):
        draw = session.next()
        assert draw is not None
        presses.append(Pressed("y", draw.token, session.item(draw)["text"]))
        session.answer(draw, True)
    texts = {f"i{place}": f"Message {place}" for place in range(60)}
    stored = driving.answers(data, "Messages")
    assert driving.disagreements(stored, presses, texts) == []
    later = [presses[-1], *presses[:-1]]
    shifted = [Pressed(a.key, a.token, b.text) for a, b in zip(presses, later, strict=True)]
    assert len(driving.disagreements(stored, shifted, texts)) == 6
    assert len(driving.disagreements(stored, presses[1:], texts)) == 1
    repeats = [Pressed(a.key, a.token, a.text, repeat=True) for a in presses]
    assert len(driving.disagreements(stored, repeats, texts)) == 6
    other_key = [Pressed("n", a.token, a.text) for a in presses]
    assert len(driving.disagreements(stored, other_key, texts)) == 6
