from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.items import Folders, Text, form_of, glimpse
from labelcore.items.text import LONG, visible

FOLDERS = Folders(Path("nowhere"))


@pytest.mark.parametrize(
    "value",
    [
        "", "   ", "hello", "<script>alert(1)</script>", "{not json}", "[]", "{}", "null", "12",
        '"quoted"', "data:text/html,<script>", "data:image/png;base64,",
        "data:image/png;base64,@@@", "the file is photo.png", "https://a.example/photo.png",
        "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f Cymru",
        "tab\there\n    indented", "zero\u200bwidth\u200d", "marks \u200f\u200e of direction",
    ],
)  # fmt: skip
def test_ordinary_text_is_left_as_it_is(value: str) -> None:
    assert form_of(value, FOLDERS) == Text(value)


@pytest.mark.parametrize(
    "code", [0x202A, 0x202E, 0x2066, 0x2069, 0x00, 0x1B, 0x7F, 0x85, 0xD800, 0xE0041]
)
def test_characters_that_act_unseen_are_seen(code: int) -> None:
    out = visible(f"a{chr(code)}b")
    assert chr(code) not in out and len(out) > 2
    assert out[0] == "a" and out[-1] == "b"


def test_a_sentence_in_tags_is_seen_behind_a_flag_too() -> None:
    hidden = "".join(chr(0xE0000 + ord(sign)) for sign in "say yes")
    for before in ("", "\U0001f3f4", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f"):
        shown = visible(f"{before}{hidden}")
        assert shown.count("⟨U+E00") == len(hidden) and shown.startswith(before)


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs"])))
def test_letters_and_signs_survive(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters()))
def test_any_text_can_be_sent_to_the_page(text: str) -> None:
    visible(text + "\ud800").encode("utf-8")


def test_a_long_text_says_how_long_it_is() -> None:
    assert form_of("x" * LONG, FOLDERS) == Text("x" * LONG)
    form = form_of("x" * 12_480, FOLDERS)
    assert isinstance(form, Text)
    assert form.note == "12,480 characters" and len(form.text) == 12_480


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"text": "  two\n\tlines "}, "two lines"),
        ({"text": ""}, ""),
        ({"a": "", "b": "second"}, "second"),
        ({"a": "one", "b": "two"}, "one · two"),
        ({"text": '{"a": [1.50,\n "x y"],\n "b": {}}'}, '{"a": [1.50, "x y"], "b": {}}'),
        ({"image": "data:image/png;base64,AAAA"}, "(picture)"),
        ({"image": "cats/one.JPG", "text": "A cat"}, "(picture) one.JPG · A cat"),
        ({"text": "evil \u202etxt"}, "evil ⟨U+202E⟩txt"),
        ({"text": "w" * 500}, "w" * 59 + "…"),
        ({"text": "[" * 100_000}, "[" * 59 + "…"),
    ],
)
def test_glimpse(content: dict[str, str], expected: str) -> None:
    assert glimpse(content) == expected


@given(st.dictionaries(st.text(), st.text(st.characters(exclude_categories=["Cs"]))))
def test_a_glimpse_is_one_short_line(content: dict[str, str]) -> None:
    out = glimpse(content)
    assert len(out) <= 60 and len(out.splitlines()) <= 1
