"""The digits trial from one click to its report, and the recorded session of an empty start."""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labelcore.ui.start import HAPPENS
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.contrast import too_faint
from tests.browser.server import ROOT, Server

ITEMS = 14
PROJECT = "Handwritten digits"
SMALLEST_PIXELS = 160


def true_answers(data: Path) -> dict[str, str]:
    """What a perfect person would press for each id."""
    (path,) = (data / "files" / "trials").glob("digits*.csv")
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["id"]: "yn"[row["true_label"] == "0"] for row in csv.DictReader(stream)}


def item_on_screen(data: Path, token: str) -> str:
    (drawn,) = [e for e in driving.events(data, PROJECT) if e.token == token]
    return str(drawn.item_id)


def replay(bundle: Path, file: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which knows nothing of the server or its data folder."""
    command = [sys.executable, "-m", "labelcore", "replay", str(bundle), "--file", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LABELCORE_DATA": str(folder / "none")}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.full
def test_the_digits_from_one_click_to_a_replayed_report(
    server: Server, new_browser: Callable[..., Page], tmp_path: Path,
) -> None:  # fmt: skip
    page = new_browser()
    page.add_init_script(driving.PROBE)
    page.goto(server.url)
    driving.choose(page, page.locator(".st-key-trial-digits button"))
    page.wait_for_url("**/label?project=*")
    driving.wait_for_item(page)
    driving.open_label(page, server.url, PROJECT)
    expect(page.locator(".lc-question")).to_have_text("Is this a 3?")
    truth = true_answers(server.data)
    for _ in range(ITEMS):
        wait_until_idle(page)
        image = page.locator(".lc-item img")
        expect(image).to_have_count(1)
        size = image.bounding_box()
        assert size is not None and min(size["width"], size["height"]) >= SMALLEST_PIXELS
        assert image.evaluate("node => node.complete && node.naturalWidth > 0")
        token = driving.shown(page)["token"]
        driving.answer(page, truth[item_on_screen(server.data, token)])

    stored = driving.answers(server.data, PROJECT)
    presses = driving.pressed(page)
    assert len(stored) == len(presses) == ITEMS
    assert [e.answers for e in stored] == [one.token for one in presses]
    assert [driving.KEYS[driving.said(e)] for e in stored] == [one.key for one in presses]
    assert [truth[str(e.item_id)] for e in stored] == [one.key for one in presses]
    # The picture above the buttons was the item's own: another picture for each item.
    assert len({one.text for one in presses}) == len({e.item_id for e in stored}) == ITEMS

    driving.finish(page)
    state = page.locator(".st-key-state")
    expect(state).to_contain_text("Dots: the truth, inside")
    expect(page.locator(".living .bar .truth").first).to_be_visible()
    expect(page.locator(".living .chart .truth")).to_have_count(1)
    state.get_by_role("button", name="Open the report").click()
    page.wait_for_url("**/report?project=*")
    wait_until_idle(page)
    sentence = page.locator(".st-key-sentence").first.inner_text()
    assert "%" in sentence

    report = driving.download(page, "report.html", tmp_path)
    driving.choose(page, page.locator(".st-key-take-forms button").first)
    bundle = driving.download(page, "bundle.zip", tmp_path)
    (file,) = (server.data / "files" / "trials").glob("digits*.csv")
    server.stop()
    # The report needs neither the server nor a network.
    page.context.set_offline(True)
    page.goto(report.as_uri())
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    read = " ".join(page.locator("body").inner_text().split())
    for part in sentence.split(". "):
        assert part.strip(".") in read
    done = replay(bundle, file, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Everything agrees" in done.stdout and sentence in done.stdout


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
