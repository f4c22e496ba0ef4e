"""The picture on a narrow screen: folded away until it is asked for."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.server import Server


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
