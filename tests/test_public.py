"""What ``import labelcore`` offers, and what it leaves unloaded."""

import ast
import dataclasses
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import labelcore as lc
from tests.pinned import stays
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


TABLES = ("DESIGNS", "ESTIMANDS", "errors")
NAMES = [name for name in lc.__all__ if name not in TABLES]


def sections(documented: object) -> dict[str, str]:
    """{heading: text} of a numpydoc docstring; "" is what stands before the first heading."""
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(documented) or "", flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries(text: str) -> set[str]:
    """The names that a section explains: "low, high" are two."""
    lines = (line.partition(":")[0] for line in text.splitlines() if line[:1].strip())
    return {name.strip(" *") for line in lines for name in line.split(",")}


def unexplained(function: Callable[..., object]) -> list[str]:
    """What the docstring of a function lacks."""
    found, signature = sections(function), inspect.signature(function)
    given = [name for name in signature.parameters if name not in ("self", "cls")]
    named = entries(found.get("Parameters", ""))
    lacking = [name for name in given if name not in named]
    if signature.return_annotation not in ("None", None) and "Returns" not in found:
        lacking.append("Returns")
    return lacking if found[""] else ["a first line", *lacking]


def public_members(owner: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """Methods and properties without an underscore, those of its bases in the package too."""
    for base in owner.__mro__:
        if base.__module__.startswith("labelcore"):
            for name, member in vars(base).items():
                plain = getattr(member, "__func__", member)
                if not name.startswith("_") and (inspect.isfunction(plain) or is_property(plain)):
                    yield name, plain


def is_property(member: object) -> bool:
    return isinstance(member, property)


def test_what_counts_where_an_argument_is_not_given_stays() -> None:
    """In ``tests/data/defaults.json``: whoever changes one changes what people get."""
    found = {}
    for name in NAMES:
        public = getattr(lc, name)
        members = public_members(public) if inspect.isclass(public) else ()
        for called, member in ((name, public), *((f"{name}.{one}", it) for one, it in members)):
            given = {} if is_property(member) else inspect.signature(member).parameters
            defaults = {one: given[one].default for one in given}
            told = {one: getattr(at, "__name__", repr(at)) for one, at in defaults.items()}
            lines = [f"{one}={at}" for one, at in told.items() if at != "_empty"]
            found |= {called: lines} if lines else {}
    stays("defaults", "public", found)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example_that_runs(name: str) -> None:
    """Run with the other examples in the docstrings."""
    assert ">>> import labelcore as lc\n" in sections(getattr(lc, name)).get("Examples", "")


@pytest.mark.parametrize("name", [one for one in NAMES if not inspect.isclass(getattr(lc, one))])
def test_a_public_function_explains_each_argument(name: str) -> None:
    assert unexplained(getattr(lc, name)) == []


@pytest.mark.parametrize("name", [one for one in NAMES if inspect.isclass(getattr(lc, one))])
def test_a_public_class_explains_each_field_and_method(name: str) -> None:
    owner = getattr(lc, name)
    found = sections(owner)
    named = entries(found.get("Parameters", "") + found.get("Attributes", ""))
    fields = [one.name for one in dataclasses.fields(owner)] if is_dataclass(owner) else []
    assert [one for one in fields if one not in named and not one.startswith("_")] == []
    for method, member in public_members(owner):
        if is_property(member):
            assert inspect.getdoc(member), method
        else:
            assert (method, unexplained(member)) == (method, [])


def test_a_missing_explanation_is_noticed() -> None:
    def documented(path: str, rows: int) -> int:
        """Count.

        Parameters
        ----------
        path
            a file
        """
        return rows

    assert unexplained(documented) == ["rows", "Returns"]
