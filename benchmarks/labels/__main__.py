"""Labels needed for the same promise and the same width, all methods side by side.

    python -m benchmarks.labels ../shared/data [--quick] [--runs 100] [--workers 2]
        [--rows rows.jsonl] [--kept] [--output docs/label_efficiency.md]

Each run goes on until the half-width is met; beside the labels stands how often the interval held
the truth there. ``--rows`` keeps what is done, so that a measurement broken off goes on where it
was. Methods of other packages join where these are installed (``benchmarks.labels.peers``).
"""

from __future__ import annotations

import argparse
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.documents import write_below
from benchmarks.labels.choices import choice_rows, choice_section
from benchmarks.labels.drawing import picture
from benchmarks.labels.files import names_of_files
from benchmarks.labels.measured import NOISE, SEED, Cell, all_cells, kept_cells, limit, section_rows
from benchmarks.labels.methods import unavailable
from benchmarks.labels.ranked import ranked_rows, ranked_section
from benchmarks.labels.several import several_rows, several_section
from benchmarks.labels.tables import MARK, file_by_file, goal_lines, over_files
from benchmarks.labels.together import together_rows, together_section

QUICK = ("newsgroups_med lr", "ppdb_pairs model", "10 %, middling", "1 %, good",
         "1 %, badly calibrated")  # fmt: skip
QUICK_RUNS, RUNS = 8, 100
PICTURED = ("recall", "F1")


def picture_file(output: Path, target: str) -> Path:
    return output.with_name(f"{output.stem}_{target.lower()}.svg")


def versions() -> str:
    found = []
    for name in ("numpy", "scipy", "oasis", "ppi-python"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--quick", action="store_true", help="five files, few runs, no lists")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--kept", action="store_true", help="tables of what --rows holds")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    runs = options.runs or (QUICK_RUNS if options.quick else RUNS)
    names = QUICK if options.quick else names_of_files()
    start = time.monotonic()
    if options.kept:
        cells = kept_cells(names, runs, options.rows)
    else:
        cells = all_cells(options.folder, names, runs, options.workers, options.rows)
    parts = [
        HEADER.format(
            files=len({cell.file for cell in cells}), of=len(names), runs=runs, seed=SEED,
            noise=f"{NOISE:g}", mark=MARK, limit=limit(runs), versions=versions(),
        ),
        *(f"- {name}: {reason}\n" for name, reason in unavailable().items()),
        "\n## Over all files\n\n", over_files(cells),
        "\n## The goals\n\n", goal_lines(cells),
        "\n## File by file\n\n", file_by_file(cells),
    ]  # fmt: skip
    if not options.quick:
        parts += further(options.folder, options.rows, cells)
    text = "".join(parts)
    print(text)
    print(f"{(time.monotonic() - start) / 60:.0f} minutes")
    if options.output:
        write_below(options.output, "", text)
        for target in PICTURED:
            picture_file(options.output, target).write_text(picture(cells, target), "utf-8")


def further(folder: Path, kept: Path | None, cells: list[Cell]) -> list[str]:
    """The sections whose targets are no single number."""
    several = section_rows(kept, "several", lambda: several_rows(folder))
    ranked = section_rows(kept, "ranked", lambda: ranked_rows(folder))
    choices = section_rows(kept, "choices", lambda: choice_rows(folder))
    together = section_rows(kept, "together", lambda: together_rows(folder))
    return [
        "\n", together_section(together),
        "\n", several_section(several, cells),
        "\n", ranked_section(ranked),
        "\n", choice_section(choices),
    ]  # fmt: skip


HEADER = """
{files} of {of} files, {runs} runs of each cell; a cell's seed is ({seed}, a checksum of file,
method and target), run r its r-th child. Cells show the median labels at the stop with its Monte
Carlo error, and how often the interval held the truth there (of two results the one held less
often). {mark}: less often than .95 less {noise} standard errors, for one cell under {limit:.2f}.
{versions}.

"""

if __name__ == "__main__":
    main()
