"""Labels needed for the same promise and the same width, all methods side by side.

    python -m benchmarks.labels [--quick] [--runs 100] [--rows rows.jsonl] [--write]

Each run goes on until the half-width is met; beside the labels stands how often the interval held
the truth there. Methods of other packages join where these are installed
(``benchmarks.labels.peers``).
"""

from functools import partial
from importlib.metadata import PackageNotFoundError, version

from benchmarks.harness import MADE, Benchmark, Job, Options, Rows, command
from benchmarks.labels.files import names_of_files
from benchmarks.labels.measured import NOISE, SEED, Cell, cell_of, limit, measure, wanted_cells
from benchmarks.labels.methods import unavailable
from benchmarks.labels.tables import MARK, file_by_file, goal_lines, over_files
from benchmarks.labels.together import together_jobs, together_section

QUICK = ("newsgroups_med lr", "ppdb_pairs model", "10 %, middling", "1 %, good",
         "1 %, badly calibrated")  # fmt: skip
TOGETHER = "together: "
"""Before the names of the jobs of a section whose targets are no single number."""


def jobs(options: Options) -> dict[str, Job]:
    """The cells, and all figures together; with ``--quick`` five files and no such jobs."""
    names = QUICK if options.quick else names_of_files()
    found: dict[str, Job] = {
        ", ".join(cell): partial(measure, options.data, *cell, options.runs)
        for cell in wanted_cells(names)
    }
    further = {} if options.quick else together_jobs(options.data)
    return found | {TOGETHER + name: job for name, job in further.items()}


def versions() -> str:
    found = []
    for name in ("numpy", "scipy", "oasis", "ppi-python"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def cells_of(rows: Rows) -> list[Cell]:
    return [cell_of(row) for name, part in rows.items() if TOGETHER not in name for row in part]


def tables(rows: Rows, options: Options) -> str:
    cells = cells_of(rows)
    files = len({cell.file for cell in cells})
    parts = [
        TEXT.format(
            files=files, runs=options.runs, seed=SEED, noise=f"{NOISE:g}", mark=MARK,
            limit=limit(options.runs), versions=versions(),
        ),
        *(f"- {name}: {reason}\n" for name, reason in unavailable().items()),
        "\n## Over all files\n\n", over_files(cells),
        "\n## The goals\n\n", goal_lines(cells),
        "\n## File by file\n\n", file_by_file(cells),
    ]  # fmt: skip
    own = [row for name in rows if name.startswith(TOGETHER) for row in rows[name]]
    parts += ["\n", together_section(own)] if own else []
    return "".join(parts)


TEXT = """{files} files, {runs} runs of each cell; a cell's seed is ({seed}, a checksum of file,
method and target), run r its r-th child. Cells show the median labels at the stop with its Monte
Carlo error, and how often the interval held the truth there (of two results the one held less
often). {mark}: less often than .95 less {noise} standard errors, for one cell under {limit:.2f}.
{versions}.

"""

BENCHMARK = Benchmark(
    name="labels", about=__doc__, jobs=jobs, tables=tables, runs=100, quick_runs=2,
    page="label_efficiency.md", head=f"\n{MADE}\n\n",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
