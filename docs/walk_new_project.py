"""New project walked through in Chromium: every question of each kind of file, by mouse and by key.

    python docs/walk_new_project.py [--kinds "near equal,tied scores"] [--widths 1280,390]

prints a table for docs/new_project.md. For each kind of file of ``tests/app/test_every_aim.py`` the
first two screens are passed once; on the last one every question is chosen, with the mouse and then
with the arrow keys. A question *reaches Create* where the button to start stands there, or *one
press* where a button that is offered leads to it. Then the page is loaded anew and must show the
same question, and Create is reached and pressed by keys alone.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.app.test_every_aim import written
from tests.browser import driving
from tests.browser.chromium import ARGUMENTS, NAMES
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

KINDS = (
    *("near equal", "two different", "one classifier", "no prediction"),
    *("three classes", "five classes", "tied scores"),
)
HEIGHTS = {1280: 720, 390: 844}
MOST_TABS = 80
CHECKED = ".st-key-new-aim input:checked"
TITLE = """() => {
  const box = document.querySelector(".st-key-new-aim input:checked");
  return box ? box.closest("label").innerText.split("\\n")[0].trim() : "";
}"""


def outcome(page: Page) -> str:
    """What is pressed to reach Create, "" for nothing; "stuck" where nothing leads there."""
    wait_until_idle(page)
    create = page.locator(".st-key-new-create button")
    if create.count():
        return ""
    ways = page.locator("[class*='st-key-new-way-out-'] button")
    if not ways.count():
        return "stuck"
    words = ways.first.inner_text()
    driving.choose(page, ways.first)
    return words if create.count() else "stuck"


def titles(page: Page) -> list[str]:
    """Every question that this file can be asked."""
    more = page.get_by_text("More questions", exact=True)
    if more.count():
        driving.choose(page, more)
    labels = page.locator(".st-key-new-aim [role=radiogroup] label").all_inner_texts()
    return [one.split("\n")[0].strip() for one in labels]


def walk(browser: Browser, url: str, path: Path, width: int) -> dict[str, str]:
    """What came of one file: questions, those that need a press, the reload and the keys."""
    size = {"width": width, "height": HEIGHTS[width]}
    page = browser.new_context(viewport=size).new_page()
    page.set_default_timeout(60_000)
    driving.to_aim(page, url, path, "Is it spam?")
    names = titles(page)
    by_mouse = {}
    for name in names:
        driving.choose_aim(page, name)
        by_mouse[name] = outcome(page)
    driving.choose_aim(page, names[0])
    wait_until_idle(page)
    page.locator(CHECKED).focus()
    by_key = {}
    for place in range(len(names)):
        if place:
            page.locator(CHECKED).focus()
            page.keyboard.press("ArrowDown")
            wait_until_idle(page)
        name = page.evaluate(TITLE)
        by_key[name] = outcome(page)
    driving.choose_aim(page, names[0])
    outcome(page)
    before = page.evaluate(TITLE)
    page.reload()
    page.locator(".st-key-new-create button").wait_for()
    wait_until_idle(page)
    kept = page.evaluate(TITLE) == before
    started = create_by_keys(page)
    page.context.close()
    return {
        "questions": str(len(names)),
        "by mouse": told(by_mouse, names),
        "by keys": told(by_key, names),
        "a reload": "keeps all" if kept else "LOSES",
        "Create by keys": "starts" if started else "NOT REACHED",
    }


def told(found: dict[str, str], names: list[str]) -> str:
    """How many reach Create, and how many by one press."""
    missing = [name for name in names if name not in found]
    stuck = [name for name, how in found.items() if how == "stuck"] + missing
    pressed = [name for name, how in found.items() if how not in ("", "stuck")]
    direct = len(found) - len(pressed) - len([one for one in found.values() if one == "stuck"])
    words = f"{direct} of {len(names)}"
    words += f", {len(pressed)} by one press ({', '.join(pressed)})" if pressed else ""
    return words + (f", STUCK: {', '.join(stuck)}" if stuck else "")


def create_by_keys(page: Page) -> bool:
    """Tab to the last button and press Enter: whether labelling begins."""
    page.locator(CHECKED).focus()
    inside = "() => !!document.activeElement.closest('.st-key-new-create')"
    for _ in range(MOST_TABS):
        if page.evaluate(inside):
            page.keyboard.press("Enter")
            page.wait_for_url("**/label?project=*")
            return True
        page.keyboard.press("Tab")
    return False


def main() -> None:
    asked = ArgumentParser()
    asked.add_argument("--kinds", default=",".join(KINDS))
    asked.add_argument("--widths", default="1280,390")
    given = asked.parse_args()
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise SystemExit(f"no Chromium: none of {', '.join(NAMES)} is on the PATH")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, data = Path(name) / "mine", Path(name) / "data"
        folder.mkdir()
        data.mkdir()
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        print("| file | width | questions | by mouse | by keys | a reload | Create by keys |")
        print("|---|---|---|---|---|---|---|")
        with Server(data) as server:
            for kind in given.kinds.split(","):
                for width in map(int, given.widths.split(",")):
                    path = folder / f"{kind} {width}.csv"
                    path.write_bytes(written(kind))
                    found = walk(browser, server.url, path, width)
                    print(f"| {kind} | {width} | {' | '.join(found.values())} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
