"""Coverage of the figures for the settled judgement: two people judge a share of the labels.

    python -m benchmarks.several_people [--quick] [--runs 100] [--write]

Sessions of 600 labels through the product's own engine. Each reading of item i is wrong with its
own chance; where the two people differ, the truth is what is settled. So every item of the file has
a settled judgement, and the truth of a run is the figure that those of all items give. The file
with real ratings: two of the people who rated a pair are its readers, drawn anew in each run, and
where they differ the mean rating of all of them is settled. Run r has the seed (number of the
reader, r).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks import harness
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command
from benchmarks.label_error import READERS, made_up, ratings_file, two_raters
from labelcore.estimands import ratios
from labelcore.figures import settled
from labelcore.figures.scalars import headline_stage, scalar_results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.log.repeats import Judged, Repeats
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginning, label_until
from labelcore.stats.agreement import COEFFICIENTS, beyond_chance, votes_of
from labelcore.stats.two_phase import Share

LABELS, SHARES = 600, (0.1, 0.3)
NAMES = ("accuracy", "precision", "recall", "f1")
DESIGNS = ("simple_random", "recalibrated_neyman", "stratified", "oversampling")
ABLE = {"stratified": ("accuracy",), "oversampling": NAMES}
REAL = "two raters of a paraphrase"
CHOSEN = (
    "alike everywhere, 5 %",
    "near the threshold up to 40 %",
    "positives missed, 15 % against 1 %",
    "two people, 8 % and 2 %",
)
AGREEMENT = "agreement beyond chance"
WAYS = ("first reading", "settled", "overlap taken as exact")
LOOK, A_WATCHED_RUN = 60, 2
Codes = np.ndarray


@dataclass(frozen=True, eq=False)
class Readers:
    """Who reads a file. ``of``: (generator) -> the classes of first and second reading, of what is
    settled, each (n_items,)."""

    population: lc.Population
    of: Callable[[np.random.Generator], tuple[Codes, Codes, Codes]]


@dataclass(slots=True)
class Prepared(Repeats):
    """Further readings that are known from the start."""

    found: list[Judged] = field(default_factory=list)

    def judged(self) -> list[Judged]:
        return self.found


def population_of(score: np.ndarray, predicted: np.ndarray) -> lc.Population:
    names = np.array(["no", "yes"])
    table = pd.DataFrame(
        {
            "id": [f"i{place}" for place in range(len(score))],
            "text": "",
            "score": score,
            "said": names[predicted.astype(int)],
        }
    )
    return lc.read_population(
        table, id="id", content="text", scores={"m": "score"}, predictions={"m": "said"},
        classes=["no", "yes"], positive="yes",
    )  # fmt: skip


@cache
def made_up_readers(name: str) -> Readers:
    file, number = made_up(), list(READERS).index(name)
    chances = READERS[name](file.score, file.truth, np.random.default_rng(number))

    def of(random: np.random.Generator) -> tuple[Codes, Codes, Codes]:
        first, second = (file.truth ^ (random.random(len(file.truth)) < one) for one in chances)
        return first, second, np.where(first == second, first, file.truth)

    return Readers(population_of(file.score, file.predicted), of)


@cache
def real_readers(folder: Path) -> Readers:
    file, votes = ratings_file(folder)

    def of(random: np.random.Generator) -> tuple[Codes, Codes, Codes]:
        first, second = two_raters(votes, random)
        return first, second, np.where(first == second, first, file.truth)

    return Readers(population_of(file.score, file.predicted), of)


def judged(engine: Engine, kept: np.ndarray, second: Codes, truth: Codes) -> None:
    """Let another person judge the drawn items that are kept, and settle where the two differ.

    kept   (n_items,), whether the seed chose the item
    """
    repeats = Prepared(0, 0.5, others=True)
    classes = engine.population.classes
    for index, asked in enumerate(engine.asked, start=1):
        if not kept[asked.position]:
            continue
        label = asked.answers[-1].label
        first = Event(index, "labelled", "", "a", index=index, label=label)
        name = classes[int(second[asked.position])]
        other = Event(10**6 + index, "reread", "", "b", index=index, label=name)
        one = Judged(index, first, (other,), True)
        repeats.found.append(one)
        name, said = classes[int(truth[asked.position])], {"answers": one.sequences}
        engine.settled[index] = Event(
            index, "settled", "", "c", index=index, label=name, detail=said
        )
    engine.repeats = repeats


def figures_of(engine: Engine, codes: Codes) -> dict[str, float]:
    """The figures that these classes of all items give."""
    found = {}
    for question in engine.questions:
        cells = engine.tallies[question.subject].census(codes).cells(question.class_index)
        found[question.key] = float(ratios([question.row], cells).value(cells.positive)[0])
    return found


def ways(engine: Engine) -> dict[str, dict[str, tuple[float, float]]]:
    """Low and high of every figure by each way of speaking, where there is an interval."""
    first = {
        key: (one.low, one.high) for key, one in scalar_results(headline_stage(engine)).items()
    }
    corrected = settled.settled_results(engine)
    exact = settled.flips_of
    try:
        settled.flips_of = lambda *given: {  # type: ignore[assignment]
            group: Share(one.value, one.value, one.value) for group, one in exact(*given).items()
        }
        twin = settled.settled_results(engine)
    finally:
        settled.flips_of = exact
    return {
        WAYS[0]: first,
        **{
            way: {key.removesuffix("@settled"): (one.low, one.high) for key, one in found.items()}
            for way, found in ((WAYS[1], corrected), (WAYS[2], twin))
        },
    }


def session(readers: Readers, start: Engine, number: int, run: int, share: float, looks: list[int]):
    """For each way and figure: whether the interval held at every look, and the last half-width."""
    random = np.random.default_rng((number, run))
    first, second, truth = (one.astype(np.int64) for one in readers.of(random))
    kept = random.random(len(first)) < share
    engine = start.redrawn(run)
    wanted = figures_of(engine, truth)
    held: dict[str, dict[str, list[float]]] = {}
    for look in looks:
        label_until(engine, first, look)
        judged(engine, kept, second, truth)
        for way, found in ways(engine).items():
            for key, (low, high) in found.items():
                one = held.setdefault(way, {}).setdefault(key, [1.0, 0.0])
                one[0] *= low - 1e-9 <= wanted[key] <= high + 1e-9
                one[1] = (high - low) / 2
    return held


def job(
    readers: Callable[[], Readers], number: int, design: str, promise: str, share: float, runs: int
) -> list[Row]:
    """Means over the runs: {way: {figure: (held, half-width)}}."""
    who, names = readers(), ABLE.get(design, NAMES)
    plan = lc.Plan(design, names, budget=LABELS, promise=promise, overlap=share)
    plan = kept_plan(who.population, plan)
    start = beginning(who.population, plan)
    looks = [LABELS] if promise == "fixed" else list(range(LOOK, LABELS + 1, LOOK))
    found = [session(who, start, number, run, share, looks) for run in range(runs)]
    return [
        {
            way: {key: np.mean([one[way][key] for one in found], axis=0).tolist() for key in mine}
            for way, mine in found[0].items()
        }
    ]


def agreement_job(items: int, runs: int) -> list[Row]:
    """Of each case: how often each coefficient's interval held its true value, among the samples
    that have an interval, and how many have none."""
    rows = []
    for case, (common, error, people) in enumerate(product((0.5, 0.1), (0.02, 0.1, 0.2), (2, 3))):
        random = np.random.default_rng((items, case))
        use = common * (1 - error) + (1 - common) * error
        differing = 2 * error * (1 - error)
        by_chance = {"gwet_ac1": 1 - 2 * use * (1 - use)}
        found: dict[str, list[bool]] = {name: [] for name in COEFFICIENTS}
        for _ in range(runs):
            truth = random.random((items, 1)) < common
            codes = (truth ^ (random.random((items, people)) < error)).astype(np.int64)
            votes = votes_of(codes, 2)
            for name, row in COEFFICIENTS.items():
                one = beyond_chance(votes, row.disagreement, 0.95)
                true = 1 - differing / by_chance.get(name, 2 * use * (1 - use))
                if not one.reason:
                    found[name].append(one.low <= true <= one.high)
        rows.append(
            {
                "case": f"{100 * common:.0f} %, {100 * error:.0f} % wrong, {people} people",
                "held": {name: float(np.mean(one or [np.nan])) for name, one in found.items()},
                "none": 1 - len(found["gwet_ac1"]) / runs,
            }
        )
    return rows


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Job] = {
        f"{AGREEMENT}, {items} items": partial(agreement_job, items, 2 * options.runs)
        for items in (20, 50, 100)
    }
    everybody = [(name, partial(made_up_readers, name)) for name in CHOSEN]
    everybody.append((REAL, partial(real_readers, options.data)))
    for promise in ("fixed", "watched"):
        for design in DESIGNS:
            if promise == "watched" and design in ABLE:
                continue
            for share in SHARES:
                for number, (name, readers) in enumerate(everybody):
                    if promise == "watched" and (name not in (CHOSEN[2], REAL) or share > 0.1):
                        continue
                    if design in ABLE and share != SHARES[0]:
                        continue
                    runs = options.runs if promise == "fixed" else options.runs // A_WATCHED_RUN
                    found[title(promise, design, share, name)] = partial(
                        job, readers, number, design, promise, share, max(runs, 1)
                    )
    return found


def title(promise: str, design: str, share: float, reader: str) -> str:
    return f"{promise}, {design}, {100 * share:.0f} % judged by two, {reader}"


def tables(rows: Rows, options: Options) -> str:
    error = 100 * (0.95 * 0.05 / options.runs) ** 0.5
    parts = [HEAD.format(runs=options.runs, error=error, labels=LABELS)]
    parts.append(overall(rows))
    groups: dict[str, list[tuple[str, Row]]] = {}
    for name, found_rows in rows.items():
        if name.startswith(AGREEMENT):
            continue
        (row,) = found_rows
        head, reader = split(name)
        groups.setdefault(head, []).append((reader, row))
    for head, found in groups.items():
        lines = [line for reader, row in found for line in lines_of(reader, row)]
        parts.append(f"\n## {head[0].upper()}{head[1:]}\n")
        parts.append(harness.table(("reader", "interval", *NAMES), lines))
    parts += [part for name in rows if name.startswith(AGREEMENT) for part in agreed(name, rows)]
    return "\n".join([*parts, ""])


def agreed(name: str, rows: Rows) -> list[str]:
    labels = [row.label for row in COEFFICIENTS.values()]
    lines = [
        [
            row["case"],
            *(f"{100 * one:.1f}" for one in row["held"].values()),
            f"{100 * row['none']:.0f}",
        ]
        for row in rows[name]
    ]
    head = ("share of a class, readings, people", *labels, "no interval")
    title = (
        f"\n## {name[0].upper()}{name[1:]}\n\nHow often the interval held the true value, in %.\n"
    )
    return [title, harness.table(head, lines)]


def split(name: str) -> tuple[str, str]:
    """The group of a title, and its reader, whose name may hold a comma."""
    promise, design, share, reader = name.split(", ", 3)
    return f"{promise}, {design}, {share}", reader


def overall(rows: Rows) -> str:
    """Mean and least coverage of each way, by promise."""
    lines = []
    for promise in ("fixed", "watched"):
        for way in WAYS:
            found = [
                one[0]
                for name, found_rows in rows.items()
                if name.startswith(promise)
                for one in found_rows[0][way].values()
            ]
            if found:
                mean, least = 100 * np.mean(found), 100 * min(found)
                lines.append([promise, way, f"{mean:.1f}", f"{least:.1f}", f"{len(found)}"])
    return harness.table(("promise", "interval", "mean", "least", "cells"), lines)


def lines_of(reader: str, row: Row) -> list[list[str]]:
    return [
        [reader if way == WAYS[0] else "", way,
         *(f"{100 * row[way][name][0]:.1f} (± {100 * row[way][name][1]:.1f})"
           if name in row[way] else "" for name in NAMES)]
        for way in WAYS
    ]  # fmt: skip


HEAD = """\
{runs} sessions of {labels} labels a row with a fixed promise, half of them with a watched one
({error:.1f} points is one standard error of a coverage of 95 %; 1.4 times that of watched ones). In
each cell: how often the 95 % interval held the figure of the settled judgement, in % (watched: at
every look, after each 60 labels), and its mean half-width at the end, in points.
"""
BENCHMARK = Benchmark(
    name="several_people", about=__doc__, jobs=jobs, tables=tables, runs=100, quick_runs=10,
    page="several_people.md", head=f"\n{MADE}\n\n",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
