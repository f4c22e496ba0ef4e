"""Watched sessions that are extended, taken back and not sure: how many are ever wrong.

    python -m benchmarks.extended [--quick] [--runs 50] [--write]

Sessions of 60 planned labels under a boundary for just these (horizon 1) are answered by the known
labels, looked at on the way and extended twice, to 90 and to 120 labels: what comes after the
planned size is a second stage, and the result stays that of the first. In the others one answer in
ten is "not sure", and at every look the last answer is taken back, looked at without it, and given
again. Run r uses the child r of (25, job).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import labelcore as lc
from benchmarks import harness
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.populations import MAIN, known
from benchmarks.sessions import SHOWN, Prepared, Session
from labelcore.figures.scalars import headline_stage, scalar_results_of
from labelcore.log.events import Event

SEED, PLANNED, ENDS = 25, 60, (60, 90, 120)
LOOKS = [*range(1, 11), *range(15, ENDS[-1] + 1, 5)]
NOT_SURE, NARROW = 0.1, 1.25
CASES = (
    ("newsgroups_med svm", "recalibrated_neyman"),
    ("calibrated", "simple_random"),
    ("calibrated", "recalibrated_neyman"),
)
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """Looks of all sessions, arrays (n_looks, n_sessions, n_figures)."""

    low: FloatArray
    high: FloatArray

    def wrong(self, truth: FloatArray) -> NDArray[np.bool_]:
        return np.asarray((self.low > truth + 1e-9) | (self.high < truth - 1e-9))


class Person:
    """Who answers one session: one answer in ten is "not sure" where ``unsure``."""

    def __init__(self, session: Session, random: np.random.Generator, *, unsure: bool) -> None:
        self.engine, self.codes, self.random, self.unsure = (
            session.engine, session.codes, random, unsure,
        )  # fmt: skip
        names = session.engine.population.classes
        self.events = [Event(0, "labelled", "", "known", label=name) for name in names]
        self.last = (0, self.events[0])

    def answer(self) -> None:
        index = self.engine.draw_next()
        event = self.events[self.codes[self.engine.asked[index - 1].position]]
        if self.unsure and self.random.random() < NOT_SURE:
            event = Event(0, "unsure", "", "known")
        self.engine.answer(index, event)
        self.last = (index, event)

    def take_back(self) -> None:
        self.engine.undo(self.last[0])

    def give_again(self) -> None:
        self.engine.answer(*self.last)


def sessions_seen(prepared: Prepared, job: str, runs: int, *, messy: bool) -> Seen:
    """What the sessions show at every look; where ``messy`` also without their last answer."""
    generators = [harness.generator(SEED, job, run) for run in range(runs)]
    people = [Person(prepared.session(one), one, unsure=messy) for one in generators]
    ends: list[list[list[tuple[float, float]]]] = []

    def look() -> None:
        stages = [headline_stage(person.engine) for person in people]
        ends.append(
            [
                [(one.low, one.high) if one.state in SHOWN else (0.0, 1.0) for one in run.values()]
                for run in scalar_results_of(stages)
            ]
        )

    done = 0
    for labels in LOOKS:
        for person in people:
            for place in range(done, labels):
                if place in ENDS:
                    person.engine.extend(next(end for end in ENDS if end > place))
                person.answer()
        done = labels
        if messy:
            _each(people, Person.take_back)
            look()
            _each(people, Person.give_again)
        look()
    low, high = np.moveaxis(np.array(ends), -1, 0)
    return Seen(low, high)


def _each(people: list[Person], act: Callable[[Person], None]) -> None:
    for person in people:
        act(person)


def measure(name: str, folder: Path, design: str, runs: int) -> list[Row]:
    """A row for each figure of one file and design."""
    file = known(name, folder)
    plan = lc.Plan(
        design, MAIN, classifier=file.classifier, budget=PLANNED, promise="watched"
    ).with_planned(PLANNED)
    prepared = Prepared(file.population, plan, file.codes)
    truth = np.array(list(prepared.truth().values()))
    job = f"{name}|{design}"
    plain = sessions_seen(prepared, job, runs, messy=False)
    messy = sessions_seen(prepared, job, runs, messy=True)
    wrong, at = plain.wrong(truth), np.array(LOOKS)
    rows = []
    for place, figure in enumerate(MAIN):
        rows.append(
            {
                "file": name,
                "design": design,
                "figure": figure,
                "planned size": wrong[at <= ENDS[0], :, place].any(axis=0).mean(),
                "extended once": wrong[at <= ENDS[1], :, place].any(axis=0).mean(),
                "extended twice": wrong[..., place].any(axis=0).mean(),
                "at the first good look": _at_first_good(plain, wrong, place),
                "not sure, taken back": messy.wrong(truth)[..., place].any(axis=0).mean(),
            }
        )
    return rows


def _at_first_good(seen: Seen, wrong: NDArray[np.bool_], place: int) -> float:
    """The share wrong at the first look with at most ``NARROW`` times the mean width at the planned
    size, the last look where there is none."""
    width = (seen.high - seen.low)[..., place]
    good = width <= NARROW * width[LOOKS.index(PLANNED)].mean()
    good[-1] = True
    return float(wrong[good.argmax(axis=0), np.arange(good.shape[1]), place].mean())


def jobs(options: Options) -> dict[str, Job]:
    cases = CASES[-1:] if options.quick else CASES
    return {
        f"{name}, {design}": partial(measure, name, options.data, design, options.runs)
        for name, design in cases
    }


def tables(rows: Rows, options: Options) -> str:
    table = pd.DataFrame(flat(rows))
    shares = list(table.columns[3:])
    digits = dict.fromkeys(shares, 3)
    noise = np.sqrt(0.05 * 0.95 / options.runs)
    means = table.groupby(["design", "figure"], sort=False)[shares].mean().reset_index()
    over_all = table[shares].mean().to_frame("mean").T
    return "\n".join(
        [
            f"{options.runs} sessions each; the standard error of a share of 0.05 is "
            f"{noise:.3f}.\n",
            "## Means over everything\n",
            frame_table(over_all, digits),
            "\n## Means over the files\n",
            frame_table(means, digits),
            "\n## Every cell\n",
            frame_table(table, digits),
        ]
    )


HEAD = f"""# Sessions extended, taken back and not sure

{MADE}

Sessions of {PLANNED} planned labels, promise "watched", 95 % confidence, that nothing may be added
to (horizon 1), looked at after every label up to 10 and then after every fifth. They are extended
all the same, to {ENDS[1]} and to {ENDS[2]} labels: the result stays that of the planned size, and
the later labels are reported apart. A session is wrong when the interval excluded the truth at any
look. "At the first good look": wrong at the first look with at most {NARROW} times the mean width
at the planned size. "Not sure, taken back": one answer in ten is "not sure", and at every look the
last answer is taken back, the figures are looked at, and it is given again. The boundary itself is
calculated in [horizon.md](horizon.md), and measured in [watched.md](watched.md).

"""
BENCHMARK = Benchmark(
    name="extended", about=__doc__ or "", jobs=jobs, tables=tables, runs=50, quick_runs=10,
    page="extended.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
