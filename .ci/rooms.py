"""Print the lines of each room beside its budget (``rooms.toml``); exit with 1 if one is over."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SUFFIXES = (".py", ".js", ".css")
BESIDE = ("tests", "measured")
"""Rooms that are no part of the product."""


def tracked(root: Path) -> list[Path]:
    """Files of code under version control that are there, by their paths from the top."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    files = (Path(name) for name in listed.split("\0") if name)
    return [file for file in files if file.suffix in SUFFIXES and (root / file).is_file()]


def lies_in(file: Path, place: str) -> bool:
    """Whether a file lies in a folder at any depth, or is one of a pattern such as ``a/*.py``."""
    pattern = Path(place)
    return pattern in file.parents or (file.parent == pattern.parent and file.match(place))


def lines_of(root: Path, rooms: dict[str, Any]) -> tuple[dict[str, int], list[Path]]:
    """Lines of each room, and the files that lie in none or in several."""
    lines, astray = dict.fromkeys(rooms, 0), []
    for file in tracked(root):
        found = [name for name, row in rooms.items() if any(lies_in(file, p) for p in row["in"])]
        if len(found) == 1:
            lines[found[0]] += len((root / file).read_text("utf-8").splitlines())
        else:
            astray.append(file)
    return lines, astray


def main(root: Path = ROOT) -> int:
    """Print the table; 1 if a room is over its budget or a file lies in no room."""
    rooms = tomllib.loads((root / ".ci" / "rooms.toml").read_text("utf-8"))
    lines, astray = lines_of(root, rooms)
    print(f"{'room':12}{'lines':>8}{'budget':>8}{'goal':>8}")
    for name, row in rooms.items():
        print(f"{name:12}{lines[name]:8,}{row['budget']:8,}{row['goal']:8,}")
    product = [name for name in rooms if name not in BESIDE]
    sums = [sum(lines[name] for name in product)]
    sums += [sum(rooms[name][column] for name in product) for column in ("budget", "goal")]
    print("product     " + "".join(f"{number:8,}" for number in sums))
    wrong = [
        f"{name}: {lines[name]:,} lines, its budget is {row['budget']:,}"
        for name, row in rooms.items()
        if lines[name] > row["budget"]
    ]
    wrong += [f"{file}: it lies in no room of .ci/rooms.toml, or in several" for file in astray]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
