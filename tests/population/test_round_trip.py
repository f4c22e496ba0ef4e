"""Every text format: what goes in comes out, and one injected fault is told with its place."""

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.errors import PopulationError
from labelcore.population import read_population
from tests.cases import searched

COLUMNS = ("id", "text", "more", "score", "class")
CLASSES = ("ham", "spam")
SCORES = (0.5, 0.25, -1.5, 3.0, 1e-17)
Row = dict[str, Any]
Records = list[bytes]


@dataclass(frozen=True)
class Format:
    """Writes the head, each row and the foot of a file, as bytes of UTF-8."""

    suffix: str
    write: Callable[[Sequence[Row]], Records]
    decimal: str = "."
    json: bool = False


def delimited(mark: str, decimal: str = ".") -> Callable[[Sequence[Row]], Records]:
    def record(cells: Sequence[Any]) -> bytes:
        buffer = io.StringIO(newline="")
        csv.writer(buffer, delimiter=mark).writerow(cells)
        return buffer.getvalue().encode()

    def cell(value: Any) -> str:
        return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)

    return lambda rows: [record(COLUMNS), *(record(list(map(cell, r.values()))) for r in rows), b""]


def json_lines(rows: Sequence[Row]) -> Records:
    return [b"", *(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows), b""]


def json_list(rows: Sequence[Row]) -> Records:
    written = [json.dumps(row, indent=2).encode() for row in rows]
    return [b"[\n", *(row + b",\n" for row in written[:-1]), *written[-1:], b"\n]"]


FORMATS = (
    Format(".csv", delimited(",")),
    Format(".csv", delimited(";", ","), ","),
    Format(".tsv", delimited("\t")),
    Format(".txt", delimited("|", ","), ","),
    Format(".jsonl", json_lines, json=True),
    Format(".ndjson", json_lines, json=True),
    Format(".json", json_list, json=True),
)
ENCODINGS = {
    "utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-16-be": "utf-16-be",
}  # fmt: skip
anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
tricky = st.text(st.sampled_from('a",;\t|\n\r\\{}[]é🎉'), max_size=9)
words = st.sampled_from(
    ["nan", "null", "n/a", "NA", "None", "", "007", "1.50", "1,5", "true", " ", "a\r\nb"]
)
texts = anything | tricky | words


@st.composite
def tables(draw: st.DrawFn, least: int = 1) -> list[Row]:
    size = draw(st.integers(least, 5))
    return [
        {
            "id": f"{number:03d}",
            "text": draw(texts),
            "more": draw(texts),
            "score": draw(st.sampled_from(SCORES)),
            "class": draw(st.sampled_from(CLASSES)),
        }
        for number in range(size)
    ]


def written(path: Path, raw: bytes) -> Path:
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def read(path: Path, **dialect: Any) -> Any:
    return read_population(
        path, id="id", content=["text", "more"], scores={"lr": "score"},
        predictions={"lr": "class"}, classes=CLASSES, dialect=dialect,
    )  # fmt: skip


def name_of(form: Format, packed: bool) -> str:
    return f"items{form.suffix}{'.gz' if packed else ''}"


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.suffix + form.decimal)
@searched(40)
@given(rows=tables(), encoding=st.sampled_from(sorted(ENCODINGS)), packed=st.booleans())
def test_what_goes_in_comes_out(form: Format, rows: list[Row], encoding: str, packed: bool) -> None:
    raw = b"".join(form.write(rows)).decode().encode(encoding)
    chosen: dict[str, Any] = {} if form.json else {"decimal": form.decimal}
    if encoding == "utf-16-be":
        chosen["encoding"] = encoding
    with tempfile.TemporaryDirectory() as folder:
        population = read(written(Path(folder) / name_of(form, packed), raw), **chosen)
        assert population.dialect.encoding == ENCODINGS[encoding]
        assert population.ids() == [row["id"] for row in rows]
        assert population.scores["lr"].tolist() == [row["score"] for row in rows]
        assert population.predictions["lr"].tolist() == [CLASSES.index(r["class"]) for r in rows]
        for name in ("text", "more"):
            assert population.column(name) == [row[name] for row in rows]
        for row in rows:
            assert population.content(row["id"]) == {name: row[name] for name in ("text", "more")}
        again = read_population(population.path, **population.arguments)
        assert again.fingerprint == population.fingerprint


# A value that breaks a rule -> the column that is told.
VALUES: dict[str, tuple[str, Any]] = {
    "no number": ("score", "high"),
    "another mark": ("score", "1.234,5"),
    "no score": ("score", ""),
    "not finite": ("score", "nan"),
    "out of range": ("score", "1e999"),
    "empty id": ("id", ""),
    "repeated id": ("id", "000"),
    "unknown class": ("class", "maybe"),
    "no class": ("class", ""),
    "wrong type": ("score", [0.5]),
    "null": ("score", None),
    "truth value": ("score", True),
}
ONLY_JSON = {"wrong type", "null", "truth value"}


@pytest.mark.parametrize("fault", VALUES)
@searched(12)
@given(
    rows=tables(least=2),
    form=st.sampled_from(FORMATS),
    packed=st.booleans(),
    choice=st.integers(0, 99),
)
def test_a_value_at_fault_is_told_with_its_place(
    fault: str, rows: list[Row], form: Format, packed: bool, choice: int
) -> None:
    if fault in ONLY_JSON:
        form = FORMATS[4 + choice % 3]
    place = 1 + choice % (len(rows) - 1)
    column, value = VALUES[fault]
    rows[place] = {**rows[place], column: value}
    records = form.write(rows)
    chosen = {} if form.json else {"decimal": form.decimal}
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / name_of(form, packed), b"".join(records))
        with pytest.raises(PopulationError) as caught:
            read(path, **chosen)
    (found,) = caught.value.faults
    line = 1 + b"".join(records[: place + 1]).count(b"\n")
    assert (found.file, found.row, found.column, found.line) == (path.name, place + 1, column, line)


def ragged(record: bytes) -> bytes:
    return record.rstrip(b"\r\n") + b",1;1\t1|1\r\n"


def cut(record: bytes) -> bytes:
    return record.rstrip(b"\n,")[:-1] + b"\n"


def undecodable(record: bytes) -> bytes:
    return record.replace(b"am", b"\xfe\xffam", 1)


BROKEN: dict[str, tuple[Callable[[bytes], bytes], tuple[Format, ...], str]] = {
    "ragged": (ragged, FORMATS[:4], "cells, got"),
    "undecodable": (undecodable, FORMATS[:6], "the text is not UTF-8 at byte"),
    "cut": (cut, FORMATS[4:6], "not JSON"),
}


@pytest.mark.parametrize("fault", BROKEN)
@searched(25)
@given(
    rows=tables(least=2), choice=st.integers(0, 99), packed=st.booleans(), which=st.integers(0, 99)
)
def test_a_broken_row_is_told_with_its_place(
    fault: str, rows: list[Row], choice: int, packed: bool, which: int
) -> None:
    change, forms, rule = BROKEN[fault]
    form, place = forms[choice % len(forms)], 1 + which % (len(rows) - 1)
    rows[place].update(text="", more="")
    records = form.write(rows)
    records[place + 1] = change(records[place + 1])
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / name_of(form, packed), b"".join(records))
        chosen = {} if form.json else {"decimal": form.decimal, "delimiter": mark_of(form)}
        with pytest.raises(PopulationError) as caught:
            read(path, encoding="utf-8", **chosen)
    (found,) = caught.value.faults
    line = 1 + b"".join(records[: place + 1]).count(b"\n")
    assert (found.row, found.column, found.line) == (place + 1, None, line)
    assert rule in found.rule


def mark_of(form: Format) -> str:
    return form.write([])[0][2:3].decode()
