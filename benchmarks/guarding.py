"""What the guards of a store cost and what they find: opening, presses, damage.

    python -m benchmarks.guarding [--quick] [--runs 40] [--write]

``runs`` is how many damaged copies of a store are made of each kind.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from statistics import quantiles

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, generator
from benchmarks.harness import table as markdown
from labelcore.log.events import Event, genesis, sound_part
from labelcore.session.backups import restore
from labelcore.session.copying import copy_project
from labelcore.session.integrity import verify
from labelcore.store import back_up_now, guard
from labelcore.store.anchor import ANCHOR
from tests import postgres

LABELS, FEW_LABELS = 50_000, 5_000
"""Of the large store: two events each."""
PRESSES, FEW_PRESSES, PAUSE = 600, 120, 0.03
BEFORE, SINCE = 60, 40
"""Answers of the small store before its backup, and after it."""
STORES = ("sqlite", "postgresql")
WAYS = {
    "no guard": (None, 0, False),
    "signed seals": (10**9, 60.0, False),
    "seals, and a backup every 100 answers": (100, 0.0, False),
    "seals, backups, an anchor": (100, 0.0, True),
}


def url(file: Path) -> str:
    return f"sqlite:///{file}"


def labelled(folder: Path, labels: int) -> Path:
    """A store with one project and so many answers, made in memory and copied."""
    random = np.random.default_rng(1)
    rows = {
        "id": [f"i{number}" for number in range(labels + 2000)],
        "text": [f"message {number} of some words" for number in range(labels + 2000)],
        "score": random.random(labels + 2000).round(4),
    }
    pd.DataFrame(rows).to_csv(folder / "items.csv", index=False)
    population = lc.read_population(
        folder / "items.csv", id="id", content="text", scores={"m": "score"}, thresholds={"m": 0.5}
    )
    plan = lc.Plan("simple_random", ["accuracy"], budget=labels + 2000)
    session = lc.Session(population, plan, project="large")
    answer(session, labels)
    with closing(lc.open_store(url(folder / "labels.db"))) as store:
        copy_project(session.store, store, "large")
    return folder / "labels.db"


def answer(session: lc.Session, number: int) -> None:
    for _ in range(number):
        draw = session.next()
        assert draw is not None
        session.answer(draw, "yes" if draw.index % 3 else "no")


def opening(labels: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        database = labelled(Path(name), labels)
        with closing(lc.open_store(url(database))) as store:
            record = store.project("large")
            start = time.process_time()
            events = store.events("large")
            read = time.process_time()
            sound = sound_part(events, genesis(record.fingerprint, record.plan_json))
            chained = time.process_time()
            assert len(sound) == len(events)
            session = lc.Session.open(store, "large")
            opened = time.process_time()
            assert not session.broken_at
            before = time.perf_counter()
            back_up_now(database, store.backup)
            copied = time.perf_counter()
        size = database.stat().st_size / 1e6
    return [
        {
            "events": len(events), "read": read - start, "chain": chained - read,
            "open": opened - chained, "copy": copied - before, "size": size,
        }
    ]  # fmt: skip


def presses(where: str, labels: int, number: int) -> list[Row]:
    """The time of an answer and the next item, as a page waits for them, in turns of 50."""
    found = []
    kept = guard.BACKUP_ANSWERS, guard.BACKUP_SECONDS
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ["LABELCORE_DATA"] = name
        address = url(labelled(Path(name), labels))
        if where == "postgresql":
            server = stack.enter_context(postgres.running(durable=True)).url()
            with closing(lc.open_store(address)) as file, closing(lc.open_store(server)) as store:
                copy_project(file, store, "large")
            address = server
        for turn in range(number // 50):
            for way, (answers, seconds, anchored) in WAYS.items():
                os.environ[ANCHOR] = name if anchored else ""
                guard.BACKUP_ANSWERS, guard.BACKUP_SECONDS = answers or 10**9, seconds
                store = lc.open_store(address)
                if answers is None:
                    store._guard.noticed = lambda *given: None  # type: ignore[attr-defined]
                elif seconds == 0.0:
                    store._guard._answers = 75  # type: ignore[attr-defined]
                session = lc.Session.open(store, "large")
                for place in range(50):
                    start = time.perf_counter()
                    answer(session, 1)
                    took = time.perf_counter() - start
                    found.append({"way": way, "turn": turn, "place": place, "ms": 1000 * took})
                    time.sleep(PAUSE)
                store.anchor("report")
                store.close()
        os.environ[ANCHOR] = ""
    guard.BACKUP_ANSWERS, guard.BACKUP_SECONDS = kept
    return found


# --- damage --------------------------------------------------------------------------------------


def flipped(database: Path, random: np.random.Generator) -> None:
    content = bytearray(database.read_bytes())
    content[int(random.integers(len(content)))] ^= 1 << int(random.integers(8))
    database.write_bytes(bytes(content))


def garbage(database: Path, random: np.random.Generator) -> None:
    content = bytearray(database.read_bytes())
    start = int(random.integers(len(content) - 512))
    content[start : start + 512] = random.bytes(512)
    database.write_bytes(bytes(content))


def cut(database: Path, random: np.random.Generator) -> None:
    content = database.read_bytes()
    database.write_bytes(content[: int(random.integers(1, len(content)))])


def without_end(database: Path, random: np.random.Generator) -> None:
    _tamper(database, "DELETE FROM event WHERE sequence > ?", random)


def other_answer(database: Path, random: np.random.Generator) -> None:
    change = "UPDATE event SET label = CASE label WHEN 'yes' THEN 'no' ELSE 'yes' END"
    _tamper(database, f"{change} WHERE sequence = 2 * (? / 2)", random)


def rewritten(database: Path, random: np.random.Generator) -> None:
    """Every answer turned from one event on, and the log chained anew."""
    with closing(lc.open_store(url(database))) as store:
        events = store.events("small")
    first = int(random.integers(1, len(events)))
    changed: list[Event] = []
    for event in events:
        before = changed[-1].hash if changed else None
        turned = {"label": "no" if event.label == "yes" else "yes"} if event.label else {}
        other = event if event.sequence < first else Event(**{**event.content(), **turned})
        changed.append(other if event.sequence < first else other.chained(before or ""))
    with closing(sqlite3.connect(database)) as connection, connection:
        _without_triggers(connection)
        connection.executemany(
            "UPDATE event SET label = ?, hash = ? WHERE sequence = ?",
            [(one.label, one.hash, one.sequence) for one in changed],
        )


def _tamper(database: Path, statement: str, random: np.random.Generator) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        _without_triggers(connection)
        last = connection.execute("SELECT max(sequence) FROM event").fetchone()[0]
        connection.execute(statement, (int(random.integers(2, last)),))


def _without_triggers(connection: sqlite3.Connection) -> None:
    asked = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    for (name,) in connection.execute(asked).fetchall():
        connection.execute(f"DROP TRIGGER {name}")


KINDS = {
    "one bit flipped": flipped,
    "512 bytes of garbage": garbage,
    "cut at a random byte": cut,
    "the last events deleted": without_end,
    "one answer changed": other_answer,
    "answers turned, chained anew": rewritten,
}


def damage(kind: str, runs: int) -> list[Row]:
    """What is said of a damaged store, and what is there after ``restore``."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = small(folder / "whole")
        whole = [one.hash for one in _events(source)]
        for run in range(runs):
            place = folder / str(run)
            shutil.copytree(source.parent, place)
            KINDS[kind](place / source.name, generator(7, kind, run))
            found.append({"kind": kind, **_outcome(place / source.name, whole)})
            shutil.rmtree(place)
    return found


def small(folder: Path) -> Path:
    folder.mkdir()
    rows = [{"text": f"message {number}", "spam": number % 10 / 10} for number in range(400)]
    population = lc.read_population(
        rows, content="text", scores={"m": "spam"}, thresholds={"m": 0.5}
    )
    plan = lc.Plan("simple_random", ["accuracy"], budget=400)
    session = lc.Session(population, plan, url(folder / "labels.db"), "small")
    answer(session, BEFORE)
    back_up_now(folder / "labels.db", session.store.backup)
    answer(session, SINCE)
    session.store.close()
    return folder / "labels.db"


def _events(database: Path) -> list[Event]:
    with closing(lc.open_store(url(database), create=False)) as store:
        return store.events("small")


def _outcome(database: Path, whole: list[str]) -> Row:
    try:
        said = not verify(url(database)).whole
    except Exception as error:
        return {"said": "another error", "answers": 0, "error": repr(error)}
    if not said:
        same = [one.hash for one in _events(database)] == whole
        return {"said": "whole" if same else "MISSED", "answers": BEFORE + SINCE, "error": ""}
    try:
        restore(None, url(database), recover=True)
        after = [one.hash for one in _events(database)]
        sound = verify(url(database)).whole and after == whole[: len(after)]
        return {
            "said": "not whole", "answers": len(after) // 2, "error": "" if sound else "NOT SOUND",
        }  # fmt: skip
    except Exception as error:
        return {"said": "not whole", "answers": 0, "error": repr(error)}


# --- the page ------------------------------------------------------------------------------------


def jobs(options: Options) -> dict[str, Job]:
    labels, number = (FEW_LABELS, FEW_PRESSES) if options.quick else (LABELS, PRESSES)
    return {
        "opening": partial(opening, labels),
        **{f"presses, {one}": partial(presses, one, labels, number) for one in STORES},
        **{f"damage, {kind}": partial(damage, kind, options.runs) for kind in KINDS},
    }


def tables(rows: Rows, options: Options) -> str:
    (one,) = rows["opening"]
    parts = [
        "## Opening\n",
        f"A log of {one['events']:,} events ({one['size']:.1f} MB): {one['open']:.2f} s of "
        f"processor time from a known file to an open session, of which reading the rows takes "
        f"{one['read']:.2f} and checking the chain {one['chain']:.2f}. A backup of it takes "
        f"{one['copy']:.2f} s.\n",
        "## What a press waits for\n",
        "An answer stored and the next item drawn on that log, in turns of 50 of each kind, "
        f"{1000 * PAUSE:.0f} ms between them, beside much other work. Each turn of the last two "
        "kinds has a backup of the whole log, made meanwhile in the same process; in earnest there "
        "are at least ten seconds, and thirty times what it takes, between two.\n",
        *(f"{one}:\n\n{_press_table(rows[f'presses, {one}'])}" for one in STORES),
        "## Damage\n",
        f"A store of {BEFORE} answers, an automatic backup, {SINCE} more answers; then its file "
        "is damaged, `labelcore verify` asked, and, where it says that something is lost, "
        "`labelcore restore` run. *Whole, and is*: the damage hit unused space, and every event "
        "is as it was.\n",
        _damage_table(rows),
    ]
    return "\n".join(parts)


def _press_table(rows: list[Row]) -> str:
    names = ("", "presses", "a second", "median ms", "95th percentile ms", "most ms")
    lines = []
    for way in WAYS:
        times = [one["ms"] for one in rows if one["way"] == way]
        cuts = quantiles(times, n=100, method="inclusive")
        shown = (cuts[49], cuts[94], max(times))
        rate = f"{1000 * len(times) / sum(times):.1f}"
        lines.append((way, len(times), rate, *(f"{one:.1f}" for one in shown)))
    return markdown(names, lines)


def _damage_table(rows: Rows) -> str:
    names = (
        *("what was done", "copies", "whole, and is", "said", "not said", "another error"),
        *("restored, sound", f"answers of {BEFORE + SINCE} then: least, mean"),
    )
    lines = []
    for kind in KINDS:
        part = rows[f"damage, {kind}"]
        said = Counter(one["said"] for one in part)
        back = [one for one in part if one["said"] == "not whole"]
        sound = [one["answers"] for one in back if not one["error"]]
        answers = f"{min(sound)}, {np.mean(sound):.1f}" if sound else ""
        lines.append(
            (kind, len(part), said["whole"], said["not whole"], said["MISSED"],
             said["another error"], f"{len(sound)} of {len(back)}", answers)
        )  # fmt: skip
    return markdown(names, lines)


def faults(rows: Rows, options: Options) -> list[str]:
    every = [one for name, part in rows.items() if name.startswith("damage") for one in part]
    return [
        f"{one['kind']}: {one['said']} {one['error']}"
        for one in every
        if one["said"] == "MISSED" or one["error"]
    ]


HEAD = f"""# What the guards of a store cost, and what they find

{MADE}

Seals, automatic backups, `verify` and `restore` are described in [store.md](store.md).

"""
BENCHMARK = Benchmark(
    name="guarding", about=__doc__, jobs=jobs, tables=tables, faults=faults, runs=40,
    quick_runs=10, page="guarding.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
