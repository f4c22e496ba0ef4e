"""Every published table, figure and number of the five papers that can be run.

    python -m benchmarks.papers [--quick] [--only NAME ...] [--output docs/papers] [--data FOLDER]

Each paper has a table of expected values, benchmarks/papers/expected/NAME.csv, that was committed
before the run: what the paper prints, the range that ours must lie in, and why. Ends with 1 when
something that must come out does not, or was not run in a full run. ``--quick`` computes what takes
seconds and writes nothing unless an output is given.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

import pandas as pd

from benchmarks.papers.outcome import Outcome
from benchmarks.papers.pictures import save_pictures
from benchmarks.papers.verdicts import Expected, Verdict, missing, verdicts

PAPERS = {
    "recycling": "000 · Tripathi et al. (2020): precisions of several classifiers",
    "reach_selection": "001 · Bennett et al. (2017): the highest reach at a required precision",
    "stratified": "002 · Kumar and Raj (2018): accuracy by stratified sampling",
    "oversampling": "003 · Shang et al. (2023): precision and recall by over-sampling",
    "curves": "004 · Sabharwal and Sedghi (2017): the whole precision curve",
}
COLUMNS = ("where", "what", "paper", "ours", "range", "verdict", "why this range")


def main() -> int:
    options = _options()
    failed: list[str] = []
    for name in options.only or PAPERS:
        started = time.perf_counter()
        module = importlib.import_module(f"benchmarks.papers.{name}")
        outcome: Outcome = module.run(options.quick, options.data)
        found = verdicts(name, outcome.values)
        seconds = time.perf_counter() - started
        failed += [f"{name}: {one.expected.key}" for one in found if one.failed]
        if not options.quick:
            failed += [f"{name}: {key} was not run" for key in missing(found)]
        print(_shown(PAPERS[name], found, outcome, seconds), flush=True)
        if options.output is not None:
            write(options.output, name, found, outcome, options.quick, seconds)
    for line in failed:
        print(f"FAILED {line}")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="what takes seconds only")
    parser.add_argument("--only", nargs="+", choices=PAPERS, help="these papers only")
    parser.add_argument("--output", type=Path, help="where tables and figures go; none: nowhere")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the real files")
    return parser.parse_args()


def as_table(found: list[Verdict]) -> pd.DataFrame:
    """The verdicts as people read them."""
    rows = []
    for one in found:
        row = one.expected
        ours = "" if one.value is None else f"{one.value:.6g}"
        rows.append(
            (row.where, row.what, row.published, ours, range_words(row), one.words, row.reason)
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def range_words(row: Expected) -> str:
    """
    >>> range_words(Expected("a", "", "", "", 4.5, 5.5, True, ""))
    '4.5 to 5.5'
    """
    if row.low is None or row.high is None:
        ends = ((row.low, "at least"), (row.high, "at most"))
        return "".join(f"{words} {end:.6g}" for end, words in ends if end is not None)
    return f"{row.low:.6g}" if row.low == row.high else f"{row.low:.6g} to {row.high:.6g}"


def _shown(title: str, found: list[Verdict], outcome: Outcome, seconds: float) -> str:
    counts = pd.Series([one.words for one in found]).value_counts()
    said = ", ".join(f"{number} {words}" for words, number in counts.items())
    table = as_table(found)[["where", "what", "paper", "ours", "range", "verdict"]]
    notes = "".join(f"\n  {note}" for note in outcome.notes)
    return (
        f"\n{title}\n{table.to_string(index=False, max_colwidth=60)}\n{said}; "
        f"{seconds:.0f} s{notes}"
    )


def write(
    folder: Path, name: str, found: list[Verdict], outcome: Outcome, quick: bool, seconds: float
) -> None:
    """The verdicts and the further tables as Markdown, the figures as pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    command = "python -m benchmarks.papers" + (" --quick" if quick else "")
    parts = [
        f"# {PAPERS[name]}: every number\n",
        f"Written by `{command} --only {name}` in {seconds:.0f} s; the ranges were laid down in "
        f"[{name}.csv](../../benchmarks/papers/expected/{name}.csv) before the run.\n",
        markdown(as_table(found)),
    ]
    for title, table in outcome.tables.items():
        parts += [f"\n## {title}\n", markdown(table)]
    if outcome.notes:
        parts += ["\n## Notes\n", "\n".join(f"- {note}" for note in outcome.notes)]
    (folder / f"{name}_table.md").write_text("\n".join(parts) + "\n", encoding="utf-8")
    save_pictures(folder / "images", name, outcome.figures)


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown; bars inside cells are escaped."""
    lines = [list(map(str, table.columns)), ["---"] * len(table.columns)]
    lines += [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main())
