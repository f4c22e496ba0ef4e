"""Repeated contents: how many, and the first of them."""

import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.population import FORMATS, Population, duplicates, read_population
from labelcore.population.duplicates import Duplicates, find_duplicates
from tests.cases import searched
from tests.population.test_formats import ITEMS, write

Read = Callable[..., Population]


@pytest.mark.parametrize(
    ("data", "count", "examples"),
    [
        ("text\na\nb\n", 0, ()),
        ("text\na\nb\na\na\nb\n", 3, ((3, 1), (4, 1), (5, 2))),
        ('text\n""\n""\n', 1, ((2, 1),)),
    ],
)
def test_counts(read: Read, data: str, count: int, examples: tuple[tuple[int, int], ...]) -> None:
    assert read(data).duplicate_contents() == Duplicates(count, examples)


def test_columns_together(read: Read) -> None:
    population = read("text,more\na,b\nab,\na,c\na,b\n", content=["text", "more"])
    assert population.duplicate_contents() == Duplicates(1, ((4, 1),))
    assert population.duplicate_contents(["text"]).count == 2
    with pytest.raises(ValueError, match=r"items\.csv has no column 'x'"):
        population.duplicate_contents(["x"])


@searched(50)
@given(texts=st.lists(st.text("ab\n", max_size=2), min_size=1, max_size=30))
def test_agrees_with_a_dictionary(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    first: dict[str, int] = {}
    expected = [
        (row, first[text]) for row, text in enumerate(texts, 1) if first.setdefault(text, row) < row
    ]
    path = tmp_path_factory.mktemp("duplicates") / "items.csv"
    path.write_text("text\n" + "".join(f'"{text}"\n' for text in texts), "utf-8")
    wanted = Duplicates(len(expected), tuple(expected[: duplicates.MOST_SHOWN]))
    assert read_population(path, content="text").duplicate_contents() == wanted
    column = pa.chunked_array([pa.array(texts, pa.string())])
    batches = ({"text": column.slice(start, 4)} for start in range(0, len(texts), 4))
    assert find_duplicates(batches) == wanted


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format(tmp_path: Path, suffix: str) -> None:
    items = ITEMS.iloc[[0, 1, 0, 1]]
    path = tmp_path / f"items{suffix}"
    write(items, path)
    population = read_population(path, content=["text", "score"])
    assert population.duplicate_contents() == Duplicates(2, ((3, 1), (4, 2)))


def test_many_rows(read: Read) -> None:
    generator = random.Random(3)
    numbers = [generator.randrange(50_000) for _ in range(100_000)]
    found = read("text\n" + "".join(f"{number}\n" for number in numbers)).duplicate_contents()
    assert found.count == len(numbers) - len(set(numbers))
