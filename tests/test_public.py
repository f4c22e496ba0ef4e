"""What ``import labelcore`` offers, and what it leaves unloaded."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import labelcore as lc
from tests.test_structure import for_types_only

# Packages that take long to load; numpy too, where nothing is calculated yet.
HEAVY = {"numpy", "pandas", "scipy", "pyarrow", "openpyxl", "sklearn", "plotly", "sqlalchemy"}
HEAVY |= {"PIL", "regex", "streamlit", "click"}
# What a plan on a CSV file and its labels in memory can do without.
NOT_FOR_A_PLAN = {"scipy.stats", "scipy.optimize", "openpyxl", "sklearn", "plotly", "sqlalchemy"}
NOT_FOR_A_PLAN |= {"PIL", "regex", "streamlit", "click"}

PLAN = """
import sys
import labelcore as lc
items = lc.read_population(sys.argv[1], id="id", content=["text"], scores={"a": "score"},
    thresholds={"a": 0.5})
plan = lc.Plan("recalibrated_neyman", ["accuracy", "precision", "recall", "f1"], budget=40)
assert lc.preview(items, plan).labels == 40
session = lc.Session(items, plan)
session.answer(session.next(), "yes")
assert session.results()["accuracy"].labels_used == 1
"""


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The modules that are there after the code ran in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_import_loads_nothing_heavy() -> None:
    assert loaded_by("import labelcore") & HEAVY == set()


def test_a_plan_loads_only_what_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    rows = [f"i{n},text {n},{n / 300:.4f}" for n in range(300)]
    path.write_text("\n".join(["id,text,score", *rows]) + "\n", "utf-8")
    found = loaded_by(PLAN, str(path))
    assert {"numpy", "labelcore.session.session"} <= found
    assert found & NOT_FOR_A_PLAN == set()


def test_dir_shows_the_public_names_only() -> None:
    importlib.import_module("labelcore.session.session")  # a loaded module is not a public name
    assert dir(lc) == sorted([*lc.__all__, "__version__"])
    assert len(set(lc.__all__)) == len(lc.__all__)


@pytest.mark.parametrize("name", lc.__all__)
def test_a_public_name_is_there_and_no_module_has_it(name: str) -> None:
    found = getattr(lc, name)
    if inspect.ismodule(found):
        assert name == "errors"
        return
    package = Path(str(lc.__file__)).parent
    assert not (package / f"{name}.py").exists()
    assert not (package / name).exists()


def test_type_checkers_see_each_name_from_where_it_comes() -> None:
    tree = ast.parse(Path(str(lc.__file__)).read_text("utf-8"))
    named = {}
    for node in for_types_only(tree):
        if isinstance(node, ast.ImportFrom):
            named |= {alias.name: node.module for alias in node.names}
    assert sorted(named) == sorted(lc.__all__)
    for name, module in named.items():
        if name != "errors":
            assert getattr(lc, name) is getattr(importlib.import_module(str(module)), name)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        lc.Sesion  # noqa: B018


@pytest.mark.parametrize(
    "name",
    [
        *("Session", "Plan", "Population", "Estimate", "Band", "Choice"),
        *("preview", "read_population", "simulate", "write_report"),
    ],
)
def test_the_main_names_have_an_example(name: str) -> None:
    """Run with the other examples in the docstrings."""
    text = inspect.getdoc(getattr(lc, name)) or ""
    assert "\nExamples\n--------\n>>> import labelcore as lc\n" in text
