"""Values that may be told: what sessions of few labels say of a weak score and rare positives.

    python -m benchmarks.told [--quick] [--runs 200] [--write]

A file of 7,500 items, 1.7 % positive, with a score that says little, cut so that recall is about
.16 or .33. Sessions of the default, fixed and watched, are answered by the known labels and read at
their planned size and before it. A value is told where the sentence or the bar has one; the rule
forbids it where the interval is wider than 60 % of what was certain before the first label. The
twin is the rule before: the value is kept back only where the interval is wider than 60 points and
than 1.5 times what it will be at the planned size. Run r uses the child r of (29, job).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import expit

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.populations import Items, Known, written
from benchmarks.sessions import Prepared
from labelcore.charts.figure_bars import estimate_bar
from labelcore.figures.scalars import scalar_results_of
from labelcore.planning.runs import label_each_until
from labelcore.results.types import Estimate
from labelcore.stats.horizon import DELTA

SEED, FILE_SEED, N, POSITIVE = 29, 31, 7_500, 0.017
CUTS = {"recall .16": 0.16, "recall .33": 0.33}
PLANS = {"fixed": (100, 300), "watched": (100, 300)}
FIGURES = ("recall", "precision")
HIGH, WIDE, TIMES = 0.9, 0.6, 1.5


def weak_score(share: float) -> Known:
    """A file whose classifier finds such a share of its positive items."""
    random = np.random.default_rng(FILE_SEED)
    truth = (random.random(N) < POSITIVE).astype(int)
    score = np.round(expit(random.normal(0.4 * truth, 1.0) - 4.0), 6)
    cut = np.quantile(score[truth == 1], 1 - share)
    return written(Items(truth, score, (score >= cut).astype(int)))


def measure(share: float, promise: str, labels: int, runs: int) -> list[Row]:
    """The rows of one cut and plan, at half the planned size and at the planned size."""
    file = weak_score(share)
    plan = lc.Plan("recalibrated_neyman", FIGURES, budget=labels, promise=promise)
    prepared = Prepared(file.population, plan.with_planned(labels), file.codes)
    random = np.random.default_rng((SEED, int(100 * share), labels))
    sessions = [prepared.session(random) for _ in range(runs)]
    engines = [one.engine for one in sessions]
    rows: list[Row] = []
    for at in (labels // 2, labels):
        label_each_until(engines, [file.codes] * runs, at)
        found = scalar_results_of(engines)
        for name in FIGURES:
            figures = [one[name] for one in found]
            truth = prepared.truth()[name]
            case = {"figure": name, "truth": truth, "promise": promise, "planned": labels}
            rows.append({**case, "labels": at, **_of(figures, truth, at / labels)})
    return rows


def _of(figures: list[Estimate], truth: float, done: float) -> Row:
    """What these sessions say of one figure."""
    value = np.array([np.nan if one.value is None else one.value for one in figures])
    low, high = (np.array([getattr(one, end) for one in figures]) for end in ("low", "high"))
    shown = np.array([one.has_interval for one in figures])
    said = np.array([says_a_value(one) for one in figures])
    forbidden = shown & (high - low > WIDE + 1e-12)
    later = TIMES * (high - low) * done ** (1 - DELTA)
    before = ~np.isnan(value) & ~(forbidden & (high - low > later))
    right = shown & (low <= truth + 1e-9) & (truth <= high + 1e-9)
    with_both = shown & said
    return {
        "sessions": len(figures),
        "with an interval": shown.mean(),
        "interval right": right[shown].mean() if shown.any() else np.nan,
        "right where told": right[with_both].mean() if with_both.any() else np.nan,
        "forbidden": forbidden.mean(),
        "told where forbidden": (said & forbidden).mean(),
        "told": said.mean(),
        "lean of told": value[said].mean() - truth if said.any() else np.nan,
        f"told as {HIGH:.0%} or more": (said & (value >= HIGH)).mean(),
        "twin: told where forbidden": (before & forbidden).mean(),
        "twin: lean of told": value[before].mean() - truth if before.any() else np.nan,
        f"twin: told as {HIGH:.0%} or more": (before & (value >= HIGH)).mean(),
    }


def says_a_value(one: Estimate) -> bool:
    """Whether its sentence, its bar or its row of a table has a value; all of them, or none."""
    bar = estimate_bar(one, "figure")
    sentence = one.sentence()
    places = {
        "sentence": "%, between" in sentence or "best guess so far" in sentence,
        "bar": bar.value is not None,
        "beside the bar": bar.said[0] != "",
        "table": one.told is not None,
    }
    if len({*places.values()}) > 1:
        raise AssertionError(f"places do not agree: {places}, {sentence}")
    return places["bar"]


def jobs(options: Options) -> Mapping[str, Job]:
    return {
        f"{cut}, {promise} {labels}": partial(measure, share, promise, labels, options.runs)
        for cut, share in CUTS.items()
        for promise, sizes in PLANS.items()
        for labels in sizes
    }


DIGITS = {
    "truth": 3, "with an interval": 2, "interval right": 3, "right where told": 3, "forbidden": 3,
    "told where forbidden": 3, "told": 3, "lean of told": 3, f"told as {HIGH:.0%} or more": 3,
    "twin: told where forbidden": 3, "twin: lean of told": 3,
    f"twin: told as {HIGH:.0%} or more": 3,
}  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    return frame_table(pd.DataFrame(flat(rows)), DIGITS)


def faults(rows: Rows, options: Options) -> list[str]:
    """No session tells a value where the rule forbids it; the twin must."""
    found = flat(rows)
    told = sum(one["told where forbidden"] > 0 for one in found)
    twin = sum(one["twin: told where forbidden"] > 0 for one in found)
    return [
        *([f"a value is told where the rule forbids it, in {told} rows"] if told else []),
        *([] if twin else ["the rule before forbids as much: the file is no test"]),
    ]


HEAD = f"""# Values that may be told

{MADE}

{N:,} items, {POSITIVE:.1%} positive, a weak score. A value is told where the interval is at most
60 % as wide as what was certain before the first label; else only the end that is known
("recall is at least 2 %"). Shares are of all sessions; "lean" is the mean of the values told, less
the truth. "Twin" is the rule before, which told a value at the planned size however wide its
interval. "told where forbidden" must be 0.

What is told leans, the other way: an interval of recall is narrow enough first where few of the
positive items that were found are called positive, so those values are too low, at the worst by 26
points at the end of 100 planned labels. Their intervals held the truth in .938 or more of these
sessions; the value is the middle of what was found, no more.

"""
BENCHMARK = Benchmark(
    name="told", about=__doc__, jobs=jobs, tables=tables, runs=200, quick_runs=10,
    page="told.md", head=HEAD, faults=faults,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
