"""Everything that can be wrong with a file, each with its place and rule; all at once."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from labelcore.errors import Fault, PopulationError
from labelcore.population import read_population
from labelcore.population.contents import Contents

Refuse = Callable[..., Sequence[Fault]]
ALL: dict[str, Any] = {"id": "id", "scores": {"lr": "s"}, "predictions": {"lr": "p"}}
HEADER = "id,text,s,p\n"

# data, arguments, (row, line, column, value), part of the rule
ONE_FAULT: list[tuple[str | bytes, dict[str, Any], tuple[Any, ...], str]] = [
    (HEADER + "1,a,nan,1\n", ALL, (1, 2, "s", "nan"), "a score must be a finite number"),
    (HEADER + "1,a,,1\n", ALL, (1, 2, "s", ""), "finite"),
    (HEADER + "1,a,-inf,1\n", ALL, (1, 2, "s", "-inf"), "finite"),
    (HEADER + "1,a,1e999,1\n", ALL, (1, 2, "s", "1e999"), "finite"),
    (HEADER + '1,a,"0,5",1\n', ALL, (1, 2, "s", "0,5"), "finite"),
    (HEADER + "1,a,1_0,1\n", ALL, (1, 2, "s", "1_0"), "finite"),
    (HEADER + "1,a,0.5,1\n2,b,high,0\n", ALL, (2, 3, "s", "high"), "finite"),
    (HEADER + '1,"a\n\nb",0.5,1\n2,b,x,0\n', ALL, (2, 5, "s", "x"), "finite"),
    (HEADER + ",a,0.5,1\n", ALL, (1, 2, "id", ""), "an id must not be empty"),
    (HEADER + "1,a,0,1\n1,b,0,1\n", ALL, (2, 3, "id", "1"), "unique, and row 1 has the same"),
    (HEADER + "1,a,0,1\n2,b,0,\n", ALL, (2, 3, "p", ""),
     "a prediction must be one of the classes 'no', 'yes' or 0/1"),
    (HEADER + "1,a,0,1\n2,b,0,maybe\n", {**ALL, "classes": ["no", "yes"]}, (2, 3, "p", "maybe"),
     "'no', 'yes' or 0/1"),
    (HEADER + "1,a,0,x\n2,b,0,1\n", {**ALL, "classes": ["x", "y", "z"]}, (2, 3, "p", "1"),
     "one of the classes 'x', 'y', 'z'"),
    ("id,text\n1,a\n2\n3,c\n", {"id": "id"}, (2, 3, None, None), "must have 2 cells, got 1"),
    ("id,text\n1,a\n2,b,c\n", {"id": "id"}, (2, 3, None, None), "must have 2 cells, got 3"),
    ('id,text\n1,"a\n2,b\n', {"id": "id"}, (1, 2, None, None), "is never closed"),
    ('id,text\n1,"a"b\n2,b\n', {"id": "id"}, (1, 2, None, None), "must be doubled"),
    ("id,text\n1,a\rb\n", {"id": "id"}, (1, 2, None, None), "lone carriage return"),
    ("id,text\r1,a\r", {"id": "id"}, (None, 1, None, None), "lone carriage return"),
    ("id,text\n1,a\0b\n", {"id": "id"}, (1, 2, None, None), "NUL byte"),
    (b"id,text\n1,a\n2,\xe9t\xe9\n", {"id": "id", "dialect": {"encoding": "utf-8"}},
     (2, 3, None, "byte 0xe9"),
     "not UTF-8 at byte 14 of the file; save it as UTF-8, or choose its encoding"),
    ("id,text\n1,日本\n2,日本\n".encode().replace(b"\xac\n2", b"\n2"), {"id": "id"},
     (1, 2, None, "byte 0xe6"), "not UTF-8 at byte 13"),
    (b"id,text\n1,a\n2,\xe9t\x81\n", {"id": "id"}, (2, 3, None, "byte 0x81"),
     "not Windows-1252 at byte 16"),
    (b"id,te\xffxt,text\n1,a,b\n", {"id": "id", "dialect": {"encoding": "utf-8"}},
     (None, 1, None, "byte 0xff"), "not UTF-8"),
    ("id,id,text\n1,2,a\n", {}, (None, None, "id", None), "two or more columns have this name"),
    ("id,text\n1,a\n", {"id": "key"}, (None, None, "key", None),
     "id names no column of the file; its columns are 'id', 'text'"),
    ("id,text\n1,a\n", {"scores": {"lr": "s"}}, (None, None, "s", None),
     "scores['lr'] names no column"),
    ("id,text\n1,a\n", {"predictions": {"lr": "p"}, "positive": "spam"}, (None, None, "p", None),
     "predictions['lr']"),
    ("text,s\na,x\n", {"scores": {"A": "s", "B": "s"}}, (1, 2, "s", "x"), "finite"),
    ("id,text\n1,a\n", {"metadata": ["m"]}, (None, None, "m", None), "metadata names no column"),
    ("id;text;s\n1;a;2\n", {"dialect": {"delimiter": ","}}, (None, None, "text", None),
     "content names no column of the file; its columns are 'id;text;s'"),
    ('id,text,s\n1,a,0.5\n2,b,"0,5"\n', {"scores": {"lr": "s"}}, (2, 3, "s", "0,5"),
     "if its comma is a decimal mark, choose the decimal comma; no thousands marks are read"),
    ("id,text,s\n1,a,76%\n", {"scores": {"lr": "s"}}, (1, 2, "s", "76%"),
     "a score must be a finite number; write 76% as 0.76"),
    ("id;text;s\n1;a;0,5\n2;b;1.234\n3;c;0,25\n", {"scores": {"lr": "s"}}, (2, 3, "s", "1.234"),
     "a finite number with a decimal comma and no thousands marks"),
    ("text,s,p_lr\n" + "a,low,0.5\na,top,1\n" * 4, {"scores": {"lr": "s"}}, (None, None, "s", None),
     "finite number; 8 of 8 cells hold none: 'low' in row 1, 'top' in row 2"),
    ("", {}, (None, None, None, None), "the file is empty"),
    ("\ufeff\n\r\n", {}, (None, None, None, None), "the file is empty"),
    ("id,text\n", {}, (None, None, None, None), "columns but no rows"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "arguments", "place", "rule"), ONE_FAULT)
def test_one_fault(
    faults_of: Refuse, data: str | bytes, arguments: dict[str, Any], place: tuple[Any, ...],
    rule: str,
) -> None:  # fmt: skip
    (fault,) = faults_of(data, **arguments)
    assert fault.file == "items.csv"
    assert (fault.row, fault.line, fault.column, fault.value) == place
    assert rule in fault.rule


def test_all_faults_at_once_in_the_order_of_the_file(faults_of: Refuse) -> None:
    data = 'id,text,s,p\n1,a,nan,1\n1,b,0.5\n2,"c\nd",,7\n1,e,0.5,yes\n'
    found = faults_of(data, **{**ALL, "classes": ["no", "yes"], "positive": "perhaps"})
    assert [(fault.row, fault.column) for fault in found] == [
        (None, None),
        (1, "s"),
        (2, None),
        (3, "s"),
        (4, "id"),
    ]
    found = faults_of(data, **{**ALL, "classes": ["no", "yes"]}, metadata=["m"])
    assert [(fault.row, fault.column, fault.line) for fault in found] == [
        (None, "m", None),
        (1, "s", 2),
        (2, None, 3),
        (3, "s", 4),
        (3, "p", 4),
        (4, "id", 6),
    ]


def test_every_undecodable_line_is_named(faults_of: Refuse) -> None:
    found = faults_of(b'text\n\xe9\n"a\n\xe9"\nok\n', dialect={"encoding": "utf-8"})
    assert [(fault.row, fault.line) for fault in found] == [(1, 2), (2, 4)]


def test_huge_values_are_shown_short(faults_of: Refuse) -> None:
    (fault,) = faults_of(f"text,s\na,{'9x' * 5000}\n", scores={"lr": "s"})
    assert fault.value is not None
    assert len(fault.value) == 80
    wide = ",".join(f"c{number}" for number in range(5000))
    (fault,) = faults_of(f"{wide}\n{wide}\n")
    assert len(fault.rule) < 400
    assert "4,970 more" in fault.rule


def test_a_million_row_habit_every_other_score_wrong(faults_of: Refuse) -> None:
    found = faults_of("text,s\n" + "a,?\na,1\n" * 5000, scores={"lr": "s"})
    assert [fault.row for fault in found] == list(range(1, 10_000, 2))
    assert [fault.line for fault in found] == list(range(2, 10_001, 2))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"items\.csv: there is no such file"):
        read_population(tmp_path / "items.csv", content="text")


@pytest.mark.parametrize(("suffix", "instead"), [("xls", "save it as"), ("zip", "unpack it and")])
def test_unknown_suffix(csv_file: Callable[..., Path], suffix: str, instead: str) -> None:
    with pytest.raises(ValueError, match=rf"one of \.csv, \.tsv, .*\.parquet.*; {instead}"):
        read_population(csv_file("text\na\n", f"items.{suffix}"), content="text")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_an_unreadable_file(csv_file: Callable[..., Path]) -> None:
    path = csv_file("text\na\n")
    path.chmod(0)
    with pytest.raises(ValueError, match="cannot be read"):
        read_population(path, content="text")


def test_an_error_of_the_disk_is_a_value_error(
    csv_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_file("text\na\n")

    def fail(self: Path, *arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(ValueError, match=r"items\.csv: the file cannot be read: Permission"):
        read_population(path, content="text")


@pytest.mark.parametrize("name", ["items.csv", "items.csv.gz"])
def test_a_changed_file_is_not_shown(csv_file: Callable[..., Path], name: str) -> None:
    path = csv_file("text\na\nb\n", name)
    population = read_population(path, content="text", metadata="text")
    csv_file("text\nb\na\n", name)
    os.utime(path, ns=(1, 1))
    for look_up in (population.content, population.metadata):
        with pytest.raises(ValueError, match="changed after it was read"):
            look_up("1")
    with pytest.raises(ValueError, match="changed after it was read"):
        population.column("text")
    path.unlink()
    with pytest.raises(FileNotFoundError, match="no such file"):
        population.content("1")


def test_a_packed_copy_that_was_cleared_away(csv_file: Callable[..., Path]) -> None:
    population = read_population(csv_file("text\na\n", "items.csv.gz"), content="text")
    rows: Contents = population._table._packed  # type: ignore[attr-defined]
    rows.path.unlink()
    rows._mapped = None  # As where nothing stays mapped.
    with pytest.raises(ValueError, match=r"items\.csv\.gz: the item '1' cannot be read"):
        population.content("1")


def test_a_file_that_changes_while_it_is_read(
    csv_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from labelcore.population import read as module

    path = csv_file("text\na\n")
    fingerprint = module.fingerprint_of

    def slow(files: list[Path], arguments: Any) -> str:
        os.utime(files[0], ns=(1, 1))
        return fingerprint(files, arguments)

    monkeypatch.setattr(module, "fingerprint_of", slow)
    with pytest.raises(ValueError, match="changed while it was read"):
        read_population(path, content="text")

    def grown(*_: Any) -> None:
        path.write_text("text\na\nb\n")
        raise IndexError

    monkeypatch.setattr(module, "read_values", grown)
    with pytest.raises(ValueError, match="changed while it was read"):
        read_population(path, content="text")
    monkeypatch.setattr(module.FileState, "of", lambda *_: 1)
    with pytest.raises(IndexError):
        read_population(path, content="text")


def test_equal_faults_are_told_once() -> None:
    """Those that differ in their row only are one line; those beyond twenty lines are counted."""
    same = [Fault("a.csv", "p", row, "x", "must be 0 or 1", row + 1) for row in (3, 7, 9)]
    other = Fault("a.csv", "p", 4, "y", "must be 0 or 1", 5)
    error = PopulationError([same[0], other, *same[1:]])
    assert str(error) == (
        "a.csv, row 3 (line 4 of the file), column 'p': must be 0 or 1, got 'x' (the same in 2 "
        "more rows)\na.csv, row 4 (line 5 of the file), column 'p': must be 0 or 1, got 'y'"
    )
    assert error.faults == (same[0], other, *same[1:])
    many = [Fault("a.csv", "p", n, str(n // 2), "must be 0 or 1") for n in range(46)]
    assert str(PopulationError(many)).splitlines()[-1] == "and 6 more faults like these"
