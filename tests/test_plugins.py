"""What packages bring: found by their entry points, tried before it is let in, left out if bad."""

import json
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore import plugins
from labelcore.cli import COMMANDS
from labelcore.designs import METHODS, Method, register
from labelcore.designs.base import Design, DesignParams, Frame, IntArray, Progress, Setup
from labelcore.designs.scalars import ComparesTwo, EstimatesScalars
from labelcore.designs.simple_random import SimpleRandom
from labelcore.errors import ContractError, PopulationError
from labelcore.exchange import LABELLED_FORMS
from labelcore.items.kinds import KINDS
from labelcore.plugins import Table
from labelcore.population.formats import FORMATS
from labelcore.promises import Promise
from labelcore.store import STORES
from labelcore.testing import broken_cases, cases
from labelcore.testing.known import calibrated
from labelcore.testing.scalars import fixed_interval_covers
from labelcore.ui.door import entrance

PACKAGE = Path("examples") / "labelcore-tenths"


@pytest.fixture
def tenths(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Design[Any]]]:
    """The method of the example, registered."""
    monkeypatch.syspath_prepend(root / PACKAGE)
    from labelcore_tenths import METHOD, TenthsOfScore

    register(METHOD)
    yield TenthsOfScore
    del METHODS["tenths"], lc.DESIGNS["tenths"]


@pytest.mark.parametrize("place", range(11))
def test_the_example_keeps_every_quick_contract(tenths: type[Design[Any]], place: int) -> None:
    quick = [case for case in cases(tenths) if not case.slow]
    assert len(quick) == 11 == len(cases(tenths)) - 1
    quick[place].check()
    assert {case.design.__name__ for case in broken_cases(tenths)} == {
        "Unseeded", "Forgetful", "Clinging", "Peeking", "Repeating", "NoFinitePopulation",
        "AlwaysExact", "Noting", "InFileOrder", "Narrow",
    }  # fmt: skip


def test_a_broken_variant_must_fail_and_a_sound_one_must_not(tenths: type[Design[Any]]) -> None:
    (case,) = (one for one in broken_cases(tenths) if one.design.__name__ == "Repeating")
    case.must_fail()
    with pytest.raises(AssertionError, match="TenthsOfScore passes no_item_twice, which"):
        replace(case, design=tenths).must_fail()


def test_the_contract_of_coverage_passes_a_sound_method(tmp_path: Path) -> None:
    """It takes too long to run on every method with every change; on one it is read right."""
    fixed_interval_covers("simple_random", calibrated(tmp_path, 300, seed=3))


def test_methods_that_compare_two_or_rank_owe_no_contract_of_numbers() -> None:
    owe_none = {"paired_comparison", "geometric_strata", "reach_selection", "paula"}
    for name, design in lc.DESIGNS.items():
        owed = isinstance(design, EstimatesScalars) and not isinstance(design, ComparesTwo)
        watched = Promise.WATCHED in design.promises
        assert len(cases(type(design))) == owed * (12 + watched), name
        assert not owed or name not in owe_none


@pytest.mark.slow
@pytest.mark.full
def test_broken_variants_of_the_example_fail(tenths: type[Design[Any]]) -> None:
    found = broken_cases(tenths)
    assert len(found) > 9
    for case in found:
        case.must_fail()


def test_the_reader_and_the_export_of_the_example(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(root / PACKAGE)
    from labelcore_fasttext import FORM
    from labelcore_orc import OrcFile

    monkeypatch.setitem(FORMATS, ".orc", OrcFile)
    items = pd.DataFrame({"text": ["a prize", "hello"], "score": [0.9, 0.1]})
    items.to_orc(tmp_path / "items.orc")
    columns: dict[str, Any] = {"content": "text", "scores": "score", "thresholds": {"score": 0.5}}
    population = lc.read_population(tmp_path / "items.orc", **columns)
    session = lc.Session(population, lc.Plan("simple_random", "accuracy", budget=2))
    while (draw := session.next()) is not None:
        session.answer(draw, "prize" in session.item(draw)["text"])
    assert sorted(FORM(session).decode().splitlines()) == [
        "__label__no hello",
        "__label__yes a prize",
    ]
    (tmp_path / "broken.orc").write_bytes(b"nothing of the kind")
    with pytest.raises(PopulationError, match=r"broken\.orc.*cannot be read as ORC"):
        lc.read_population(tmp_path / "broken.orc", **columns)


class Doubling(SimpleRandom):
    """Asks its first item twice. Source: a mistake."""

    name = "doubling"

    def next_batch(self, setup: Setup, frame: Frame, progress: Progress, batch: int) -> IntArray:
        given = super().next_batch(setup, frame, progress, batch)
        return np.append(given[:-1], given[0]) if batch == 1 and len(given) > 1 else given


class Dicing(SimpleRandom):
    """Draws anew each time. Source: a mistake."""

    name = "dicing"

    def next_batch(self, setup: Setup, frame: Frame, progress: Progress, batch: int) -> IntArray:
        given = super().next_batch(setup, frame, progress, batch)
        return np.random.default_rng().permutation(given)


@dataclass(frozen=True)
class Unasked(DesignParams):
    often: int = 1


def bad(called: str, doc: str = "Source: a mistake.", **own: Any) -> type[Any]:
    return type(called, (SimpleRandom,), {"__doc__": doc, "name": called.lower(), **own})


BAD = {
    Doubling: "no item is drawn twice",
    Dicing: "same seed, same draws",
    bad("Beyond", next_batch=lambda *_: np.arange(55, 61)): "it draws items of the file",
    bad("Boastful", estimands=("accuracy", "selection")): "'selection' needs Chooses",
    bad("Unsourced", "Says little."): "its docstring must have a line 'Source:'",
    bad("Mute", summary=""): "summary must be a text",
    bad("Odd", name="two words"): "name must be a name of Python, got 'two words'",
    bad("Formless", Params=int): "Params must be a dataclass of DesignParams",
    bad("Bare", Params=Unasked): "Params.often must be made by parameter()",
    bad("Silent", promises=()): "promises must name some of watched, fixed, none, got ()",
    bad("Swearing", promises=("always",)): "promises must name some of",
    bad("Aimless", estimands=()): "estimands must name at least one",
    bad("Inventing", estimands=("worth",)): "estimands must be some of",
    bad("Dividing", next_batch=lambda *_: 1 // 0): "'it works on a small file': ZeroDivisionError",
    object: "it must be an object of a class that derives from Design",
    bad("Namesake", name="simple_random"): "'its name is its own': SimpleRandom has it already",
}


@pytest.mark.parametrize(("design", "contract"), BAD.items(), ids=lambda one: str(one))
def test_a_bad_method_is_refused_with_the_contract_it_breaks(
    design: type[Design[Any]], contract: str
) -> None:
    with pytest.raises(ContractError) as caught:
        register(Method(design()))
    said, name = str(caught.value), getattr(design, "name", "object")
    assert said.startswith(f"design '{name}' breaks the contract '") and contract in said
    assert type(lc.DESIGNS.get(name)) is not design


def test_a_class_in_place_of_its_object_is_refused_as_such() -> None:
    with pytest.raises(ContractError, match="'simple_random' .* must be an object of a class"):
        register(Method(SimpleRandom))  # type: ignore[arg-type]


def test_a_bad_method_has_no_cases() -> None:
    with pytest.raises(ContractError, match="'Source:'"):
        cases(bad("Unsourced", "Says little."))


class Clinging(SimpleRandom):
    """Remembers what it should forget. Source: a mistake."""

    name = "clinging"

    def next_batch(self, setup: Setup, frame: Frame, progress: Progress, batch: int) -> IntArray:
        frame.rates[0] *= 0.99
        return super().next_batch(setup, frame, progress, batch)


def test_a_case_names_the_contract_that_is_broken() -> None:
    """This one shows only in a session."""
    register(Method(Clinging()))
    try:
        (case,) = (one for one in cases(Clinging) if one.contract == "frame stays as prepared")
        with pytest.raises(ContractError, match="'clinging' breaks the contract 'frame stays as p"):
            case.check()
    finally:
        del METHODS["clinging"], lc.DESIGNS["clinging"]


NO_EXPORT, NAMED = "it must be a LabelledForm", "there is one of this name"


@pytest.mark.parametrize(
    ("table", "name", "value", "why"),
    [
        (LABELLED_FORMS, "mine", "os:getcwd", NO_EXPORT),
        (LABELLED_FORMS, "doccano", "labelcore_fasttext:FORM", NAMED),
        (LABELLED_FORMS, "fasttext", "labelcore_fasttext:FORM", ""),
        (FORMATS, ".mine", "os:getcwd", "it must be a Reader"),
        (FORMATS, ".csv", "labelcore_orc:OrcFile", NAMED),
        (FORMATS, ".orc", "labelcore_orc:OrcFile", ""),
        (STORES, "sqlite", "os:getcwd", NAMED),
        (KINDS, "mine", "os:name", "it must be a Callable"),
        (COMMANDS, "mine", "os:getcwd", "it must be a Command"),
        (COMMANDS, "export", "labelcore.cli.trail:audit", ""),
    ],
)
def test_what_is_of_no_use_or_has_the_name_of_ours_is_left_out_with_a_warning(
    table: Any, name: str, value: str, why: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(root / PACKAGE)
    point = EntryPoint(name, value, table.group)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
    with warnings.catch_warnings(record=True) as told:
        found = dict(Table(table.group, table.own, table.kind, table.replaceable))
    left_out = f"{name!r} of {table.group} is left out: {why}"
    assert [str(one.message) for one in told] == ([left_out] if why else [])
    assert found.get(name) is (table.get(name) if why else point.load())


def test_an_entrance_that_fails_to_load_opens_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("login", "os:no_such_login", "labelcore.entrance")
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
    with pytest.raises(AttributeError, match="no_such_login"):
        entrance.__wrapped__()


ASK = """
import json, warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import labelcore as lc
    found = list(lc.DESIGNS)
print(json.dumps([found, [str(one.message) for one in told]]))
"""


def asked(root: Path, *places: Path) -> tuple[list[str], list[str]]:
    """The methods that a new process finds, and what it warns of."""
    path = ":".join(map(str, (root, *places)))
    run = subprocess.run(
        [sys.executable, "-c", ASK], env={"PYTHONPATH": path, "PATH": ""},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    names, told = json.loads(run.stdout)
    return names, told


def entry_point(place: Path, lines: str) -> None:
    """As pip writes it."""
    folder = place / "some_package-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: some-package\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[labelcore.designs]\n{lines}\n")


MINE = """
from labelcore.designs import Method
from labelcore.designs.simple_random import SimpleRandom
class Mine(SimpleRandom):
    name = 'mine'
METHOD = Method(Mine())
"""


def test_installed_methods_are_among_all_and_bad_ones_left_out_with_a_warning(
    root: Path, tmp_path: Path
) -> None:
    shutil.copy(root / PACKAGE / "labelcore_tenths.py", tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "today.py").write_text("raise ValueError('not today')")
    (tmp_path / "bare.py").write_text(f"{MINE}METHOD = METHOD.design")
    modules = {"mine": "mine", "bare": "bare", "tenths": "labelcore_tenths", "today": "today"}
    entry_point(tmp_path, "\n".join(f"{name} = {one}:METHOD" for name, one in modules.items()))
    names, warned = asked(root, tmp_path)
    assert names == [*lc.DESIGNS, "tenths"] and len(warned) == 3
    assert "design 'mine' breaks the contract 'it says what it is'" in warned[0]
    assert "'it says what it is': it must be a Method" in warned[1]
    assert "is left out: not today" in warned[2]


@pytest.mark.full
def test_the_example_installs(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("setuptools", "70.1")  # with its own wheels
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps",
         "--no-build-isolation", "--target", str(tmp_path / "there"),
         str(shutil.copytree(root / PACKAGE, tmp_path / "package"))],
        check=True,
    )  # fmt: skip
    assert asked(root, tmp_path / "there") == ([*lc.DESIGNS, "tenths"], [])


def test_what_brings_a_command_may_be_imported_first() -> None:
    """A package's tests import its own module, before the command line does."""
    done = subprocess.run(
        [sys.executable, "-c", "import labelcore.team.commands"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
