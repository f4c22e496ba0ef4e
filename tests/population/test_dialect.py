"""How a file is read: detected, chosen, kept with the arguments and read again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labelcore.errors import PopulationError
from labelcore.population import Dialect, Population, read_population
from labelcore.population.formats import detect

Write = Callable[..., Path]
GERMAN = "Nr;Text;P\n1;für, und;0,75\n2;Öl;1\n"
LONG = "id,text\n" + "".join(f'{n},"a\n""b"" {n}"\n' for n in range(40_000))

DETECTED: list[tuple[str, bytes, dict[str, Any]]] = [
    ("a.csv", b"id,text\n1,a\n", {}),
    ("a.csv", b"text\na\n", {}),
    ("a.csv", b"text\nno; comma, here\n", {}),
    ("a.csv", b"", {}),
    ("a.csv", "\ufeffid,text\n1,für\n".encode(), {}),
    ("a.csv", LONG.encode(), {}),
    ("a.csv", GERMAN.encode(), {"delimiter": ";", "decimal": ","}),
    ("a.txt", GERMAN.encode("cp1252"), {"delimiter": ";", "decimal": ",", "encoding": "cp"}),
    ("a.csv", GERMAN.encode("utf-16"), {"delimiter": ";", "decimal": ",", "encoding": "le"}),
    ("a.csv", GERMAN.encode("utf-16-le"), {"delimiter": ";", "decimal": ",", "encoding": "le"}),
    ("a.csv", GERMAN.encode("utf-16-be"), {"delimiter": ";", "decimal": ",", "encoding": "be"}),
    ("a.csv", "日本,語\n本,日\n".encode("utf-16-le"), {"encoding": "le"}),
    ("a.csv", b"id;text\n1;a,b\n2;c,d\n3;e,f\n", {"delimiter": ";"}),
    ("a.csv", b"id;text\n1;a\n2;b;c\n3;d\n", {"delimiter": ";"}),
    ("a.csv", b"id,text\n1,a;b\n2,c;d\n3,e,f\n", {}),
    ("a.csv", b'id,text;more\n1,"a;b"\n2,c\n', {}),
    ("a.csv", b"id|text\n1|a\n", {"delimiter": "|"}),
    ("a.csv", b"id\ttext\n1\ta\n", {"delimiter": "\t"}),
    ("a.tsv", b"id\ttext, long\n1\ta, b\n", {"delimiter": "\t"}),
    ("a.tsv", b"id,text\n1,a\n", {}),
    ("a.tsv", b'id\ttext\n1\t"a\tb"\n', {"delimiter": "\t"}),
    ("a.tsv", b'id\ttext\n1\t"a" b\n2\t"c\n', {"delimiter": "\t", "quote": ""}),
    ("a.tsv", b'id\ttext\n1\t5" pipe\n', {"delimiter": "\t"}),
    ("a.csv", b"t;s\na;1,234\nb;2,345\n", {"delimiter": ";"}),
    ("a.csv", b"t;s\na;1,234\nb;0,345\n", {"delimiter": ";", "decimal": ","}),
    ("a.csv", b"t;s;r\na;0,5;0.5\n", {"delimiter": ";"}),
    ("a.csv", b"t;s\na;0,5\nb;n/a\nc;0,1\n", {"delimiter": ";", "decimal": ","}),
    ("a.csv", b't,s\na,"0,5"\n', {}),
    ("a.txt", b"Hi, there\nWIN, now, 5 %\nnone\nMum says\n" * 2, {"delimiter": "\t", "quote": ""}),
    ("a.txt", b"text\nno comma\none, here\n", {"delimiter": "\t", "quote": ""}),
    ("a.txt", b'text\n"one, in quotes"\n', {}),
]
SHORT = {"cp": "windows-1252", "le": "utf-16-le", "be": "utf-16-be"}


@pytest.mark.parametrize(("name", "data", "fields"), DETECTED)
def test_detected(csv_file: Write, name: str, data: bytes, fields: dict[str, Any]) -> None:
    if "encoding" in fields:
        fields = {**fields, "encoding": SHORT[fields["encoding"]]}
    assert detect(csv_file(data, name)).dialect == Dialect(**fields)
    assert detect(csv_file(data, f"{name}.gz")).dialect == Dialect(**fields)


def scored(path: Path, **arguments: Any) -> Population:
    return read_population(path, content="Text", scores={"lr": "P"}, **arguments)


def test_a_german_file_is_read_as_it_is_meant(csv_file: Write) -> None:
    population = scored(csv_file(GERMAN.encode("cp1252")), id="Nr")
    assert population.scores["lr"].tolist() == [0.75, 1.0]
    assert population.content("1") == {"Text": "für, und"}
    assert population.dialect == Dialect("windows-1252", ";", ",")


@pytest.mark.parametrize(
    ("data", "dialect", "column"),
    [
        (GERMAN.encode("cp1252"), None, "Text"),
        (GERMAN.encode(), {"encoding": "windows-1252"}, "Text"),
        (b"Text,P\na,1\n", {"header": False}, "column 1"),
        (b"Text;P\na;1\n", {"delimiter": ","}, "Text;P"),
        (b"Text;P\na;1\n", Dialect(), "Text;P"),
        (b"Text;P\na;1\n", Dialect(delimiter=";", decimal=","), "Text"),
    ],
)
def test_the_same_reading_comes_back(
    csv_file: Write, data: bytes, dialect: Any, column: str
) -> None:
    path = csv_file(data)
    first = read_population(path, content=column, dialect=dialect)
    assert first.arguments["dialect"] == first.dialect.to_json()
    again = read_population(path, **json.loads(json.dumps(first.arguments, sort_keys=True)))
    assert again.fingerprint == first.fingerprint
    assert (again.dialect, again.content("1")) == (first.dialect, first.content("1"))


def test_a_plain_file_has_the_fingerprint_of_a_reader_without_dialects(csv_file: Write) -> None:
    """Made by the reader that knew only UTF-8 with commas, and kept in stores since then."""
    arguments: dict[str, Any] = {
        "id": "id",
        "content": ["text"],
        "scores": {"lr": "s"},
        "predictions": {"lr": "p"},
        "metadata": ["p"],
    }
    path = csv_file('id,text,s,p\n007,"a;b\n|c",0.5,1\n8,für,-2,0\n')
    for dialect in (None, {}, Dialect(), {"encoding": "utf-8"}):
        population = read_population(path, **arguments, dialect=dialect)
        assert population.fingerprint == (
            "d27b298c5456ef51a5d2bcc66313a5f44e079a749bd4d1d98662455d911cd90b"
        )
        assert "dialect" not in population.arguments


@pytest.mark.parametrize(
    ("dialect", "error", "message"),
    [
        (";", TypeError, "dialect must be a mapping or None, got str"),
        ({"comma": 1}, ValueError, "dialect has no field 'comma'; its fields are 'encoding', "),
        ({"encoding": 1}, TypeError, r"dialect\['encoding'\] must be text, got int"),
        ({"encoding": "latin1"}, ValueError, r"\['encoding'\] must be one of 'utf-8', .*'latin1'"),
        ({"delimiter": ":"}, ValueError, r"must be one of ',', ';', '\\t', '\|', got ':'"),
        ({"header": 1}, TypeError, r"dialect\['header'\] must be True or False, got int"),
        ({"sheet": 1}, TypeError, r"dialect\['sheet'\] must be text or None, got int"),
        ({"sheet": "a"}, ValueError, r"items.csv: dialect\['sheet'\] means nothing for .csv; it"),
    ],
)
def test_what_is_no_dialect(
    csv_file: Write, dialect: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read_population(csv_file("text\na\n"), content="text", dialect=dialect)


COMMA = Dialect(delimiter=";", decimal=",")


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["0,5", "-1,25", "3", "+,5", "2,"], [0.5, -1.25, 3, 0.5, 2]),
        ([" 0,5 ", "1,5e-3"], [0.5, 0.0015]),
        (["1,234"], [1.234]),
    ],
)
def test_numbers_with_a_decimal_comma(
    csv_file: Write, cells: list[str], numbers: list[float]
) -> None:
    path = csv_file("Text;P\n" + "".join(f"a;{cell}\n" for cell in cells))
    assert scored(path, dialect=COMMA).scores["lr"].tolist() == numbers


@pytest.mark.parametrize("cell", ["0.5", "1.234", "1.234,5", "1,234,567", "1,5.2", "1 234,5", ""])
def test_thousands_marks_and_points_are_refused_beside_a_decimal_comma(
    csv_file: Write, cell: str
) -> None:
    with pytest.raises(PopulationError, match="decimal comma and no thousands marks") as caught:
        scored(csv_file(f"Text;P\na;0,5\nb;{cell}\n"), dialect=COMMA)
    assert [(fault.row, fault.value) for fault in caught.value.faults] == [(2, cell)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_a_first_line_that_tells_excel_the_separator_is_no_row(
    sign: str, encoding: str, tmp_path: Path
) -> None:
    path = tmp_path / "items.csv"
    lines = ["sep=,", "id,text,p", "a,x,0.5", "b,y,many"]
    path.write_bytes("".join(f"{line}\r\n".replace(",", sign) for line in lines).encode(encoding))
    found = read_population(path, id="id", content="text")
    assert found.columns == ("id", "text", "p") and found.ids() == ["a", "b"]
    assert read_population(path, **found.arguments).fingerprint == found.fingerprint
    headless = read_population(path, content="column 2", dialect={"header": False})
    assert headless.column("column 2") == ["text", "x", "y"]
    with pytest.raises(PopulationError, match=r"row 2 \(line 4 of the file\), column 'p'"):
        read_population(path, content="text", scores={"lr": "p"})


def test_without_a_header_every_row_is_an_item(csv_file: Write) -> None:
    path = csv_file('1,"a\nb",0.5\n2,c,x\n3,d\n')
    with pytest.raises(PopulationError) as caught:
        read_population(
            path, content="column 2", scores={"lr": "column 3"}, dialect={"header": False}
        )
    found = [(fault.row, fault.line, fault.column) for fault in caught.value.faults]
    assert found == [(2, 3, "column 3"), (3, 4, None)]
    path = csv_file('1,"a\nb",0.5\n2,c,1\n')
    population = read_population(path, content="column 2", dialect={"header": False})
    assert len(population) == 2
    assert population.content("1") == {"column 2": "a\nb"}
    assert population.column("column 3") == ["0.5", "1"]


def test_without_quotes_a_quote_stands_for_itself(csv_file: Write) -> None:
    path = csv_file('id\ttext\n1\t"a" b\n2\t"c\n', "items.tsv")
    population = read_population(path, id="id", content="text")
    assert population.column("text") == ['"a" b', '"c']
    assert population.content("2") == {"text": '"c'}
