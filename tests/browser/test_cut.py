"""The cut moved by press and drag in the picture of the curve: numbers and line are one rank."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import labelcore as lc
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server
from tests.browser.test_curve import hover_words

ITEMS = 400
PROJECT = "Cut"
OWN = sum(float(str(row["score_m"])) >= 0.5 for row in driving.simple_rows(ITEMS))
"""The cut of the classifier itself, at which Explore begins."""
LINE_OFF_PIXELS = 1.5
AREA = ".st-key-explore-curve .nsewdrag"
LINE = ".st-key-explore-curve .shapelayer path"
DRAWN_AREA = """selector => [...document.querySelectorAll(selector)]
  .map(one => one.getBoundingClientRect().toJSON()).find(box => box.width > 0)"""
DRAWN_LINE = """selector => [...document.querySelectorAll(selector)]
  .map(one => one.getBoundingClientRect().toJSON()).findLast(box => box.height > 0)"""
# One chart, scrolled to, of the last run of the script, and in its place for twenty frames.
STILL = """selector => {
  const charts = [...document.querySelectorAll(".st-key-explore-curve")];
  charts[0]?.scrollIntoView({ block: "nearest" });
  const fresh = charts.length === 1 && !charts[0].closest("[data-stale='true']");
  const boxes = [...document.querySelectorAll(selector)].map(one => one.getBoundingClientRect());
  const box = fresh ? boxes.find(one => one.width > 0) : undefined;
  const now = JSON.stringify(box), before = window.lastBox;
  window.lastBox = { now, frames: box && before?.now === now ? before.frames + 1 : 0 };
  return window.lastBox.frames >= 20;
}"""
# What was on the screen where and when the pointer was lifted.
HEAR_PRESS = """selector => {
  window.lastPress = null;
  window.addEventListener("pointerup", event => {
    const areas = [...document.querySelectorAll(selector)];
    const area = areas.find(one => one.getBoundingClientRect().width > 0);
    const { data, layout } = area.closest(".js-plotly-plot"), box = area.getBoundingClientRect();
    const points = data.find(one => one.customdata) ?? {};
    window.lastPress = {
      across: (event.clientX - box.left) / box.width, up: (box.bottom - event.clientY) / box.height,
      width: box.width, height: box.height, x: points.x, y: points.y, rank: points.customdata,
      xrange: layout.xaxis.range, yrange: layout.yaxis.range,
    };
  }, { capture: true, once: true });
}"""
MARK = ".labelcore-cut-mark"


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


@pytest.fixture
def explore(page: Page, shared_server: Server, project: str) -> Page:
    open_explore(page, shared_server, project)
    return page


def open_explore(page: Page, server: Server, project: str) -> None:
    page.goto(f"{server.url}/explore?project={project}")
    page.wait_for_selector(f"{AREA} >> nth=0", state="attached")
    require(page, "1")
    choose(page, "Precision")


def require(page: Page, percent: str) -> None:
    """What every cut has to keep; so little that every rank is sure to."""
    driving.fill(page, page.locator(".st-key-explore-required input"), percent)


def choose(page: Page, name: str) -> None:
    driving.choose(page, page.get_by_role("radio", name=name, exact=True))
    page.wait_for_function(STILL, arg=AREA)


def area(page: Page) -> dict[str, float]:
    """Where the curve is drawn; waits while the chart is being replaced."""
    return page.wait_for_function(DRAWN_AREA, arg=AREA).json_value()


def at(page: Page, share: float, height: float = 0.5) -> tuple[float, float]:
    """A place in the picture: shares of its width and of its height."""
    box = area(page)
    return box["x"] + share * box["width"], box["y"] + height * box["height"]


def press(page: Page, share: float, height: float = 0.5) -> Any:
    """Press there; what was on the screen at that moment, and the place in shares of it."""
    page.evaluate(HEAR_PRESS, AREA)
    page.mouse.click(*at(page, share, height))
    seen = page.evaluate("window.lastPress")
    assert seen["across"] == pytest.approx(share, abs=0.05)
    return seen


def field(page: Page, name: str) -> Any:
    # The first one is the new one where a field is just being replaced.
    return page.locator(f"[class*='st-key-cut-{name}'] input").first


def one_rank(page: Page, session: lc.Session, rank: int, *, log: bool = False) -> None:
    """Number, slider, sentence and drawn line all say this rank."""
    expect(field(page, "rank")).to_have_value(str(rank))
    expect(page.get_by_role("slider").first).to_have_value(str(rank))
    expect(page.locator(".st-key-sentence").first).to_have_text(session.cut(rank).sentence())
    expect(page.locator(".st-key-explore-curve").first).to_contain_text(f"cut at {rank:,}")
    expect(page.locator(MARK)).to_have_count(0)
    box = area(page)
    share = share_of(rank, log=log)
    line = page.wait_for_function(DRAWN_LINE, arg=LINE).json_value()
    middle = line["x"] + line["width"] / 2
    assert abs(middle - (box["x"] + share * box["width"])) <= LINE_OFF_PIXELS


def share_of(rank: float, *, log: bool = False) -> float:
    """How far along the level axis a rank stands."""
    return math.log(rank) / math.log(ITEMS) if log else rank / ITEMS


def rank_at(share: float, *, log: bool = False) -> int:
    return round(ITEMS**share if log else ITEMS * share)


@pytest.mark.full
def test_a_press_moves_the_cut(explore: Page, session: lc.Session) -> None:
    for share, height in ((0.5, 0.5), (0.9, 0.05), (0.2, 0.95)):
        seen = press(explore, share, height)
        one_rank(explore, session, rank_at(seen["across"]))


@pytest.mark.full
def test_a_press_on_a_logarithmic_scale(explore: Page, session: lc.Session) -> None:
    choose(explore, "Logarithmic")
    for share in (0.5, 0.85):
        seen = press(explore, share)
        one_rank(explore, session, rank_at(seen["across"], log=True), log=True)


@pytest.mark.full
def test_a_drag_moves_the_cut_where_it_ends(explore: Page, session: lc.Session) -> None:
    explore.mouse.move(*at(explore, 0.3))
    explore.mouse.down()
    explore.mouse.move(*at(explore, 0.6), steps=8)
    expect(explore.locator(MARK)).to_have_text(f"cut at {rank_at(0.6)}")
    assert field(explore, "rank").input_value() == str(OWN)
    explore.mouse.move(*at(explore, 0.7), steps=4)
    explore.mouse.up()
    one_rank(explore, session, rank_at(0.7))
    explore.mouse.move(*at(explore, 0.5))
    explore.mouse.down()
    explore.mouse.move(*at(explore, 1.3), steps=4)
    explore.mouse.up()
    one_rank(explore, session, ITEMS)


def test_no_press_and_no_drag_goes_deeper_than_is_sure(explore: Page, session: lc.Session) -> None:
    """The mark stops where the band's low end meets what is required, and so does the cut."""
    deepest = next(
        (percent, cut.rank)
        for percent in range(95, 5, -1)
        if (cut := session.deepest_cut(percent / 100)) is not None and 10 < cut.rank < 330
    )
    require(explore, str(deepest[0]))
    explore.wait_for_function(STILL, arg=AREA)
    explore.mouse.move(*at(explore, 0.02))
    explore.mouse.down()
    explore.mouse.move(*at(explore, 0.9), steps=8)
    expect(explore.locator(MARK)).to_have_text(f"cut at {deepest[1]}")
    explore.mouse.up()
    one_rank(explore, session, deepest[1])


def test_escape_leaves_the_cut_where_it_was(explore: Page, session: lc.Session) -> None:
    explore.mouse.move(*at(explore, 0.3))
    explore.mouse.down()
    explore.mouse.move(*at(explore, 0.6), steps=4)
    explore.keyboard.press("Escape")
    explore.mouse.up()
    one_rank(explore, session, OWN)


def test_all_ways_to_move_the_cut_stay_one(explore: Page, session: lc.Session) -> None:
    explore.mouse.click(*at(explore, 0.5))
    one_rank(explore, session, 200)
    driving.fill(explore, field(explore, "rank"), "77")
    one_rank(explore, session, 77)
    # The same place once more, and then by the slider.
    explore.mouse.click(*at(explore, 0.5))
    one_rank(explore, session, 200)
    explore.get_by_role("slider").first.press("ArrowRight")
    one_rank(explore, session, 201)
    driving.fill(explore, field(explore, "score"), "0.9")
    expect(field(explore, "rank")).not_to_have_value("201")
    explore.mouse.click(*at(explore, 0.25))
    one_rank(explore, session, 100)
    expect(field(explore, "score")).to_have_value("")


def answer(session: lc.Session) -> None:
    draw = session.next()
    assert draw is not None
    session.answer(draw, True)


def test_labels_that_come_leave_cut_drag_and_hover_alone(
    explore: Page, session: lc.Session
) -> None:
    explore.mouse.click(*at(explore, 0.5))
    one_rank(explore, session, 200)
    explore.mouse.move(*at(explore, 0.55))
    explore.mouse.down()
    explore.mouse.move(*at(explore, 0.6), steps=4)
    answer(session)
    expect(explore.locator(".st-key-line").first).to_contain_text(f"{session.labels} of")
    wait_until_idle(explore)
    expect(explore.locator(MARK)).to_have_text("cut at 240")
    explore.mouse.move(*at(explore, 0.65), steps=4)
    explore.mouse.up()
    one_rank(explore, session, 260)
    answer(session)
    expect(explore.locator(".st-key-line").first).to_contain_text(f"{session.labels} of")
    wait_until_idle(explore)
    one_rank(explore, session, 260)
    assert hover_words(explore).startswith("first ")
    assert not explore.locator("[data-testid='stException']").count()


@pytest.mark.full
def test_a_press_on_two_readings_takes_the_nearest_point(
    explore: Page, session: lc.Session
) -> None:
    choose(explore, "ROC")
    seen = press(explore, 0.5, 0.4)
    ring = explore.locator(".st-key-explore-curve .legendtext", has_text=re.compile("cut at")).first
    (left, right), (low, high) = seen["xrange"], seen["yrange"]

    def far(place: int) -> float:
        across = (seen["x"][place] - left) / (right - left) - seen["across"]
        up = (seen["y"][place] - low) / (high - low) - seen["up"]
        return math.hypot(across * seen["width"], up * seen["height"])

    known = [i for i, x in enumerate(seen["x"]) if x is not None]
    rank = seen["rank"][min(known, key=far)]
    assert rank != OWN
    expect(ring).to_have_text(f"cut at {rank}")
    expect(field(explore, "rank")).to_have_value(str(rank))
    choose(explore, "Precision")
    one_rank(explore, session, rank)


@pytest.fixture
def telephone(
    new_browser: Callable[..., Page], shared_server: Server, project: str
) -> tuple[Page, Callable[..., None]]:
    """The page on a narrow screen, and a finger moved across it."""
    page = new_browser(width=390, height=844, has_touch=True)
    open_explore(page, shared_server, project)
    fingers = page.context.new_cdp_session(page)

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

    return page, swipe


def typed_rank(page: Page) -> int:
    return int(field(page, "rank").input_value())


def test_a_finger_presses_and_drags_across(telephone: Any, session: lc.Session) -> None:
    page, swipe = telephone
    page.touchscreen.tap(*at(page, 0.75))
    expect(field(page, "rank")).not_to_have_value(str(OWN))
    # A pixel is more than an item here.
    assert abs(typed_rank(page) - 300) <= 2
    one_rank(page, session, typed_rank(page))
    before = str(typed_rank(page))
    swipe(at(page, 0.3), at(page, 0.5))
    expect(field(page, "rank")).not_to_have_value(before)
    assert abs(typed_rank(page) - 200) <= 2
    one_rank(page, session, typed_rank(page))


def test_a_finger_that_scrolls_leaves_the_cut(telephone: Any, session: lc.Session) -> None:
    page, swipe = telephone
    high = area(page)["y"]
    swipe(at(page, 0.6, 0.6), at(page, 0.62, 0.1))
    expect(page.locator(MARK)).to_have_count(0)
    page.wait_for_function(STILL, arg=AREA)
    wait_until_idle(page)
    assert area(page)["y"] < high - 50
    one_rank(page, session, OWN)
