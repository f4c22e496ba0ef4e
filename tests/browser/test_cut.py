"""Explore by pointer, by finger and by keys: picture, sentences and rows are one state."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import labelcore as lc
from labelcore.charts.design import DARK, LIGHT
from labelcore.words.curves import cut_facts
from tests.answering import answer_draws
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

ITEMS = 400
PROJECT = "Cut"
OWN = sum(float(str(row["score_m"])) >= 0.5 for row in driving.simple_rows(ITEMS))
"""The cut of the classifier itself."""
SCREEN, HANDLE, MARK = ".explore", ".explore .handle", ".explore .mark"
LEFT, RIGHT = 34 / 640, 628 / 640
"""Where the data begin and end, as shares of the picture."""


@pytest.fixture(scope="module")
def project(shared_server: Server) -> str:
    driving.make_project(
        shared_server.data, PROJECT, items=ITEMS, design="geometric_strata",
        estimands=("precision_curve",),
    )  # fmt: skip
    driving.label_without_page(shared_server.data, PROJECT, 60)
    return PROJECT


@pytest.fixture
def session(shared_server: Server, project: str) -> Iterator[lc.Session]:
    opened = lc.Session.open(driving.store_url(shared_server.data), project)
    yield opened
    opened.store.close()


@pytest.fixture(scope="module")
def explore(lasting_page: Page, shared_server: Server, project: str) -> Page:
    """The page, which begins at the cut of the classifier itself."""
    page = lasting_page
    page.goto(f"{shared_server.url}/explore?project={project}")
    page.wait_for_selector(HANDLE)
    wait_until_idle(page)
    whole = page.locator(".explore .range")
    if "all" not in whole.inner_text():
        driving.choose(page, whole)
    expect(page.locator(HANDLE)).to_have_text(f"‹ {OWN:,} ›")
    return page


def rgb(colour: str) -> str:
    """A colour as browsers tell it.

    >>> rgb("#FF8000")
    'rgb(255, 128, 0)'
    """
    return f"rgb({', '.join(str(part) for part in bytes.fromhex(colour[1:]))})"


def at(page: Page, rank: int, height: float = 0.5) -> tuple[float, float]:
    """Where a rank stands in the picture."""
    box = page.locator(".explore .chart").bounding_box()
    assert box is not None
    share = LEFT + rank / ITEMS * (RIGHT - LEFT)
    return box["x"] + share * box["width"], box["y"] + height * box["height"]


def one_rank(page: Page, session: lc.Session, rank: int, off: int = 0) -> int:
    """Number, handle and sentence all say this rank, or one at most ``off`` from it."""
    typed = page.locator(".explore .typed").first
    if off:
        page.wait_for_function(
            "([typed, rank, off]) => Math.abs(typed.value - rank) <= off",
            arg=[typed.element_handle(), rank, off],
        )
        rank = int(typed.input_value())
    expect(typed).to_have_value(str(rank))
    expect(page.locator(HANDLE)).to_have_text(f"‹ {rank:,} ›")
    expect(page.locator(".explore .facts").first).to_contain_text(cut_facts(session.cut(rank)))
    expect(page.locator(MARK)).to_be_hidden()
    return rank


def answer(session: lc.Session) -> None:
    answer_draws(session, True, 1)


def test_all_that_is_asked_is_in_the_first_screenful(explore: Page) -> None:
    for place in (".chart", ".keep", ".need", ".rows .row >> nth=6", ".terms"):
        box = explore.locator(f".explore {place}").first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 720, place
    for name in ("packages", "costs", "readings"):
        box = explore.locator(f".st-key-fold-{name} summary").bounding_box()
        assert box is not None and box["y"] + box["height"] <= 720, name


UNDER_HANDLE = """() => {
  const root = [...document.querySelectorAll("*")].map(one => one.shadowRoot)
    .find(one => one && one.querySelector(".handle"));
  const of = what => [...root.querySelectorAll(what)];
  const air = 3;  // Above and below its letters the box of a text is empty.
  const box = one => one.getBoundingClientRect();
  const handle = box(of(".handle")[0]);
  return of(".remark").filter(one => box(one).right > handle.left && box(one).left < handle.right
    && box(one).bottom - air > handle.top && box(one).top + air < handle.bottom)
    .map(one => one.textContent);
}"""


def test_the_handle_covers_no_words(explore: Page, session: lc.Session) -> None:
    size = explore.viewport_size
    for width in (390, 1280):
        explore.set_viewport_size({"width": width, "height": 800})
        for rank in (150, 200, 250, 300, 350):
            driving.fill(explore, explore.locator(".explore .typed").first, str(rank))
            one_rank(explore, session, rank)
            assert explore.locator(".explore .remark").count()
            assert explore.evaluate(UNDER_HANDLE) == [], (width, rank)
    assert size is not None
    explore.set_viewport_size(size)


def test_all_ways_to_move_the_cut_are_one(explore: Page, session: lc.Session) -> None:
    explore.mouse.click(*at(explore, 200))
    one_rank(explore, session, 200, off=1)
    driving.fill(explore, explore.locator(".explore .typed").first, "77")
    one_rank(explore, session, 77)
    for _ in range(3):
        explore.keyboard.press("ArrowRight")
    one_rank(explore, session, 80)
    explore.keyboard.press("Shift+ArrowLeft")
    one_rank(explore, session, 70)
    pressed = ".explore .row[aria-pressed='true']"
    expect(explore.locator(pressed)).to_contain_text("90 %")
    explore.keyboard.press("ArrowDown")
    explore.keyboard.press("ArrowDown")
    expect(explore.locator(pressed)).to_contain_text("70 %")
    expect(explore.locator(".explore .typed").nth(1)).to_have_value("70")
    expect(explore.locator(".explore .pick")).to_have_count(0)
    for key in ("n", "3", "0", "Enter"):
        explore.keyboard.press(key)
    deepest = session.deepest_cut(0.3)
    assert deepest is not None and deepest.rank > 10
    driving.choose(explore, explore.locator(".explore .pick"))
    one_rank(explore, session, deepest.rank)
    for key in ("k", "5", "5", "Enter"):
        explore.keyboard.press(key)
    one_rank(explore, session, 55)
    assert not explore.locator("[data-testid='stException']").count()


def test_labels_that_come_leave_cut_and_drag_alone(explore: Page, session: lc.Session) -> None:
    explore.mouse.move(*at(explore, 220))
    explore.mouse.down()
    explore.mouse.move(*at(explore, 240), steps=4)
    answer(session)
    expect(explore.locator(".st-key-line").first).to_contain_text(f"{session.labels} of")
    wait_until_idle(explore)
    expect(explore.locator(MARK)).to_be_visible()
    explore.mouse.move(*at(explore, 260), steps=4)
    explore.mouse.up()
    rank = one_rank(explore, session, 260, off=1)
    answer(session)
    expect(explore.locator(".st-key-line").first).to_contain_text(f"{session.labels} of")
    wait_until_idle(explore)
    one_rank(explore, session, rank)


@pytest.fixture
def telephone(explore: Page) -> Iterator[tuple[Page, Callable[..., None]]]:
    """The page on a narrow screen, and a finger moved across it."""
    page, usual = explore, explore.viewport_size
    assert usual is not None
    page.set_viewport_size({"width": 390, "height": 844})
    fingers = page.context.new_cdp_session(page)
    fingers.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    wait_until_idle(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        sent = [{"x": x, "y": y} for x, y in points]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": sent})

    def swipe(start: tuple[float, float], end: tuple[float, float]) -> None:
        touch("touchStart", start)
        for step in range(1, 11):
            part = step / 10
            touch("touchMove", tuple(a + part * (b - a) for a, b in zip(start, end, strict=True)))
            page.wait_for_timeout(30)
        touch("touchEnd")

    yield page, swipe
    fingers.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    page.set_viewport_size(usual)


def test_a_finger_drags_across_and_scrolls_up(telephone: Any, session: lc.Session) -> None:
    page, swipe = telephone
    swipe(at(page, 120), at(page, 200))
    # A pixel is more than an item here.
    rank = one_rank(page, session, 200, off=2)
    high = page.locator(".explore .chart").bounding_box()["y"]
    swipe(at(page, 240, 0.6), at(page, 248, 0.1))
    page.wait_for_function(
        "([chart, high]) => chart.getBoundingClientRect().y < high - 50",
        arg=[page.locator(".explore .chart").element_handle(), high],
    )
    wait_until_idle(page)
    one_rank(page, session, rank)


def test_charts_turn_with_the_theme(explore: Page) -> None:
    driving.unfold(explore, "fold-readings")
    line = explore.locator(".st-key-fold-readings .gridlayer path").first
    expect(line).to_have_css("stroke", rgb(LIGHT.rule))
    explore.emulate_media(color_scheme="dark")
    expect(line).to_have_css("stroke", rgb(DARK.rule))
    explore.emulate_media(color_scheme="light")
    expect(line).to_have_css("stroke", rgb(LIGHT.rule))
