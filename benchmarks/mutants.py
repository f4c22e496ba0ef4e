"""Planted mistakes: one small change of the source at a time, and whether a test fails.

Sites are drawn with a seed, from each room of the product in turn (``.ci/rooms.toml``), from all
places where the syntax tree has something to change (``changes_of``). Each mutant is tried on a
copy of the tree: first the tests that mirror or import the changed file, then those of the files
that import it and the contracts, then those of the pages if it is one of theirs. All are tests of
the README's command, without a browser; the first that fails ends it. Besides, the mistakes of
``benchmarks.kept_mutants`` are planted in every run.

    python -m benchmarks.mutants [--quick] [--runs 60] [--rows rows.jsonl] [--only kept]

``--runs`` is the number of mutants; with ``--quick`` only the first tests run, with less time.
"""

from __future__ import annotations

import ast
import atexit
import copy
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks import harness
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.kept_mutants import KEPT

ROOT = Path(__file__).resolve().parents[1]
NO_PRODUCT = ("tests", "measured")
SEED, SECONDS, FEW_SECONDS = 33, 240, 60
OUT_OF_TIME = (-24, 152, 124, -9, 137)
"""What a process ends with at its limit of processor time, which the kernel kills it at."""
REPLAY = "tests/report/test_replay.py"
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


def kept(root: Path) -> list[Mutant]:
    """The mutants of ``benchmarks.kept_mutants``; each text must stand once in its file."""
    found = []
    for name, before, after in KEPT:
        path = root / "labelcore" / name
        raw = path.read_bytes()
        if (times := raw.count(before.encode())) != 1:
            raise ValueError(f"{name} has {before!r} {times} times, not once")
        start = raw.index(before.encode())
        line = raw[:start].count(b"\n") + 1
        end = start + len(before.encode())
        found.append(Mutant("kept", f"labelcore/{name}", line, start, end, before, after))
    return found


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
        package = sorted((root / "labelcore").rglob("*.py"))
        self.inside = {path: imports(path) for path in package if path.name != "__init__.py"}

    def own(self, path: Path) -> list[Path]:
        """The examples in the file, the tests that mirror it and those that import it; where there
        are none, those of its folder."""
        module = module_of(path, self.root)
        importing = [test for test, names in self.imported.items() if module in names]
        folder = self._mirror(path, every=True)[0].parent
        found = [*self._mirror(path), *importing] or [
            test for test in self.imported if test.parent == folder
        ]
        return [path, *dict.fromkeys(found)]

    def _mirror(self, path: Path, every: bool = False) -> list[Path]:
        inside = path.relative_to(self.root).parts
        folder = self.root.joinpath("tests", *inside[inside[0] == "labelcore" : -1])
        found = [folder / f"test_{path.stem}.py"]
        if folder.name == "replay":
            found = [self.root / REPLAY]
        return [one for one in found if every or one.exists()]

    def wider(self, path: Path) -> list[Path]:
        """The tests of the files that import it, and the contracts."""
        module = module_of(path, self.root)
        users = [user for user, names in self.inside.items() if module in names]
        found = [test for user in users for test in [*self._mirror(user), *self.own(user)[1:]]]
        contracts = sorted((self.root / "tests/contracts").glob("test_*.py"))
        own = self.own(path)
        every = dict.fromkeys([*found, self.root / REPLAY, *contracts])
        return [one for one in every if one not in own]

    def batches(self, path: Path) -> list[list[Path]]:
        pages = {*PAGES} & {*path.relative_to(self.root).parts}
        return [self.own(path), self.wider(path), *([[self.root / "tests/app"]] if pages else [])]


def run_tests(root: Path, files: list[Path], seconds: int) -> tuple[str, str]:
    """What came of them ("survived", "failed" or "too long") and the first test that failed."""
    names = [str(path.relative_to(root)) for path in files]
    command = [
        "timeout", str(5 * seconds), "prlimit", f"--cpu={seconds}", sys.executable, "-m",
        "pytest", "-x", "-q", "-m", "not browser", "-p", "no:cacheprovider", "-p", "no:xdist",
        *names,
    ]  # fmt: skip
    changed = {**os.environ, "PYTHONPATH": str(root)}  # What tests start is of the copy, too.
    done = subprocess.run(
        command, cwd=root, env=changed, capture_output=True, text=True, check=False
    )
    if done.returncode in (0, 5):  # 5: nothing with these marks.
        return "survived", ""
    if done.returncode in OUT_OF_TIME:
        return "too long", ""
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, flags=re.MULTILINE)
    return "failed", failed[1] if failed else done.stdout[-300:] + done.stderr[-300:]


def tried(root: Path, one: Mutant, batch: list[Path], seconds: int) -> tuple[str, str]:
    """What one batch of tests says of the mutant."""
    path = root / one.file
    raw = path.read_bytes()
    path.write_bytes(raw[: one.start] + one.after.encode() + raw[one.end :])
    _forget_compiled(path)
    try:
        return run_tests(root, batch, seconds)
    finally:
        path.write_bytes(raw)
        _forget_compiled(path)


def without_mutant(root: Path, rows: list[Row]) -> str:
    """What the tests that failed do on the unchanged copy: a test that fails there too found
    nothing."""
    names = {row["test"].partition("[")[0] for row in rows if row["state"] == "failed"}
    if not names:
        return "none"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sorted(names)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip().rpartition("\n")[2]


def _forget_compiled(path: Path) -> None:
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


@lru_cache(maxsize=1)
def copied() -> Path:
    """A copy of the tree that this process may change, removed with it."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    target = Path(folder.name) / "tree"
    skipped = shutil.ignore_patterns(".git", ".venv", "__pycache__", "images", "screenshots")
    shutil.copytree(ROOT, target, ignore=skipped)
    return target


def measure(one: Mutant, quick: bool) -> list[Row]:
    """The batches of tests in turn until one fails; "too long" where one had no time to end."""
    root = copied()
    states, test = [], ""
    batches = RelatedTests(root).batches(root / one.file)
    for batch in batches[:1] if quick else batches:
        state, test = tried(root, one, batch, FEW_SECONDS if quick else SECONDS)
        states.append(state)
        if state == "failed":
            break
    final = next((one for one in ("failed", "too long") if one in states), "survived")
    return [{**asdict(one), "state": final, "test": test}]


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{one.file}:{one.start}-{one.end}: {one.after}": partial(measure, one, options.quick)
        for one in drawn(ROOT, SEED, options.runs)
    } | {
        f"kept {one.file}: {one.after}": partial(measure, one, options.quick) for one in kept(ROOT)
    }


def tables(found: Rows, options: Options) -> str:
    rows = flat(found)
    counts = []
    for part in (*files_of(ROOT), "kept", "all"):
        states = [row["state"] for row in rows if part in (row["part"], "all")]
        seen = [states.count(state) for state in ("failed", "too long", "survived")]
        counts.append((part, len(states), *seen))
    places = []
    for row in rows:
        before, after = (f"`{' '.join(row[name].split())}`" for name in ("before", "after"))
        test = row["test"].split(" ")[0] if row["state"] == "failed" else row["state"]
        places.append((f"{row['file']}:{row['line']}", before, after, test))
    return "\n".join(
        [
            harness.table(("part", "tried", "killed", "too long", "survived"), counts),
            harness.table(("place", "before", "after", "found by"), places),
            "Unchanged, the tests that failed: " + without_mutant(copied(), rows),
        ]
    )


BENCHMARK = Benchmark(
    name="mutants", about=__doc__, jobs=jobs, tables=tables, runs=60, quick_runs=4, workers=1
)

if __name__ == "__main__":
    command(BENCHMARK)()
