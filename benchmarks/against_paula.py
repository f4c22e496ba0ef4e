"""Labels of a ranked list by geometric strata, fixed and watched, against PAULA's.

    python -m benchmarks.against_paula [--quick] [--runs 3] [--write]

For the lists of ``benchmarks.curves``: the number of labels that PAULA asks for with its own
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
        for place, (number, classifier) in enumerate(LISTS)
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

"""

BENCHMARK = Benchmark(
    name="against_paula", about=__doc__ or "", jobs=jobs, tables=tables, runs=3, quick_runs=1,
    page="against_paula.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
