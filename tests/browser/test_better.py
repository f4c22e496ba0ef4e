"""Is A better than B? Two that hardly differ: from the file to the exact difference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.server import Server
from tests.designs.paired_files import nearly_equal

DIFFER = 6


@pytest.mark.full
def test_words_that_change_with_the_labels_are_no_choice(
    shared_server: Server, page: Page, tmp_path: Path
) -> None:
    """A browser tells a choice by its words: those of methods and slider name numbers."""
    nearly_equal(tmp_path / "numbers", 300, DIFFER, seed=3)
    path = next((tmp_path / "numbers").glob("*.csv"))
    driving.to_aim(page, shared_server.url, path, "Is it spam?")
    driving.choose_aim(page, "Precision and recall")
    driving.unfold(page, "new-advanced")
    driving.unfold(page, "new-methods")
    slider = page.locator(".st-key-new-slider input[type=range]").first
    chosen = page.locator(".st-key-new-row label:has(input:checked)")
    for labels in ("120", "130"):
        driving.fill(page, page.locator(".st-key-new-budget input"), labels)
        expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^{labels}: "))
        expect(chosen).to_contain_text(f" · {labels}")
