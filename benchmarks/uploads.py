"""A key press of one person while another one uploads a large file, in a real Chromium.

    python -m benchmarks.uploads [--quick] [--runs 1] [--write]

One browser labels, about twice a second; another one uploads a file on *New project* and waits
until every row is checked. The clock is that of ``benchmarks.browser``.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

import click
import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

from benchmarks.browser import BETWEEN_MS, DONE, STOPWATCH, percentiles, rows
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from tests.browser import driving
from tests.browser.chromium import ARGUMENTS, NAMES
from tests.browser.server import Server

QUIET_PRESSES, LABELLED = 40, 20
CHECKED = ", no fault"
WAIT_SECONDS = 150.0
FILES = {"CSV": (1_000_000, ".csv"), "JSON": (300_000, ".json"), "Excel": (60_000, ".xlsx")}
FEW = 20
"""With ``--quick`` a file is so many times shorter."""


def written(folder: Path, items: int, suffix: str) -> Path:
    random = np.random.default_rng(3)
    words = np.array(
        ["the", "offer", "of", "your", "parcel", "is", "free", "until", "we", "meet", "at", "noon"]
    )
    texts = [" ".join(random.choice(words, 12)) for _ in range(1000)]
    frame = pd.DataFrame(
        {
            "id": [f"i{place}" for place in range(items)],
            "text": [f"Message {place}: {texts[place % 1000]}" for place in range(items)],
            "score": random.random(items).round(4),
        }
    )
    frame["pred"] = (frame["score"] > 0.7).astype(int)
    path = folder / f"large{suffix}"
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    elif suffix == ".json":
        path.write_text(json.dumps(frame.to_dict("records")), "utf-8")
    else:
        frame.to_excel(path, index=False)
    return path


def press(page: Page, random: Random) -> None:
    page.wait_for_function(DONE, polling=20)
    page.keyboard.press(random.choice("yyn"))
    page.wait_for_timeout(random.uniform(*BETWEEN_MS[1]))


def memory_of(process: int) -> int:
    """Resident bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def run(items: int, suffix: str) -> list[Row]:
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise click.ClickException(f"no Chromium: none of {', '.join(NAMES)} is on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        data, random = Path(folder) / "data", Random(2)
        large = written(Path(folder), items, suffix)
        terms = {"budget": 400, "estimands": ("accuracy", "precision", "recall")}
        driving.make_project(data, "Messages", rows=rows(), **terms)
        driving.label_without_page(data, "Messages", LABELLED)
        with Server(data) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
            page, other = (browser.new_context().new_page() for _ in range(2))
            page.add_init_script(STOPWATCH)
            driving.open_label(page, server.url, "Messages")
            other.goto(f"{server.url}/new_project")
            other.locator("input[type=file]").first.wait_for(state="attached", timeout=60_000)
            driving.wait_until_idle(other)
            for _ in range(QUIET_PRESSES):
                press(page, random)
            page.wait_for_function(DONE)
            quiet = page.evaluate("stopwatch.splice(0)")
            memory = [memory_of(server.process_id)]
            start = time.monotonic()
            other.locator("input[type=file]").first.set_input_files(str(large))
            while not other.get_by_text(CHECKED).count():
                press(page, random)
                memory.append(memory_of(server.process_id))
                if time.monotonic() - start > WAIT_SECONDS:
                    raise click.ClickException(f"{large.name} was not read in {WAIT_SECONDS:g} s")
            took = time.monotonic() - start
            page.wait_for_function(DONE)
            during = page.evaluate("stopwatch")
            browser.close()
        size = large.stat().st_size
    return [
        {
            "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "suffix": suffix, "items": items,
            "size": size, "took": took, "quiet": quiet, "during": during,
            "memory": max(memory) - memory[0], "load": os.getloadavg()[0],
        }
    ]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    less = FEW if options.quick else 1
    return {
        f"{name}, run {number + 1}": partial(run, items // less, suffix)
        for name, (items, suffix) in FILES.items()
        for number in range(options.runs)
    }


def tables(rows: Rows, options: Options) -> str:
    names = ("file", "read in s", "server grew by MB", "presses", "number", "painted, median ms",
             "95th percentile ms", "saved, median ms", "95th percentile ms", "most ms",
             "load")  # fmt: skip
    lines = []
    for one in flat(rows):
        what = f"{one['items']:,} items, {one['size'] / 1e6:.0f} MB {one['suffix']}"
        for when in ("quiet", "during"):
            painted = percentiles([each["painted"] - each["start"] for each in one[when]])
            saved = [each["confirmed"] - each["start"] for each in one[when]]
            shown = [f"{each:.0f}" for each in (*painted, *percentiles(saved), max(saved))]
            before = (what, f"{one['took']:.0f}", f"{one['memory'] / 1e6:.0f}")
            words = "before the upload" if when == "quiet" else "during it"
            lines.append((*(before if when == "quiet" else ("", "", "")), words, len(saved),
                          *shown, f"{one['load']:.1f}"))  # fmt: skip
    return markdown(names, lines) + FOOT


FOOT = """
## Read in the server's own process

The same measured on the version before, which read every file in the server's own process, with the
same load of other work on the machine:

| file | read in s | server grew by MB | presses | number | painted, median ms | 95th percentile ms | saved, median ms | 95th percentile ms | most ms | load |
|---|---|---|---|---|---|---|---|---|---|---|
| 1,000,000 items, 88 MB .csv | 17 | 313 | before the upload | 40 | 13 | 27 | 57 | 100 | 160 | 10.3 |
|  |  |  | during it | 33 | 24 | 51 | 296 | 597 | 699 | 10.3 |
| 300,000 items, 38 MB .json | 10 | 115 | before the upload | 40 | 12 | 31 | 48 | 82 | 244 | 10.5 |
|  |  |  | during it | 21 | 11 | 23 | 99 | 229 | 376 | 10.5 |
| 60,000 items, 2 MB .xlsx | 14 | 63 | before the upload | 40 | 13 | 20 | 48 | 96 | 119 | 8.4 |
|  |  |  | during it | 28 | 14 | 37 | 122 | 264 | 341 | 8.4 |

So the median of the wait for the word fell, most for the largest file, and the slowest presses did
not get much faster: two cores are shared by two browsers, server and reader, and receiving 88 MB is
still the server's own work. Who uploads waits longer, because the reader gives way to everybody and
each look at the file starts a process.
"""  # noqa: E501
HEAD = f"""# A key press while somebody else uploads a large file

{MADE}

One browser labels (20,000 items, three estimands), about twice a second; another one uploads a
file on *New project*, until every row is checked. *Painted*: the next item is on the screen;
*saved*: the page has the server's word. Both browsers and the server share the two cores.

Every file is read in a process of its own, at a lower priority, for at most 300 seconds and with
at most half of the machine's or the container's memory; as many at once as there are cores but
one, at least two, the others wait. The page says what goes on
and for how long, with a button that cancels it; a limit that was met is a sentence with a button
to try again. What comes of it is handed over as a file in a private temporary folder. A project
without a snapshot is opened in the same way. In the server's own process stay what
takes seconds at most and gives way in between: receiving the upload, the order of draws, the
simulations of *New project* (three seconds, one at a time), reports. A folder of parts is read
there, too.

"""
BENCHMARK = Benchmark(
    name="uploads", about=__doc__, jobs=jobs, tables=tables, runs=1, page="speed_uploads.md",
    head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
