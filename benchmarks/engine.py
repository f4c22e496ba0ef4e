"""Speed and memory of the engine: start, results after a label, import.

    python -m benchmarks.engine [--quick] [--write]

Synthetic data made here with a fixed seed: results after a label with 100,000 labels in the log
(goal: 10 ms for four estimands), the curve of the methods for ranked lists, whose cost should not
grow with the labels (goal: 5 ms), a million rows imported from CSV in a fresh process (goals: 5 s,
800 MB), and the processor time of fresh processes, medians of five, that import labelcore (goal:
.4 s) and read 1,000 rows and make a preview besides (goal: 1.5 s).
"""

import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from labelcore.figures.current import results
from labelcore.log.engine import Engine
from labelcore.log.events import Event

FOUR = ["accuracy", "precision", "recall", "f1"]
LISTS = ("geometric_strata", "random_curve", "paula", "logarithmic_stratified")
LIST_LABELS = (1_000, 5_000, 20_000)
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
ALONE = "import labelcore"
A_PLAN = """
import labelcore as lc
population = lc.read_population(sys.argv[1], id="id", content=["text"],
    scores={"a": "score_a"}, predictions={"a": "pred_a"})
plan = lc.Plan("recalibrated_neyman", ["accuracy", "precision", "recall", "f1"], budget=200)
lc.preview(population, plan)
"""
CLOCK = "import sys, time\nstart = time.process_time()\n{}\nprint(time.process_time() - start)"
HEAD = f"# Speed of the engine\n\n{MADE}\n\n"


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


def row(what: str, measured: str, goal: str = "") -> Row:
    return {"what": what, "measured": measured, "goal": goal}


def after_a_label(labels: int, unsure_every: int = 0) -> list[Row]:
    """Milliseconds from one more label to four results, with ``labels`` labels already there; with
    ``unsure_every`` one answer of so many is "not sure"."""
    plan = lc.Plan("recalibrated_neyman", FOUR, budget=labels + 200, seed=3)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        truth = write_items(path, labels * 2)
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
    which = f", {1 / unsure_every:.0%} of them not sure" if unsure_every else ""
    what = f"results after a label, {labels:,} labels in the log{which}, four estimands"
    return [row(what, median_and_tail(times), "10 ms")]


def of_lists(labels: tuple[int, ...]) -> list[Row]:
    """Processor milliseconds of the precision curve after one more label, at each of these numbers
    of labels, or as many as a method asks for."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "list.csv"
        truth = write_items(path, 100_000)
        population = read_items(path)
    found = []
    for name in LISTS:
        sized = {} if lc.DESIGNS[name].size_from_params else {"budget": max(labels) + 20}
        plan = lc.Plan(name, ["precision_curve"], seed=3, **sized)
        engine = Engine(population, plan.with_planned(lc.preview(population, plan).planned))
        answers = [Event(0, "labelled", "", "me", label=one) for one in population.classes]
        there: list[str] = []
        each: list[str] = []
        for wanted in (min(one, engine.most - 20) for one in labels):
            times = []
            while engine.answers_given < wanted + 12:
                index = engine.draw_next()
                engine.answer(index, answers[int(truth[engine.asked[index - 1].position])])
                if engine.answers_given > wanted:
                    start = time.process_time()
                    results(engine)
                    times.append(1000 * (time.process_time() - start))
            there, each = [*there, f"{wanted:,}"], [*each, f"{median(times):.1f}"]
        what = f"curve of `{name}` after a label, {', '.join(there)} labels of 100,000 items"
        found.append(row(what, f"{', '.join(each)} ms of processor time", "5 ms"))
    return found


def median_and_tail(milliseconds: list[float]) -> str:
    middle, tail = np.percentile(milliseconds, [50, 95])
    return f"median {middle:.1f} ms, 95th percentile {tail:.1f} ms"


def through_the_store(labels: int) -> list[Row]:
    """Milliseconds of answer, results and next item through a session on SQLite."""
    times = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.csv"
        truth = write_items(path, 20_000)
        population = read_items(path)
        plan = lc.Plan("recalibrated_neyman", FOUR, budget=labels)
        session = lc.Session(population, plan, store=f"sqlite:///{folder}/labels.db")
        draw = session.next()
        while draw is not None:
            start = time.perf_counter()
            session.answer(draw, bool(truth[population.position(draw.item_id)]))
            draw = session.next()
            session.results()
            times.append(1000 * (time.perf_counter() - start))
    what = "answer, next item and results through SQLite, three durable writes"
    return [row(what, median_and_tail(times))]


def printed(code: str, n_items: int, runs: int = 1) -> tuple[float, list[list[float]]]:
    """Megabytes of a file, and the numbers that each fresh process prints about it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        write_items(path, n_items)
        given = [sys.executable, "-c", code, str(path)]
        done = [
            subprocess.run(given, capture_output=True, text=True, check=True).stdout.split()
            for _ in range(runs)
        ]
        return path.stat().st_size / 1e6, [[float(number) for number in one] for one in done]


def a_large_file(n_items: int) -> list[Row]:
    """Seconds and peak memory of an import in a fresh process."""
    size, [[rows, seconds, peak, first, lookup]] = printed(IMPORT, n_items)
    return [
        row(f"{rows:,.0f} rows ({size:.0f} MB) imported from CSV",
            f"{seconds:.1f} s, peak {peak:.0f} MB", "5 s, 800 MB"),
        row("the first item's content looked up in it", f"{1000 * first:.1f} ms"),
        row("later items' content", f"{1000 * lookup:.2f} ms each"),
    ]  # fmt: skip


def start(runs: int) -> list[Row]:
    """How long a program waits before labelcore does something."""
    found = []
    for code, what, goal in (
        (ALONE, "`import labelcore`, processor time", "0.4 s"),
        (A_PLAN, "import, 1,000 rows of CSV and a preview, processor time", "1.5 s"),
    ):
        _, seconds = printed(CLOCK.format(code), 1_000, runs)
        found.append(row(what, f"{median(one for (one,) in seconds):.2f} s", goal))
    return found


def jobs(options: Options) -> dict[str, Job]:
    scale = 10 if options.quick else 1
    return {
        "results": partial(after_a_label, 100_000 // scale),
        "results with answers not sure": partial(after_a_label, 100_000 // scale, 50),
        "lists": partial(of_lists, LIST_LABELS[: 1 if options.quick else None]),
        "store": partial(through_the_store, 2_000 // scale),
        "import": partial(a_large_file, 1_000_000 // scale),
        "start": partial(start, options.runs),
    }


def tables(rows: Rows, options: Options) -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = table(("what", "measured", "goal"), [[*one.values()] for one in flat(rows)])
    return f"{found}\nThe benchmark's own peak: {peak:.0f} MB.\n"


BENCHMARK = Benchmark(
    name="engine", about=__doc__, jobs=jobs, tables=tables, runs=5, quick_runs=2,
    page="speed_engine.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
