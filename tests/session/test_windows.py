"""A disk as Windows has it: no file that is open or mapped is renamed, replaced or removed, and no
link is made."""

import errno
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import labelcore as lc
from labelcore import whole_file
from labelcore.population import arrays, contents, copies
from labelcore.replay import replay_project
from labelcore.session.backups import back_up, rehearse, restore
from labelcore.session.erasing import erase_items
from labelcore.store import sqlite_backup
from tests.answering import answer_draws, next_draw
from tests.report.sessions import session_on, write_items
from tests.stores import url

MAPS = Path("/proc/self/maps")
pytestmark = pytest.mark.skipif(not MAPS.exists(), reason="/proc says what is open")


def in_use(path: Path) -> bool:
    names = [fd.readlink() for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink()]
    mapped = [
        Path(line.split(maxsplit=5)[5]) for line in MAPS.read_text().splitlines() if "/" in line
    ]
    return any(one.is_relative_to(path.resolve()) for one in (*names, *mapped))


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*given: Any, **more: Any) -> Any:
            if more.get("dir_fd") is None and any(in_use(Path(one)) for one in given):
                raise PermissionError(errno.EACCES, "used by another process", str(given[0]))
            return change(*given, **more)

        return changed

    def unprivileged(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "A required privilege is not held")

    for name in ("replace", "rename", "unlink", "remove"):
        monkeypatch.setattr(os, name, refused(getattr(os, name)))
    monkeypatch.setattr(os, "symlink", unprivileged)
    for module in (arrays, contents, copies, sqlite_backup):
        monkeypatch.setattr(module, "sys", SimpleNamespace(platform="win32"))


def test_projects_live_on_such_a_disk(tmp_path: Path, windows: None) -> None:
    """Two of one file that are open at once, one of whose items goes; a backup is tried, then put
    back."""
    write_items(tmp_path / "items.csv")
    store = url(tmp_path / "labels.db")
    with closing(session_on(tmp_path / "items.csv", store=store).store) as opened:
        session = lc.Session.open(opened, "spam")
        gone = next_draw(session)
        session.answer(gone, "yes")
        answer_draws(session, "yes", 9)
        other = session_on(tmp_path / "items.csv", store=opened, project="other")
        answer_draws(other, "no", 3)
        erase_items(opened, "spam", [gone.item_id], who="me", why="asked for")
        session.sync()
        assert session.item(next_draw(session))["text"].startswith("message")
        answer_draws(session, "yes", 2)
        back_up(opened, tmp_path / "backup.db")
        answer_draws(other, "no", 1)
    rehearsed = rehearse(tmp_path / "backup.db", store, replay_project)
    assert rehearsed.sound and len(rehearsed.projects) == 2
    restore(tmp_path / "backup.db", store, force=True)
    counts = [lc.Session.open(store, name).labels for name in ("spam", "other")]
    assert counts == [12, 3] and not list(tmp_path.glob("*.new"))


def test_who_has_the_store_open_is_told(tmp_path: Path, windows: None) -> None:
    write_items(tmp_path / "items.csv")
    store = url(tmp_path / "labels.db")
    with closing(session_on(tmp_path / "items.csv", store=store).store) as opened:
        back_up(opened, tmp_path / "backup.db")
        with pytest.raises(lc.errors.StoreError, match="cannot be set aside: .*used by another"):
            restore(tmp_path / "backup.db", store)
    assert lc.Session.open(store, "spam").labels == 0 and not list(tmp_path.glob("*.new"))


def test_threads_change_a_list_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no folder can be locked."""
    monkeypatch.setattr(whole_file, "sys", SimpleNamespace(platform="win32"))
    inside: list[int] = []

    def change(number: int) -> bool:
        with whole_file.alone_in(tmp_path):
            inside.append(number)
            time.sleep(0.01)
            return inside.pop() == number and not inside

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(change, range(16)))
