from __future__ import annotations

import time
from pathlib import Path

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from labelcore.items import Folders, lay_out
from labelcore.ui.item import needs_style, whole
from labelcore.ui.sessions import data_folder

MOST_SECONDS = 0.0002


def one_item() -> None:
    import streamlit as st

    from labelcore.ui.item import show_item

    show_item(st.session_state["content"], "token", items_file=st.session_state["items_file"])


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LABELCORE_DATA", str(tmp_path))
    return tmp_path


def shown(content: dict[str, str], items_file: Path | None = None) -> AppTest:
    at = AppTest.from_function(one_item)
    at.session_state["content"] = content
    at.session_state["items_file"] = items_file
    return at.run()


def kinds(at: AppTest) -> list[str]:
    found = []

    def walk(block: object) -> None:
        for child in getattr(block, "children", {}).values():
            if hasattr(child, "children"):
                walk(child)
            else:
                found.append(child.type)

    walk(at.main)
    return found


def test_an_ordinary_text_is_one_element(data: Path) -> None:
    at = shown({"text": "Lunch at noon? <b>$5</b>"})
    assert kinds(at) == ["text"]
    assert at.text[0].value == "Lunch at noon? <b>$5</b>"


def test_two_texts_far_apart_are_plain_and_near_ones_marked(data: Path) -> None:
    assert kinds(shown({"a": "wholly other", "b": "things"})) == ["caption", "text"] * 2
    assert kinds(shown({"a": "one two", "b": "one six"})).count("html") == 2


def test_a_blank_text_says_so(data: Path) -> None:
    assert shown({"text": " \n"}).text[0].value == "(empty)"


def test_a_refused_picture_is_a_warning_that_shows_its_path_literally(data: Path) -> None:
    at = shown({"photo": "**no**.png", "text": "still here"})
    assert not at.exception
    assert "holds no such file" in at.warning[0].value and "**no**" not in at.warning[0].value
    assert at.text[0].value == "still here"


def test_pictures_are_found_beside_the_items_file(data: Path) -> None:
    (data / "files").mkdir()
    Image.new("L", (200, 200)).save(data / "files" / "a.png")
    assert len(shown({"photo": "a.png"}).warning) == 1
    at = shown({"photo": "a.png"}, data / "files" / "items.csv")
    assert not at.exception and not at.warning and kinds(at) == ["image"]


def test_a_table_is_a_table(data: Path) -> None:
    at = shown({"text": '[{"a": "=1+1", "b": 2.50}]'})
    assert at.dataframe[0].value.to_numpy().tolist() == [["=1+1", "2.50"]]


def test_deciding_what_a_short_text_is_takes_no_time(data: Path) -> None:
    text = ("A perfectly ordinary message about lunch at noon. " * 6)[:300]

    def decide() -> None:
        layout = lay_out({"text": text}, Folders(data_folder()))
        assert not needs_style(layout)
        whole(text)

    def seconds(repeats: int) -> float:
        start = time.process_time()
        for _ in range(repeats):
            decide()
        return (time.process_time() - start) / repeats

    assert min(seconds(200) for _ in range(5)) < MOST_SECONDS
