"""Work in another process: what comes back, its limits of time and memory, and its end."""

from __future__ import annotations

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
from labelcore.population import read_population
from labelcore.population.copies import adopted, copies_folder


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import what is needed, not what most work needs."""
    monkeypatch.setattr(bounded, "PRELOADED", ())


def sleep_on(file: str) -> None:
    """Say which process this is, and sleep."""
    Path(f"{file}.half").write_text(str(os.getpid()))
    Path(f"{file}.half").rename(file)
    time.sleep(60)


def fill(megabytes: int) -> int:
    return int(np.ones(megabytes * 125_000).sum())


def refuse(rule: str) -> None:
    raise PopulationError([Fault("items.csv", "score", 3, "x", rule, 4)])


def go_on(file: str) -> str:
    for share in (0.25, 0.5):
        bounded.tell(share)
        while not Path(f"{file}{share}").exists():
            time.sleep(0.01)
    return "done"


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
    assert work(divmod, 17, 5, folder=tmp_path).result() == (3, 2)
    assert not list(tmp_path.iterdir())


def test_it_runs_in_another_process(tmp_path: Path) -> None:
    bounded.start_ahead()
    assert work(os.getpid, folder=tmp_path).result() != os.getpid()


def test_what_it_raises_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(PopulationError, match="must be finite") as caught:
        work(refuse, "must be finite", folder=tmp_path).result()
    assert caught.value.faults == (Fault("items.csv", "score", 3, "x", "must be finite", 4),)
    with pytest.raises(FileNotFoundError) as missing:
        work(os.stat, str(tmp_path / "nowhere"), folder=tmp_path).result()
    assert missing.value.filename == str(tmp_path / "nowhere")


def test_too_long(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(LimitError, match=r"^Reading items.csv took longer than 1 seconds\. It was"):
        work(time.sleep, 60, folder=tmp_path, seconds=1.0).result()
    assert time.monotonic() - begun < 30 and not list(tmp_path.iterdir())


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


def test_it_tells_how_far_it_is(tmp_path: Path) -> None:
    one = work(go_on, str(tmp_path / "step"), folder=tmp_path)
    for share in (0.25, 0.5):
        wait_for(lambda share=share: one.progress == share)
        (tmp_path / f"step{share}").touch()
    assert one.result() == "done" and one.ran > 0


def test_no_more_at_once_than_there_are_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "_places", bounded.threading.BoundedSemaphore(1))
    first = work(sleep_on, str(tmp_path / "first"), folder=tmp_path)
    wait_for((tmp_path / "first").exists)
    second = work(divmod, 7, 2, folder=tmp_path)
    third = work(divmod, 8, 2, folder=tmp_path)
    assert second.ran == third.ran == 0.0
    third.cancel()
    with pytest.raises(CancelledError):
        third.result()
    first.cancel()
    assert second.result() == (3, 1)


def test_a_population_comes_back_with_its_unpacked_copy(tmp_path: Path) -> None:
    """The copy is this process's from then on: readable, and gone with the population."""
    file = tmp_path / "items.csv.gz"
    rows = "".join(f"i{number},text {number},{number / 400}\n" for number in range(300))
    file.write_bytes(gzip.compress(f"id,text,score\n{rows}".encode()))
    given = {"id": "id", "content": ["text"], "scores": {"m": "score"}, "thresholds": {"m": 0.5}}
    here = read_population(file, **given)
    before = set(copies_folder().iterdir())
    job = Work("Reading", read_with, str(file), given, folder=copies_folder(), handed=adopted)
    there = job.result()
    assert there.fingerprint == here.fingerprint and len(there) == 300
    assert there.content("i7") == {"text": "text 7"}
    assert (there.scores["m"] == here.scores["m"]).all()
    assert set(copies_folder().iterdir()) > before
    del there, job
    wait_for(lambda: gc.collect() >= 0 and set(copies_folder().iterdir()) == before)


def read_with(path: str, given: dict[str, Any]) -> Any:
    return read_population(path, **given)
