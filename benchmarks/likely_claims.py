"""Approximate claims: how often a false one is ever called likely, and how many labels they save.

    python -m benchmarks.likely_claims [--quick] [--runs 200] [--write]

Part one: every claim is at its boundary, so that calling it likely and calling it likely false
are both errors. The ends of an approximate claim are those of the watched interval at the
confidence 1 - 1.9 alpha (``tests/figures/test_likely_claims.py``), so one session shows all figures
of a file. It is looked at after every label up to 10, then after every sixth. The twin, ends as
near at every look as if it were the only one, must fail. Part two: sessions of one claim each, as
``labelcore`` plans it with either form, until it is settled; looks grow by 6 %. Seeds: run r of
part one uses the child r of (23, job), of part two of (24, job). Before them the same for one share
of a plain random sample, by recursion as in ``benchmarks.horizon``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

import labelcore as lc
from benchmarks import harness
from benchmarks.claims import BUDGET, SYNTHETIC, goal_of
from benchmarks.claims import Source as Made
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.horizon import Critical, FloatArray, of_plan, rate_statistic, worst
from benchmarks.populations import MAIN, Known, known
from benchmarks.sessions import Prepared, Session, Shown, see
from labelcore.designs.base import IntArray
from labelcore.figures.claims import claim_results, likely_of
from labelcore.planning.forecast import kept_plan
from labelcore.promises import ClaimStatus, Form
from labelcore.stats.horizon import ONE_SIDED, boundary

FALSE_SEED, LABELS_SEED = 23, 24
ALPHA, LABELS, FIRST, GROWTH = 0.05, 200, 10, 1.06
LOOKS = [*range(1, 11), *range(14, LABELS + 1, 6)]
HORIZON, SMALL = 4, 60
LATER_LOOKS = [*range(12, HORIZON * SMALL + 1, 12)]
DESIGNS = ("simple_random", "recalibrated_neyman")
REAL = ("newsgroups_med svm", "ppdb_pairs model", "product_pairs gbm")
NASTY = ("calibrated", "prevalence 1 %")
SETTLED = ("newsgroups_med svm", "good scores")
SESSIONS_EACH = 10
"""Part two has a tenth of the runs of part one."""


def one_figure_each(file: Known, design: str, planned: int, **params: object) -> lc.Plan:
    """A plan whose watched intervals have the ends of approximate claims at ``ALPHA``."""
    return lc.Plan(
        design,
        MAIN,
        classifier=file.classifier,
        budget=planned,
        params=params,
        promise="watched",
        confidence=1 - ONE_SIDED * ALPHA,
    ).with_planned(planned)


def false_claims(name: str, folder: Path, design: str, runs: int) -> list[Row]:
    """Part one for one file and design: a row for each figure."""
    file = known(name, folder)
    shown, truth = _seen(file, one_figure_each(file, design, LABELS), LOOKS, runs)
    later, _ = _seen(
        file,
        one_figure_each(file, design, SMALL, horizon=HORIZON),
        LATER_LOOKS,
        runs,
        extended=True,
    )
    twin = not_spent(shown)
    rows = []
    for place, key in enumerate(truth):
        ends = [
            wrong(part.part(slice(None), slice(None), place), truth[key])
            for part in (shown, later, twin)
        ]
        rows.append(
            {
                "file": name,
                "design": design,
                "figure": key,
                "truth": truth[key],
                "called likely": ends[0][0],
                "called likely false": ends[0][1],
                f"going on to {HORIZON} times": max(ends[1]),
                "twin": max(ends[2]),
            }
        )
    return rows


def _seen(
    file: Known, plan: lc.Plan, looks: list[int], runs: int, *, extended: bool = False
) -> tuple[Shown, dict[str, float]]:
    prepared = Prepared(file.population, plan, file.codes)
    name = f"{file.classifier}|{plan.design}|{plan.planned}"
    sessions = [prepared.session(harness.generator(FALSE_SEED, name, run)) for run in range(runs)]
    for session in sessions if extended else ():
        session.engine.extend(looks[-1])
    return see(sessions, looks), prepared.truth()


def not_spent(shown: Shown) -> Shown:
    """The twin: ends as near at every look as if it were the only one."""
    level = ONE_SIDED * ALPHA
    narrow = 1.645 / boundary(np.array(LOOKS) / LABELS, 0.0, level)[None, :, None]
    low = shown.value - (shown.value - shown.low) * narrow
    return replace(shown, low=low, high=shown.value + (shown.high - shown.value) * narrow)


def wrong(shown: Shown, truth: float) -> tuple[float, float]:
    """The shares of sessions whose lower end was ever above the truth, and whose upper end was
    ever below it."""
    above = shown.interval & (shown.low > truth + 1e-9)
    below = shown.interval & (shown.high < truth - 1e-9)
    return float(above.any(axis=1).mean()), float(below.any(axis=1).mean())


def labels_needed(name: str, folder: Path, design: str, runs: int) -> list[Row]:
    """Part two for one file and design: a row for each figure."""
    file = _file(name, folder)
    whole = Prepared(file.population, one_figure_each(file, design, LABELS), file.codes).truth()
    rows = []
    for figure in MAIN:
        goal = goal_of(whole[figure], figure)
        row: Row = {"file": name, "design": design, "claim": f"{figure} >= {goal:.3f}",
                    "truth": whole[figure]}  # fmt: skip
        for form in (Form.STRICT, Form.APPROXIMATE):
            labels = settled_at(file, design, figure, goal, form, runs)
            row[f"{form}"] = float(np.median(labels))
            row[f"{form}, decided"] = float(np.mean(np.isfinite(labels)))
        rows.append(row)
    return rows


def settled_at(
    file: Known, design: str, figure: str, goal: float, form: Form, runs: int
) -> NDArray[np.float64]:
    """The labels at which each session called the claim shown or likely, (runs,); infinite where
    it did not within ``BUDGET``, or within the labels that its plan is for."""
    text = f"{figure} >= {goal:.6f}"
    asked = lc.Plan(
        design,
        (figure,),
        classifier=file.classifier,
        claims=(text,),
        claim_form=form,
        promise="watched",
    )
    plan = kept_plan(file.population, asked)
    prepared = Prepared(file.population, plan, file.codes)
    job = f"{file.classifier}|{design}|{text}|{form}"
    sessions = [prepared.session(harness.generator(LABELS_SEED, job, run)) for run in range(runs)]
    furthest = plan.furthest(int(plan.planned or 0)) or BUDGET
    settled = np.full(runs, np.inf)
    for labels in looks_until(min(furthest, BUDGET, len(file.population))):
        for session in sessions:
            session.go_to(labels)
        shown = np.array([one[0] == ClaimStatus.DECIDED for one in statuses(sessions)])
        settled = np.where(shown & np.isinf(settled), labels, settled)
        if np.isfinite(settled).all():
            break
    return settled


def statuses(sessions: list[Session]) -> list[list[ClaimStatus]]:
    """The status of each claim in each session."""
    engines = [session.engine for session in sessions]
    if engines[0].plan.claim_form == Form.APPROXIMATE:
        return likely_of(engines)
    return [[one.status for one in claim_results(engine).values()] for engine in engines]


def looks_until(last: int) -> IntArray:
    steps = int(np.ceil(np.log(last / FIRST) / np.log(GROWTH))) + 1
    return np.unique(np.ceil(np.geomspace(FIRST, last, steps)).astype(int))


def _file(name: str, folder: Path) -> Known:
    made: Made = next((one for one in SYNTHETIC if one.precision == 0.95), SYNTHETIC[0])
    if name in REAL:
        return known(name, folder)
    population, truth = made.load(folder)
    positive = population.classes.index(population.positive)
    return Known(population, np.where(truth > 0.5, positive, 1 - positive), "a")


def one_end(
    positive: FloatArray, labels: int, rate: ArrayLike, *, lower: bool
) -> NDArray[np.float64]:
    """``rate_statistic`` where one end of the interval lies between the rate and the sample."""
    beyond = positive / labels > rate if lower else positive / labels < rate
    return np.where(beyond, rate_statistic(positive, labels, rate), 0.0)


def exact(planned: int) -> list[Row]:
    """The chance that one end was wrong at some look, at most over the rates and both ends."""

    def most(going_on: int, standard_errors: Critical) -> str:
        found = [
            worst(planned, going_on=going_on, statistic=partial(one_end, lower=lower),
                  standard_errors=standard_errors)
            for lower in (True, False)
        ]  # fmt: skip
        chance, rate = max(found)
        return f"{chance:.4f} ({rate:.3g})"

    level = ONE_SIDED * ALPHA
    row: Row = {"planned": planned, "horizon 1": most(1, of_plan(planned, alpha=level))}
    later = of_plan(planned, alpha=level, horizon=HORIZON)
    row[f"horizon {HORIZON}"] = most(HORIZON, later) if planned <= MOST_GOING_ON else ""
    row["not spent: 1.645 at every look"] = most(1, lambda _: 1.645)
    return [row]


EXACT, FALSE, NEEDED = "exact", "false", "labels"
SIZES, MOST_GOING_ON = (20, 60, 80, 100, 300), 100


def jobs(options: Options) -> dict[str, Job]:
    folder, runs = options.data, options.runs
    files = ("calibrated", *REAL[:1]) if options.quick else (*REAL, *NASTY)
    settled = SETTLED[-1:] if options.quick else SETTLED
    each = max(runs // SESSIONS_EACH, 1)
    calculated = {f"{EXACT}: {planned}": partial(exact, planned) for planned in SIZES}
    return calculated | {
        f"{kind}: {name}, {design}": partial(measured, name, folder, design, number)
        for kind, measured, names, number in (
            (FALSE, false_claims, files, runs),
            (NEEDED, labels_needed, settled, each),
        )
        for name in names
        for design in DESIGNS
    }


def tables(rows: Rows, options: Options) -> str:
    calculated, false, needed = (
        pd.DataFrame(flat({job: part for job, part in rows.items() if job.startswith(kind)}))
        for kind in (EXACT, FALSE, NEEDED)
    )
    shares = ["called likely", "called likely false", f"going on to {HORIZON} times", "twin"]
    digits = dict.fromkeys(shares, 3)
    noise = np.sqrt(ALPHA * (1 - ALPHA) / options.runs)
    worst = false.assign(most=false[shares[:3]].max(axis=1)).sort_values(
        "most", ascending=False, kind="stable"
    )
    by = false.groupby(["design", "figure"], sort=False)
    needed["saved"] = [
        np.nan if np.isinf(one["strict"]) else 1 - one["approximate"] / one["strict"]
        for one in needed.to_dict("records")
    ]
    forms = {"strict": 0, "approximate": 0, "strict, decided": 2, "approximate, decided": 2,
             "saved": 2, "truth": 3}  # fmt: skip
    return "\n".join(
        [
            f"{options.runs} sessions each; the standard error of a share of 0.05 is "
            f"{noise:.3f}.\n",
            "## One share of a plain random sample, by calculation\n",
            "The chance that one end of the region is wrong at some look from the first label on, "
            "at most over the rates and both ends (in brackets: the rate).\n",
            frame_table(calculated, {}),
            "\n## False claims, means over the files\n",
            frame_table(by[shares].mean().reset_index(), digits),
            "\nThe largest of each:\n",
            frame_table(by[shares].max().reset_index(), digits),
            "\n## Labels until a true claim is shown, or called likely\n",
            f"The median of {max(options.runs // SESSIONS_EACH, 1)} sessions, `inf` where the "
            f"median one was not settled within {BUDGET:,} labels or the labels that its plan is "
            "for; and the share settled.\n",
            frame_table(needed, forms),
            "\n## False claims, the worst first\n",
            frame_table(worst.drop(columns="most"), {**digits, "truth": 4}),
        ]
    )


HEAD = f"""# Approximate claims

{MADE}

A claim is called likely as soon as the lower end of its one-sided region passes the number claimed,
and likely false as soon as the upper end does. For a share of a plain random sample the chance that
one end is ever wrong is calculated, for the rest it is simulated: every claim is exactly at its
boundary, so that both are errors, each of which may befall about 5 % of the sessions at whatever
look. Sessions of {LABELS} planned labels are looked at after every label up to 10 and then after
every sixth; sessions of {SMALL} that go on to {HORIZON * SMALL} after every twelfth (the worse
end). "Twin": ends as near at every look as if it were the only one.

The strict evidence of the same claims is in [claims.md](claims.md) and
[false_claims.md](false_claims.md). Each true claim is planned as `labelcore` plans it from the
scores alone: with few strata where strict evidence settles it, with those of an estimate where the
region does.

"""
BENCHMARK = Benchmark(
    name="likely_claims", about=__doc__ or "", jobs=jobs, tables=tables, runs=200, quick_runs=20,
    page="likely_claims.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
