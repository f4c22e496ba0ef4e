from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from labelcore.charts.nodes import Node
from labelcore.items import Mark
from labelcore.ui.item import item_nodes, pieces


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LABELCORE_DATA", str(tmp_path))
    return tmp_path


def kinds(nodes: list[Node]) -> list[str]:
    return [node[1]["class"] for node in nodes]


def said(nodes: list[Node | str]) -> str:
    return "".join(one if isinstance(one, str) else said(one[2:]) for one in nodes)


def test_an_ordinary_text_is_one_node(data: Path) -> None:
    text = "  Lunch at noon? <b>$5</b>\n"
    assert item_nodes({"text": text}) == [["div", {"class": "lc-text"}, text]]


def test_two_texts_far_apart_are_plain_and_near_ones_marked(data: Path) -> None:
    (beside,) = item_nodes({"a": "wholly other", "b": "things"})
    assert [kinds(column[2:]) for column in beside[2:]] == [["lc-note", "lc-text"]] * 2
    beside, note = item_nodes({"a": "one two", "b": "one six"})
    mark = ["mark", {"class": "lc-differs"}, "two"]
    assert beside[2][3] == ["div", {"class": "lc-text"}, "one ", mark]
    assert said([note]) == "Words that differ are marked."


def test_a_blank_text_says_so(data: Path) -> None:
    assert said(item_nodes({"text": " \n"})) == "(empty)"


def test_a_refused_picture_says_why(data: Path) -> None:
    nodes = item_nodes({"photo": "**no**.png", "text": "still here"})
    assert "lc-refusal" in kinds(nodes[0][2][3:])
    assert "**no**.png is not there: the data folder holds no such file." in said(nodes)
    assert "still here" in said(nodes)


def test_pictures_are_found_beside_the_items_file_and_sent_as_data(data: Path) -> None:
    (data / "files").mkdir()
    Image.new("L", (200, 200)).save(data / "files" / "a.png")
    assert kinds(item_nodes({"photo": "a.png"}))[0] == "lc-refusal"
    ((tag, attributes),) = item_nodes({"photo": "a.png"}, None, data / "files" / "items.csv")
    assert tag == "img" and attributes["src"].startswith("data:image/png;base64,")
    assert "a.png" not in str(attributes)


def test_a_table_is_a_table(data: Path) -> None:
    (table,) = item_nodes({"text": '[{"a": "=1+1", "b": 2.50}]'})
    assert (table[0], said([table[2]]), said([table[3]])) == ("table", "ab", "=1+12.50")


@given(
    st.text(st.sampled_from("<>&\"'/=;#! \n\tabdivmark$:[]"), max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=6),
)
def test_pieces_hold_the_whole_text_and_mark_what_is_marked(
    text: str, places: list[tuple[int, int]]
) -> None:
    kinds = ("differs", "word", "pattern")
    marks = [
        Mark(min(place), min(max(place), len(text)), kinds[number % 3])
        for number, place in enumerate(places)
        if min(place) < min(max(place), len(text))
    ]
    cut = list(pieces(text, marks))
    assert said(cut) == text
    at = 0
    for one in cut:
        span = set(range(at, at := at + len(said([one]))))
        over = {mark.kind for mark in marks if span & set(range(mark.start, mark.end))}
        named = set() if isinstance(one, str) else set(one[1]["class"].split())
        assert named == {f"lc-{kind}" for kind in over}


def test_the_number_of_a_point_is_that_of_the_text(data: Path) -> None:
    (_, answer) = item_nodes({"question": "3 + 4?", "answer": "7."})
    assert answer[-1][-1][2:] == [["ol", {}, ["li", {"value": "7"}]]]
