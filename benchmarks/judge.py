"""The pass rate of one system by a judge, beside a plain sample, PPI++ and judgy; the judge itself.

    python -m benchmarks.judge [--quick] [--runs 400] [--only WORD] [--rows FILE] [--write]

Made answers, a judge that goes wrong in known ways and people's answers known; sessions are
answered by these. A plain sample, PPI++ (ppi-python) and judgy read the same labels, those of a
plain random sample of the same number. The two packages are no dependencies: without them their
rows are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.sessions import Prepared, Session
from labelcore.designs.base import IntArray
from labelcore.figures.current import results
from labelcore.figures.judge import judge_table
from labelcore.planning.forecast import kept_plan
from tests.judged import judged, judged_frame

SEED, OUTPUTS, SIZES = 36, 3_000, (100, 200, 400)
DEFAULT, PLAIN, OWN = "default", "plain sample", "judge asked"
BOOTSTRAPS = 1_000
"""Of judgy, whose own number is 20,000: its ends are a little noisier so."""
MEASURES = ("agreement", "kappa", "true pass rate", "false pass rate")
Ends = dict[str, tuple[float, float]]
Found = list[tuple[str, str, float, float]]
"""Way, measure and the ends of its interval, of each session."""


@dataclass(frozen=True)
class Judge:
    """How good the answers are, as a logit, and how the judge goes wrong (``judged_frame``)."""

    skill: float
    made: dict[str, float] = field(default_factory=dict)


JUDGES = {
    "good": Judge(1.2, {"shared": 0.0, "noise": 0.5, "lenient": -0.1, "chance": 0.2}),
    "lenient": Judge(0.98, {"shared": 1.0, "noise": 0.8, "lenient": 0.6, "chance": 0.3}),
    "rare failures": Judge(2.4, {"shared": 0.0, "noise": 0.6, "lenient": 0.0, "chance": 0.3}),
    "poor": Judge(0.6, {"shared": 1.5, "noise": 2.5, "lenient": 0.0}),
}


CELLS = [(name, labels, 7) for name in JUDGES for labels in SIZES]
AGAIN = [("rare failures", 200, 8), ("rare failures", 400, 8), ("poor", 100, 8)]
"""Cells of low coverage in a first run, on another file."""


def frame_of(name: str, seed: int) -> pd.DataFrame:
    """3,000 outputs of one system with the verdicts of this judge."""
    one = JUDGES[name]
    return judged_frame(OUTPUTS, seed, {"alpha": one.skill}, **one.made)  # type: ignore[arg-type]


def measure_rates(name: str, labels: int, seed: int, runs: int) -> list[Row]:
    """A row for each way: how often its interval holds the truth, and how wide it is."""
    frame = frame_of(name, seed)
    population, codes = judged(frame, groups=(), prompt=None), frame["truth"].to_numpy(np.int64)
    random = np.random.default_rng([SEED, seed, len(name), labels])
    found: Found = []
    ours = _prepared(population, codes, "recalibrated_neyman", labels)
    plain = _prepared(population, codes, "simple_random", labels)
    helped = _prepared(population, codes, "simple_random", labels, interval="difference")
    for _ in range(runs):
        session = _told(ours, labels, random)
        found.append((DEFAULT, "pass rate", *_pass_rate(session)))
        found += _of_judge(session, DEFAULT)
        session = _told(plain, labels, random)
        found.append((PLAIN, "pass rate", *_pass_rate(session)))
        for way, ends in rivals(frame, codes, session, random).items():
            found.append((way, "pass rate", *ends))
        other = _told(helped, labels, random)
        found.append(("plain + judge", "pass rate", *_pass_rate(other)))
    return _summary(frame, name, labels, seed, found)


def measure_judge(name: str, labels: int, seed: int, runs: int) -> list[Row]:
    """The measures of the judge where the plan asks for them, and not for the pass rate."""
    frame = frame_of(name, seed)
    population, codes = judged(frame, groups=(), prompt=None), frame["truth"].to_numpy(np.int64)
    random = np.random.default_rng([SEED, seed, len(name), labels, 1])
    asked = ("accuracy", "recall", "specificity")
    ours = _prepared(population, codes, "recalibrated_neyman", labels, asked)
    found: Found = []
    for _ in range(runs):
        found += _of_judge(_told(ours, labels, random), OWN)
    return _summary(frame, name, labels, seed, found)


def _of_judge(session: Session, way: str) -> Found:
    told = judge_table(session.engine, ()).set_index("measure")
    return [(way, one, told.loc[one, "low"], told.loc[one, "high"]) for one in MEASURES]


def _summary(frame: pd.DataFrame, name: str, labels: int, seed: int, found: Found) -> list[Row]:
    true = true_measures(frame)
    table = pd.DataFrame(found, columns=["way", "measure", "low", "high"])
    truth = table["measure"].map(true)
    table["covered"] = (table["low"] - 1e-9 <= truth) & (truth <= table["high"] + 1e-9)
    table["width"] = table["high"] - table["low"]
    of_way = table.groupby(["way", "measure"], sort=False)
    rows = of_way.agg(covered=("covered", "mean"), width=("width", "mean"),
                      none=("low", lambda low: low.isna().mean())).reset_index()  # fmt: skip
    where = {"judge": name, "labels": labels, "file": seed, "rate": true["pass rate"],
             "judged": float((frame["score"] >= 0.5).mean())}  # fmt: skip
    return [{**where, **row} for row in rows.to_dict("records")]  # type: ignore[dict-item]


def _prepared(
    population: lc.Population, codes: IntArray, design: str, labels: int,
    asked: tuple[str, ...] = ("prevalence",), **params: object,
) -> Prepared:  # fmt: skip
    plan = lc.Plan(design, asked, classifier="judge", budget=labels, promise="fixed", params=params)
    return Prepared(population, kept_plan(population, plan), codes)


def _told(prepared: Prepared, labels: int, random: np.random.Generator) -> Session:
    session = prepared.session(random)
    session.go_to(labels)
    return session


def _pass_rate(session: Session) -> tuple[float, float]:
    one = results(session.engine)["prevalence"]
    return one.low, one.high  # type: ignore[attr-defined]


def rivals(
    frame: pd.DataFrame, codes: IntArray, session: Session, random: np.random.Generator
) -> Ends:
    """The intervals of other packages from the labels of a plain random sample; NaN where one
    refuses them."""
    labelled = session.engine.codes.labelled
    rest = np.setdiff1d(np.arange(len(frame)), labelled)
    score, y = frame["score"].to_numpy(), codes[labelled]
    verdict = (score >= 0.5).astype(np.int64)
    found: Ends = {}
    if find_spec("ppi_py"):
        from ppi_py import ppi_mean_ci  # type: ignore[import-not-found]

        for way, said in {"PPI++, verdict": verdict.astype(float), "PPI++, score": score}.items():
            ends = ppi_mean_ci(y.astype(float), said[labelled], said[rest], alpha=0.05)
            found[way] = tuple(float(np.ravel(one)[0]) for one in ends)  # type: ignore[assignment]
    if find_spec("judgy"):
        from judgy import estimate_success_rate  # type: ignore[import-not-found]

        np.random.seed(int(random.integers(2**32)))
        try:
            _, low, high = estimate_success_rate(y, verdict[labelled], verdict[rest], BOOTSTRAPS)
        except (ValueError, RuntimeError):
            low = high = float("nan")
        found["judgy"] = (low, high)
    return found


def true_measures(frame: pd.DataFrame) -> dict[str, float]:
    """The pass rate, and how the judge stands to people, of all outputs."""
    said, truth = frame["score"] >= 0.5, frame["truth"] == 1
    return {
        "pass rate": float(truth.mean()), "agreement": float((said == truth).mean()),
        "kappa": float(cohen_kappa_score(said, truth)),
        "true pass rate": float(said[truth].mean()), "false pass rate": float(said[~truth].mean()),
    }  # fmt: skip


def tables(rows: Rows, options: Options) -> str:
    """Labels: those of a plain sample that are as wide, 1 where it needs as many."""
    found = pd.DataFrame(flat(rows))
    key = ["judge", "labels", "file"]
    rates = found[found["measure"] == "pass rate"].drop(columns="measure").copy()
    plain = rates[rates["way"] == PLAIN].set_index(key)["width"]
    rates["of a plain sample"] = (
        rates["width"] / plain.reindex(pd.MultiIndex.from_frame(rates[key])).to_numpy()
    ) ** 2
    able = rates[(rates["covered"] >= 0.93) & (rates["way"] != DEFAULT)]
    best = able.groupby(key)["width"].min()
    ours = rates[rates["way"] == DEFAULT].set_index(key)
    beside = (ours["width"] / best).rename("over the narrowest").reset_index()
    told = ["rate", "judged", "covered", "width", "none", "of a plain sample"]
    own = found[found["measure"] != "pass rate"]
    own = own.assign(asked=own["way"].map({DEFAULT: "pass rate", OWN: "the judge"}))
    wide = own.pivot_table(index=[*key, "asked"], columns="measure", values=["covered", "width"],
                           sort=False)  # fmt: skip
    wide.columns = [f"{measure}{', width' * (kind == 'width')}" for kind, measure in wide.columns]
    wide = wide.reset_index()
    shown = [*key, "way", *told]
    return (
        f"### Pass rates\n\n{frame_table(rates[shown], dict.fromkeys(told, 3))}\n\n"
        "### The default beside the narrowest of the others that covers .93\n\n"
        f"{frame_table(beside, {'over the narrowest': 3})}\n\n"
        "### The judge itself\n\n"
        f"{frame_table(wide, dict.fromkeys(wide.columns[4:], 3))}\n"
    )


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{what} {name}, {labels}, file {seed}": partial(of, name, labels, seed, options.runs)
        for what, of in (("rates", measure_rates), ("judge", measure_judge))
        for name, labels, seed in [*CELLS, *AGAIN]
    }


BENCHMARK = Benchmark(
    name="judge", about=__doc__, jobs=jobs, tables=tables, runs=400, quick_runs=10,
    page="judge.md", head=f"## What was measured\n\n{MADE}\n\n",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
