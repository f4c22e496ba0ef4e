"""Many classes: digit keys, and a narrow screen."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labelcore.plan.plan import Plan
from labelcore.population import read_population
from labelcore.session.session import Session
from labelcore.store import open_store
from tests.browser import driving
from tests.browser.server import Server


def make_many(data: Path, number: int) -> str:
    """A project with so many classes, made without the page."""
    items = [
        {"id": f"i{n}", "text": f"Message {n} about 3 of 5",
         "prediction": f"class number {n % number:02d}"}
        for n in range(240)
    ]  # fmt: skip
    name = f"Classes {number}"
    path = driving.write_csv(data / "files" / f"{name}.csv", items)
    population = read_population(path, id="id", content="text", predictions={"m": "prediction"})
    made = Plan("recalibrated_neyman", ("accuracy",), budget=100, seed=3)
    with closing(open_store(driving.store_url(data))) as store:
        Session(population, made, store, name, settings={"question": "What is it about?"})
    return name


@pytest.mark.parametrize("number", [12, pytest.param(5, marks=pytest.mark.full)])
def test_every_button_can_be_reached_on_a_narrow_screen(
    new_page: Callable[..., Page], shared_server: Server, number: int
) -> None:
    page = new_page(390, 844)
    project = make_many(shared_server.data, number)
    driving.open_label(page, shared_server.url, project)
    buttons = page.locator(".lc-answers button").all()
    assert len(buttons) == min(number, 10) + 3
    boxes = [button.bounding_box() for button in buttons]
    for box in boxes:
        assert box is not None and box["height"] >= 44 - 1
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    # The line of tools stands below the answers, all of it in sight.
    finish = page.locator("[data-act=finish]").bounding_box()
    assert finish is not None and finish["y"] + finish["height"] <= 844
    assert finish["x"] >= 0 and finish["x"] + finish["width"] <= 390
    assert finish["y"] >= max(box["y"] + box["height"] for box in boxes if box) - 1
    if number > 10:
        ten_classes_have_digits_and_the_twelfth_is_found_by_typing(
            page, shared_server.data, project
        )


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (1366, 650)])
def test_many_classes_leave_the_tools_in_sight(
    new_page: Callable[..., Page], shared_server: Server, width: int, height: int
) -> None:
    """The item gives way to them: with twelve classes Undo and Finish stood below the screen."""
    page = new_page(width, height)
    driving.open_label(page, shared_server.url, make_many(shared_server.data, 12))
    for place in ("[data-act=undo]", "[data-act=finish]", ".st-key-more-classes"):
        box = page.locator(place).bounding_box()
        assert box is not None and box["y"] + box["height"] <= height
    item = page.locator(".lc-box").bounding_box()
    assert item is not None and item["height"] >= 140


def ten_classes_have_digits_and_the_twelfth_is_found_by_typing(
    page: Page, data: Path, project: str
) -> None:
    for key in "1029384756":
        driving.answer(page, key)
    token = driving.shown(page)["token"]
    driving.settle(page)
    page.keyboard.press("t")
    expect(page.locator(".st-key-more-classes input")).to_be_focused()
    page.keyboard.type("number 11")
    # Typing digits into the list has labelled nothing.
    assert len(driving.answers(data, project)) == 10
    page.keyboard.press("Enter")
    driving.wait_for_next(page, token)
    driving.settle(page)
    driving.answer(page, "1")
    said = [word.removeprefix("class number ") for word in driving.all_said(data, project)]
    assert said == ["00", "09", "01", "08", "02", "07", "03", "06", "04", "05", "11", "00"]
