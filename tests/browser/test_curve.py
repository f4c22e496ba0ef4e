"""A ranked list of pairs labelled to the end by keys, while a second browser explores the curve."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import labelcore as lc
from labelcore.store import open_store
from tests.browser import driving
from tests.browser.server import Server

ITEMS = 300
PLANS: dict[str, dict[str, Any]] = {
    "geometric_strata": {"budget": 150},
    "paula": {"params": {"epsilon": 0.3, "window": 5}},
}
TYPED = 3
LIVE_SECONDS = 4.0


def make_list(data: Path, design: str) -> tuple[str, dict[str, bool]]:
    """A project on 300 scored pairs; its name and {id: truth}."""
    random = Random(6)
    scores = sorted((random.betavariate(0.7, 1) for _ in range(ITEMS)), reverse=True)
    truth = {f"p{n}": random.random() < score for n, score in enumerate(scores)}
    rows = [
        {"id": name, "left": f"phrase {name}", "right": f"other {name}", "score": round(score, 5)}
        for name, score in zip(truth, scores, strict=True)
    ]
    path = driving.write_csv(data / "files" / f"{design}.csv", rows)
    population = lc.read_population(path, id="id", content=["left", "right"], scores={"m": "score"})
    plan = lc.Plan(design, ["precision_curve", "average_precision"], seed=4, **PLANS[design])
    with closing(open_store(driving.store_url(data))) as store:
        lc.Session(population, plan, store, design, settings={"question": "Alike?"})
    return design, truth


def answer_until(data: Path, project: str, truth: dict[str, bool], left: int) -> None:
    """Answers made without the page, until so many are left to be typed."""
    session = lc.Session.open(driving.store_url(data), project)
    for _ in range(int(session.plan.planned or 0) - left):
        draw = session.next()
        assert draw is not None
        session.answer(draw, truth[draw.item_id])
    session.store.close()


def type_truth(page: Page, truth: dict[str, bool]) -> None:
    item = re.search(r"phrase\s+(p\d+)", page.locator(driving.BOX).inner_text())
    assert item is not None
    driving.answer(page, "y" if truth[item[1]] else "n")


@pytest.mark.parametrize("design", PLANS)
def test_a_list_is_labelled_to_the_end_while_another_explores(
    page: Page, new_page: Callable[..., Page], shared_server: Server, design: str
) -> None:
    data, url = shared_server.data, shared_server.url
    project, truth = make_list(data, design)
    answer_until(data, project, truth, TYPED)
    driving.open_label(page, url, project)
    viewer = new_page()
    viewer.goto(f"{url}/explore?project={project}")
    viewer.wait_for_selector(".st-key-explore-curve .main-svg")
    rank = viewer.locator("[class*='st-key-cut-rank'] input")
    rank.fill("77")
    rank.press("Enter")
    sentence = viewer.locator(".st-key-sentence")
    expect(sentence).to_contain_text("the first 77 items")
    line = viewer.locator(".st-key-line").first
    planned = len(driving.answers(data, project)) + TYPED
    for number in range(planned - TYPED + 1, planned + 1):
        type_truth(page, truth)
        start = time.monotonic()
        expect(line).to_contain_text(f"{number} of {planned}")
        assert time.monotonic() - start <= LIVE_SECONDS
    assert len(driving.answers(data, project)) == planned
    session = lc.Session.open(driving.store_url(data), project)
    expect(sentence).to_contain_text(session.cut(77).sentence())
    expect(rank).to_have_value("77")
    assert hover_words(viewer).startswith("first ")
    session.store.close()
    assert not viewer.locator("[data-testid='stException']").count()


def hover_words(page: Page) -> str:
    """What stands beside the pointer in the middle of the curve."""
    page.locator(".st-key-explore-curve").scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    box = page.locator(".st-key-explore-curve .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2)
    return page.locator(".st-key-explore-curve .hovertext").first.text_content() or ""


def test_figures_unfold_on_a_narrow_screen(
    new_page: Callable[..., Page], shared_server: Server
) -> None:
    data, url = shared_server.data, shared_server.url
    project = driving.make_project(data, "Narrow", budget=60)
    driving.label_without_page(data, project, 45)
    page = new_page(width=390, height=844)
    driving.open_label(page, url, project)
    expect(page.locator(".st-key-narrow")).to_contain_text("Accuracy")
    expect(page.locator(".st-key-wide")).to_be_hidden()
    page.locator(".st-key-folded button").click()
    expect(page.locator(".st-key-wide")).to_be_visible()
    expect(page.locator(".st-key-history-chart")).to_be_visible()
    # A press leaves it open.
    driving.answer(page, "y")
    expect(page.locator(".st-key-wide")).to_be_visible()
    wide = new_page()
    driving.open_label(wide, url, project)
    expect(wide.locator(".st-key-folded")).to_be_hidden()
    expect(wide.locator(".st-key-narrow")).to_be_hidden()
