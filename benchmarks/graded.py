"""Mean scores of graded answers, 1 to 5: four rules of an interval, fixed and watched.

    python -m benchmarks.graded [--quick] [--runs 1000] [--only WORD] [--rows FILE] [--write]

Made grades of people and of judges; labels are drawn from strata by the judge's grade, as a whole
or in equal pieces, in proportion to their size or to its root.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import stdtrit

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.sessions import Prepared
from labelcore.designs.base import IntArray, Look
from labelcore.designs.profile_figures import graded_mean
from labelcore.figures.judge import judge_table
from labelcore.planning.forecast import kept_plan
from labelcore.promises import Promise
from labelcore.stats.allocation import pieces_by_size, top_up
from labelcore.stats.profile import Cells, FloatArray

SEED, ITEMS, LABELS, STEP = 31, 3_000, (50, 100, 200, 400), 10
GRADES = np.arange(1.0, 6.0)
JUDGES = ("good", "lenient", "rare", "rarest", "two-ended", "poor", "constant")
STRATA, SHARES = (5, 18), ("size", "root")
PROFILE = "profile of grades"
Ends = tuple[FloatArray, FloatArray]


def grades_of(judge: str, random: np.random.Generator) -> tuple[IntArray, IntArray]:
    """People's grades and the judge's, 0 to 4."""
    good, noise = random.normal(size=ITEMS), random.normal(size=ITEMS)

    def cut(grade: FloatArray) -> IntArray:
        return np.clip(np.rint(grade), 0, 4).astype(np.int64)

    if judge.startswith("rare"):
        rarest = judge == "rarest"
        share = [0.01, 0, 0, 0.04, 0.95] if rarest else [0.02, 0.01, 0.02, 0.05, 0.9]
        people = random.choice(5, ITEMS, p=share)
        unseen = np.where(people == 0, *((0.8, 0.3) if rarest else (0.5, 0.15)))
        instead = [0, 0, 0, 0.1, 0.9] if rarest else [0.01, 0.01, 0.03, 0.1, 0.85]
        guess = random.choice(5, ITEMS, p=instead)
        return people, np.where(random.random(ITEMS) < unseen, guess, people)
    if judge == "two-ended":
        return np.where(good > -0.8, 4, 0), cut(2.8 + 1.2 * good + 0.8 * noise)
    if judge == "good":
        seen = cut(2.6 + 1.1 * good + 0.4 * noise)
        return cut(2.6 + 1.1 * good + 0.4 * random.normal(size=ITEMS)), seen
    if judge == "lenient":
        people = cut(2 + 1.1 * good + 0.5 * random.normal(size=ITEMS))
        return people, cut(3.2 + good + 0.7 * noise)
    said = cut(2.8 + 0.15 * good + 1.1 * noise) if judge == "poor" else np.full(ITEMS, 3)
    return cut(2.6 + 1.2 * good), said


def strata_of(judge: str, number: int, random: np.random.Generator) -> list[IntArray]:
    """People's grades in each stratum."""
    people, said = grades_of(judge, random)
    parts = [random.permutation(people[said == grade]) for grade in np.unique(said)]
    pieces = pieces_by_size(np.array([len(one) for one in parts]), max(number, len(parts)))
    return [
        piece
        for part, of in zip(parts, pieces, strict=True)
        for piece in np.array_split(part, of if number > len(GRADES) else 1)
    ]


def allocated(sizes: IntArray, labels: int, way: str) -> IntArray:
    first = np.minimum(sizes, 2)
    share = sizes / sizes.sum()
    if way == "root":
        share = 0.1 * share + 0.9 * np.sqrt(sizes) / np.sqrt(sizes).sum()
    return np.asarray(first + top_up(share, first, max(labels - int(first.sum()), 0), sizes))


def profile(counts: FloatArray, sizes: FloatArray, promise: Promise, planned: int) -> Ends:
    labels = int(counts[0].sum())
    look = Look(0.95, promise, labels, planned, "file", counts.shape[1], horizon=1)
    labelled = counts.sum(axis=-1)
    called = np.ones(labelled.shape, dtype=bool)
    cells = Cells(np.broadcast_to(sizes, labelled.shape), labelled, 0 * labelled, called)
    _, low, high = graded_mean(cells, counts, GRADES, look)
    return low, high


def student(counts: FloatArray, sizes: FloatArray, surprises: float = 0.0) -> Ends:
    """Student's t with Satterthwaite's degrees of freedom; surprises are labels halfway at either
    end, added to the spread of the strata by their labels."""
    labelled = counts.sum(axis=-1)
    mean = (counts * GRADES).sum(axis=-1) / labelled
    squares = (counts * (GRADES - mean[..., None]) ** 2).sum(axis=-1)
    far = ((mean - GRADES[0]) ** 2 + (GRADES[-1] - mean) ** 2) / 2
    squares = squares + surprises * labelled / labelled.sum(axis=-1, keepdims=True) * far
    freedom, share = np.maximum(labelled - 1, 1), sizes / sizes.sum()
    parts = share**2 * squares / freedom / labelled * (1 - labelled / sizes)
    whole = parts.sum(axis=-1)
    df = np.maximum(whole**2 / np.maximum((parts**2 / freedom).sum(axis=-1), 1e-300), 4)
    half = stdtrit(df, 0.975) * np.sqrt(whole)
    value = (share * mean).sum(axis=-1)
    return value - half, value + half


def bernstein(counts: FloatArray, sizes: FloatArray) -> Ends:
    """Maurer and Pontil (2009), of the weighted sum."""
    labelled, share = counts.sum(axis=-1), sizes / sizes.sum()
    mean = (counts * GRADES).sum(axis=-1) / labelled
    squares = (counts * (GRADES - mean[..., None]) ** 2).sum(axis=-1)
    variance = (share**2 * squares / np.maximum(labelled - 1, 1) / labelled).sum(axis=-1)
    level, most = np.log(4 / 0.05), (share / labelled).max(axis=-1) * 4
    half = np.sqrt(2 * variance * level) + 7 * most * level / 3
    value = (share * mean).sum(axis=-1)
    return value - half, value + half


def fixed(judge: str, number: int, way: str, labels: int, seed: int, runs: int) -> list[Row]:
    """A row for each rule."""
    random = np.random.default_rng([seed, JUDGES.index(judge), number])
    parts = strata_of(judge, number, random)
    every = np.concatenate(parts)
    held = np.array([np.bincount(one, minlength=5) for one in parts])
    sizes, truth = held.sum(axis=1), float(GRADES[every].mean())
    drawn = zip(held, allocated(sizes, labels, way), strict=True)
    random = np.random.default_rng([seed, JUDGES.index(judge), number, SHARES.index(way), labels])
    counts = np.stack(
        [random.multivariate_hypergeometric(of, take, size=runs) for of, take in drawn], axis=1
    ).astype(float)
    plain = 1.96 * GRADES[every].std() * np.sqrt((1 - labels / ITEMS) / labels)
    rules: dict[str, Callable[[FloatArray, FloatArray], Ends]] = {
        "Student": student,
        "Student, 2 surprises": partial(student, surprises=2.0),
        "empirical Bernstein": bernstein,
        PROFILE: lambda counts, sizes: profile(counts, sizes, Promise.FIXED, labels),
    }
    rows = []
    for name, rule in rules.items():
        low, high = (np.clip(end, 1, 5) for end in rule(counts, sizes.astype(float)))
        right = (low <= truth + 1e-9) & (truth <= high + 1e-9)
        shared = {"judge": judge, "strata": number, "shares": way, "labels": labels, "seed": seed}
        width = (high - low).mean() / 2 / plain
        rows.append({**shared, "rule": name, "right": right.mean(), "width": float(width),
                     "half-width": float((high - low).mean() / 2)})  # fmt: skip
    return rows


def watched(judge: str, number: int, planned: int, runs: int) -> list[Row]:
    """How many sessions are wrong at any look, one after every ``STEP`` labels."""
    random = np.random.default_rng([SEED, JUDGES.index(judge), number, planned])
    parts = strata_of(judge, number, random)
    sizes = np.array([len(one) for one in parts])
    truth = float(GRADES[np.concatenate(parts)].mean())
    looks = [*range(-(-2 * len(parts) // STEP) * STEP, planned + 1, STEP)]
    taken = np.maximum.accumulate([allocated(sizes, one, "size") for one in looks])
    seen = []
    for place, part in enumerate(parts):
        order = random.random((runs, len(part))).argsort(axis=1)[:, : taken[-1, place]]
        seen.append(np.eye(5)[part[order]].cumsum(axis=1))
    ever = np.zeros((2, runs), dtype=bool)
    for take in taken:
        counts = np.stack([one[:, n - 1] for one, n in zip(seen, take, strict=True)], axis=1)
        for at, promise in enumerate((Promise.WATCHED, Promise.FIXED)):
            low, high = profile(counts, sizes.astype(float), promise, planned)
            ever[at] |= (truth < low - 1e-9) | (truth > high + 1e-9)
    wrong, by_fixed = ever.mean(axis=1)
    return [{"judge": judge, "strata": number, "planned": planned, "ever wrong": float(wrong),
             "by the fixed interval": float(by_fixed)}]  # fmt: skip


def sessions(judge: str, labels: int, runs: int) -> list[Row]:
    """How often the interval of whole sessions of the default method holds the mean."""
    random = np.random.default_rng([SEED, JUDGES.index(judge), 0, labels])
    people, said = grades_of(judge, random)
    frame = pd.DataFrame({"id": np.arange(ITEMS).astype(str), "answer": "an answer"})
    frame["judge"] = (said + 1).astype(str)
    population = lc.read_population(
        frame, id="id", content="answer", predictions={"judge": "judge"}, classes=list("12345")
    )
    plan = lc.Plan("recalibrated_neyman", "accuracy", budget=labels, promise="fixed")
    prepared, truth = Prepared(population, kept_plan(population, plan), people), people.mean() + 1
    right, width = [], []
    for _ in range(runs):
        session = prepared.session(random)
        session.go_to(labels)
        told = judge_table(session.engine, ()).set_index("measure").loc["mean score"]
        right.append(told["low"] - 1e-9 <= truth <= told["high"] + 1e-9)
        width.append((told["high"] - told["low"]) / 2)
    plain = 1.96 * people.std() * np.sqrt((1 - labels / ITEMS) / labels)
    return [{"judge": judge, "session of": labels, "right": float(np.mean(right)),
             "width": float(np.mean(width) / plain)}]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Job] = {}
    for judge in JUDGES:
        for number in STRATA:
            for seed in (SEED, SEED + 1):
                for way in SHARES:
                    for labels in LABELS:
                        found[f"{judge} {number} {way} {labels} {seed}"] = partial(
                            fixed, judge, number, way, labels, seed, options.runs
                        )
            found[f"watched {judge} {number}"] = partial(
                watched, judge, number, 200, options.runs * 3 // 10
            )
        for labels in (100, 200):
            found[f"sessions {judge} {labels}"] = partial(
                sessions, judge, labels, options.runs // 5
            )
    return found


def tables(rows: Rows, options: Options) -> str:
    every, looked, whole = (
        pd.DataFrame(flat({name: one for name, one in rows.items() if kind in one[0]}))
        for kind in ("rule", "ever wrong", "session of")
    )
    first = every[every["seed"] == SEED]
    low = 0.93 - 2 * np.sqrt(0.95 * 0.05 / options.runs)
    said = []
    for name, mine in first.groupby("rule", sort=False):
        again = every[(every["seed"] != SEED) & (every["rule"] == name)]
        said.append({"rule": name, "cells": len(mine), "right, mean": mine["right"].mean(),
                     "least": mine["right"].min(), "least, other seed": again["right"].min(),
                     f"cells under {low:.3f}": int((mine["right"] < low).sum()),
                     "width": mine["width"].mean(),
                     "from 100 labels": mine[mine["labels"] > 50]["width"].mean()})  # fmt: skip
    digits = {name: 3 for name, one in said[0].items() if isinstance(one, float)}
    of_rule = first[first["rule"] == PROFILE]
    shown = of_rule.groupby(["judge", "strata", "labels"], sort=False)[
        ["right", "width", "half-width"]
    ].mean().reset_index()  # fmt: skip
    return (
        f"### All rules\n\n{frame_table(pd.DataFrame(said), digits)}\n\n"
        f"### The profile of grades\n\n"
        f"{frame_table(shown, {'right': 3, 'width': 2, 'half-width': 2})}\n\n"
        "### Looked at after every tenth label\n\n"
        f"{frame_table(looked, {'ever wrong': 3, 'by the fixed interval': 3})}\n\n"
        "### Whole sessions of the default method\n\n"
        f"{frame_table(whole, {'right': 3, 'width': 2})}\n"
    )


BENCHMARK = Benchmark(
    name="graded", about=__doc__, jobs=jobs, tables=tables, runs=1_000, quick_runs=50,
    page="graded.md",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
