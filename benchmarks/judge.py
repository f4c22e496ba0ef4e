"""Systems judged by a model: differences on the same prompts, against each system by itself.

    python -m benchmarks.judge [--quick] [--runs 300] [--only WORD] [--rows FILE] [--write]

Made answers of several systems to the same prompts, a judge that is too kind and people's answers
known; sessions are answered by these. "Same": whole prompts are drawn. "Each": every system by
itself in one plan. "Projects": a default project for each system, with an equal part of the
labels, each pair's difference by MOVER at the level that all pairs share equally.
"""

from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.judge_rates import (
    JUDGES,
    SIZES,
    WATCHED_RUNS,
    measure_choice,
    measure_judge,
    measure_rates,
    measure_watched,
    rates_tables,
    true_measures,
)
from benchmarks.sessions import Prepared
from labelcore.designs.prompt_frame import EACH, SAME
from labelcore.figures.current import results
from labelcore.figures.differences import differences, mover
from labelcore.figures.judge import judge_table
from labelcore.planning.forecast import kept_plan
from tests.judged import SYSTEMS, judged, judged_frame

SEED, PROMPTS, PROJECTS = 23, 1_000, "projects"
TWO = {"alpha": 0.9, "beta": 0.4}
TIE = {"alpha": 0.4, "beta": 0.4}


@dataclass(frozen=True)
class Case:
    """Systems, how much prompts have in common that the judge does not see, and labels in all."""

    name: str
    systems: dict[str, float]
    shared: float
    labels: int
    seed: int = 1
    ways: tuple[str, ...] = (SAME, EACH, PROJECTS)


_CASES = (
    *(Case(f"two, shared {shared:g}, {labels}", TWO, shared, labels)
      for shared, labels in ((0.0, 200), (0.0, 400), (1.0, 200), (1.0, 400), (2.0, 200))),
    *(Case(f"two, shared 0, 200, file {seed}", TWO, 0.0, 200, seed, (SAME,))
      for seed in (2, 3, 4)),
    Case("tie, shared 1, 200", TIE, 1.0, 200),
    Case("five, shared 1, 300", SYSTEMS, 1.0, 300),
)  # fmt: skip
CASES = {case.name: case for case in _CASES}
RATES, ASKED, WATCHED, CHOICE, WATCHED_LABELS = "rates", "judge", "watched", "choice", 120
CELLS = [(name, labels, 7) for name in JUDGES for labels in SIZES]
AGAIN = [("rare failures", 200, 8), ("rare failures", 400, 8), ("poor", 100, 8)]
"""Cells of low coverage in a first run, on another file."""
LOOKED_AT = [("two", TWO, 3), ("tie", TIE, 3), ("two, again", TWO, 4), ("tie again", TIE, 4)]
EVER = ("ever wrong", "ever wrong sure", "wrong at the end", "width")


def measure(case: Case, runs: int) -> list[Row]:
    """A row for each way."""
    frame = judged_frame(PROMPTS, case.seed, case.systems, shared=case.shared)
    chosen = kept_plan(judged(frame), _plan(case)).params.get("prompts", "")
    return [
        {"case": case.name, "way": way, "chosen": way == chosen, **_rows(case, frame, way, runs)}
        for way in case.ways
    ]


def _plan(case: Case, **values: object) -> lc.Plan:
    given = {"budget": case.labels, "promise": "fixed", "classifier": "judge", "by": "model"}
    return lc.Plan("recalibrated_neyman", "prevalence", **{**given, **values})  # type: ignore[arg-type]


def _rows(case: Case, frame: pd.DataFrame, way: str, runs: int) -> Row:
    rate = frame.groupby("model")["truth"].mean()
    random = np.random.default_rng([SEED, len(case.name), case.labels])
    sessions = _projects if way == PROJECTS else _together
    found = []
    judge: list[dict[str, bool]] = []
    for pairs, own in sessions(case, frame, way, runs, random):
        true = rate[pairs["a"]].to_numpy() - rate[pairs["b"]].to_numpy()
        low, high = pairs["low"].to_numpy(), pairs["high"].to_numpy()
        right = (low - 1e-9 <= true) & (true <= high + 1e-9)
        wrong = ((low > 0) & (true <= 0)) | ((high < 0) & (true >= 0))
        sure = (low > 0) | (high < 0)
        found.append([right.mean(), right.all(), wrong.any(), sure.mean(), (high - low).mean()])
        judge.append(own)
    right, every, wrong_sure, sure, width = np.mean(found, axis=0)
    own = {name: float(np.mean([one[name] for one in judge])) for name in judge[0]}
    return {"right": right, "all pairs right": every, "wrong sure": wrong_sure, "sure": sure,
            "width": width, **own}  # fmt: skip


def _together(case, frame, way, runs, random):  # type: ignore[no-untyped-def]
    population, codes = judged(frame), frame["truth"].to_numpy().astype(np.int64)
    plan = kept_plan(population, _plan(case, params={"prompts": way}))
    prepared, true = Prepared(population, plan, codes), true_measures(frame)
    for _ in range(runs):
        session = prepared.session(random)
        session.go_to(case.labels)
        told = judge_table(session.engine, ()).set_index("measure")
        own = {
            name: bool(told.loc[name, "low"] - 1e-9 <= value <= told.loc[name, "high"] + 1e-9)
            for name, value in true.items()
        }
        yield differences(session.engine, ("model",), "prevalence"), own


def _projects(case, frame, way, runs, random):  # type: ignore[no-untyped-def]
    names = list(case.systems)
    level = 1 - 0.05 / (len(names) * (len(names) - 1) / 2)
    parts = {}
    for name in names:
        mine = frame[frame["model"] == name]
        population = judged(mine, groups=(), prompt=None)
        plan = _plan(case, budget=case.labels // len(names), by=None, confidence=level)
        codes = mine["truth"].to_numpy().astype(np.int64)
        parts[name] = Prepared(population, kept_plan(population, plan), codes)
    for _ in range(runs):
        ends = {}
        for name, prepared in parts.items():
            session = prepared.session(random)
            session.go_to(case.labels // len(names))
            one = results(session.engine)["prevalence"]
            ends[name] = (one.value, one.low, one.high)  # type: ignore[attr-defined]
        rows = [(a, b, *mover(ends[a], ends[b])) for a, b in combinations(names, 2)]
        yield pd.DataFrame(rows, columns=["a", "b", "value", "low", "high"]), {}


def tables(rows: Rows, options: Options) -> str:
    of_rates, of_watched = (
        [row for name, part in rows.items() if name.startswith(start) for row in part]
        for start in ((RATES, ASKED), (WATCHED,))
    )
    found = pd.DataFrame(flat({name: rows[name] for name in rows if name in CASES}))
    width = found[found["way"] == PROJECTS].set_index("case")["width"]
    found["labels"] = (found["width"] / found["case"].map(width)) ** 2
    told = ["right", "all pairs right", "wrong sure", "sure", "width", "labels"]
    own = ["pass rate", "agreement", "kappa", "true pass rate", "false pass rate"]
    shown = found[["case", "way", "chosen", *told]]
    judge = found[found["way"] != PROJECTS][["case", "way", *own]]
    choice = pd.DataFrame(rows[CHOICE]).groupby("noise").agg(["mean", "max"])
    choice.columns = [f"{way}, {kind}" for way, kind in choice.columns]
    choice = choice.reset_index()
    return (
        rates_tables(of_rates)
        + f"### Differences\n\n{frame_table(shown, dict.fromkeys(told, 3))}\n\n"
        f"### The judge\n\n{frame_table(judge, dict.fromkeys(own, 3))}\n\n"
        "### Differences watched, after every answer\n\n"
        f"{frame_table(pd.DataFrame(of_watched), dict.fromkeys(EVER, 3))}\n\n"
        "### The way that is chosen\n\n"
        f"{frame_table(choice, dict.fromkeys(choice.columns[1:], 2))}\n"
    )


def jobs(options: Options) -> dict[str, Job]:
    rates = {
        f"{RATES} {name}, {labels}, file {seed}": partial(
            measure_rates, name, labels, seed, options.runs
        )
        for name, labels, seed in [*CELLS, *AGAIN]
    }
    judges = {
        f"{ASKED} {name}, {labels}, file {seed}": partial(
            measure_judge, name, labels, seed, options.runs
        )
        for name, labels, seed in [*CELLS, *AGAIN]
    }
    watched = {
        f"{WATCHED} {name}": partial(
            measure_watched, name, systems, WATCHED_LABELS, min(options.runs, WATCHED_RUNS), seed
        )
        for name, systems, seed in LOOKED_AT
    }
    runs = max(options.runs * 3 // 4, 1)
    systems = {name: partial(measure, case, runs) for name, case in CASES.items()}
    return {**rates, **judges, **watched, **systems, CHOICE: measure_choice}


BENCHMARK = Benchmark(
    name="judge", about=__doc__, jobs=jobs, tables=tables, runs=400, quick_runs=10,
    page="judge.md", head=f"## What was measured\n\n{MADE}\n\n",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
