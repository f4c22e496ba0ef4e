"""Items of every kind in a real page: drawn, marked, literal, and harmless."""

import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import labelcore
from tests.browser import driving, traps
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

# One item after the other from a file, drawn by the function that the labelling page calls.
APP = """
import json
import streamlit as st
from labelcore.items import highlights_of
from labelcore.ui.item import item_nodes
from labelcore.ui.sessions import data_folder
from labelcore.ui.setup import dress
from labelcore.ui.surface import show_item

dress()
number = int(st.query_params["item"])
one = json.loads((data_folder() / "items.json").read_text("utf-8"))[number]
view = item_nodes(one["content"], highlights_of(one["settings"]))
show_item(str(number), view)
st.text("below the item")
"""
JUMBLED = [
    *traps.HOSTILE,
    *traps.WRITING,
    "</mark></div><style>* { display: none }</style><form action=//labelcore.invalid><input>",
    "$\\href{javascript:window.labelcoreRan=1}{x}$ :red[x] `y`",
    "a\u200bb\u200dc\u2060d\ufeffe zero-width",
    "lines\n   \n\n  \t after blank ones\n",
]
MARKS = "mark.lc-differs, mark.lc-word, mark.lc-pattern"


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds no pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    size = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., None]]:
    """``show(page, content, settings)``: one item on a page of the small app above."""
    folder = tmp_path_factory.mktemp("items")
    app = folder / "app.py"
    app.write_text(APP, "utf-8")
    data = folder / "data"
    shown: list[dict[str, object]] = []

    def show_one(page: Page, content: dict[str, str], settings: object = None) -> None:
        shown.append({"content": content, "settings": settings or {}})
        (data / "items.json").write_text(json.dumps(shown), "utf-8")
        page.goto(f"{running.url}/?item={len(shown) - 1}")
        expect(page.get_by_text("below the item")).to_be_visible()
        wait_until_idle(page)

    with Server(data, app=app, forked=True) as running:
        yield show_one


def texts(page: Page) -> list[str]:
    """Each text of the item as the page holds it."""
    return page.locator(".lc-item .lc-text").all_text_contents()


def marks(page: Page) -> list[str]:
    return page.locator(MARKS).all_text_contents()


def test_pictures_of_the_data_folder_are_drawn_and_others_refused(
    page: Page, shared_server: Server, tmp_path: Path
) -> None:
    folder = shared_server.data / "files" / "photos"
    folder.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (300, 200), "teal").save(folder / "good.jpg")
    whole = (folder / "good.jpg").read_bytes()
    (folder / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    (folder / "vast.png").write_bytes(png_header(20_000, 20_000))
    (folder / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf-8")
    Image.new("RGB", (300, 200)).save(tmp_path / "secret.png")
    os.symlink(tmp_path / "secret.png", folder / "link.png")
    sentences = {
        "files/photos/cut.jpg": "is damaged, cut off",
        "files/photos/vast.png": "more than 50,000,000 pixels",
        "files/photos/drawing.svg": "is an SVG picture",
        "files/photos/link.png": "lies outside the data folder",
        "../../../secret.png": "lies outside the data folder",
        "files/photos/none.png": "holds no such file",
    }
    paths = ["files/photos/good.jpg", str(folder / "good.jpg"), *sentences]
    rows = [{"id": f"p{n}", "text": path, "score_m": 0.5} for n, path in enumerate(paths)]
    project = driving.make_project(
        shared_server.data, "Photos", rows=rows, budget=8, design="simple_random", promise="fixed"
    )
    driving.open_label(page, shared_server.url, project)
    seen = set()
    for _ in paths:
        drawn = [e for e in driving.events(shared_server.data, project) if e.kind == "drawn"]
        path = paths[int(str(drawn[-1].item_id)[1:])]
        seen.add(path)
        if path in sentences:
            alert = page.locator(".lc-refusal")
            expect(alert).to_contain_text(sentences[path])
            expect(alert).to_contain_text(path)
            assert page.locator(".lc-item img").count() == 0
        else:
            page.wait_for_function(
                "() => [...document.querySelectorAll('.lc-item img')]"
                ".some(image => image.naturalWidth === 300 && image.naturalHeight === 200)"
            )
        driving.answer(page, "b")
    assert seen == set(paths)
    stored = driving.answers(shared_server.data, project)
    assert [driving.said(event) for event in stored] == ["broken"] * len(paths)
    assert "Traceback" not in shared_server.log


def test_differences_of_a_pair_are_marked_by_more_than_colour(
    page: Page, show: Callable[..., None]
) -> None:
    show(page, {"a": "one red bicycle, 26 inches", "b": "one blue bicycle, 28 inches"})
    expect(page.locator(MARKS)).to_have_text(["red", "26", "blue", "28"])
    assert texts(page) == ["one red bicycle, 26 inches", "one blue bicycle, 28 inches"]
    style = page.locator("mark.lc-differs").first.evaluate(
        "mark => [getComputedStyle(mark).fontWeight, getComputedStyle(mark).borderBottomStyle]"
    )
    assert style == ["700", "solid"]
    show(page, {"a": "nothing here is alike", "b": "seven other words stand there, quite foreign"})
    assert marks(page) == []


def test_right_to_left_paragraphs_stand_at_the_right(page: Page, show: Callable[..., None]) -> None:
    show(page, {"text": "A short line\nשלום עולם"})
    box = page.locator(".lc-item .lc-text")
    lines = box.evaluate(
        """element => {
          const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
          const cut = text.data.indexOf("\\n");
          const edges = (from, to) => {
            const range = document.createRange();
            range.setStart(text, from); range.setEnd(text, to);
            const where = range.getBoundingClientRect();
            return [where.left, where.right];
          };
          const own = element.getBoundingClientRect();
          return { own: [own.left, own.right], first: edges(0, cut),
                   second: edges(cut + 1, text.data.length) };
        }"""
    )
    assert abs(lines["first"][0] - lines["own"][0]) < 5
    assert abs(lines["second"][1] - lines["own"][1]) < 5
    assert lines["second"][0] - lines["own"][0] > 50


def test_the_first_word_of_a_right_to_left_card_stands_at_the_right(page: Page) -> None:
    """As beside it and on *Label*: the words stood in the order of a text from the left."""
    sheet = Path(labelcore.__file__).with_name("ui") / "cards.css"
    text = "<button><span class=text><b>שלום</b> (test) <i>עולם</i></span></button>"
    page.set_content(f"<style>{sheet.read_text('utf-8')}</style>{text}")
    first, last = (page.locator(tag).bounding_box() for tag in ("b", "i"))
    assert first is not None and last is not None and first["x"] > last["x"]


@pytest.mark.full
def test_words_and_patterns_are_marked_only_when_asked_for(
    page: Page, show: Callable[..., None]
) -> None:
    content = {"text": "Send MONEY to account 1234 <b>now</b>, moneyless friend"}
    show(page, content)
    assert page.locator("mark").count() == 0
    show(page, content, {"highlight": {"words": ["money", "now"], "patterns": [r"\d{4}"]}})
    assert page.locator("mark.lc-word").all_text_contents() == ["MONEY", "now"]
    assert page.locator("mark.lc-pattern").all_text_contents() == ["1234"]
    assert texts(page) == [content["text"]]


def test_hostile_texts_stay_literal_also_where_they_are_marked(
    page: Page, show: Callable[..., None]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    # All at once, and a word in every one of them is marked.
    content = {
        f"{place} {text[:70]}": f"marked {text} {text}" for place, text in enumerate(JUMBLED)
    }
    show(page, content, {"highlight": {"words": ["marked"], "patterns": ["[<$:]"]}})
    expect(page.locator(".lc-item .lc-text")).to_have_count(len(JUMBLED))
    # Short ones come first, as facts.
    assert sorted(texts(page)) == sorted(content.values())
    pair = {"a": f"left {''.join(traps.HOSTILE)}", "b": f"right {''.join(traps.HOSTILE)}"}
    show(page, pair)
    assert marks(page) == ["left", "right"] and texts(page) == list(pair.values())
    tags = page.locator(".lc-item .lc-text *").evaluate_all("all => all.map(x => x.tagName)")
    assert set(tags) == {"MARK"}
    assert page.evaluate(f"window.{traps.FLAG}") is None
    assert not [url for url in asked if "labelcore.invalid" in url]


@pytest.mark.full
def test_tables_json_and_long_texts(page: Page, show: Callable[..., None]) -> None:
    show(page, {"text": '[{"name": "<b>A</b>", "size": 1.50}, {"name": "B", "size": 2}]'})
    rows = page.locator(".lc-table tr")
    expect(rows).to_have_text(["namesize", "<b>A</b>1.50", "B2"])
    show(page, {"text": json.dumps({"a": {"b": "<script>x</script>"}, "c": "one\ntwo"})})
    assert page.locator(".lc-field .lc-field .lc-inner").inner_text() == "<script>x</script>"
    assert page.locator(".lc-rich > .lc-field").last.inner_text() == "c\none\ntwo"
    show(page, {"text": "word " * 2496})
    expect(page.locator(".lc-item")).to_contain_text("12,480 characters")
    box = page.locator(".lc-box")
    heights = box.evaluate("box => [box.clientHeight, box.scrollHeight]")
    assert page.viewport_size is not None
    assert heights[0] <= page.viewport_size["height"] - 320 < heights[1]
