"""Twenty people at a proxy, two servers and PostgreSQL: answers a second, and what one costs.

    python -m benchmarks.load [--quick] [--rows FILE] [--write]

Each person has a login and a page that is open, and speaks to it as a browser does, but for
drawing it. First all look for four to six seconds before each answer, then none of them waits;
then one of them sits at a real Chromium beside the others of the first kind. Afterwards what each
was told is held against the store. All of it is on this machine.
"""

import asyncio
import json
import os
import random
import re
import secrets
import tempfile
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.browser import DONE, STOPWATCH
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from labelcore.log.events import Event
from labelcore.session.copying import copy_project
from labelcore.store import open_store
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.ui.actions import TOO_LATE
from tests import postgres
from tests.browser import driving
from tests.browser.chromium import launch
from tests.browser.conftest import open_profile
from tests.browser.server import Server, free_port
from tests.test_compose import APP, WORD, proxied

PROJECT, PEOPLE = "Together", 20
ITEMS, BUDGET = 20_000, 8_000
LOOKS = {"4 to 6 seconds": (4.0, 6.0), "0.2 seconds": (0.2, 0.2)}
IN_A_BROWSER, PAUSE_MS, BROWSER_SECONDS = "in a browser", (1000, 1500), 180
SECONDS, FEW_SECONDS = {"4 to 6 seconds": 600, "0.2 seconds": 120}, 20
PATIENCE = 240.0
HASHED = "$2b$04$EvxIXtik6F5Fdvngv9VgYuPNxKq.x.qbgripzKMdx7o03PKr3ewPq"
"""Of the tests' word, of the least work: what a login costs is not measured."""
SURFACE, TRIGGER = "labelcore_surface", "$$STREAMLIT_INTERNAL_KEY_{}__events"
ANSWERED = ("labelled", "reread", "late")


@dataclass(slots=True)
class Told:
    """What the people were shown and sent, and what they were told.

    shown    (person, token) -> the item on the screen
    sent     (person, token) -> the label
    stored   (person, token) -> the label that was called stored
    """

    shown: dict[tuple[str, str], str] = field(default_factory=dict)
    sent: dict[tuple[str, str], str] = field(default_factory=dict)
    stored: dict[tuple[str, str], str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)


def faults(told: Told, events: Sequence[Event]) -> list[str]:
    """What the log holds against what people were told; nothing when both agree."""
    answers = [one for one in events if one.kind in ANSWERED]
    by_token = {(one.annotator, str(one.answers)): one for one in answers}
    found = []
    for key, label in told.stored.items():
        if key not in by_token:
            found.append(f"missing: {key} was told that {label!r} is stored")
        elif by_token[key].label != label:
            found.append(f"changed: {key} was told {label!r}, got {by_token[key].label!r}")
    for key, one in by_token.items():
        if told.shown.get(key) != one.item_id:
            found.append(f"unseen: {key} answered {one.item_id!r} and saw {told.shown.get(key)!r}")
        if key not in told.sent:
            found.append(f"never sent: {key}")
    found += [f"no word: {key} was told nothing" for key in told.sent.keys() - told.stored.keys()]
    draws = Counter(one.index for one in answers if one.kind == "labelled")
    items = Counter(one.item_id for one in answers if one.kind == "labelled")
    judged = Counter((one.index, one.annotator) for one in answers if one.kind != "late")
    for what, times in (("draw", draws), ("item", items), ("by whom", judged)):
        found += [f"twice: {what} {key!r} {n} times" for key, n in times.items() if n > 1]
    return found


@dataclass
class Person:
    """A page of somebody, without the browser: what the server sent last of its surface."""

    name: str
    line: ClientConnection
    kept: dict[str, Any] = field(default_factory=dict)
    page: str = ""
    fragment: str = ""
    widget: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    async def ask(self, press: dict[str, Any] | None = None) -> None:
        """The page from its beginning, or what a press on it leads to."""
        said = BackMsg()
        run = said.rerun_script
        run.query_string, run.page_name = f"project={PROJECT}", "" if self.page else "label"
        run.page_script_hash, run.fragment_id = self.page, self.fragment if press else ""
        if press:
            state = run.widget_states.widgets.add()
            state.id = TRIGGER.format(self.widget)
            state.json_trigger_value = json.dumps([{"event": "press", "value": press}])
            own = run.widget_states.widgets.add()
            own.id, own.json_value = self.widget, "{}"
        await self.line.send(said.SerializeToString())

    async def hear(self, done: str) -> None:
        """Until the server says that it has dealt with a press, and shows an item."""
        while not (
            self.data.get("item", {}).get("token") and (self.data.get("done") or "") == done
        ):
            message = ForwardMsg.FromString(bytes(await self.line.recv()))
            if message.WhichOneof("type") == "ref_hash":
                message = self.kept[message.ref_hash]
            elif message.metadata.cacheable:
                self.kept[message.hash] = message
            if message.WhichOneof("type") == "new_session":
                self.page = message.new_session.page_script_hash or self.page
            part = message.delta.new_element.bidi_component
            if part.component_name.endswith(SURFACE):
                self.widget, self.fragment = part.id, message.delta.fragment_id
                self.data = json.loads(part.json or part.mixed.json)
        if TOO_LATE in json.dumps(self.data, ensure_ascii=False):
            raise RuntimeError(TOO_LATE)

    async def answer(self, told: Told, chance: random.Random) -> None:
        token, answer = self.data["item"]["token"], chance.choice(["yes", "no"])
        shown = re.search(r"Message (\d+)", json.dumps(self.data["item"]["view"]))
        assert shown is not None
        key, press = (self.name, token), secrets.token_hex(8)
        told.shown[key], told.sent[key] = f"i{shown[1]}", answer
        began = time.monotonic()
        await self.ask({"id": press, "act": "answer", "token": token, "answer": answer})
        await asyncio.wait_for(self.hear(press), PATIENCE)
        told.seconds.append(time.monotonic() - began)
        told.stored[key] = answer


async def sitting(site: str, who: str, look: tuple[float, float], ends: float, told: Told) -> None:
    """Label until the time is over."""
    chance = random.Random(who)
    word = b64encode(f"{who}:{WORD}".encode()).decode()
    async with connect(
        f"{site.replace('http', 'ws')}/_stcore/stream", subprotocols=["streamlit"],  # type: ignore[list-item]
        additional_headers={"Authorization": f"Basic {word}"}, origin=site,  # type: ignore[arg-type]
        max_size=None, proxy=None, open_timeout=PATIENCE, ping_interval=None,
    ) as line:  # fmt: skip
        person = Person(who, line)
        await person.ask()
        await asyncio.wait_for(person.hear(""), PATIENCE)
        while time.monotonic() < ends:
            await asyncio.sleep(chance.uniform(*look))
            await person.answer(told, chance)


async def everybody(
    site: str, names: Sequence[str], look: tuple[float, float], seconds: float, told: Told
) -> None:
    ends = time.monotonic() + seconds
    await asyncio.gather(*(sitting(site, who, look, ends, told) for who in names))


def at_a_browser(site: str, who: str, seconds: float) -> list[dict[str, Any]]:
    """Presses of somebody whose page is painted, each with its times."""
    chance = random.Random(who)
    with launch() as browser:
        word = {"username": who, "password": WORD}
        page = open_profile(browser, http_credentials=word).new_page()
        page.add_init_script(STOPWATCH)
        driving.open_label(page, site, PROJECT)
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            page.keyboard.press(chance.choice("yyn"))
            page.wait_for_function(DONE, polling=20)
            page.wait_for_timeout(chance.uniform(*PAUSE_MS))
        return list(page.evaluate("stopwatch"))[5:]


async def all_but_one(site: str, names: Sequence[str], seconds: float, told: Told) -> Any:
    """The last of them at a browser, the others as at first."""
    look = next(iter(LOOKS.values()))
    others = everybody(site, names[:-1], look, seconds + 20, told)
    browser = asyncio.to_thread(at_a_browser, site, names[-1], seconds)
    return (await asyncio.gather(others, browser))[1]


def painted(seconds: float) -> list[Row]:
    told, names = Told(), [f"p{number:02d}" for number in range(PEOPLE)]
    with place(names) as (site, _, _):
        asyncio.run(everybody(site, names, (0.2, 0.2), 1, told))
        found = asyncio.run(all_but_one(site, names, seconds, told))
    row: Row = {"browser": len(found), "load": os.getloadavg()[1]}
    for what in ("painted", "confirmed"):
        times = [one[what] - one["start"] for one in found]
        row |= {what: np.quantile(times, 0.5), f"{what} p95": np.quantile(times, 0.95)}
    return [row]


# --- what it costs --------------------------------------------------------------------------------


def processor_seconds(first: int) -> float:
    """Processor time of a process and those that it has started, the ended ones among them."""
    total = 0
    for one in (first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        total += sum(map(int, fields[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


@contextmanager
def place(names: Sequence[str]) -> Iterator[tuple[str, str, dict[str, list[int]]]]:
    """The address of the site, that of the store, and the processes of each kind."""
    with tempfile.TemporaryDirectory() as named, postgres.running(durable=True) as database:
        data, url = Path(named) / "data", database.url()
        driving.make_project(data, PROJECT, items=ITEMS, budget=BUDGET)
        with (
            closing(open_store(driving.store_url(data))) as file,
            closing(open_store(url)) as store,
        ):
            copy_project(file, store, PROJECT)
        for one in names:
            Register(data).add(one, Role.ANNOTATOR, login=True)
        site = f"http://127.0.0.1:{free_port()}"
        there = {**APP["environment"], "LABELCORE_STORE": url, "PGPASSWORD": ""}
        there |= {"LABELCORE_PROXIES": "127.0.0.1", "LABELCORE_HOSTS": ""}
        first, second = (Server(data, environment=there) for _ in range(2))
        for server in (first, second):
            server.start(PATIENCE)
        try:
            with proxied(Path(named), site, [first, second], names, HASHED) as proxy:
                root = int((database.folder / "data" / "postmaster.pid").read_text().split()[0])
                pids = {"servers": [first.process_id, second.process_id], "database": [root]}
                yield site, url, {**pids, "proxy": [proxy]}
        finally:
            first.stop()
            second.stop()


def measured(look: str, seconds: float) -> list[Row]:
    told, names = Told(), [f"p{number:02d}" for number in range(PEOPLE)]
    with place(names) as (site, url, pids):
        asyncio.run(everybody(site, names, (0.2, 0.2), 1, told))  # Everything is imported.
        known, told.seconds = len(told.stored), []
        before = {kind: sum(map(processor_seconds, those)) for kind, those in pids.items()}
        began = time.monotonic()
        asyncio.run(everybody(site, names, LOOKS[look], seconds, told))
        took = time.monotonic() - began
        spent = {kind: sum(map(processor_seconds, those)) for kind, those in pids.items()}
        with closing(open_store(url)) as store:
            events = store.events(PROJECT)
    number, waits = len(told.stored) - known, np.array(told.seconds) * 1000
    middle, most = np.quantile(waits, [0.5, 0.95])
    costs = {kind: 1000 * (spent[kind] - before[kind]) / number for kind in spent}
    return [{"look": look, "people": PEOPLE, "seconds": took, "told": number, "ms": middle,
             "p95": most, "faults": faults(told, events), "load": os.getloadavg()[1],
             **costs}]  # fmt: skip


# --- the page -------------------------------------------------------------------------------------


def jobs(options: Options) -> dict[str, Job]:
    quick = options.quick
    found: dict[str, Job] = {
        look: partial(measured, look, FEW_SECONDS if quick else SECONDS[look]) for look in LOOKS
    }
    return found | {IN_A_BROWSER: partial(painted, FEW_SECONDS if quick else BROWSER_SECONDS)}


def tables(rows: Rows, options: Options) -> str:
    head = ("each looks for", "people", "seconds", "answers told stored", "a second",
            "ms until stored and the next item is there, median", "95th percentile",
            "lost, doubled, or not as told", "servers, ms of a core an answer", "database", "proxy",
            "load of the machine (5 minutes)")  # fmt: skip
    lines, cost = [], []
    for one in (row for look in LOOKS for row in rows[look]):
        core = [one["servers"], one["database"], one["proxy"]]
        cost.append(sum(core))
        lines.append((
            one["look"], one["people"], f"{one['seconds']:.0f}", f"{one['told']:,}",
            f"{one['told'] / one['seconds']:.1f}", f"{one['ms']:.0f}", f"{one['p95']:.0f}",
            len(one["faults"]), *(f"{ms:.0f}" for ms in core), f"{one['load']:.0f}",
        ))  # fmt: skip
    each = max(cost)
    people = 0.7 * 5000 / each
    return (
        markdown(head, lines)
        + (
            f"\nAn answer takes {each:.0f} ms of a core, all in all: one core, seven tenths of it "
            f"busy, serves **{people:.0f} people** who answer every five seconds each, and "
            f"{2 * people:.0f} who take ten.\n"
        )
        + "".join(
            f"\nAt a browser beside nineteen who look for 4 to 6 seconds (Chromium on the same two "
            f"cores, {one['browser']:,} presses, load {one['load']:.0f}): the next item is painted "
            f"**{one['painted']:.0f} ms** after the key in the median, "
            f"{one['painted p95']:.0f} at the 95th percentile; the answer is stored and the next "
            f"one may be given after {one['confirmed']:.0f} and {one['confirmed p95']:.0f} ms.\n"
            for one in rows[IN_A_BROWSER]
        )
    )


def wrong(rows: Rows, options: Options) -> list[str]:
    return [fault for row in flat(rows) for fault in row.get("faults", [])]


HEAD = """# How many people a server carries

Twenty people, each with a login at Caddy (the `Caddyfile` of the repository), two servers of the
app, PostgreSQL that writes through to the disk: as in `compose.yaml`, all on one machine and
through its own addresses. Each person is a connection that says what a browser would say of a press
and reads what comes back until the answer is confirmed and the next item is there; nothing is
painted, so that browsers do not take the cores of the servers; one browser beside them comes last
([speed in the browser](speed_browser.md) has what painting takes alone). What each person was told
is held against the store afterwards.

"""

BENCHMARK = Benchmark(
    name="load", about=__doc__ or "", jobs=jobs, tables=tables, faults=wrong, page="load.md",
    head=HEAD + MADE + "\n\n", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
