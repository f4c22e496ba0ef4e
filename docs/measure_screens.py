"""What a newcomer has to read, press and look for: ``python -m docs.measure_screens``.

Writes the tables of docs/screens.md; with ``--kinds`` only that of every kind of item.
``--beside FOLDER`` measures another checkout too, such as ``git worktree add FOLDER 5e62b24``, and
puts its numbers before. Words are those on the page as it opens, pixels are from the top of the
window; the seconds are a driver's, who presses at once.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from screenshots import projects  # noqa: E402

from labelcore.words.sentences import count  # noqa: E402
from tests.browser.chromium import launch  # noqa: E402
from tests.browser.conftest import wait_until_idle  # noqa: E402
from tests.browser.server import Server  # noqa: E402

LIST = ROOT / "docs" / "screens.md"
BEGIN = "## What there is to read, to press and to look for"
BEGIN_KINDS = "## Every kind of item in the first screenful"
BUTTONS = ".lc-answers button"
SIZES = ((1280, 720), (1366, 650), (390, 844))
RUNNING, DONE = "Running", "Done"
BARS = ".living .bar"
CHARTS = ".living .chart, .js-plotly-plot"
EDGES = """found => found.filter(one => one.checkVisibility()).map(one => {
  const box = one.getBoundingClientRect();
  return [Math.round(box.top), Math.round(box.bottom)];
})"""
KINDS_HEAD = (
    "By `python -m docs.measure_screens --kinds`. Pixels from the top of the window. A telephone "
    "shows two bars until *Show the chart* is pressed."
)
WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class Seen:
    """One state of a page at one size."""

    state: str
    size: tuple[int, int]
    facts: dict[str, Any]


@dataclass(frozen=True)
class Walk:
    """From Start to the first interval that is not 0 to 100 %: acts and seconds."""

    keys: int
    seconds: float


def measured(browser: Browser, checkout: Path) -> tuple[Walk, list[Seen]]:
    """The walk by key through the trial, then every state at every size."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        environment = {"PYTHONPATH": str(checkout)}
        with Server(data, app=checkout / "app.py", environment=environment) as server:
            page = browser.new_page(
                viewport={"width": 1280, "height": 720}, reduced_motion="reduce"
            )
            page.goto(server.url)
            wait_until_idle(page)  # The first page of a server imports the app.
            page.locator("[class*='st-key-trial-'] button").first.wait_for()
            seen = look(page, "Start, nothing there")
            walk = to_the_first_interval(page, server.url)
            seen += look(page, "Label, first interval")
            projects.trial(data, "digits", 50, RUNNING)
            projects.trial(data, "digits", 50, DONE, projects.finish)
            for state, path in (
                ("Progress, 50 labels", f"progress?project={RUNNING}"),
                ("Label, finished trial", f"label?project={DONE}"),
            ):
                page.goto(f"{server.url}/{path}")
                page.locator(".living .bar, .st-key-line").first.wait_for()
                wait_until_idle(page)
                seen += look(page, state)
            page.close()
            return walk, seen


def to_the_first_interval(page: Page, url: str) -> Walk:
    start = time.monotonic()
    page.goto(url)
    page.locator("[class*='st-key-trial-'] button").first.click()
    page.wait_for_url("**/label?project=*")
    page.locator(".living .bar").first.wait_for()
    wait_until_idle(page)
    keys = 0
    known = page.locator(".living .bar .range").first
    while known.inner_text() in ("not yet", "0 to 100"):
        page.wait_for_timeout(200)  # A press within 150 ms of an item is refused.
        page.keyboard.press("n")
        wait_until_idle(page)
        keys += 1
    return Walk(keys, time.monotonic() - start)


def look(page: Page, state: str) -> list[Seen]:
    seen = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        wait_until_idle(page)
        seen.append(Seen(state, (width, height), facts_of(page)))
    page.set_viewport_size({"width": 1280, "height": 720})
    wait_until_idle(page)
    return seen


def facts_of(page: Page) -> dict[str, Any]:
    """Words, the lowest end of a bar, and where the first chart is; 0 where there is none."""
    bars = page.locator(BARS).evaluate_all(EDGES)
    charts = page.locator(CHARTS).evaluate_all(EDGES) or [[0, 0]]
    # The picture's text is in a shadow tree, which that of the page leaves out.
    read = [page.locator(".stApp").inner_text(), *page.locator(".living").all_inner_texts()]
    return {
        "words": sum(len(WORDS.findall(text)) for text in read),
        "bars": len(bars),
        "last": max((bottom for _, bottom in bars), default=0),
        "top": charts[0][0],
        "bottom": charts[0][1],
    }


def kinds_measured(browser: Browser) -> list[Seen]:
    """Label after the first label, for every kind of item and aim, at every size."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        made = projects.kinds(data, 1)
        with Server(data) as server:
            page = browser.new_page(reduced_motion="reduce")
            seen = []
            for kind, project in made.items():
                page.goto(f"{server.url}/label?project={quote(project)}")
                page.locator(".living .bar").first.wait_for()
                for width, height in SIZES:
                    page.set_viewport_size({"width": width, "height": height})
                    wait_until_idle(page)
                    edges = page.locator(BUTTONS).evaluate_all(EDGES)
                    facts = {**facts_of(page), "answers": max(bottom for _, bottom in edges)}
                    seen.append(Seen(kind, (width, height), facts))
            page.close()
            return seen


def kinds_table(seen: list[Seen]) -> list[str]:
    lines = [
        "| Label after one label | window | bars | last bar ends at | chart | answers end at "
        "| in the window |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in seen:
        facts, (width, height) = one.facts, one.size
        inside = [name for name, end in (("bars", facts["last"]), ("chart", facts["bottom"]),
                  ("answers", facts["answers"])) if 0 < end <= height]  # fmt: skip
        chart = f"{facts['top']} to {facts['bottom']}" if facts["bottom"] else "folded"
        wanted = 3 if facts["bottom"] else 2
        fits = "all" if len(inside) == wanted else ", ".join(inside) or "–"
        name = f"{width} x {height}"
        lines.append(f"| {one.state} | {name} | {facts['bars']} | {facts['last'] or '–'} | {chart} "
                     f"| {facts['answers']} | {fits} |")  # fmt: skip
    return lines


def table(now: list[Seen], before: list[Seen] | None) -> list[str]:
    """A row for each state and size; the numbers of before stand first, and an arrow between."""
    lines = [
        "| state | window | words | last bar ends at | chart | all of it in the window |",
        "|---|---|---|---|---|---|",
    ]
    for place, one in enumerate(now):
        cells = [cells_of(one)]
        if before:
            cells.insert(0, cells_of(before[place]))
        joined = [" → ".join(dict.fromkeys(pair)) for pair in zip(*cells, strict=True)]
        lines.append(f"| {one.state} | {one.size[0]} x {one.size[1]} | {' | '.join(joined)} |")
    return lines


def cells_of(one: Seen) -> list[str]:
    facts = one.facts
    last = max(facts["last"], facts["bottom"])
    there = facts["bars"] > 0 or facts["bottom"] > 0
    return [
        str(facts["words"]),
        str(facts["last"]) if facts["bars"] else "–",
        f"{facts['top']} to {facts['bottom']}" if facts["bottom"] else "–",
        ("yes" if last <= one.size[1] else "no") if there else "–",
    ]


def write(lines: list[str]) -> None:
    """The last part of docs/screens.md."""
    text, _, after = LIST.read_text("utf-8").partition(BEGIN)
    _, mark, kinds = after.partition(BEGIN_KINDS)
    LIST.write_text(f"{text.rstrip()}\n\n{chr(10).join(lines)}\n\n{mark}{kinds}".rstrip() + "\n")


def write_kinds(lines: list[str]) -> None:
    """What stands between its heading and the next one."""
    text, _, after = LIST.read_text("utf-8").partition(BEGIN_KINDS)
    rest = after[after.index("\n## ") :] if "\n## " in after else "\n"
    LIST.write_text(f"{text.rstrip()}\n\n{BEGIN_KINDS}\n\n{chr(10).join(lines)}\n{rest}")


@click.command()
@click.option("--beside", type=click.Path(path_type=Path, exists=True), default=None)
@click.option("--kinds", is_flag=True)
def main(beside: Path | None, kinds: bool) -> None:
    """Measure, and write the table."""
    if kinds:
        with launch(whole=True) as browser:
            lines = [KINDS_HEAD, "", *kinds_table(kinds_measured(browser))]
        write_kinds(lines)
        print("\n".join(lines))
        return
    with launch(whole=True) as browser:
        walk, now = measured(browser, ROOT)
        former, before = measured(browser, beside.resolve()) if beside else (None, None)
    walks = ([("before", former)] if former else []) + [("now", walk)]
    said = "; ".join(
        f"{when}: {count(one.keys, 'key')}, {one.seconds:.1f} s" for when, one in walks
    )
    lines = [
        BEGIN,
        "",
        "Measured by `python -m docs.measure_screens`"
        + (" beside an earlier checkout: before → now" if before else "")
        + ". Words on the page as it opens; pixels from the top of the window.",
        "",
        f"From *Start* to the first interval of the digits trial: one click, then {said}.",
        "",
        *table(now, before),
    ]
    write(lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
