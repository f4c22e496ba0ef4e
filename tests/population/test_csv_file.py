"""CSV in, the same text out, by row and by column."""

import csv
import io
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.population import csv_file as module
from labelcore.population import read_population
from labelcore.population.csv_file import CsvFile, is_plain
from labelcore.population.dialect import PLAIN
from tests.cases import searched

tricky = st.text(st.sampled_from('ab",\n\r \té'), max_size=8)


def written(rows: list[list[str]], **dialect: object) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, **dialect).writerows(rows)  # type: ignore[arg-type]
    return buffer.getvalue().encode()


@searched(400)
@given(body=st.lists(st.tuples(tricky, tricky), max_size=6))
def test_columns_are_those_of_the_csv_module(body: list[tuple[str, str]]) -> None:
    """Raw text with stray quotes: refused, or both readers see the same cells."""
    data = "a,b\n" + "".join(f"{first},{second}\n" for first, second in body)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_bytes(data.encode())
        table = CsvFile(path)
        columns = table.load(["a", "b"])
        if table.faults():
            return
        expected = [row for row in csv.reader(io.StringIO(data, newline=""), strict=True) if row]
    assert columns["a"].to_pylist() == [row[0] for row in expected[1:]]
    assert columns["b"].to_pylist() == [row[1] for row in expected[1:]]


@pytest.mark.parametrize(
    ("data", "cells"),
    [
        ("text\na\nb\n", ["a", "b"]),
        ("text\na\nb", ["a", "b"]),
        ("text\r\na\r\nb\r\n", ["a", "b"]),
        ("text\r\na\nb\r\n", ["a", "b"]),
        ("\n\ntext\n\na\n\r\n\nb\n\n", ["a", "b"]),
        ('text\n"a ""b"" c"\n', ['a "b" c']),
        ('text\n"line 1\r\nline 2\n"\n', ["line 1\r\nline 2\n"]),
        ('text\n5" pipe\nb\n', ['5" pipe', "b"]),
        ('text\na"b"c\n" x"\n', ['a"b"c', " x"]),
        ('text\n""\nb\n', ["", "b"]),
        ("text\n  a \n", ["  a "]),
        ("text\nnan\nnull\nn/a\nNA\nNaN\nNone\n", ["nan", "null", "n/a", "NA", "NaN", "None"]),
        ("text\n日本語 🎉 \u2028\n", ["日本語 🎉 \u2028"]),
        ("\ufefftext\na\n", ["a"]),
        (f"text\n{'x' * 200_000}\n", ["x" * 200_000]),
    ],
)
def test_one_column(csv_file: Callable[..., Path], data: str, cells: list[str]) -> None:
    path = csv_file(data)
    population = read_population(path, content="text")
    assert [population.content(str(row + 1))["text"] for row in range(len(population))] == cells
    assert population.column("text") == cells
    some_at_a_time = [batch["text"].to_pylist() for batch in CsvFile(path).batches(["text"])]
    assert [*chain(*some_at_a_time)] == cells


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        ('a,b\n"x, ""y""\n",z\r\n"",', True),
        ('a,b\n"x"y,z\n', False),
        ('a,b\n"x" ,z\n', False),
        ('a,b\n5" pipe,z\n', False),
        ('a,b\nx"y",z\n', False),
        ('a,b\nx,"z', False),
        ('a,b\nx,"""', False),
        ("a,b\nx,y\rz,z\n", False),
        ("a,b\nx,y\r", False),
        ("a,b\nx,\0\n", False),
        ('\ufeff"a",b\n', True),
    ],
)
def test_what_is_read_by_a_library_can_be_read_in_one_way_only(
    csv_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, data: str, plain: bool
) -> None:
    """Wherever the blocks end that are looked at."""
    path = csv_file(data)
    for at_once in (1, 2, 3, 1 << 20):
        monkeypatch.setattr(module, "BLOCK_BYTES", at_once)
        assert is_plain(path, PLAIN) == plain


def test_records_longer_than_a_block_and_empty_ones(csv_file: Callable[..., Path]) -> None:
    long = 'x"\n' * 400_000
    path = csv_file(written([["id", "text"], ["1", "a"], ["2", long], ["3", ""]]))
    population = read_population(path, id="id", content="text")
    assert population.content("2")["text"] == long
    assert population.content("3")["text"] == ""


def test_the_unpacked_copy_goes_with_the_object(csv_file: Callable[..., Path]) -> None:
    table = CsvFile(csv_file("text\na\n", "items.csv.gz"))
    unpacked = table.text.path
    assert unpacked.exists()
    del table
    assert not unpacked.exists()


def test_content_from_several_threads(csv_file: Callable[..., Path]) -> None:
    rows = [[str(n), f'text "{n}"\n{n}'] for n in range(500)]
    path = csv_file(written([["id", "text"], *rows]))
    population = read_population(path, id="id", content="text")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: population.content(row[0])["text"], rows * 4))
    assert found == [text for _, text in rows * 4]


def test_lines_count_as_an_editor_does(csv_file: Callable[..., Path]) -> None:
    table = CsvFile(csv_file('a,b\n1,"x\ny\nz"\n\n2,b\n3,c\n'))
    assert table.lines(np.array([2, 0, 1])) == [7, 2, 6]


def test_a_plain_file_takes_no_exact_pass(
    csv_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "columns_of", lambda rows: pytest.fail("an exact pass"))
    path = csv_file('id,text\n1,"a\nb"\n2,"c, ""d"""\n')
    assert len(read_population(path, id="id", content="text")) == 2
