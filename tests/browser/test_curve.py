"""Ranked lists of pairs labelled by keys while a second browser explores the curve.

PAULA's list is typed from the first label to the last. Of the list in geometric strata the last
labels are typed; those before are answered through the library.
"""

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
from labelcore.words.curves import band_terms, cut_facts, keep_words
from tests.answering import answer_draws
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
    answer_draws(session, lambda draw: truth[draw.item_id], int(session.plan.planned or 0) - left)
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
    viewer.wait_for_selector(".explore .handle")
    wait_until_idle(viewer)
    return viewer


def cut_field(viewer: Page) -> Locator:
    return viewer.locator(".explore .typed").first


def agrees_with_session(viewer: Page, data: Path, project: str, ranks: Iterable[int]) -> None:
    """The promise, and what is said of each cut, are those of the session now.

    A cut that is there already is not typed again: its words came by themselves.
    """
    session = lc.Session.open(driving.store_url(data), project)
    with closing(session.store):
        terms = band_terms(session.band("precision"))
        expect(viewer.locator(".explore .terms")).to_contain_text(terms)
        for rank in ranks:
            if cut_field(viewer).input_value() != str(rank):
                driving.fill(viewer, cut_field(viewer), str(rank))
            cut = session.cut(rank)
            expect(viewer.locator(".explore .said").first).to_have_text(keep_words(cut))
            expect(viewer.locator(".explore .facts").first).to_contain_text(cut_facts(cut))


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
    waits = viewer.locator(".explore .need .facts")
    expect(waits).to_contain_text("no item has a label yet")
    for _ in range(first_block - 1):
        type_truth(page, truth)
    expect(waits).to_contain_text(f"{first_block - 1} of {first_block} items judged before")
    type_live(page, viewer, truth, [first_block], planned)
    agrees_with_session(viewer, data, project, ranks=(20, 77))
    for _ in range(planned - TYPED - first_block):
        type_truth(page, truth)
    type_live(page, viewer, truth, range(planned - TYPED + 1, planned + 1), planned)
    assert typed_as_stored(page, data, project, truth) == planned
    expect(cut_field(viewer)).to_have_value("77")
    agrees_with_session(viewer, data, project, ranks=(77, 20))
    assert not viewer.locator("[data-testid='stException']").count()


@pytest.mark.full
def test_the_end_of_a_prefilled_list_is_typed_while_another_explores(
    page: Page, new_page: Callable[..., Page], shared_server: Server
) -> None:
    """Geometric strata: all labels but the last three are answered through the library."""
    data, url = shared_server.data, shared_server.url
    project, truth = make_list(data, "geometric_strata")
    answer_until(data, project, truth, TYPED)
    driving.open_label(page, url, project)
    viewer = open_explore(new_page(), url, project)
    driving.fill(viewer, cut_field(viewer), "77")
    planned = len(driving.answers(data, project)) + TYPED
    type_live(page, viewer, truth, range(planned - TYPED + 1, planned + 1), planned)
    assert len(driving.answers(data, project)) == planned
    expect(cut_field(viewer)).to_have_value("77")
    agrees_with_session(viewer, data, project, ranks=(77,))
    assert not viewer.locator("[data-testid='stException']").count()


@pytest.mark.full
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
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    chart, answers = (page.locator(one).bounding_box() for one in (".living .chart", ".lc-answers"))
    assert chart is not None and answers is not None
    assert chart["y"] + chart["height"] <= answers["y"], "the answers lie over the chart"
    # A press leaves it open.
    driving.answer(page, "y")
    expect(page.locator(".st-key-wide")).to_be_visible()
    wide = new_page()
    driving.open_label(wide, url, project)
    expect(wide.locator(".st-key-folded")).to_be_hidden()
    expect(wide.locator(".living .chart")).to_be_visible()
