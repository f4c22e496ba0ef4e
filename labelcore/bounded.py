"""Work in a process of its own, with a limit of time and of memory, that can be cancelled.

A thread shares its interpreter: while one reads a large file, every other waits for its turn, and
what it needs too much of the whole server has not. The process here knows nothing of the file that
started this one; what it is to do and what comes of it are files in a folder that this user alone
can read and write, pickles of our own that both write and read. That keeps work within bounds; it
is no sandbox against a file that takes over its reader. As many run at once as there are processor
cores but one, at least one; the others wait.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from labelcore.errors import CancelledError, LimitError

SECONDS = 300.0
SHARE_OF_MEMORY = 0.5
LEAST_MEMORY = 1 << 30
"""Bytes that work may take however small the machine is: the libraries alone need a part of it."""
NICE = 5
SPARE_SECONDS = 120.0
"""After which a process that was started ahead and had nothing to do ends."""
JOB, RESULT = "job", "result"
_places = threading.BoundedSemaphore(max(1, (os.cpu_count() or 1) - 1))


def memory_limit() -> int:
    """Bytes that work may take: half of what the machine, or its container, has."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(OSError, ValueError):
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return max(LEAST_MEMORY, int(SHARE_OF_MEMORY * min(found)))


class Work:
    """A function that runs in another process. ``ended`` is set when it has ended in any way.

    what      it is, to begin a sentence with, such as "Reading items.csv"
    function  of a module, which that process imports
    folder    in which the private one is made
    seconds   that it may run; None: SECONDS. ``memory``: bytes that it may take; None:
              ``memory_limit``
    handed    is called with a function that reads the result, and with the private folder, which
              it removes as soon as nothing of the result lies there
    progress  what the function last told, 0 to 1, None before
    """

    def __init__(
        self,
        what: str,
        function: Callable[..., Any],
        *arguments: Any,
        folder: Path,
        seconds: float | None = None,
        memory: int | None = None,
        handed: Callable[[Callable[[], Any], Path], Any] | None = None,
    ) -> None:
        self.what, self.seconds = what, SECONDS if seconds is None else seconds
        self.memory = memory_limit() if memory is None else memory
        self.progress: float | None = None
        self.ended = threading.Event()
        self.began: float | None = None
        self._job = (function, arguments, self.memory, self.seconds)
        self._folder, self._handed = folder, handed or _read_and_removed
        self._process: subprocess.Popen[str] | None = None
        self._stopped: Exception | None = None
        self._error: BaseException | None = None
        self._value: Any = None
        threading.Thread(target=self._run, name=what, daemon=True).start()

    @property
    def ran(self) -> float:
        """Seconds since it began; 0 while it waits for its place."""
        return 0.0 if self.began is None else time.monotonic() - self.began

    def cancel(self) -> None:
        """End it; ``result`` raises CancelledError."""
        self._stop(CancelledError(f"{self.what} was cancelled."))

    def result(self) -> Any:
        """Wait for it. Raises what the function raised, LimitError, CancelledError."""
        self.ended.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def _run(self) -> None:
        try:
            while not _places.acquire(timeout=0.1):
                if self._stopped is not None:
                    raise self._stopped
            try:
                self._value = self._worked()
            finally:
                _places.release()
        except BaseException as error:
            self._error = error
        finally:
            self.ended.set()

    def _worked(self) -> Any:
        folder = Path(tempfile.mkdtemp(dir=self._folder, prefix="work-"))
        try:
            with (folder / JOB).open("wb") as file:
                pickle.dump(self._job, file, protocol=5)
            self._done_in(folder)
            return self._handed(lambda: self._read(folder / RESULT), folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _done_in(self, folder: Path) -> None:
        process = self._process = _spare.taken()
        self.began = time.monotonic()
        timer = threading.Timer(self.seconds, self._stop, [self._too_long()])
        timer.daemon = True
        timer.start()
        try:
            code = self._listened(process, folder)
        finally:
            timer.cancel()
            _end(process)
        if self._stopped is not None:
            raise self._stopped
        if not (folder / RESULT).exists():
            raise LimitError(f"{self.what} ended by itself ({_ending(code)}). {ADVICE}")

    def _listened(self, process: subprocess.Popen[str], folder: Path) -> int:
        """Give the process its folder, take its word on how far it is, and its exit code."""
        if self._stopped is not None:
            return 0
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):
            process.stdin.write(json.dumps(str(folder)) + "\n")
            process.stdin.flush()
        for line in process.stdout:
            with suppress(ValueError):
                self.progress = float(line)
        return process.wait()

    def _read(self, file: Path) -> Any:
        with file.open("rb") as stream:
            went_well, value = pickle.load(stream)
        if went_well:
            return value
        error = _rebuilt(*value)
        if isinstance(error, MemoryError):
            most = _most(self.memory) / 1e9
            raise LimitError(f"{self.what} needed more than {most:,.1f} GB of memory. {ADVICE}")
        raise error

    def _too_long(self) -> LimitError:
        return LimitError(f"{self.what} took longer than {self.seconds:,.0f} seconds. {ADVICE}")

    def _stop(self, reason: Exception) -> None:
        if not self.ended.is_set() and self._stopped is None:
            self._stopped = reason
            if self._process is not None:
                self._process.kill()


ADVICE = "It was ended, and nothing was changed. A smaller file, or one in Parquet, needs less."


def _read_and_removed(read: Callable[[], Any], folder: Path) -> Any:
    value = read()
    shutil.rmtree(folder, ignore_errors=True)
    return value


def _rebuilt(kind: type[Exception], arguments: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    """An error as it was; those of ours take other arguments than they keep."""
    error = kind.__new__(kind, *arguments)
    if not isinstance(error, OSError):
        error.args = arguments
    error.__dict__.update(state)
    return error


def _ending(code: int) -> str:
    return f"signal {-code}, as when memory runs out" if code < 0 else f"exit code {code}"


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


# --- processes that are started ahead ------------------------------------------------------------


class _Spare:
    """At most one process that has imported what most work needs, and waits for work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: subprocess.Popen[str] | None = None
        self._timer: threading.Timer | None = None

    def started(self) -> None:
        with self._lock:
            if self._waiting is not None and self._waiting.poll() is None:
                return
            self._waiting = _process()
            self._timer = threading.Timer(SPARE_SECONDS, self._given_up, [self._waiting])
            self._timer.daemon = True
            self._timer.start()

    def taken(self) -> subprocess.Popen[str]:
        with self._lock:
            waiting, self._waiting = self._waiting, None
            if self._timer is not None:
                self._timer.cancel()
        return waiting if waiting is not None and waiting.poll() is None else _process()

    def _given_up(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            if self._waiting is not process:
                return
            self._waiting = None
        _end(process)


_spare = _Spare()


def start_ahead() -> None:
    """Start a process for the next work, which is soon to come."""
    _spare.started()


def _process() -> subprocess.Popen[str]:
    package = Path(__file__).resolve().parents[1]
    paths = [str(package), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-m", "labelcore.bounded", *PRELOADED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


PRELOADED = ("labelcore.population",)


# --- the other process ---------------------------------------------------------------------------


def main(modules: Sequence[str]) -> None:
    """Import the modules, wait for the folder of the work, do it, and end."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    for module in modules:
        importlib.import_module(module)
    line = sys.stdin.readline()
    if not line:
        return
    threading.Thread(target=_end_with_the_other, daemon=True).start()
    folder = Path(json.loads(line))
    tempfile.tempdir = str(folder)
    done: tuple[bool, Any]
    try:
        with (folder / JOB).open("rb") as file:
            function, arguments, memory, seconds = pickle.load(file)
        _limit(memory, seconds)
        done = True, function(*arguments)
    except Exception as error:
        if not isinstance(error, (ValueError, OSError, MemoryError)):
            traceback.print_exc()
        done = False, (type(error), _arguments(error), error.__dict__)
    _write(folder, done)
    sys.stdout.flush()
    os._exit(0)  # Copies of items that the result needs stay where they are.


def tell(share: float) -> None:
    """How far the work is, 0 to 1: for the process that waits."""
    print(f"{share:.3f}", flush=True)


def _arguments(error: Exception) -> tuple[Any, ...]:
    if isinstance(error, OSError) and error.filename is not None:
        return error.errno, error.strerror, error.filename
    return error.args


def _write(folder: Path, done: tuple[bool, Any]) -> None:
    half = folder / f"{RESULT}.half"
    with half.open("wb") as file:
        try:
            pickle.dump(done, file, protocol=5)
        except MemoryError as error:
            file.seek(0)
            file.truncate()
            pickle.dump((False, (MemoryError, error.args, {})), file, protocol=5)
    half.rename(folder / RESULT)


def _most(memory: int) -> int:
    """The lower of a limit of ours and the one that the server was started with."""
    try:
        import resource
    except ImportError:
        return memory
    given, _ = resource.getrlimit(resource.RLIMIT_AS)
    return memory if given == resource.RLIM_INFINITY else min(memory, given)


def _limit(memory: int, seconds: float) -> None:
    """So much more than is taken now, and no more than the server itself may take; where the system
    has no such limit, time alone counts."""
    try:
        import resource

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    for limit, most in (
        (resource.RLIMIT_AS, taken + memory),
        (resource.RLIMIT_CPU, int(4 * seconds) + 60),
    ):
        given, hard = resource.getrlimit(limit)
        resource.setrlimit(
            limit, (most if given == resource.RLIM_INFINITY else min(most, given), hard)
        )


def _end_with_the_other() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
