import inspect
from pathlib import Path

import pytest
from PIL import Image

from labelcore.items import KINDS, Folders, Refusal, Text, lay_out


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    Image.new("L", (200, 200)).save(tmp_path / "a.png")
    return Folders(tmp_path)


def names(content: dict[str, str], folders: Folders) -> list[list[str]]:
    return [[part.name for part in row] for row in lay_out(content, folders).rows]


def test_one_or_two_columns_are_one_row(folders: Folders) -> None:
    assert names({"text": "x"}, folders) == [["text"]]
    assert names({"a": "x", "b": "a.png"}, folders) == [["a", "b"]]


def test_pictures_that_follow_each_other_share_a_row(folders: Folders) -> None:
    picture = dict.fromkeys(["1", "2", "3", "4", "5"], "a.png")
    assert names({"t": "x", **picture, "u": "y", "v": "a.png"}, folders) == [
        ["t"],
        ["1", "2", "3", "4"],
        ["5"],
        ["u"],
        ["v"],
    ]


def test_a_refusal_stands_in_the_place_of_its_column_only(folders: Folders) -> None:
    layout = lay_out({"photo": "none.png", "text": "still here"}, folders)
    assert isinstance(layout.rows[0][0].form, Refusal)
    assert layout.rows[0][1].form == Text("still here")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_leaves_what_is_none_of_its_own(kind: str, folders: Folders) -> None:
    read = KINDS[kind]
    assert list(inspect.signature(read).parameters) == ["value", "folders"]
    assert [read(text, folders) for text in ("", " ", "plain words", "{", "]", "1.0")] == [None] * 6


def roles(content: dict[str, str], folders: Folders) -> list[list[tuple[str, str]]]:
    return [[(p.name, p.role) for p in row] for row in lay_out(content, folders).rows]


LONG = "A text that is read for a while, sentence after sentence. " * 4


def test_a_title_heads_its_text_and_short_facts_share_a_line(folders: Folders) -> None:
    mail = {"from": "a@b", "body": LONG, "date": "1 May", "subject": "Exposed?"}
    assert roles(mail, folders) == [
        [("subject", "title")],
        [("from", "field"), ("date", "field")],
        [("body", "body")],
    ]
    assert roles({"subject": "Exposed?", "body": LONG}, folders) == [
        [("subject", "title")],
        [("body", "body")],
    ]


def test_a_pair_stays_side_by_side(folders: Folders) -> None:
    for first, second in [("text_a", "text_b"), ("title1", "title2"), ("source", "target")]:
        assert names({first: "short", second: LONG}, folders) == [[first, second]]
    assert names({"one": LONG, "other": LONG + "!"}, folders) == [["one", "other"]]
    assert names({"photo": "a.png", "caption": "x"}, folders) == [["photo", "caption"]]


def test_texts_of_much_the_same_length_are_a_pair_whichever_is_longer(folders: Folders) -> None:
    """Of shop listings the shorter one stood above the other as a fact, now this, now that shop."""
    for amazon, google in [("star wars (mac)", "aspyr star wars mac os x"), ("a" * 90, "b" * 60)]:
        assert names({"amazon": amazon, "google": google}, folders) == [["amazon", "google"]]
    assert roles({"country": "DE", "text": LONG}, folders)[0] == [("country", "field")]


def test_a_long_or_broken_title_is_body(folders: Folders) -> None:
    assert roles({"title": LONG, "text": LONG}, folders)[0][0] == ("title", "body")
    assert roles({"title": "two\nlines", "text": LONG, "x": "y"}, folders)[-2:] == [
        [("title", "body")],
        [("text", "body")],
    ]
