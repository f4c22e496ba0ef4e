"""An empty start page plays a recorded session once, and shows its end where nothing is to move."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from labelcore.ui.start import HAPPENS
from tests.browser.conftest import wait_until_idle
from tests.browser.contrast import too_faint
from tests.browser.server import Server

CHARTS = """() => {
  const roots = [...document.querySelectorAll("*")].map(one => one.shadowRoot).filter(Boolean);
  const charts = [document, ...roots].flatMap(root => [...root.querySelectorAll(".recorded svg")]);
  const moving = charts.flatMap(one => one.getAnimations());
  const times = moving.map(one => one.effect.getComputedTiming().iterations);
  moving.forEach(one => one.finish());
  return { times, cut: charts.map(one => getComputedStyle(one).clipPath) };
}"""


@pytest.mark.full
def test_it_plays_once_or_not_at_all(server: Server, new_browser: Callable[..., Page]) -> None:
    for motion in ("no-preference", "reduce"):
        page = new_browser(reduced_motion=motion)
        page.goto(server.url)
        page.get_by_text(HAPPENS).wait_for()
        page.locator(".recorded svg").last.wait_for()
        wait_until_idle(page)
        found = page.evaluate(CHARTS)
        assert found["times"] == ([1, 1] if motion == "no-preference" else [])
        cut = found["cut"][1]
        assert cut == "none" or not re.search(r"[1-9]", cut), "at its end it is seen whole"
        assert too_faint(page) == []
