"""Parquet: every type of column as text or numbers, rows from any row group."""

import datetime
import decimal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from labelcore.errors import PopulationError
from labelcore.population import read_population

Write = Callable[..., Path]

AS_TEXT: list[tuple[Any, list[str]]] = [
    (pa.array(["a", None, "nan", ""]), ["a", "", "nan", ""]),
    (pa.array(["a", "b", "a", None]).dictionary_encode(), ["a", "b", "a", ""]),
    (pa.array(["a", "b", "c", "d"], pa.large_string()), ["a", "b", "c", "d"]),
    (pa.array([1, 2**62 + 1, -3, None]), ["1", str(2**62 + 1), "-3", ""]),
    (pa.array([2**64 - 1, 0, 1, 2], pa.uint64()), [str(2**64 - 1), "0", "1", "2"]),
    (pa.array([1.0, 0.1, None, float("nan")]), ["1", "0.1", "", ""]),
    (pa.array([True, False, None, True]), ["True", "False", "", "True"]),
    (pa.array([datetime.date(2024, 2, 29)] * 4), ["2024-02-29"] * 4),
    (pa.array([decimal.Decimal("1.50")] * 4), ["1.50"] * 4),
    (pa.array([["x", "y"], [], None, ["z"]]), ['["x", "y"]', "[]", "", '["z"]']),
    (pa.array([b"ab", b"\xff", None, b""]), ["ab", "b'\\xff'", "", ""]),
    (pa.nulls(4), ["", "", "", ""]),
]


@pytest.mark.parametrize(("column", "texts"), AS_TEXT, ids=lambda case: str(case)[:20])
def test_content_and_columns_as_text(parquet_file: Write, column: Any, texts: list[str]) -> None:
    population = read_population(parquet_file({"text": column}), content="text", metadata="text")
    assert population.column("text") == texts
    assert [population.content(str(n))["text"] for n in range(1, 5)] == texts
    assert population.metadata("1") == {"text": texts[0]}


@pytest.mark.parametrize(
    ("column", "ids"),
    [
        (pa.array([7, 2**53 + 1]), ["7", str(2**53 + 1)]),
        (pa.array([7.0, 8.0]), ["7", "8"]),
        (pa.array(["007", "7"]), ["007", "7"]),
        (pa.array(["b", "a"]).dictionary_encode(), ["b", "a"]),
    ],
)
def test_ids(parquet_file: Write, column: pa.Array, ids: list[str]) -> None:
    path = parquet_file({"id": column, "text": ["x", "y"]})
    population = read_population(path, id="id", content="text")
    assert population.ids() == ids
    assert population.content(ids[1]) == {"text": "y"}


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 0], pa.int8()),
        pa.array([1, 0], pa.uint64()),
        pa.array(np.array([1.0, 0.0], np.float16)),
        pa.array([1.0, 0.0], pa.float32()),
        pa.array([decimal.Decimal("1.0"), decimal.Decimal("0.0")]),
        pa.array([True, False]),
        pa.array(["1.0", "0"]),
        pa.array([1.0, 0.0]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_scores_of_any_numeric_type(parquet_file: Write, column: pa.Array) -> None:
    path = parquet_file({"text": ["x", "y"], "s": column})
    population = read_population(path, content="text", scores={"lr": "s"})
    assert population.scores["lr"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "column", [pa.array([1, 0]), pa.array([1.0, 0.0]), pa.array([True, False])]
)
def test_predictions_of_zero_and_one(parquet_file: Write, column: pa.Array) -> None:
    path = parquet_file({"text": ["x", "y"], "p": column})
    population = read_population(path, content="text", predictions={"lr": "p"})
    assert population.classes == ("no", "yes")
    assert population.predictions["lr"].tolist() == [1, 0]


def test_missing_values_are_faults(parquet_file: Write) -> None:
    columns = {"id": [1, None], "text": ["x", "y"], "s": [None, 0.5], "p": [None, "yes"]}
    with pytest.raises(PopulationError) as caught:
        read_population(
            parquet_file(columns), id="id", content="text", scores={"a": "s"},
            predictions={"b": "p"},
        )  # fmt: skip
    found = [(fault.row, fault.column, fault.line) for fault in caught.value.faults]
    assert found == [(1, "s", None), (1, "p", None), (2, "id", None)]


def test_a_score_column_of_dates_is_one_fault(parquet_file: Write) -> None:
    path = parquet_file({"text": ["x"], "s": [datetime.date(2024, 1, 1)]})
    with pytest.raises(PopulationError, match="got a column of type date32"):
        read_population(path, content="text", scores={"lr": "s"})


def test_names_that_differ_by_capitals_only(parquet_file: Write) -> None:
    path = parquet_file({"Text": ["a"], "text": ["b"], "TEXT": ["c"], "": ["d"]})
    population = read_population(path, id="TEXT", content=["Text", "text"], metadata="")
    assert population.content("c") == {"Text": "a", "text": "b"}
    assert population.metadata("c") == {"": "d"} and population.column("text") == ["b"]


def test_rows_from_many_row_groups(parquet_file: Write) -> None:
    texts = [f"text {n}" for n in range(101)]
    path = parquet_file({"text": texts, "more": list(range(101))}, row_group_size=10)
    population = read_population(path, content="text", metadata=["more"])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: population.content(str(n + 1))["text"], range(101)))
    assert found == texts
    assert population.metadata("101") == {"more": "100"}


@pytest.mark.parametrize("data", [b"", b"PAR1 broken PAR1", b"id,text\n1,a\n"])
def test_not_parquet(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "items.parquet"
    path.write_bytes(data)
    with pytest.raises(PopulationError, match="cannot be read as Parquet"):
        read_population(path, content="text")


def test_a_name_that_is_no_text(parquet_file: Write) -> None:
    path = parquet_file({"text": ["x"], "düst": ["y"]})
    raw = path.read_bytes()
    assert "düst".encode() in raw
    path.write_bytes(raw.replace("düst".encode(), b"d\xfc\xfcst"))
    with pytest.raises(PopulationError, match="cannot be read as Parquet") as caught:
        read_population(path, content="text")
    assert "codec" not in str(caught.value)


def test_no_rows_and_repeated_columns(tmp_path: Path, parquet_file: Write) -> None:
    with pytest.raises(PopulationError, match="columns but no rows"):
        read_population(parquet_file({"text": pa.array([], pa.string())}), content="text")
    path = tmp_path / "twice.parquet"
    pa.parquet.write_table(pa.table([["x"], ["y"]], names=["text", "text"]), path)
    with pytest.raises(PopulationError, match="two or more columns have this name"):
        read_population(path, content="text")


@pytest.mark.parametrize("kind", [pa.float32(), pa.decimal128(20, 10)], ids=str)
def test_a_score_is_the_number_that_a_threshold_is_written_as(
    kind: pa.DataType, parquet_file: Write
) -> None:
    numbers = [0.7, 0.3, 0.1, None, 1e-7]
    whole = [None if number is None else decimal.Decimal(str(number)) for number in numbers]
    column = pa.array(whole if pa.types.is_decimal(kind) else numbers, kind)
    path = parquet_file({"text": ["x"] * 5, "s": column})
    arguments = {"content": "text", "scores": {"lr": "s"}}
    with pytest.raises(PopulationError, match="row 4, column 's': a score must be a finite number"):
        read_population(path, **arguments)
    path = parquet_file({"text": ["x"] * 4, "s": column.drop_null()})
    found = read_population(path, **arguments, thresholds={"lr": [0.7, 0.3, 0.1]})
    assert found.scores["lr>=0.7"].tolist() == [0.7, 0.3, 0.1, 1e-7]
    assert [found.predictions[name].sum() for name in found.classifiers] == [1, 2, 3]
    low = read_population(path, **arguments, thresholds={"lr": 0.7}, descending="lr")
    assert low.predictions["lr"].sum() == 4


NESTED = pa.array([["x"], ["y", "z"]])


@pytest.mark.parametrize("nested", [{}, {"tags": NESTED}], ids=["flat", "nested"])
@pytest.mark.parametrize(
    "name", ["row", "TEXT", "file_row_number", "FILE_INDEX", "labelcore place", "filename"]
)
def test_a_column_may_be_called_as_the_reader_calls_its_own(
    name: str, nested: dict[str, Any], parquet_file: Write
) -> None:
    path = parquet_file({name: ["a", "b"], "text": ["one", "two"], **nested})
    population = read_population(path, id=name, content="text", metadata=name)
    assert population.columns[:2] == (name, "text")
    assert population.content("b") == {"text": "two"}
    assert population.metadata("b") == {name: "b"}


@pytest.mark.parametrize("nested", [{}, {"tags": NESTED}], ids=["flat", "nested"])
def test_the_name_of_a_folder_is_no_column(
    nested: dict[str, Any], parquet_file: Write, tmp_path: Path
) -> None:
    within = tmp_path / "lang=en" / "split=test"
    within.mkdir(parents=True)
    path = parquet_file({"text": ["one", "two"], "lang": ["de", "fr"], **nested})
    path = path.rename(within / "items.parquet")
    for source in (path, tmp_path):
        population = read_population(source, content="text", groups="lang")
        assert population.groups["lang"].names == ("de", "fr")
        assert population.column("lang") == ["de", "fr"]
        assert population.columns == ("text", "lang", *nested)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([0.7, 0.3], pa.float32()),
        pa.array(map(decimal.Decimal, ["0.7", "0.3"])),
        pa.array(map(decimal.Decimal, ["0.7", "0.3"]), pa.decimal128(38, 38)),
    ],
    ids=lambda column: str(column.type),
)
def test_numbers_beside_lists_keep_their_digits(column: pa.Array, parquet_file: Write) -> None:
    path = parquet_file({"text": ["one", "two"], "s": column, "tags": NESTED})
    population = read_population(path, content="text", scores={"lr": "s"})
    assert population.scores["lr"].tolist() == [0.7, 0.3]


def test_columns_that_share_a_name_beside_lists_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pyarrow.parquet.write_table(pa.table([["a"], ["b"], [["x"]]], names=["s", "s", "tags"]), path)
    with pytest.raises(PopulationError, match="two fields of one object have the name 's'"):
        read_population(path, content="s")


def test_a_table_of_nothing_is_told(parquet_file: Write) -> None:
    for source in (parquet_file({}), []):
        with pytest.raises(PopulationError, match="items.parquet: it holds neither columns nor"):
            read_population(source, content="text")
