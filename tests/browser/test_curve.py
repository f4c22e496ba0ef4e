"""Ranked lists of pairs labelled by keys while a second browser explores the curve.

PAULA's list is typed from the first label to the last. Of the list in geometric strata the last
labels are typed; those before are answered through the library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import labelcore as lc
from labelcore.store import open_store
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

ITEMS = 300
PLANS: dict[str, dict[str, Any]] = {
    "geometric_strata": {"budget": 150},
    "paula": {"params": {"epsilon": 0.4, "window": 4}},
}
PAULA_FIRST_BLOCK, PAULA_LABELS = 21, 49
TYPED = 3
LIVE_SECONDS = 4.0
# The two lines in the picture of the curve, [ranks, values] of the low and of the high one.
DRAWN_BOUNDS = """() =>
  (document.querySelector(".st-key-explore-curve .js-plotly-plot")?.data ?? [])
    .filter(line => line.legendgroup === "bounds").map(line => [line.x, line.y])"""


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


def type_live(
    page: Page, viewer: Page, truth: dict[str, bool], numbers: Iterable[int], planned: int
) -> None:
    """Type these labels, counted from 1; each is seen by the other in time."""
    line = viewer.locator(".st-key-line").first
    for number in numbers:
        type_truth(page, truth)
        with driving.Pace() as pace:
            expect(line).to_contain_text(f"{number} of {planned}")
        assert pace.seconds <= LIVE_SECONDS


def open_explore(viewer: Page, url: str, project: str) -> Page:
    viewer.goto(f"{url}/explore?project={project}")
    viewer.wait_for_selector(".st-key-promise")
    wait_until_idle(viewer)
    return viewer


def cut_field(viewer: Page) -> Locator:
    # The first one is the new one where a part of the page is just being replaced.
    return viewer.locator("[class*='st-key-cut-rank'] input").first


def require_little(viewer: Page) -> None:
    """So little that nearly every rank is sure to keep it, and may be chosen."""
    required = viewer.locator(".st-key-explore-required input")
    if required.input_value() != "0.1":
        driving.fill(viewer, required, "0.1")


def cut_at(viewer: Page, rank: int) -> Locator:
    """The sentence of the page about the first ``rank`` items."""
    require_little(viewer)
    driving.fill(viewer, cut_field(viewer), str(rank))
    sentence = viewer.locator(".st-key-sentence").first
    expect(sentence).to_contain_text(f"the first {rank} items")
    return sentence


def agrees_with_session(viewer: Page, data: Path, project: str, ranks: Iterable[int]) -> None:
    """Promise, drawn bounds and the sentence of each cut are those of the session now.

    A cut that is there already is not typed again: its sentence came by itself.
    """
    session = lc.Session.open(driving.store_url(data), project)
    with closing(session.store):
        curve = session.curve()
        expect(viewer.locator(".st-key-promise").first).to_have_text(
            session.band("precision").sentence()
        )
        viewer.wait_for_function(
            f"last => ({DRAWN_BOUNDS})()[0]?.[0].at(-1) === last", arg=int(curve.rank[-1])
        )
        _, low, high = curve.read("precision")
        drawn = viewer.evaluate(DRAWN_BOUNDS)
        assert len(drawn) == 2
        for (x, y), bound in zip(drawn, (low, high), strict=True):
            assert x == curve.rank.tolist() and y == pytest.approx(bound.tolist(), abs=1e-12)
        require_little(viewer)
        for rank in ranks:
            if cut_field(viewer).input_value() != str(rank):
                cut_at(viewer, rank)
            expect(viewer.locator(".st-key-sentence").first).to_have_text(
                session.cut(rank).sentence()
            )


def typed_as_stored(page: Page, data: Path, project: str, truth: dict[str, bool]) -> int:
    """How many labels are stored, each the truth and by a press of its key on its item."""
    stored = driving.answers(data, project)
    assert all(driving.said(e) == ("yes" if truth[str(e.item_id)] else "no") for e in stored)
    assert [(e.answers, driving.KEYS[driving.said(e)]) for e in stored] == [
        (one.token, one.key) for one in driving.pressed(page)
    ]
    return len(stored)


@pytest.mark.full
def test_paula_is_typed_to_the_end_while_another_explores(
    page: Page, new_page: Callable[..., Page], shared_server: Server
) -> None:
    """Every label by a key. The other looks after the first finished block and at the end."""
    data, url = shared_server.data, shared_server.url
    project, truth = make_list(data, "paula")
    planned, first_block = PAULA_LABELS, PAULA_FIRST_BLOCK
    driving.open_label(page, url, project)
    viewer = open_explore(new_page(), url, project)
    promise = viewer.locator(".st-key-promise").first
    expect(promise).to_contain_text("no item has a label yet")
    for _ in range(first_block - 1):
        type_truth(page, truth)
    expect(promise).to_contain_text(f"{first_block - 1} of {first_block} items judged before")
    type_live(page, viewer, truth, [first_block], planned)
    agrees_with_session(viewer, data, project, ranks=(20, 77))
    expect(viewer.locator(".st-key-sentence").first).to_contain_text("Nothing is known yet")
    for _ in range(planned - TYPED - first_block):
        type_truth(page, truth)
    type_live(page, viewer, truth, range(planned - TYPED + 1, planned + 1), planned)
    assert typed_as_stored(page, data, project, truth) == planned
    expect(cut_field(viewer)).to_have_value("77")
    agrees_with_session(viewer, data, project, ranks=(77, 20))
    assert hover_words(viewer).startswith("first ")
    assert not viewer.locator("[data-testid='stException']").count()


def test_the_end_of_a_prefilled_list_is_typed_while_another_explores(
    page: Page, new_page: Callable[..., Page], shared_server: Server
) -> None:
    """Geometric strata: all labels but the last three are answered through the library."""
    data, url = shared_server.data, shared_server.url
    project, truth = make_list(data, "geometric_strata")
    answer_until(data, project, truth, TYPED)
    driving.open_label(page, url, project)
    viewer = open_explore(new_page(), url, project)
    viewer.wait_for_selector(".st-key-explore-curve .main-svg")
    sentence = cut_at(viewer, 77)
    planned = len(driving.answers(data, project)) + TYPED
    type_live(page, viewer, truth, range(planned - TYPED + 1, planned + 1), planned)
    assert len(driving.answers(data, project)) == planned
    session = lc.Session.open(driving.store_url(data), project)
    expect(sentence).to_contain_text(session.cut(77).sentence())
    expect(cut_field(viewer)).to_have_value("77")
    assert hover_words(viewer).startswith("first ")
    session.store.close()
    assert not viewer.locator("[data-testid='stException']").count()


def hover_words(page: Page) -> str:
    """What stands beside the pointer in the middle of the curve."""
    chart = page.locator(".st-key-explore-curve")
    expect(chart).to_have_count(1)
    chart.scroll_into_view_if_needed()
    wait_until_idle(page)
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
    expect(page.locator(".living .bar")).to_contain_text("Accuracy")
    expect(page.locator(".living .chart")).to_be_hidden()
    expect(page.locator(".st-key-wide")).to_be_hidden()
    driving.choose(page, page.locator(".st-key-folded button"))
    expect(page.locator(".st-key-wide")).to_be_visible()
    expect(page.locator(".living .chart")).to_be_visible()
    # A press leaves it open.
    driving.answer(page, "y")
    expect(page.locator(".st-key-wide")).to_be_visible()
    wide = new_page()
    driving.open_label(wide, url, project)
    expect(wide.locator(".st-key-folded")).to_be_hidden()
    expect(wide.locator(".living .chart")).to_be_visible()
