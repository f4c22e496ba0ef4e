"""The budget of lines: every file lies in one room, and a room over its budget is told."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

TABLE = """
[core]
in = ["a", "*.py"]
budget = {}
goal = 1

[tests]
in = ["b"]
budget = 9
goal = 9
"""


@pytest.fixture
def script(root: Path) -> dict[str, Any]:
    return runpy.run_path(str(root / ".ci" / "rooms.py"))


@pytest.fixture
def house(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for name, lines in (("a/deep/one.py", 3), ("two.py", 1), ("b/three.css", 2), ("a/four.md", 9)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n" * lines)
    (tmp_path / ".ci").mkdir()
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def write(house: Path, budget: int) -> None:
    (house / ".ci" / "rooms.toml").write_text(TABLE.format(budget))


def test_a_room_within_its_budget_passes(
    script: dict[str, Any], house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(house, 4)
    assert script["main"](house) == 0
    assert "core               4       4       1" in capsys.readouterr().out


def test_a_room_over_its_budget_fails(
    script: dict[str, Any], house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(house, 3)
    assert script["main"](house) == 1
    assert "core: 4 lines, its budget is 3" in capsys.readouterr().out


def test_a_file_in_no_room_fails(
    script: dict[str, Any], house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(house, 4)
    (house / "c").mkdir()
    (house / "c" / "five.py").write_text("")
    subprocess.run(["git", "add", "."], cwd=house, check=True)
    assert script["main"](house) == 1
    assert "five.py: it lies in no room" in capsys.readouterr().out
