from __future__ import annotations

from pathlib import Path

import pytest

from labelcore.ui.files import OutsideError, inside, keep_upload, listed, safe_name


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
