import json
from pathlib import Path

import pytest

from labelcore.items import (
    Folders,
    Highlights,
    Mark,
    Rich,
    Text,
    highlights_of,
    lay_out,
    usable_highlights,
)
from labelcore.items.highlight import LONGEST_SEARCHED, MOST_MARKS, find
from labelcore.items.layout import texts_of

FOLDERS = Folders(Path("nowhere"))


def found(text: str, words: tuple[str, ...] = (), patterns: tuple[str, ...] = ()) -> list[str]:
    marks = find(text, Highlights(words, patterns)).marks
    return [text[mark.start : mark.end] for mark in marks]


def test_words_are_whole_and_of_either_case() -> None:
    assert found("Free money, FREE! carefree freedom", ("free",)) == ["Free", "FREE"]
    assert found("credit\n card", ("credit card",)) == ["credit\n card"]
    assert found("a new york city", ("new", "new york")) == ["new york"]
    assert found("ÄPFEL äpfel", ("Äpfel",)) == ["ÄPFEL", "äpfel"]
    assert found("C++ and (x)", ("c++", "(x)")) == ["C++", "(x)"]


def test_patterns_are_searched_in_either_case() -> None:
    assert found("AB12 ab34 x", (), (r"[a-z]{2}\d+",)) == ["AB12", "ab34"]
    assert found("text", (), ("x*",)) == ["x"]


@pytest.mark.parametrize("settings", [{}, {"highlight": None}, {"highlight": {}}])
def test_nothing_is_marked_unless_asked_for(settings: dict[str, object]) -> None:
    assert highlights_of(settings) is None


def test_the_setting() -> None:
    assert highlights_of({"highlight": {"words": [" ", ""], "patterns": []}}) is None
    wanted = {"words": [" free ", "free", "win"], "patterns": [r"\d+"]}
    assert highlights_of({"highlight": wanted}) == Highlights(("free", "win"), (r"\d+",))


@pytest.mark.parametrize(
    ("words", "patterns", "message"),
    [
        ((), ("[a",), r"the pattern '\[a' cannot be read: "),
        ((), ("a**",), r"the pattern 'a\*\*' cannot be read: "),
        ((), ("(?<x",), "cannot be read"),
        ((), ("a{1000000000}",), "repeats a part too often.* at most 1,000"),
        ((), ("((a{99}){99}){99}",), "repeats a part too often"),
        ((), ("x" * 201,), "a pattern to mark may have at most 200 characters, got 201"),
        (("x" * 101,), (), "a word to mark may have at most 100 characters, got 101"),
        (("a",) * 201, (), "at most 200 words can be marked, got 201"),
        ((), ("a",) * 21, "at most 20 patterns can be marked, got 21"),
        (("",), (), "a word to mark must not be blank, got ''"),
    ],
)
def test_what_cannot_be_marked_says_why(
    words: tuple[str, ...], patterns: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Highlights(words, patterns)


@pytest.mark.parametrize("setting", ["money", {"words": "money"}, {"words": [3]}])
def test_a_setting_of_another_type_says_so(setting: object) -> None:
    with pytest.raises(TypeError, match="must"):
        highlights_of({"highlight": setting})


@pytest.mark.parametrize("slow", [r"(?=(x+)+y)", r"(x+x+)+y", r"(?:.*?,){30}z", "(?R)"])
def test_a_pattern_that_takes_too_long_is_left_out_and_named(slow: str) -> None:
    """Left alone it would not end in a person's life."""
    seen = find("x" * 30_000 + ",x" * 10_000, Highlights((), ("q", slow)))
    assert seen.marks == ()
    assert seen.note == f"The pattern {slow!r} takes too long on this item and is left out."


def test_marks_stop_where_the_search_does() -> None:
    text = "x " * LONGEST_SEARCHED
    seen = find(text, Highlights(("x",)))
    assert len(seen.marks) == MOST_MARKS and max(seen.marks).end <= LONGEST_SEARCHED
    assert seen.note == (
        "Words are marked in the first 50,000 characters only. "
        "Only 2,000 of 25,000 places are marked."
    )


def test_differences_and_highlights_stand_together_and_tables_become_fields() -> None:
    both = lay_out({"a": "win a car", "b": "win a bike"}, FOLDERS, Highlights(("car",)))
    form = both.rows[0][0].form
    assert isinstance(form, Text)
    assert form.marks == (Mark(6, 9, "differs"), Mark(6, 9, "word"))
    table = lay_out({"a": '{"prize": "car"}'}, FOLDERS, Highlights(("car",))).rows[0][0].form
    assert isinstance(table, Rich)
    assert [marked(one) for one in texts_of(table)] == [["car"]]


def marked(text: Text) -> list[str]:
    return [text.text[mark.start : mark.end] for mark in text.marks]


def test_marks_lie_in_the_part_whose_words_they_are() -> None:
    said = [{"role": "user", "content": "a **car** and a car"}, {"role": "user", "content": "cars"}]
    marking = Highlights(("car",), ("c.r",))
    talk = lay_out({"a": json.dumps(said)}, FOLDERS, marking).rows[0][0].form
    assert isinstance(talk, Rich)
    found = {one.text: marked(one) for one in texts_of(talk)}
    assert found == {"a ": [], "car": ["car"] * 2, " and a car": ["car"] * 2, "cars": ["car"]}


def test_what_cannot_be_marked_is_left_out_and_said() -> None:
    long = "x" * 101
    kept = usable_highlights({"highlight": {"words": ["free", long], "patterns": ["(", "[0-9]+"]}})
    assert kept is not None and (kept.words, kept.patterns) == (("free",), ("[0-9]+",))
    shown = find("free 12", kept)
    assert len(shown.marks) == 2
    assert "Not marked: a word to mark may have at most 100 characters, got 101" in shown.note
    assert "the pattern '(' cannot be read" in shown.note
    many = usable_highlights({"highlight": {"words": [f"w{n}" for n in range(201)]}})
    assert many is not None and len(many.words) == 200 and "got 201" in many.left_out[0]
    other = usable_highlights({"highlight": "free"})
    assert other is not None and not other.words and "must hold words" in other.left_out[0]


def test_what_can_be_used_is_shown_as_it_was_asked_for() -> None:
    wanted = {"highlight": {"words": ["free"], "patterns": [r"[0-9]+"]}}
    assert usable_highlights(wanted) == highlights_of(wanted) and usable_highlights({}) is None
