"""New project walked through in Chromium: every question of each kind of file, by mouse and by key.

    python docs/walk_new_project.py [--kinds "near equal,tied scores"] [--widths 1280,390]

prints a table for docs/new_project.md. For each kind of file of ``tests/app/test_every_aim.py`` the
first two screens are passed once; on the last one every question is chosen, with the mouse and then
with the arrow keys. A question *reaches Create* where the button to start stands there, or *one
press* where a button that is offered leads to it. Then a margin is asked for, and the page is
loaded anew and must show the same question, price and contents of every input; Create is reached
and pressed by keys alone.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path

from playwright.sync_api import Page

sys.path.insert(0, str(Path(__file__).parent.parent))

from labelcore.ui.draft import MARGIN
from tests.app.test_every_aim import written
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.own_app import HEIGHTS, OwnApp, own_app

KINDS = (
    *("near equal", "two different", "one classifier", "no prediction"),
    *("three classes", "five classes", "tied scores"),
)
MOST_TABS = 80
CHECKED = ".st-key-new-aim input:checked"
SHOWN = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const held = [...main.querySelectorAll("input, textarea")].map(one =>
    ["radio", "checkbox"].includes(one.type) ? one.checked : one.value);
  const pressed = [...main.querySelectorAll("[data-testid=stButtonGroup] [aria-checked=true]")];
  const price = main.querySelector("[class*=st-key-new-price]");
  return JSON.stringify([held, pressed.map(one => one.innerText), price && price.innerText]);
}"""
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


def walk(app: OwnApp, path: Path, width: int) -> dict[str, str]:
    """What came of one file: questions, those that need a press, the reload and the keys."""
    page = app.page(width)
    driving.to_aim(page, app.url, path, "Is it spam?")
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
    margin = page.get_by_text(MARGIN, exact=True)
    if margin.count():
        driving.choose(page, margin)
        page.locator(".st-key-new-margin input").wait_for()
        wait_until_idle(page)
    before = page.evaluate(TITLE), page.evaluate(SHOWN)
    page.reload()
    page.locator(".st-key-new-create button").wait_for()
    wait_until_idle(page)
    after = page.evaluate(TITLE), page.evaluate(SHOWN)
    kept = before == after
    if not kept:
        print(before, after, sep="\n", file=sys.stderr)
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
    asked.add_argument("--widths", default=",".join(map(str, HEIGHTS)))
    given = asked.parse_args()
    with own_app() as app:
        print("| file | width | questions | by mouse | by keys | a reload | Create by keys |")
        print("|---|---|---|---|---|---|---|")
        for kind in given.kinds.split(","):
            for width in map(int, given.widths.split(",")):
                path = app.folder / f"{kind} {width}.csv"
                path.write_bytes(written(kind))
                found = walk(app, path, width)
                print(f"| {kind} | {width} | {' | '.join(found.values())} |", flush=True)


if __name__ == "__main__":
    main()
