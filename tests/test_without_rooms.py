"""The core works without the rooms beside it, and what they bring is as ``pyproject.toml`` says."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.designs import registry
from labelcore.plugins import BESIDE
from tests import rooms

# What the core is asked to do in a process that has neither room.
WORK = """
import sys
import warnings

warnings.simplefilter('error')
sys.meta_path = [one for one in sys.meta_path if "Editable" not in str(one)]  # It finds rooms.
import labelcore as lc
from labelcore.designs import geometric_strata
from labelcore.stats.watched_curve import watched_critical

geometric_strata.PATHS, watched_critical.__defaults__ = 500, (500,)
assert list(lc.DESIGNS) == {own!r}, list(lc.DESIGNS)
population = lc.read_population(
    "items.csv", id="id", content="text", scores={{"lr": "score", "nb": "other"}},
    thresholds={{"lr": 0.5, "nb": 0.4}},
)
both = ("paired_comparison", "agreement_patterns", "paired_lists")
for design in lc.DESIGNS.values():
    asked = ["lr", "nb"] if design.name in both else "lr"
    budget = 100 if design.name == "geometric_strata" else 60
    plan = lc.Plan(design.name, design.estimands[0], classifier=asked, budget=budget, seed=3)
    session = lc.Session(population, plan, project=design.name)
    while (draw := session.next()) is not None:
        session.answer(draw, population.position(draw.item_id) % 3 == 0)
    for result in session.results().values():
        assert result.sentence()
    lc.write_report(session, design.name + ".json")
    assert lc.preview(population, plan).labels == budget
lc.write_report(session, design.name + ".html")
try:
    lc.Wave
except AttributeError as error:
    assert "comes with labelcore.papers, which is away" in str(error), error
else:
    raise AssertionError("there is no wave without papers")
from labelcore.cli import COMMANDS
from labelcore.plugins import brought
assert "status" in COMMANDS and "people" not in COMMANDS
assert not [*brought("labelcore.stores"), *brought("labelcore.entrance")]
assert not [name for name in sys.modules if name.startswith({rooms!r})]
"""
ROOMS = ("labelcore.papers", "labelcore.team")
OWN = [method.design.name for method in registry.OWN]


def test_the_core_draws_answers_and_reports_without_them(root: Path, tmp_path: Path) -> None:
    rows = "".join(f"i{n},text {n},{n * 37 % 100 / 100},{n * 7 % 100 / 100}\n" for n in range(200))
    (tmp_path / "items.csv").write_text(f"id,text,score,other\n{rows}", "utf-8")
    (tmp_path / "labelcore").mkdir()
    for one in (root / "labelcore").iterdir():
        if f"labelcore.{one.name}" not in ROOMS:
            (tmp_path / "labelcore" / one.name).symlink_to(one)
    code = WORK.format(rooms=ROOMS, own=OWN)
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr


def test_what_is_skipped_without_a_room_is_what_it_brings() -> None:
    assert {*rooms.OF_ROOMS["labelcore.papers"]} == {*lc.DESIGNS} - {*OWN}
    assert rooms.OF_ROOMS["labelcore.team"] == tuple(BESIDE["labelcore.stores"])
    assert rooms.AWAY == [] and not rooms.asks_for_what_is_away("KeyError('paula')")


@pytest.mark.parametrize("group", BESIDE)
def test_what_rooms_bring_is_what_an_installed_package_says(root: Path, group: str) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"][group] == BESIDE[group]


def test_no_method_of_the_rooms_is_named_in_the_core(root: Path) -> None:
    """No text of the core is the name of a method that comes in by the door."""
    brought = {*lc.DESIGNS} - {*OWN}
    core = [
        path
        for path in sorted((root / "labelcore").rglob("*.py"))
        if path.relative_to(root / "labelcore").parts[0] not in ("papers", "team")
    ]
    named = [
        f"{path.relative_to(root)}:{node.lineno}: {node.value}"
        for path in core
        for text in [path.read_text("utf-8")]
        if any(name in text for name in brought)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in brought
    ]
    assert not named
