"""Sixteen people on two app servers that are killed, on a database that is killed, too.

    python -m benchmarks.annotators [--quick] [--runs 20] [--only sqlite] [--rows FILE] [--write]

The people answer each at their own pace, send answers twice, lose replies, leave with an item and
come back late or never. Meanwhile the servers are killed with -9 and started again, and PostgreSQL
is stopped as a crash would stop it. Afterwards what each person was told is held against the log.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.annotators_server import START_AGAIN_SECONDS, Said
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from labelcore.log.events import Event
from labelcore.replay import replay_project
from labelcore.session.backups import rehearse
from labelcore.session.copying import copy_project
from labelcore.store import LabelStore, MemoryStore, backups
from tests import postgres

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "annotators"
STORES = ("sqlite", "postgresql")
PEOPLE, SERVERS, ITEMS = 16, 2, 600
BUDGET, FEW_LABELS = 160, 24
SPEED = 300.0
"""So that half an hour, after which an item goes to others, takes six seconds."""
LEASE_SECONDS = 1800 / SPEED
LONGEST_SECONDS = 300.0
ANSWERED = ("labelled", "reread", "late")


@dataclass(frozen=True, slots=True)
class Chances:
    """Of each answer; ``gone``: that a person leaves with the item and never comes back."""

    twice: float = 0.15
    lost_reply: float = 0.10
    away: float = 0.05
    gone: float = 0.01
    other_label: float = 0.05


@dataclass(slots=True)
class Told:
    """What the people were shown, what they sent and what they were told, in one run.

    shown      (person, token) -> the item on the screen
    sent       (person, token) -> the label
    stored     (person, token) -> the label that was called stored
    refused    (person, token) -> the sentence
    turned_away  sentences to people who asked for the next item
    """

    shown: dict[tuple[str, str], str] = field(default_factory=dict)
    sent: dict[tuple[str, str], str] = field(default_factory=dict)
    stored: dict[tuple[str, str], str] = field(default_factory=dict)
    refused: dict[tuple[str, str], str] = field(default_factory=dict)
    turned_away: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Trouble:
    """How often something is killed.

    shortest, longest   seconds in between
    database            of these the share that is the database, where there is one; the first is
    most                how often in all
    """

    shortest: float = 0.4
    longest: float = 1.6
    database: float = 0.4
    most: int = 10**6


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
    for key in told.sent:
        if key not in told.stored and not told.refused.get(key):
            found.append(f"no word: {key} sent an answer and was told nothing")
        if key in told.refused and key in by_token:
            found.append(f"refused and stored: {key}: {told.refused[key]}")
    found += [f"turned away: {one}" for one in told.turned_away]
    times = Counter(one.index for one in answers if one.kind == "labelled")
    found += [f"twice: draw {index} was answered {n} times" for index, n in times.items() if n > 1]
    drawn = Counter(one.item_id for one in events if one.kind == "labelled")
    found += [f"twice: item {item!r} was drawn {n} times" for item, n in drawn.items() if n > 1]
    again = Counter((one.index, one.annotator) for one in answers if one.kind != "late")
    found += [f"twice: {key} was judged {n} times" for key, n in again.items() if n > 1]
    return found


# --- people ----------------------------------------------------------------------------------


class Person(threading.Thread):
    """Asks, looks, answers; ``servers`` are the ports, and any of them may be gone."""

    def __init__(
        self, number: int, servers: Sequence[int], told: Told, chances: Chances, seed: int
    ) -> None:
        super().__init__(daemon=True)
        self.who = f"person {number:02d}"
        self.servers, self.told, self.chances = servers, told, chances
        self.random = random.Random(f"{seed} {number}")
        self.deadline = time.monotonic() + LONGEST_SECONDS

    def run(self) -> None:
        while time.monotonic() < self.deadline:
            said = self.asked({"do": "next", "who": self.who})
            if "refused" in said:
                self.told.turned_away.append(said["refused"])
                continue
            draw = said["draw"]
            if draw is None:
                if said["status"] not in ("open", "waiting"):
                    return
                time.sleep(0.2)
                continue
            self.told.shown[self.who, draw["token"]] = draw["item"]
            self.look()
            if self.happens("gone"):
                return
            self.answer(draw["token"], self.random.choice(["yes", "no"]))
        self.told.counted["not at an end"] += 1

    def look(self) -> None:
        time.sleep(self.random.uniform(0, 0.1))
        if self.happens("away"):
            time.sleep(LEASE_SECONDS * self.random.uniform(0.5, 2))

    def answer(self, token: str, label: str) -> None:
        key = (self.who, token)
        press = {"do": "answer", "who": self.who, "token": token, "label": label}
        self.told.sent[key] = label
        if self.happens("lost_reply"):
            self.said_to(self.random.choice(self.servers), press, wait=False)
        if self.happens("twice"):
            other = threading.Thread(target=self.asked, args=(press,), daemon=True)
            other.start()
        else:
            other = None
        began = time.monotonic()
        said = self.asked(press)
        self.told.seconds.append(time.monotonic() - began)
        if other is not None:
            other.join(LONGEST_SECONDS)
        if "stored" in said:
            self.told.stored[key] = said["stored"]["label"]
            if self.happens("other_label"):
                self.again_otherwise(press)
        else:
            self.told.refused[key] = said["refused"]

    def again_otherwise(self, press: Said) -> None:
        """The same press with another label: the first one stands."""
        said = self.asked({**press, "label": "no" if press["label"] == "yes" else "yes"})
        if "stored" in said and said["stored"]["label"] != press["label"]:
            self.told.counted["changed by a second press"] += 1

    def happens(self, name: str) -> bool:
        found = self.random.random() < getattr(self.chances, name)
        self.told.counted[name] += found
        return found

    def asked(self, question: Said) -> Said:
        """The answer of whichever server answers first, asked again until one does."""
        while time.monotonic() < self.deadline:
            said = self.said_to(self.random.choice(self.servers), question)
            if said is not None and "again" not in said:
                return said
            self.told.counted["store away" if said else "server away"] += 1
            time.sleep(self.random.uniform(0.02, 0.2))
        return {"refused": ""}

    def said_to(self, port: int, question: Said, *, wait: bool = True) -> Said | None:
        """None where the server is gone or the reply is lost."""
        with (
            suppress(OSError, ValueError),
            socket.create_connection(("127.0.0.1", port), timeout=20) as line,
        ):
            line.sendall(f"{json.dumps(question)}\n".encode())
            if wait:
                with line.makefile() as stream:
                    return dict(json.loads(stream.readline()))
        return None


# --- the servers -----------------------------------------------------------------------------


class Servers:
    """Processes that are made anew when they are killed."""

    def __init__(self, url: str) -> None:
        self.ports = [_free_port() for _ in range(SERVERS)]
        self.pids: dict[int, int] = {}
        given = [url, PROJECT, str(SPEED), *map(str, self.ports)]
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.annotators_server", *given],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
            start_new_session=True,
        )  # fmt: skip
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{time.time()}\n")
        self._parent.stdin.close()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._parent.stdout is not None
        for line in self._parent.stdout:
            started = json.loads(line)
            self.pids[started["port"]] = started["pid"]

    def kill(self, port: int) -> bool:
        """Whether there was one to be killed."""
        pid = self.pids.pop(port, None)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        return pid is not None

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._parent.pid, signal.SIGKILL)
        self._parent.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def trouble(
    servers: Servers, database: postgres.Server | None, told: Told, seed: int,
    plan: Trouble, over: threading.Event,
) -> None:  # fmt: skip
    """Kill servers, and the database where it can be, until the run is over."""
    chance = random.Random(f"trouble {seed}")
    for number in range(plan.most):
        if over.wait(chance.uniform(plan.shortest, plan.longest)):
            return
        if database is not None and (number == 0 or chance.random() < plan.database):
            database.stop()
            time.sleep(chance.uniform(0, 0.5))
            database.start()
            told.counted["database killed"] += 1
        else:
            told.counted["servers killed"] += servers.kill(chance.choice(servers.ports))


# --- a run -----------------------------------------------------------------------------------


def project(url: str, folder: Path, budget: int, seed: int) -> None:
    """A new project of which nothing is labelled."""
    given = np.random.default_rng(seed)
    score = np.round(given.beta(0.6, 1.4, ITEMS), 6)
    rows = pd.DataFrame(
        {"id": [f"m{n}" for n in range(ITEMS)], "text": [f"words {n}" for n in range(ITEMS)]}
    )
    rows.assign(score=score).to_csv(folder / "items.csv", index=False)
    population = lc.read_population(
        folder / "items.csv", id="id", content="text", scores={"m": "score"}, thresholds={"m": 0.5}
    )
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=budget, overlap=0.1, seed=seed)
    with closing(lc.open_store(url)) as store:
        lc.Session(population, plan, store, PROJECT)


@contextmanager
def place(kind: str, folder: Path) -> Iterator[tuple[str, postgres.Server | None]]:
    """The address of a new store, and the database server where there is one."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/labels.db", None
        return
    with postgres.running(durable=True) as server:
        yield server.url(), server


def run(
    kind: str,
    seed: int,
    budget: int = BUDGET,
    people: int = PEOPLE,
    plan: Trouble | None = None,
    database: postgres.Server | None = None,
    url: str = "",
) -> list[Row]:
    """One row. With ``url`` and ``database`` on a server that runs already."""
    told = Told()
    with tempfile.TemporaryDirectory() as named:
        os.environ["LABELCORE_DATA"] = named
        folder = Path(named)
        there = nullcontext((url, database)) if url else place(kind, folder)
        with there as (address, server):
            project(address, folder, budget, seed)
            began = time.monotonic()
            label(Servers(address), server, told, seed, people, plan or Trouble())
            seconds = time.monotonic() - began
            return [{**checked(address, told), "seed": seed, "seconds": round(seconds, 1)}]


def label(
    servers: Servers, database: postgres.Server | None, told: Told, seed: int, people: int,
    plan: Trouble,
) -> None:  # fmt: skip
    """Until there is nothing left to do."""
    over = threading.Event()
    everybody = [Person(n, servers.ports, told, Chances(), seed) for n in range(1, people + 1)]
    given = (servers, database, told, seed, plan, over)
    killer = threading.Thread(target=trouble, args=given, daemon=True)
    try:
        for one in everybody:
            one.start()
        while len(servers.pids) < SERVERS and any(one.is_alive() for one in everybody):
            time.sleep(START_AGAIN_SECONDS)
        killer.start()
        for one in everybody:
            one.join()
    finally:
        over.set()
        if killer.ident is not None:
            killer.join()
        servers.close()


def rehearsed(store: LabelStore, url: str) -> list[str]:
    """Of each automatic backup "" where it replays and is the beginning of the log, else what is
    wrong."""
    assert store.guarded is not None
    said = []
    for file in backups(store.guarded):
        done = rehearse(file, url, replay_project)
        (one,) = done.differences or ()
        sound = done.sound and not one.back
        said.append("" if sound else f"backup: {file.name}: {one} {dict(done.disagreeing)}")
    return said


def checked(url: str, told: Told) -> Row:
    """Counts of the run, and its faults: the log against what was told, the figures against those
    of a replay and of a copy in memory."""
    with closing(lc.open_store(url, create=False)) as store:
        events = store.events(PROJECT)
        found = faults(told, events)
        session = lc.Session.open(store, PROJECT)
        results = session.results()
        replayed = replay_project(store, PROJECT)
        copy = MemoryStore()
        copy_project(store, copy, PROJECT)
        made = rehearsed(store, url)
        found += filter(None, made)
        same = results == replayed.results == lc.Session.open(copy, PROJECT).results()
        if not same:
            found.append("figures: those of the session, of replay and of a copy differ")
        if session.status.value != "budget used":
            found.append(f"status: {session.status.value!r}")
    for wrong in ("not at an end", "changed by a second press"):
        if told.counted[wrong]:
            found.append(f"{wrong}: {told.counted[wrong]}")
    kinds = Counter(one.kind for one in events)
    late = np.array(told.seconds) * 1000
    return {
        "faults": found,
        "labels": kinds["labelled"],
        "second readings": kinds["reread"],
        "late": kinds["late"],
        "events": len(events),
        "acknowledged": len(told.stored),
        "refused": len(told.refused),
        "released": kinds["released"],
        "backups": len(made),
        "median ms": round(float(np.median(late))),
        "p95 ms": round(float(np.quantile(late, 0.95))),
        **{name: told.counted[name] for name in COUNTED},
    }


COUNTED = (
    "servers killed", "database killed", "twice", "lost_reply", "away", "gone", "store away",
    "server away",
)  # fmt: skip


# --- the page --------------------------------------------------------------------------------


def jobs(options: Options) -> dict[str, Job]:
    budget = FEW_LABELS if options.quick else BUDGET
    return {
        f"{kind}, run {seed:02d}": partial(run, kind, seed, budget)
        for kind in STORES
        for seed in range(1, options.runs + 1)
    }


def wrong(rows: Rows, options: Options) -> list[str]:
    return [f"{name}: {fault}" for name, (row,) in rows.items() for fault in row["faults"]]


TOTALS = {
    "labels": "first answers in the logs",
    "second readings": "second readings in the logs",
    "late": "answers kept that came too late to count",
    "acknowledged": "answers that were called stored",
    "refused": "answers refused, with a sentence",
    "servers killed": "app servers killed with -9",
    "database killed": "database stopped as by a crash",
    "twice": "presses sent twice at once",
    "lost_reply": "presses whose reply was not waited for",
    "away": "people who left with an item and came back",
    "gone": "people who left with an item for good",
    "released": "items taken back from people",
    "store away": "times somebody was told that the store is away",
    "server away": "times a server did not answer",
    "backups": "automatic backups made meanwhile, each opened, replayed and compared",
}
CLASSES = {
    "missing": "called stored and not in the log",
    "twice": "counted twice",
    "unseen": "on an item that its person did not see, or never sent",
    "no word": "sent, and neither stored nor refused with a sentence",
    "refused": "refused, and stored all the same; or turned away without need",
    "figures": "figures that differ from those of a replay or a copy",
    "backup": "backups that do not replay or are not the beginning of the log",
}


def tables(rows: Rows, options: Options) -> str:
    by_kind = {
        kind: flat({name: one for name, one in rows.items() if name.startswith(kind)})
        for kind in STORES
    }
    by_kind = {kind: found for kind, found in by_kind.items() if found}
    said = [fault for found in by_kind.values() for row in found for fault in row["faults"]]
    names = ("", *by_kind)
    lines: list[tuple[Any, ...]] = [("runs", *map(len, by_kind.values()))]
    for words, starts in ((CLASSES["missing"], ("missing", "changed")),
                          (CLASSES["twice"], ("twice",)),
                          (CLASSES["unseen"], ("unseen", "never sent")),
                          (CLASSES["no word"], ("no word",)),
                          (CLASSES["refused"], ("refused and stored", "turned away")),
                          (CLASSES["figures"], ("figures",)),
                          (CLASSES["backup"], ("backup",))):  # fmt: skip
        lines.append((f"**{words}**", *(
            sum(fault.startswith(starts) for row in found for fault in row["faults"])
            for found in by_kind.values()
        )))  # fmt: skip
    for name, words in TOTALS.items():
        totals = [sum(row[name] for row in found) for found in by_kind.values()]
        lines.append((words, *(f"{one:,}" for one in totals)))
    for name in ("median ms", "p95 ms"):
        each = [[row[name] for row in found] for found in by_kind.values()]
        middle = [round(float(np.median(one))) for one in each]
        lines.append((f"{name} from press to answer, of the middle run", *middle))
    parts = [markdown(names, lines)]
    if said:
        parts.append("Faults:\n\n" + "\n".join(f"- {one}" for one in said) + "\n")
    columns = ("labels", "acknowledged", "late", "refused", "released", "servers killed",
               "database killed", "twice", "lost_reply", "seconds")  # fmt: skip
    for kind, found in by_kind.items():
        parts.append(f"\n## {kind}, run by run\n")
        head = ("seed", "faults", *(one.replace("_", " ") for one in columns))
        every = [(row["seed"], len(row["faults"]), *(row[one] for one in columns)) for row in found]
        parts.append(markdown(head, every))
    return "\n".join(parts) + FOOT


HEAD = f"""# Sixteen people, two servers, one database

{MADE}

Two processes, each with one open session as the app has it, answer {PEOPLE} people who go to either
of them at random. Each answers at a pace of its own, sends some answers twice at once, loses
replies and asks again elsewhere, says something else to an item already answered, leaves with an
item and comes back, or never does. Half an hour, after which an item goes to others, lasts
{LEASE_SECONDS:.0f} seconds here. The plan sends a tenth of the items to a second person. Every 0.4
to 1.6 seconds one of the servers is killed with -9 and started again, or PostgreSQL is stopped by
`pg_ctl stop -m immediate` and started up to half a second later.

Afterwards what each person saw, sent and was told is held against the log, and the figures against
those of a replay and of a copy in memory. A row that is not 0 among the first ends the command with
an error.

"""
FOOT = """
The people are threads, not browsers, and they talk to the sessions by lines of text, not through
the app: [kill -9](kill_minus_nine.md) has the same with one real browser. A crash of the machine
was not tried. The times are those of two cores that other work shares, with the servers away for a
part of them.
"""
BENCHMARK = Benchmark(
    name="annotators", about=__doc__, jobs=jobs, tables=tables, runs=20, quick_runs=1,
    page="annotators.md", head=HEAD, faults=wrong, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
