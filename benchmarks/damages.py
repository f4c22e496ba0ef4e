"""Stores damaged and forged in many ways: what `verify`, opening and a report find, and when.

    python -m benchmarks.damages [--quick] [--write]

Each kind is done to a store in SQLite and to one in PostgreSQL, without an anchor and with one.
"""

import json
import os
import shutil
import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command
from benchmarks.harness import table as markdown
from labelcore.log.events import Event, genesis
from labelcore.report import report_html
from labelcore.session.integrity import verify
from labelcore.store import back_up_now, backups, backups_folder, put_back
from labelcore.store.anchor import ANCHOR
from labelcore.store.base import Seal, SealedProject
from labelcore.store.database import _written
from labelcore.store.kept import SealsFile, identity_of, seals_file, write_seals
from labelcore.store.signing import KEY
from tests import postgres

BEFORE, SINCE = 12, 6
"""Answers before the backup, and after it."""
STORES = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Forger:
    """Somebody at a store: its address, the files that guard it, and what they were earlier."""

    url: str
    place: Path
    earlier: Path

    def sql(self, *statements: str) -> None:
        """As one who switches the triggers off first."""
        if self.url.startswith("sqlite"):
            with closing(sqlite3.connect(self.place)) as connection, connection:
                asked = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
                for (name,) in connection.execute(asked).fetchall():
                    connection.execute(f"DROP TRIGGER {name}")
                for one in statements:
                    connection.execute(one)
            return
        with psycopg.connect(self.url) as connection:
            connection.execute("SET session_replication_role = replica")
            for one in statements:
                connection.execute(one)  # type: ignore[arg-type]

    def without(self, *what: str) -> None:
        for one in what:
            if one == "backups":
                shutil.rmtree(backups_folder(self.place))
            else:
                seals_file(self.place).with_suffix(f".{one}").unlink()

    def put_earlier(self, *what: str) -> None:
        """Files as they were when the backup was made; "log": the whole store."""
        for one in what:
            if one == "log":
                copy = self.earlier.parent / "to-put-back.db"
                shutil.copy(self.earlier / "backup.db", copy)
                put_back(copy, self.url)
            elif one == "backups":
                self.without("backups")
                backups_folder(self.place).mkdir()
                shutil.copy(
                    self.earlier / "backup.db",
                    backups_folder(self.place) / (self.earlier / "name").read_text(),
                )
            else:
                shutil.copy(self.earlier / one, seals_file(self.place).with_suffix(f".{one}"))

    def turn(self, first: int, change: Callable[[Event], Event], plan: str = "") -> None:
        """Change events from one on, and chain the log anew; with another plan, too."""
        with closing(lc.open_store(self.url)) as store:
            record, log = store.project("spam"), store.events("spam")
        if plan:
            self.sql(f"UPDATE project SET plan_json = {_text(plan)}")
        before, statements = genesis(record.fingerprint, plan or record.plan_json), []
        for one in log:
            other = change(one) if one.sequence >= first else one
            other = other.chained(before)
            before = other.hash
            label = "NULL" if other.label is None else _text(other.label)
            statements.append(
                f"UPDATE event SET label = {label}, hash = '{other.hash}'"
                f" WHERE sequence = {other.sequence}"
            )
        self.sql(*statements)

    def seal_now(self, *, known: bool) -> None:
        """Seals that agree with the log of now: by the key of the store, or by another one."""
        key = seals_file(self.place).with_suffix(".key")
        kept = key.read_text()
        if not known:
            key.write_text("11" * 32)
        with closing(lc.open_store(self.url)) as store:
            record, last = store.project("spam"), store.events("spam")[-1]
        seal = SealedProject("spam", Seal(last.sequence, last.hash, last.at))
        self.without("seals")
        write_seals(self.place, SealsFile({identity_of(record): seal}))
        key.write_text(kept)

    def back_up_anew(self) -> None:
        with suppress(FileNotFoundError):
            self.without("backups")
        with closing(lc.open_store(self.url)) as store:
            back_up_now(self.place, store.backup)

    def in_backup(self, *statements: str) -> None:
        Forger(f"sqlite:///{backups(self.place)[0]}", backups(self.place)[0], self.place).sql(
            *statements
        )

    def record(self, name: str, change: Callable[[dict[str, Any]], Any]) -> None:
        with closing(lc.open_store(self.url)) as store:
            values = json.loads(getattr(store.project("spam"), name))
        self.sql(f"UPDATE project SET {name} = {_text(json.dumps(change(values) or values))}")


def _text(value: str) -> str:
    return "'" + str(_written(value)).replace("'", "''") + "'"


def turned(one: Event) -> Event:
    return replace(one, label={"yes": "no", "no": "yes"}[one.label]) if one.label else one


def only(sequence: int) -> Callable[[Event], Event]:
    return lambda one: turned(one) if one.sequence == sequence else one


def other_plan(one: Forger) -> None:
    with closing(lc.open_store(one.url)) as store:
        plan = json.loads(store.project("spam").plan_json)
    one.turn(1, lambda event: event, json.dumps({**plan, "budget": 39}))


def threshold(values: dict[str, Any]) -> None:
    values["arguments"]["thresholds"] = {"m": 0.9}


def kept_file(one: Forger, suffix: str) -> Path:
    return next(one.place.with_name(_items(one)).rglob(f"*{suffix}"))


def _items(one: Forger) -> str:
    with closing(lc.open_store(one.url)) as store:
        assert store.items_folder is not None
        return store.items_folder.name


def damaged_file(one: Forger, suffix: str) -> None:
    file = kept_file(one, suffix)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))


def items(file: Path, step: int) -> lc.Population:
    rows = [f"{n},message {n},{n * step % 10 / 10}" for n in range(60)]
    file.write_text("\n".join(["id,text,m", *rows]))
    return lc.read_population(
        file, id="id", content="text", scores={"m": "m"}, thresholds={"m": 0.5}
    )


def other_snapshot(one: Forger) -> None:
    """That of other items, under the name that it must have, and named by the record."""
    session = lc.Session(
        items(one.earlier / "items.csv", 7), lc.Plan("simple_random", ["accuracy"], budget=40),
        f"sqlite:///{one.place.parent / 'other.db'}", "spam",
    )  # fmt: skip
    assert session.store.items_folder is not None
    source = json.loads(session.store.project("spam").population_json)["kept"]
    target = one.place.with_name(_items(one)) / source
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(session.store.items_folder / source, target)
    session.store.close()
    one.record("population_json", lambda values: values.update(kept=source))


DELETE = "DELETE FROM event WHERE sequence"
WHOLE_PROJECT = ("DELETE FROM item", "DELETE FROM person", "DELETE FROM event",
                 "DELETE FROM project")  # fmt: skip
VERSION = {"sqlite": "PRAGMA user_version = 99", "postgresql": "UPDATE labelcore SET version = 99"}


def sql(*statements: str) -> Callable[[Forger], object]:
    return lambda one: one.sql(*statements)


def without(*what: str) -> Callable[[Forger], object]:
    return lambda one: one.without(*what)


def earlier(*what: str) -> Callable[[Forger], object]:
    return lambda one: one.put_earlier(*what)


def then(*acts: Callable[[Forger], object]) -> Callable[[Forger], object]:
    return lambda one: [act(one) for act in acts]


ALL_TURNED: Callable[[Forger], object] = lambda one: one.turn(1, turned)  # noqa: E731
ONE_TURNED: Callable[[Forger], object] = lambda one: one.turn(9, only(9))  # noqa: E731
KNOWN: Callable[[Forger], object] = lambda one: one.seal_now(known=True)  # noqa: E731
UNKNOWN: Callable[[Forger], object] = lambda one: one.seal_now(known=False)  # noqa: E731
ANEW: Callable[[Forger], object] = lambda one: one.back_up_anew()  # noqa: E731

KINDS: dict[str, Callable[[Forger], object]] = {
    "tail deleted": sql(f"{DELETE} > 20"),
    "tail deleted, seals deleted": then(sql(f"{DELETE} > 20"), without("seals")),
    "tail deleted, seals of then put back": then(sql(f"{DELETE} > 26"), earlier("seals")),
    "tail deleted, seals and backups deleted": then(
        sql(f"{DELETE} > 20"), without("seals", "backups")),
    "head deleted": sql(f"{DELETE} < 6"),
    "middle deleted": sql(f"{DELETE} = 11"),
    "all events deleted": sql("DELETE FROM event"),
    "an answer turned": sql("UPDATE event SET label = 'no' WHERE sequence = 9"),
    "an answer given to another person": sql("UPDATE event SET annotator = 'x' WHERE sequence = 9"),
    "a time changed": sql("UPDATE event SET at = '2020-01-01T00:00:00+00:00' WHERE sequence = 9"),
    "an event added at the end": sql(
        "INSERT INTO event (project_id, sequence, kind, at, annotator, detail, hash) SELECT "
        "project_id, 99, 'noted', at, annotator, '{}', hash FROM event WHERE sequence = 2"),
    "two events exchanged": sql(
        "UPDATE event SET sequence = 999 WHERE sequence = 9",
        "UPDATE event SET sequence = 9 WHERE sequence = 11",
        "UPDATE event SET sequence = 11 WHERE sequence = 999"),
    "one answer turned, chained anew": ONE_TURNED,
    "the same, seals deleted": then(ONE_TURNED, without("seals")),
    "the same, seals and key deleted": then(ONE_TURNED, without("seals", "key")),
    "the same, seals written by another key": then(ONE_TURNED, UNKNOWN),
    "the same, seals written by the key": then(ONE_TURNED, KNOWN),
    "the same, seals and backups deleted": then(ONE_TURNED, without("seals", "backups")),
    "the same, seals, key and backups deleted": then(
        ONE_TURNED, without("seals", "key", "backups")),
    "the same, seals by another key, backups made anew": then(ONE_TURNED, ANEW, UNKNOWN),
    "the same, seals by the key, backups made anew": then(ONE_TURNED, ANEW, KNOWN),
    "all answers turned, chained anew": ALL_TURNED,
    "the same, all seals deleted": then(ALL_TURNED, without("seals")),
    "a project deleted": sql(*WHOLE_PROJECT),
    "a project deleted, seals deleted": then(sql(*WHOLE_PROJECT), without("seals")),
    "a project deleted, seals and backups deleted": then(
        sql(*WHOLE_PROJECT), without("seals", "backups")),
    "an older dump put back": earlier("log"),
    "an older dump put back, seals deleted": then(earlier("log"), without("seals")),
    "an older dump put back with the seals of then": earlier("log", "seals"),
    "an older dump put back with seals and backups of then": earlier("log", "seals", "backups"),
    "seals deleted": without("seals"),
    "seals rewritten by another key": UNKNOWN,
    "older seals put back": earlier("seals"),
    "the question forged": lambda one: one.record(
        "settings_json", lambda values: values.update(question="Is it English?")),
    "names of answers forged": lambda one: one.record(
        "settings_json", lambda values: values.update(names={"yes": "no", "no": "yes"})),
    "a threshold forged": lambda one: one.record("population_json", threshold),
    "the plan forged": lambda one: one.record("plan_json", lambda v: v.update(budget=39)),
    "the plan forged, the log chained anew": other_plan,
    "the day of the start forged": sql("UPDATE project SET created_at = '2020-01-01T00:00:00'"),
    "the text of an item forged": sql("""UPDATE item SET content = '{"text": "x"}'"""),
    "the kept contents changed": lambda one: damaged_file(one, ".contents"),
    "the snapshot changed": lambda one: damaged_file(one, ".snapshot"),
    "the snapshot replaced by another one": other_snapshot,
    "an answer turned in a backup": lambda one: one.in_backup(
        "UPDATE event SET label = 'no' WHERE sequence = 9"),
    "events deleted from a backup": lambda one: one.in_backup(f"{DELETE} BETWEEN 5 AND 8"),
    "a backup cut": lambda one: os.truncate(backups(one.place)[0], 9000),
    "the version of the tables forged": lambda one: one.sql(VERSION[one.url.split(":")[0]]),
}  # fmt: skip


@contextmanager
def made(folder: Path, address: str) -> Iterator[Forger]:
    """A store with labels, an automatic backup, and labels since; closed."""
    population = items(folder / "items.csv", 1)
    plan = lc.Plan("simple_random", ["accuracy"], budget=40, seed=1)
    session = lc.Session(population, plan, address, "spam", settings={"question": "Is it spam?"})
    answer(session, BEFORE)
    place = session.store.guarded
    assert place is not None
    session.store.close()
    shutil.rmtree(backups_folder(place))
    session = lc.Session.open(address, "spam")
    file = back_up_now(place, session.store.backup)
    (folder / "earlier").mkdir()
    shutil.copy(file, folder / "earlier" / "backup.db")
    shutil.copy(seals_file(place), folder / "earlier" / "seals")
    (folder / "earlier" / "name").write_text(file.name)
    answer(session, SINCE)
    session.store.anchor("finish")
    session.store.close()
    yield Forger(address, place, folder / "earlier")


def answer(session: lc.Session, number: int) -> None:
    for _ in range(number):
        draw = session.next()
        assert draw is not None
        session.answer(draw, "yes")


def found(one: Forger) -> Row:
    """What is said, by whom; opened and reported on as somebody does who knows of nothing."""
    row: Row = {"verify": "", "opening": "", "report": "", "event": ""}
    try:
        said = verify(one.url)
        wrong = [
            text
            for state in said.projects
            for text in (state.wrong, state.items, state.changed_texts, state.beside)
        ]
        wrong += [said.damage, *(f"{lost.project} is lost" for lost in said.lost), *said.faults]
        told = [str(text) for text in wrong if text]
        row["verify"] = "; ".join(told)
        row["event"] = next((text for text in told if "event" in text), "")
        if not said.projects and not said.lost and not said.damage:
            row["verify"] = ""
    except Exception as error:
        row["verify"] = str(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        row["opening"] = _said(one.url, looked_at)
        row["report"] = _said(one.url, report_html)
    return row


def _said(url: str, act: Callable[[lc.Session], object]) -> str:
    """What stops somebody who opens the project and does this."""
    try:
        with closing(lc.open_store(url, create=False)) as store:
            session = lc.Session.open(store, "spam")
            act(session)
            return "broken" if session.broken_at else ""
    except Exception as error:
        return str(error)


def looked_at(session: lc.Session) -> None:
    session.next()
    session.drawn_items()


def damage(store: str, anchored: bool, kinds: tuple[str, ...]) -> list[Row]:
    rows = []
    server = postgres.running() if store == "postgresql" else None
    running = server.__enter__() if server else None
    try:
        for number, kind in enumerate(kinds):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                (folder / "away").mkdir()
                os.environ.update(LABELCORE_DATA=str(folder / "data"))
                os.environ[ANCHOR] = str(folder / "away") if anchored else ""
                os.environ.pop(KEY, None)
                address = f"sqlite:///{folder / 'labels.db'}"
                if running is not None:
                    schema = f"d{number}"
                    with psycopg.connect(running.url(), autocommit=True) as connection:
                        connection.execute(f"CREATE SCHEMA {schema}")  # type: ignore[arg-type]
                    address = running.url(schema)
                with made(folder, address) as one:
                    sound = verify(address).whole
                    os.environ[ANCHOR] = ""  # The forger does not reach it.
                    KINDS[kind](one)
                    os.environ[ANCHOR] = str(folder / "away") if anchored else ""
                    rows.append({"kind": kind, "whole before": sound, **found(one)})
    finally:
        if server is not None:
            server.__exit__(None, None, None)
    return rows


# --- the page ------------------------------------------------------------------------------------


def jobs(options: Options) -> dict[str, Job]:
    kinds = tuple(KINDS)[:: 6 if options.quick else 1]
    return {
        f"{store}, {'anchor' if anchored else 'no anchor'}": partial(damage, store, anchored, kinds)
        for store in STORES
        for anchored in (False, True)
    }


def tables(rows: Rows, options: Options) -> str:
    lines, totals = [], []
    for place, one in enumerate(next(iter(rows.values()))):
        cells = [_cell(case[place]) for case in rows.values()]
        lines.append((one["kind"], *cells))
    for case in rows.values():
        seen = sum(any(one[by] for by in ("verify", "opening", "report")) for one in case)
        totals.append(f"**{seen} of {len(case)}**")
    lines.append(("found in any way", *totals))
    return "\n".join([
        "V: `verify` says it; O: opening the project or its next item does; R: the report is "
        "refused. A number: the first event that differs, as `verify` names it; of a log "
        "that was cut, the last that is there.\n",
        markdown(("what was done", *rows), lines),
        _unseen(rows),
    ])  # fmt: skip


def _cell(row: Row) -> str:
    marks = "".join(m for m, by in zip("VOR", ("verify", "opening", "report"), strict=True)
                    if row[by])  # fmt: skip
    words = row["event"].replace(",", "").split()
    named = next(
        (words[n + 1] for n, word in enumerate(words[:-1])
         if word == "event" and words[n + 1].strip(":;").isdigit()), "")  # fmt: skip
    return f"{marks or '**nothing**'} {named.strip(':;')}".strip()


def _unseen(rows: Rows) -> str:
    said = []
    for name, case in rows.items():
        missed = [row["kind"] for row in case
                  if not any(row[by] for by in ("verify", "opening", "report"))]  # fmt: skip
        said.append(f"- {name}: {'; '.join(missed) if missed else 'all were found'}.")
    return "\nWhat was not found:\n\n" + "\n".join(said) + "\n"


HEAD = f"""# Stores damaged and forged

{MADE}

A project of {BEFORE} answers, an automatic backup, {SINCE} more answers, closed. Then somebody who
can write to the database and to its folder does one of these things, and `labelcore verify` is
asked, the project opened and a report made. *anchor*: a folder that the forger does not reach
([store.md](store.md#the-anchor-seals-that-leave-the-machine)).

"""

BENCHMARK = Benchmark(
    name="damages", about=(__doc__ or "").partition("\n")[0], jobs=jobs, tables=tables, runs=1,
    quick_runs=1, page="damages.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
