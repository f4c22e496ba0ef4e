"""Names from files are shown letter by letter, whatever they hold."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.charts.plotted import letters
from labelcore.safe_text import shortened

ACTIVE = set("<>${}*_`[]\\")


@given(st.text(max_size=60))
def test_an_escaped_name_has_no_markup_and_reads_as_the_shortened_name(name: str) -> None:
    escaped = letters(shortened(name))
    assert not ACTIVE & set(escaped)
    assert html.unescape(escaped) == shortened(name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("lr", "lr"),
        ("&lt;b&gt;", "&lt;b&gt;"),
        ("a\r\n\tb", "a b"),
        ("", ""),
        ("x" * 100, "x" * 39 + "…"),
        (7, "7"),
    ],
)
def test_names_are_one_short_line(name: object, shown: str) -> None:
    assert shortened(name) == shown
    assert html.unescape(letters(shortened(name))) == shown


def test_every_escaped_sign_is_a_numeric_entity() -> None:
    assert letters("<$%") == "&#60;&#36;%"
