"""The harness of the benchmarks: every job once, in order, kept, and on its page."""

import importlib
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import benchmarks
from benchmarks.harness import (
    MADE,
    MARK,
    Benchmark,
    Job,
    Options,
    Row,
    Rows,
    command,
    flat,
    generator,
    table,
    with_rows,
)

NAMES = ("one", "two", "three")


def count(folder: Path, name: str, runs: int) -> list[Row]:
    """A job that leaves a trace; "broken" cannot be done."""
    if (folder / "broken").exists() and name == "two":
        raise ValueError("two is broken")
    with (folder / "trace").open("a") as file:
        file.write(name + "\n")
    return [{"name": name, "runs": np.int64(runs), "shares": np.array([0.5, np.nan])}]


def jobs(folder: Path, options: Options) -> dict[str, Job]:
    return {name: partial(count, folder, name, options.runs) for name in NAMES}


def tables(rows: Rows, options: Options) -> str:
    return table(("name", "runs"), [(row["name"], row["runs"]) for row in flat(rows)])


def counting(folder: Path) -> Benchmark:
    return Benchmark(
        name="counting", about="Counts.", jobs=partial(jobs, folder), tables=tables, runs=40,
        quick_runs=4, page="counting.md", head=f"# Counting\n\n{MADE}\n\n",
        faults=lambda rows, options: ["few runs"] if options.runs < 3 else [],
    )  # fmt: skip


def ran(folder: Path, *given: str) -> Result:
    return CliRunner().invoke(command(counting(folder), folder), [*given, "--workers", "1"])


def trace(folder: Path) -> list[str]:
    return (folder / "trace").read_text().split()


@pytest.mark.parametrize(
    ("given", "runs"), [((), 40), (("--quick",), 4), (("--quick", "--runs", "9"), 9)]
)
def test_every_job_is_done_once_with_the_runs_asked_for(
    tmp_path: Path, given: tuple[str, ...], runs: int
) -> None:
    done = ran(tmp_path, *given)
    assert done.exit_code == 0, done.output
    assert trace(tmp_path) == list(NAMES)
    assert [f"| {name} | {runs} |" in done.output for name in NAMES] == [True] * 3
    assert not (tmp_path / "counting.md").exists()


def test_rows_are_in_the_order_of_the_jobs_with_more_processes(tmp_path: Path) -> None:
    done = CliRunner().invoke(command(counting(tmp_path), tmp_path), ["--workers", "3"])
    assert done.stdout.index("| one") < done.stdout.index("| two") < done.stdout.index("| three")
    assert sorted(trace(tmp_path)) == sorted(NAMES)


def test_what_was_broken_off_goes_on_where_it_was(tmp_path: Path) -> None:
    kept = ("--rows", str(tmp_path / "rows.jsonl"))
    (tmp_path / "broken").touch()
    done = ran(tmp_path, *kept, "--write")
    assert isinstance(done.exception, ValueError)
    assert not (tmp_path / "counting.md").exists()
    (tmp_path / "broken").unlink()
    again = ran(tmp_path, *kept)
    assert trace(tmp_path) == list(NAMES)
    assert again.stdout.partition("\n| ")[2] == ran(tmp_path).stdout.partition("\n| ")[2]


def test_the_time_of_what_was_kept_counts(tmp_path: Path) -> None:
    kept = tmp_path / "rows.jsonl"
    ran(tmp_path, "--rows", str(kept))
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    kept.write_text("".join(json.dumps({**row, "seconds": 100.0}) + "\n" for row in rows))
    again = ran(tmp_path, "--rows", str(kept))
    assert "in 5 minutes of one process." in " ".join(again.output.split())


def test_a_page_says_by_which_command_and_keeps_what_people_wrote(tmp_path: Path) -> None:
    page = tmp_path / "counting.md"
    ran(tmp_path, "--runs", "12", "--write")
    text = page.read_text("utf-8")
    assert text.startswith(
        "# Counting\n\nMade by `python -m benchmarks.counting --runs 12 --write`"
    )
    assert text.endswith("| three | 12 |\n\n") or text.endswith("| three | 12 |\n")
    page.write_text(f"# What was found\n\nMuch.\n\n{MARK}old\n", "utf-8")
    ran(tmp_path, "--write")
    text = page.read_text("utf-8")
    assert text.startswith(f"# What was found\n\nMuch.\n\n{MARK}# Counting\n\nMade by `python -m")
    assert "| three | 40 |" in text and "old" not in text


def test_what_must_come_out_and_does_not_fails_the_command(tmp_path: Path) -> None:
    done = ran(tmp_path, "--runs", "2")
    assert done.exit_code == 1 and "FAILED few runs" in done.output


def test_runs_of_a_case_have_seeds_of_their_own() -> None:
    first = [generator(*key).random() for key in ((1, "a", 0), (1, "a", 0), (1, "a", 1))]
    others = [generator(*key).random() for key in ((1, "b", 0), (2, "a", 0))]
    assert first[0] == first[1]
    assert len({*first[1:], *others}) == 4


FOLDER = Path(str(benchmarks.__file__)).parent
MODULES = [
    ".".join(("benchmarks", *path.relative_to(FOLDER).with_suffix("").parts))
    for path in sorted(FOLDER.rglob("*.py"))
    if "\nBENCHMARK = " in path.read_text("utf-8")
]


# The mutants read every file; ``tests/test_mutants_benchmark.py`` draws some.
@pytest.mark.parametrize(
    "module",
    [pytest.param(one, marks=[pytest.mark.full] * one.endswith(".mutants")) for one in MODULES],
)
def test_a_benchmark_has_jobs_and_a_page_that_names_its_command(module: str, root: Path) -> None:
    one: Benchmark = importlib.import_module(module).BENCHMARK
    assert f"benchmarks.{one.name}" == module.removesuffix(".__main__")
    assert one.runs >= one.quick_runs >= 1
    assert len(one.jobs(Options(one.quick_runs, quick=True))) >= 1
    assert CliRunner().invoke(command(one), ["--help"]).exit_code == 0
    if one.page:
        assert f"python -m benchmarks.{one.name}" in (root / "docs" / one.page).read_text("utf-8")


def test_single_rows_of_a_page_are_replaced(tmp_path: Path) -> None:
    old = table(["name", "runs"], [["one", 9], ["two", 9], ["two", 8]])
    page = tmp_path / "docs" / "counting.md"
    page.parent.mkdir()
    page.write_text(f"# Counting\n\n{MARK}## Counts\n\nAs found:\n\n{old}\n## Others\n\n{old}")
    benchmark = replace(
        counting(tmp_path),
        tables=lambda rows, options: "## Counts\n\n" + tables(rows, options),
        keys={"Counts": 1},
    )
    run = CliRunner().invoke(command(benchmark, page.parent), ["--only", "two", "--write"])
    assert run.exit_code == 0, run.output
    new = table(["name", "runs"], [["one", 9], ["two", 40], ["two", 8]])
    assert page.read_text() == (
        f"# Counting\n\n{MARK}## Counts\n\nAs found:\n\n{new}\n## Others\n\n{old}"
    )


def test_a_new_row_stands_behind_its_like_and_a_new_column_last() -> None:
    old = table(["a", "b"], [[1, 1], [2, 1]])
    new = table(["a", "b", "c"], [[1, 2, "x"], [3, 1, "y"]])
    rows = [[1, 1, ""], [1, 2, "x"], [2, 1, ""], [3, 1, "y"]]
    wanted = "## T\n\n" + table(["a", "b", "c"], rows)
    assert with_rows("## T\n\n" + old, "## T\n\n" + new, {"T": 2}) == wanted
