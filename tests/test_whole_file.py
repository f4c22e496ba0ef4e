"""A file is there whole, or as it was before."""

import os
import stat
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from labelcore import whole_file as module
from labelcore.whole_file import alone_in, new_file, whole_file


def test_all_of_it_is_on_the_disk_before_it_has_its_name_which_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, done = tmp_path / "kept", []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda given: done.append("sync") or sync(given))
    monkeypatch.setattr(os, "replace", lambda *given: done.append("name") or replace(*given))
    with whole_file(file) as stream:
        stream.write(b"new")
        assert not file.exists()
    assert done == ["sync", "name", "sync"] and file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file] and file.stat().st_mode & 0o777 == 0o600


def write(file: Path, stopped: type[BaseException] | None) -> None:
    with whole_file(file) as stream:
        stream.write(b"new")
        if stopped is not None:
            raise stopped


@pytest.mark.parametrize("broken", ["fsync", "replace", None])
def test_what_breaks_off_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str | None
) -> None:
    file = tmp_path / "kept"
    file.write_bytes(b"old")

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    if broken is not None:
        monkeypatch.setattr(os, broken, full)
    with pytest.raises((OSError, KeyboardInterrupt)):
        write(file, None if broken else KeyboardInterrupt)
    assert file.read_bytes() == b"old" and list(tmp_path.iterdir()) == [file]


def test_a_shared_one_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    other, file = tmp_path / "other", tmp_path / "kept"
    other.touch()
    for mode in (stat.S_IMODE(other.stat().st_mode), 0o640):
        with whole_file(file, shared=True) as stream:
            stream.write(b"new")
        assert stat.S_IMODE(file.stat().st_mode) == mode
        file.chmod(0o640)


@pytest.mark.parametrize("broken", ["link", "fsync", None])
def test_a_new_file_is_nobodys_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str | None
) -> None:
    """A disk that knows one name of a file only keeps it all the same; a full one keeps nothing."""

    def refused(*given: object) -> None:
        raise OSError(1, "Operation not permitted")

    file = tmp_path / "kept"
    if broken is not None:
        monkeypatch.setattr(os, broken, refused)
    if broken == "fsync":
        with pytest.raises(OSError, match="not permitted"):
            new_file(file, b"new")
        assert not list(tmp_path.iterdir())
        return
    new_file(file, b"new")
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        new_file(file, b"other")
    assert file.read_bytes() == b"new" and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("system", ["linux", "no locks", "win32"])
def test_a_thread_alone_in_a_folder_lets_others_into_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    """It may wait for one that asks for another, as an erasure does for what seals a store that was
    set aside. A network drive may refuse to lock."""
    if system == "win32":
        monkeypatch.setattr(module, "sys", SimpleNamespace(platform=system))
    elif sys.platform == "win32":
        pytest.skip("it has no such locks")
    elif system == "no locks":
        monkeypatch.setattr("fcntl.flock", Mock(side_effect=OSError(9, "Bad file descriptor")))
    came: list[str] = []

    def comes(name: str) -> None:
        with alone_in(tmp_path / name):
            came.append(name)

    one, other = (threading.Thread(target=comes, args=[n], daemon=True) for n in ("one", "other"))
    with alone_in(tmp_path / "one"):
        one.start()
        other.start()
        other.join(10)
        one.join(0.1)
        assert came == ["other"]
    one.join(10)
    assert came == ["other", "one"]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such locks")
def test_no_other_process_is_in_a_folder_meanwhile(tmp_path: Path) -> None:
    import fcntl

    folder = tmp_path / "made" / "for it"
    with alone_in(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        handle = os.open(folder, os.O_RDONLY)  # As another process has it: with locks of its own.
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(handle)
