"""Every published table, figure and number of the five papers that can be run.

    python -m benchmarks.papers [--quick] [--only NAME] [--rows FILE] [--data FOLDER] [--write]

Each paper has a table of expected values, benchmarks/papers/expected/NAME.csv, that was committed
before the run: what the paper prints, the range that ours must lie in, and why. Ends with 1 when
something that must come out does not, or was not run in a full run. ``--quick`` computes what takes
seconds.
"""

import importlib
import time
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks import harness
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command
from benchmarks.papers.outcome import Outcome, kept, outcome_of
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


def measure(name: str, quick: bool, data: Path) -> list[Row]:
    started = time.perf_counter()
    outcome: Outcome = importlib.import_module(f"benchmarks.papers.{name}").run(quick, data)
    return [{**kept(outcome), "seconds": time.perf_counter() - started}]


def jobs(options: Options) -> dict[str, Job]:
    return {name: partial(measure, name, options.quick, options.data) for name in PAPERS}


def tables(rows: Rows, options: Options) -> str:
    """Every verdict, and what a reader must know."""
    parts = []
    for name, (row,) in rows.items():
        found = verdicts(name, row["values"])
        counts = pd.Series([one.words for one in found]).value_counts()
        said = ", ".join(f"{number} {words}" for words, number in counts.items())
        table = as_table(found)[["where", "what", "paper", "ours", "range", "verdict"]]
        parts += [
            PAPERS[name], table.to_string(index=False, max_colwidth=60),
            f"{said}; {row['seconds']:.0f} s", *(f"  {note}" for note in row["notes"]), "",
        ]  # fmt: skip
    return "\n".join(parts)


def faults(rows: Rows, options: Options) -> list[str]:
    """What must come out and does not, and what a full run left out."""
    found = {name: verdicts(name, row["values"]) for name, (row,) in rows.items()}
    failed = [f"{name}: {one.expected.key}" for name in found for one in found[name] if one.failed]
    if options.quick:
        return failed
    return failed + [f"{name}: {key} was not run" for name in found for key in missing(found[name])]


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
    >>> range_words(Expected("a", "", "", "", 4.5, 5.5, True, False, ""))
    '4.5 to 5.5'
    """
    if row.low is None or row.high is None:
        ends = ((row.low, "at least"), (row.high, "at most"))
        return "".join(f"{words} {end:.6g}" for end, words in ends if end is not None)
    return f"{row.low:.6g}" if row.low == row.high else f"{row.low:.6g} to {row.high:.6g}"


def write(rows: Rows, made: str, docs: Path) -> None:
    """A page of each paper with the verdicts and the further tables, and the figures."""
    for name, (row,) in rows.items():
        outcome = outcome_of(row)
        folder = docs / "papers"
        folder.mkdir(parents=True, exist_ok=True)
        text = page(name, outcome, made)
        (folder / f"{name}_table.md").write_text(text, encoding="utf-8")
        save_pictures(folder / "images", name, outcome.figures)


def page(name: str, outcome: Outcome, made: str) -> str:
    parts = [
        f"# {PAPERS[name]}: every number\n",
        f"{made} The ranges were laid down in\n"
        f"[{name}.csv](../../benchmarks/papers/expected/{name}.csv) before the run.\n",
        *(f"- {note}" for note in outcome.notes),
        *([""] if outcome.notes else []),
        markdown(as_table(verdicts(name, outcome.values))),
        *(f"## {title}\n\n{markdown(table)}" for title, table in outcome.tables.items()),
    ]
    return "\n".join(parts)


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown; of numbers with a fraction four digits."""
    rows = [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    return harness.table(list(table.columns), rows)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("\n", " ")


BENCHMARK = Benchmark(
    name="papers", about=__doc__, jobs=jobs, tables=tables, beside=write, faults=faults, workers=1
)

if __name__ == "__main__":
    command(BENCHMARK)()
