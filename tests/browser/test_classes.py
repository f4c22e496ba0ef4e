"""Five classes from the first label to the last by digit keys; many classes on a narrow screen."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labelcore.plan.plan import Plan
from labelcore.population import read_population
from labelcore.session.session import Session
from labelcore.store import open_store
from tests.browser import driving
from tests.browser.server import Server

NAMES = ["ads", "bills", "chat", "family", "work"]
KEYS = {**dict(zip(NAMES, "12345", strict=True)), "unsure": "s", "later": "l", "broken": "b"}
CYCLE = "1234554321s1b3l42"
BUDGET = 40


def rows(number: int, names: list[str]) -> list[dict[str, object]]:
    return [
        {"id": f"i{n}", "text": f"Message {n} about 3 of 5", "prediction": names[n % len(names)]}
        for n in range(number)
    ]


def make_project(data: Path, name: str, items: list[dict[str, object]], **plan: Any) -> str:
    """A project of several classes, made without the page; its name."""
    path = driving.write_csv(data / "files" / f"{name}.csv", items)
    population = read_population(path, id="id", content="text", predictions={"m": "prediction"})
    made = Plan("recalibrated_neyman", seed=3, **plan)
    with closing(open_store(driving.store_url(data))) as store:
        Session(population, made, store, name, settings={"question": "What is it about?"})
    return name


@pytest.mark.full
def test_five_classes_are_labelled_by_digits_to_the_end(shared_server: Server, page: Page) -> None:
    items = rows(120, NAMES)
    project = make_project(
        shared_server.data, "five", items, estimands=("precision", "recall"), budget=BUDGET
    )
    driving.open_label(page, shared_server.url, project)
    presses = 0
    while not page.locator(".st-key-state").count():
        driving.answer(page, CYCLE[presses % len(CYCLE)])
        presses += 1
        assert presses <= 2 * BUDGET
    expect(page.locator(".st-key-state")).to_contain_text("All the labels asked for are there")

    texts = {str(row["id"]): str(row["text"]) for row in items}
    stored = driving.answers(shared_server.data, project)
    assert len(stored) == len(driving.pressed(page)) == presses
    assert driving.disagreements(stored, driving.pressed(page), texts, KEYS) == []
    assert driving.wrongly_drawn(page, shared_server.data, project, texts) == []
    assert {driving.said(event) for event in stored} >= {*NAMES, "unsure", "broken", "later"}
    final = [event for event in stored if event.kind != "later"]
    assert len({event.index for event in final}) == BUDGET

    swapped = {**KEYS, "ads": "2", "bills": "1"}
    wrong = driving.disagreements(stored, driving.pressed(page), texts, swapped)
    assert len(wrong) == sum(driving.said(event) in ("ads", "bills") for event in stored)


def make_many(data: Path, number: int) -> str:
    """A project with so many classes, made without the page."""
    items = rows(240, [f"class number {n:02d}" for n in range(number)])
    return make_project(data, f"Classes {number}", items, estimands=("accuracy",), budget=100)


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
        the_tenth_class_has_the_key_0_and_the_twelfth_is_found_by_typing(
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


def the_tenth_class_has_the_key_0_and_the_twelfth_is_found_by_typing(
    page: Page, data: Path, project: str
) -> None:
    driving.answer(page, "0")
    box = page.locator(".st-key-more-classes input")
    box.click()
    page.keyboard.type("number 11")
    page.keyboard.press("Enter")
    confirm = page.locator("[class*='st-key-more-answer-'] button")
    expect(confirm).to_be_enabled()
    # Typing digits into the list has labelled nothing.
    assert len(driving.answers(data, project)) == 1
    token = driving.shown(page)["token"]
    driving.settle(page)
    confirm.click()
    driving.wait_for_next(page, token)
    said = driving.all_said(data, project)
    assert said == ["class number 09", "class number 11"]
