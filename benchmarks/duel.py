"""A or B: labels until one of two classifiers is named, and the axis on which that is seen.

    python -m benchmarks.duel [--quick] [--runs 16] [--only WORD] [--rows FILE] [--write]

Watched sessions of 200 labels on the first two classifiers of six files, answered by the known
labels and looked at after every fourth. Named: the first look whose interval leaves out zero, which
is final, as a person would stop there. Two ways: disagreements first where the labels reach them,
as plans have it now; where half of the labels reach them, as plans had it before. With accuracy
alone both are the same plan: nothing else is asked.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np

import labelcore as lc
from benchmarks.aims import AIMS, EVERY, read
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.real_files import RealFile
from benchmarks.sessions import Prepared
from labelcore.charts.living import difference_scale, possible_scale
from labelcore.figures.scalars import scalar_results
from labelcore.planning.forecast import kept_plan

LABELS, STEP, SEED = 200, 4, 38
ASKED = {
    "accuracy": ("accuracy_difference",),
    "three": ("accuracy_difference", "precision_difference", "recall_difference"),
}
AIM = next(one for one in AIMS if one.title == "Is A better than B?")
FEWER = {"product_pairs.parquet": 4}
"""Files that take minutes: by how much their number of runs is divided."""
WAYS = {"now": "first", "before": "half"}


def measured(folder: Path, file: RealFile, asked: str, way: str, runs: int) -> list[Row]:
    """One file in one way."""
    population, codes = read(folder, file, AIM)
    both = file.classifiers[:2]
    plan = lc.Plan("paired_comparison", ASKED[asked], classifier=both, budget=LABELS,
                   promise="watched", params={"disagreements": WAYS[way]})  # fmt: skip
    prepared = Prepared(population, kept_plan(population, plan), codes)
    key = prepared.keys[0]
    truth, random = prepared.truth()[key], np.random.default_rng([SEED, crc32(file.name.encode())])
    first = scalar_results(prepared.session(random).engine)[key]
    named, wrong, ends = [], 0, []
    for _ in range(runs):
        session = prepared.session(random)
        at, last = float("nan"), min(LABELS, session.engine.limit)
        for labels in range(STEP, last + STEP, STEP):
            session.go_to(min(labels, last))
            one = scalar_results(session.engine)[key]
            if one.low > 0 or one.high < 0:
                at, wrong = float(session.engine.labels), wrong + ((one.low > 0) != (truth > 0))
                break
        named.append(at)
        ends.append(one.high - one.low)
    differ = sum(items for (a, b), items in population.called(*both).items() if a != b)
    return [
        {"pair": ", ".join(both), "file": file.name.split(".")[0], "items": len(population),
         "differ": differ, "asked": asked, "way": way, "truth": truth, "runs": runs,
         "named": [one for one in named if one == one], "wrong": wrong,
         "possible": first.possible.high, "axis before": difference_scale(np.array([np.nan]))[1],
         "axis now": possible_scale(first.possible.low, first.possible.high)[1]}
    ]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{file.name}; {asked}; {way}": partial(
            measured,
            options.data,
            file,
            asked,
            way,
            -(-options.runs // FEWER.get(file.name, 1)),
        )
        for file in EVERY
        for asked in ASKED
        for way in WAYS
        if asked != "accuracy" or way == "now"
    }


def tables(rows: Rows, options: Options) -> str:
    found = flat(rows)
    return "\n".join(_section(asked, [one for one in found if one["asked"] == asked])
                     for asked in ASKED)  # fmt: skip


def _section(asked: str, rows: list[Row]) -> str:
    heads = ("pair", "items", "they disagree on", "true difference", "now", "before",
             "axis at the first label, before", "now")  # fmt: skip
    lines = []
    for pair in dict.fromkeys(one["file"] for one in rows):
        ways = {one["way"]: one for one in rows if one["file"] == pair}
        one = ways["now"]
        lines.append(
            (f"{pair}: {one['pair']}", f"{one['items']:,}", f"{one['differ']:,}",
             f"{100 * one['truth']:+.2f}", *(_named(ways.get(way, one)) for way in WAYS),
             f"± {100 * one['axis before']:.0f}", f"± {100 * one['axis now']:.2g}")
        )  # fmt: skip
    title = "Accuracy alone" if asked == "accuracy" else "Accuracy, precision and recall"
    return f"## {title}\n\n{table(heads, lines)}"


def _named(one: Row) -> str:
    """The median labels and in how many sessions one was named."""
    number, wrong = len(one["named"]), f", {one['wrong']} wrong" if one["wrong"] else ""
    if not number:
        return f"never of {one['runs']}"
    return f"{np.median(one['named']):.0f} ({number} of {one['runs']}{wrong})"


HEAD = f"""# A or B: labels until one is named

{MADE}

Watched plans of {LABELS} labels, 95 %, looked at after every {STEP}th. In each cell the median of
the labels at which one of the two was named, of the sessions in which that happened, and in how
many it did. *Now* the items on which the two disagree come first where the labels reach them (and
accuracy is asked for); *before* only where half of the labels reached them. Once all of them are
answered the difference in accuracy is exact.

With accuracy alone nothing else is asked, so that both are the same plan. With three figures the
better one is named sooner where the labels reach all disagreements and half of them do not: 64 for
88 labels and 120 for 148. In most sessions nobody is named where 200 labels do not reach them all
(ppdb_pairs, product_pairs, of which 4 sessions were made where "of 4" stands).

The axis of the picture is in points. It began at ± 100 until the first interval was there; now it
is as wide as what is possible before the first label.

"""
BENCHMARK = Benchmark(
    name="duel", about=__doc__, jobs=jobs, tables=tables, runs=16, quick_runs=2, page="duel.md",
    head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
