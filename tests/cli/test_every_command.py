"""Commands one after another on one store: all that they print and write stays, also where another
writer is faster once before each event."""

import csv
import io
import json
import re
import shlex
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pandas as pd
import pytest

from labelcore.session import drawing, ledger, projects
from labelcore.session import session as whole
from labelcore.store import ConflictError, Guard
from labelcore.store.sqlite import SqliteStore
from tests.cli.conftest import Run
from tests.pinned import cases, holds
from tests.report.sessions import write_items

pytestmark = [pytest.mark.slow, pytest.mark.as_shipped]
STORIES = cases("commands")
"""Name -> the commands; "fill FILE EVERY NOTE ANSWER" answers a batch by the truth, and
every so many items so."""
NEW = re.compile(
    r"(?<=start=)[\w-]+|(?<![\d.])[0-9a-f]{12,}|\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:[\d.+:]+)?)?( UTC)?"
    r"|20\d{6}T\d+Z?|[\d,]+ bytes|(?<=bytes\": )\d+|[\w+/]{60,}=*|[\w.-]+(?= \(command\))"
)
"""Tokens, hashes, salts, moments, sizes and who runs the tests."""


def cleaned(text: str, folder: Path) -> str:
    text = NEW.sub("NEW", text.replace(str(folder), "HERE"))
    return re.sub(r"\d+\.\d{7,}(e-?\d+)?", lambda found: f"{float(found[0]):.5g}", text)


def written(raw: bytes, folder: Path) -> Any:
    """What a file says: of text its lines and a checksum, of a zip the same of each member."""
    if raw.startswith(b"PAR1"):
        raw = pd.read_parquet(io.BytesIO(raw)).to_csv().encode()
    if raw.startswith(b"PK"):
        packed = zipfile.ZipFile(io.BytesIO(raw))
        return {name: written(packed.read(name), folder) for name in sorted(packed.namelist())}
    try:
        text = cleaned(raw.decode(), folder)
    except UnicodeDecodeError:
        return raw[:4].decode(errors="replace")
    return [text.count("\n"), crc32(text.encode())]


def fill(
    truth: dict[str, bool], file: str, every: str = "0", note: str = "", answer: str = "no"
) -> tuple[Any, ...]:
    rows = list(csv.DictReader(io.StringIO(Path(file).read_text("utf-8"))))
    for place, row in enumerate(rows, 1):
        wrong = int(every) and place % int(every) == 0
        row["answer"] = answer if wrong else "yes" if truth.get(row["id"]) else "no"
        row["note"] = note if wrong else ""
    with Path(file).open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]) if rows else ["id"])
        table.writeheader()
        table.writerows(rows)
    return 0, "", ""


def told(story: str, folder: Path, run: Run) -> list[Any]:
    truth, found = write_items(folder / "items.csv", 60), list[Any]()
    known = {path.name for path in folder.iterdir()}
    for line in STORIES[story]:
        command, *given = shlex.split(line)
        if command == "write":
            Path(given[0]).write_text(given[1].replace("\\n", "\n"), "utf-8")
            continue
        act: Callable[..., Any] = run if command != "fill" else lambda _, *some: fill(truth, *some)
        code, *said = act(command, *given)
        new = sorted(path for path in folder.iterdir() if path.name not in known)
        known |= {path.name for path in new}
        asked = [path for path in new if path.name in line and path.suffix != ".db"]
        files = {path.name: written(path.read_bytes(), folder) for path in asked}
        found.append([code, *(cleaned(one, folder) for one in said), *([files] if files else [])])
    return found


@pytest.mark.parametrize(
    ("story", "faster"), [*((one, False) for one in STORIES), ("labels", True), ("people", True)]
)
def test_what_commands_print_and_write_stays(
    story: str, faster: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    append, told_of = SqliteStore.append, list[tuple[str, int]]()

    def once_later(store: SqliteStore, project: str, events: Any, *contents: Any) -> None:
        if events and (place := (project, events[0].sequence)) not in told_of[-1:]:
            told_of.append(place)
            raise ConflictError(place[1], place[1])
        append(store, project, events, *contents)

    for module in (drawing, ledger, projects, whole):
        monkeypatch.setattr(module, "now", lambda: "2026-05-03T08:00:00.000000+00:00")
    monkeypatch.setattr(Guard, "noticed", lambda *_: None)  # It works beside a command.
    if faster:
        monkeypatch.setattr(SqliteStore, "append", once_later)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        holds("commands", story, json.loads(json.dumps(told(story, tmp_path, run))))
    assert faster == bool(told_of)
