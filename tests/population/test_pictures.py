"""A zip or a folder of pictures: what is in it, and what it may not do."""

import csv
import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from labelcore.errors import PopulationError
from labelcore.population import pictures
from labelcore.population.pictures import take_apart


def picture(shade: int = 0) -> bytes:
    stream = io.BytesIO()
    Image.new("L", (4, 4), shade).save(stream, "PNG")
    return stream.getvalue()


def packed(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "mine.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as stream:
        for name, content in files.items():
            stream.writestr(name, content)
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    place = tmp_path / "taken"
    place.mkdir()
    return place


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_folder_of_a_picture_is_its_prediction(tmp_path: Path, target: Path) -> None:
    files = {"pics/dog/1.png": picture(1), "pics/cat/1.png": picture(2), "pics/read.me": b"x"}
    table = take_apart(packed(tmp_path, files), target)
    assert table == target / "mine.csv"
    cat, dog = "pics/cat/1.png", "pics/dog/1.png"
    assert rows(table) == [
        {"id": cat, "image": cat, "prediction": "cat"},
        {"id": dog, "image": dog, "prediction": "dog"},
    ]
    assert (target / cat).read_bytes() == picture(2)
    assert not (target / "pics" / "read.me").exists()


@pytest.mark.parametrize("written_in", ["utf-8", "cp437", ""])
def test_one_folder_says_nothing_and_a_name_keeps_its_letters(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch, written_in: str
) -> None:
    """macOS writes UTF-8 without the flag that says so."""
    if written_in:
        said = lambda info: (info.filename.encode(written_in), 0)  # noqa: E731
        monkeypatch.setattr(zipfile.ZipInfo, "_encodeFilenameFlags", said)
    table = take_apart(packed(tmp_path, {"Hüte/Käse.png": picture()}), target)
    assert rows(table) == [{"id": "Hüte/Käse.png", "image": "Hüte/Käse.png"}]
    assert (target / "Hüte" / "Käse.png").read_bytes() == picture()


def test_a_table_beside_the_pictures_is_the_one(tmp_path: Path, target: Path) -> None:
    table = b"id,image,score\n1,p/1.png,0.5\n"
    files = {"x/scores.csv": table, "x/p/1.png": picture(), "x/readme.txt": b"about it"}
    assert take_apart(packed(tmp_path, files), target) == target / "x" / "scores.csv"
    assert (target / "x" / "scores.csv").read_bytes() == table
    assert (target / "x" / "p" / "1.png").exists()


def test_a_folder_as_a_zip(tmp_path: Path, target: Path) -> None:
    """Links, hidden files and what they lead to are left where they are."""
    folder, secret = tmp_path / "mine", tmp_path / "secret.png"
    (folder / "cat").mkdir(parents=True)
    secret.write_bytes(picture(9))
    (folder / "cat" / "1.png").write_bytes(picture(1))
    (folder / "cat" / "2.png").symlink_to(secret)
    (folder / ".hidden.png").write_bytes(picture(3))
    (folder / "out").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.png")
    table = take_apart(folder, target)
    assert [row["id"] for row in rows(table)] == ["cat/1.png"]
    assert sorted(one.name for one in target.rglob("*.png")) == ["1.png"]


@pytest.mark.parametrize(
    "name",
    ["../x.png", "a/../../x.png", "/etc/x.png", "C:/x.png", "..\\x.png", "a\\..\\..\\x.png",
     "a/\x1b[2J.png", "a//x.png", "./x.png", "n" * 300 + ".png"],
)  # fmt: skip
def test_a_name_that_leads_out_is_named(tmp_path: Path, target: Path, name: str) -> None:
    path = packed(tmp_path, {"fine.png": picture(), name: picture()})
    with pytest.raises(PopulationError, match="must be a path below its folder") as caught:
        take_apart(path, target)
    assert caught.value.faults[0].file == "mine.zip"
    assert not list(target.iterdir())


@pytest.mark.parametrize("kind", [stat.S_IFLNK | 0o777, stat.S_IFCHR | 0o666])
def test_links_and_devices(tmp_path: Path, target: Path, kind: int) -> None:
    path, info = tmp_path / "mine.zip", zipfile.ZipInfo("link.png")
    info.external_attr = kind << 16
    with zipfile.ZipFile(path, "w") as stream:
        stream.writestr(info, "/etc/passwd")
    with pytest.raises(PopulationError, match="this is a link or a device"):
        take_apart(path, target)
    assert not list(target.iterdir())


def test_a_bomb_is_refused_by_what_it_unpacks_to(
    tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the zip says that it is small: bytes are counted as they come."""
    monkeypatch.setattr(pictures, "UNPACKED_ALWAYS", 1_000_000)
    monkeypatch.setattr("labelcore.population.limits.UNPACKED_ALWAYS", 1_000_000)
    path = packed(tmp_path, {"bomb.png": bytes(40_000_000)})
    with pytest.raises(PopulationError, match="at most 100 times its size is unpacked"):
        take_apart(path, target)
    assert sum(one.stat().st_size for one in target.rglob("*") if one.is_file()) < 6_000_000


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        ({"a.csv": b"id\n", "b.csv": b"id\n"}, "one table may be in it, and there are 'a.csv'"),
        ({"readme.md": b"x"}, "neither a picture"),
        ({"A.png": b"x", "a.PNG": b"x"}, "it is there twice"),
        ({"\xe9.png": b"x", "e\u0301.png": b"x"}, "it is there twice"),
    ],
)
def test_what_cannot_be_used(
    tmp_path: Path, target: Path, files: dict[str, bytes], rule: str
) -> None:
    with pytest.raises(PopulationError, match=rule):
        take_apart(packed(tmp_path, files), target)


def test_too_many_files(tmp_path: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_FILES", 2)
    files = {f"{n}.png": picture(n) for n in range(3)}
    take_apart(packed(tmp_path, {name: files[name] for name in ("0.png", "1.png")}), target)
    with pytest.raises(PopulationError, match="at most 2 files may be in it"):
        take_apart(packed(tmp_path, files), target)


def test_a_zip_with_a_password_is_refused(tmp_path: Path, target: Path) -> None:
    path = packed(tmp_path, {"1.png": picture()})
    raw = bytearray(path.read_bytes())
    for mark, behind in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + behind] |= 1
    path.write_bytes(raw)
    with pytest.raises(PopulationError, match="it needs a password: give it without one"):
        take_apart(path, target)


@pytest.mark.parametrize("cut", [0, 10, -5])
def test_broken_bytes(tmp_path: Path, target: Path, cut: int) -> None:
    whole = packed(tmp_path, {"1.png": picture()}).read_bytes()
    (tmp_path / "mine.zip").write_bytes(whole[:cut])
    with pytest.raises(PopulationError, match="it is no zip, or a broken one"):
        take_apart(tmp_path / "mine.zip", target)


def test_mutated_zips_are_read_or_refused_in_words(tmp_path: Path) -> None:
    """Every byte turned in turn: nothing else is raised, and nothing lies outside."""
    whole = packed(tmp_path, {"a/1.png": picture(), "b/2.png": picture()}).read_bytes()
    refused = 0
    for place in range(len(whole)):
        out = tmp_path / f"t{place}"
        out.mkdir()
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        (tmp_path / "mine.zip").write_bytes(changed)
        try:
            take_apart(tmp_path / "mine.zip", out)
        except PopulationError:
            refused += 1
    assert refused > 20
    assert {one.name[0] for one in tmp_path.iterdir()} == {"m", "t"}
