"""Copies of items: for their owner alone, and gone even after a kill."""

import atexit
import gzip
import os
import sys
import tempfile
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

import labelcore as lc
from tests.forked import FORKED, launch


def read_and_stay(path: Path, temporary: Path, end: Connection) -> None:
    os.environ["TMPDIR"], tempfile.tempdir = str(temporary), None
    population = lc.read_population(path, content="text")
    end.send(len(population))
    end.recv()
    atexit._run_exitfuncs()  # which such a process leaves out


def reading(path: Path, temporary: Path) -> tuple[BaseProcess, Connection]:
    """A process that has read the file and stays."""
    here, there = FORKED.Pipe()
    process = FORKED.Process(target=read_and_stay, args=(path, temporary, there))
    launch(process)
    there.close()
    assert here.recv() == 1000
    return process, here


@pytest.mark.skipif(sys.platform == "win32", reason="locks of Unix")
def test_the_next_process_clears_what_a_killed_one_left(tmp_path: Path) -> None:
    path, temporary = tmp_path / "items.csv.gz", tmp_path / "temporary"
    path.write_bytes(gzip.compress(b"text\n" + b"private\n" * 1000))
    temporary.mkdir()
    (killed, _), (alive, end) = reading(path, temporary), reading(path, temporary)
    folders = list(temporary.iterdir())
    copies = [copy for folder in folders for copy in folder.glob("*.txt")]
    assert len(folders) == len(copies) == 2
    assert {one.stat().st_mode & 0o777 for one in folders} == {0o700}
    assert {one.stat().st_mode & 0o777 for one in copies} == {0o600}
    killed.kill()
    killed.join()
    assert len(list(temporary.iterdir())) == 2
    following, last = reading(path, temporary)
    last.send("end")
    following.join()
    assert following.exitcode == 0
    (left,) = temporary.iterdir()
    assert alive.is_alive() and list(left.glob("*.txt"))
    end.send("end")
    alive.join()
    assert alive.exitcode == 0 and not list(temporary.iterdir())
