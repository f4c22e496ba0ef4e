from __future__ import annotations

from pathlib import Path

import pytest

from labelcore.errors import PopulationError
from labelcore.ui.files import OutsideError, inside, keep_upload, listed, read_head, safe_name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a.csv", "a.csv"),
        ("../../x.csv", "x.csv"),
        ("C:\\dir\\y.parquet", "y.parquet"),
        ("..csv", "items.csv"),
        ("größe 2.csv.gz", "größe 2.csv.gz"),
        ("a\x00b.csv", "a_b.csv"),
        ("x" * 300 + ".csv", "x" * 80 + ".csv"),
    ],
)
def test_safe_name(given: str, kept: str) -> None:
    assert safe_name(given) == kept


def test_upload_is_kept_once(data_folder: Path) -> None:
    first = keep_upload("a.csv", b"id\n1\n")
    assert keep_upload("a.csv", b"id\n1\n") == first
    other = keep_upload("a.csv", b"id\n2\n")
    assert other.name == "a 2.csv" and first.read_bytes() == b"id\n1\n"
    assert sorted(path.name for path in first.parent.iterdir()) == ["a 2.csv", "a.csv"]
    assert set(listed()) == {"files/a.csv", "files/a 2.csv"}


def test_upload_of_another_kind_is_not_kept(data_folder: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.png: the suffix must be one of \.csv, "):
        keep_upload("a.png", b"x")
    assert not (data_folder / "files").exists()


def test_head_of_a_broken_file_raises_its_faults(data_folder: Path) -> None:
    path = keep_upload("a.csv", b"id,text\n1,f\xfcr\n")
    with pytest.raises(PopulationError) as caught:
        read_head(path)
    assert [(fault.line, fault.value) for fault in caught.value.faults] == [(2, "byte 0xfc")]


def test_inside(data_folder: Path, tmp_path: Path) -> None:
    path = keep_upload("a.csv", b"id\n1\n")
    assert inside("files/a.csv") == path == inside(str(path))
    (tmp_path / "out.csv").write_text("x")
    (path.parent / "link.csv").symlink_to(tmp_path / "out.csv")
    for wanted in ("../out.csv", "files/link.csv", "/etc/passwd", "files/../../out.csv"):
        with pytest.raises(OutsideError):
            inside(wanted)
    with pytest.raises(FileNotFoundError):
        inside("files/none.csv")
