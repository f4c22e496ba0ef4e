"""As far as Labelcore's own code sees it, this is Windows.

    python -m pytest -p tests.as_windows -n 0 -m "not browser and not slow and not full" tests/app

Its modules, in all processes that the tests start, get a standard library without what Windows has
not, text as Windows-1252 with its ends of lines, and a disk on which no file that is open or mapped
is renamed, replaced or removed, nothing is renamed over another file, and no link is made. What
libraries do there, paths with drives and backslashes, and Windows itself are not tried.
"""

import ast
import builtins
import errno
import importlib.machinery as machinery
import io
import mmap
import os
import pathlib
import select
import shutil
import signal
import socket
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

PACKAGE, SIGN = "labelcore", "LABELCORE_AS_WINDOWS"
GONE = {"fcntl", "resource", "pwd", "grp", "termios", "posix", "readline", "syslog"}
LEFT_OUT = {
    os: """fork forkpty getuid geteuid getgid setsid setpgid killpg nice chown fchown lchown fchmod
        mkfifo mknod pidfd_open sysconf statvfs O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK O_SYNC
        pread pwrite sendfile WNOHANG sync uname getpgid getloadavg register_at_fork memfd_create
        getpriority setpriority readv writev fdatasync copy_file_range posix_fallocate
        posix_fadvise posix_spawn wait3 wait4 waitid sched_getaffinity sched_yield""",
    signal: """SIGKILL SIGALRM SIGHUP SIGCHLD SIGUSR1 SIGUSR2 SIGQUIT SIGPIPE SIGXCPU SIGSTOP
        pthread_sigmask setitimer alarm pause sigwait siginterrupt""",
    socket: "AF_UNIX send_fds recv_fds SO_PEERCRED SO_REUSEPORT",
    mmap: " ".join(name for name in dir(mmap) if name.startswith(("MADV_", "MAP_", "PROT_"))),
    select: "poll epoll kqueue",
}
RESERVED = {"CON", "PRN", "AUX", "NUL"}
BY_WAY_OF = (PACKAGE, "pathlib", "shutil", "tempfile", "contextlib", "weakref", "functools")


def in_use(path: Path) -> bool:
    """Whether a process of these tests has the file open or mapped, or one below a folder."""
    target = str(path.resolve())
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{SIGN}=".encode() not in (process / "environ").read_bytes():
                continue
            lines = (process / "maps").read_text().splitlines()
            names = [line.split(maxsplit=5)[-1] for line in lines]
            for file in (process / "fd").iterdir():
                with suppress(OSError):
                    names.append(str(file.readlink()))
            if any(name == target or name.startswith(f"{target}/") for name in names):
                return True
    return False


def refused_if_used(change: Callable[..., Any], *, over: bool = True) -> Callable[..., Any]:
    def changed(*given: Any, **more: Any) -> Any:
        if len(given) == 2 and not over and os.path.lexists(given[1]):
            raise FileExistsError(errno.EEXIST, "WinError 183: it exists already", str(given[1]))
        if any(isinstance(one, str | Path) and in_use(Path(one)) for one in given):
            raise PermissionError(
                errno.EACCES, "WinError 32: used by another process", str(given[0])
            )
        return change(*given, **more)

    return changed


def opened(file: Any, mode: str = "r", *given: Any, **more: Any) -> Any:
    names = dict(zip(("buffering", "encoding", "errors", "newline"), given, strict=False)) | more
    writes = bool({*mode} & {*"wxa"})
    if writes and not isinstance(file, int):
        for part in Path(file).parts[1:]:
            if {*part} & {*'<>:"|?*'} or part.partition(".")[0] in RESERVED or part[-1] in ". ":
                raise OSError(errno.EINVAL, "WinError 123: no name of a file", str(file))
    if "b" not in mode:
        names["encoding"] = names.get("encoding") or "cp1252"
        names["newline"] = (
            "\r\n" if writes and names.get("newline") is None else names.get("newline")
        )
    return REAL_OPEN(file, mode, **names)


def folder_opened(path: Any, *given: Any, **more: Any) -> int:
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "a folder cannot be opened", str(path))
    return os.open(path, *given, **more)


def tree_removed(path: Any, ignore_errors: bool = False, **more: Any) -> None:
    if os.path.isdir(path) and _called_from_here() and in_use(Path(path)):
        if not ignore_errors:
            raise PermissionError(errno.EACCES, "WinError 32: used by another process", str(path))
        return
    REAL_RMTREE(path, ignore_errors, **more)


def unprivileged(*_: Any, **__: Any) -> None:
    raise OSError(errno.EPERM, "WinError 1314: a required privilege is not held")


class Mapped(mmap.mmap):
    def __getattribute__(self, name: str) -> Any:
        if name == "madvise":
            raise AttributeError(name)
        return super().__getattribute__(name)


REAL_OPEN, REAL_RMTREE = io.open, shutil.rmtree
REMOVED, REPLACED = refused_if_used(os.unlink), refused_if_used(os.replace)
RENAMED = refused_if_used(os.rename, over=False)
OTHERS: dict[Any, dict[str, Any]] = {
    os: {"name": "nt", "linesep": "\r\n", "unlink": REMOVED, "remove": REMOVED, "link": os.link,
         "replace": REPLACED, "rename": RENAMED, "symlink": unprivileged, "open": folder_opened},
    sys: {"platform": "win32"},
    io: {"open": opened},
    mmap: {"mmap": Mapped},
}  # fmt: skip


class Other(types.ModuleType):
    """A module of the standard library as Windows has it; what is set is set in the real one."""

    def __init__(self, real: types.ModuleType) -> None:
        super().__init__(real.__name__)
        self.__dict__["real"] = real

    def __getattr__(self, name: str) -> Any:
        real = self.__dict__["real"]
        if name in LEFT_OUT.get(real, "").split():
            raise AttributeError(f"{real.__name__!r} has no {name!r} on Windows")
        return OTHERS.get(real, {}).get(name, getattr(real, name, None) or real.__dict__[name])

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["real"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["real"], name)


SEEN = {one.__name__: Other(one) for one in (*LEFT_OUT, sys, io)}


class Translated(ast.NodeTransformer):
    """``import os`` gets the other one."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return [line for name in node.names for line in self._one(node, name)]

    def _one(self, node: ast.Import, name: ast.alias) -> list[ast.stmt]:
        if name.name in GONE:
            text = f"raise ModuleNotFoundError({name.name!r})"
        elif name.name in SEEN:
            own = name.asname or name.name
            text = f"import {__name__} as _seen; {own} = _seen.SEEN[{name.name!r}]"
        else:
            return [ast.copy_location(ast.Import([name]), node)]
        return [ast.copy_location(line, node) for line in ast.parse(text).body]


class Loader(machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        tree = Translated().visit(ast.parse(self.get_data(path)))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: Any = None) -> machinery.ModuleSpec | None:
        if name.partition(".")[0] != PACKAGE:
            return None
        found = machinery.PathFinder.find_spec(name, path, target)
        loader = getattr(found, "loader", None)
        if found and isinstance(loader, machinery.SourceFileLoader):
            found.loader = Loader(loader.name, loader.path)
        return found


def _frames() -> Iterator[str]:
    frame = sys._getframe(2)
    while (back := frame.f_back) is not None:
        frame = back
        yield str(frame.f_globals.get("__name__", ""))


def _called_from_here() -> bool:
    """By Labelcore, perhaps by way of another module of the standard library."""
    for name in _frames():
        if name.partition(".")[0] not in (*BY_WAY_OF, __name__.partition(".")[0]):
            return False
        if name.partition(".")[0] == PACKAGE:
            return True
    return False


def _method(name: str, other: Callable[..., Any]) -> None:
    real = getattr(pathlib.Path, name)

    def method(self: Path, *given: Any, **more: Any) -> Any:
        return (other if _called_from_here() else real)(self, *given, **more)

    setattr(pathlib.Path, name, method)


def _unlinked(path: Path, missing_ok: bool = False) -> None:
    if not missing_ok or os.path.lexists(path):
        REMOVED(path)


def _written(path: Path, text: str, *given: Any, **more: Any) -> int:
    with opened(path, "w", -1, *given, **more) as stream:
        return int(stream.write(text))


def _read(path: Path, *given: Any) -> str:
    with opened(path, "r", -1, *given) as stream:
        return str(stream.read())


def pretend() -> None:
    others: dict[str, Callable[..., Any]] = {
        "unlink": _unlinked, "open": opened, "write_text": _written, "read_text": _read,
        "symlink_to": unprivileged,
        "replace": lambda path, to: REPLACED(path, to) or Path(to),
        "rename": lambda path, to: RENAMED(path, to) or Path(to),
    }  # fmt: skip
    for name, other in others.items():
        _method(name, other)
    shutil.rmtree = tree_removed  # type: ignore[assignment]
    real = builtins.open

    def any_opened(*given: Any, **more: Any) -> Any:
        return (opened if _called_from_here() else real)(*given, **more)

    builtins.open = any_opened
    sys.meta_path.insert(0, Finder())


if SIGN not in os.environ:  # Begun anew, so that all processes are told by what they began with.
    folder, root = Path(tempfile.mkdtemp()), Path(__file__).parents[1]
    (folder / "sitecustomize.py").write_text(f"import {__name__}\n")
    paths = os.pathsep.join(map(str, (folder, root)))
    os.execve(sys.executable, sys.orig_argv, {**os.environ, SIGN: "1", "PYTHONPATH": paths})

pretend()
