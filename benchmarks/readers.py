"""Seconds and peak memory of reading a file of each format.

    python -m benchmarks.readers [--quick] [--write]

A million rows of CSV, Windows-1252 with semicolons, gzipped TSV, JSON Lines, one JSON list,
Parquet, a folder of Parquet parts, and the files of Label Studio, doccano, Prodigy, Hugging Face
datasets and RIS, and 50,000 rows of Excel, all of them the same synthetic items made here with a
fixed seed. Each is read in a fresh process: ``read_population`` with ids, two scores and a
prediction (as far as the format has them), then the contents of a hundred items, then the count of
repeated contents.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from labelcore.population import limits

READ = """
import json, re, sys, time
import labelcore as lc

def peak():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read())[1]) / 1024

start, busy = time.perf_counter(), time.process_time()
population = lc.read_population(sys.argv[1], **json.loads(sys.argv[2]))
read, cpu = time.perf_counter() - start, time.process_time() - busy
read_peak = peak()
start = time.perf_counter()
for position in range(0, len(population), len(population) // 100):
    population.content(population.id_at(position))
look_up = (time.perf_counter() - start) / 100
start = time.perf_counter()
repeated = population.duplicate_contents().count
print(json.dumps({"rows": len(population), "read": read, "cpu": cpu, "read_peak": read_peak,
    "look_up": look_up, "duplicates": time.perf_counter() - start, "peak": peak(),
    "repeated": repeated}))
"""
COLUMNS = ("id", "text", "score_a", "score_b", "pred_a", "true_label")
TEXT = "a message of about one hundred characters, as people write them in forms, für Nr. "
Item = tuple[str, str, float, float, int, int]


def items(number: int, seed: int = 0) -> Iterator[Item]:
    """Every thousandth text repeats the one before."""
    random = np.random.default_rng(seed)
    score = random.beta(0.4, 2.0, number).round(6)
    other = np.clip(score + random.normal(0, 0.1, number), 0, 1).round(6)
    truth = (random.random(number) < score).astype(int)
    called = (score >= 0.5).astype(int)
    columns = (column.tolist() for column in (score, other, called, truth))
    for place, row in enumerate(zip(*columns, strict=True)):
        text = f"{TEXT}{place - (place % 1000 == 999)}"
        yield (f"item-{place}", text, *row)


def write_text(path: Path, number: int, mark: str, encoding: str, decimal: str) -> None:
    opener: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding=encoding) as file:
        file.write(mark.join(COLUMNS) + "\n")
        for name, text, *numbers in items(number):
            cells = [str(value).replace(".", decimal) for value in numbers]
            file.write(mark.join([name, f'"{text}"', *cells]) + "\n")


def write_lines(path: Path, number: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for item in items(number):
            file.write(json.dumps(dict(zip(COLUMNS, item, strict=True)), ensure_ascii=False) + "\n")


def write_list(path: Path, number: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        rows = (dict(zip(COLUMNS, item, strict=True)) for item in items(number))
        file.write("[" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "]")


def write_parquet(path: Path, number: int) -> None:
    columns = zip(*items(number), strict=True)
    table = pa.table(dict(zip(COLUMNS, map(list, columns), strict=True)))
    pyarrow.parquet.write_table(table, path)


def write_excel(path: Path, number: int) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(COLUMNS)
    for item in items(number):
        sheet.append(item)
    book.save(path)


def write_parts(path: Path, number: int) -> None:
    """Ten files of one folder."""
    path.mkdir()
    columns = zip(*items(number), strict=True)
    whole = pa.table(dict(zip(COLUMNS, map(list, columns), strict=True)))
    for part in range(10):
        some = whole.slice(part * (number // 10), number // 10)
        pyarrow.parquet.write_table(some, path / f"part-{part}.parquet")


def choice(called: int) -> dict[str, Any]:
    return {"type": "choices", "value": {"choices": ["yes" if called else "no"]}}


def write_label_studio(path: Path, number: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for place, (name, text, score, other, called, _) in enumerate(items(number)):
            data = {"id": name, "text": text, "score_b": other}
            model = {"model_version": "a", "score": score, "result": [choice(called)]}
            task = {"id": place, "data": data, "predictions": [model], "annotations": []}
            file.write(("[" if place == 0 else ",\n") + json.dumps(task, ensure_ascii=False))
        file.write("]")


def write_tool_lines(path: Path, number: int, row: Callable[[Row], Row]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for item in items(number):
            made = row(dict(zip(COLUMNS, item, strict=True)))
            file.write(json.dumps(made, ensure_ascii=False) + "\n")


def doccano(item: Row) -> Row:
    return {**item, "label": ["yes"] if item.pop("true_label") else [], "Comments": []}


def prodigy(item: Row) -> Row:
    kept = {name: item[name] for name in ("id", "score_a", "score_b", "pred_a")}
    said = {"label": "YES", "answer": "ignore", "_task_hash": 1, "_view_id": "classification"}
    return {"text": item["text"], "meta": kept, **said}


def write_hugging_face(path: Path, number: int) -> None:
    columns = dict(zip(COLUMNS, map(list, zip(*items(number), strict=True)), strict=True))
    made = pa.table(columns)
    names = {"names": ["no", "yes"], "_type": "ClassLabel"}
    told = json.dumps({"info": {"features": {"pred_a": names, "true_label": names}}})
    pyarrow.parquet.write_table(made.replace_schema_metadata({"huggingface": told}), path)


def write_ris(path: Path, number: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for name, text, *_ in items(number):
            file.write(f"TY  - JOUR\nID  - {name}\nTI  - {text}\nER  - \n\n")


ARGUMENTS: dict[str, Any] = {
    "id": "id",
    "content": ["text"],
    "scores": {"a": "score_a", "b": "score_b"},
    "predictions": {"a": "pred_a"},
}
DIFFERING: dict[str, dict[str, Any]] = {
    "Label Studio": {
        "scores": {"a": "a_score", "b": "score_b"},
        "predictions": {"a": "a_prediction"},
    },
    "doccano": {"known": "annotation"},
    "RIS": {"id": "record_id", "content": ["title"], "scores": {}, "predictions": {}},
}
FILES: dict[str, tuple[str, Callable[[Path, int], None], int]] = {
    "CSV": ("a.csv", lambda p, n: write_text(p, n, ",", "utf-8", "."), 1_000_000),
    "CSV, Windows-1252, semicolons, decimal comma": (
        "b.csv",
        lambda p, n: write_text(p, n, ";", "cp1252", ","),
        1_000_000,
    ),
    "TSV, gzipped": (
        "c.tsv.gz",
        lambda p, n: write_text(p, n, "\t", "utf-8", "."),
        1_000_000,
    ),
    "JSON Lines": ("d.jsonl", write_lines, 1_000_000),
    "one JSON list": ("e.json", write_list, 1_000_000),
    "Parquet": ("f.parquet", write_parquet, 1_000_000),
    "a folder of ten Parquet files": ("parts", write_parts, 1_000_000),
    "Label Studio": ("h.json", write_label_studio, 1_000_000),
    "doccano": ("i.jsonl", lambda p, n: write_tool_lines(p, n, doccano), 1_000_000),
    "Prodigy": ("j.jsonl", lambda p, n: write_tool_lines(p, n, prodigy), 1_000_000),
    "Hugging Face datasets": ("k.parquet", write_hugging_face, 1_000_000),
    "RIS": ("l.ris", write_ris, 1_000_000),
    "Excel": ("g.xlsx", write_excel, 50_000),
}


def measured(name: str, scale: int) -> list[Row]:
    """One format, in a fresh process."""
    file, write, number = FILES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file
        write(path, number // scale)
        arguments = json.dumps(ARGUMENTS | DIFFERING.get(name, {}))
        given = [sys.executable, "-c", READ, str(path), arguments]
        done = subprocess.run(given, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        assert found["repeated"] == number // scale // 1000, found
        parts = [path] if path.is_file() else list(path.iterdir())
        return [{"name": name, "size": sum(one.stat().st_size for one in parts) / 1e6, **found}]


def jobs(options: Options) -> dict[str, Job]:
    return {name: partial(measured, name, 100 if options.quick else 1) for name in FILES}


def tables(rows: Rows, options: Options) -> str:
    names = ("format", "rows", "file", "read", "CPU of it", "peak", "look up", "repeated",
             "peak with it")  # fmt: skip
    found = [
        (one["name"], f"{one['rows']:,}", f"{one['size']:.0f} MB", f"{one['read']:.1f} s",
         f"{one['cpu']:.1f} s", f"{one['read_peak']:.0f} MB", f"{1000 * one['look_up']:.2f} ms",
         f"{one['duplicates']:.1f} s", f"{one['peak']:.0f} MB")
        for one in flat(rows)
    ]  # fmt: skip
    return f"{table(names, found)}{LIMITS}"


HEAD = f"""# Speed and memory of reading files

{MADE}

Each row is a fresh process; [the benchmark](../benchmarks/readers.py) says what is read. Read:
`read_population`, from the path to a population without faults, detection of the file's form
included; the CPU seconds beside it add up both cores and depend less on what else the machine was
doing. Look up: the content of one item, the mean of a hundred all over the file. Repeated:
`duplicate_contents()`, which reads every content once more and found exactly those made to repeat.
Peaks are of the whole process (VmHWM of Linux), with Python, NumPy, pandas and Arrow in it; the
goal is below 1,000 MB for a million rows.

"""
LIMITS = f"""
## What a file may hold

More is refused before it is read, with the limit and what the file has. The numbers stand in
`labelcore/population/limits.py`. They are not for Parquet of five million rows or more, which stays
where it is: any number of rows is read.

| of | at most |
|---|---|
| columns | {limits.MOST_COLUMNS:,} |
| rows | {limits.MOST_ROWS:,} |
| one row, or one object of JSON | {limits.LONGEST_ROW / 1e6:,.0f} MB |
| levels of a nested JSON value | {limits.MOST_NESTED} |
| a JSON file that is one list | {limits.LARGEST_LIST / 1e6:,.0f} MB; JSON Lines have no limit |
| a gzipped text or a Parquet file, unpacked | {limits.UNPACKED_ALWAYS / 1e6:,.0f} MB, or \
{limits.MOST_TIMES_PACKED} times its size where that is more |
| an Excel file, unpacked | {limits.LARGEST_WORKBOOK / 1e6:,.0f} MB |
| a sheet | {limits.SHEET_ROWS:,} rows, {limits.SHEET_CELLS:,} cells |
"""
BENCHMARK = Benchmark(
    name="readers", about=__doc__, jobs=jobs, tables=tables, page="readers.md", head=HEAD, workers=1
)

if __name__ == "__main__":
    command(BENCHMARK)()
