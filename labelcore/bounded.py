"""Work in a process of its own, within limits of time, memory and bytes written, that can be
cancelled.

A thread shares its interpreter: while one reads a file, every other waits for its turn, and what it
needs too much of the whole server has not. So one process imports what reading needs, reads nothing
itself, and forks for each piece of work two that know nothing of this one: one that reads, and one
that watches it, ends it and removes what it wrote. A job and what comes of it are JSON, and files
in a folder that this user alone can read and write: nothing is unpickled that comes from a process
which read somebody's bytes. Where Linux has Landlock, the one that reads has shut itself in
(``labelcore.sandbox``): it reads its file and its code, writes to that folder, and reaches nothing
else; elsewhere a file that takes over its reader has the rights of the server. As many run at once
as there are processor cores but one, at least two; the others wait. Where processes do not fork
well a new one is started for each piece of work.
"""

import errno
import gc
import importlib
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from labelcore.errors import CancelledError, Fault, LimitError, PopulationError
from labelcore.sandbox import shut_in

FORKS = sys.platform == "linux"
ALONE = "--alone"
SECONDS = 300.0
SHARE_OF_MEMORY = 0.5
LEAST_MEMORY = 1 << 30
"""Bytes that work may take however small the machine is: the libraries alone need a part of it."""
MOST_BYTES = 1 << 33
"""Bytes that work may write where nothing else is said."""
OVER = 1 << 26
"""Bytes beyond that before a single file is refused: the watch comes first, and says why."""
NO_ROOM = 1 << 16
"""Bytes that are left of a disk which is full."""
MOST_TOLD = 1 << 25
"""Bytes of JSON that are taken from a process that read somebody's file."""
MOST_FAULTS = 10_000
NICE = 5
LOOK = 0.05
LINGER = 10.0
"""Seconds between two looks, and until the one that watches is no longer waited for."""
RESULT, SHARE = "result.json", "share"
_places = threading.BoundedSemaphore(max(2, (os.cpu_count() or 1) - 1))


def memory_limit() -> int:
    """Bytes that work may take: half of what the machine, or its container, has; as Windows does
    not tell, the least there, where nothing holds work to it."""
    if not hasattr(os, "sysconf"):
        return LEAST_MEMORY
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(OSError, ValueError):
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return max(LEAST_MEMORY, int(SHARE_OF_MEMORY * min(limits)))


class Work:
    """A function that runs in another process. ``ended`` is set when it has ended in any way.

    what      it is, to begin a sentence with, such as "Reading items.csv"
    function  of a module, which that process imports; it takes and gives JSON values
    folder    in which the private one is made, where the function writes
    seconds   that it may run; None: SECONDS. ``memory``: bytes that it may take; None:
              ``memory_limit``. ``most``: bytes that it may write
    handed    is called with what the function gave, and with the private folder, which it removes
              as soon as nothing there is needed
    """

    def __init__(
        self,
        what: str,
        function: Callable[..., Any],
        *arguments: Any,
        folder: Path,
        seconds: float | None = None,
        memory: int | None = None,
        most: int = MOST_BYTES,
        handed: Callable[[Any, Path], Any] | None = None,
    ) -> None:
        self.what = what
        self.ended = threading.Event()
        self.began: float | None = None
        self._job = Job(
            function.__module__,
            function.__qualname__,
            arguments,
            SECONDS if seconds is None else seconds,
            memory_limit() if memory is None else memory,
            most,
        )
        self._folder, self._handed = folder, handed or _removed
        self._private = folder
        self._line: _Line | None = None
        self._stopped: Exception | None = None
        self._error: BaseException | None = None
        self._value: Any = None
        threading.Thread(target=self._run, name=what, daemon=True).start()

    @property
    def ran(self) -> float:
        """Seconds since it began; 0 while it waits for its place."""
        return 0.0 if self.began is None else time.monotonic() - self.began

    @property
    def share(self) -> float | None:
        """How much of it is done, where it says so by ``tell``."""
        try:
            return float((self._private / SHARE).read_text())
        except (OSError, ValueError):
            return None

    def cancel(self) -> None:
        """End it; ``result`` raises CancelledError."""
        if not self.ended.is_set() and self._stopped is None:
            self._stopped = CancelledError(f"{self.what} was cancelled.")
            if self._line is not None:
                self._line.stop()
                _later(LINGER, self._lost)

    def _lost(self) -> None:
        if self._line is not None and not self.ended.is_set():
            self._line.lost()

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
        folder = self._private = Path(tempfile.mkdtemp(dir=self._folder, prefix="work-"))
        try:
            self._done_in(folder)
            return self._handed(self._read(folder / RESULT), folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _done_in(self, folder: Path) -> None:
        """Raises what ended it, unless it ended by itself with a result."""
        self._line = line = _host.line()
        self.began = time.monotonic()
        answer, late = "", _later(self._job.seconds + LINGER, self._lost)
        try:
            if self._stopped is None:
                with suppress(OSError):
                    line.told.write(json.dumps({**asdict(self._job), "folder": str(folder)}) + "\n")
                    line.told.flush()
                    answer = line.heard.readline()
        finally:
            late.cancel()
            line.close()
        if self._stopped is not None:
            raise self._stopped
        ended, code = json.loads(answer or '["ended", 1]')
        if ended in LIMITS or not (folder / RESULT).exists():
            raise self._over(ended, code)

    def _over(self, limit: str, code: int) -> LimitError:
        ending = LIMITS.get(limit, "ended by itself ({code})").format(
            seconds=self._job.seconds,
            memory=_most(self._job.memory) / 1e9,
            most=self._job.most / 1e6,
            code=_ending(code),
        )
        return LimitError(f"{self.what} {ending}. {ADVICE}")

    def _read(self, file: Path) -> Any:
        if file.stat().st_size > MOST_TOLD:
            raise self._over("told", 0)
        answer = json.loads(file.read_bytes())
        if "value" in answer:
            return answer["value"]
        kind, arguments = answer["error"], answer["arguments"]
        if kind in LIMITS:
            raise self._over(kind, 0)
        if kind == "PopulationError":
            raise PopulationError([Fault(*fields) for fields in arguments])
        raise RAISED.get(kind, RuntimeError)(*arguments)


LIMITS = {
    "time": "took longer than {seconds:,.0f} seconds",
    "memory": "needed more than {memory:,.1f} GB of memory",
    "bytes": "unpacked to more than {most:,.0f} MB on the disk",
    "full": "found no more room on the disk",
    "told": "found more columns and texts than can be shown",
}
RAISED: dict[str, type[Exception]] = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "OSError": OSError,
    "FileNotFoundError": FileNotFoundError,
}
ADVICE = "It was ended, and nothing was changed. A smaller file needs less."


def _later(seconds: float, what: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, what)
    timer.daemon = True
    timer.start()
    return timer


def _removed(value: Any, folder: Path) -> Any:
    shutil.rmtree(folder, ignore_errors=True)
    return value


def _ending(code: int) -> str:
    return f"signal {-code}, as when memory runs out" if code < 0 else f"exit code {code}"


@dataclass(frozen=True)
class Job:
    """What a process is to do, and its limits; as JSON it has its folder, too."""

    module: str
    name: str
    arguments: Sequence[Any]
    seconds: float
    memory: int
    most: int


# --- the process that forks ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """To the one that watches: a job is told, how it ended is heard. ``stop`` ends the work, and
    ``lost`` the waiting where nothing is heard of that."""

    told: IO[str]
    heard: IO[str]
    stop: Callable[[], object]
    lost: Callable[[], object]
    wait: Callable[[], object]

    def close(self) -> None:
        for pipe in (self.told, self.heard):
            with suppress(OSError):
                pipe.close()
        self.wait()


class _Host:
    """The process that has imported what most work needs, as long as this one lives."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._control: socket.socket | None = None

    def started(self) -> None:
        with self._lock:
            self._start()

    def line(self) -> _Line:
        with self._lock:
            self._start()
            if self._control is None:
                return self._of_process()
            mine, theirs = socket.socketpair()
            with theirs:
                socket.send_fds(self._control, [b"."], [theirs.fileno()])

        def shut(how: int) -> None:
            with suppress(OSError):
                mine.shutdown(how)

        def lost() -> None:
            self.end()  # First: work that begins when this one has ended needs one that answers.
            shut(socket.SHUT_RDWR)

        stop = partial(shut, socket.SHUT_WR)
        return _Line(mine.makefile("w"), mine.makefile("r"), stop, lost, mine.close)

    def end(self) -> None:
        """The next work starts it anew."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        if not FORKS:
            self._process = _process(subprocess.PIPE)
            return
        if self._control is not None:
            self._control.close()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = _process(theirs)

    def _of_process(self) -> _Line:
        process, self._process = self._process, None
        assert process is not None and process.stdin is not None and process.stdout is not None
        return _Line(process.stdin, process.stdout, process.kill, process.kill, process.wait)


_host = _Host()


def start_ahead() -> None:
    """Start what work needs, which is soon to come."""
    _host.started()


def _process(stdin: Any) -> subprocess.Popen[str]:
    package = Path(__file__).resolve().parents[1]
    paths = [str(package), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-m", "labelcore.bounded", *PRELOADED, *([] if FORKS else [ALONE])],
        stdin=stdin,
        stdout=None if FORKS else subprocess.PIPE,
        text=True,
        env={**_no_secrets(), **SETTINGS, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


def _no_secrets() -> dict[str, str]:
    """The environment without what is a secret by its name, or an address that may hold one."""
    secret = re.compile(r"PASS|SECRET|TOKEN|KEY|CREDENTIAL|^PG|^AWS|^LABELCORE_(?!DATA)", re.I)
    return {name: value for name, value in os.environ.items() if not secret.search(name)}


SETTINGS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "JOBLIB_MULTIPROCESSING": "0",
}
"""It forks, so it has one thread; and no room is set aside that is not needed, for that counts."""
PRELOADED = ("labelcore.population.apart",)


# --- in the other processes ----------------------------------------------------------------------


def main(modules: Sequence[str]) -> None:
    """Import the modules, wait for work, and end with the one that started this."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    alone = ALONE in modules
    for module in modules:
        if module != ALONE:
            importlib.import_module(module)
    if alone:
        _alone()
        return
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    control = socket.socket(fileno=os.dup(0))
    while True:
        sign, handles, *_ = socket.recv_fds(control, 1, 1)
        if not sign:
            return
        line = socket.socket(fileno=handles[0])
        if os.fork() == 0:
            control.close()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            _watch(line)
        line.close()


def _watch(line: socket.socket) -> None:
    """Fork for the work, and end it where it is stopped or meets a limit; then nothing is left."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with line.makefile("r") as stream:
        text = stream.readline()
    if not text:
        os._exit(0)
    job = json.loads(text)
    watching = os.getpid()
    worker = os.fork()
    if worker == 0:
        line.close()
        os.setpgid(0, 0)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        _end_with(watching)
        _do(job)
    handle, ended = os.pidfd_open(worker), ""
    watched: list[Any] = [line, handle]
    for ready in _looks(job, lambda: select.select(watched, [], [], LOOK)[0]):
        if isinstance(ready, str) or line in ready:
            ended = ready if isinstance(ready, str) else "stopped"
            os.kill(worker, signal.SIGKILL)
        if ended or handle in ready:
            break
    _, status = os.waitpid(worker, 0)
    with suppress(OSError):
        os.killpg(worker, signal.SIGKILL)  # What it started ends with it.
    if ended:
        shutil.rmtree(job["folder"], ignore_errors=True)
    with suppress(OSError):
        line.sendall(json.dumps([ended, os.waitstatus_to_exitcode(status)]).encode() + b"\n")
    os._exit(0)


def _looks(job: dict[str, Any], look: Callable[[], Any]) -> Iterator[Any]:
    """What each look gives, or the limit that is met then."""
    last = time.monotonic() + job["seconds"]
    while True:
        if time.monotonic() > last:
            yield "time"
        if _written(job["folder"]) > job["most"]:
            yield "bytes"
        yield look()


def _written(folder: str) -> int:
    """Bytes of all files below."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total


def _alone() -> None:
    """One job, told and watched from within."""
    text = sys.stdin.readline()
    if not text:
        return
    job = json.loads(text)

    def watched() -> None:
        for ended in _looks(job, lambda: time.sleep(LOOK)):
            if ended is not None:
                print(json.dumps([ended, 0]), flush=True)
                os._exit(1)

    def with_the_other() -> None:
        sys.stdin.read()
        os._exit(1)

    for work in (watched, with_the_other):
        threading.Thread(target=work, daemon=True).start()
    _do(job, partial(print, json.dumps(["", 0]), flush=True))


def tell(share: float) -> None:
    """How much of the work is done, from within."""
    half = Path(tempfile.gettempdir(), f"{SHARE}.half")
    half.write_text(f"{share:.3f}")
    with suppress(OSError):  # Windows replaces no file that is read at this moment.
        half.replace(half.with_suffix(""))


def _end_with(parent: int) -> None:
    """Be killed when the parent is."""
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


def _do(job: dict[str, Any], ended: Callable[[], object] | None = None) -> None:
    """The work; what it gives, or raises, is written down, and then that it ``ended``."""
    folder = Path(job["folder"])
    tempfile.tempdir = str(folder)
    os.chdir(folder)
    try:
        function = getattr(importlib.import_module(job["module"]), job["name"])
        _limit(job["memory"], job["seconds"], job["most"])
        if ended is None:
            shut_in(_read_by(job), folder)
        text = json.dumps({"value": function(*job["arguments"])})
    except Exception as error:
        text = json.dumps(_told(error))
    half = folder / f"{RESULT}.half"
    with suppress(OSError):
        half.write_text(text)
        half.rename(folder / RESULT)
    if ended is not None:
        ended()
    sys.stderr.flush()
    os._exit(0)  # Temporary files that the result needs stay where they are.


def _read_by(job: dict[str, Any]) -> list[str]:
    """The files that a job is about: its first argument, a path or several. A pattern's are in the
    folder before it, and what others say, such as a column's name, is no path."""
    first = next(iter(job["arguments"]), ())
    several = first if isinstance(first, list) else [first]
    paths = [part for part in several if isinstance(part, str)]
    files = []
    for path in filter(os.path.isabs, paths):
        while any(sign in path for sign in "*?[") and not os.path.exists(path):
            path = os.path.dirname(path)
        files += [path] if path != os.path.dirname(path) else []
    return files


def _told(error: Exception) -> dict[str, Any]:
    """An error as JSON values."""
    met = [limit for cause in _causes(error) if (limit := _limit_of(cause))]
    if not met and shutil.disk_usage(tempfile.gettempdir()).free < NO_ROOM:
        met = ["full"]  # An engine says that in words of its own.
    if met:
        return {"error": met[0], "arguments": []}
    if isinstance(error, PopulationError):
        faults = list(error.faults[:MOST_FAULTS])
        if more := len(error.faults) - len(faults):
            faults.append(Fault(faults[0].file, None, None, None, f"{more:,} more faults"))
        fields = [list(asdict(fault).values()) for fault in faults]
        return {"error": "PopulationError", "arguments": fields}
    if isinstance(error, OSError) and error.errno is not None:
        arguments = [error.errno, error.strerror, *([error.filename] if error.filename else [])]
        return {"error": "OSError", "arguments": arguments}
    kind = next((name for name, raised in RAISED.items() if isinstance(error, raised)), "")
    if isinstance(error, FileNotFoundError):
        kind = "FileNotFoundError"
    if not kind:
        traceback.print_exc()
        return {"error": "", "arguments": [f"{type(error).__name__}: {error}"]}
    return {"error": kind, "arguments": [str(error)]}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _limit_of(error: BaseException) -> str:
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":
        return "memory"
    number = error.errno if isinstance(error, OSError) else None
    return {errno.EFBIG: "bytes", errno.ENOSPC: "full"}.get(number or 0, "")


def _most(memory: int) -> int:
    """The lower of a limit of ours and the one that the server was started with."""
    try:
        import resource
    except ImportError:
        return memory
    given, _ = resource.getrlimit(resource.RLIMIT_AS)
    return memory if given == resource.RLIM_INFINITY else min(memory, given)


def _limit(memory: int, seconds: float, most: int) -> None:
    """So much more memory than is taken now, so much time and so large a file, and no more than the
    server itself may have; where the system has no such limits, those that are watched count."""
    try:
        import resource

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # The first that the system ends.
    for limit, wanted in (
        (resource.RLIMIT_AS, taken + memory),
        (resource.RLIMIT_CPU, int(4 * seconds) + 60),
        (resource.RLIMIT_FSIZE, most + OVER),
    ):
        given, hard = resource.getrlimit(limit)
        resource.setrlimit(
            limit, (wanted if given == resource.RLIM_INFINITY else min(wanted, given), hard)
        )


if __name__ == "__main__":
    main(sys.argv[1:])
