"""Looking after every fifth label: how many sessions are ever wrong.

    python -m benchmarks.watched ../shared/data [--quick] [--runs 200] [--output docs/watched.md]

For each real file, classifier and design, sessions of 500 labels with promise "watched" are
answered by the known labels, and the interval is compared with the truth at every fifth label from
the first figure on. A session counts as missed when the interval excluded the truth at least once.
The promise at 95 % confidence is at most 5 in 100 sessions. Seeds: run r uses (11, r).
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.real_files import DESIGNS, FILES, RealFile
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning.simulation import run_seed, true_values
from labelcore.planning.truth import true_codes

ESTIMANDS = ("accuracy", "precision", "recall", "f1")
LABELS, LOOK_EVERY, SEED = 500, 5, 11


def session_misses(
    population: lc.Population, plan: lc.Plan, codes: np.ndarray
) -> tuple[set[str], set[str]]:
    """The estimands that got an interval in one session, and those it was ever wrong about."""
    engine = Engine(population, plan)
    truth = true_values(engine, codes, {})
    answers = [Event(0, "labelled", "", "simulation", label=name) for name in population.classes]
    shown: set[str] = set()
    missed: set[str] = set()
    while engine.peek() is not None:
        index = engine.draw_next()
        engine.answer(index, answers[codes[engine.asked[index - 1].position]])
        if engine.labels % LOOK_EVERY:
            continue
        for key, estimate in scalar_results(engine).items():
            if estimate.has_interval:
                shown.add(key)
                if not estimate.low - 1e-9 <= float(truth[key]) <= estimate.high + 1e-9:  # type: ignore[arg-type]
                    missed.add(key)
    return shown, missed


def measure(folder: Path, file: RealFile, classifier: str, runs: int) -> list[dict[str, object]]:
    """The rows of one file and classifier."""
    population = file.population(folder)
    codes = true_codes(population, "true_label")
    rows: list[dict[str, object]] = []
    for design in DESIGNS:
        plan = lc.Plan(
            design, ESTIMANDS, classifier=classifier, budget=LABELS, promise="watched"
        ).with_planned(LABELS)
        found = [
            session_misses(population, plan.with_seed(run_seed(SEED, run)), codes)
            for run in range(runs)
        ]
        for name in ESTIMANDS:
            with_interval = sum(name in shown for shown, _ in found)
            wrong = sum(name in missed for _, missed in found)
            share = wrong / max(with_interval, 1)
            rows.append(
                {
                    "file": file.name,
                    "classifier": classifier,
                    "design": design,
                    "estimand": name,
                    "sessions with an interval": with_interval,
                    "ever wrong": wrong,
                    "share": share,
                    "noise": float(np.sqrt(0.05 * 0.95 / max(with_interval, 1))),
                }
            )
    return rows


def as_markdown(table: pd.DataFrame, runs: int, seconds: float) -> str:
    totals = table.groupby("design")[["ever wrong", "sessions with an interval"]].sum()
    lines = [f"{runs} sessions each, {seconds / 60:.0f} minutes, worst first.", ""]
    for design, row in totals.iterrows():
        share = row["ever wrong"] / row["sessions with an interval"]
        lines.append(f"- `{design}`: {share:.2%} of all sessions and estimands ever wrong")
    shown = table.assign(
        share=table["share"].map("{:.3f}".format), noise=table["noise"].map("{:.3f}".format)
    )
    head = "| " + " | ".join(shown.columns) + " |\n|" + "---|" * len(shown.columns) + "\n"
    body = "\n".join("| " + " | ".join(map(str, row)) + " |" for row in shown.to_numpy())
    return "\n".join(lines) + "\n\n" + head + body + "\n"


HEADER = """# Watching: how many sessions are ever wrong

Made by `python -m benchmarks.watched ../shared/data --output docs/watched.md`: sessions of 500
labels, promise "watched", 95 % confidence, a look at every fifth label from the first figure on. A
session is wrong when the interval excluded the truth at any look; the promise is at most 0.05.
"noise" is the standard error of a share of 0.05 over that many sessions.

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="10 sessions, for a first look")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    runs = 10 if options.quick else options.runs
    start = time.monotonic()
    jobs = [(file, classifier) for file in FILES for classifier in file.classifiers]
    with ProcessPoolExecutor(options.workers) as pool:
        futures = [pool.submit(measure, options.folder, f, c, runs) for f, c in jobs]
        rows = [row for future in futures for row in future.result()]
    table = pd.DataFrame(rows).sort_values(["share"], ascending=False, kind="stable")
    text = as_markdown(table, runs, time.monotonic() - start)
    print(text)
    if options.output:
        options.output.write_text(HEADER + text, encoding="utf-8")


if __name__ == "__main__":
    main()
