import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from labelcore.safe_text import JOINER, one_line, plain, unbroken

NASTY = [
    "**bold**", "_x_", "`code`", "[a](http://b)", "![i](http://b/x.png)", "$x^2$", ":red[x]",
    ":material/home:", ":smile:", "<img src=x onerror=y>", "&lt;b&gt;", "# head", "1. list",
    "- item", "http://evil.example", "www.evil.example", "a@b.example", "~~x~~", "| a | b |",
    "a -> b", "a <- b", "---", "\\*", ":blue-background[x]", ":streamlit:",
]  # fmt: skip


def read(markdown: str) -> str:
    """What a paragraph of Markdown shows; other blocks and marks within it are an error."""
    blocks = MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(markdown)
    assert [one.type for one in blocks] == ["paragraph_open", "inline", "paragraph_close"], markdown
    parts = blocks[1].children or []
    assert {one.type for one in parts} <= {"text", "text_special"}, markdown
    return "".join(one.content for one in parts)


@pytest.mark.parametrize("text", NASTY)
def test_markdown_is_shown_literally(text: str) -> None:
    assert read(plain(text)).replace(JOINER, "") == text
    assert not re.search(r"(?<!\\)(?:\\\\)*(?<!\\)[*`\[\]<>$~|]", plain(text)), text


@pytest.mark.parametrize("text", ["From which score on does score_lr say 'spam (a)'? 0.5!", "3."])
def test_names_of_widgets_are_not_full_of_backslashes(text: str) -> None:
    """Streamlit reads a label as Markdown, and gives it as it is to screen readers."""
    assert plain(text).replace(JOINER, "") == text


def test_what_is_found_after_escaping_is_broken_up() -> None:
    assert JOINER in plain(":smile:") and JOINER in plain("a@b.c") and JOINER in plain("www.a.b")
    assert JOINER in plain("a -> b") and JOINER in plain("a <- b")


@given(st.text(), st.text("_a.1) -+=#:*&;[~", max_size=8))
def test_text_survives(text: str, marks: str) -> None:
    for one in (one_line(text), one_line(marks)):
        if one.strip():
            assert read(plain(one)).replace(JOINER, "") == one.replace(JOINER, "")


@given(st.text(), st.integers(1, 50))
def test_one_line_is_short_and_on_one_line(text: str, limit: int) -> None:
    out = one_line(text, limit)
    assert len(out) <= limit and len(out.splitlines()) <= 1


def test_bidirectional_marks_go() -> None:
    marks = [0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E]
    for mark in map(chr, (*marks, 0x2066, 0x2067, 0x2068, 0x2069)):
        assert one_line(f"a{mark}b") == "ab"


def test_each_is_as_long_as_there_is_room() -> None:
    assert [len(short("x" * 3_000)) for short in (one_line, plain, unbroken)] == [120, 2000, 2000]
