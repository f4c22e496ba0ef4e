"""Items kept beside a store: whole, and only inside its folder."""

import errno
import json
import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from labelcore.errors import StoreError, StoreNotWritableError
from labelcore.store import ProjectRecord, copy_items, items_path, keep

OUTSIDE = ["../../out/evil.txt", "{out}/evil.txt", "", "link/evil.txt"]


def record_of(place: str, **more: object) -> ProjectRecord:
    source = json.dumps({"path": "/nowhere/items.csv", "kept": place, **more})
    return ProjectRecord("spam", "2026-01-01T00:00:00+00:00", "f1", "{}", source)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Of two stores, each with a link out of it, and of what is none of theirs."""
    out = tmp_path / "out"
    source, target = tmp_path / "a" / "labels.items", tmp_path / "b" / "labels.items"
    for folder in (out, source, target):
        folder.mkdir(parents=True)
    return source, target, out


@pytest.mark.parametrize("linked", ["source", "target"])
@pytest.mark.parametrize("place", OUTSIDE)
@pytest.mark.whole
def test_nothing_is_written_or_read_outside_the_folder(
    folders: tuple[Path, Path, Path], place: str, linked: str
) -> None:
    source, target, out = folders
    record = record_of(place.format(out=out))
    for name, folder in (("source", source), ("target", target)):
        if linked == name:
            (folder / "link").symlink_to(out)
        else:
            (folder / "link").mkdir()
            (folder / "link" / "evil.txt").write_text("evil")
    (out / "evil.txt").write_text("a secret")
    with pytest.raises(StoreError, match="project 'spam' .* inside the folder beside the store"):
        copy_items([record], source, target)
    with pytest.raises(StoreError, match="inside the folder beside the store"):
        items_path(record, source if linked == "source" else target)
    assert (out / "evil.txt").read_text() == "a secret"


def test_what_lies_inside_is_copied_and_found(folders: tuple[Path, Path, Path]) -> None:
    source, target, out = folders
    (source / "0123").mkdir()
    (source / "0123" / "a..b.csv").write_text("items")
    source.rename(out / "moved")
    source.symlink_to(out / "moved")
    record = record_of("0123/a..b.csv")
    copy_items([record], source, target)
    assert items_path(record, target).read_text() == "items"


def test_a_snapshot_is_found_where_its_source_may_not_be_looked_at(
    folders: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (kept := folders[0] / "ab" / "items.snapshot").parent.mkdir()
    kept.touch()
    there = Path.exists

    def exists(path: Path) -> bool:
        if path.name == "items.csv":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return there(path)

    monkeypatch.setattr(Path, "exists", exists)
    assert items_path(record_of("ab/items.snapshot"), folders[0]) == kept


def test_a_file_with_the_longest_name_is_kept(tmp_path: Path) -> None:
    file = tmp_path / f"{'n' * 251}.csv"
    file.write_text("items")
    kept = tmp_path / "labels.items" / keep(file, tmp_path / "labels.items")
    assert kept.read_text() == "items" and stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: Any, target: Any, *more: Any) -> None:
        stream = open(target, "wb") if isinstance(target, Path) else target  # noqa: SIM115
        stream.write(b"half")
        stream.flush()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for name in ("copyfileobj", "copyfile"):
        monkeypatch.setattr(shutil, name, full)
    (tmp_path / "items.csv").write_text("items")
    with pytest.raises(StoreNotWritableError, match="cannot be kept .* No space left"):
        keep(tmp_path / "items.csv", tmp_path / "labels.items")
    assert not [one for one in (tmp_path / "labels.items").rglob("*") if one.is_file()]


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda given: done.append("sync") or sync(given))
    monkeypatch.setattr(os, "replace", lambda *given: done.append("replace") or replace(*given))
    (tmp_path / "items.csv").write_text("items")
    keep(tmp_path / "items.csv", tmp_path / "labels.items")
    assert done == ["sync", "replace", "sync"]  # The file, its name, and the folder that has it.


def test_two_threads_keep_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "items.csv").write_text("items")
    both, replace = Barrier(2, timeout=10), os.replace

    def replace_together(half: Any, there: Any) -> None:
        both.wait()
        replace(half, there)

    monkeypatch.setattr(os, "replace", replace_together)
    with ThreadPoolExecutor(2) as threads:
        folder = tmp_path / "labels.items"
        places = list(threads.map(lambda _: keep(tmp_path / "items.csv", folder), range(2)))
    assert places[0] == places[1] and (folder / places[0]).read_text() == "items"
    assert len(list((folder / places[0]).parent.iterdir())) == 1
