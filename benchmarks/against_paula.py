"""Labels of a ranked list by geometric strata, fixed and watched, against PAULA's.

    python -m benchmarks.against_paula [--quick] [--runs 3] [--write]

For three lists of ``benchmarks.curves``: the number of labels that PAULA asks for with its own
defaults, and the number that is to be planned for a band with a half-width of 2.5 points at the
planned size, looked at once, and watched with a look after every fifth label. Seeds: those of
``benchmarks.curves``.
"""

from __future__ import annotations

from functools import partial

from benchmarks.curves import FROM_RANK, LISTS, SHORTEST, List, widths
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, table
from benchmarks.real_files import FILES

GROWTH = 1.25
PROMISES = {"fixed": "once", "watched": "watched"}
PLACES = {"whole list": "the whole list", "mean of ranks": "the mean over ranks",
          f"every rank from {FROM_RANK} on": f"every rank from {FROM_RANK} on"}  # fmt: skip


def labels(options: Options, number: int, classifier: str) -> list[Row]:
    one = List.read(options.data, FILES[number], classifier)
    paula = int(one.plan("paula", None, "fixed").planned or 0)
    found = {promise: widths(one, GROWTH, promise, options.runs) for promise in PROMISES}
    return [{"items": len(one.hit), "PAULA": paula, **found}]


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{FILES[number].name.split('.')[0]}, {classifier}": partial(
            labels, options, number, classifier
        )
        for place, (number, classifier) in enumerate(LISTS[:3])
        if not options.quick or place == SHORTEST
    }


def tables(found: Rows, options: Options) -> str:
    columns = [f"{words}, {how}" for words in PLACES.values() for how in PROMISES.values()]
    lines = []
    for name, (row,) in found.items():
        sizes = [row[promise][place] for place in PLACES for promise in PROMISES]
        lines.append((name, f"{row['items']:,}", f"{row['PAULA']:,}", *map(number_of, sizes)))
    return table(("list", "items", "PAULA", *columns), lines)


def number_of(size: float) -> str:
    return "-" if size != size else f"{size:,.0f}"


HEAD = f"""# Ranked lists: labels against PAULA, looked at once and watched

{MADE}

Labels that are to be planned for a band of geometric strata with a half-width of 2.5 points
(confidence 95 %, all ranks together), by the place where it has that width; beside them those that
PAULA asks for with its own defaults, whose bounds carry no confidence and were wrong somewhere in
every run ([curves.md](curves.md)).

- Watched, with a look after every fifth label, it takes 1.06 to 1.18 times the labels of one look:
  for the whole list and in the mean over the ranks a ninth to three fifths of PAULA's labels, at
  every rank from 100 on a quarter to four fifths. PAULA aims at something else: the truth within
  8 % of its value at each rank.
- How often a watched band is wrong was measured at 400 labels
  ([watched_curves.md](watched_curves.md)); at these sizes it is the rule of that page, not its
  measurement.

"""

BENCHMARK = Benchmark(
    name="against_paula", about=__doc__ or "", jobs=jobs, tables=tables, runs=3, quick_runs=1,
    page="against_paula.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
