"""Ids, positions, columns: what goes in comes out."""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.population import Population, ids, read_population
from labelcore.population.ids import RowNumbers, TextIds

Read = Callable[..., Population]


def test_the_example_of_the_interface(read: Read) -> None:
    population = read(
        "id,text,lr_score,lr_pred\n007,hello,0.7,0\nx y,nan,0.2,1\n", id="id", content=["text"],
        scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"},
    )  # fmt: skip
    assert len(population) == 2
    assert population.name == "items.csv"
    assert population.ids() == ["007", "x y"]
    assert [population.id_at(0), population.id_at(1)] == ["007", "x y"]
    assert population.position("x y") == 1
    assert population.predictions["lr"].tolist() == [0, 1]
    assert population.content("x y") == {"text": "nan"}
    assert population.content_columns == ("text",)
    assert "2 items" in repr(population)


def test_row_numbers_are_ids(read: Read) -> None:
    population = read("text\na\nb\nc\n")
    assert population.ids() == ["1", "2", "3"]
    assert population.id_at(2) == "3"
    assert population.content("3") == {"text": "c"}
    for wrong in ("0", "4", "01", "+1", " 1", "1.0", "", "x", "²", "9" * 5000):
        with pytest.raises(ValueError, match=r"items\.csv has no item with the id"):
            population.position(wrong)


def test_unknown_ids_and_positions(read: Read) -> None:
    population = read("id,text\na,x\n", id="id")
    with pytest.raises(ValueError, match="no item with the id 'b'"):
        population.content("b")
    with pytest.raises(TypeError, match="item_id must be text, got int"):
        population.position(1)  # type: ignore[arg-type]
    for wrong in (-1, 1):
        with pytest.raises(ValueError, match="position must be 0 to 0"):
            population.id_at(wrong)


def test_columns_and_metadata(read: Read) -> None:
    data = "id,text,truth\n1,a,1\n2,b,\n"
    population = read(data, id="id", content=["id", "text"], metadata=["truth", "id"])
    assert population.content("2") == {"id": "2", "text": "b"}
    assert population.metadata("1") == {"truth": "1", "id": "1"}
    assert population.column("truth") == ["1", ""]
    assert read(data).metadata("1") == {}
    with pytest.raises(ValueError, match="no column 'x'; its columns are 'id', 'text', 'truth'"):
        population.column("x")


def test_arrays_are_read_only(read: Read) -> None:
    population = read(
        "text,s,p\na,1,1\n",
        scores={"A": "s", "B": "s"},
        predictions={"A": "p"},
        thresholds={"B": 0.5},
    )
    arrays: list[Any] = [*population.scores.values(), *population.predictions.values()]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


SCORES = ["0.1", "-3", "1e-300", "+2.5", ".5", "5.", "0.30000000000000004", "12345678901234567890"]


def test_scores_are_the_nearest_floats(read: Read) -> None:
    for scores in (SCORES, [*SCORES, " 1 "]):  # spaces make it read value by value
        data = "text,s\n" + "".join(f"x,{score}\n" for score in scores)
        population = read(data, scores={"lr": "s"})
        assert population.scores["lr"].tolist() == [float(score) for score in scores]
    assert population.scores["lr"].dtype == np.float64


@given(
    names=st.lists(st.text(max_size=5), unique=True, min_size=1, max_size=30),
    pieces=st.integers(1, 4),
)
def test_text_ids_find_every_id(names: list[str], pieces: int) -> None:
    size = -(-len(names) // pieces)
    chunks = [names[start : start + size] for start in range(0, len(names), size)]
    found = TextIds(pa.chunked_array(chunks, pa.string()))
    assert found.all() == names
    assert [found.find(name) for name in names] == list(range(len(names)))
    assert [found.at(position) for position in range(len(names))] == names
    assert found.find("no such id") is None
    assert found.repeats() == {}


def test_ids_of_equal_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_hash", lambda text: np.uint64(0))
    monkeypatch.setattr(ids, "_hashes", lambda texts: np.zeros(len(texts.offsets) - 1, np.uint64))
    found = TextIds(pa.chunked_array([["a", "b", "a"], ["c"]]))
    assert found.find("c") == 3
    assert found.find("d") is None
    assert found.repeats() == {2: 0}


class Counted:
    """An array that counts how many of its numbers are read."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.read = array, 0

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, place: int) -> Any:
        self.read += np.size(self.array[place])
        return self.array[place]


@pytest.mark.parametrize("number", [1_000, 100_000])
def test_an_id_is_found_by_a_look_at_a_few(number: int) -> None:
    names = pa.chunked_array([[f"item {place}" for place in range(number)]])
    _, hashes, order = TextIds(names).kept
    counted: Any = Counted(hashes), Counted(order)
    found = TextIds(names, counted)
    for place in (0, number // 2, number - 1):
        assert found.find(f"item {place}") == place
    assert found.find("no item") is None
    assert max(one.read for one in counted) <= 4 * (2 + number.bit_length())


def test_row_numbers() -> None:
    numbers = RowNumbers(12)
    assert len(numbers) == 12
    assert [numbers.find(name) for name in numbers.all()] == list(range(12))


def test_a_population_of_many_rows() -> None:
    """Offsets over several blocks and chunks agree with the columns."""
    generator = random.Random(5)
    words = ["a", "b,c", "d\n", "“", '""']
    texts = [generator.choice(words) * generator.randrange(150) for _ in range(60_000)]
    rows = [f'k{n},"{text}{n}",{n}\n' for n, text in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_text("id,text,s\n" + "".join(rows), encoding="utf-8", newline="")
        assert path.stat().st_size > 2**23
        population = read_population(path, id="id", content="text", scores={"lr": "s"})
        assert population.scores["lr"].tolist() == list(range(60_000))
        for n in generator.sample(range(60_000), 300):
            assert population.content(f"k{n}")["text"] == f"{texts[n]}{n}".replace('""', '"')
