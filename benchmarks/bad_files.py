"""Hostile and broken files on New project, while another person labels, in a real Chromium.

    python -m benchmarks.bad_files [--quick] [--write]

One browser labels, about twice a second; another one uploads one bad file after the other and waits
for what the page says. One is changed while it is read, one is read while the disk of temporary
files is full: that needs the right to mount one. What is left is counted in the folders of
temporary files, after the last page was closed and the memory that the server holds was read.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from playwright.sync_api import Page

from benchmarks.browser import BETWEEN_MS, DONE, STOPWATCH, rows
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from tests.browser import driving
from tests.browser.chromium import launch
from tests.browser.server import Server

WAIT_SECONDS, QUIET_PRESSES, LABELLED = 150.0, 40, 20
DISK = 24_000_000
SHEET = "xl/worksheets/sheet1.xml"
HEAD_OF_SHEET = (
    b'<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006'
    b'/main"><sheetData>'
)


def press(page: Page, random: Random) -> None:
    page.wait_for_function(DONE, polling=20)
    page.keyboard.press(random.choice("yyn"))
    page.wait_for_timeout(random.uniform(*BETWEEN_MS[1]))


def memory_of(process: int) -> int:
    """Resident bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def cells_of_one(rows: int) -> Callable[[Path], None]:
    """The same 100 kB in every row, stored once."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["a" * 100_000])
    return lambda path: pq.write_table(pa.table({"text": text}), path, compression="zstd")


def packed(path: Path) -> None:
    with gzip.open(path, "wb", 9) as stream:
        stream.write(b"text,score\n")
        for _ in range(2000):
            stream.write(b"a,1\n" * 500_000)


def sheet(path: Path, pieces: Iterator[bytes]) -> None:
    """A workbook whose sheet is this."""
    plain = path.with_suffix(".plain")
    openpyxl.Workbook().save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name in source.namelist():
            if name != SHEET:
                out.writestr(name, source.read(name))
        with out.open(SHEET, "w", force_zip64=True) as stream:
            stream.write(HEAD_OF_SHEET)
            for piece in pieces:
                stream.write(piece)
            stream.write(b"</sheetData></worksheet>")
    plain.unlink()


def one_cell(path: Path) -> None:
    text = (b'<row r="%d"><c t="inlineStr"><is><t>', b"</t></is></c></row>")
    pieces = [text[0] % 1, b"text", text[1], text[0] % 2, b"a" * 90_000_000, text[1]]
    sheet(path, iter(pieces))


def zipped(path: Path) -> None:
    sheet(path, (b"<row/>" * 1_000_000 for _ in range(60)))


def text(content: str | bytes) -> Callable[[Path], None]:
    raw = content.encode() if isinstance(content, str) else content
    return lambda path: path.write_bytes(raw) and None


def many_columns(number: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        names = ["id", "text", *(f"c{place}" for place in range(number - 2))]
        line = ",".join(["7"] * (number - 2))
        path.write_text("\n".join([",".join(names), *(f"{k},a,{line}" for k in range(9))]) + "\n")

    return write


def plain(number: int, *, packed: bool = False) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        rows = "".join(f"i{k},text {k},{k / number}\n" for k in range(number))
        data = f"id,text,score\n{rows}".encode()
        path.write_bytes(gzip.compress(data, 1) if packed else data)

    return write


FILES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "Parquet, one cell of 100 kB 18,000 times": ("bomb.parquet", cells_of_one(18_000)),
    "the same 500,000 times": ("larger.parquet", cells_of_one(500_000)),
    "gzip of 4 GB": ("bomb.csv.gz", packed),
    "Excel, 60,000,000 empty rows": ("bomb.xlsx", zipped),
    "Excel, one cell of 90 MB": ("cell.xlsx", one_cell),
    "JSON, 100,000 deep": ("deep.json", text('{"a":' + "[" * 100_000 + "]" * 100_000 + "}")),
    "NUL": ("nul.csv", text(b"id,text,score\n1,a\0b,0.5\n2,b,0.1\n")),
    "half surrogates": ("half.jsonl", text('{"id": 1, "text": "\\ud800", "score": 0.5}\n')),
    "ragged rows": ("ragged.csv", text("id,text\n" + "1,a\n2\n3,b,c\n" * 30_000)),
    "double keys": ("keys.jsonl", text('{"id": 1, "text": "a", "text": "b"}\n')),
    "99,999 columns": ("wide.csv", many_columns(99_999)),
    "20,000 columns": ("genes.csv", many_columns(20_000)),
    "changed while it is read": ("changed.csv", plain(400_000)),
    "a full disk": ("full.csv.gz", plain(900_000, packed=True)),
}  # fmt: skip
QUICK = ("Parquet, one cell of 100 kB 18,000 times", "JSON, 100,000 deep", "ragged rows")


def bytes_in(*folders: Path) -> int:
    files = [one for folder in folders for one in folder.rglob("*") if one.is_file()]
    return sum(one.stat().st_size for one in files)


@contextmanager
def growing(path: Path) -> Iterator[None]:
    """A line more at the end of a file, again and again."""
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(0.01):
            with path.open("a") as stream:
                stream.write("more,more,0.5\n")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A disk of its own for temporary files, where that can be had."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def said(page: Page) -> str:
    """What the page says of the file, "" as long as it says nothing."""
    for one in page.get_by_test_id("stAlert").all():
        with suppress(Exception):
            words = " ".join(one.inner_text(timeout=500).split())
            if words and "No classifier was found" not in words:
                return words
    return "read" if page.get_by_text("no fault").count() else ""


def run(name: str) -> list[Row]:
    file, write = FILES[name]
    full = name == "a full disk"
    with tempfile.TemporaryDirectory() as place, small_disk(Path(place) / "tmp") as mounted:
        if full and not mounted:
            return [{"name": name, "said": "not run: no disk could be mounted"}]
        folder, temporary = Path(place), Path(place) / ("tmp" if full else "temporary")
        temporary.mkdir(exist_ok=True)
        data, random = folder / "data", Random(2)
        terms = {"budget": 400, "estimands": ("accuracy", "precision", "recall")}
        driving.make_project(data, "Messages", rows=rows(), **terms)
        driving.label_without_page(data, "Messages", LABELLED)
        changes = name.startswith("changed")
        target = (data if changes else folder) / file
        write(target)
        environment = {"TMPDIR": str(temporary)}
        with Server(data, environment=environment) as server, launch() as browser:
            page, other = (browser.new_context().new_page() for _ in range(2))
            page.add_init_script(STOPWATCH)
            driving.open_label(page, server.url, "Messages")
            other.goto(f"{server.url}/new_project")
            other.locator("input[type=file]").first.wait_for(state="attached", timeout=60_000)
            driving.wait_until_idle(other)
            for _ in range(QUIET_PRESSES):
                press(page, random)
            page.wait_for_function(DONE)
            quiet = saved(page)
            before, kept = memory_of(server.process_id), bytes_in(temporary)
            size, most, written, told = target.stat().st_size, before, 0, ""
            start = time.monotonic()
            with growing(target) if changes else nullcontext():
                give(other, target, typed=changes)
                while not (told := said(other)) and time.monotonic() - start < WAIT_SECONDS:
                    press(page, random)
                    most = max(most, memory_of(server.process_id))
                    written = max(written, bytes_in(temporary) - kept)
                took = time.monotonic() - start
            told = told.replace(f"{target.parent}/", "")
            page.wait_for_function(DONE)
            during = saved(page)
            other.close()
            time.sleep(2)
            after, left = memory_of(server.process_id), bytes_in(temporary) - kept
    return [
        {
            "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "name": name, "size": size,
            "said": told or f"nothing within {WAIT_SECONDS:g} s", "took": took,
            "quiet": max(quiet), "during": max(during, default=0.0), "presses": len(during),
            "most": most - before, "after": after - before, "written": written, "left": left,
            "load": os.getloadavg()[0],
        }
    ]  # fmt: skip


def saved(page: Page) -> list[float]:
    found = page.evaluate("stopwatch.splice(0)")
    return [one["confirmed"] - one["start"] for one in found]


def give(page: Page, file: Path, *, typed: bool) -> None:
    if not typed:
        page.locator("input[type=file]").first.set_input_files(str(file))
        return
    field = page.locator(".st-key-new-typed input")
    field.fill(file.name)
    field.press("Enter")


def jobs(options: Options) -> dict[str, Job]:
    return {name: partial(run, name) for name in (QUICK if options.quick else FILES)}


def tables(rows: Rows, options: Options) -> str:
    names = ("file", "bytes", "what the page says", "after s", "slowest press, ms: before",
             "meanwhile", "server grew by MB: at most", "at the end", "MB written at most",
             "bytes left", "load")  # fmt: skip
    lines = []
    for one in flat(rows):
        if "size" not in one:
            lines.append((one["name"], "", one["said"], *[""] * 8))
            continue
        lines.append(
            (one["name"], f"{one['size']:,}", one["said"].replace("|", r"\|")[:300],
             f"{one['took']:.1f}", f"{one['quiet']:.0f}", f"{one['during']:.0f}",
             f"{one['most'] / 1e6:.0f}", f"{one['after'] / 1e6:.0f}",
             f"{one['written'] / 1e6:.0f}", f"{one['left']:,}", f"{one['load']:.1f}")
        )  # fmt: skip
    return markdown(names, lines)


HEAD = f"""# Bad files

{MADE}

A file is uploaded on *New project*, or read in the data folder, on a server of its own, while
another person labels in a second browser; the clock of a press runs from the key to "Saved". The
server's memory is what it holds of its own; the process that reads is not in it. Bytes are those in
the folder of temporary files.

"""
BENCHMARK = Benchmark(
    name="bad_files", about=__doc__, jobs=jobs, tables=tables, runs=1, quick_runs=1,
    page="bad_files.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
