"""Files that would hold up the server: refused within seconds, in words, with the limit."""

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest

from labelcore.errors import PopulationError
from labelcore.population import limits, read_population
from labelcore.population.engines import sources
from labelcore.population.head import Head, head_of
from tests.cases import sampled

Write = Callable[[Path], None]


def of_text(text: str) -> Write:
    return lambda path: path.write_text(text, "utf-8") and None


def packed(*pieces: bytes) -> Write:
    def write(path: Path) -> None:
        with gzip.open(path, "wb", compresslevel=1) as stream:
            for piece in pieces:
                stream.write(piece)

    return write


def sheet(*pieces: bytes) -> Write:
    """An Excel file with this as the rows of its sheet."""

    def write(path: Path) -> None:
        openpyxl.Workbook().save(path)
        with zipfile.ZipFile(path) as source:
            members = {name: source.read(name) for name in source.namelist()}
        head = members.pop("xl/worksheets/sheet1.xml").split(b"<sheetPr")[0]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
            for name, data in members.items():
                target.writestr(name, data)
            with target.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as stream:
                for piece in (head, b"<sheetData>", *pieces, b"</sheetData></worksheet>"):
                    stream.write(piece)

    return write


def table(columns: dict[str, Any]) -> Write:
    return lambda path: pyarrow.parquet.write_table(pa.table(columns), path)


def read_head(path: Path) -> Head:
    return head_of([path], {})


def sparse_list(path: Path) -> None:
    with path.open("wb") as stream:
        stream.write(b"[")
        stream.truncate(limits.LARGEST_LIST + 1)


def wide() -> dict[str, list[int]]:
    return {f"c{place}": [0] for place in range(limits.MOST_COLUMNS + 1)}


MB = b"a" * 1_000_000
ROW = "a row may have at most 16 MB, and this one has more"
COLUMNS = "a file may have at most 20,000 columns, and this one has 20,001"
ROWS = "a file may have at most 20,000,000 rows, and this one has 20,000,001 or more"
CELLS = "at most 5,000,000 cells of a sheet are read, and xl/worksheets/sheet1.xml has more"
# What is written is made when its test runs: together it is hundreds of megabytes.
TOO_MUCH: dict[str, tuple[str, Callable[[], Write], str]] = {
    "columns": ("a.csv", lambda: of_text(",".join(wide()) + "\n1\n"), COLUMNS),
    "columns by the slow way": ("a.csv", lambda: of_text(",".join(wide()) + '\nx"y\n'), COLUMNS),
    "columns of JSON": ("a.jsonl", lambda: of_text(json.dumps(wide())), COLUMNS),
    "columns of Parquet": ("a.parquet", lambda: table(wide()), COLUMNS),
    "rows": ("a.csv", lambda: packed(b"text\n", *[b"a\n" * 200_000] * 100, b"a\n"), ROWS),
    "a long row": (
        "a.csv",
        lambda: of_text("text\nb\n" + "a" * limits.LONGEST_ROW + "\n"),
        f"row 2: {ROW}",
    ),
    "an open quote": (
        "a.csv",
        lambda: of_text('text\n"' + "a\n" * limits.LONGEST_ROW),
        "opened in it and never",
    ),
    "a long header": ("a.csv", lambda: of_text("a" * (limits.LONGEST_ROW + 1)), ROW),
    "a long row, the slow way": (
        "a.csv",
        lambda: of_text('id,text\n1,x"y\n2,' + "a" * limits.LONGEST_ROW + "\n"),
        f"row 2: {ROW}",
    ),
    "a long line of JSON": (
        "a.jsonl",
        lambda: of_text('{"a":"' + "a" * limits.LONGEST_ROW + '"}'),
        ROW,
    ),
    "a long element": (
        "a.json",
        lambda: of_text('[{"a":1},{"a":"' + "a" * limits.LONGEST_ROW + '"}]'),
        ROW,
    ),
    "a list": ("a.json", lambda: sparse_list, "a list of objects may have at most 512 MB"),
    "rows that pack well": (
        "a.csv.gz",
        lambda: packed(b"id,text\n", *[b"1," + MB + b"\n"] * 3),
        "MB or more; over 1 MB, at most 100 times its size is unpacked. Give it unpacked",
    ),
    "a line that packs well": (
        "a.jsonl.gz",
        lambda: packed(b'{"text":"', *[MB] * 3, b'"}'),
        "at most 100 times its size is unpacked",
    ),
    "cells": ("a.xlsx", lambda: sheet(*[b"<row><c><v>1</v></c></row>" * 100_000] * 140), CELLS),
    "empty rows": ("a.xlsx", lambda: sheet(*[b"<row/>" * 100_000] * 400), CELLS),
    "cells by another name": ("a.xlsx", lambda: sheet(*[b"<x:c/>" * 100_000] * 51), CELLS),
    "a row far down": (
        "a.xlsx",
        lambda: sheet(b'<row r="1"><c><v>1</v></c></row><row r="2000000000"><c><v>1</v></c></row>'),
        f"a sheet has at most {limits.SHEET_ROWS:,} rows",
    ),
}


def unpacked_name(case: str, folder: Path) -> Path:
    name, made, _ = TOO_MUCH[case]
    write = made()
    if case == "rows":  # written packed, for speed, and given as text
        write(folder / "packed.gz")
        (folder / name).write_bytes(gzip.decompress((folder / "packed.gz").read_bytes()))
    else:
        write(folder / name)
    return folder / name


OFTEN = ("a long row", "a long element", "a line that packs well", "a row far down")
"""One of each reader: text, JSON, packed, Excel."""


@pytest.mark.parametrize("case", sampled(TOO_MUCH, 4, seed=1, keep=OFTEN))
def test_too_much_is_refused_soon_and_with_the_limit(
    tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what is read into memory: DuckDB reads large Parquet where it lies."""
    monkeypatch.setattr(sources, "large_parts", lambda _source: None)
    monkeypatch.setattr(limits, "UNPACKED_ALWAYS", 1_000_000)
    path = unpacked_name(case, tmp_path)
    for read in (read_head, lambda file: read_population(file, content="text")):
        with pytest.raises(PopulationError) as caught:
            read(path)
        (fault,) = caught.value.faults
        assert TOO_MUCH[case][2] in str(fault) and fault.file == path.name


def test_the_documentation_has_these_limits(root: Path) -> None:
    page = (root / "docs" / "readers.md").read_text("utf-8")
    sizes = (limits.LONGEST_ROW, limits.LARGEST_LIST, limits.UNPACKED_ALWAYS)
    told = [f"| {one / 1e6:,.0f} MB" for one in (*sizes, limits.LARGEST_WORKBOOK)]
    told += [f"| {one:,} |" for one in (limits.MOST_COLUMNS, limits.MOST_ROWS, limits.MOST_NESTED)]
    told += [f"{limits.MOST_TIMES_PACKED} times its size", f"| {limits.SHEET_ROWS:,} rows"]
    assert [one for one in told if one not in page] == []


def gene_table(path: Path, columns: int = 20_000, rows: int = 12) -> None:
    names = ["sample", "text", *(f"ENSG{place:011d}" for place in range(columns - 2))]
    counts = (",".join([str(row % 7)] * (columns - 2)) for row in range(rows))
    lines = [",".join(names), *(f"s{row},note,{count}" for row, count in enumerate(counts))]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def gene_parquet(path: Path, columns: int = 20_000, rows: int = 12) -> None:
    texts = {"sample": [f"s{row}" for row in range(rows)], "text": ["note"] * rows}
    counts = {f"ENSG{place:011d}": np.arange(rows) % 7 for place in range(columns - 2)}
    pyarrow.parquet.write_table(pa.table({**texts, **counts}), path)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "write"),
    [("a.csv", gene_table), pytest.param("a.parquet", gene_parquet, marks=pytest.mark.full)],
)
def test_a_table_of_20_000_genes_is_read(tmp_path: Path, name: str, write: Any) -> None:
    path = tmp_path / name
    write(path)
    head = read_head(path)
    population = read_population(path, id="sample", content=["text", "ENSG00000000009"])
    assert len(head.columns) == 20_000 and head.sample[10]["ENSG00000000009"] == "3"
    assert population.content("s11") == {"text": "note", "ENSG00000000009": "4"}


def test_ten_megabytes_in_one_cell_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id,text\n1,"{"a" * 10_000_000}"\n', "utf-8")
    assert len(read_head(path).sample[0]["text"]) == 10_000_000


@pytest.mark.parametrize("depth", [limits.MOST_NESTED, limits.MOST_NESTED + 1])
@pytest.mark.parametrize("form", ["{}", "[{}]"])
def test_how_deep_a_value_may_be_nested(tmp_path: Path, depth: int, form: str) -> None:
    inner = "[" * (depth - 1) + "]" * (depth - 1)
    path = tmp_path / "a.json"
    path.write_text(form.replace("{}", f'{{"text": {inner}}}'), "utf-8")
    if depth <= limits.MOST_NESTED:
        assert read_head(path).sample == ({"text": inner},)
        return
    with pytest.raises(PopulationError, match="row 1 .*nested too deeply, over 200 levels"):
        read_head(path)


@pytest.mark.parametrize("depth", [900, 100_000])
def test_a_row_nested_very_deep_is_a_fault_however_deep_the_caller_is(
    tmp_path: Path, depth: int
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": ' + "[" * depth + "]" * depth + "}", "utf-8")

    def deeper(levels: int) -> None:
        if levels:
            deeper(levels - 1)
        else:
            read_head(path)

    with pytest.raises(PopulationError, match="nested too deeply, over 200 levels"):
        deeper(200)


@pytest.mark.parametrize("broken", ['{"id": 1 "text": 2}', '{"id": tru}', '{"id": 1', '{"id"}'])
def test_what_is_no_json_in_a_list_has_its_place(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "a.json"
    rows = ",\n".join(f'{{"id": {place}}}' for place in range(100))
    path.write_text(f"[{rows},\n{broken},\n{rows}]", "utf-8")
    with pytest.raises(PopulationError) as caught:
        read_head(path)
    (fault,) = caught.value.faults
    assert (fault.row, fault.line) == (101, 101) or broken == '{"id": 1'
