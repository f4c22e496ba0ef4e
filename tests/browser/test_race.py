"""Prices simulated while a person goes on: typing is kept, Cancel leaves the formulas."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

RACE_MS = 10_000


@pytest.mark.full
def test_a_race_can_be_typed_through_and_cancelled(
    shared_server: Server, page: Page, tmp_path: Path
) -> None:
    score = np.random.default_rng(1).beta(0.6, 1.4, 20_000).round(6)
    rows = [{"id": f"i{n}", "text": f"item {n}", "score": one} for n, one in enumerate(score)]
    path = driving.write_csv(tmp_path / "raced.csv", rows)
    driving.to_aim(page, shared_server.url, path, "Is it spam?")
    driving.unfold(page, "new-advanced")
    page.locator(".st-key-new-aim").get_by_text("How accurate is it?").click()
    name = page.locator(".st-key-new-project-name input")
    name.fill("typed while it ran")
    simulated = page.get_by_text("Simulated on your scores", exact=True)
    formulas = page.get_by_text("By formulas:")
    expect(simulated.or_(formulas)).to_be_visible()
    expect(name).to_have_value("typed while it ran")

    driving.choose_aim(page, "Precision and recall")
    driving.choose(page, page.get_by_text("± points", exact=True))
    headline = page.locator(".st-key-new-price")
    shown = begin_and_cancel(page)
    expect(page.locator(".st-key-new-race-cancel")).to_have_count(0)
    wait_until_idle(page)
    assert headline.inner_text() == shown
    expect(simulated.or_(formulas)).to_have_count(0)


def begin_and_cancel(page: Page) -> str:
    """Ask for a margin and cancel its race, which a busy machine may miss; the formulas' price."""
    margin = page.locator(".st-key-new-margin input")
    for points in ("1", "1.1", "1.2", "1.3"):
        margin.fill(points)
        margin.press("Enter")
        price = page.locator(".st-key-new-price").filter(has_text=f"± {float(points):.1f} points")
        price.wait_for()
        shown = price.inner_text()
        with suppress(TimeoutError):
            page.locator(".st-key-new-race-cancel button").click(timeout=RACE_MS)
            return shown
    raise AssertionError("no race could be cancelled")
