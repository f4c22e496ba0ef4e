"""From a key press to the next item painted, in a real Chromium, one session and eight at once.

    python -m benchmarks.browser [--quick] [--runs 3] [--write]

The clock starts at the keydown event in the page and stops after the frame that shows the next item
was painted (its change in the page, then two animation frames). An item is confirmed when the page
has the server's word that the answer is stored and the item is the one drawn.
"""

import os
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any

import click
from playwright.sync_api import Page, WebSocket

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from tests.browser import driving
from tests.browser.chromium import launch
from tests.browser.server import Server

ITEMS, LABELLED, DROPPED, LABELS, FEW_LABELS = 20_000, 60, 5, 100, 20
SESSIONS = (1, 8)
GOALS = {1: (20, 40), 8: (40, 80)}
BETWEEN_MS = {1: (300, 500), 8: (900, 1100)}
"""From one press of a session to its next."""

STOPWATCH = """
(() => {
  const times = [];
  let current = null;
  const box = () => document.querySelector(".lc-item:not([hidden]) .lc-box");
  window.addEventListener("keydown", () => {
    current = { start: performance.now(), before: box().dataset.showing, dom: 0, painted: 0,
                confirmed: 0, ahead: false };
    times.push(current);
  }, true);
  document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
    const one = current, now = box();
    if (!one || !now || now.dataset.showing === one.before) return;
    if (!one.dom) {
      one.dom = performance.now();
      one.ahead = !now.dataset.token;
      const painted = () => { one.painted = performance.now(); };
      requestAnimationFrame(() => requestAnimationFrame(painted));
    }
    if (now.dataset.token && !one.confirmed) one.confirmed = performance.now();
  }).observe(document.body, { childList: true, subtree: true, attributes: true }));
  window.stopwatch = times;
})();
"""
DONE = "() => { const s = stopwatch.at(-1); return !s || (s.painted && s.confirmed); }"


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


def measure(
    pages: Sequence[Page], server: Server, projects: Sequence[str], labels: int
) -> dict[str, Any]:
    """Presses in turn on every page, ``labels`` on each."""
    random = Random(2)
    received: list[int] = []
    for page, project in zip(pages, projects, strict=True):
        page.add_init_script(STOPWATCH)
        page.on("websocket", partial(count_frames, received))
        driving.open_label(page, server.url, project)
    for page in pages * DROPPED:
        press(page, random, len(pages))
    for page in pages:
        page.wait_for_function(DONE)
        page.evaluate("stopwatch.length = 0")
    received.clear()
    start, at = cpu_seconds(server.process_id), time.monotonic()
    for page in pages * labels:
        press(page, random, len(pages))
    used, took = cpu_seconds(server.process_id) - start, time.monotonic() - at
    for page in pages:
        page.wait_for_function(DONE)
    return {
        "presses": [one for page in pages for one in page.evaluate("stopwatch")],
        "cpu_ms": 1000 * used / labels / len(pages),
        "frames": len(received) / labels / len(pages),
        "kb": sum(received) / 1000 / labels / len(pages),
        "seconds": took,
        "answers": sum(len(driving.answers(server.data, project)) for project in projects),
    }


def count_frames(received: list[int], socket: WebSocket) -> None:
    """From now on, the size of each message from the server."""
    socket.on("framereceived", lambda sent: received.append(len(sent)))


def press(page: Page, random: Random, sessions: int) -> None:
    """A press, once the one before it is confirmed, and the time until the next page's turn."""
    page.wait_for_function(DONE, polling=20)
    page.keyboard.press(random.choice("yyn"))
    page.wait_for_timeout(random.uniform(*BETWEEN_MS[sessions]) / sessions)


def percentiles(values: list[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    if len(values) < 2:
        return (values[0], values[0]) if values else (float("nan"), float("nan"))
    cut = quantiles(values, n=100, method="inclusive")
    return cut[49], cut[94]


def table(found: dict[str, Any], sessions: int) -> str:
    groups = {
        "item sent along": [one for one in found["presses"] if one["ahead"]],
        "item sent after the answer": [one for one in found["presses"] if not one["ahead"]],
        "all": found["presses"],
    }
    names = ("presses", "number", "painted, median ms", "95th percentile ms", "goal ms",
             "confirmed, median ms", "95th percentile ms")  # fmt: skip
    rows = []
    for name, group in groups.items():
        painted = percentiles([one["painted"] - one["start"] for one in group])
        confirmed = percentiles([one["confirmed"] - one["start"] for one in group])
        goal = " / ".join(map(str, GOALS[sessions])) if name == "all" else ""
        numbers = (*painted, goal, *confirmed)
        shown = [one if isinstance(one, str) else f"{one:.0f}" for one in numbers]
        rows.append((name, len(group), *shown))
    return markdown(names, rows)


def run(labels: int, sessions: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        data, content = Path(folder) / "data", rows()
        terms = {"budget": 400, "estimands": ("accuracy", "precision", "recall")}
        projects = [f"Messages {number}" for number in range(sessions)]
        for project in projects:
            driving.make_project(data, project, rows=content, **terms)
            driving.label_without_page(data, project, LABELLED)
        before = os.getloadavg()[0]
        with Server(data) as server, launch(whole=True) as browser:
            size = {"width": 1280, "height": 800}
            pages = [browser.new_context(viewport=size).new_page() for _ in projects]
            found = measure(pages, server, projects, labels)
            version = browser.version
    expected = (LABELLED + DROPPED + labels) * sessions
    if found["answers"] != expected:
        raise click.ClickException(f"{expected} presses gave {found['answers']} answers")
    words = (
        f"{labels} labels a session (before them {LABELLED} made without the page and {DROPPED} "
        f"dropped), {ITEMS:,} items, three estimands, recalibrated_neyman, the living picture on "
        f"the page; {found['seconds']:.0f} s; Chromium {version}; "
        f"{os.cpu_count()} cores for server and browser, load {before:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after; server processor time {found['cpu_ms']:.0f} ms and "
        f"{found['frames']:.0f} messages of {found['kb']:.1f} KB in all a label."
    )
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return [{"when": when, "words": words, "sessions": sessions, **found}]


def jobs(options: Options) -> dict[str, Job]:
    labels = FEW_LABELS if options.quick else LABELS
    return {
        f"{sessions} at once, run {number + 1}": partial(
            run, labels // (sessions // 4 or 1), sessions
        )
        for sessions in SESSIONS
        for number in range(options.runs)
    }


def tables(rows: Rows, options: Options) -> str:
    return "\n".join(
        f"## {many(one['sessions'])}, {one['when']}\n\n{one['words']}\n\n"
        f"{table(one, one['sessions'])}"
        for one in flat(rows)
    )


def many(sessions: int) -> str:
    return "One session" if sessions == 1 else f"{sessions} sessions at once"


HEAD = f"""# Key press to next item painted

{MADE}

The clock starts at the keydown event in the page and stops after the frame that shows the next item
was painted (its change in the page, then two animation frames). An item is confirmed when the page
has the server's word that the answer is stored and the item is the one drawn.

"""
BENCHMARK = Benchmark(
    name="browser", about=__doc__, jobs=jobs, tables=tables, runs=3, quick_runs=1,
    page="speed_browser.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
