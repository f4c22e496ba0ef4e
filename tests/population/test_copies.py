"""Copies of items: for their owner alone, and gone even after a kill."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ = """
import sys, time, labelcore as lc
population = lc.read_population(sys.argv[1], content="text")
print("read", flush=True)
time.sleep(float(sys.argv[2]))
"""


def reading(path: Path, temporary: Path, seconds: float) -> subprocess.Popen[str]:
    """A process that has read the file and stays for so long."""
    command = [sys.executable, "-c", READ, str(path), str(seconds)]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None and started.stdout.readline() == "read\n"
    return started


@pytest.mark.skipif(sys.platform == "win32", reason="locks of Unix")
def test_the_next_process_clears_what_a_killed_one_left(tmp_path: Path) -> None:
    path, temporary = tmp_path / "items.csv.gz", tmp_path / "temporary"
    path.write_bytes(gzip.compress(b"text\n" + b"private\n" * 1000))
    temporary.mkdir()
    killed, alive = reading(path, temporary, 600), reading(path, temporary, 600)
    try:
        folders = list(temporary.iterdir())
        copies = [copy for folder in folders for copy in folder.glob("*.txt")]
        assert len(folders) == len(copies) == 2
        assert {one.stat().st_mode & 0o777 for one in folders} == {0o700}
        assert {one.stat().st_mode & 0o777 for one in copies} == {0o600}
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert len(list(temporary.iterdir())) == 2
        assert reading(path, temporary, 0).wait() == 0
        (left,) = temporary.iterdir()
        assert alive.poll() is None and list(left.glob("*.txt"))
    finally:
        for one in (killed, alive):
            one.kill()
            one.wait()
            assert one.stdout is not None
            one.stdout.close()
