"""By key: two people differ, and it is settled."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server


@pytest.mark.full
def test_two_people_differ_and_it_is_settled(
    shared_server: Server, new_browser: Callable[..., Page]
) -> None:
    data, url = shared_server.data, shared_server.url
    project = driving.make_project(data, "Differing", overlap=1.0)
    first, other = new_browser(), new_browser()
    driving.open_label(first, url, project)
    texts = []
    for _ in range(2):
        texts.append(driving.shown(first)["text"])
        driving.answer(first, "y")
    driving.open_label(other, url, project)
    for text in texts:  # The same items, and nothing tells what was said of them.
        assert driving.shown(other)["text"] == text
        expect(other.locator(".st-key-who")).to_be_visible()
        driving.answer(other, "n")
    asked = other.locator(".st-key-who").bounding_box()
    assert asked is not None and asked["y"] + asked["height"] <= 800, "above the end of the screen"
    driving.fill(other, other.locator(".st-key-who-name input"), "Bob", "Enter")
    expect(other.locator(".st-key-who")).to_have_count(0)

    other.goto(f"{url}/people?project={project}")
    for number, key in enumerate("yn"):
        expect(other.get_by_text(f"{number} of 2 settled")).to_be_visible()
        wait_until_idle(other)
        reason = other.locator("[class*='st-key-settle-reason'] input")
        driving.fill(other, reason, "an offer, really")
        settled = [one for one in driving.events(data, project) if one.kind == "settled"]
        assert len(settled) == number, "a key that was typed settles nothing"
        other.locator(".st-key-quiet-left").click()
        other.keyboard.press(key)
    expect(other.get_by_text("Which answer counts?")).to_have_count(0)
    wait_until_idle(other)
    settled = [one for one in driving.events(data, project) if one.kind == "settled"]
    assert [(one.label, one.text, one.annotator) for one in settled] == [
        ("yes", "an offer, really", "me 2"), ("no", "an offer, really", "me 2"),
    ]  # fmt: skip
