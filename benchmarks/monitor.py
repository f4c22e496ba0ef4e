"""False alarms of a monitor, and how soon it notices a fall.

    python -m benchmarks.monitor [--quick] [--runs 2000] [--only WORD] [--rows FILE] [--write]

Series of waves of 150 labels by the default, fixed promise a wave, precision and recall asked; the
waves are drawn from five simulated sessions a series of the file with its known labels. What is
required is the true value. A fall of 10 points: of the items called positive some are not
(precision, F1), positives are missed at random (recall), calls of any kind are wrong at random
(accuracy). "6 quiet, 4": after 6 quiet waves, within 4 waves from the fall on. The same threshold,
that of 52 waves and an error rate of .05, is used for false alarms and for power (a quarter of the
series).
"""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.monitor_sessions import CASES, Case, Prepared, chosen
from labelcore.estimands import SCALARS, Estimand, ratios
from labelcore.stats.profile import Cells, FloatArray, Region
from labelcore.waves.evidence import (
    FARTHEST,
    LONGEST,
    between,
    change_evidence,
    counted,
    each_start,
    joined,
    requirement_evidence,
    threshold,
    value_of,
)

SEED, WAVES, ERROR, POOL = 37, 52, 0.05, 20_000
FIGURES = ("precision", "recall", "f1", "accuracy")
LENGTHS, QUIET, WITHIN, BY = (12, 26, 52), (1, 6, 25, 51), (1, 2, 4, 8), 0.10
DRIFT, DRIFTED = 20, "drift"
FALSE, AT = [f"false, {one} waves" for one in LENGTHS], ": 1, 2, 4, 8"
OURS, LAUNCH, ANEW = "required", "since launch", "required, files drawn anew"
SHORT = "required, shorter watches"


def alarms(
    prepared: Prepared,
    figure: str,
    watch: str,
    waves: Cells,
    first: int,
    planned: int = WAVES,
) -> FloatArray:
    """Whether each series has had an alarm, from wave ``first`` on, (n_waves - first, series)."""
    row, suggested, launch = SCALARS[figure], prepared.frame.rates, watch == LAUNCH
    limit, required = threshold(planned, ERROR, since_launch=launch), prepared.value(figure)
    n_series, n_waves = waves.labelled.shape[:2]
    found = np.zeros((n_waves - first, n_series), dtype=bool)
    for last in range(max(first, int(launch)), n_waves):
        quiet = np.flatnonzero(~found[last - first - 1]) if last > first else np.arange(n_series)
        start = 0 if launch else max(0, last + 1 - LONGEST)
        own = rows_of(waves, quiet, start, last + 1)
        if launch:
            evidence = change_evidence(own, row, suggested)
        else:
            near = np.flatnonzero(most_evidence(own, row, required) >= limit)
            quiet, own = quiet[near], rows_of(own, near)
            evidence = requirement_evidence(own, row, required, suggested)
        found[last - first :, quiet[evidence.sum(axis=1) >= limit]] = True
    return found


def rows_of(
    waves: Cells, series: NDArray[np.intp], start: int = 0, end: int | None = None
) -> Cells:
    return counted(waves, lambda counts: counts[series, start:end])


def most_evidence(waves: Cells, row: Estimand, required: float) -> FloatArray:
    """A sum that the evidence of each series does not exceed, (series,), in a fraction of the time.

    Any totals at which the figure is what is required, or farther than that, have a statistic at
    least as large as the root's; Student's t and the doubling only bring a root nearer to 0.
    """
    totals = joined(waves)
    table, value = ratios([row], totals), value_of(totals, row, None)
    goal = np.full((*value.shape, 1), required)
    region = Region(totals, table.gradient(goal), "file")
    rest = region.totals(region.unlabelled_positives(np.full(goal.shape, -np.inf)))
    distance = goal * table.b0 - table.a0 - (region.slope * rest).sum(axis=-1)
    rate = (totals.positive + 0.5) / (totals.labelled + 1)
    spread = totals.size * totals.unlabelled / np.maximum(totals.labelled, 1) * rate * (1 - rate)
    reach = np.maximum((region.slope**2 * spread[..., None, :]).sum(axis=-1), 1e-9)
    pull, moved = np.ones(distance.shape), reach
    for step in range(3):
        pull = np.minimum(pull * (1.05 if step else 1) * np.maximum(distance, 1e-9) / moved, 50)
        there = region.unlabelled_positives(np.log(pull))
        moved = np.maximum((region.slope * (region.totals(there) - rest)).sum(axis=-1), 1e-9)
    reached = table.value(region.totals(there)) >= goal
    root = np.where(reached, -np.sqrt(np.maximum(region.statistic(there), 0.0)), -FARTHEST)[..., 0]
    unknown = ~totals.labelled.all(axis=-1)  # What is not labelled has the rate of the others.
    root = np.where((value >= required) & ~unknown, 0.0, root)
    root = np.where(unknown, -FARTHEST, np.where(np.isnan(value), 0.0, root))
    return each_start(root, np.arange(1, root.shape[1] + 1)).sum(axis=1)


def measure(case: Case, figure: str, watch: str, folder: Path, series: int) -> list[Row]:
    """One row: false alarms, and what share of falls is noticed."""
    random = np.random.default_rng([SEED, FIGURES.index(figure)])
    prepared = Prepared(case, folder)
    pool = min(POOL, 5 * series)
    positive: FloatArray = prepared.positive
    if watch == ANEW:
        rates = prepared.positive / prepared.size
        positive = random.binomial(prepared.size.astype(int), rates, (pool, len(rates)))
    quiet = prepared.sessions(positive, pool, random)
    found: Row = {"file": case.name, "figure": figure, "watch": watch,
                  "true": prepared.value(figure)}  # fmt: skip
    false = alarms(prepared, figure, watch, chosen([quiet], [WAVES], series, random), 0)
    found |= {f"false, {length} waves": float(false[length - 1].mean()) for length in LENGTHS}
    if watch == ANEW or found["true"] <= 2 * BY:
        return [found]
    lower = prepared.sessions(prepared.fallen(figure, BY), 2_000, random)
    for before in QUIET if watch == OURS else QUIET[1:3]:
        start = 0 if watch == LAUNCH else max(0, before - LONGEST)
        mixed = chosen([quiet, lower], [before - start, max(WITHIN)], series // 4, random)
        noticed = alarms(prepared, figure, watch, mixed, before - start)
        found |= {f"{before} quiet, {one}": float(noticed[one - 1].mean()) for one in WITHIN}
    if watch == OURS:
        found[DRIFTED] = _drift(prepared, figure, quiet, series, random)
    return [found]


def _drift(
    prepared: Prepared, figure: str, quiet: Cells, series: int, random: np.random.Generator
) -> float:
    """In which wave of a fall by one point a wave, after 6 quiet ones, the alarm comes in half of
    the series."""
    by = min(0.01, (prepared.value(figure) - 0.05) / DRIFT)
    pools = [prepared.sessions(prepared.fallen(figure, by * wave), 500, random)
             for wave in range(1, DRIFT + 1)]  # fmt: skip
    waves = chosen([quiet, *pools], [6] + [1] * DRIFT, series // 4, random)
    share = alarms(prepared, figure, OURS, waves, 6).mean(axis=1)
    return float(np.argmax(share >= 0.5) + 1) if share[-1] >= 0.5 else float("nan")


def short(case: Case, figure: str, folder: Path, series: int) -> list[Row]:
    """False alarms of watches that are planned for fewer waves, by thresholds of their own."""
    random = np.random.default_rng([SEED, 5])
    prepared = Prepared(case, folder)
    quiet = prepared.sessions(prepared.positive, min(POOL, 5 * series), random)
    found: Row = {"file": case.name, "figure": figure, "watch": SHORT}
    waves = chosen([quiet], [LENGTHS[1]], series, random)
    for length in LENGTHS[:2]:
        false = alarms(prepared, figure, OURS, between(waves, 0, length), 0, length)
        found[f"false, {length} waves"] = float(false[-1].mean())
    return [found]


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Job] = {}
    ask = {"folder": options.data, "series": options.runs}
    for figure in ("recall", "precision", "f1", "accuracy"):
        for case in CASES:
            found[f"{OURS}: {case.name} {figure}"] = partial(
                measure, case, figure, OURS, options.data, options.runs
            )
    for case in (CASES[1], CASES[4], CASES[0], CASES[2]):
        for figure in ("recall", "precision"):
            found[f"{LAUNCH}: {case.name} {figure}"] = partial(
                measure, case, figure, LAUNCH, options.data, options.runs
            )
    for case in CASES:
        found[f"{SHORT}: {case.name}"] = partial(short, case, "recall", **ask)
        found[f"{ANEW}: {case.name}"] = partial(measure, case, "recall", ANEW, **ask)
    return found


def tables(rows: Rows, options: Options) -> str:
    frame = pd.DataFrame(flat(rows))
    parts: dict[str, str] = {}

    def add(name: str, shown: pd.DataFrame) -> None:
        floats = shown.drop(columns=DRIFTED, errors="ignore").select_dtypes(float)
        digits = dict.fromkeys(floats, 3) | ({DRIFTED: 0} if DRIFTED in shown else {})
        parts[name[:1].upper() + name[1:]] = frame_table(shown, digits)

    def of(watch: str) -> pd.DataFrame:
        return _by_wave(frame[frame["watch"] == watch].dropna(axis=1, how="all"))

    for watch in (OURS, SHORT, LAUNCH, ANEW):
        if len(part := of(watch)):
            there = [one for one in ("true", *FALSE) if one in part]
            add(f"False alarms: {watch}",
                part[["file", "figure", *there]].assign(series=f"{options.runs:,}"))  # fmt: skip
    for watch in (OURS, LAUNCH):
        if len(part := of(watch)):
            within = [one for one in part if one.endswith(AT)]
            within += [DRIFTED] if DRIFTED in part else []
            add(f"Falls noticed: {watch}", part[["file", "figure", *within]])
    return "\n".join(f"## {name}\n\n{text}\n" for name, text in parts.items())


def _by_wave(part: pd.DataFrame) -> pd.DataFrame:
    """The table with what is noticed within several waves in one column."""
    for before in QUIET:
        names = [f"{before} quiet, {one}" for one in WITHIN]
        if names[0] in part:
            together = [" ".join(f"{one:.2f}" for one in row) for row in part[names].to_numpy()]
            part = part.assign(**{f"{before} quiet{AT}": together}).drop(columns=names)
    return part


KEYS = {f"False alarms: {watch}": 2 for watch in (OURS, SHORT, LAUNCH, ANEW)}
KEYS |= {f"Falls noticed: {watch}": 2 for watch in (OURS, LAUNCH)}
BENCHMARK = Benchmark(
    name="monitor",
    about=__doc__ or "",
    jobs=jobs,
    tables=tables,
    runs=2_000,
    quick_runs=100,
    workers=1,
    page="monitoring.md",
    keys=KEYS,
)

if __name__ == "__main__":
    command(BENCHMARK)()
