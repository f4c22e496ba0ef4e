"""A store killed in the middle of its work, and one shared by several processes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from labelcore.log.events import Content
from labelcore.store import ProjectRecord
from labelcore.store.sqlite import SqliteStore

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).parent / "append_worker.py"
RECORD = ProjectRecord("spam", "2026-01-01T00:00:00+00:00", "f1", "{}", "{}")

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


def start(path: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), f"sqlite:///{path}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def reported(process: subprocess.Popen[str]) -> list[int]:
    """The sequence numbers that the process printed, until it ended."""
    return [int(line) for line in output(process)]


def output(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout


def missing(path: Path, printed: list[int]) -> list[int]:
    """Sequence numbers that were reported and are not in the log; the log itself is checked."""
    store = SqliteStore(f"sqlite:///{path}")
    events = store.events("spam")
    sequences = [event.sequence for event in events]
    assert sequences == list(range(1, len(events) + 1)), "the log has a gap"
    assert len(events) % 2 == 0, "half a batch was stored"
    for event in events[::2]:
        assert store.content("spam", str(event.item_id)) == Content(
            {"text": f"words of {event.item_id}"}
        )
    store.close()
    return sorted(set(printed) - set(sequences))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "labels.db"
    store = SqliteStore(f"sqlite:///{path}")
    store.create(RECORD)
    store.close()
    return path


def test_every_reported_append_survives_kill(path: Path) -> None:
    moments = random.Random(20260101)
    process = start(path, "victim", "--children", "5")
    printed: list[int] = []
    for _ in range(5):
        before = len(printed)
        printed += killed_at(process, moments.uniform(0, 0.06))
        assert len(printed) > before, "the worker was killed before it did anything"
        assert missing(path, printed) == []
    assert process.wait() == 0


def killed_at(process: subprocess.Popen[str], moment: float) -> list[int]:
    """Kill the next child ``moment`` seconds after its first report; all that it reported."""
    child = int(output(process).readline().removeprefix("child "))
    first = int(output(process).readline())
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    rest = iter(output(process).readline, "ended\n")
    return [first, *map(int, rest)]


def test_a_worker_that_reports_too_early_is_found_out(path: Path) -> None:
    process = start(path, "liar", "--report-before-append")
    printed = reported(process)
    assert process.wait() == -signal.SIGKILL
    assert missing(path, printed) == printed[-1:]


def test_processes_appending_at_once_lose_nothing(path: Path) -> None:
    workers = [start(path, f"worker-{number}", "--appends", "40") for number in range(3)]
    printed = [sequence for worker in workers for sequence in reported(worker)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    assert sorted(printed) == list(range(2, 241, 2))
    assert missing(path, printed) == []


def test_processes_opening_a_new_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    workers = [start(path, f"worker-{number}", "--open-only") for number in range(4)]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    store = SqliteStore(f"sqlite:///{path}")
    assert len(store.projects()) == 4
    store.close()


OPENED_TWICE = """
import os, signal, sqlite3, subprocess, sys
from labelcore.log.events import Event
from labelcore.store import open_store

AT = "2026-01-01T00:00:00.000001+00:00"
READ = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT 1 FROM event').close()"

def append(store, place):
    store.append("spam", [Event(place, "drawn", AT, "a", token=str(place), hash="h")])

path = sys.argv[1]
first = open_store(f"sqlite:///{path}")
append(first, 1)
second = open_store(f"sqlite:///{path}")
subprocess.run([sys.executable, "-c", READ, path], check=True)
for place in (2, 3):
    append(first, place)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_file_opened_twice_keeps_what_another_program_read_beside(path: Path) -> None:
    """Opening the file a second time drops no lock of the first: another program that opens and
    closes it does not take it for unused, and what is written after that stays."""
    subprocess.run([sys.executable, "-c", OPENED_TWICE, str(path)], cwd=ROOT, check=False)
    store = SqliteStore(f"sqlite:///{path}")
    assert [event.sequence for event in store.events("spam")] == [1, 2, 3]
    store.close()
