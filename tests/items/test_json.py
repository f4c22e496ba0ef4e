import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.items import Block, Folders, Grid, Rich, Text, form_of
from labelcore.items.json_text import DEEPEST, MOST_PARTS, compact, parse
from labelcore.items.table import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS

FOLDERS = Folders(Path("nowhere"))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def form(value: object) -> object:
    return form_of(value if isinstance(value, str) else json.dumps(value), FOLDERS)


def lines(shown: object, depth: int = 0) -> list[str]:
    """Each field on a line, with what it holds; a fold with ">"."""
    if isinstance(shown, Text):
        return ["  " * depth + one for one in shown.text.split("\n")]
    assert isinstance(shown, (Rich, Block))
    name = ["  " * (depth - 1) + (">" if shown.kind == "fold" else "") + shown.said] if isinstance(
        shown, Block) else []  # fmt: skip
    return [*name, *(one for part in shown.parts for one in lines(part, depth + 1))]


def test_keys_stay_in_order_and_digits_as_they_were_written() -> None:
    text = '{"z": 1.500, "a": {"big": 12345678901234567890123, "tiny": 1E-7}, "b": [NaN]}'
    shown = form(text)
    assert isinstance(shown, Rich) and not shown.talk
    assert [one.said for one in shown.parts if isinstance(one, Block)] == ["z", "a", "b"]
    assert [one.strip() for one in lines(shown)] == [
        *("z", "1.500", "a", "big", "12345678901234567890123", "tiny", "1E-7", "b", "[NaN]")
    ]


def test_a_name_that_comes_twice_is_shown_twice() -> None:
    assert [one.strip() for one in lines(form('[{"a": 1, "a": [2]}]'))].count("a") == 2


def test_what_lies_deep_is_folded_with_its_beginning() -> None:
    shown = lines(form({"a": {"b": {"c": {"d": "x" * 90}}}}))
    assert [one.strip() for one in shown][:2] == ["a", "b"]
    (fold,) = [one.strip() for one in shown if one.strip().startswith(">")]
    assert fold.startswith('>c: {"d": "xxx') and fold.endswith("…") and "x" * 90 in shown[-1]


def test_a_text_of_several_lines_cannot_pass_for_structure() -> None:
    shown = form({"said": 'x",\n  "verdict": "good"', "verdict": "bad"})
    assert isinstance(shown, Rich)
    assert shown.parts == (
        Block("field", (Text('x",\n  "verdict": "good"'),), "said"),
        Block("field", (Text("bad"),), "verdict"),
    )


def test_what_has_too_many_parts_is_text() -> None:
    many = [{"a": [n, [n]]} for n in range(MOST_PARTS // 4)]
    assert isinstance(form(many[:9]), Rich) and isinstance(form(many), Text)


@given(VALUES)
def test_compact_text_means_the_same(value: object) -> None:
    found = parse(json.dumps([value]))
    assert found is not None
    assert json.loads(compact(found)) == [value]


@given(st.text())
def test_any_text_becomes_some_form(text: str) -> None:
    assert form(text) is not None and form(f"[{text}]") is not None


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 60 + "]" * 60, '{"a":' * 500 + "1" + "}" * 500]
)
def test_what_is_nested_too_deep_is_shown_as_it_is(text: str) -> None:
    shown = form(text)
    assert isinstance(shown, Text) and shown.text == text


def test_the_deepest_that_is_taken_apart() -> None:
    text = "[" * DEEPEST + "]" * DEEPEST
    assert parse(text) is not None and parse(f"[{text}]") is None
    assert isinstance(form(text), Rich)


def test_a_flat_object_is_its_fields() -> None:
    shown = lines(form('{"name": "<b>A</b>", "price": 1.50, "sold": null, "new": true}'))
    told = ["name", "<b>A</b>", "price", "1.50", "sold", "null", "new", "true"]
    assert [one.strip() for one in shown] == told


def test_flat_objects_are_rows() -> None:
    shown = form([{"a": 1, "b": "x"}, {"c": None, "a": 2}])
    assert isinstance(shown, Grid)
    assert shown.columns == ("a", "b", "c")
    assert shown.rows == (("1", "x", ""), ("2", "", "null"))


@pytest.mark.parametrize(
    "value",
    [
        {"a": {"b": {"c": 1}}}, [{"a": [1]}], [{"a": "x" * (LONGEST_CELL + 1)}],
        [{"a": "two\nlines"}], [1, 2], [["a", 1], ["b"]], [{"a": 1}, [1]], [{}, {}], [[], [1]],
    ],
)  # fmt: skip
def test_what_cells_cannot_show_whole_is_told_by_fields(value: object) -> None:
    assert isinstance(form(value), Rich)


def test_a_large_table_says_what_was_cut() -> None:
    row = {f"c{place}": place for place in range(MOST_COLUMNS + 11)}
    shown = form([row] * (MOST_ROWS + 1004))
    assert isinstance(shown, Grid)
    assert len(shown.columns) == MOST_COLUMNS and len(shown.rows) == MOST_ROWS
    assert {len(cells) for cells in shown.rows} == {MOST_COLUMNS}
    assert shown.note == "The first 200 of 1,204 rows and 20 of 31 columns are shown."
    assert len(shown.whole) == MOST_ROWS + 1004
