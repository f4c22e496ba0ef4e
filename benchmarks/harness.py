"""One harness for all benchmarks: jobs on several processes, tables, a page of docs/.

    python -m benchmarks.NAME [--quick] [--runs N] [--workers 2] [--only WORD] [--rows FILE]
        [--data ../shared/data] [--write]

A benchmark says its jobs, how their rows become tables, and which page it writes. ``--rows`` keeps
the rows of each job, so that a measurement broken off goes on where it was.
"""

import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from textwrap import fill
from typing import Any
from zlib import crc32

import click
import numpy as np
import pandas as pd

import labelcore

DOCS = Path(__file__).resolve().parents[1] / "docs"
MARK = "<!-- Everything below is written by the benchmark. -->\n"
MADE = "{made}"

Row = dict[str, Any]
Rows = dict[str, list[Row]]
Job = Callable[[], list[Row]]


@dataclass(frozen=True)
class Options:
    """What is asked for: ``runs`` of each case; the real files are in ``data``."""

    runs: int
    quick: bool = False
    data: Path = Path("../shared/data")


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """What is measured, and where it is written.

    name     of the module below ``benchmarks``
    about    the help text
    jobs     a function for each case, by a name of its own. It runs in another process, so it is
             made of functions of a module (``functools.partial``); its rows hold what JSON can
    tables   Markdown from the rows of all jobs, in the order of the jobs
    runs, quick_runs   of each case, at full size and with ``--quick``
    page     in docs/; "" for none. Where it has the ``MARK``, what stands above is kept
    head     before the tables; ``MADE`` in it becomes the command, the versions and the time
    beside   writes what else there is, into docs/: rows, the sentence of ``MADE``, folder
    faults   what must come out and did not: the command ends with 1
    keys     heading of the page -> by how many columns in front a row of its table is known, so
             that ``--only`` with ``--write`` puts the rows of single jobs in the place of theirs
    workers  processes; 1 where time is measured
    """

    name: str
    about: str
    jobs: Callable[[Options], Mapping[str, Job]]
    tables: Callable[[Rows, Options], str]
    runs: int = 1
    quick_runs: int = 1
    page: str = ""
    head: str = MADE + "\n\n"
    beside: Callable[[Rows, str, Path], None] | None = None
    faults: Callable[[Rows, Options], list[str]] | None = None
    keys: Mapping[str, int] = field(default_factory=dict)
    workers: int = 2


# --- the command -----------------------------------------------------------------------------


def command(benchmark: Benchmark, docs: Path = DOCS) -> click.Command:
    """The command line of a benchmark; ``docs`` is where it writes."""

    @click.command(help=benchmark.about.replace("\n\n    ", "\n\n\b\n    "))
    @click.option("--quick", is_flag=True, help="A first look, of about a minute.")
    @click.option("--runs", type=click.IntRange(1), help=f"Of each case; {benchmark.runs}.")
    @click.option("--workers", type=click.IntRange(1), default=benchmark.workers)
    @click.option("--only", default="", help="Jobs with this word in the name.")
    @click.option("--rows", "kept", type=click.Path(path_type=Path), help="Keeps what is done.")
    @click.option("--data", type=click.Path(path_type=Path), default=Options.data)
    @click.option("--write", is_flag=True, help=f"Writes docs/{benchmark.page or '...'}.")
    def measure(
        quick: bool, runs: int | None, workers: int, only: str, kept: Path | None, data: Path,
        write: bool,
    ) -> None:  # fmt: skip
        part = bool(only and benchmark.page)
        if write and part and not benchmark.keys:
            raise click.UsageError("the page needs all jobs: leave out --only or --write")
        options = Options(runs or (benchmark.quick_runs if quick else benchmark.runs), quick, data)
        rows, seconds = found(benchmark, options, workers, only, kept)
        given = [*([f"--only {only}"] if only else []), *(["--write"] if write else [])]
        made = provenance(benchmark, options, given, seconds)
        if part:
            click.echo(pd.DataFrame(flat(rows)).to_string())
            if write:
                page = docs / benchmark.page
                text, new = page.read_text("utf-8"), benchmark.tables(rows, options)
                page.write_text(with_rows(text, new, benchmark.keys), "utf-8")
            return
        text = benchmark.head.replace(MADE, made) + benchmark.tables(rows, options)
        click.echo(text)
        if write and benchmark.page:
            write_page(docs / benchmark.page, text)
        if write and benchmark.beside:
            benchmark.beside(rows, made, docs)
        faults = benchmark.faults(rows, options) if benchmark.faults else []
        for fault in faults:
            click.echo(f"FAILED {fault}")
        raise SystemExit(1 if faults else 0)

    return measure


def provenance(benchmark: Benchmark, options: Options, given: Sequence[str], seconds: float) -> str:
    """By which command, with which versions, on what, and how long all jobs took together."""
    words = ["python -m benchmarks." + benchmark.name, *(["--quick"] if options.quick else [])]
    if options.runs != (benchmark.quick_runs if options.quick else benchmark.runs):
        words.append(f"--runs {options.runs}")
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas"))
    took = f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"
    text = (
        f"Made by `{' '.join([*words, *given])}` with labelcore {labelcore.__version__}, "
        f"{versions} and Python {platform.python_version()} on {platform.machine()}, "
        f"{os.cpu_count()} cores, in {took} of one process."
    )
    return fill(text, 100, break_on_hyphens=False, break_long_words=False)


def write_page(path: Path, text: str) -> None:
    """Below the mark of a page, or as a new one."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    above, mark, _ = old.partition(MARK)
    path.write_text((above + MARK if mark else "") + text, encoding="utf-8")


def with_rows(page: str, new: str, keys: Mapping[str, int]) -> str:
    """A page whose tables have the rows of the ``new`` ones in the place of those of the same key,
    behind the others of the same first cell where there is none; a column that is new is last.

    keys   heading -> columns in front by which a row is known

    >>> old, new = table(["who", "s"], [["a", 1], ["b", 2]]), table(["who", "s"], [["b", 3]])
    >>> print(with_rows("## T\\n\\n" + old, "## T\\n\\n" + new, {"T": 1}))
    ## T
    <BLANKLINE>
    | who | s |
    |---|---|
    | a | 1 |
    | b | 3 |
    <BLANKLINE>
    """
    parts = {part.partition("\n")[0]: part for part in new.split("## ")[1:]}
    found = page.split("## ")
    for place, part in enumerate(found):
        heading = part.partition("\n")[0]
        if heading in keys and heading in parts:
            old, rows = _cells(part), _cells(parts[heading])
            merged = _merged(old, rows, keys[heading])
            lines = part.splitlines(keepends=True)
            at = [number for number, line in enumerate(lines) if line.startswith("| ")]
            names = list(dict.fromkeys(name for row in merged for name in row))
            text = table(names, ([row.get(name, "") for name in names] for row in merged))
            found[place] = "".join([*lines[: at[0]], text, *lines[at[-1] + 1 :]])
    return "## ".join(found)


def _cells(part: str) -> list[dict[str, str]]:
    """The rows of the first table, by the names of its columns."""
    lines = [
        [cell.strip() for cell in line[1:-1].split("|")]
        for line in part.splitlines()
        if line.startswith("| ")
    ]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def _merged(
    old: list[dict[str, str]], new: list[dict[str, str]], keys: int
) -> list[dict[str, str]]:
    found = list(old)
    for row in new:
        key = list(row.values())[:keys]
        alike = [n for n, one in enumerate(found) if list(one.values())[:keys] == key]
        near = [n for n, one in enumerate(found) if list(one.values())[:1] == key[:1]]
        if alike:
            found[alike[0]] = row
        else:
            found.insert(near[-1] + 1 if near else len(found), row)
    return found


# --- the jobs --------------------------------------------------------------------------------


def found(
    benchmark: Benchmark, options: Options, workers: int, only: str = "", kept: Path | None = None
) -> tuple[Rows, float]:
    """The rows of all jobs, in the order of the jobs, and the seconds that these took; those that
    ``kept`` holds for as many runs are not made again."""
    jobs = {name: job for name, job in benchmark.jobs(options).items() if only in name}
    size = {"runs": options.runs, "quick": options.quick}
    lines = kept.read_text("utf-8").splitlines() if kept and kept.exists() else []
    done = {one["job"]: one for one in map(json.loads, lines) if one["size"] == size}
    left = {name: job for name, job in jobs.items() if name not in done}
    start = time.monotonic()
    for number, (name, rows, seconds) in enumerate(as_they_end(left, workers), start=1):
        one = {"job": name, "size": size, "seconds": seconds, "rows": rows}
        text = json.dumps(one, default=_plain)
        done[name] = json.loads(text)  # The same whether it was kept or not.
        if kept:
            with kept.open("a", encoding="utf-8") as file:
                file.write(text + "\n")
        click.echo(f"{time.monotonic() - start:6.0f} s {number}/{len(left)} {name}", err=True)
    return {name: done[name]["rows"] for name in jobs}, sum(done[name]["seconds"] for name in jobs)


def flat(rows: Rows) -> list[Row]:
    """The rows of all jobs."""
    return [row for part in rows.values() for row in part]


def as_they_end(jobs: Mapping[str, Job], workers: int) -> Iterator[tuple[str, list[Row], float]]:
    """Each name with its rows and seconds; with one worker in this process."""
    if workers == 1:
        yield from ((name, *timed(job)) for name, job in jobs.items())
        return
    with ProcessPoolExecutor(workers) as pool:
        running = {pool.submit(timed, job): name for name, job in jobs.items()}
        try:
            for future in as_completed(running):
                yield running[future], *future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def timed(job: Job) -> tuple[list[Row], float]:
    start = time.monotonic()
    return job(), time.monotonic() - start


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as JSON has them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a row must hold what JSON can, got {value!r}")


def generator(seed: int, case: str, run: int) -> np.random.Generator:
    """Run number ``run`` of a case: the child of a seed made of ``seed`` and the case's name."""
    key = (seed, crc32(case.encode()))
    return np.random.default_rng(np.random.SeedSequence(key, spawn_key=(run,)))


# --- tables ----------------------------------------------------------------------------------


def table(names: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; cells are shown as they are, with bars escaped."""

    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(names), "|" + "---|" * len(names), *map(line, rows), ""])


def frame_table(frame: pd.DataFrame, digits: Mapping[str, int]) -> str:
    """A table with so many digits in the columns named; what is missing is left empty."""
    shown = frame.astype(object)
    for name, places in digits.items():
        shown[name] = ["" if pd.isna(one) else f"{one:,.{places}f}" for one in frame[name]]
    return table(list(shown.columns), shown.to_numpy())
