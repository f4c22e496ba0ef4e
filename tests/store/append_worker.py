"""What test_sqlite_crash.py runs in processes of their own."""

import itertools
import os
import signal
import subprocess
import sys
from multiprocessing.connection import Connection

from labelcore.log.events import Content, Event
from labelcore.store import ConflictError, LabelStore, ProjectRecord, open_store

AT = "2026-01-01T00:00:00.000001+00:00"


def append(store: LabelStore, token: str, report: Connection, early: bool) -> None:
    """Append a draw and its answer with the item's text, again after each conflict; send the last
    sequence number stored, in one write, so that a kill leaves all of it or nothing."""
    while True:
        last = store.last_sequence("spam")
        batch = [
            Event(last + 1, "drawn", AT, "a1", token=token, item_id=token, hash="h"),
            Event(last + 2, "labelled", AT, "a1", answers=token, label="yes", hash="h"),
        ]
        if early:
            report.send(last + 2)
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            store.append("spam", batch, {token: Content({"text": f"words of {token}"})})
        except ConflictError:
            continue
        report.send(last + 2)
        return


def work(url: str, report: Connection, appends: int | None, early: bool = False) -> None:
    """Append so often, or without end; report the fourth one before it is stored."""
    store = open_store(url)
    for number in itertools.count() if appends is None else range(appends):
        append(store, f"{os.getpid()}-{number}", report, early and number == 3)


def open_only(url: str, report: Connection) -> None:
    """Make a project in a store that may be new."""
    open_store(url).create(ProjectRecord(str(os.getpid()), AT, "f1", "{}", "{}"))


READ = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT 1 FROM event').close()"


def open_twice(url: str, report: Connection) -> None:
    """Another program reads the file after it was opened a second time."""

    def add(store: LabelStore, place: int) -> None:
        event = Event(place, "drawn", AT, "a", token=str(place), hash="h")
        store.append("spam", [event])

    first = open_store(url)
    add(first, 1)
    second = open_store(url)
    assert second is not first
    subprocess.run([sys.executable, "-c", READ, url.removeprefix("sqlite:///")], check=True)
    for place in (2, 3):
        add(first, place)
    os.kill(os.getpid(), signal.SIGKILL)
