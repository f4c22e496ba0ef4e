"""Speed and memory of the engine: results after a label, import, simulated sessions.

    python -m benchmarks.engine [--quick] [--output docs/speed_engine.md]

Three measurements, each on synthetic data made here with a fixed seed:
results after a label with 100,000 labels in the log (goal: 10 ms for four estimands), a million
rows imported from CSV in a fresh process (goals: 5 s, 800 MB), and 1,000 simulated sessions of 500
labels on 20,000 items.
"""

from __future__ import annotations

import argparse
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import labelcore as lc
from labelcore.figures.looks import results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning.simulation import run_seed

FOUR = ["accuracy", "precision", "recall", "f1"]
IMPORT = """
import resource, sys, time
import labelcore as lc
start = time.perf_counter()
population = lc.read_population(sys.argv[1], id="id", content=["text"],
    scores={"a": "score_a", "b": "score_b"}, predictions={"a": "pred_a"})
seconds = time.perf_counter() - start
start = time.perf_counter()
population.content(population.id_at(len(population) - 7))
first = time.perf_counter() - start
start = time.perf_counter()
for position in range(0, len(population), len(population) // 100):
    population.content(population.id_at(position))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(len(population), seconds, peak, first, (time.perf_counter() - start) / 100)
"""


def write_items(path: Path, n_items: int, seed: int = 0) -> np.ndarray:
    """A CSV of items with two scores, a prediction and the truth; returns the truth."""
    random = np.random.default_rng(seed)
    score = random.beta(0.4, 2.0, n_items)
    other = np.clip(score + random.normal(0, 0.1, n_items), 0, 1)
    truth = random.random(n_items) < score
    text = "a message of about one hundred characters, as people write them in forms, "
    with path.open("w", encoding="utf-8") as file:
        file.write("id,text,score_a,score_b,pred_a,true_label\n")
        file.writelines(
            f'item-{i},"{text}number {i}",{score[i]:.6f},{other[i]:.6f},'
            f"{int(score[i] >= 0.5)},{int(truth[i])}\n"
            for i in range(n_items)
        )
    return truth


def read_items(path: Path) -> lc.Population:
    return lc.read_population(
        path, id="id", content=["text"], scores={"a": "score_a"}, predictions={"a": "pred_a"}
    )


def after_a_label(folder: Path, labels: int, unsure_every: int = 0) -> list[str]:
    """Milliseconds from one more label to four results, with ``labels`` labels already there; with
    ``unsure_every`` one answer of so many is "not sure"."""
    path = folder / "large.csv"
    truth = write_items(path, labels * 2)
    plan = lc.Plan("recalibrated_neyman", FOUR, budget=labels + 200, seed=3)
    engine = Engine(read_items(path), plan.with_planned(labels + 200))
    answers = [Event(0, "labelled", "", "me", label=name) for name in engine.population.classes]
    unsure = Event(0, "unsure", "", "me")

    def label_one() -> None:
        index = engine.draw_next()
        label = answers[int(truth[engine.asked[index - 1].position])]
        engine.answer(index, unsure if unsure_every and index % unsure_every == 0 else label)

    while engine.answers_given < labels:
        label_one()
    times = []
    for _ in range(100):
        start = time.perf_counter()
        label_one()
        results(engine)
        times.append(1000 * (time.perf_counter() - start))
    median, tail = np.percentile(times, [50, 95])
    which = f", {1 / unsure_every:.0%} of them not sure" if unsure_every else ""
    return [
        f"| results after a label, {labels:,} labels in the log{which}, four estimands | "
        f"median {median:.1f} ms, 95th percentile {tail:.1f} ms | 10 ms |"
    ]


def through_the_store(folder: Path, labels: int) -> list[str]:
    """Milliseconds of answer, results and next item through a session on SQLite."""
    path = folder / "session.csv"
    truth = write_items(path, 20_000)
    population = read_items(path)
    plan = lc.Plan("recalibrated_neyman", FOUR, budget=labels)
    session = lc.Session(population, plan, store=f"sqlite:///{folder / 'labels.db'}")
    times = []
    draw = session.next()
    while draw is not None:
        start = time.perf_counter()
        session.answer(draw, bool(truth[population.position(draw.item_id)]))
        draw = session.next()
        session.results()
        times.append(1000 * (time.perf_counter() - start))
    median, tail = np.percentile(times, [50, 95])
    return [
        f"| answer, next item and results through SQLite, three durable writes | "
        f"median {median:.1f} ms, 95th percentile {tail:.1f} ms | |"
    ]


def a_large_file(folder: Path, n_items: int) -> list[str]:
    """Seconds and peak memory of an import in a fresh process."""
    path = folder / "million.csv"
    write_items(path, n_items)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, str(path)], capture_output=True, text=True, check=True
    )
    rows, seconds, peak, first, lookup = (float(value) for value in done.stdout.split())
    return [
        f"| {rows:,.0f} rows ({path.stat().st_size / 1e6:.0f} MB) imported from CSV | "
        f"{seconds:.1f} s, peak {peak:.0f} MB | 5 s, 800 MB |",
        f"| the first item's content looked up in it | {1000 * first:.1f} ms | |",
        f"| later items' content | {1000 * lookup:.2f} ms each | |",
    ]


def many_sessions(folder: Path, runs: int) -> list[str]:
    """Seconds of simulated sessions of 500 labels on 20,000 items."""
    path = folder / "simulated.csv"
    truth = write_items(path, 20_000, seed=1)
    population = read_items(path)
    answers = [Event(0, "labelled", "", "me", label=name) for name in population.classes]
    plan = lc.Plan("recalibrated_neyman", FOUR, budget=500).with_planned(500)
    start = time.perf_counter()
    for run in range(runs):
        engine = Engine(population, plan.with_seed(run_seed(0, run)))
        while engine.peek() is not None:
            index = engine.draw_next()
            engine.answer(index, answers[int(truth[engine.asked[index - 1].position])])
        results(engine)
    seconds = time.perf_counter() - start
    return [
        f"| {runs:,} simulated sessions of 500 labels on 20,000 items | {seconds:.0f} s, "
        f"{1000 * seconds / runs:.0f} ms each, one core | |"
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    scale = 10 if options.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            *after_a_label(folder, 100_000 // scale),
            *after_a_label(folder, 100_000 // scale, unsure_every=50),
            *through_the_store(folder, 2_000 // scale),
            *a_large_file(folder, 1_000_000 // scale),
            *many_sessions(folder, 1_000 // scale),
        ]
    head = ["| what | measured | goal |", "|---|---|---|"]
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    text = "\n".join([*head, *rows, "", f"{machine}; the benchmark's own peak {peak:.0f} MB."])
    print(text)
    if options.output:
        title = "# Speed of the engine\n\nMade by `python -m benchmarks.engine`.\n\n"
        options.output.write_text(title + text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
