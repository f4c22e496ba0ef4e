"""Small files of rows, written as they are given."""

import csv
from collections.abc import Iterable
from pathlib import Path


def write_rows(path: Path, head: Iterable[str], rows: Iterable[Iterable[object]]) -> Path:
    """A CSV file with these names of columns, in a folder that is there then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows(rows)
    return path
