"""A store killed in the middle of its work, and one shared by several processes."""

import random
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from labelcore.log.events import Content
from labelcore.store import ProjectRecord
from labelcore.store.sqlite import SqliteStore
from tests.forked import FORKED, launch
from tests.store.append_worker import open_only, open_twice, work

RECORD = ProjectRecord("spam", "2026-01-01T00:00:00+00:00", "f1", "{}", "{}")

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


Started = tuple[BaseProcess, Connection]


def start(path: Path, what: Callable[..., None] = work, *arguments: Any) -> Started:
    """A process that does it, and what it reports."""
    here, there = FORKED.Pipe(duplex=False)
    process = FORKED.Process(target=what, args=(f"sqlite:///{path}", there, *arguments))
    launch(process)
    there.close()
    return process, here


def reported(started: Started) -> list[int]:
    """The sequence numbers that the process reported, until it ended."""
    found = []
    try:
        while True:
            found.append(started[1].recv())
    except EOFError:
        started[0].join()
        return found


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
    printed: list[int] = []
    for _ in range(3):
        process, reports = start(path, work, None)
        assert reports.poll(60), "the worker did nothing"
        time.sleep(moments.uniform(0, 0.06))
        process.kill()
        printed += reported((process, reports))
        assert missing(path, printed) == []


def test_a_worker_that_reports_too_early_is_found_out(path: Path) -> None:
    started = start(path, work, None, True)
    printed = reported(started)
    assert started[0].exitcode == -signal.SIGKILL
    assert missing(path, printed) == printed[-1:]


def test_processes_appending_at_once_lose_nothing(path: Path) -> None:
    workers = [start(path, work, 20) for _ in range(3)]
    printed = [sequence for worker in workers for sequence in reported(worker)]
    assert [process.exitcode for process, _ in workers] == [0, 0, 0]
    assert sorted(printed) == list(range(2, 121, 2))
    assert missing(path, printed) == []


def test_processes_opening_a_new_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    workers = [start(path, open_only) for _ in range(4)]
    assert [reported(one) for one in workers] == [[]] * 4
    assert [process.exitcode for process, _ in workers] == [0, 0, 0, 0]
    store = SqliteStore(f"sqlite:///{path}")
    assert len(store.projects()) == 4
    store.close()


def test_a_file_opened_twice_keeps_what_another_program_read_beside(path: Path) -> None:
    """Opening the file a second time drops no lock of the first: another program that opens and
    closes it does not take it for unused, and what is written after that stays."""
    started = start(path, open_twice)
    assert reported(started) == [] and started[0].exitcode == -signal.SIGKILL
    store = SqliteStore(f"sqlite:///{path}")
    assert [event.sequence for event in store.events("spam")] == [1, 2, 3]
    store.close()
