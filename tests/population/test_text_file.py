"""Unpacking and transcoding: the same text, the same lines, and what cannot be decoded."""

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.errors import PopulationError
from labelcore.population import read_population, text_file
from labelcore.population.copies import copies_folder
from labelcore.population.text_file import detect_encoding, open_text
from tests.cases import searched

PYTHON = {"utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be", "windows-1252": "cp1252"}


@searched(60)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    encoding=st.sampled_from(sorted(PYTHON)),
    block=st.integers(1, 9),
)
def test_a_copy_holds_the_text(text: str, encoding: str, block: int) -> None:
    raw = text.encode(PYTHON[encoding], errors="ignore")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "BLOCK_BYTES", block)
        path = Path(folder) / "items.txt"
        path.write_bytes(raw)
        found = open_text(path, encoding)
        expected = raw.decode(PYTHON[encoding])
        expected = expected.removeprefix("\ufeff") if "16" in encoding else expected
        assert found.path.read_bytes().decode() == expected
        assert not found.undecodable


@pytest.mark.parametrize(
    ("data", "encoding", "bytes_"),
    [
        (b"a\x81b\x8d", "windows-1252", [(1, 0x81), (3, 0x8D)]),
        ("a\nb".encode("utf-16-le") + b"\0\xd8" + "c".encode("utf-16-le"), "utf-16-le", [(6, 0)]),
        (b"\xff\xfea\0b", "utf-16-le", [(4, ord("b"))]),
        (b"\xfe\xff\0a\xdc\0\0b", "utf-16-be", [(4, 0xDC)]),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_every_byte_that_is_no_text_has_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, encoding: str,
    bytes_: list[tuple[int, int]], block: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(text_file, "BLOCK_BYTES", block)
    path = tmp_path / "items.txt"
    path.write_bytes(data)
    assert list(open_text(path, encoding).undecodable.values()) == bytes_


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        ("für".encode(), "utf-8"),
        ("für".encode("cp1252"), "windows-1252"),
        ("“für”".encode("cp1252"), "windows-1252"),
        ("“Tämä sää” – äänestää, jäätelöä…”".encode("cp1252"), "windows-1252"),
        ("これはひらがなと漢字の文です".encode("cp932"), "utf-8"),
        ("Это тестовое письмо".encode("cp1251"), "utf-8"),
        ("这是一封测试邮件".encode("gb18030"), "utf-8"),
        ("日本語".encode()[:-1], "utf-8"),
        ("日本語".encode() + b"\xff", "utf-8"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xd8", "utf-8"),
        (b"text\xe9\x01", "utf-8"),
        ("日本\n".encode("utf-16-be"), "utf-16-be"),
        (b"id,text\n1,a\0b\n", "utf-8"),
    ],
)
def test_detected_encodings(tmp_path: Path, data: bytes, encoding: str) -> None:
    path = tmp_path / "items.txt"
    path.write_bytes(data)
    assert detect_encoding(path)[0] == encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("これはひらがなと漢字の文です", "cp932"),
        ("이것은 시험 편지입니다", "cp949"),
        ("这是一封测试邮件", "gb18030"),
        ("Это тестовое письмо", "windows-1251"),
    ],
)
def test_text_of_another_script_is_refused_until_its_encoding_is_said(
    csv_file: Callable[..., Path], text: str, encoding: str
) -> None:
    """It was read as Windows-1252, a letter for each byte, without a word."""
    path = csv_file(f"id,text\n1,{text}\n".encode(encoding))
    with pytest.raises(PopulationError, match=r"^items\.csv, row 1 .* or choose its encoding"):
        read_population(path, id="id", content="text")
    known = read_population(path, id="id", content="text", dialect={"encoding": encoding})
    assert known.content("1") == {"text": text} and known.dialect.encoding == encoding


def test_a_break_between_blocks_does_not_change_the_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.txt"
    path.write_bytes(("日本語" * 50).encode())
    for block in range(1, 8):
        monkeypatch.setattr(text_file, "BLOCK_BYTES", block)
        assert detect_encoding(path) == ("utf-8", True)


def test_gzip_that_unpacks_to_more_than_the_disk_holds(
    csv_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_file("text\n" + "a" * 10_000_000, "items.csv.gz")
    assert path.stat().st_size < 20_000
    free = text_file.shutil.disk_usage(tempfile.gettempdir()).free
    monkeypatch.setattr(text_file, "SHARE_OF_DISK", 9_000_000 / free)
    before = set(copies_folder().iterdir())
    with pytest.raises(PopulationError, match=r"unpacks to more than \d+ MB, half of the free"):
        read_population(path, content="text")
    assert set(copies_folder().iterdir()) <= before


TRUNCATED = gzip.compress(bytes(range(256)) * 50)[:-9]
BROKEN = [TRUNCATED, b"not gzip", b"", b"\x1f\x8b\x08\0\0\0\0\0\0\0abc"]


@pytest.mark.whole
@pytest.mark.parametrize("data", BROKEN)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_broken_gzip(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"items{suffix}.gz"
    path.write_bytes(data)
    words = "cannot be unpacked as gzip" if data else "the file is empty"
    with pytest.raises(PopulationError, match=words) as caught:
        read_population(path, content="text")
    assert caught.value.faults[0].file == path.name
