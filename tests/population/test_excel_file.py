"""Excel files: cells as they were last computed, rows as the sheet numbers them."""

import datetime
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from labelcore.errors import PopulationError
from labelcore.population import excel_file, read_population
from labelcore.population.formats import detect

Write = Callable[..., Path]


@pytest.fixture
def excel(tmp_path: Path) -> Write:
    """Writes sheets of rows as items.xlsx."""

    def write(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        path = tmp_path / "items.xlsx"
        book.save(path)
        return path

    return write


def repacked(path: Path, change: Callable[[str], str]) -> None:
    """With another text of the first sheet."""
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    name = "xl/worksheets/sheet1.xml"
    members[name] = change(members[name].decode()).encode()
    with zipfile.ZipFile(path, "w") as packed:
        for member, content in members.items():
            packed.writestr(member, content)


CELLS = [
    ("007", "007"),
    ("nan", "nan"),
    ("line 1\nline 2", "line 1\nline 2"),
    ('a, "b"; c\td', 'a, "b"; c\td'),
    ("日本 🎉", "日本 🎉"),
    ("_x000D_ _x005F_x0041_", "\r _x0041_"),
    (7, "7"),
    (7.0, "7"),
    (0.1, "0.1"),
    (1e-17, "1e-17"),
    (2**53, "9007199254740992"),
    (True, "True"),
    (datetime.datetime(2024, 2, 29), "2024-02-29"),
    (datetime.datetime(2024, 2, 29, 13, 5), "2024-02-29T13:05:00"),
    (datetime.time(13, 5), "13:05:00"),
    (None, ""),
]


def test_cells_as_text(excel: Write) -> None:
    rows = [["text", "n"], *([value, n] for n, (value, _) in enumerate(CELLS))]
    population = read_population(excel({"Sheet": rows}), content="text", metadata="n")
    assert population.column("text") == [text for _, text in CELLS]
    for number, (_, text) in enumerate(CELLS, start=1):
        assert population.content(str(number)) == {"text": text}


def test_a_formula_is_what_it_was_last_computed_to(excel: Write) -> None:
    path = excel({"Sheet": [["text", "s"], ["a", "=1/4"], ["b", 1]]})
    repacked(path, lambda xml: re.sub(r"<f>1/4</f><v ?/>", "<f>1/4</f><v>0.25</v>", xml))
    population = read_population(path, content="text", scores={"lr": "s"})
    assert population.scores["lr"].tolist() == [0.25, 1.0]


def test_a_formula_without_a_stored_value_is_told(excel: Write) -> None:
    """As programs write it that compute nothing: it was read as an empty cell without a word."""
    rows = [["text", "s", "more"], ["=A3", 0.5, "=1/4"], ["b", 1, "x"]]
    told = "A2 holds a formula without its value, which would be read as empty; open the file in"
    with pytest.raises(PopulationError, match=rf"^items\.xlsx, column 'text': {told}") as caught:
        read_population(excel({"Other": [["=1"]], "S": rows}), content="text", scores={"lr": "s"},
                        dialect={"sheet": "S"})  # fmt: skip
    assert [fault.column for fault in caught.value.faults] == ["text"], "nobody asks for the other"
    path = excel({"S": [["text", "s"], ["=T(1)", 1]]})
    empty = '<c r="A2" t="str"><f>T(1)</f><v></v></c>'
    repacked(path, lambda xml: re.sub(r'<c r="A2"[^>]*>.*?</c>', empty, xml))
    assert read_population(path, content="text", scores={"lr": "s"}).content("1") == {"text": ""}


def test_faults_name_the_row_of_the_sheet(excel: Write) -> None:
    rows: list[list[Any]] = [
        [], ["id", "text", "s"], [1, "a", 0.5], [], [1, "b", "#REF!"], [3, "c", None],
        [4, "d", 0.5, "more"], [5, "e", "0,5"],
    ]  # fmt: skip
    with pytest.raises(PopulationError) as caught:
        read_population(excel({"S": rows}), id="id", content="text", scores={"lr": "s"})
    assert [(f.row, f.line, f.column, f.value) for f in caught.value.faults] == [
        (2, 5, "id", "1"),
        (2, 5, "s", "#REF!"),
        (3, 6, "s", ""),
        (4, 7, None, None),
        (5, 8, "s", "0,5"),
    ]


def test_the_first_sheet_or_the_one_named(excel: Write) -> None:
    path = excel({"A": [["text"], ["a"]], "B": [["text"], ["b"]]})
    assert detect(path).sheets == ("A", "B")
    first = read_population(path, content="text")
    assert first.content("1") == {"text": "a"}
    assert "dialect" not in first.arguments
    second = read_population(path, content="text", dialect={"sheet": "B"})
    assert second.content("1") == {"text": "b"}
    assert second.fingerprint != first.fingerprint
    again = read_population(path, **second.arguments)
    assert (again.fingerprint, again.content("1")) == (second.fingerprint, {"text": "b"})
    with pytest.raises(PopulationError, match="there is no sheet 'C'; its sheets are 'A', 'B'"):
        read_population(path, content="text", dialect={"sheet": "C"})


def test_without_a_header(excel: Write) -> None:
    path = excel({"A": [["a", 1], [], ["b", "x"]]})
    with pytest.raises(PopulationError) as caught:
        read_population(
            path, content="column 1", scores={"lr": "column 2"}, dialect={"header": False}
        )
    assert [(fault.row, fault.line) for fault in caught.value.faults] == [(2, 3)]


def test_a_wrong_size_in_the_sheet_is_not_believed(excel: Write) -> None:
    path = excel({"A": [["text"], ["a"], ["b"]]})
    repacked(path, lambda xml: re.sub(r'<dimension ref="[^"]*"', '<dimension ref="A1"', xml))
    assert len(read_population(path, content="text")) == 2


def test_a_file_that_unpacks_to_too_much(excel: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = excel({"A": [["text"], ["a"]]})
    monkeypatch.setattr(excel_file, "LARGEST_WORKBOOK", 1000)
    with pytest.raises(PopulationError, match=r"unpacks to .* MB, and at most 0 MB of an Excel"):
        read_population(path, content="text")


@pytest.mark.parametrize("data", [b"", b"PK", b"id,text\n1,a\n", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_excel_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "items.xlsx"
    path.write_bytes(data)
    with pytest.raises(PopulationError, match="cannot be read as an Excel file"):
        read_population(path, content="text")


@pytest.mark.parametrize("change", [lambda xml: xml[:200], lambda xml: xml.replace("<row", "<r<")])
def test_a_broken_sheet(excel: Write, change: Callable[[str], str]) -> None:
    path = excel({"A": [["text"], ["a"]]})
    repacked(path, change)
    with pytest.raises(PopulationError, match="cannot be read as an Excel file"):
        read_population(path, content="text")


def test_an_empty_sheet(excel: Write) -> None:
    with pytest.raises(PopulationError, match="the file is empty"):
        read_population(excel({"A": []}), content="text")
