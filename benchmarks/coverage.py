"""Bias, coverage and sessions ever wrong, for every design, estimand and promise.

    python -m benchmarks.coverage [--quick] [--runs 3000] [--only WORD] [--write]

Populations from easy to nasty (``benchmarks.populations``) and the real files are labelled by their
known classes, by the engine of ``labelcore.simulate``. A fixed interval is read at
the planned size, a watched one at about 30 numbers of labels in constant ratio, chosen in advance,
from the first figure to the last label, in two thirds as many runs. Run r of a cell's file, design
and size uses SeedSequence((31, crc32 of "file|design|labels"), spawn key r), the same draws serving
all estimands and both promises.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import harness
from benchmarks.coverage_jobs import Files, Job, cases_of, generator, jobs
from benchmarks.coverage_tables import HEAD, as_markdown
from benchmarks.harness import Benchmark, Options, Rows, command, flat
from benchmarks.reasons import reason
from benchmarks.sessions import FloatArray, Session, Shown, see


def runs(job: Job) -> tuple[list[str], FloatArray, list[Shown], list[Shown]]:
    """Keys of the questions, their truth, and what is shown: at the planned size of each run, and
    at each look, in chunks of runs."""
    files = Files(job)
    watched = files.watched
    fixed_parts, watched_parts = [], []
    keys: list[str] = []
    most = max(job.fixed, watched)
    for start in range(0, most, files.together):
        ends: list[Session] = []
        looks: list[Session] = []
        for run in range(start, min(start + files.together, most)):
            random = generator(job, run)
            file, watching = files.of_run(random)
            session = file.session(random)
            keys = file.keys
            if run < job.fixed:
                ends.append(session)
            if run < watched:
                looks.append(watching.again(session))
        if ends:
            fixed_parts.append(see(ends, [job.labels]).part(slice(None), 0))
        if looks:
            watched_parts.append(see(looks, watching.looks()))
    return keys, np.array([files.truth[key] for key in keys]), fixed_parts, watched_parts


def covered(shown: Shown, truth: FloatArray) -> np.ndarray:
    return (shown.low - 1e-9 <= truth) & (truth <= shown.high + 1e-9)


def measure(job: Job) -> list[dict[str, Any]]:
    """A row per estimand and promise."""
    keys, truth, fixed, watched = runs(job)
    found = []
    for promise, parts in (("fixed", fixed), ("watched", watched)):
        if not parts:
            continue
        whole = Shown(*(np.concatenate([getattr(part, name) for part in parts]) for name in NAMES))
        for place, key in enumerate(keys):
            if np.isnan(truth[place]):
                continue
            one = whole.part(..., place)
            row = {
                "population": job.case,
                "design": job.title,
                "promise": promise,
                "labels": job.labels,
                "estimand": key,
                **summary(one, float(truth[place])),
            }
            found.append({**row, "why": reason(row, job.folder)})
    return found


NAMES = ("interval", "value", "low", "high", "tail_share")


def summary(shown: Shown, truth: float) -> dict[str, float]:
    """One cell: arrays (n_runs,), or (n_sessions, n_looks) where it is watched."""
    inside = covered(shown, np.asarray(truth))
    ever = np.nan
    last = shown
    sessions = float(shown.interval.any(axis=-1).sum()) if shown.interval.ndim > 1 else 0.0
    if shown.interval.ndim > 1:
        missed = (shown.interval & ~inside).any(axis=-1).sum()
        ever = float(missed / sessions) if sessions else np.nan
        last = shown.part(slice(None), -1)
        inside = inside[:, -1]
    seen = last.interval
    count = int(seen.sum())
    coverage = float(inside[seen].mean()) if count else np.nan
    errors = (last.value - truth)[seen & ~np.isnan(last.value)]
    tails = last.tail_share[seen & ~np.isnan(last.tail_share)]
    kept, of = (coverage, count) if np.isnan(ever) else (1 - ever, sessions)
    spread = float(errors.std(ddof=1)) if len(errors) > 1 else np.nan
    return {
        "runs": len(seen),
        "shown": of,
        "kept": kept,
        "kept se": float(np.sqrt(kept * (1 - kept) / of)) if of else np.nan,
        "coverage": coverage,
        "ever missed": ever,
        "bias": 100 * float(errors.mean()) if len(errors) else np.nan,
        "bias se": 100 * spread / np.sqrt(max(len(errors), 1)),
        "width": float((last.high - last.low)[seen].mean()) if count else np.nan,
        "no figure": 1 - count / len(seen),
        "tail share": float(tails.mean()) if len(tails) else np.nan,
    }


def of_command(options: Options) -> dict[str, harness.Job]:
    todo = jobs(options.data, cases_of(options), options.runs, watched_runs(options))
    return {job.name: partial(measure, job) for job in todo}


def watched_runs(options: Options) -> int:
    return options.runs * 2 // 3


def tables(rows: Rows, options: Options) -> str:
    found = flat(rows)
    return as_markdown(found, options.runs, watched_runs(options))


BENCHMARK = Benchmark(
    name="coverage", about=__doc__, jobs=of_command, tables=tables, runs=3000, quick_runs=30,
    page="validity.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
