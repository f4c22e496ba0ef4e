"""Enlarged to 200 %, without motion, and as a screen reader is told."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labelcore.population import read_population
from labelcore.session.session import Session
from labelcore.store import open_store
from labelcore.trials.table import TRIALS
from tests.answering import answer_draws
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

SEEN = """box => {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const middle = document.elementFromPoint((left + right) / 2, (Math.max(top, 0) + bottom) / 2);
  return { top, bottom, middle: box.contains(middle) };
}"""
Tree = list[Mapping[str, Any]]


@pytest.fixture
def project(shared_server: Server, request: pytest.FixtureRequest) -> str:
    name = driving.make_project(shared_server.data, request.node.name)
    driving.label_without_page(shared_server.data, name, 3)
    return name


@pytest.mark.full
def test_at_200_percent_the_item_is_in_sight_and_every_button_is_reached(
    new_page: Callable[..., Page], shared_server: Server, project: str
) -> None:
    """1280 x 720 at 200 % is a window of 640 x 360."""
    page = new_page(640, 360)
    driving.open_label(page, shared_server.url, project)
    seen = page.locator(".lc-box .lc-text").first.evaluate(SEEN)
    assert seen["top"] >= 0 and seen["bottom"] <= 360 and seen["middle"]
    buttons = page.locator(".lc-answers button, .lc-tools button:enabled").all()
    assert len(buttons) == 12
    for button in buttons:
        button.focus()
        assert button.evaluate(SEEN)["middle"], "something lies over it"
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    driving.answer(page, "y")
    assert driving.saved(page) == "Saved: Yes"


@pytest.mark.full
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_for_whoever_asked_for_that(
    new_page: Callable[..., Page], shared_server: Server, finished_trial: str, motion: str
) -> None:
    page = new_page()
    page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
    page.goto(f"{shared_server.url}/label?project={finished_trial}")
    page.locator(".living .truth").first.wait_for()
    names = page.locator(".living *").evaluate_all(
        "all => all.map(one => getComputedStyle(one).animationName)"
    )
    wait_until_idle(page)
    assert ("land" in names) is (motion == "no-preference")


@pytest.fixture
def finished_trial(shared_server: Server) -> str:
    name, trial = "A finished trial", TRIALS["digits"]
    with closing(open_store(driving.store_url(shared_server.data))) as store:
        if name not in [one.name for one in store.projects()]:
            path = trial.write(shared_server.data / "files")
            population = read_population(path, **trial.read_arguments)
            session = Session(population, trial.plan, store, name, settings={"trial": trial.name})
            answer_draws(session, lambda draw: draw.index % 2 == 0, 20)
            session.results()
            session.finish("Enough.")
    return name


def told(page: Page) -> Tree:
    """What the browser tells a screen reader: its accessibility tree."""
    found = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")
    return [one for one in found["nodes"] if not one["ignored"]]


def facts(node: Mapping[str, Any]) -> dict[str, Any]:
    return {one["name"]: one["value"].get("value") for one in node.get("properties", [])}


def words(tree: Tree, node: Mapping[str, Any]) -> str:
    """All text below a node."""
    known = {one["nodeId"]: one for one in tree}

    def below(one: Mapping[str, Any]) -> Iterator[str]:
        if one["role"]["value"] == "StaticText":
            yield one["name"]["value"]
        for child in one.get("childIds", []):
            if child in known:
                yield from below(known[child])

    return " ".join(below(node))


def live(tree: Tree) -> list[str]:
    """What the polite live regions say."""
    return [words(tree, one) for one in tree if facts(one).get("live") == "polite"]


def named(tree: Tree, role: str) -> dict[str, Mapping[str, Any]]:
    return {one["name"]["value"]: one for one in tree if one["role"]["value"] == role}


def test_a_screen_reader_is_told_the_item_the_keys_and_what_was_saved_and_keeps_the_focus(
    page: Page, shared_server: Server, project: str
) -> None:
    driving.open_label(page, shared_server.url, project)
    before = told(page)
    item = named(before, "region")["The item to judge"]
    assert words(before, item) == driving.shown(page)["text"]
    assert named(before, "heading")["Is this right?"]
    assert facts(named(before, "button")["Yes"])["keyshortcuts"] == "Y"
    driving.answer(page, "n")
    after = told(page)
    assert "Saved: No" in live(after)
    assert driving.shown(page)["text"] in live(after)
    assert words(after, named(after, "region")["The item to judge"]) == driving.shown(page)["text"]
    assert any(name.startswith("Accuracy") for name in named(after, "image")), "the chart's words"
    a_fold_opened_by_the_mouse_keeps_no_focus(page)


def a_fold_opened_by_the_mouse_keeps_no_focus(page: Page) -> None:
    driving.unfold(page, "details")
    page.keyboard.press("h")
    page.locator(".st-key-beside").wait_for()
    page.keyboard.press("Escape")
    page.locator(".lc-answers button").first.wait_for()
    fold = page.locator(".st-key-details summary")
    assert not fold.evaluate("one => one.getRootNode().activeElement === one")
    fold.focus()
    page.keyboard.press("Enter")  # Whoever opens it by key stays there.
    expect(fold).to_be_focused()
