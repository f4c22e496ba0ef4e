import io
import json
import os
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from labelcore.errors import PopulationError
from labelcore.population import Dialect
from labelcore.population.guess import guess
from labelcore.ui.files import (
    OutsideError,
    dropped_as,
    inside,
    keep_upload,
    listed,
    named,
    read_form,
    read_head,
    safe_name,
)
from labelcore.ui.reading import is_there


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a.csv", "a.csv"),
        ("../../x.csv", "x.csv"),
        ("C:\\dir\\y.parquet", "y.parquet"),
        ("..csv", "items.csv"),
        ("größe 2.csv.gz", "größe 2.csv.gz"),
        ("a\x00b.csv", "a_b.csv"),
        ("x" * 300 + ".csv", "x" * 80 + ".csv"),
        ("😀" * 300 + ".zip", "😀" * 50 + ".zip"),
        (" .ZIP", "items.zip"),
    ],
)
def test_safe_name(given: str, kept: str) -> None:
    assert safe_name(given) == kept


def test_upload_is_kept_once(data_folder: Path) -> None:
    first = keep_upload("a.csv", b"id\n1\n")
    assert keep_upload("a.csv", b"id\n1\n") == first
    other = keep_upload("a.csv", b"id\n2\n")
    assert other.name == "a 2.csv" and first.read_bytes() == b"id\n1\n"
    assert sorted(path.name for path in first.parent.iterdir()) == ["a 2.csv", "a.csv"]
    assert set(listed()) == {"files/a.csv", "files/a 2.csv"}


def test_an_upload_of_another_tool_is_kept_as_the_table_that_it_is_read_as(
    data_folder: Path,
) -> None:
    choice = {"type": "choices", "value": {"choices": ["spam"]}}
    task = {
        "id": 1,
        "data": {"text": "Win"},
        "predictions": [{"model_version": "a", "score": 0.9, "result": [choice]}],
        "annotations": [{"was_cancelled": False, "result": [choice]}],
    }
    path = keep_upload("export.json", json.dumps([task]).encode())
    assert path.name == "export.parquet"
    assert keep_upload("export.json", json.dumps([task]).encode()) == path
    head = read_head(path)
    found = guess(head.columns, head.sample)
    assert found.content == ("text",) and found.answers[0] == "annotation"
    assert [(one.score, one.prediction) for one in found.classifiers] == [
        ("a_score", "a_prediction")
    ]
    assert keep_upload("refs.ris", b"TY  - JOUR\nTI  - A\nER  - \n").name == "refs.parquet"
    with pytest.raises(PopulationError, match="looks like an export of Label Studio"):
        keep_upload("broken.json", json.dumps([task]).encode()[:-5])


def test_upload_of_another_kind_is_not_kept(data_folder: Path) -> None:
    with pytest.raises(
        ValueError, match=r"a\.png: the suffix must be one of \.csv, .*\.feather, .*\.duckdb"
    ):
        keep_upload("a.png", b"x")
    with pytest.raises(ValueError, match=r"a\.duckdb: is no DuckDB file"):
        keep_upload("a.duckdb", b"x")
    assert not (data_folder / "files").exists()


def test_head_of_a_broken_file_raises_its_faults(data_folder: Path) -> None:
    path = keep_upload("a.csv", b"id,text\n1,f\xfcr\n")
    with pytest.raises(PopulationError) as caught:
        read_head(path, {"encoding": "utf-8"})
    assert [(fault.line, fault.value) for fault in caught.value.faults] == [(2, "byte 0xfc")]
    assert read_head(path).sample == ({"id": "1", "text": "für"},)


@pytest.mark.parametrize(
    ("name", "content", "headless"),
    [
        ("a.csv", "id,text\n1,a\n2,b\n", False),
        ("a.csv", "1,Hello,0.75\n2,You there,0.1\n3,Bye,0.5\n", True),
        ("a.csv", "1;Hallo;0,75\n2;Du da;0,1\n3;Ade;0,5\n", True),
        ("a.csv", "Hello world,spam\nYou there,ham\nBye,spam\nHi,spam\nOh,ham\nAh,ham\n", True),
        ("a.csv", "year,2019,2020\nberlin,a,b\nbonn,c,d\n", False),
        ("a.csv", "text,yes\nyes no,no\nno yes,no\n", False),
        ("a.txt", "Win a free phone now\nAre you there, Ann?\nCall me, it is late\nok\n", True),
        ("a.txt", "What was said\nWin a free phone now\nCall me, it is late\n", False),
        ("a.jsonl", '{"1": 2}\n{"1": 3}\n', False),
    ],
)
def test_a_first_row_that_looks_like_data(
    data_folder: Path, name: str, content: str, headless: bool
) -> None:
    assert read_head(keep_upload(name, content.encode())).headless is headless


def test_the_form_says_what_may_be_chosen(data_folder: Path) -> None:
    form = read_form(keep_upload("a.tsv", "id\ttext\n1\tfür\n".encode("utf-16")))
    assert form.dialect == Dialect(encoding="utf-16-le", delimiter="\t")
    assert form.options == ("encoding", "delimiter", "decimal", "quote", "header")
    assert read_form(keep_upload("a.jsonl", b'{"text": 1}')).options == ("encoding",)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("id,text,score\n1,a\n2,b,0.1\n", (1, 2, "a row must have 3 cells, got 2")),
        ("id,text\n1,a\nTotal\n", (2, 3, "a row must have 2 cells, got 1")),
        ("id,text\n" + "1,a\n" * 58 + "59\n", (59, 60, "a row must have 2 cells, got 1")),
        ("id,text\n" + "1,a\n" * 500 + "x,b,c\n", (501, 502, "a row must have 2 cells, got 3")),
    ],
)
def test_a_ragged_row_is_told_before_anything_is_chosen(
    data_folder: Path, text: str, fault: tuple[int, int, str]
) -> None:
    with pytest.raises(PopulationError) as caught:
        read_head(keep_upload("a.csv", text.encode()))
    assert [(one.row, one.line, one.rule) for one in caught.value.faults] == [fault]


def test_a_path_with_a_nul_byte(data_folder: Path) -> None:
    with pytest.raises(ValueError, match="'a\\\\x00.csv' holds a NUL character"):
        inside("a\0.csv")


def test_inside(data_folder: Path, tmp_path: Path) -> None:
    path = keep_upload("a.csv", b"id\n1\n")
    assert inside("files/a.csv") == path == inside(str(path))
    (tmp_path / "out.csv").write_text("x")
    (path.parent / "link.csv").symlink_to(tmp_path / "out.csv")
    for wanted in ("../out.csv", "files/link.csv", "/etc/passwd", "files/../../out.csv"):
        with pytest.raises(OutsideError):
            inside(wanted)
    with pytest.raises(FileNotFoundError):
        inside("files/none.csv")


@pytest.mark.skipif(os.name == "nt", reason="few may make links")
@pytest.mark.parametrize("anywhere", [False, True])
def test_a_link_to_itself_is_no_file(
    data_folder: Path, anywhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_folder.mkdir(exist_ok=True)
    (data_folder / "loop.csv").symlink_to("loop.csv")
    with pytest.raises(FileNotFoundError, match=r"There is no file .*loop\.csv"):
        named("loop.csv", anywhere=anywhere)
    monkeypatch.setenv("LABELCORE_DATA", str(data_folder / "loop.csv"))
    with pytest.raises(FileNotFoundError, match=r"There is no file .*items\.csv"):
        named("items.csv", anywhere=anywhere)


def test_a_path_of_this_machine(data_folder: Path, tmp_path: Path) -> None:
    """A copy is taken of a table, a zip or the pictures of a folder, and of nothing else."""
    outside = tmp_path / "out"
    (outside / "cat").mkdir(parents=True)
    (outside / "a.csv").write_text("id\n1\n")
    assert named(f'"{outside / "a.csv"}"', anywhere=True) == data_folder / "files" / "a.csv"
    for wanted in (str(outside / "a.csv"), str(outside), "../out/a.csv"):
        with pytest.raises(ValueError, match="outside the data folder|no file whose name ends"):
            named(wanted, anywhere=False)
    (outside / "a.csv").unlink()
    Image.new("L", (4, 4)).save(outside / "cat" / "1.png")
    table = named(str(outside), anywhere=True)
    assert table.name == "out.csv" and table.is_relative_to(data_folder / "files")
    assert (table.parent / "cat" / "1.png").is_file()
    assert named(str(outside), anywhere=True) == table
    (outside / "secret").write_text("x")
    (outside / "link.csv").symlink_to(outside / "secret")
    os.mkfifo(outside / "pipe.csv")
    for name in ("secret", "link.csv", "pipe.csv", "none.csv"):
        with pytest.raises(
            (ValueError, FileNotFoundError), match="suffix must be|There is no file"
        ):
            named(str(outside / name), anywhere=True)
    for anywhere in (True, False):
        with pytest.raises(FileNotFoundError, match="There is no file .*~nobody-here/items.csv"):
            named("~nobody-here/items.csv", anywhere=anywhere)


def test_a_zip_is_kept_once_and_taken_apart(data_folder: Path, tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as stream:
        stream.writestr("p/1.png", b"x")
    assert keep_upload("😀" * 90 + ".zip", content.getvalue()).is_file()
    path = keep_upload("My pets.zip", content.getvalue())
    assert path == keep_upload("My pets.zip", content.getvalue())
    (data_folder / "My pets.zip").write_bytes(content.getvalue())
    assert named("My pets.zip", anywhere=True) == path
    assert path.parent.name.startswith("My pets ") and path.parent.parent == data_folder / "files"
    within, beside = path.parent / "tables" / "labels.csv", data_folder / "labels.v2.csv"
    assert [*map(dropped_as, (path, within, beside))] == ["My pets", "My pets", "labels.v2.csv"]
    with pytest.raises(PopulationError, match="no zip"):
        keep_upload("a.zip", b"PK")
    assert len(list((data_folder / "files").iterdir())) == 2


def test_a_folder_of_parts(data_folder: Path, tmp_path: Path) -> None:
    folder = data_folder / "parts"
    folder.mkdir(parents=True)
    with pytest.raises(ValueError, match=r"the folder holds no file whose name ends in \.parquet"):
        inside("parts")
    for number in range(3):
        rows = pa.table({"id": [f"{number}-{row}" for row in range(4)], "text": ["a"] * 4})
        pq.write_table(rows, folder / f"{number}.parquet")
    assert inside("parts") == folder
    assert read_form(folder).options == ()
    head = read_head(folder)
    assert (head.columns, head.rows, len(head.sample)) == (("id", "text"), 12, 4)
    assert is_there(folder) and is_there(folder / "0.parquet")
    (data_folder / "empty").mkdir()
    assert not is_there(data_folder / "empty") and not is_there(folder / "none.parquet")
    pq.write_table(rows, tmp_path / "outside.parquet")
    (folder / "3.parquet").symlink_to(tmp_path / "outside.parquet")
    with pytest.raises(OutsideError):
        inside("parts")
