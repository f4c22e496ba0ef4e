"""Work in another process: what comes back, its limits of time and memory, and its end."""

from __future__ import annotations

import errno
import gc
import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelcore import bounded
from labelcore.bounded import Work
from labelcore.errors import CancelledError, Fault, LimitError, PopulationError
from labelcore.population import apart, read_population
from labelcore.population.copies import copies_folder


def sleep_on(file: str, seconds: float = 60.0) -> None:
    """Say which process this is, and sleep."""
    Path(f"{file}.half").write_text(str(os.getpid()))
    Path(f"{file}.half").rename(file)
    time.sleep(seconds)


def fill(megabytes: int) -> int:
    return int(np.ones(megabytes * 125_000).sum())


def write(megabytes: int, files: int = 1) -> int:
    for number in range(files):
        with Path(f"{number}.txt").open("wb") as stream:
            for _ in range(megabytes):
                stream.write(bytes(1_000_000))
            stream.flush()
    return megabytes


def full() -> None:
    try:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a.txt")
    except OSError as error:
        raise ValueError("a.csv: it cannot be read") from error


def refuse(rule: str, number: int = 1) -> None:
    raise PopulationError([Fault("items.csv", "score", 3, "x", rule, 4)] * number)


def look_at(file: str) -> None:
    os.stat(file)


def crash() -> None:
    os.abort()


def index() -> int:
    return [0][1]


def say(megabytes: int) -> str:
    return "a" * megabytes * 1_000_000


def own_process() -> int:
    return os.getpid()


def halves(one: int, other: int) -> list[int]:
    return list(divmod(one, other))


def work(function: Any, *arguments: Any, folder: Path, **values: Any) -> Work:
    return Work("Reading items.csv", function, *arguments, folder=folder, **values)


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_comes_back_is_what_the_function_gives(tmp_path: Path) -> None:
    assert work(halves, 17, 5, folder=tmp_path).result() == [3, 2]
    assert not list(tmp_path.iterdir())


def test_it_runs_in_another_process(tmp_path: Path) -> None:
    bounded.start_ahead()
    assert work(own_process, folder=tmp_path).result() != os.getpid()


def test_what_it_raises_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(PopulationError, match="must be finite") as caught:
        work(refuse, "must be finite", folder=tmp_path).result()
    assert caught.value.faults == (Fault("items.csv", "score", 3, "x", "must be finite", 4),)
    with pytest.raises(FileNotFoundError) as missing:
        work(look_at, str(tmp_path / "nowhere"), folder=tmp_path).result()
    assert missing.value.filename == str(tmp_path / "nowhere")


def test_too_long(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match=r"^Reading items.csv took longer than 5 seconds\. It was"):
        work(sleep_on, str(tmp_path / "process"), folder=tmp_path, seconds=5.0).result()
    assert [one.name for one in tmp_path.iterdir()] == ["process"]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no limit of memory here")
def test_too_much_memory(tmp_path: Path) -> None:
    assert work(fill, 100, folder=tmp_path, memory=1 << 29).result() == 100 * 125_000
    with pytest.raises(LimitError, match=r"needed more than 0.5 GB of memory\. It was ended"):
        work(fill, 2000, folder=tmp_path, memory=1 << 29).result()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no limit of memory here")
def test_under_a_limit_of_the_server(tmp_path: Path) -> None:
    """A server under ``ulimit -v`` cannot raise that limit: its processes have the lower one."""
    program = (
        "import sys; from pathlib import Path; from labelcore import bounded\n"
        "from labelcore.errors import LimitError\n"
        "from tests.test_bounded import fill\n"
        "bounded.PRELOADED = ()\n"
        "for megabytes in (100, 4000):\n"
        f"  one = bounded.Work('Reading a.csv', fill, megabytes, folder=Path({str(tmp_path)!r}), "
        "memory=1 << 40)\n"
        "  try: print(one.result() // 125_000)\n"
        "  except LimitError as error: print(error)\n"
    )
    shell = f'ulimit -v 2500000 && exec {sys.executable} -c "$PROGRAM"'
    done = subprocess.run(
        ["bash", "-c", shell],
        env={**os.environ, "PROGRAM": program, "OPENBLAS_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    told = "Reading a.csv needed more than 2.6 GB of memory."
    assert done.stdout.startswith(f"100\n{told}"), done.stderr


def test_cancelled(tmp_path: Path) -> None:
    one = work(sleep_on, str(tmp_path / "process"), folder=tmp_path)
    wait_for((tmp_path / "process").exists)
    process = int((tmp_path / "process").read_text())
    one.cancel()
    with pytest.raises(CancelledError, match="^Reading items.csv was cancelled"):
        one.result()
    assert not is_alive(process) and [one.name for one in tmp_path.iterdir()] == ["process"]


def test_killed_by_the_system(tmp_path: Path) -> None:
    one = work(sleep_on, str(tmp_path / "process"), folder=tmp_path)
    wait_for((tmp_path / "process").exists)
    os.kill(int((tmp_path / "process").read_text()), signal.SIGKILL)
    with pytest.raises(LimitError, match="ended by itself .signal 9, as when memory runs out"):
        one.result()


def test_no_more_at_once_than_there_are_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "_places", bounded.threading.BoundedSemaphore(1))
    first = work(sleep_on, str(tmp_path / "first"), folder=tmp_path)
    wait_for((tmp_path / "first").exists)
    second = work(halves, 7, 2, folder=tmp_path)
    third = work(halves, 8, 2, folder=tmp_path)
    assert second.ran == third.ran == 0.0
    third.cancel()
    with pytest.raises(CancelledError):
        third.result()
    first.cancel()
    assert second.result() == [3, 1]


@pytest.mark.parametrize("files", [1, 40])
def test_too_much_written(tmp_path: Path, files: int) -> None:
    """One file, or many small ones together."""
    assert work(write, 2, files, folder=tmp_path, most=10**9).result() == 2
    with pytest.raises(LimitError, match=r"unpacked to more than 50 MB on the disk\. It was ended"):
        work(write, 400 // files, files, folder=tmp_path, most=50_000_000).result()
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said_whatever_was_made_of_it(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="Reading items.csv found no more room on the disk"):
        work(full, folder=tmp_path).result()
    assert not list(tmp_path.iterdir())


def test_too_much_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(work(say, 2, folder=tmp_path).result()) == 2_000_000
    monkeypatch.setattr(bounded, "MOST_TOLD", 1_000_000)
    with pytest.raises(LimitError, match="found more columns and texts than can be shown"):
        work(say, 2, folder=tmp_path).result()
    assert not list(tmp_path.iterdir())


def test_many_faults_are_counted(tmp_path: Path) -> None:
    with pytest.raises(PopulationError) as caught:
        work(refuse, "must be finite", 30_000, folder=tmp_path).result()
    assert len(caught.value.faults) == bounded.MOST_FAULTS + 1
    assert caught.value.faults[-1].rule == "20,000 more faults"


def test_a_crash_and_a_mistake_of_ours(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LimitError, match="ended by itself .signal 6"):
        work(crash, folder=tmp_path).result()
    with pytest.raises(RuntimeError, match="^IndexError: list index out of range$"):
        work(index, folder=tmp_path).result()
    assert not list(tmp_path.iterdir())


def test_nothing_that_comes_back_is_unpickled(tmp_path: Path) -> None:
    """Nor are jobs: both are JSON, and what is no JSON cannot be asked or answered."""
    with pytest.raises(TypeError, match="not JSON serializable"):
        work(halves, object(), 1, folder=tmp_path).result()
    with pytest.raises(TypeError, match="not JSON serializable"):
        work(Path, "a", folder=tmp_path).result()
    assert "pickle" not in Path(bounded.__file__).read_text().replace("unpickled", "")


def test_a_server_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from labelcore import bounded\n"
        "from tests.test_bounded import sleep_on\n"
        "bounded.PRELOADED = ()\n"
        f"here = {str(tmp_path)!r}\n"
        "bounded.Work('Reading', sleep_on, here + '/process', folder=Path(here)).result()\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[1])
    wait_for((tmp_path / "process").exists)
    server.kill()
    server.wait()
    process = int((tmp_path / "process").read_text())
    wait_for(lambda: not is_alive(process))
    wait_for(lambda: [one.name for one in tmp_path.iterdir()] == ["process"])


def test_the_work_ends_with_the_one_that_watches_it(tmp_path: Path) -> None:
    one = work(sleep_on, str(tmp_path / "process"), folder=tmp_path)
    wait_for((tmp_path / "process").exists)
    process = int((tmp_path / "process").read_text())
    watching = int(Path(f"/proc/{process}/stat").read_text().split()[3])
    os.kill(watching, signal.SIGKILL)
    with pytest.raises(LimitError, match="ended by itself"):
        one.result()
    wait_for(lambda: not is_alive(process))


def test_a_process_that_was_lost_is_started_again(tmp_path: Path) -> None:
    bounded.start_ahead()
    assert bounded._host._process is not None
    bounded._host._process.kill()
    bounded._host._process.wait()
    assert work(halves, 17, 5, folder=tmp_path).result() == [3, 2]


def test_where_processes_do_not_fork(tmp_path: Path) -> None:
    """Each piece of work has a process of its own, within the same limits."""
    program = (
        "import sys; from pathlib import Path; from labelcore import bounded\n"
        "from tests.test_bounded import fill, halves, sleep_on, write\n"
        "bounded.PRELOADED, bounded.FORKS = (), False\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "def tried(function, *arguments, cancel=False, **limits):\n"
        "  one = bounded.Work('Reading', function, *arguments, folder=folder, **limits)\n"
        "  while cancel and not (folder / 'process').exists(): pass\n"
        "  if cancel: one.cancel()\n"
        "  try: print(one.result())\n"
        "  except ValueError as error: print(error)\n"
        "tried(halves, 17, 5)\n"
        "tried(sleep_on, str(folder / 'late'), seconds=1.0)\n"
        "tried(write, 400, most=50_000_000)\n"
        "tried(sleep_on, str(folder / 'process'), cancel=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    said = [line.split(". It was")[0] for line in done.stdout.splitlines()]
    assert said == [
        "[3, 2]",
        "Reading took longer than 1 seconds",
        "Reading unpacked to more than 50 MB on the disk",
        "Reading was cancelled.",
    ], done.stderr
    assert {one.name for one in tmp_path.iterdir()} <= {"late", "process"}


def test_a_population_comes_back_with_what_it_rests_on(tmp_path: Path) -> None:
    """Its files are this process's from then on, and gone with the population."""
    file = tmp_path / "items.csv.gz"
    rows = "".join(f"i{number},text {number},{number / 400}\n" for number in range(300))
    file.write_bytes(gzip.compress(f"id,text,score\n{rows}".encode()))
    given = {"id": "id", "content": ["text"], "scores": {"m": "score"}, "thresholds": {"m": 0.5}}
    here = read_population(file, **given)
    before = set(copies_folder().iterdir())
    job = Work(
        "Reading",
        apart.read,
        str(file),
        given,
        folder=copies_folder(),
        handed=lambda _, folder: apart.population_from(folder, file),
    )
    there = job.result()
    file.unlink()
    assert there.fingerprint == here.fingerprint and len(there) == 300
    assert there.content("i7") == {"text": "text 7"}
    assert (there.scores["m"] == here.scores["m"]).all()
    assert set(copies_folder().iterdir()) > before
    del there, job
    wait_for(lambda: gc.collect() >= 0 and set(copies_folder().iterdir()) == before)
