"""The measurement of planted mistakes: what it plants, and that a test finds it or not."""

from pathlib import Path

import pytest

from benchmarks import mutants
from benchmarks.mutants import Mutant, RelatedTests, drawn, files_of, mutants_of, tried

SOURCE = '''"""Shares."""


def share(part: float, whole: float) -> float:
    """The share; none of nothing."""
    if whole <= 0:
        raise ValueError(f"whole must be more than 0, got {whole + 0}")
    return min(part / whole, 1.0)
'''
TEST = """from labelcore.stats.shares import share


def test_share() -> None:
    assert share(1, 4) == 0.25
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in (
        ("labelcore/__init__.py", ""),
        ("labelcore/stats/__init__.py", ""),
        ("labelcore/stats/shares.py", SOURCE),
        ("tests/stats/test_shares.py", TEST),
        ("pytest.ini", "[pytest]\npythonpath = .\nmarkers =\n    slow:\n    browser:\n"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def planted(root: Path) -> list[Mutant]:
    return list(mutants_of("statistics", root / "labelcore/stats/shares.py", root))


def test_what_is_planted(tree: Path) -> None:
    """Operators, numbers and names; not the annotations, and not the message of an error."""
    found = [(one.line, one.before, one.after) for one in planted(tree)]
    assert found == [
        (6, "whole <= 0", "(whole < 0)"),
        (6, "0", "1"),
        (8, "min", "max"),
        (8, "part / whole", "(part * whole)"),
        (8, "1.0", "2.0"),
    ]


@pytest.mark.slow
def test_a_mistake_is_found_where_a_test_looks_and_the_file_is_put_back(tree: Path) -> None:
    path = tree / "labelcore/stats/shares.py"
    every, tests = planted(tree), RelatedTests(tree)
    own = tests.batches(every[0])[0]
    assert own == [path, tree / "tests/stats/test_shares.py"]
    states = {one.after: tried(tree, one, own, 60) for one in every}
    found = ("failed", "tests/stats/test_shares.py::test_share")
    assert {after for after, state in states.items() if state == found} == {"max", "(part * whole)"}
    assert {state for state in states.values() if state != found} == {("survived", "")}
    assert path.read_text("utf-8") == SOURCE
    assert tried(tree, every[0], own, -1) == ("no time", "")


def test_every_room_of_the_product_has_its_share(root: Path, monkeypatch) -> None:
    rooms = files_of(root)
    assert {path for paths in rooms.values() for path in paths} == {
        path for place in ("labelcore", "pages") for path in (root / place).rglob("*.py")
    } | {root / "app.py"}
    monkeypatch.setattr(mutants, "files_of", lambda root: {one: rooms[one][-3:] for one in rooms})
    found = drawn(root, seed=1, count=len(rooms) + 2)
    assert [one.part for one in found] == [*rooms, *[*rooms][:2]]
