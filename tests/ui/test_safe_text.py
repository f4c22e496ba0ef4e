from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.ui.safe_text import JOINER, one_line, plain

NASTY = [
    "**bold**", "_x_", "`code`", "[a](http://b)", "![i](http://b/x.png)", "$x^2$", ":red[x]",
    ":material/home:", ":smile:", "<img src=x onerror=y>", "&lt;b&gt;", "# head", "1. list",
    "- item", "http://evil.example", "www.evil.example", "a@b.example", "~~x~~", "| a | b |",
    "a -> b", "a <- b", "---", "\\*", ":blue-background[x]", ":streamlit:",
]  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
def test_nothing_is_left_unescaped(text: str) -> None:
    out = plain(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*(?<!\\)[*_`\[\]<>$&#:~|]", out), out


def test_what_is_found_after_escaping_is_broken_up() -> None:
    assert JOINER in plain(":smile:") and JOINER in plain("a@b.c") and JOINER in plain("www.a.b")
    assert JOINER in plain("a -> b") and JOINER in plain("a <- b")


@given(st.text())
def test_text_survives(text: str) -> None:
    out = re.sub(r"\\(.)", r"\1", plain(text)).replace(JOINER, "")
    assert out == one_line(text, 2000).replace(JOINER, "")


@given(st.text(), st.integers(1, 50))
def test_one_line_is_short_and_on_one_line(text: str, limit: int) -> None:
    out = one_line(text, limit)
    assert len(out) <= limit and len(out.splitlines()) <= 1


def test_bidirectional_marks_go() -> None:
    assert one_line("a\N{RIGHT-TO-LEFT OVERRIDE}b") == "ab"
