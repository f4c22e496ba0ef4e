from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.items import Folders, Mark, Text, lay_out
from labelcore.items.layout import DIFFERENT, MOST_WORDS, SAME, differences

FOLDERS = Folders(Path("nowhere"))


def marked(left: str, right: str) -> tuple[list[str], list[str]] | None:
    found = differences(left, right)
    if found is None:
        return None
    return (
        [left[mark.start : mark.end] for mark in found[0]],
        [right[mark.start : mark.end] for mark in found[1]],
    )


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a red bike", "a blue bike", (["red"], ["blue"])),
        ("a red bike", "a bike", (["red"], [])),
        ("same\twords", "same  words", ([], [])),
        ("Apple pie", "apple pie", (["Apple"], ["apple"])),
        ("weighs 1.5 kg now", "weighs 1.6 kg now", (["1.5"], ["1.6"])),
        ("yes, it is so.", "yes; it is so!", ([",", "."], [";", "!"])),
        ("one two three four x", "one five six four x", (["two three"], ["five six"])),
        ("東京は晴れ", "京都は晴れ", (["東"], ["都"])),
        ("wholly other words", "nothing alike there", None),
        ("", "text", None),
        ("  ", "  ", None),
    ],
)
def test_words_that_differ_are_marked(
    left: str, right: str, expected: tuple[list[str], list[str]] | None
) -> None:
    assert marked(left, right) == expected


@pytest.mark.parametrize(("shared", "marks"), [(4, True), (3, False)])
def test_more_than_sixty_per_cent_different_is_not_marked(shared: int, marks: bool) -> None:
    same = [f"s{place}" for place in range(shared)]
    left = " ".join([*same, *(f"l{place}" for place in range(10 - shared))])
    right = " ".join([*same, *(f"r{place}" for place in range(10 - shared))])
    assert (differences(left, right) is not None) is marks


TEXTS = st.text(st.sampled_from("ab .,\n1"), max_size=40)


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_the_same_but_for_white_space(left: str, right: str) -> None:
    found = differences(left, right)
    if found is not None:
        kept = []
        for text, marks in ((left, found[0]), (right, found[1])):
            letters = list(text)
            for mark in marks:
                letters[mark.start : mark.end] = [""] * (mark.end - mark.start)
            kept.append("".join("".join(letters).split()))
        assert kept[0] == kept[1]


def test_long_and_repetitive_texts_do_not_hang() -> None:
    random = Random(2)
    words = [random.choice("abc") for _ in range(MOST_WORDS)]
    left, right = " ".join(words), " ".join(random.sample(words, MOST_WORDS))
    differences(left, right)
    assert differences(f"{left} d", f"{left} e") is None


def test_two_texts_are_compared_and_nothing_else() -> None:
    layout = lay_out({"a": "one two three", "b": "one two four"}, FOLDERS)
    (left, right), notes = layout.rows[0], layout.notes
    assert notes == (DIFFERENT,)
    assert left.form == Text("one two three", (Mark(8, 13, "differs"),))
    assert right.form == Text("one two four", (Mark(8, 12, "differs"),))
    assert lay_out({"a": "x", "b": "x"}, FOLDERS).notes == (SAME,)
    for content in ({"a": "x y"}, {"a": "x y", "b": "x y", "c": "x z"}, {"a": "x", "b": '{"a":1}'}):
        layout = lay_out(content, FOLDERS)
        assert layout.notes == ()
        assert all(
            not part.form.marks
            for row in layout.rows
            for part in row
            if isinstance(part.form, Text)
        )
