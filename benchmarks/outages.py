"""A server away under two tabs, and first sittings that lose their newest changes to kill -9.

    python -m benchmarks.outages [--quick] [--runs 40] [--only away] [--rows FILE] [--write]

A run is one time that the server is away for twelve seconds: killed, or frozen, while two tabs of
one person in a real Chromium label; every key that went down is held against the log and against
what its tab said. ``--only restore`` is the other part: the app is killed after the first labels of
a store, the file of the newest changes is deleted, and ``labelcore restore`` is run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Page

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from labelcore.log.events import Event
from labelcore.session.backups import kept_projects
from labelcore.store import backups, open_store
from labelcore.ui.actions import TOO_LATE, TOO_QUICK
from labelcore.ui.surface import BOTH_TOO_LATE, NOT_SAVED_YET, ONE_TOO_LATE
from tests.browser import driving
from tests.browser.chromium import launch
from tests.browser.conftest import open_profile
from tests.browser.server import Server

AWAY_SECONDS = 12
ROUNDS, FEW_ROUNDS = 10, 2
"""Of one server on one data folder."""
SITTINGS, FEW_SITTINGS = (1, 7, 30, 90), (1, 7)
DAMAGES = ("nothing else", "its first page overwritten")
AT_ONCE_MS, STANDS_MS = 50, 1000
"""A press is refused within the first; so long as the second, or until the next press of the tab, a
sentence must stand to count as said."""
AT_ONCE, LATER = {TOO_QUICK, NOT_SAVED_YET}, {TOO_LATE: 1, ONE_TOO_LATE: 1, BOTH_TOO_LATE: 2}
"""What a page says of a press it refuses; and of so many presses that the server refused."""
HOW = {
    "stored": "stored, once and in the order of the tab",
    "same": "the other tab's answer, the same one, is stored",
    "refused": "refused at once, in words",
    "late": "named afterwards as not stored",
    "again": "the same key again on an item of the column before",
}
TEXTS = {f"Message {place}": f"i{place}" for place in range(400)}
SAID = """
(() => {
  const said = [];
  const look = () => {
    const words = document.querySelector(".lc-saved")?.textContent || "";
    if (said.at(-1)?.words !== words)
      said.push({ at: performance.timeOrigin + performance.now(), words });
  };
  document.addEventListener("DOMContentLoaded", () => new MutationObserver(look).observe(
    document.body, { childList: true, subtree: true, characterData: true }));
  window.labelcoreSaid = said;
})();
"""
SEEN = """() => {
  const origin = performance.timeOrigin, { seen } = labelcoreProbe;
  const now = { at: origin + performance.now(), words: null };
  const found = { said: [...labelcoreSaid, now],
    presses: seen.presses.filter(one => one.how === "key" && !one.repeat && one.text)
      .map(one => ({ key: one.key, text: one.text, at: origin + one.at })) };
  seen.presses.length = 0;
  labelcoreSaid.splice(0, labelcoreSaid.length - 1);
  return found;
}"""


# --- away ------------------------------------------------------------------------------------


@dataclass
class Tab:
    """What a tab saw and said in one round, its loads before a reload among them."""

    page: Page

    def __post_init__(self) -> None:
        self.presses: list[dict[str, Any]] = []
        self.said: list[dict[str, Any]] = []

    def look(self) -> None:
        found = self.page.evaluate(SEEN)
        self.presses += found["presses"]
        self.said += found["said"]

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def sentences(self) -> list[tuple[float, float, str]]:
        """From, until, words."""
        spans = [
            (one["at"], after["at"], one["words"])
            for one, after in zip(self.said, self.said[1:], strict=False)
        ]
        return [one for one in spans if one[2]]


def away(rounds: int, first: int) -> list[Row]:
    """The server away so many times; the rounds are numbered from ``first``."""
    with tempfile.TemporaryDirectory() as folder, launch() as browser:
        server = Server(Path(folder) / "data").start()
        try:
            profile = open_profile(browser, reduced_motion="reduce")
            tabs = [Tab(profile.new_page()) for _ in range(2)]
            project = driving.make_project(server.data, "Away", budget=390)
            for tab in tabs:
                tab.page.add_init_script(SAID)
                driving.open_label(tab.page, server.url, project)
            return [one_round(tabs, server, project, first + n) for n in range(rounds)]
        finally:
            server.kill()


def one_round(tabs: Sequence[Tab], server: Server, project: str, number: int) -> Row:
    random = Random(number)
    before = driving.answers(server.data, project)
    for tab in tabs:
        driving.settle(tab.page)
        tab.look()
        tab.presses, tab.said = [], []
    driving.answer(tabs[0].page, random.choice("yn"))  # The other tab is one item behind.
    frozen, reloaded = number % 2 == 1, number % 4 == 3
    under_way = random.sample(tabs, random.randrange(3))
    for tab in under_way:
        tab.press(random.choice("yn"))
    time.sleep(random.uniform(0, 0.06))
    at = time.monotonic()
    freeze(server) if frozen else server.kill()
    for tab in sorted(tabs * 3, key=lambda _: random.random()):
        tab.page.wait_for_timeout(random.uniform(100, 1200))
        tab.press(random.choice("yyns"))
    time.sleep(max(AWAY_SECONDS - (time.monotonic() - at), 0))
    os.killpg(server.process_id, signal.SIGCONT) if frozen else server.start()
    if reloaded:
        tabs[1].look()
        tabs[1].page.reload()
    for tab in tabs:
        driving.wait_for_item(tab.page)
        tab.page.wait_for_timeout(2 * STANDS_MS)
        tab.look()
    stored = driving.answers(server.data, project)[len(before) :]
    how = "frozen" if frozen else "killed"
    return {"round": number, "how": how, "reloaded": reloaded, **accounts(tabs, before, stored)}


def freeze(server: Server) -> None:
    os.killpg(server.process_id, signal.SIGSTOP)


def accounts(tabs: Sequence[Tab], before: Sequence[Event], stored: Sequence[Event]) -> Row:
    """How many presses came to what; ``faults`` are those that came to nothing, answers that
    nobody pressed, items answered twice, and presses of a tab out of their order."""
    left, found, faults = list(stored), Counter[str](), []
    waiting: list[tuple[Tab, dict[str, Any]]] = []
    placed: list[tuple[int, dict[str, Any]]] = []
    for tab in tabs:
        placed.clear()
        for one in tab.presses:
            event = next((e for e in left if fits(e, one)), None)
            if event is None:
                waiting.append((tab, one))
                continue
            left.remove(event)
            placed.append((event.sequence, one))
            found["stored"] += 1
        if placed != sorted(placed, key=lambda it: it[0]):
            faults.append("presses of one tab are stored in another order")
    faults += [f"{driving.said(e)} on {e.item_id} was not pressed" for e in left]
    tokens = Counter(event.answers for event in stored)
    faults += [f"{token} was answered twice" for token, times in tokens.items() if times > 1]
    for tab in tabs:
        found += named(
            tab, [one for whose, one in waiting if whose is tab], [*before, *stored], faults
        )
    return {**{name: found[name] for name in HOW}, "faults": faults}


def fits(event: Event, press: dict[str, Any]) -> bool:
    key = driving.KEYS[driving.said(event)]
    return key == press["key"] and str(event.item_id) == TEXTS[press["text"]]


def named(
    tab: Tab, presses: Sequence[dict[str, Any]], stored: Sequence[Event], faults: list[str]
) -> Counter[str]:
    """What was said of the presses of a tab that are not in the log by themselves."""
    found, owed, spans = Counter[str](), [], tab.sentences()
    times = [one["at"] for one in tab.presses]
    for one in presses:
        after = min((at for at in times if at > one["at"]), default=float("inf"))
        now = one["at"] + AT_ONCE_MS
        told = [until for since, until, words in spans if words in AT_ONCE and since <= now < until]
        if told and max(told) >= min(after, one["at"] + STANDS_MS):
            found["refused"] += 1
        elif any(fits(event, one) for event in stored):
            found["same"] += 1
        elif owed and all(owed[-1][name] == one[name] for name in ("key", "text")):
            found["again"] += 1
        else:
            owed.append(one)
    sentences = [
        LATER[words]
        for since, until, words in spans
        if words in LATER
        and owed
        and since >= owed[0]["at"]
        and until - since >= min(STANDS_MS, *(at - since for at in times if at > since), STANDS_MS)
    ]
    found["late"] = min(len(owed), sum(sentences))
    silent = owed[found["late"] :]
    faults += [f"{one['key']} on {one['text']} is neither stored nor named" for one in silent]
    return found


# --- restore ---------------------------------------------------------------------------------


def sitting(labels: int, damage: str) -> list[Row]:
    """So many labels through the page of a new store, kill -9, no newest changes, ``restore``."""
    with tempfile.TemporaryDirectory() as folder, launch() as browser:
        server = Server(Path(folder) / "data").start()
        database = server.data / "labelcore.db"
        project = driving.make_project(server.data, "First sitting")
        try:
            page = open_profile(browser, reduced_motion="reduce").new_page()
            driving.open_label(page, server.url, project)
            for number in range(labels):
                driving.answer(page, "yn"[number % 2])
            page.wait_for_timeout(2000)  # The backup of the first label takes its time, too.
            server.kill()
            newest = backups(database)[0]
            kept = answers(newest)
            for end in ("-wal", "-shm"):
                database.with_name(database.name + end).unlink(missing_ok=True)
            if damage == DAMAGES[1]:
                with database.open("r+b") as file:
                    file.write(b"\xff" * 4096)
            left = 0 if damage == DAMAGES[1] else answers(database)
            run = [sys.executable, "-m", "labelcore", "restore", "--store",
                   driving.store_url(server.data)]  # fmt: skip
            done = subprocess.run(run, capture_output=True, text=True, check=False)
            restored = answers(database)
            server.start()
            driving.open_label(page, server.url, project)
            driving.answer(page, "y")
            went_on = answers(database) == restored + 1
        finally:
            server.kill()
    said = (done.stdout + done.stderr).replace(folder, "").strip()
    return [{"labels": labels, "damage": damage, "backup": kept, "left": left, "exit":
             done.returncode, "restored": restored, "went_on": went_on, "said": said}]  # fmt: skip


def answers(database: Path) -> int:
    with closing(open_store(f"sqlite:///{database}", create=False)) as store:
        return sum(one.answers for one in kept_projects(store))


# --- the page --------------------------------------------------------------------------------


def jobs(options: Options) -> dict[str, Job]:
    rounds = FEW_ROUNDS if options.quick else ROUNDS
    found: dict[str, Job] = {
        f"restore after {labels}, {damage}": partial(sitting, labels, damage)
        for labels in (FEW_SITTINGS if options.quick else SITTINGS)
        for damage in DAMAGES
    }
    for first in range(0, options.runs, rounds):
        found[f"away from round {first}"] = partial(away, min(rounds, options.runs - first), first)
    return found


def faults(rows: Rows, options: Options) -> list[str]:
    every = flat(rows)
    found = [f"round {one['round']}: {fault}" for one in every for fault in one.get("faults", ())]
    return found + [
        f"{one['labels']} labels, {one['damage']}: {one['restored']} restored of {one['backup']}"
        for one in every
        if "restored" in one and (one["restored"] < one["backup"] or not one["went_on"])
    ]


def tables(rows: Rows, options: Options) -> str:
    every = flat(rows)
    rounds = [one for one in every if "round" in one]
    ways = [(how, reloaded) for how in ("killed", "frozen") for reloaded in (False, True)]
    lines = []
    for how, reloaded in ways:
        part = [one for one in rounds if (one["how"], one["reloaded"]) == (how, reloaded)]
        if part:
            counts = [sum(one[name] for one in part) for name in HOW]
            neither = sum(len(one["faults"]) for one in part)
            words = f"{how}, one tab reloaded" if reloaded else how
            lines.append((words, len(part), sum(counts) + neither, *counts, neither))
    presses = sum(line[2] for line in lines)
    neither = sum(line[-1] for line in lines)
    said = f"{len(rounds)} rounds, {presses} presses, neither stored nor named: **{neither}**."
    names = ("the server was", "rounds", "presses", *HOW.values(), "neither")
    sittings = [
        (one["labels"], one["damage"], one["left"], one["backup"], one["restored"])
        for one in every
        if "restored" in one
    ]
    columns = ("labels called saved", "lost beside the newest changes", "labels left in the file",
               "labels in the newest backup", "labels after `restore`")  # fmt: skip
    restored = f"{RESTORED}{markdown(columns, sittings)}"
    return f"{AWAY}{said}\n\n{markdown(names, lines)}\n{restored}{FOOT}"


HEAD = f"""## Measured

{MADE}

"""
AWAY = f"""### The server away for {AWAY_SECONDS} seconds under two tabs

Two tabs of one person in a real Chromium, one of them an item behind. Up to two presses are under
way when the server is killed with -9 or frozen, six follow while it is away; it comes back by
itself, and after some rounds one tab is reloaded at once. A press must be stored once and in order,
or the page must say that it was not. """
RESTORED = """### Kill -9 in a first sitting

A new store, so many labels through the page, kill -9, then the file of the newest changes
(`labelcore.db-wal`) deleted and `labelcore restore --store` run. Labels that only that file had are
lost with it; those of the newest backup are not. The script presses as fast as the page takes
it, and at most one backup is made in ten seconds.

"""
FOOT = """
After each the app was started and the next press stored.
"""
BENCHMARK = Benchmark(
    name="outages", about=__doc__, jobs=jobs, tables=tables, runs=40, quick_runs=2,
    page="store.md", head=HEAD, faults=faults, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
