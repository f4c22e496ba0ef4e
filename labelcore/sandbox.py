"""What a process may still do once it has shut itself in: read given files, write to one folder.

Linux alone: Landlock (https://docs.kernel.org/userspace-api/landlock.html, from 5.13 on) leaves it
no other file, and a filter of system calls no connection, program or process of others. Both are
kept by all that it starts, and nothing takes them back. There is no well-kept package for the two;
what is here are the few calls of the kernel's own interface.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

READ, WRITE, OF_FILES = 0b1101, 0b110, 0b1100000000000111
"""Landlock's rights: to execute, read files and list folders; to read and write; those of files."""
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # EPERM
# By machine: its number for the kernel, that of tgkill, and of socket, connect, bind, ptrace,
# process_vm_readv and -writev, execve, execveat, kill, setsid, setpgid, unshare, setns, mount, bpf,
# keyctl, perf_event_open, prlimit64, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo.
_NEWER = (425, 424, 438)  # io_uring_setup, pidfd_send_signal, pidfd_getfd
_CALLS = {
    "x86_64": (0xC000003E, 234, (41, 42, 49, 101, 310, 311, 59, 322, 62, 112, 109, 272, 308, 165,
                                 321, 250, 298, 302, 200, 129, 297, *_NEWER)),
    "aarch64": (0xC00000B7, 131, (198, 203, 200, 117, 270, 271, 221, 281, 129, 157, 154, 97, 268,
                                  40, 280, 219, 241, 261, 130, 138, 240, *_NEWER)),
}  # fmt: skip
# What libraries look at, beside their own code.
_SYSTEM = (
    *("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types"),
    *("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/sys/devices/system/cpu"),
    *("/sys/fs/cgroup", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat"),
)
NOT_HERE = "Here its reader is not shut in: take files from people you trust."
"""For the page that takes files."""


def version() -> int:
    """That of Landlock here; 0 where nothing can be shut in."""
    if sys.platform != "linux" or platform.machine() not in _CALLS:
        return 0
    return max(0, _syscall(_CREATE, None, 0, 1))


def shut_in(readable: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str]) -> bool:
    """Give up all but reading these files and folders and the running code, and writing to one
    folder; whether the system can do that. Raises OSError where it should and does not."""
    if not (kernel := version()):
        return False
    known = 13 if kernel < 2 else 14 if kernel < 3 else 15 if kernel < 5 else 16
    rights = (1 << known) - 1
    net, scoped = 0b11 if kernel >= 4 else 0, 0b11 if kernel >= 6 else 0
    size = 8 if kernel < 4 else 16 if kernel < 6 else 24
    attributes = struct.pack("QQQ", rights, net, scoped)[:size]
    rules = _checked(_syscall(_CREATE, attributes, len(attributes), 0))
    for path in (*_SYSTEM, *_code(), *readable):
        _allow(rules, path, READ)
    _allow(rules, "/dev/null", WRITE)
    _allow(rules, folder, rights)
    libc = ctypes.CDLL(None, use_errno=True)
    _checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(_syscall(_RESTRICT, rules, 0))
    os.close(rules)
    _filter(libc)
    return True


def _allow(rules: int, path: str | os.PathLike[str], rights: int) -> None:
    with suppress(FileNotFoundError, PermissionError):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)  # type: ignore[attr-defined, unused-ignore]
        try:
            allowed = rights if os.path.isdir(path) else rights & OF_FILES
            _checked(_syscall(_ADD, rules, 1, struct.pack("=Qi", allowed, handle), 0))
        finally:
            os.close(handle)


def _code() -> set[str]:
    """Where the running code lies: that of Python, installed packages, packages that are loaded."""
    prefixes = {sys.prefix, sys.base_prefix}
    paths = {path for path in sys.path if any(Path(path).is_relative_to(at) for at in prefixes)}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and "." not in name:
            paths.add(os.path.dirname(file) if hasattr(module, "__path__") else file)
    return {os.path.realpath(path) for path in {*paths, *prefixes}}


def _filter(libc: ctypes.CDLL) -> None:
    """Refuse the calls of ``_CALLS``, another machine's, and signals to threads of others."""
    machine, tgkill, calls = _CALLS[platform.machine()]
    steps = [
        (0x20, 0, 0, 4),  # load the machine of the call
        (0x15, 0, len(calls) + 6, machine),
        (0x20, 0, 0, 0),  # load its number
        (0x35, len(calls) + 4, 0, 0x40000000),  # one of the x32 interface
        *((0x15, len(calls) - place + 3, 0, call) for place, call in enumerate(calls)),
        (0x15, 0, 2, tgkill),
        (0x20, 0, 0, 16),  # load whom it is for: abort() is a signal to oneself
        (0x15, 0, 1, os.getpid()),
        (0x06, 0, 0, _ALLOW),
        (0x06, 0, 0, _REFUSE),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    described = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(program))
    _checked(libc.prctl(_SECCOMP, _FILTER, described, 0, 0))


def _syscall(number: int, *arguments: object) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return int(call(ctypes.c_long(number), *arguments))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
