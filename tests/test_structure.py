"""Imports point inwards, from stats and designs over log and figures to session, ui and pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

# Folder or module of labelcore -> what of labelcore it may import. A new one needs a row here.
INSIDE: dict[str, str] = {
    "errors": "",
    "promises": "",
    "plugins": "",
    "items": "errors plugins",
    "stats": "errors promises",
    "whole_file": "",
    "population": "errors plugins stats whole_file",
    "safe_text": "",
    "sandbox": "",
    "bounded": "errors sandbox",
    "estimands": "errors stats",
    "tallies": "errors stats estimands population",
    "designs": "errors plugins promises stats estimands population",
    "plan": "errors promises stats estimands population tallies designs",
    "log": "errors promises stats estimands population tallies designs plan",
    "results": "errors promises stats estimands log",
    "words": "errors promises safe_text stats estimands designs log plan results",
    "figures": "errors promises stats estimands population tallies designs plan log results words",
    "planning": "errors promises stats estimands population tallies designs plan log results"
    " figures words",
    "store": "errors log plugins settings whole_file",
    "session": "errors promises items stats population designs plan log results words figures"
    " planning store version",
    "waves": "bounded errors plugins promises stats estimands population tallies designs plan log"
    " results words planning report session store charts safe_text version",
    "replay": "errors population plan log results words figures store",
    "access": "",
    "settings": "errors",
    "version": "",
    "trials": "promises plan planning results session whole_file words",
    "charts": "errors promises safe_text estimands results words",
    "report": "errors promises estimands items population designs plan log results words figures"
    " planning session replay charts safe_text version whole_file",
    "exchange": "errors plugins promises population log words store session report",
    "cli": "errors plugins promises estimands population designs plan log results words planning"
    " waves store session replay report exchange settings version whole_file",
}

# Of what a method that comes in by the door may be made.
OF_METHODS = {
    *("plugins", "errors", "promises", "safe_text", "stats", "estimands", "population"),
    *("designs", "plan", "figures", "results", "words", "planning", "session", "store", "charts"),
}

# "__init__" is the public `import labelcore` itself.
MAY_IMPORT: dict[str, set[str]] = {
    **{row: set(names.split()) for row, names in INSIDE.items()},
    "__init__": set(INSIDE),
    "__main__": {"cli"},
    "ui": {*INSIDE},
    "testing": {
        *("errors", "promises", "stats", "estimands", "population", "designs", "plan", "log"),
        *("results", "figures", "planning", "session"),
    },
    "team": {"access", "cli", "errors", "log", "settings", "store", "whole_file"},
    # Who comes in by the door of the app.
    "team/pages": {"access", "safe_text", "settings", "store", "team", "ui"},
    "papers": OF_METHODS,
    # Their planners and pages, which nothing imports before one of them is opened.
    "papers/pages": {*OF_METHODS, "access", "papers", "ui"},
    "pages": {
        *("errors", "results", "words", "estimands", "population", "plan", "planning"),
        *("items", "replay", "session", "trials", "charts", "report", "ui"),
    },
    "app": {"errors", "session", "ui"},
}

# Under `if TYPE_CHECKING:` only, for a type hint. The public names that papers have are loaded by
# what they are called.
MAY_NAME_TYPES = {"report": {"store"}, "__init__": {"papers", "ui"}}

# From outside, one of these folders is its table; of its files only these may be named.
OPEN_FILES = {
    "designs": {
        *("base", "choices", "contracts", "curves", "helpers", "lists", "params", "rates"),
        *("profile_figures", "recut", "registry", "samples", "scalars", "sure_scores"),
    },
    "store": {"base", "checks", "database"},
}

# Their methods are made of what lies in designs, whatever its file.
MAKE_METHODS = {"papers", "papers/pages", "testing"}

# Packages of others that only these may import.
ONLY_IN = {
    "streamlit": {"ui", "pages", "app", "papers/pages", "team/pages"},
    "plotly": {"charts", "ui"},
    "sqlalchemy": {"store", "team"},
    "duckdb": {"population"},
    "pyspark": {"population"},
}

# Parts of the repository that nothing in labelcore, pages or app.py may import.
OUTSIDE = {"app", "benchmarks", "pages", "tests"}


def source_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Each file with the row of the table it belongs to."""
    package = root / "labelcore"
    for path in sorted(package.rglob("*.py")):
        row = path.relative_to(package).parts[0].removesuffix(".py")
        drawn = re.fullmatch(r"planners?|\w+_page", path.stem)
        if row == "team" and path.stem in ("entrance", "login"):
            drawn = True
        yield (f"{row}/pages" if row in ("papers", "team") and drawn else row), path
    for path in sorted((root / "pages").rglob("*.py")):
        yield "pages", path
    if (root / "app.py").exists():
        yield "app", root / "app.py"


def for_types_only(tree: ast.AST) -> set[ast.AST]:
    """The nodes under ``if TYPE_CHECKING:``."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                for statement in node.body:
                    found |= set(ast.walk(statement))
    return found


def imported_modules(path: Path, root: Path) -> list[tuple[int, str, bool]]:
    """Line, dotted name and whether for types only, of every import, those in functions too.

    ``from a import b`` counts as ``a.b``; a relative import is made absolute.
    """
    return imported(path.read_text("utf-8"), path.relative_to(root).parent.parts)


@cache
def imported(text: str, package: tuple[str, ...]) -> list[tuple[int, str, bool]]:
    return [*_imported(text, package)]


def _imported(text: str, package: tuple[str, ...]) -> Iterator[tuple[int, str, bool]]:
    tree = ast.parse(text)
    typing = for_types_only(tree) if "TYPE_CHECKING" in text else set()
    by_call = "import_module" in text or "__import__" in text
    for node in ast.walk(tree) if by_call else statements(tree):
        types = node in typing
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield node.lineno, alias.name, types
            case ast.ImportFrom(module=module, names=names, level=level):
                start = package[: len(package) - level + 1] if level else []
                base = ".".join([*start, *([module] if module else [])])
                for alias in names:
                    yield node.lineno, f"{base}.{alias.name}", types
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name, types


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements of a module, within others too, and nothing of what is in their expressions:
    a tenth of its nodes."""
    waiting: list[ast.AST] = [tree]
    for node in waiting:
        yield node
        for blocks in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, blocks, ())


def fault_of(row: str, module: str, types: bool, root: Path) -> str | None:
    """Why a file of this row may not import this module, or None if it may."""
    head, *rest = module.split(".")
    if head in ONLY_IN and row not in ONLY_IN[head]:
        return f"only {', '.join(sorted(ONLY_IN[head]))} may import {head}"
    if head in OUTSIDE:
        return f"{head} may not be imported"
    if head != "labelcore":
        return None
    target = rest[0] if rest and exists(root / "labelcore" / rest[0]) else "__init__"
    if target == row:
        return None
    if types and target in MAY_NAME_TYPES.get(row, set()):
        return None
    if target not in MAY_IMPORT[row]:
        return f"{row} may not import {target}"
    if target in OPEN_FILES and len(rest) > 1 and row not in MAKE_METHODS:
        file = rest[1]
        if file not in OPEN_FILES[target] and exists(root / "labelcore" / target / file):
            return f"{row} may not import {target}.{file}, only the table in {target}"
    return None


def exists(module: Path) -> bool:
    return module.is_dir() or module.with_suffix(".py").is_file()


def faults(root: Path) -> list[str]:
    found = []
    for row, path in source_files(root):
        where = path.relative_to(root)
        if row not in MAY_IMPORT:
            found.append(f"{where}: {row} has no row in the table of imports")
            continue
        for line, module, types in imported_modules(path, root):
            fault = fault_of(row, module, types, root)
            if fault is not None and f"{where}:{line}: {fault}" not in found:
                found.append(f"{where}:{line}: {fault}")
    return found


def test_imports_point_inwards(root: Path) -> None:
    assert faults(root) == []


def test_table_has_no_cycle_and_no_unknown_name() -> None:
    order = list(TopologicalSorter(MAY_IMPORT).static_order())
    assert set(order) == set(MAY_IMPORT)


def circle(root: Path) -> list[str]:
    """Modules that import each other in a circle, those in functions too; [] where none do."""
    package = root / "labelcore"
    modules = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in package.rglob("*.py")
    }
    needs: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for _, found, types in imported_modules(path, root):
            target = found if found in modules else found.rpartition(".")[0]
            if target in modules and target != name and not types:
                needs[name].add(target)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other(root: Path) -> None:
    assert circle(root) == []


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small repository without a fault."""
    write(tmp_path, "labelcore/__init__.py", "from labelcore.session import Session\n")
    write(tmp_path, "labelcore/errors.py", "import json\n")
    write(tmp_path, "labelcore/results.py", "from labelcore import stats\n")
    write(tmp_path, "labelcore/words.py", "from labelcore.results import Band\n")
    write(tmp_path, "labelcore/report/page.py", f"{FOR_TYPES}    import labelcore.store\n")
    write(tmp_path, "labelcore/stats/__init__.py", "from .strata import Strata\n")
    write(tmp_path, "labelcore/stats/strata.py", "from ..errors import PlanError\n")
    write(
        tmp_path, "labelcore/designs/__init__.py", "from labelcore.designs.random import Random\n"
    )
    write(tmp_path, "labelcore/designs/base.py", "import labelcore.stats.strata as strata\n")
    write(tmp_path, "labelcore/designs/random.py", "from .. import stats\n")
    write(tmp_path, "labelcore/session.py", "from labelcore.designs import DESIGNS, base\n")
    write(tmp_path, "labelcore/store/sqlite.py", "import sqlalchemy as sa\n")
    write(
        tmp_path, "labelcore/ui/__init__.py", "import streamlit as st\nimport labelcore.session\n"
    )
    write(tmp_path, "labelcore/papers/__init__.py", "from labelcore.designs import random\n")
    write(tmp_path, "labelcore/papers/x/planner.py", "import streamlit\nimport labelcore.ui\n")
    write(tmp_path, "pages/label.py", "import streamlit\nfrom labelcore.ui import setup\n")
    write(tmp_path, "app.py", "import streamlit\nfrom labelcore.ui import setup\n")
    return tmp_path


def test_a_sound_tree_has_no_fault(tree: Path) -> None:
    assert faults(tree) == []
    assert circle(tree) == []


def test_a_circle_through_a_function_is_reported(tree: Path) -> None:
    write(tree, "labelcore/ui/page_errors.py", "def f():\n    from labelcore.ui.relink import g\n")
    write(tree, "labelcore/ui/relink.py", f"{FOR_TYPES}    import labelcore.ui.page_errors\n")
    assert circle(tree) == []
    write(tree, "labelcore/ui/relink.py", "from labelcore.ui import page_errors\n")
    assert {*circle(tree)} == {"labelcore.ui.page_errors", "labelcore.ui.relink"}


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("labelcore/stats/bad.py", "import labelcore.designs", "stats may not import designs"),
        ("labelcore/stats/bad.py", "import labelcore.designs.base as b",
         "stats may not import des"),
        ("labelcore/stats/bad.py", "from labelcore import designs", "stats may not import designs"),
        ("labelcore/stats/bad.py", "from labelcore.designs import X", "stats may not import des"),
        ("labelcore/stats/bad.py", "from .. import designs", "stats may not import designs"),
        ("labelcore/stats/bad.py", "from ..designs.base import X", "stats may not import designs"),
        ("labelcore/stats/__init__.py", "from ..session import X", "stats may not import session"),
        ("labelcore/stats/deep/bad.py", "from ...session import X", "stats may not import session"),
        ("labelcore/errors.py", "from .stats import mean", "errors may not import stats"),
        ("labelcore/errors.py", "from . import stats", "errors may not import stats"),
        ("labelcore/stats/bad.py", "import labelcore as lc", "stats may not import __init__"),
        ("labelcore/stats/bad.py", "from labelcore import Plan", "stats may not import __init__"),
        ("labelcore/ui/bad.py", "from labelcore import __version__", "ui may not import __init__"),
        ("labelcore/results.py", "from labelcore.words import percent",
         "results may not import words"),
        ("labelcore/words.py", f"{FOR_TYPES}    import labelcore.store",
         "words may not import store"),
        ("labelcore/session.py", "def f():\n    import streamlit", "may import streamlit"),
        ("labelcore/session.py", "from streamlit.testing import v1", "may import streamlit"),
        ("labelcore/session.py", "import importlib\nimportlib.import_module('plotly.io')",
         "plotly"),
        ("labelcore/session.py", "import sqlalchemy.engine", "only store, team may import sqlal"),
        ("labelcore/session.py", "from labelcore.designs.random import X", "only the table in des"),
        ("labelcore/session.py", "from labelcore.designs import random", "only the table in desi"),
        ("labelcore/designs/bad.py", "def f():\n    import labelcore.papers",
         "may not import papers"),
        ("labelcore/ui/bad.py", "from labelcore import papers", "ui may not import papers"),
        ("labelcore/papers/x/design.py", "from labelcore.ui import y", "papers may not import ui"),
        ("labelcore/papers/x/design.py", "import streamlit", "may import streamlit"),
        ("labelcore/session.py", "from pages.label import X", "pages may not be imported"),
        ("pages/label.py", "from labelcore.store import X", "pages may not import store"),
        ("pages/label.py", "import plotly", "may import plotly"),
        ("app.py", "from labelcore import stats", "app may not import stats"),
        ("labelcore/extras/__init__.py", "", "extras has no row in the table"),
        ("labelcore/extra.py", "", "extra has no row in the table"),
    ],
)  # fmt: skip
def test_a_forbidden_import_is_reported(tree: Path, name: str, text: str, fault: str) -> None:
    write(tree, name, text)
    found = faults(tree)
    assert len(found) == 1
    assert found[0].startswith(name)
    assert fault in found[0]


# What other programs' errors are told by, which have no better sign.
READS_ERRORS = {
    "labelcore/population/csv_walk.py",
    "labelcore/population/engines/duck.py",
    "labelcore/store/sqlite_errors.py",
}
MAY_READ = re.compile(r"\bstr\([^)]*(error|state|status)")
CUTS = {"partition", "rpartition", "split", "startswith", "endswith", "replace", "removeprefix"}


def read_errors(tree: ast.AST) -> Iterator[int]:
    """The lines in which an error's or a state's text is cut, or searched for a word."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call() as text, attr=name)) if name in CUTS:
                read = text
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Call() as text]):
                read = text
            case _:
                continue
        if re.fullmatch(r"str\(.*(error|state|status).*\)", ast.unparse(read)):
            yield node.lineno


def test_nothing_reads_the_text_of_an_error(root: Path) -> None:
    """An error carries what it is about as fields; a state is a word of a closed set."""
    texts = {path.relative_to(root).as_posix(): path.read_text("utf-8")
             for _, path in source_files(root)}  # fmt: skip
    found = [
        f"{name}:{line}"
        for name, text in texts.items()
        if name not in READS_ERRORS and MAY_READ.search(text)
        for line in read_errors(ast.parse(text))
    ]
    assert not found


@pytest.mark.parametrize(
    "code", ["str(error).partition(': ')", "str(state).startswith('out')", "'mode' in str(error)"]
)
def test_a_reading_of_prose_is_found(code: str) -> None:
    assert list(read_errors(ast.parse(code)))
