"""Planted mistakes: one small change of the source at a time, and whether a test fails.

Sites are drawn with a seed, from each room of the product in turn (``.ci/rooms.toml``), from all
places where the syntax tree has something to change (``changes_of``). Each mutant is tried on a
copy of the tree, in processes forked from one that has imported the libraries and nothing of the
product: first the tests nearest to the changed file, then those further away (``RelatedTests``).
All are tests of the README's command, without a browser; the first that fails ends it, and so does
the limit of processor time of a mutant.

    python -m benchmarks.mutants [--quick] [--runs 60] [--rows rows.jsonl]

``--runs`` is the number of mutants; with ``--quick`` only the first tests run, with less time.
"""

import ast
import atexit
import copy
import gc
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import NoReturn, TextIO

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from benchmarks import harness
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat

ROOT = Path(__file__).resolve().parents[1]
NO_PRODUCT = ("tests", "measured")
SEED, SECONDS, FEW_SECONDS = 49, 90, 20
LIBRARIES = (
    "duckdb", "hypothesis", "plotly.graph_objects", "pyarrow.parquet", "scipy.optimize",
    "scipy.stats", "sklearn.linear_model", "sqlalchemy", "streamlit.testing.v1", "typst",
)  # fmt: skip
OURS = ("benchmarks", "conftest", "labelcore", "pages", "tests")
OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL)
REPLAY = "tests/report/test_replay.py"
STATES = {0: "survived", 2: "no time", 5: "survived"}
"""By what pytest ends with; 5: nothing with these marks."""
SEEN = ("failed", "endless", "no time", "survived")
NEAREST, MOST = 6, 30
SHOWN, OFFERED = "tests/test_pinned.py", "tests/app/test_offered.py"
"""What a project shows, and what its pages offer: all files have a part in one of them."""
CALLS, OUTER_CALLS = "tests/test_calls.py", "tests/test_outer_calls.py"
CALLED = (
    "designs", "figures", "log", "papers", "plan", "planning", "results", "stats", "waves", "words",
)  # fmt: skip
"""What functions answer: the rooms of the first table; the second has the others."""
PAGES = ("pages", "ui", "team", "papers", "app.py")
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
CALCULATED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.Div, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum",
    "maximum": "minimum", "floor": "ceil", "ceil": "floor", "zeros": "ones", "ones": "zeros",
    "append": "remove", "add": "discard", "nanmin": "nanmax", "nanmax": "nanmin",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: the file, where in it, what stood there and what stands there now."""

    part: str
    file: str
    line: int
    start: int
    end: int
    before: str
    after: str


def changes_of(node: ast.AST) -> Iterator[ast.AST | str]:
    """What may stand in the place of a node: each changes one operator, number, name or step."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARED:
            yield _with(node, ops=[COMPARED[type(operator)]()])
        case ast.BinOp(op=operator) if type(operator) in CALCULATED:
            yield _with(node, op=CALCULATED[type(operator)]())
        case ast.BoolOp(op=operator):
            yield _with(node, op=ast.Or() if isinstance(operator, ast.And) else ast.And())
            yield from (_joined(node, place) for place in range(len(node.values)))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.IfExp():
            yield _with(node, body=node.orelse, orelse=node.body)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(2 * value if value else 1.0)
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in NAMES:
            field = "attr" if isinstance(node, ast.Attribute) else "id"
            yield _with(node, **{field: NAMES[name]})
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"
        case ast.AugAssign(op=operator) if type(operator) in CALCULATED:
            yield _with(node, op=CALCULATED[type(operator)]())
        case ast.Expr(value=ast.Call()):
            yield "pass"


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _joined(node: ast.BoolOp, place: int) -> ast.AST:
    """A chain of "and" or "or" without one of its conditions."""
    left = [*node.values[:place], *node.values[place + 1 :]]
    return left[0] if len(left) == 1 else _with(node, values=left)


def changeable(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, without annotations, messages of errors, and texts."""
    yield node
    if isinstance(node, ast.JoinedStr | ast.Raise):
        return
    left_out = {"annotation", "returns", "decorator_list", "type_params"}
    for name, value in ast.iter_fields(node):
        for below in value if isinstance(value, list) else [value]:
            if isinstance(below, ast.AST) and name not in left_out:
                yield from changeable(below)


def mutants_of(part: str, path: Path, root: Path) -> Iterator[Mutant]:
    source = path.read_text("utf-8")
    starts = np.cumsum([0, *(len(line.encode()) for line in source.splitlines(keepends=True))])
    raw = source.encode()
    for node in changeable(ast.parse(source)):
        for changed in changes_of(node):
            start = int(starts[node.lineno - 1]) + node.col_offset
            end = int(starts[node.end_lineno - 1]) + node.end_col_offset
            after = changed if isinstance(changed, str) else ast.unparse(changed)
            if isinstance(changed, ast.expr) and not isinstance(changed, ast.Constant | ast.Name):
                after = f"({after})" if not isinstance(changed, ast.Attribute) else after
            yield Mutant(
                part, str(path.relative_to(root)), node.lineno, start, end,
                raw[start:end].decode(), after,
            )  # fmt: skip


def files_of(root: Path) -> dict[str, list[Path]]:
    """The files of each room."""
    rooms, found = tomllib.loads((root / ".ci/rooms.toml").read_text("utf-8")), {}
    for room in [one for one in rooms if one not in NO_PRODUCT]:
        names = (one if one.endswith(".py") else f"{one}/**/*.py" for one in rooms[room]["in"])
        found[room] = sorted(path for name in names for path in root.glob(name))
    return found


def drawn(root: Path, seed: int, count: int) -> list[Mutant]:
    """``count`` mutants, one of each room in turn, no two at one place of the source."""
    random = np.random.default_rng(seed)
    found: dict[tuple[int, str], Mutant] = {}
    for part, paths in files_of(root).items():
        sites = [one for path in paths for one in mutants_of(part, path, root)]
        shuffled = (sites[place] for place in random.permutation(len(sites)))
        places = {(one.file, one.start, one.end): one for one in islice(shuffled, count)}
        found |= {(turn, part): one for turn, one in enumerate(places.values())}
    return [found[key] for key in sorted(found, key=lambda key: key[0])][:count]


# --- the tests of a file ---------------------------------------------------------------------


def module_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> set[str]:
    """The names of all modules of labelcore that a file imports, objects of them too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.startswith("labelcore")}


class RelatedTests:
    """Which tests belong to which file of labelcore."""

    def __init__(self, root: Path) -> None:
        self.root = root
        files = [
            path
            for path in sorted((root / "tests").rglob("test_*.py"))
            if path.relative_to(root).parts[1] != "browser"
            and not re.search("benchmark|structure|repository|test_docs", path.name)
        ]
        self.imported = {path: imports(path) for path in files}
        self.pinned = {path for path in files if "tests.pinned import" in path.read_text("utf-8")}
        self.contracts = root / "tests/contracts"
        package = sorted((root / "labelcore").rglob("*.py"))
        self.inside = {path: imports(path) for path in package if path.name != "__init__.py"}

    def batches(self, one: Mutant) -> list[list[Path]]:
        """The nearest tests after the examples in the file, and those that are left: the one that
        mirrors it; those that import it; those that import a file that does, and of the pages if
        it is one of theirs; those of its folder and the contracts. Among these are first those
        whose name has a word of the file's, or that name what the mutant is in."""
        path, inside = self.root / one.file, Path(one.file).parts
        folder = self.root.joinpath("tests", *inside[inside[0] == "labelcore" : -1])
        replay = folder.name == "replay"
        mirror = self.root / REPLAY if replay else folder / f"test_{path.stem}.py"
        module = module_of(path, self.root)
        users = {module_of(user, self.root) for user in self.inside if module in self.inside[user]}
        words, around = {*path.stem.split("_")}, names_around(path, one.line)
        shown = self.root / (OFFERED if {"pages", "ui", "team", "app.py"} & {*inside} else SHOWN)
        tables = {one for one in self.pinned if one.parent == folder}
        tables |= {self.root / (CALLS if {*CALLED} & {*inside} else OUTER_CALLS)}

        def distance(test: Path) -> tuple[int, int]:
            names, parts = self.imported[test], test.relative_to(self.root).parts
            page = "app" in parts and bool({*PAGES} & {*inside})
            near = (
                test == mirror,
                module in names,
                test in (shown, *tables) or users & names or page,
            )
            step = next((place for place, holds in enumerate(near) if holds), len(near))
            if step == len(near) and test.parent not in (folder, self.contracts):
                step += 1
            named = around & {*re.findall(r"\w+", test.read_text("utf-8"))}
            shared = words & {*test.stem.split("_")}
            nearer = len(shared) + 2 * len(named) + (test.parent == folder)
            return step, -99 if test == shown else -98 if test in tables else -nearer

        distances = {test: distance(test) for test in self.imported}
        tests = sorted(
            (one for one in distances if distances[one][0] < 4), key=distances.__getitem__
        )
        return [[path, *tests[:NEAREST]], tests[NEAREST:MOST]]


def names_around(path: Path, line: int) -> set[str]:
    """The functions and classes that a line is in."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kinds)]
    return {node.name for node in found if node.lineno <= line <= (node.end_lineno or 0)}


@dataclass(frozen=True)
class Watched:
    """A plug-in of pytest that writes which test failed, and ends with the time."""

    failed: TextIO
    seconds: float

    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if time.process_time() > self.seconds:
            item.session.shouldstop = "out of time"

    def pytest_runtest_logreport(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed:
            print(report.nodeid, file=self.failed, flush=True)

    pytest_collectreport = pytest_runtest_logreport


def run_tests(root: Path, names: list[str], seconds: float, *given: str) -> tuple[str, list[str]]:
    """What came of them ("survived", "failed", "no time" to run all, or "endless"), and which
    failed; in a fork of this process."""
    with tempfile.TemporaryFile("w+") as failed:
        if (child := os.fork()) == 0:
            _as_pytest(root, [*given, *names], Watched(failed, seconds))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # What its tests left running.
        failed.seek(0)
        found = failed.read().split("\n")[:-1]
    if found or code not in (*STATES, *OUT_OF_TIME):
        return "failed", found or [f"ended with {code}"]
    return STATES.get(code, "endless"), []


def _as_pytest(root: Path, given: list[str], watched: Watched) -> NoReturn:
    code: int = 70
    try:
        os.setsid()
        limit = int(watched.seconds) + FEW_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        signal.alarm(5 * limit)
        for name in [one for one in sys.modules if one.partition(".")[0] in OURS]:
            del sys.modules[name]
        sys.modules["__main__"] = ModuleType("__main__")
        sys.path[:] = [str(root), *(one for one in sys.path if Path(one) != ROOT)]
        os.environ["PYTHONPATH"] = str(root)  # What tests start is of the copy, too.
        os.chdir(root)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        temporary = f"--basetemp={root.with_name('temporary')}"
        common = ["-q", "-m", "not browser", "-p", "no:cacheprovider", temporary]
        code = pytest.main([*common, *given], plugins=[watched])
    finally:
        os._exit(code)


def tried(root: Path, one: Mutant, batch: list[Path], seconds: float) -> tuple[str, str]:
    """What one batch of tests says of the mutant."""
    path = root / one.file
    raw = path.read_bytes()
    path.write_bytes(raw[: one.start] + one.after.encode() + raw[one.end :])
    _forget_compiled(path)
    try:
        state, failed = run_tests(root, [str(test) for test in batch], seconds, "-x")
        return state, next(iter(failed), "")
    finally:
        path.write_bytes(raw)
        _forget_compiled(path)


def without_mutant(root: Path, rows: list[Row]) -> str:
    """Which of the tests that failed do so on the unchanged copy: these found nothing."""
    names = {row["test"].partition("[")[0] for row in rows if row["state"] == "failed"}
    state, failed = run_tests(root, sorted(names), 60 * SECONDS) if names else ("none", [])
    return " ".join([state, *failed])


def _forget_compiled(path: Path) -> None:
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


@lru_cache(maxsize=1)
def copied() -> RelatedTests:
    """A copy of the tree that this process may change, removed with it; the libraries that all
    tests need are imported once."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    target = Path(folder.name) / "tree"
    skipped = shutil.ignore_patterns(".git", ".venv", "images", "screenshots")
    shutil.copytree(ROOT, target, ignore=skipped)
    for name in LIBRARIES:
        import_module(name)
    threadpool_limits(1)
    gc.freeze()
    return RelatedTests(target)


def measure(one: Mutant, quick: bool) -> list[Row]:
    """The batches of tests in turn until one fails or the time is used up."""
    tests, state, test = copied(), "", ""
    batches, left = tests.batches(one), FEW_SECONDS if quick else SECONDS
    for batch in batches[:1] if quick else batches:
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        state, test = tried(tests.root, one, batch, left)
        left -= resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start
        if state != "survived" or left <= 0:
            break
    return [{**asdict(one), "state": state, "test": test}]


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{one.file}:{one.start}-{one.end}: {one.after}": partial(measure, one, options.quick)
        for one in drawn(ROOT, SEED, options.runs)
    }


def tables(found: Rows, options: Options) -> str:
    rows = flat(found)
    counts = []
    for part in (*files_of(ROOT), "all"):
        states = [row["state"] for row in rows if part in (row["part"], "all")]
        seen = [states.count(state) for state in SEEN]
        counts.append((part, len(states), *seen))
    places = []
    for row in rows:
        before, after = (f"`{' '.join(row[name].split())}`" for name in ("before", "after"))
        test = row["test"].split(" ")[0] if row["state"] == "failed" else row["state"]
        places.append((f"{row['file']}:{row['line']}", before, after, test))
    return "\n".join(
        [
            harness.table(("part", "tried", *SEEN), counts),
            harness.table(("place", "before", "after", "found by"), places),
            "Unchanged, the tests that failed: " + without_mutant(copied().root, rows),
        ]
    )


BENCHMARK = Benchmark(
    name="mutants", about=__doc__, jobs=jobs, tables=tables, runs=60, quick_runs=4
)

if __name__ == "__main__":
    command(BENCHMARK)()
