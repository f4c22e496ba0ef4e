"""The page's own way of reading: thousands of damaged files, each read or refused in words; about
a hundred of them with every change."""

import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest

from labelcore.population import apart
from labelcore.population.guess import guess
from tests.cases import repeated, sampled

ROWS = [
    {"id": f"a{n}", "text": text, "score": n / 7, "pred": n % 2, "more": [n, {"k": text}]}
    for n, text in enumerate(
        ["plain", 'a "quoted", one', "two\nlines", "für 日本", "", "x;y|z"] * 3
    )
]
TOKENS = (
    *(b",", b";", b"\t", b"|", b'"', b'""', b"\n", b"\r", b"\r\n", b"\n\n", b"\0"),
    *(b"\xff", b"\xfe"),
    *(b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b":", b"null", b"NaN", b"1e999", b"\\u", b"\\ud800"),
    *(b"[" * 300, b"9" * 400, b"a" * 5000, b",,,,,,,", b"id", b"text", b"\x1f\x8b", b"PK\x03\x04"),
)


def delimited(mark: str) -> bytes:
    out = io.StringIO(newline="")
    names = ["id", "text", "score", "pred"]
    out.write(mark.join(names) + "\n")
    for row in ROWS:
        text = str(row["text"]).replace('"', '""')
        out.write(mark.join([str(row["id"]), f'"{text}"', str(row["score"]), str(row["pred"])]))
        out.write("\n")
    return out.getvalue().encode()


def excel() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["id", "text", "score"])
    for row in ROWS:
        sheet.append([row["id"], row["text"], row["score"]])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    names = ("id", "text", "score", "pred")
    table = pa.table({name: [row[name] for row in ROWS] for name in names})
    pyarrow.parquet.write_table(table, out, compression="none", row_group_size=7)
    return out.getvalue()


LINES = "\n".join(json.dumps(row) for row in ROWS).encode()
AT_ONCE = 20
# Name of the file, its content, how many times so many mutants; what is slow to open has fewer.
SEEDS: dict[str, tuple[str, bytes, int]] = {
    "commas": ("a.csv", delimited(","), 45),
    "UTF-16": ("a.csv", delimited(";").decode().encode("utf-16"), 10),
    "tabs": ("a.tsv", delimited("\t"), 25),
    "bars": ("a.txt", delimited("|").decode().encode("cp1252", "replace"), 15),
    "JSON": ("a.json", json.dumps(ROWS, indent=1).encode(), 25),
    "lines of JSON": ("a.jsonl", LINES, 25),
    "commas, packed": ("a.csv.gz", gzip.compress(delimited(","), mtime=0), 15),
    "lines, packed": ("a.jsonl.gz", gzip.compress(LINES, mtime=0), 10),
    "Parquet": ("a.parquet", parquet(), 20),
    "Excel": ("a.xlsx", excel(), 5),
}
PARTS = [(kind, part) for kind, (_, _, parts) in SEEDS.items() for part in range(parts)]


def mutant(seed: bytes, dice: random.Random) -> bytes:
    """One to four damages: a byte, a token, a piece left out, doubled, moved or cut off."""
    data = bytearray(seed)
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(data) + 1)
        piece = data[place : place + dice.choice((1, 2, 8, 60, 300))]
        match dice.randrange(6):
            case 0 if place < len(data):
                data[place] = dice.randrange(256)
            case 1 | 0:
                data[place:place] = dice.choice(TOKENS)
            case 2:
                del data[place : place + len(piece)]
            case 3:
                data[place:place] = piece * dice.choice((1, 2, 50))
            case 4:
                del data[place : place + len(piece)]
                there = dice.randrange(len(data) + 1)
                data[there:there] = piece
            case _:
                del data[place:]
    return bytes(data)


def mutants(kind: str, part: int) -> Iterator[bytes]:
    name, seed, _ = SEEDS[kind]
    dice = random.Random(f"{kind} {part}")
    whole = gzip.decompress(seed) if name.endswith(".gz") else None
    for place in range(repeated(AT_ONCE)):
        if whole is not None and place % 2:
            yield gzip.compress(mutant(whole, dice), 1, mtime=0)
        else:
            yield mutant(seed, dice)


@pytest.fixture(autouse=True)
def _written_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "written").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "written"))


def read_as_the_page_does(path: Path) -> None:
    """What *New project* asks of a file, before anybody has chosen a column and after; in this
    process, for speed."""
    apart.look([str(path)], {})
    head = apart.head_from(json.loads(json.dumps(apart.look_inside([str(path)], {}))))
    found = guess(head.columns, head.sample)
    arguments = {"id": found.id, "content": list(found.content) or [head.columns[0]]}
    apart.read_and_compare(str(path), arguments, [], list(head.columns), 20)


def strange(path: Path, read: Callable[[Path], None]) -> str:
    """What is wrong with how a file was refused; empty where nothing is."""
    try:
        read(path)
    except (ValueError, TypeError, FileNotFoundError) as error:
        said = str(error)
        refused = not isinstance(error, (UnicodeError, json.JSONDecodeError))
        return "" if refused and said.startswith("a.") and " " in said else repr(error)
    except BaseException as error:
        return repr(error)
    return ""


@pytest.mark.parametrize(
    ("kind", "part"), sampled(PARTS, 13, seed=1, keep=[(kind, 0) for kind in SEEDS])
)
def test_a_damaged_file_is_read_or_refused_in_words(tmp_path: Path, kind: str, part: int) -> None:
    path = tmp_path / SEEDS[kind][0]
    found: dict[str, bytes] = {}
    for data in mutants(kind, part):
        path.write_bytes(data)
        if wrong := strange(path, read_as_the_page_does):
            found.setdefault(wrong, data)
    assert found == {}


@pytest.mark.parametrize("kind", SEEDS)
def test_the_files_damaged_here_can_be_read(tmp_path: Path, kind: str) -> None:
    name, seed, _ = SEEDS[kind]
    path = tmp_path / name
    path.write_bytes(seed)
    read_as_the_page_does(path)


def test_an_error_without_words_would_be_seen(tmp_path: Path) -> None:
    def index(path: Path) -> None:
        raise IndexError("list index out of range")

    def decode(path: Path) -> None:
        b"\xff".decode()

    assert strange(tmp_path, index) == "IndexError('list index out of range')"
    assert strange(tmp_path, decode).startswith("UnicodeDecodeError")
