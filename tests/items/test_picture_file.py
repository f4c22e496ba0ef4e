import io
import os
from pathlib import Path
from unicodedata import normalize

import pytest
from PIL import Image

from labelcore.items import Folders, Picture, Refusal, Text, form_of
from labelcore.items import picture as pictures


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """A data folder with pictures at two places; beside it one that must not be read."""
    beside = tmp_path / "data" / "files"
    for place, grey in ((tmp_path / "data", 10), (beside, 90), (tmp_path, 200)):
        place.mkdir(exist_ok=True)
        Image.new("L", (200, 200), grey).save(place / "a.png")
    Image.new("L", (200, 200)).save(beside / "with space.JPEG")
    Image.new("L", (200, 200)).save(tmp_path / "secret.png")
    return Folders(tmp_path / "data", beside)


def refusal(value: str, folders: Folders) -> str:
    found = form_of(value, folders)
    assert isinstance(found, Refusal), found
    return found.sentence


def grey(form: object) -> int:
    assert isinstance(form, Picture)
    return Image.open(io.BytesIO(form.data)).convert("L").getpixel((5, 5))


def test_the_folder_of_the_items_comes_first_then_the_data_folder(folders: Folders) -> None:
    assert grey(form_of("a.png", folders)) == 90
    assert grey(form_of("../a.png", folders)) == 10
    assert grey(form_of("a.png", Folders(folders.root))) == 10
    assert grey(form_of("files/a.png", folders)) == 90
    assert grey(form_of(str(folders.root / "a.png"), folders)) == 10
    assert grey(form_of("files/with space.JPEG", folders)) == 0


@pytest.mark.parametrize(
    "value", ["../../secret.png", "../secret.png/../../secret.png", "/etc/none.png", "/a.png"]
)
def test_nothing_outside_the_data_folder_is_read(value: str, folders: Folders) -> None:
    assert refusal(value, folders) == (
        f"{value} lies outside the data folder. Pictures are read from inside it only."
    )


def test_an_items_file_elsewhere_opens_no_other_folder(folders: Folders, tmp_path: Path) -> None:
    elsewhere = Folders(folders.root, tmp_path)
    assert "holds no such file" in refusal("secret.png", elsewhere)
    assert "lies outside" in refusal(str(tmp_path / "secret.png"), elsewhere)


def test_links_are_followed_inside_only(folders: Folders, tmp_path: Path) -> None:
    os.symlink(tmp_path / "secret.png", folders.root / "out.png")
    os.symlink(tmp_path, folders.root / "up")
    os.symlink(folders.root / "a.png", folders.root / "in.png")
    os.symlink(folders.root / "loop.png", folders.root / "loop.png")
    alone = Folders(folders.root)
    assert "lies outside" in refusal("out.png", alone)
    assert "lies outside" in refusal("out.png", folders)
    assert "lies outside" in refusal("up/secret.png", alone)
    assert grey(form_of("in.png", alone)) == 10
    assert "holds no such file" in refusal("loop.png", alone)


def test_what_is_no_file_is_not_opened(folders: Folders) -> None:
    os.mkfifo(folders.root / "pipe.png")
    (folders.root / "folder.png").mkdir()
    for name in ("pipe.png", "folder.png", "none.png", "n" * 290 + ".png"):
        assert refusal(name, folders) == (
            f"{name} is not there: the data folder holds no such file."
        )


def test_svg_is_refused_by_name_and_by_content(folders: Folders) -> None:
    for name in ("drawing.svg", "drawing.png"):
        (folders.root / name).write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf-8")
        assert refusal(name, folders).startswith(f"{name} is an SVG picture.")


def test_another_file_behind_the_suffix_is_not_shown(folders: Folders) -> None:
    (folders.root / "labels.db").write_text("secret", "utf-8")
    os.symlink(folders.root / "labels.db", folders.root / "db.png")
    assert refusal("db.png", folders).startswith("db.png is not a PNG")


def test_a_file_too_heavy_is_not_read(folders: Folders) -> None:
    with (folders.root / "heavy.png").open("wb") as stream:
        stream.truncate(pictures.MOST_BYTES + 1)
    assert refusal("heavy.png", folders) == (
        "heavy.png has more than 50,000,000 bytes, the most that is shown."
    )


def test_a_picture_is_decoded_once_until_it_changes(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = form_of("a.png", folders)
    assert form_of("a.png", folders) is first
    assert folders.beside is not None
    Image.new("L", (201, 200), 33).save(folders.beside / "a.png")
    assert grey(form_of("a.png", folders)) == 33


@pytest.mark.parametrize(
    "value",
    [
        "the file is photo.png",
        "https://a.example/photo.png",
        "photo.png\n",
        "a\nb.png",
        "a\x00.png",
        "a\u202egnp.png",
        "x" * 400 + ".png",
        "photo.pdf",
    ],
)
def test_other_texts_are_text(value: str, folders: Folders) -> None:
    assert isinstance(form_of(value, folders), Text)


@pytest.mark.parametrize(("kept", "named"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_a_name_with_accents_is_found_however_it_is_spelled(
    kept: str, named: str, folders: Folders
) -> None:
    Image.new("L", (200, 200), 40).save(folders.root / normalize(kept, "Käse.png"))
    assert grey(form_of(normalize(named, "Käse.png"), folders)) == 40
