"""Items kept beside a store: only inside its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labelcore.errors import StoreError
from labelcore.store import ProjectRecord, copy_items, items_path

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
