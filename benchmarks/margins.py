"""Plans that end at a margin: how often it is reached, and what the pilot costs.

    python -m benchmarks.margins [--quick] [--runs 400] [--write]

Sessions of one figure on files with known labels; predictions and truth as in the file, two of the
scores made bad: saturated (the logits moved up by 4, as of a classifier trained on balanced
classes, and then ten times as large) and weak (a third of the items carry the score of another
item, and the logits are moved up by 4). A look at every tenth label, beyond 400 at steps of
about 5 %, until the margin is reached or the labels of the plan are used. "Before" are the first 24
sessions by a plan without a pilot: its size is the forecast from the scores. "A plan that knew" has
the size at which its watched band meets the margin in the mean. Run r of a job is the child r of
(27, job).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import labelcore as lc
from benchmarks import harness
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.populations import Known, known
from benchmarks.sessions import FloatArray, Prepared, Session
from labelcore.figures.scalars import scalar_results_of
from labelcore.plan.pilot import DOUBLINGS, LITTLE_KNOWN, PILOT
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import end_pilots, label_each_until

SEED, DESIGN = 27, "recalibrated_neyman"
TOGETHER, STEP, GROWTH, PART = 50, 10, 1.05, 50
UP, COMPARED = 4.0, "compared"
BEFORE_SESSIONS, KNEW_SESSIONS, KNEW_STEPS = 24, 16, 3
GOAL, LEAST, WRONG = 0.95, 0.88, 0.05


def _high(score: FloatArray, sure: float = 1) -> FloatArray:
    """The score of a classifier that finds far too many positives likely."""
    return expit(sure * (logit(np.clip(score, 1e-6, 1 - 1e-6)) + UP))


def _weak(score: FloatArray) -> FloatArray:
    random = np.random.default_rng(8)
    some = np.flatnonzero(random.random(len(score)) < 1 / 3)
    found = score.copy()
    found[some] = score[random.permutation(some)]
    return _high(found)


SCORES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "as in the file": lambda score: score,
    "saturated": partial(_high, sure=10),
    "weak": _weak,
}
Case = tuple[str, str, str, float]


class Believing(lc.Plan):
    """A plan that keeps the size forecast from the scores."""

    learns = False


CASES: tuple[Case, ...] = (
    ("newsgroups_med lr", "saturated", "recall", 0.12),
    ("product_pairs lr", "weak", "recall", 0.15),
    ("ppdb_pairs model", "as in the file", "precision", 0.06),
    ("ppdb_pairs model", "as in the file", "accuracy", 0.06),
    ("newsgroups_med svm", "as in the file", "recall", 0.12),
    ("newsgroups_med nb", "as in the file", "f1", 0.12),
)


def case_of(name: str, scores: str, folder: Path) -> Known:
    """The file, its scores changed."""
    file = known(name, folder)
    one = str(file.classifier)
    changed = {**file.population.scores, one: SCORES[scores](file.population.scores[one])}
    return replace(file, population=replace(file.population, scores=changed))


def measured(case: Case, folder: Path, some: range) -> list[Row]:
    """A row for each of some sessions of a case."""
    file, plan = planned(case, folder)
    return _rows(sessions_of(file, plan, case, some))


def compared(case: Case, folder: Path) -> list[Row]:
    """What is known before the first label, sessions of a plan as it was, and the size of one that
    knew."""
    file, plan = planned(case, folder)
    older = Believing.from_json(plan.to_json())
    before = sessions_of(file, older, case, range(BEFORE_SESSIONS))
    return [
        {
            "forecast": plan.planned,
            "largest": Prepared(file.population, plan, file.codes).engine.largest,
            "before: reached": float(before["reached"].mean()),
            "before: labels": float(before["ended"].mean()),
            "before: ever wrong": float(before["wrong"].mean()),
            "a plan that knew": size_that_knew(file, plan),
        }
    ]


def planned(case: Case, folder: Path) -> tuple[Known, lc.Plan]:
    """The file and the plan as a session keeps it."""
    name, scores, figure, margin = case
    file = case_of(name, scores, folder)
    asked = lc.Plan(DESIGN, (figure,), classifier=file.classifier, margin=margin)
    return file, kept_plan(file.population, asked)


def _rows(found: dict[str, FloatArray]) -> list[Row]:
    return [dict(zip(found, one, strict=True)) for one in zip(*found.values(), strict=True)]


def sessions_of(file: Known, plan: lc.Plan, case: Case, some: range) -> dict[str, FloatArray]:
    """How each session ended, arrays (runs,): labels, whether the margin was reached and the band
    ever wrong, the size planned after the pilot, how often it was forecast anew, and whether the
    first band after the pilot was wider than the last before it."""
    prepared = Prepared(file.population, plan, file.codes)
    truth = next(iter(prepared.truth().values()))
    parts = []
    for start in range(some.start, some.stop, TOGETHER):
        runs = range(start, min(start + TOGETHER, some.stop))
        sessions = [prepared.session(harness.generator(SEED, str(case), run)) for run in runs]
        parts.append(_until_ended(sessions, float(plan.margin or 0), truth))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _until_ended(sessions: list[Session], margin: float, truth: float) -> dict[str, FloatArray]:
    n, labels = len(sessions), 0
    ended, last = np.zeros(n), np.full(n, 1.0)
    reached, wrong, wider = (np.zeros(n, dtype=bool) for _ in range(3))
    going = list(range(n))
    while going:
        labels = max(labels + STEP, int(GROWTH * labels) // STEP * STEP)
        some = [sessions[place] for place in going]
        engines = [one.engine for one in some]
        label_each_until(engines, [one.codes for one in some], labels)
        pilots = np.array([engine.pilot for engine in engines])
        end_pilots(engines)
        still = []
        for place, engine, pilot, results in zip(
            going, engines, pilots, scalar_results_of(engines), strict=True
        ):
            one = next(iter(results.values()))
            half = one.half_width if one.has_interval else 0.5
            wrong[place] |= one.has_interval and not (one.low - 1e-9 <= truth <= one.high + 1e-9)
            wider[place] |= bool(pilot and not engine.pilot and half > last[place] + 1e-9)
            last[place], ended[place] = half, engine.labels
            reached[place] = half <= margin
            if not reached[place] and engine.labels < engine.limit:
                still.append(place)
        going = still
    planned = np.array([session.engine.planned for session in sessions], dtype=float)
    anew = np.array([len(session.engine.replans) for session in sessions], dtype=float)
    return {
        "ended": ended, "reached": reached, "wrong": wrong, "wider": wider, "planned": planned,
        "anew": anew,
    }  # fmt: skip


def size_that_knew(file: Known, plan: lc.Plan) -> float:
    """The planned size whose watched band meets the margin there in the mean."""
    size, items, margin = 300.0, len(file.population), float(plan.margin or 0)
    for _ in range(KNEW_STEPS):
        labels = round(size)
        one_size = replace(plan, margin=None, stop=(), budget=labels, planned=labels)
        prepared = Prepared(file.population, one_size, file.codes)
        sessions = [
            prepared.session(harness.generator(SEED, "knew", run)) for run in range(KNEW_SESSIONS)
        ]
        engines = [one.engine for one in sessions]
        label_each_until(engines, [one.codes for one in sessions], labels)
        found = scalar_results_of(engines)
        half = float(np.mean([next(iter(one.values())).half_width for one in found]))
        wanted = size / (1 - size / items) * (half / margin) ** 2
        size = max(wanted / (1 + wanted / items), 20.0)
    return size


def jobs(options: Options) -> dict[str, Job]:
    cases = CASES[:1] if options.quick else CASES
    parts = [
        range(start, min(start + PART, options.runs)) for start in range(0, options.runs, PART)
    ]
    sessions = [
        {
            f"{_called(case)}: sessions from {part.start}": partial(
                measured, case, options.data, part
            )
            for case in cases
        }
        for part in parts
    ]
    alone: dict[str, Job] = {
        f"{_called(case)}: {COMPARED}": partial(compared, case, options.data) for case in cases
    }
    first, *others = sessions
    return {**first, **alone, **{name: job for part in others for name, job in part.items()}}


def _called(case: Case) -> str:
    return ", ".join(map(str, case))


def tables(rows: Rows, options: Options) -> str:
    found = pd.DataFrame(
        [_of_case(case, rows) for case in CASES if f"{_called(case)}: {COMPARED}" in rows]
    )
    reached, wrong = found["reached"], found["ever wrong"]
    low, high = (np.sqrt(p * (1 - p) / options.runs) for p in (GOAL, WRONG))
    return "\n".join(
        [
            f"{options.runs} sessions each; the standard error of a share of {GOAL} is {low:.3f}, "
            f"of {WRONG} {high:.3f}.\n",
            f"- Margin reached: {reached.mean():.3f} in the mean, least {reached.min():.3f}; "
            f"before {found['before: reached'].mean():.3f}, least "
            f"{found['before: reached'].min():.3f}.",
            f"- Ever wrong, from the first label: {wrong.mean():.3f} in the mean, most "
            f"{wrong.max():.3f}.",
            f"- Labels of a plan that knew: {found['times'].mean():.2f} times in the mean, most "
            f"{found['times'].max():.2f}.",
            f"- Sessions whose band was wider just after the pilot than just before: "
            f"{found['wider'].sum():.0f}.\n",
            frame_table(
                found.drop(columns=["wider"]),
                {"margin": 2, "forecast": 0, "largest": 0, "forecast anew": 1, "reached": 3,
                 "ever wrong": 3, "labels, median": 0, "labels, mean": 0,
                 "a plan that knew": 0, "times": 2,
                 "before: reached": 2, "before: labels": 0, "before: ever wrong": 2},
            ),
        ]
    )  # fmt: skip


def _of_case(case: Case, rows: Rows) -> Row:
    """The row of a case, from those of its sessions."""
    begins = f"{_called(case)}: sessions"
    runs = pd.DataFrame(flat({job: part for job, part in rows.items() if job.startswith(begins)}))
    alone = rows[f"{_called(case)}: {COMPARED}"][0]
    low, middle, high = np.quantile(runs["planned"], [0.1, 0.5, 0.9])
    knew = alone.pop("a plan that knew")
    return {
        **dict(zip(("file", "scores", "figure", "margin"), case, strict=True)),
        "forecast": alone.pop("forecast"),
        "largest": alone.pop("largest"),
        "planned after the pilot": f"{middle:,.0f} ({low:,.0f} to {high:,.0f})",
        "forecast anew": runs["anew"].mean(),
        "reached": runs["reached"].mean(),
        "ever wrong": runs["wrong"].mean(),
        "labels, median": runs["ended"].median(),
        "labels, mean": runs["ended"].mean(),
        "a plan that knew": knew,
        "times": runs["ended"].mean() / knew,
        **alone,
        "wider": runs["wider"].sum(),
    }


HEAD = f"""# Plans that end at a margin

{MADE}

The forecast of such a plan believes the scores. So after a pilot of 60 labels its size is forecast
anew, from the width of the pilot's own interval: n* = 1.3 x 60 x (1.21 x half-width / margin)^2,
with the finite-file correction, and never less than 60 or than the forecast before. While the
half-width is above {100 * LITTLE_KNOWN:.0f} points and n* beyond twice the labels, the pilot goes
on to twice its labels, at most to {PILOT * 2**DOUBLINGS}, and the size is forecast once more: where
60 labels tell nothing their width is near the most that it can be, and says only that the size is
large. When the pilot has ended the watched band is for n*, and labelling may go on to four times
that. Until then it is for the largest size that may come of the pilot, so that it only narrows.
Beyond n* what the band of n* and the one of now have in common counts (waiting until one lies
inside the other, as other plans do, the margin was reached in 2 of 16 sessions of the first case).

The rule was chosen on 48 other sessions of each case (seed 26). One pilot of 60 and a reserve of a
tenth (1.1 in place of 1.3) reached the margin of the second case in .03 of 100 sessions: n* was
about 950 where about 4,000 are needed. A pilot that goes on while the half-width is above 30
points, at most to 480: .92 of 24 there. Above 25 points, to 960: 1.00 of 48 in all six cases, and
with a reserve of three tenths the first case took 1,441 labels in place of 1,578, the second 4,896
in place of 5,035, the others 0 to 6 % more: too large a size costs less than going on beyond one
that is too small. Labelling that may go on to 2 n*, not to 4 n*: .98 of 48 in the first case and
.92 in the second, for 1,342 and 4,552 labels; with a reserve of a half 1.00 and .96. It stays four
times.

"""
BENCHMARK = Benchmark(
    name="margins", about=__doc__ or "", jobs=jobs, tables=tables, runs=400, quick_runs=40,
    page="margins.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
