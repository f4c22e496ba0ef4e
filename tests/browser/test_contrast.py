"""Axe finds nothing grave on a page, and every text has a contrast of at least 4.5, in light and
in dark. ``python -m benchmarks.accessibility`` asks this of every page and state."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser import axe, driving
from tests.browser.conftest import wait_until_idle
from tests.browser.contrast import contrasts, too_faint
from tests.browser.server import Server
from tests.cases import sampled

PLAIN, RANKED, LABELS = "Plain", "Ranked", 60
PAGES = {
    "": "h1",
    "new_project": ".st-key-new-upload",
    f"label?project={PLAIN}": ".lc-answers kbd",
    f"label?project={RANKED}": ".lc-answers kbd",
    f"progress?project={PLAIN}": ".living .chart",
    f"explore?project={RANKED}": ".explore .handle",
    f"review?project={PLAIN}": ".st-key-review-table",
    f"report?project={RANKED}": "[data-testid='stCode']",
}
COLOURS = "all => all.map(one => getComputedStyle(one).backgroundColor)"
BACKGROUND = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
FORMER_DARK = "button[role='radio'][data-selected] { color: #0B7BC0 !important; }"


@pytest.fixture(scope="module")
def plain(shared_server: Server) -> Server:
    driving.make_project(shared_server.data, PLAIN, estimands=("accuracy", "precision"))
    driving.label_without_page(shared_server.data, PLAIN, LABELS)
    return shared_server


@pytest.fixture(scope="module")
def ranked(shared_server: Server) -> Server:
    terms = {"design": "geometric_strata", "estimands": ("precision_curve",)}
    driving.make_project(shared_server.data, RANKED, **terms)
    driving.label_without_page(shared_server.data, RANKED, LABELS)
    return shared_server


def show(page: Page, server: Server, path: str) -> None:
    """A page, which asks for nothing that is not there."""
    missing: list[str] = []
    page.on("response", lambda it: missing.append(it.url) if it.status >= 400 else None)
    page.goto(f"{server.url}/{path}")
    page.wait_for_selector(PAGES[path])
    wait_until_idle(page)
    assert not missing


@pytest.mark.parametrize("path", sampled(PAGES, 1, seed=1, keep=[f"label?project={PLAIN}"]))
def test_every_text_can_be_read(
    new_page: Callable[..., Page], request: pytest.FixtureRequest, path: str
) -> None:
    """In light colours, in the dark ones that the same page turns to, and in those of a system."""
    page = new_page(color_scheme="light")
    show(page, request.getfixturevalue("ranked" if RANKED in path else "plain"), path)
    light = page.evaluate(BACKGROUND)
    assert len(contrasts(page)) > 5
    assert too_faint(page) == []
    assert [one for one in axe.look(page)[0] if not one.reason] == []
    page.evaluate("document.querySelector('.stApp a').replaceChildren()")
    assert "link-name" in [one.rule for one in axe.look(page)[0]], "axe finds what is broken"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"was => ({BACKGROUND})() !== was", arg=light)
    wait_until_idle(page)
    assert len(contrasts(page)) > 5
    assert too_faint(page) == []
    bars = page.locator(".track .band, .table .range")
    seen = bars.evaluate_all(COLOURS)
    page.emulate_media(forced_colors="active")
    assert bars.evaluate_all(COLOURS) == seen, "high contrast leaves what is drawn"
    assert seen or not path.startswith("label")


@pytest.mark.full
def test_the_measure_finds_a_chosen_segment_in_the_primary_colour(
    new_page: Callable[..., Page], plain: Server
) -> None:
    page = new_page(color_scheme="dark")
    show(page, plain, f"progress?project={PLAIN}")
    driving.unfold(page, "fold-curve")
    page.locator("[role='radio']").first.wait_for()
    wait_until_idle(page)
    page.add_style_tag(content=FORMER_DARK)
    (faint,) = too_faint(page)
    name, contrast = faint.split(": ")
    assert name == "'Precision'" and 3.7 < float(contrast) < 3.9
