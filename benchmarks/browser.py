"""From a key press to the next item painted, in a real Chromium.

    python -m benchmarks.browser [--quick] [--runs 3] [--write]

The clock starts at the keydown event in the page and stops after the frame that shows the next item
was painted (its change in the page, then two animation frames). A press counts as one with chart
when the chart was drawn again before that moment or within the same answer.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any

import click
from playwright.sync_api import Page, sync_playwright

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from tests.browser import driving
from tests.browser.chromium import ARGUMENTS, NAMES
from tests.browser.server import Server

ITEMS, LABELLED, DROPPED, LABELS, FEW_LABELS = 20_000, 60, 5, 100, 20
GOALS = {"without chart": (40, 80), "with chart": (40, 80)}
THINK_MS = (100, 300)
ANSWER_WAIT_MS = 200

STOPWATCH = """
(() => {
  const times = [];
  let current = null;
  const item = () => {
    const text = document.querySelector(".lc-item .lc-text");
    return text ? text.textContent : "";
  };
  window.addEventListener("keydown", () => {
    current = { start: performance.now(), before: item(), dom: 0, painted: 0, buttons: 0,
                chart: 0 };
    times.push(current);
  }, true);
  const chartChanged = records => records.some(r => {
    const node = r.target.nodeType === 1 ? r.target : r.target.parentElement;
    return node && node.closest(".js-plotly-plot");
  });
  const buttons = () => {
    const box = document.querySelector(".lc-item .lc-box");
    return box ? box.dataset.token : "";
  };
  let shownButtons = "";
  document.addEventListener("DOMContentLoaded", () => new MutationObserver(records => {
    if (!current) { shownButtons = buttons(); return; }
    const one = current;
    if (!one.dom && item() !== one.before) {
      one.dom = performance.now();
      const painted = () => { one.painted = performance.now(); };
      requestAnimationFrame(() => requestAnimationFrame(painted));
    }
    const now = buttons();
    if (now && now !== shownButtons) { shownButtons = now; one.buttons = performance.now(); }
    if (chartChanged(records)) one.chart = performance.now();
  }).observe(document.body, { childList: true, subtree: true, characterData: true,
                              attributes: true }));
  window.stopwatch = times;
})();
"""


def rows() -> list[dict[str, object]]:
    random = Random(5)
    words = ["the", "offer", "of", "your", "parcel", "is", "free", "until", "we", "meet", "at"]
    return [
        {
            "id": f"i{place}",
            "text": f"Message {place}: " + " ".join(random.choices(words, k=40)),
            "score_m": round(random.random(), 3),
        }
        for place in range(ITEMS)
    ]


def cpu_seconds(process: int) -> float:
    """Processor time of a process so far, user and system."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(page: Page, server: Server, project: str, labels: int) -> dict[str, Any]:
    random = Random(2)
    page.add_init_script(STOPWATCH)
    page.goto(f"{server.url}/label?project={project}")
    driving.wait_for_item(page)
    page.wait_for_timeout(1500)
    for _ in range(DROPPED):
        press(page, random)
    page.evaluate("stopwatch.length = 0")
    start, at = cpu_seconds(server.process_id), time.monotonic()
    for _ in range(labels):
        press(page, random)
    used, took = cpu_seconds(server.process_id) - start, time.monotonic() - at
    return {
        "presses": page.evaluate("stopwatch"),
        "cpu_ms": 1000 * used / labels,
        "seconds": took,
        "answers": len(driving.answers(server.data, project)),
    }


def press(page: Page, random: Random) -> None:
    page.keyboard.press(random.choice("yyn"))
    page.wait_for_function(
        "() => { const s = stopwatch.at(-1); return !s || (s.painted && s.buttons); }",
        polling=50,
    )
    page.wait_for_timeout(ANSWER_WAIT_MS + random.uniform(*THINK_MS) - THINK_MS[0])


def percentiles(values: list[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    if len(values) < 2:
        return (values[0], values[0]) if values else (float("nan"), float("nan"))
    cut = quantiles(values, n=100, method="inclusive")
    return cut[49], cut[94]


def table(found: dict[str, Any]) -> str:
    presses = [one for one in found["presses"] if one["painted"]]
    groups = {
        "without chart": [one for one in presses if not one["chart"]],
        "with chart": [one for one in presses if one["chart"]],
        "all": presses,
    }
    names = ("presses", "number", "median ms", "95th percentile ms", "goal ms",
             "next item in the page, median", "answer buttons of it, median")  # fmt: skip
    rows = []
    for name, group in groups.items():
        painted = percentiles([one["painted"] - one["start"] for one in group])
        dom = percentiles([one["dom"] - one["start"] for one in group])
        buttons = percentiles([one["buttons"] - one["start"] for one in group if one["buttons"]])
        goal = " / ".join(map(str, GOALS[name])) if name in GOALS else ""
        numbers = (*painted, goal, dom[0], buttons[0])
        shown = [one if isinstance(one, str) else f"{one:.0f}" for one in numbers]
        rows.append((name, len(group), *shown))
    return markdown(names, rows)


def run(labels: int) -> list[Row]:
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise click.ClickException(f"no Chromium: none of {', '.join(NAMES)} is on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        project = driving.make_project(
            data, rows=rows(), budget=400, estimands=("accuracy", "precision", "recall")
        )
        driving.label_without_page(data, project, LABELLED)
        before = os.getloadavg()[0]
        with Server(data) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            found = measure(page, server, project, labels)
            version = browser.version
            browser.close()
    expected = LABELLED + DROPPED + labels
    if found["answers"] != expected:
        raise click.ClickException(f"{expected} presses gave {found['answers']} answers")
    words = (
        f"{labels} labels (before them {LABELLED} made without the page and {DROPPED} dropped), "
        f"{ITEMS:,} items, three estimands, recalibrated_neyman; {found['seconds']:.0f} s; "
        f"Chromium {version}; "
        f"{os.cpu_count()} cores for server and browser, load {before:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after; server processor time {found['cpu_ms']:.0f} ms a label."
    )
    return [{"when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "words": words, **found}]


def jobs(options: Options) -> dict[str, Job]:
    labels = FEW_LABELS if options.quick else LABELS
    return {f"run {number + 1}": partial(run, labels) for number in range(options.runs)}


def tables(rows: Rows, options: Options) -> str:
    return "\n".join(
        f"## Run {number}, {one['when']}\n\n{one['words']}\n\n{table(one)}"
        for number, one in enumerate(flat(rows), start=1)
    )


HEAD = f"""# Key press to next item painted

{MADE}

The clock starts at the keydown event in the page and stops after the frame that shows the next item
was painted (its change in the page, then two animation frames). A press counts as one with chart
when the chart was drawn again before that moment or within the same answer.

"""
BENCHMARK = Benchmark(
    name="browser", about=__doc__, jobs=jobs, tables=tables, runs=3, quick_runs=1,
    page="speed_browser.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
