"""From the start of the server, and from an address typed, to the first page on the screen.

    python -m benchmarks.first_page [--quick] [--runs 5] [--write]

A server of its own each time, on an empty data folder. The first visitor comes the moment it
answers, or a second later; a second and a third one follow. Every visitor's browser has nothing of
the app yet; the browser itself runs already. The page is there when its buttons to start a trial
are.
"""

from __future__ import annotations

import os
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from benchmarks.browser import cpu_seconds
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command
from benchmarks.harness import table as markdown
from tests.browser.chromium import launch
from tests.browser.server import Server

LATER = (0.0, 1.0)
GOAL_SECONDS = 1.5
THERE = "[class*='st-key-trial-'] button"


def visit(browser: Browser, url: str) -> float:
    """Seconds from the address to the page."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    start = time.monotonic()
    page.goto(url, wait_until="commit")
    page.locator(THERE).first.wait_for()
    taken = time.monotonic() - start
    context.close()
    return taken


def run(later: float) -> list[Row]:
    with launch() as browser, tempfile.TemporaryDirectory() as folder:
        browser.new_page().goto("about:blank")
        before = os.getloadavg()[0]
        start = time.monotonic()
        with Server(Path(folder) / "data") as server:
            answers = time.monotonic() - start
            time.sleep(later)
            first = visit(browser, server.url)
            there = time.monotonic() - start
            used = cpu_seconds(server.process_id)
            others = [visit(browser, server.url) for _ in range(2)]
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return [{"when": when, "load": before, "answers": answers, "first": first, "there": there,
             "cpu": used, "others": others}]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{later:g} s later, run {number + 1}": partial(run, later)
        for number in range(options.runs)
        for later in LATER
    }


def tables(rows: Rows, options: Options) -> str:
    names = ("the first visitor comes", "runs", "server answers after", "first visitor's wait",
             "worst", "goal", "from the start to the first page", "second and third visitor",
             "server's processor time by then")  # fmt: skip
    lines = []
    for later in LATER:
        mine = [
            one for name, part in rows.items() if name.startswith(f"{later:g} s") for one in part
        ]
        first = [one["first"] for one in mine]
        seconds = (
            median(one["answers"] for one in mine),
            median(first),
            max(first),
            GOAL_SECONDS,
            median(one["there"] for one in mine),
            median(other for one in mine for other in one["others"]),
            median(one["cpu"] for one in mine),
        )
        when = f"{later:g} s after it answers" if later else "as soon as it answers"
        lines.append((when, len(mine), *(f"{one:.2f} s" for one in seconds)))
    every = [one for part in rows.values() for one in part]
    loads = [one["load"] for one in every]
    said = f"{every[0]['when']} and after, load {min(loads):.1f} to {max(loads):.1f}; medians."
    return f"{said}\n\n{markdown(names, lines)}"


HEAD = f"""# The first page

{MADE}

A server of its own each time, on an empty data folder. Every visitor's browser has nothing of the
app yet; the browser itself runs already. The page is there when its buttons to start a trial are.

"""
BENCHMARK = Benchmark(
    name="first_page", about=__doc__, jobs=jobs, tables=tables, runs=5, quick_runs=1,
    page="speed_first_page.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
