"""Is A better than B? Two that hardly differ: from the file to the exact difference."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.server import Server
from tests.designs.paired_files import nearly_equal, true_difference

DIFFER = 6


def test_two_that_hardly_differ_end_with_an_exact_difference(
    shared_server: Server, page: Page, tmp_path: Path
) -> None:
    known = nearly_equal(tmp_path / "mine", 300, DIFFER, seed=2)
    path = next((tmp_path / "mine").glob("*.csv"))
    truth = {f"item {place}": bool(label) for place, label in enumerate(known.truth)}
    driving.to_aim(page, shared_server.url, path, "Is it spam?")
    driving.choose_aim(page, re.compile("^Is .* better than .*[?]$"))
    driving.unfold(page, "new-methods")
    driving.choose(page, page.get_by_text(re.compile(r"^Paired comparison · [\d,]+$")))
    driving.unfold(page, "new-advanced")
    page.get_by_text(f"The two disagree on {DIFFER} of the 300 items.").wait_for()
    driving.create_project(page)
    driving.open_label(page, shared_server.url, path.stem)
    for _ in range(DIFFER):
        text = driving.shown(page)["text"]
        driving.answer(page, "y" if truth[text] else "n")
    gap = f"{abs(100 * true_difference(known, 'accuracy_difference')):.2f}"
    exact = re.compile(f"Accuracy difference is exactly [−+]{gap} points")
    page.get_by_text(exact).first.wait_for()


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
