"""Work in another process: what comes back, its limits of time and memory, and its end."""

import ctypes
import errno
import gc
import gzip
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from labelcore import bounded, sandbox
from labelcore.bounded import Work
from labelcore.errors import CancelledError, Fault, LimitError, PopulationError
from labelcore.population import apart, read_population
from labelcore.population.copies import copies_folder


def sleep_on(file: str, seconds: float = 60.0) -> None:
    """Say which process this is, in the private folder, and sleep."""
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


def refuse(rule: str, number: int = 1) -> None:
    raise PopulationError([Fault("items.csv", "score", 3, "x", rule, 4)] * number)


def look_at(file: str) -> None:
    os.stat(file)


def crash() -> None:
    os.abort()


def index() -> int:
    return [0][1]


def begin_and_sleep() -> None:
    bounded.tell(0.25)
    time.sleep(60)


def say(megabytes: int) -> str:
    return "a" * megabytes * 1_000_000


def processes() -> tuple[int, int]:
    return os.getpid(), os.getppid()


def handles() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))


def halves(one: int, other: int) -> list[int]:
    return list(divmod(one, other))


def said(folder: Path, name: str = "process") -> int:
    """Which process it is, 0 before it says so."""
    return int(next((one.read_text() for one in folder.glob(f"*/{name}")), "0"))


def work(function: Any, *arguments: Any, folder: Path, **values: Any) -> Work:
    return Work("Reading items.csv", function, *arguments, folder=folder, **values)


def running(folder: Path) -> int:
    """The process that sleeps, once it does."""
    wait_for(lambda: said(folder))
    return said(folder)


def watched_by(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().split()[3])


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


def test_work_says_how_much_of_it_is_done(tmp_path: Path) -> None:
    going = work(begin_and_sleep, folder=tmp_path)
    wait_for(lambda: going.share is not None)
    assert going.share == 0.25
    going.cancel()
    with pytest.raises(CancelledError):
        going.result()
    assert not list(tmp_path.iterdir())


def test_it_runs_in_another_process_which_is_gone_then(tmp_path: Path) -> None:
    bounded.start_ahead()
    done = work(processes, folder=tmp_path)
    own, watching = done.result()
    assert own != os.getpid()
    wait_for(lambda: not is_alive(watching), 20)  # One that waits to be seen counts as alive.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded.time, "monotonic", lambda: done.began + 2.0)
        assert done.ran == 2.0


@pytest.mark.skipif(not bounded.FORKS, reason="no processes that fork")
def test_no_handle_of_others_is_open_in_it(tmp_path: Path) -> None:
    mine = ["0", "1", "2", "3"]  # The last is that of the folder that is listed.
    assert work(handles, folder=tmp_path).result() == mine


def test_what_it_raises_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(PopulationError, match="must be finite") as caught:
        work(refuse, "must be finite", folder=tmp_path).result()
    assert caught.value.faults == (Fault("items.csv", "score", 3, "x", "must be finite", 4),)
    with pytest.raises(FileNotFoundError) as missing:
        work(look_at, str(tmp_path / "nowhere"), folder=tmp_path).result()
    assert missing.value.filename == str(tmp_path / "nowhere")


def test_too_long(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match=r"^Reading items.csv took longer than 5 seconds\. It was"):
        work(sleep_on, "process", folder=tmp_path, seconds=5.0).result()
    assert not any(tmp_path.iterdir())


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
        ["bash", "-c", shell], env={**os.environ, "PROGRAM": program, "OPENBLAS_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[1], capture_output=True, text=True,
    )  # fmt: skip
    told = "Reading a.csv needed more than 2.6 GB of memory."
    assert done.stdout.startswith(f"100\n{told}"), done.stderr


def test_cancelled(tmp_path: Path) -> None:
    one = work(sleep_on, "process", folder=tmp_path)
    process = running(tmp_path)
    one.cancel()
    with pytest.raises(CancelledError, match="^Reading items.csv was cancelled"):
        one.result()
    assert not is_alive(process) and not any(tmp_path.iterdir())


def test_what_no_longer_answers_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that watches, once its work is cancelled; and the one that forks, once it is late."""
    monkeypatch.setattr(bounded, "LINGER", 0.5)
    cancelled = work(sleep_on, "process", folder=tmp_path)
    watching = watched_by(running(tmp_path))
    os.kill(watching, signal.SIGSTOP)
    cancelled.cancel()
    assert all(late.daemon for late in threading.enumerate() if isinstance(late, Timer))
    assert cancelled.ended.wait(20)
    os.kill(watching, signal.SIGKILL)
    bounded.start_ahead()
    assert bounded._host._process is not None
    os.kill(bounded._host._process.pid, signal.SIGSTOP)
    late = work(halves, 7, 2, folder=tmp_path, seconds=0.5)
    assert late.ended.wait(20)
    for one, error in ((cancelled, CancelledError), (late, LimitError)):
        with pytest.raises(error):
            one.result()
    assert work(halves, 7, 2, folder=tmp_path).result() == [3, 1]


def test_killed_by_the_system(tmp_path: Path) -> None:
    one = work(sleep_on, "process", folder=tmp_path)
    os.kill(running(tmp_path), signal.SIGKILL)
    with pytest.raises(LimitError, match="ended by itself .signal 9, as when memory runs out"):
        one.result()
    assert bounded._ending(0) == "exit code 0"


def test_no_more_at_once_than_there_are_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "_places", bounded.threading.BoundedSemaphore(1))
    first = work(sleep_on, "first", folder=tmp_path)
    wait_for(lambda: said(tmp_path, "first"))
    second = work(halves, 7, 2, folder=tmp_path)
    third = work(halves, 8, 2, folder=tmp_path)
    assert second.ran == third.ran == 0.0
    third.cancel()
    with pytest.raises(CancelledError):
        third.result()
    first.cancel()
    assert second.result() == [3, 1]


def test_two_may_work_at_once_on_any_machine(tmp_path: Path) -> None:
    both = [work(sleep_on, name, folder=tmp_path) for name in ("first", "second")]
    wait_for(lambda: said(tmp_path, "first") and said(tmp_path, "second"))
    for one in both:
        one.cancel()


@pytest.mark.parametrize("files", [1, 40])
def test_too_much_written(tmp_path: Path, files: int) -> None:
    """One file, or many small ones together."""
    assert work(write, 2, files, folder=tmp_path, most=10**9).result() == 2
    with pytest.raises(LimitError, match=r"unpacked to more than 50 MB on the disk\. It was ended"):
        work(write, 400 // files, files, folder=tmp_path, most=50_000_000).result()
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
    bounded._host.end()  # The next one writes to where this test looks.
    with pytest.raises(LimitError, match="ended by itself .signal 6"):
        work(crash, folder=tmp_path).result()
    with pytest.raises(RuntimeError, match="^IndexError: list index out of range$"):
        work(index, folder=tmp_path).result()
    assert not list(tmp_path.iterdir())
    assert "in index\n" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("error", "kind", "arguments"),
    [
        (MemoryError(), "memory", []),
        (OSError(errno.EFBIG, "too large"), "bytes", []),
        (OSError(errno.ENOSPC, "no room"), "full", []),
        (OSError(errno.EACCES, "refused", "a.csv"), "OSError", [errno.EACCES, "refused", "a.csv"]),
        (OSError(errno.EACCES, "refused"), "OSError", [errno.EACCES, "refused"]),
        (OSError("refused"), "OSError", ["refused"]),
        (FileNotFoundError("gone"), "FileNotFoundError", ["gone"]),
        (ValueError("wrong"), "ValueError", ["wrong"]),
        (TypeError("wrong"), "TypeError", ["wrong"]),
        (KeyError("wrong"), "", ["KeyError: 'wrong'"]),
    ],
)
def test_errors_come_back_as_plain_values(
    error: Exception, kind: str, arguments: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bounded._told(error) == {"error": kind, "arguments": arguments}
    limit = kind if kind in bounded.LIMITS else ""
    for link in ("__context__", "__cause__"):
        outer = RuntimeError("it cannot be read")
        setattr(outer, link, error)
        assert bounded._told(outer)["error"] == limit
    room = SimpleNamespace(free=bounded.NO_ROOM - 1)
    monkeypatch.setattr(bounded.shutil, "disk_usage", lambda _: room)
    assert bounded._told(error)["error"] == (limit or "full")


def test_no_secret_of_the_server_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"PATH": "/bin", "LABELCORE_DATA": "data", "XPG": "1"}
    secret = "DB_PASSWORD", "a_Token", "API_KEY", "PGHOST", "AWS_PROFILE", "LABELCORE_START_KEY"
    monkeypatch.setattr(os, "environ", {**kept, **dict.fromkeys(secret, "x")})
    assert bounded._no_secrets() == kept


@pytest.mark.parametrize(
    ("machine", "container", "limit"),
    [(16, "max", 8), (16, f"{4 << 30}", 2), (16, f"{64 << 30}", 8), (1, "max", 1)],
)
def test_half_of_the_memory_may_be_taken_and_a_gigabyte_at_least(
    machine: int, container: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"SC_PAGE_SIZE": 1 << 12, "SC_PHYS_PAGES": machine << 18}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(Path, "read_text", lambda self: container)
    assert bounded.memory_limit() == limit << 30


def test_windows_tells_no_memory_and_renames_nothing_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sysconf")
    assert bounded.memory_limit() == bounded.LEAST_MEMORY

    def refused(_: object, target: Path) -> None:
        assert not Path(target).exists()
        Path(target).touch()

    monkeypatch.setattr(os, "rename", refused)
    monkeypatch.setattr(bounded.tempfile, "tempdir", str(tmp_path))
    for share in ("0.100", "0.200"):
        bounded.tell(float(share))
    assert (tmp_path / bounded.SHARE).read_text() == "0.200"


def test_a_reader_may_read_what_its_first_argument_names(tmp_path: Path) -> None:
    odd = tmp_path / "a[1].csv"
    odd.touch()
    for first, files in (
        (str(odd), [str(odd)]), (f"{tmp_path}/*/b?.csv", [str(tmp_path)]), ("/*.csv", []),
        ([str(odd), 3, "text", f"{tmp_path}/c.csv"], [str(odd), f"{tmp_path}/c.csv"]), (7, []),
    ):  # fmt: skip
        assert bounded._read_by({"arguments": [first, "/etc/passwd"]}) == files
    assert bounded._read_by({"arguments": []}) == []


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no limits here")
def test_the_limits_of_a_process_are_those_of_its_work() -> None:
    code = """import resource as r; from pathlib import Path; from labelcore import bounded
r.setrlimit(r.RLIMIT_FSIZE, (1 << 27, r.RLIM_INFINITY))
bounded._limit(1 << 33, 2.5, 1 << 30)
print([r.getrlimit(one)[0] for one in (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_FSIZE)])
print(bounded._most(1 << 20), bounded._most(1 << 40) >> 32)
print(Path("/proc/self/oom_score_adj").read_text())"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    limits, most, ended_first = done.stdout.split("\n", 2)
    memory, seconds, size = json.loads(limits)
    assert 1 << 33 < memory < (1 << 33) + (1 << 31) and (seconds, size) == (70, 1 << 27)
    assert most == f"{1 << 20} 2" and ended_first.strip() == "1000"


def test_nothing_that_comes_back_is_unpickled(tmp_path: Path) -> None:
    """Nor are jobs: both are JSON, and what is no JSON cannot be asked or answered."""
    with pytest.raises(TypeError, match="not JSON serializable"):
        work(halves, object(), 1, folder=tmp_path).result()
    with pytest.raises(TypeError, match="not JSON serializable"):
        work(Path, "a", folder=tmp_path).result()
    assert "pickle" not in Path(bounded.__file__).read_text().replace("unpickled", "")


@pytest.mark.parametrize("forks", [True, False])
def test_a_server_that_is_killed_leaves_nothing(tmp_path: Path, forks: bool) -> None:
    """Where processes do not fork there is nobody to remove the folder."""
    program = (
        "from pathlib import Path; from labelcore import bounded\n"
        "from tests.test_bounded import sleep_on\n"
        f"bounded.PRELOADED, bounded.FORKS = (), {forks}\n"
        f"here = {str(tmp_path)!r}\n"
        "bounded.Work('Reading', sleep_on, 'process', folder=Path(here)).result()\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[1])
    process = running(tmp_path)
    server.kill()
    server.wait()
    wait_for(lambda: not is_alive(process))
    wait_for(lambda: not forks or not any(tmp_path.iterdir()))


def test_the_work_ends_with_the_one_that_watches_it(tmp_path: Path) -> None:
    one = work(sleep_on, "process", folder=tmp_path)
    process = running(tmp_path)
    os.kill(watched_by(process), signal.SIGKILL)
    with pytest.raises(LimitError, match="ended by itself"):
        one.result()
    wait_for(lambda: not is_alive(process))


def test_a_process_that_was_lost_is_started_again(tmp_path: Path) -> None:
    bounded.start_ahead()
    assert bounded._host._process is not None
    bounded._host._process.kill()
    bounded._host._process.wait()
    bounded.start_ahead()
    assert bounded._host._process.poll() is None
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
        "  while cancel and not list(folder.glob('*/process')): pass\n"
        "  if cancel: one.cancel()\n"
        "  try: print(one.result())\n"
        "  except ValueError as error: print(error)\n"
        "tried(halves, 17, 5)\n"
        "tried(sleep_on, 'late', seconds=1.0)\n"
        "tried(write, 400, most=50_000_000)\n"
        "tried(sleep_on, 'process', cancel=True)\n"
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
    assert not any(tmp_path.iterdir())


def test_a_population_comes_back_with_what_it_rests_on(tmp_path: Path) -> None:
    """Its files are this process's from then on, and gone with the population."""
    file = tmp_path / "items.csv.gz"
    rows = "".join(f"i{number},text {number},{number / 400}\n" for number in range(300))
    file.write_bytes(gzip.compress(f"id,text,score\n{rows}".encode()))
    given = {"id": "id", "content": ["text"], "scores": {"m": "score"}, "thresholds": {"m": 0.5}}
    here = read_population(file, **given)
    before = set(copies_folder().iterdir())
    job = Work(
        "Reading", apart.read, str(file), given, folder=copies_folder(),
        handed=lambda _, folder: apart.population_from(folder, file),
    )  # fmt: skip
    there = job.result()
    file.unlink()
    assert there.fingerprint == here.fingerprint and len(there) == 300
    assert there.content("i7") == {"text": "text 7"}
    assert (there.scores["m"] == here.scores["m"]).all()
    assert set(copies_folder().iterdir()) > before
    del there, job
    wait_for(lambda: gc.collect() >= 0 and set(copies_folder().iterdir()) == before)


# A file that takes over its reader


def attacks(file: str, secret: str, port: int, socket_file: str, victim: int) -> dict[str, str]:
    """What code that a file got to run could try, and what came of each: "" where it worked."""
    here, home = Path.cwd(), Path(secret).parent

    def opened(path: str, how: str = "rb") -> Any:
        with open(path, how) as stream:
            return stream.read(1) if "r" in how else stream.write("x")

    def connected(family: int, to: Any) -> None:
        with socket.socket(family) as one:
            one.settimeout(5)
            one.connect(to)

    tries: dict[str, Any] = {
        "own file": lambda: opened(file),
        "own folder": lambda: opened(str(here / "mine"), "w"),
        "read another file": lambda: opened(secret),
        "read it through a link": lambda: (
            (here / "link").symlink_to(secret), opened(str(here / "link"))),
        "read it through /proc": lambda: opened(f"/proc/{victim}/root{secret}"),
        "read the environment of the server": lambda: opened(f"/proc/{victim}/environ"),
        "read the memory of the server": lambda: opened(f"/proc/{victim}/mem"),
        "read the users": lambda: opened("/etc/passwd"),
        "list a folder": lambda: os.listdir(home),
        "list the home": lambda: os.listdir(Path.home()),
        "write another file": lambda: opened(secret, "w"),
        "write a new file": lambda: opened(str(home / "new"), "w"),
        "write to /tmp": lambda: opened(os.path.join(os.sep, "tmp", "labelcore-escaped"), "w"),
        "write to shared memory": lambda: opened("/dev/shm/labelcore-escaped", "w"),
        "remove a file": lambda: os.unlink(secret),
        "move a file": lambda: os.rename(secret, here / "moved"),
        "link a file": lambda: os.link(secret, here / "linked"),
        "truncate a file": lambda: os.truncate(secret, 0),
        "connect by TCP": lambda: connected(socket.AF_INET, ("127.0.0.1", port)),
        "connect by TCP on IPv6": lambda: connected(socket.AF_INET6, ("::1", port)),
        "connect by a Unix socket": lambda: connected(socket.AF_UNIX, socket_file),
        "ask a name server": lambda: socket.getaddrinfo("example.org", 80),
        "listen": lambda: socket.create_server(("127.0.0.1", 0)).close(),
        "start a program": lambda: subprocess.run(["/bin/true"], check=True),
        "end the server": lambda: os.kill(victim, signal.SIGTERM),
        "send it a value": lambda: ctypes_call("sigqueue", os.getpid(), 0, 0),
        "leave its group": os.setsid,
        "lift its limits": lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
        "a namespace of its own": lambda: os.unshare(os.CLONE_NEWUSER) if hasattr(
            os, "unshare") else ctypes_call("unshare", 0x10000000),
        "follow the server": lambda: ctypes_call("ptrace", 16, victim, 0, 0),
    }  # fmt: skip
    came = {}
    for name, act in tries.items():
        try:
            act()
            came[name] = ""
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            came[name] = str(error) or type(error).__name__
    return came


def ctypes_call(name: str, *arguments: int) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def outlive(file: str) -> int:
    """Leave a process behind."""
    if (left := os.fork()) == 0:
        time.sleep(60)
        os._exit(0)
    return left


def test_what_is_refused_has_the_numbers_of_its_kernel() -> None:
    """Those of Linux 6.1 from ``socket`` to ``pidfd_getfd``, in ``syscall_64.tbl`` of x86 and
    ``asm-generic/unistd.h`` of ARM."""
    x86 = (41, 42, 49, 101, 310, 311, 59, 322, 62, 112, 109, 272, 308, 165, 321, 250, 298, 302)
    arm = (198, 203, 200, 117, 270, 271, 221, 281, 129, 157, 154, 97, 268, 40, 280, 219, 241, 261)
    calls = sandbox._CALLS
    assert calls["x86_64"] == (0xC000003E, 234, (*x86, 200, 129, 297, 425, 424, 438))
    assert calls["aarch64"] == (0xC00000B7, 131, (*arm, 130, 138, 240, 425, 424, 438))


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
@pytest.mark.parametrize(("answer", "told"), [(3, 3), (-1, 0)])
def test_the_kernel_says_whether_it_can_shut_in(
    answer: int, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_syscall", lambda *_: answer)
    assert sandbox.version() == told


@pytest.mark.skipif(not sandbox.version(), reason="needs Landlock")
def test_a_file_that_takes_over_its_reader_reaches_nothing_else(tmp_path: Path) -> None:
    outside = Path(tempfile.mkdtemp(prefix="labelcore-outside-", dir=tmp_path))
    secret = outside / "secret"
    secret.write_text("the labels of others")
    (tmp_path / "own.csv").write_text("id\n1\n")
    (tmp_path / "work").mkdir()
    listening, by_file = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
    at = tempfile.mktemp(prefix="labelcore-s-")
    by_file.bind(at)
    by_file.listen()
    victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    try:
        port = listening.getsockname()[1]
        given = (str(tmp_path / "own.csv"), str(secret), port, at, victim.pid)
        came = work(attacks, *given, folder=tmp_path / "work").result()
        assert {name for name, why in came.items() if not why} == {"own file", "own folder"}
        assert secret.read_text() == "the labels of others" and victim.poll() is None
        assert [one.name for one in outside.iterdir()] == ["secret"]
    finally:
        victim.kill()
        victim.wait()
        listening.close()
        by_file.close()
        os.unlink(at)


@pytest.mark.skipif(not sandbox.version(), reason="needs Landlock")
def test_no_thread_of_others_is_signalled_on_an_older_kernel(tmp_path: Path) -> None:
    code = f"""import ctypes, os; from labelcore import sandbox; sandbox.version = lambda: 5
sandbox.shut_in([], {str(tmp_path)!r})
print([ctypes.CDLL(None).tgkill(one, one, 0) for one in (os.getppid(), os.getpid())])"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[-1, 0]\n"


@pytest.mark.skipif(not sandbox.version(), reason="needs Landlock")
def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    left = work(outlive, "x", folder=tmp_path).result()
    wait_for(lambda: not is_alive(left) and not any(tmp_path.iterdir()))
