"""JSON in, the same text out; every row that is no object of texts is told."""

import json
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.errors import Fault, PopulationError
from labelcore.population import Population, read_population
from labelcore.population.guess import guess
from labelcore.population.head import head_of
from labelcore.population.json_file import JsonFile
from labelcore.population.json_text import parse_object
from labelcore.population.paths import row_text
from labelcore.population.text import joined
from tests.cases import searched

Write = Callable[..., Path]
VALUES = [
    ('"nan"', "nan"),
    ('"null"', "null"),
    ("null", ""),
    ('""', ""),
    ("true", "true"),
    ("false", "false"),
    ("1.50", "1.50"),
    ("-0", "-0"),
    ("12345678901234567890123", "12345678901234567890123"),
    ("1E400", "1E400"),
    ("0.1234567890123456789", "0.1234567890123456789"),
    ("NaN", "NaN"),
    ('"007"', "007"),
    (r'"a\nb\t\"c\" \u00fc \ud83c\udf89 \u0000"', 'a\nb\t"c" ü 🎉 \0'),
    ('"ü 日本 \u2028"', "ü 日本 \u2028"),
    ('[1.0, "ü", null, []]', '[1.0, "ü", null, []]'),
    (r'{"b" : {"c":1.10},  "a":"x\n"}', r'{"b": {"c": 1.10}, "a": "x\n"}'),
    ("9" * 5000, "9" * 5000),
]


def as_lines(values: Sequence[str]) -> str:
    return "".join(f'{{"n": {n}, "text": {value}}}\n' for n, value in enumerate(values))


def as_list(values: Sequence[str]) -> str:
    rows = ",\n".join(f' {{\n"n": {n}, "text": {value}}}' for n, value in enumerate(values))
    return f"\n [{rows}]\n"


@pytest.mark.parametrize("form", [as_lines, as_list])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".ndjson.gz"])
def test_values_as_text(csv_file: Write, form: Any, mark: str, suffix: str) -> None:
    path = csv_file(mark + form([value for value, _ in VALUES]), f"items{suffix}")
    population = read_population(path, content="text", metadata="n")
    texts = [text for _, text in VALUES]
    assert population.column("text") == texts
    with ThreadPoolExecutor(4) as pool:
        contents = list(pool.map(population.content, population.ids()))
    assert [content["text"] for content in contents] == texts
    assert population.metadata("3") == {"n": "2"}


@pytest.mark.parametrize("apart", ["\n", "  \r\n\n \t"])
@pytest.mark.parametrize("form", [as_lines, as_list])
def test_columns_are_those_of_the_rows_one_by_one(csv_file: Write, form: Any, apart: str) -> None:
    """Whatever DuckDB reads, and whatever is decoded row by row beside it."""
    texts = [value for value, _ in VALUES]
    wide = [json.dumps("x" * (7 * n % 90) + "ü[{"[: n % 4]) for n in range(40)] + texts * 3
    table = JsonFile(csv_file(form(wide).replace("\n", apart), "a.json"))
    names = ["text", "n"]
    objects = [parse_object(f'{{"text": {value}, "n": {n}}}') for n, value in enumerate(wide)]
    expected = [dict(zip(names, row_text(one, names), strict=True)) for one in objects]
    assert [table.cells(row, names) for row in range(len(wide))] == expected
    for some in (table.load(names), joined(names, table.batches(names))):
        columns = [some[name].to_pylist() for name in names]
        rows = zip(*columns, strict=True)
        assert [dict(zip(names, row, strict=True)) for row in rows] == expected
    firsts = [{name: row[name] for name in names} for row in table.first(3)]
    assert firsts == expected[:3]


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
numbers = st.sampled_from(["1.50", "-0", "1e2", "12", "0.1", "9" * 25, "NaN", "1E400", "-7"])
cells = numbers | words.map(json.dumps) | numbers.map(json.dumps)
others = st.sampled_from(["true", "null", "[1.0]", '{"b": 1.0}', '{"a": {"b": "c"}}'])


@searched(200)
@given(rows=st.lists(st.dictionaries(words, cells | others, max_size=4), max_size=6), wanted=words)
def test_any_field_is_read_as_python_reads_it(rows: list[dict[str, str]], wanted: str) -> None:
    fields = [[f"{json.dumps(name)}: {cell}" for name, cell in row.items()] for row in rows]
    texts = [f"{{{', '.join(row)}}}" for row in [*fields, ['"last": 1']]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        path.write_text("\n".join(texts), "utf-8")
        table = JsonFile(path, wanted={wanted: False})
        assert not table.faults()
        names = list(dict.fromkeys([wanted, *table.columns]))
        found = [table.load([wanted])[wanted].to_pylist()] + [
            column.to_pylist() for column in table.load(names).values()
        ]
        expected = [row_text(parse_object(text), [wanted, *names]) for text in texts]
    assert [list(row) for row in zip(*found, strict=True)] == expected


def test_a_broken_row_leaves_those_beside_it(csv_file: Write) -> None:
    rows = [f'{{"id": "i{n}", "text": "t"}}' for n in range(30)]
    rows[7], rows[20] = '{"id": "i7", "text" "t"}', '{"id": "i20"}, {"id": "more"}'
    table = JsonFile(csv_file("\n".join(rows), "a.jsonl"))
    assert [(fault.row, fault.line) for fault in table.faults()] == [(8, 8), (21, 21)]
    ids = [f"i{n}" if n not in (7, 20) else "" for n in range(30)]
    assert table.load(["id"])["id"].to_pylist() == ids


def test_utf16_and_windows_1252(csv_file: Write) -> None:
    text = '{"text": "für"}\n'
    for encoding, name in [("utf-16", "utf-16-le"), ("cp1252", "windows-1252")]:
        population = read_population(csv_file(text.encode(encoding), "a.jsonl"), content="text")
        assert population.content("1") == {"text": "für"}
        assert population.dialect.encoding == name
        assert population.arguments["dialect"]["encoding"] == name


def test_columns_are_those_of_all_rows(csv_file: Write) -> None:
    table = JsonFile(csv_file('{"a": 1}\n\n{"b": 2, "a": 3}\n{}\n', "a.jsonl"))
    assert table.columns == ("a", "b")
    assert {name: column.to_pylist() for name, column in table.load(["b", "a"]).items()} == {
        "b": ["", "2", ""],
        "a": ["1", "3", ""],
    }


def faults_of(path: Path, **arguments: Any) -> Sequence[Fault]:
    with pytest.raises(PopulationError) as caught:
        read_population(path, **{"content": "text", **arguments})
    return caught.value.faults


GOOD = '{"text": "a", "s": 0.5, "p": 1}\n'
LINE_FAULTS: list[tuple[bytes, tuple[Any, ...], str]] = [
    (b'{"text": "b", "s": 1, "p": 1\n', (2, 3, None), "Expecting ',' delimiter at character 29"),
    (b'{"text": "b"} x\n', (2, 3, None), "not JSON: Extra data at character 15"),
    (b"[1, 2]\n", (2, 3, None), "a row must be an object {...}, not a list"),
    (b"3\n", (2, 3, None), "must be an object {...}, not a number"),
    (b"null\n", (2, 3, None), "not null"),
    (b"text,s\n", (2, 3, None), "not JSON: Expecting value at character 1"),
    (b'{"text": "b", "s": 1, "p": 1, "s": 2}\n', (2, 3, None), "the name 's'"),
    (b'{"text": "\\ud800", "s": 1, "p": 1}\n', (2, 3, None), "half of a surrogate pair"),
    (b'{"text": ' + b"[" * 90_000 + b"\n", (2, 3, None), "nested too deeply"),
    (b'{"text": "a\x01"}\n', (2, 3, None), "Invalid control character"),
    (b'{"text": "\xe6\x97\xa5\xe6", "s": 1, "p": 1}\n', (2, 3, None), "not UTF-8 at byte 46"),
    (b'{"text": "b", "s": "high", "p": 1}\n', (2, 3, "s"), "finite"),
    (b'{"text": "b", "s": null, "p": 1}\n', (2, 3, "s"), "finite"),
    (b'{"text": "b", "s": true, "p": 1}\n', (2, 3, "s"), "finite"),
    (b'{"text": "b", "s": [0.5], "p": 1}\n', (2, 3, "s"), "finite"),
    (b'{"text": "b", "s": NaN, "p": 1}\n', (2, 3, "s"), "finite"),
    (b'{"text": "b", "p": 1}\n', (2, 3, "s"), "finite"),
    (b'{"text": "b", "s": 1, "p": {}}\n', (2, 3, "p"), "a prediction must be one of"),
]


@pytest.mark.parametrize(("line", "place", "rule"), LINE_FAULTS, ids=lambda v: str(v)[:30])
def test_one_fault_in_a_line(
    csv_file: Write, line: bytes, place: tuple[Any, ...], rule: str
) -> None:
    path = csv_file(f"{GOOD}\n".encode() + line + GOOD.encode(), "a.jsonl")
    arguments = {"scores": {"lr": "s"}, "predictions": {"lr": "p"}, "classes": ["no", "yes"]}
    (fault,) = faults_of(path, **arguments)
    assert (fault.row, fault.line, fault.column) == place
    assert rule in fault.rule


@pytest.mark.parametrize(
    ("data", "place", "rule"),
    [
        ('[{"text": 1},\n{"text": 2},\n3]', (3, 3), "not a number"),
        ('[{"text": "日本"},\n{"text" 2}]', (2, 2), "not JSON: Expecting ':' delimiter"),
        ('[{"text": "日本"}\n{"text": 2}]', (2, 2), "a comma must come before it"),
        ('[{"text": 1},\n]', (2, 2), "not JSON: Expecting value"),
        ('[{"text": 1},\n{"text": 2}', (3, 2), "the list is not closed"),
        ('[{"text": 1}]\n{}', (2, 2), "text follows the end of the list"),
        ('[{"text": 1, "text": 2}]', (1, 1), "the name 'text'"),
        ('[\n{"text": "\\ud800"}]', (1, 2), "surrogate"),
    ],
)
def test_one_fault_in_a_list(csv_file: Write, data: str, place: tuple[int, int], rule: str) -> None:
    fault = faults_of(csv_file(data, "a.json"))[-1]
    assert (fault.row, fault.line) == place
    assert rule in fault.rule


@pytest.mark.parametrize("data", ["id,text\n1,a\n", "3", '"a"', '{\n"text": 1\n}', "PAR1"])
def test_what_is_no_json_table(csv_file: Write, data: str) -> None:
    (fault,) = faults_of(csv_file(data, "a.json"))
    assert "must hold a list of objects [{...}, {...}], or one object {...} a line" in fault.rule


@pytest.mark.parametrize("data", ["", "\n \n", "\ufeff"])
def test_an_empty_file(csv_file: Write, data: str) -> None:
    (fault,) = faults_of(csv_file(data, "a.jsonl"))
    assert "the file is empty" in fault.rule


def test_an_empty_list_has_no_rows(csv_file: Write) -> None:
    rules = [fault.rule for fault in faults_of(csv_file("[ ]", "a.json"))]
    assert "the file has columns but no rows" in rules


def test_undecodable_byte_in_a_list(csv_file: Write) -> None:
    (fault, *_) = faults_of(csv_file('[\n{"text": "日本"}]'.encode()[:-4] + b'"}]', "a.json"))
    assert (fault.line, fault.value) == (2, "byte 0xe6")


def test_ids_keep_their_digits(csv_file: Write) -> None:
    ids = ["1.10", "1.1", "007", "1e2"]
    rows = ['{"id": 1.10}', '{"id": 1.1}', '{"id": "007"}', '{"id": 1e2}']
    population: Population = read_population(
        csv_file("\n".join(rows), "a.jsonl"), id="id", content="id"
    )
    assert population.ids() == ids
    assert json.dumps(population.content("1e2")) == '{"id": "1e2"}'


def test_the_fields_of_an_object_are_columns_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    bag = json.dumps({f"k{number}": 1 for number in range(21)})
    rows = [
        '{"id": "a", "judge": {"verdict": "fail", "confidence": 0.910}, "x.y": 1, "x": {"y": 2}}',
        '{"id": "b", "judge": {"verdict": "pass", "why": {"z": [1.0]}}, "bag": ' + bag + "}",
        '{"id": "c", "judge": null}',
    ]
    file.write_text("\n".join(rows))
    read = JsonFile(file)
    judge = ("judge.verdict", "judge.confidence", "judge.why")
    assert read.columns == ("id", "judge", *judge, "judge.why.z", "x.y", "x", "bag")
    loaded = read.load((*judge, "x.y"))
    assert {name: list(map(str, cells)) for name, cells in loaded.items()} == {
        "judge.verdict": ["fail", "pass", ""],
        "judge.confidence": ["0.910", "", ""],
        "judge.why": ["", '{"z": [1.0]}', ""],
        "x.y": ["1", "", ""],
    }
    assert read.cells(0, ["judge.confidence", "judge"])["judge.confidence"] == "0.910"


def test_the_log_of_a_judge_with_its_verdict_inside_is_read(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    answers = ("pass", "fail")
    file.write_text(
        "\n".join(
            json.dumps(
                {
                    "id": f"i{number}",
                    "response": f"text number {number}, which somebody wrote",
                    "judge": {"verdict": answers[number % 2], "confidence": 0.5 + number / 100},
                }
            )
            for number in range(20)
        )
    )
    head = head_of([file], {})
    found = guess(head.columns, head.sample)
    (judge,) = found.classifiers
    assert judge.prediction == "judge.verdict"
    assert "judge" not in found.content
    population = read_population(
        file, id="id", content="response", predictions={"judge": "judge.verdict"}, positive="pass"
    )
    assert int((population.predictions["judge"] == population.classes.index("pass")).sum()) == 10
