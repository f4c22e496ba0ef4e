"""Ids of several columns: two rows have the same only if all of their parts are."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import PopulationError
from labelcore.population import id_parts

SIGNS = st.text(alphabet="ab|\\ é", min_size=1, max_size=4)


def read(rows: list[dict[str, object]], **given: object) -> lc.Population:
    arguments: dict[str, object] = {"id": ["left", "right"], "content": "text", **given}
    return lc.read_population(rows, **arguments)  # type: ignore[arg-type]


@given(st.lists(st.tuples(SIGNS, SIGNS), min_size=1, max_size=20, unique=True))
def test_parts_come_back_and_differing_rows_have_differing_ids(
    pairs: list[tuple[str, str]],
) -> None:
    population = read([{"left": a, "right": b, "text": "x"} for a, b in pairs])
    ids = [population.id_at(place) for place in range(len(pairs))]
    assert len(set(ids)) == len(pairs)
    assert [tuple(id_parts(one)) for one in ids] == pairs
    assert [population.position(one) for one in ids] == list(range(len(pairs)))


def test_a_pair_may_repeat_one_of_its_parts_and_not_both() -> None:
    rows: list[dict[str, object]] = [
        {"left": "1", "right": "7", "text": "a"},
        {"left": "1", "right": "8", "text": "b"},
        {"left": "1", "right": "7", "text": "c"},
        {"left": "", "right": "7", "text": "d"},
        {"left": "", "right": "7", "text": "e"},
    ]
    with pytest.raises(PopulationError) as caught:
        read(rows)
    said = [(one.column, one.row, one.value, one.rule) for one in caught.value.faults]
    assert said == [
        ("left, right", 3, "1|7", "an id must be unique, and row 1 has the same"),
        ("left", 4, "", "an id must not be empty"),
        ("left", 5, "", "an id must not be empty"),
    ]


def test_what_is_no_list_of_columns_is_refused() -> None:
    rows: list[dict[str, object]] = [{"left": "1", "right": "7", "text": "a"}]
    with pytest.raises(ValueError, match="id must name at least one column"):
        read(rows, id=[])
    with pytest.raises(PopulationError, match="id must name a column once, got 'left' again"):
        read(rows, id=["left", "left"])
    with pytest.raises(PopulationError, match="no column called 'middle'|'middle'"):
        read(rows, id=["left", "middle"])
    assert read(rows, id=["left"]).id_at(0) == "1", "a list of one is this column"


def test_labels_give_the_parts_back_and_the_project_opens_again(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "left": [n // 10 for n in range(100)],
            "right": [n % 10 for n in range(100)],
            "status": "x",
            "text": [f"pair {n}" for n in range(100)],
            "score": [n / 99 for n in range(100)],
        }
    )
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    code = main(
        ["import", str(tmp_path / "pairs.csv"), "--id", "left", "--id", "right", "--id", "status",
         "--content", "text", "--score", "m=score", "--threshold", "m=0.5", "--budget", "40",
         "--store", store, "--project", "pairs"]
    )  # fmt: skip
    assert code == 0
    session = lc.Session.open(store, "pairs")
    for draw in session.take(5, "ann"):
        session.answer(draw, "yes")
    table = lc.Session.open(store, "pairs").labels_table(content=True)
    assert (
        table["text"]
        == "pair " + (10 * table["left"].astype(int) + table["right"].astype(int)).astype(str)
    ).all()
    assert table["status"].tolist() == ["labelled"] * 5
    assert table["id_status"].tolist() == ["x"] * 5, "a name that is taken is told apart"
    assert table["id"].str.split("|").str.len().tolist() == [3] * 5
