"""False alarms of a monitor, and how soon it notices a fall.

    python -m benchmarks.monitor [--quick] [--runs 2000] [--only WORD] [--rows FILE] [--write]

Series of waves of 150 labels by the default, fixed promise a wave, precision and recall asked; the
waves are drawn from five simulated sessions a series of the file with its known labels. What is
required is the true value. A fall of 10 points: of the items called positive some are not
(precision, F1), positives are missed at random (recall), calls of any kind are wrong at random
(accuracy). "6 quiet, 4": after 6 quiet waves, within 4 waves from the fall on. The same threshold,
that of 52 waves and an error rate of .05, is used for false alarms and for power (a quarter of the
series). Of a change since launch there are half as many series.

Rivals, on as many labels: "over-sampled, shared" is ``labelcore.monitor`` (half of the labels in
each group, alpha shared over comparisons), "over-sampled, each" the predictive interval of Shang et
al. at 95 % for each wave; "plain, sequence" is a confidence sequence of all plain random labels so
far (Robbins' beta mixture). Of the first two there are half as many series.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaln

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from labelcore.designs.progress import Progress
from labelcore.estimands import SCALARS, ratios
from labelcore.figures.current import results_of
from labelcore.log.engine import Engine
from labelcore.papers.oversampling.groups import Counts, recall_of
from labelcore.papers.oversampling.monitoring import JEFFREYS
from labelcore.papers.oversampling.next_wave import forecast, share_forecast
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import label_all
from labelcore.results.types import Estimate
from labelcore.stats.profile import Cells, FloatArray
from labelcore.waves.evidence import (
    LONGEST,
    between,
    change_evidence,
    requirement_evidence,
    threshold,
)
from labelcore.waves.measured import Figure, Measured, counts_of
from labelcore.waves.watches import Watch, evidence

SEED, LABELS, WAVES, ERROR, POOL = 37, 150, 52, 0.05, 20_000
FIGURES = ("precision", "recall", "f1", "accuracy")
LENGTHS, QUIET, WITHIN, BY = (12, 26, 52), (1, 6, 25, 51), (1, 2, 4, 8), 0.10
DRIFT, DRIFTED = 20, "drift, median wave"
OURS, LAUNCH, ANEW = "required", "since launch", "required, files drawn anew"
SHORT, NIGHTS = "required, shorter watches", "a table that changes every night"
SHARED, EACH, SEQUENCE = "over-sampled, shared", "over-sampled, each", "plain, sequence"


@dataclass(frozen=True)
class Case:
    """A real file and a classifier of it; ``items``: the first so many alone."""

    name: str
    file: str
    classifier: str
    items: int | None = None


CASES = (
    Case("newsgroups lr", "newsgroups_med.csv.gz", "lr"),
    Case("newsgroups nb", "newsgroups_med.csv.gz", "nb"),
    Case("phrases model", "ppdb_pairs.csv.gz", "model"),
    Case("products gbm", "product_pairs.parquet", "gbm"),
    Case("products title, 46 positives", "product_pairs.parquet", "title", 7_800),
    Case("newsgroups svm, 5,000 items", "newsgroups_med.csv.gz", "svm", 5_000),
)


class Prepared:
    """Sessions of one file, many side by side: only their counts by stratum are drawn."""

    def __init__(self, case: Case, folder: Path) -> None:
        path = folder / case.file
        read = pd.read_parquet if path.suffix == ".parquet" else pd.read_csv
        found = read(path).head(case.items)
        own = {"id": found["id"].astype(str), "score": found[f"score_{case.classifier}"],
               "call": found[f"pred_{case.classifier}"]}  # fmt: skip
        population = lc.read_population(
            pd.DataFrame(own), id="id", content="id", scores={"m": "score"},
            predictions={"m": "call"},
        )  # fmt: skip
        plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=LABELS,
                       promise="fixed")  # fmt: skip
        self.engine = Engine(population, kept_plan(population, plan))
        frame = self.frame = self.engine.frame
        self.size, self.called = frame.sizes.astype(float), frame.predicted
        truth = found["true_label"].to_numpy().astype(float)
        self.positive = np.bincount(frame.stratum, truth, frame.n_strata)

    def value(self, figure: str, positive: FloatArray | None = None) -> float:
        empty = Cells(self.size, 0 * self.size, 0 * self.size, self.called)
        totals = self.positive if positive is None else positive
        return float(ratios([SCALARS[figure]], empty).value(totals)[0])

    def fallen(self, figure: str, by: float) -> FloatArray:
        """The positives of each stratum after the figure has fallen."""

        def after(share: float) -> FloatArray:
            fewer = 1 - share * (figure != "recall")
            more = share * (figure in ("recall", "accuracy"))
            return np.where(
                self.called, self.positive * fewer,
                self.positive + more * (self.size - self.positive),
            )  # fmt: skip

        low, high, goal = 0.0, 1.0, self.value(figure) - by
        for _ in range(50):
            middle = (low + high) / 2
            above = self.value(figure, after(middle)) > goal
            low, high = (middle, high) if above else (low, middle)
        return np.round(after(high))

    def sessions(self, positive: FloatArray, runs: int, random: np.random.Generator) -> Cells:
        """The counts of so many sessions, (runs, n_strata)."""
        engine, shape = self.engine, (runs, len(self.size))
        there = np.broadcast_to(np.round(positive).astype(np.int64), shape)
        drawn, hits = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        while drawn[0].sum() < LABELS:
            now = Progress(drawn, drawn.astype(float), hits.astype(float), LABELS)
            take = np.broadcast_to(engine.design.allocate(engine.setup, self.frame, now), shape)
            left = there - hits
            hits = hits + random.hypergeometric(left, self.frame.sizes - drawn - left, take)
            drawn = drawn + take
        counts = drawn.astype(float), hits.astype(float)
        return Cells(np.broadcast_to(self.size, shape), *counts, self.called)


def chosen(
    pools: list[Cells], lengths: list[int], series: int, random: np.random.Generator
) -> Cells:
    """Series of waves, (series, n_waves, n_cells): so many of each pool, one after another."""
    parts = []
    for pool, length in zip(pools, lengths, strict=True):
        place = random.integers(len(pool.labelled), size=(series, length))
        parts.append((pool.size[place], pool.labelled[place], pool.positive[place]))
    counts = (np.concatenate(one, axis=1) for one in zip(*parts, strict=True))
    return Cells(*counts, pools[0].predicted)


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
    found = []
    for last in range(first, waves.labelled.shape[1]):
        if launch and last == 0:
            found.append(np.zeros(len(waves.labelled)))
        elif launch:
            found.append(change_evidence(between(waves, 0, last + 1), row, suggested).sum(axis=1))
        else:
            own = between(waves, max(0, last + 1 - LONGEST), last + 1)
            found.append(requirement_evidence(own, row, required, suggested).sum(axis=1))
    return np.logical_or.accumulate(np.array(found) >= limit, axis=0)


def measure(case: Case, figure: str, watch: str, folder: Path, series: int) -> list[Row]:
    """One row: false alarms, and what share of falls is noticed."""
    random = np.random.default_rng([SEED, FIGURES.index(figure)])
    prepared = Prepared(case, folder)
    series = series // 2 if watch == LAUNCH else series
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


# --- others, on as many labels ---------------------------------------------------------------


def rivals(case: Case, figure: str, folder: Path, series: int) -> list[Row]:
    """A row for each rule of others."""
    random = np.random.default_rng([SEED, 9])
    prepared = Prepared(case, folder)
    lower = prepared.fallen(figure, BY)
    ways = {WAVES: [prepared.positive] * WAVES}
    ways |= {one: [prepared.positive] * one + [lower] * max(WITHIN) for one in QUIET[1:3]}
    rows: dict[str, Row] = {
        rule: {"file": case.name, "figure": figure, "watch": rule, "true": prepared.value(figure)}
        for rule in (SHARED, EACH, SEQUENCE)
    }
    for quiet, way in ways.items():
        first = 0 if quiet == WAVES else quiet
        found = dict(zip((SHARED, EACH), _oversampled(prepared, figure, way, series // 2, random,
                                                      first), strict=True))  # fmt: skip
        found[SEQUENCE] = _sequence(prepared, figure, way, series, random, first)
        for rule, alarmed in found.items():
            if quiet == WAVES:
                rows[rule] |= {f"false, {one} waves": float(alarmed[one - 1].mean())
                               for one in LENGTHS}  # fmt: skip
            else:
                rows[rule] |= {f"{quiet} quiet, {one}": float(alarmed[quiet + one - 1].mean())
                               for one in WITHIN}  # fmt: skip
    return list(rows.values())


def _sequence(
    prepared: Prepared, figure: str, way: list[FloatArray], series: int,
    random: np.random.Generator, first: int = 0,
) -> FloatArray:  # fmt: skip
    """Alarms of plain random samples, (n_waves, series)."""
    size, called = prepared.size, prepared.called
    hits = misses = np.zeros(series)
    found = []
    for wave, positive in enumerate(way):
        four = [positive[called].sum(), (size - positive)[called].sum(), positive[~called].sum(),
                (size - positive)[~called].sum()]  # fmt: skip
        counts = random.multivariate_hypergeometric(np.round(four).astype(int), LABELS, series)
        right, wrong = {
            "precision": (counts[:, 0], counts[:, 1]),
            "recall": (counts[:, 0], counts[:, 2]),
            "accuracy": (counts[:, 0] + counts[:, 3], counts[:, 1] + counts[:, 2]),
        }[figure]  # fmt: skip
        hits, misses = hits + right, misses + wrong
        required, trials = prepared.value(figure), np.maximum(hits + misses, 1)
        evidence = (betaln(hits + 0.5, misses + 0.5) - betaln(0.5, 0.5)
                    - hits * np.log(required) - misses * np.log(1 - required))  # fmt: skip
        below = hits / trials < required
        found.append((evidence >= np.log(1 / ERROR)) & below & (wave >= first))
    return np.logical_or.accumulate(np.array(found), axis=0)


def _oversampled(
    prepared: Prepared, figure: str, way: list[FloatArray], series: int,
    random: np.random.Generator, first: int,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Alarms of ``labelcore.monitor`` and of each wave's predictive interval, (n_waves, series)."""
    size, called = prepared.size, prepared.called
    above, below = round(size[called].sum()), round(size[~called].sum())
    n_above = min(LABELS // 2, above)
    n_below = min(LABELS - n_above, below)
    found = np.zeros((2, len(way), series), dtype=bool)
    for one in range(series):
        weight = Counts.of(0, 0, 0, 0)
        for wave, positive in enumerate(way):
            hits = round(positive[called].sum()), round(positive[~called].sum())
            seen = random.hypergeometric(hits[0], above - hits[0], n_above)
            missed = random.hypergeometric(hits[1], below - hits[1], n_below)
            rates = seen / n_above, missed / n_below
            value = rates[0] if figure == "precision" else recall_of(above / below, *rates)
            if wave and wave >= first:
                known = JEFFREYS.plus(weight)
                ahead = (
                    share_forecast(float(known.true_positive), float(known.false_positive), n_above)
                    if figure == "precision"
                    else forecast(known, above / below, n_above, n_below)[1]
                )
                for rule, alpha in enumerate((ERROR / (wave * (wave + 1)) / 2, ERROR)):
                    low, high = ahead.limits(1 - alpha)
                    found[rule, wave, one] = value < low - 1e-12 or value > high + 1e-12
            weight = weight.plus(Counts.of(seen, n_above - seen, missed, n_below - missed))
    shared, each = np.logical_or.accumulate(found, axis=1)
    return shared, each


# --- a table that changes every night --------------------------------------------------------


def nights(series: int) -> list[Row]:
    """A table of 3,000 rows of which 3 % are written anew every night, 100 labels a night, 30
    nights: labels asked, coverage of the nightly figures, and alarms at the true level, with
    evidence from labels first given, and (a mistake) from carried ones too."""
    asked, held, alarmed = [], [], np.zeros((2, series), dtype=bool)
    for number in range(series):
        random = np.random.default_rng([SEED, 77, number])
        table, known = _rows_made(NIGHTLY, random), set[tuple[int, int]]()
        version = np.zeros(NIGHTLY, dtype=np.int64)
        watches = [Watch("precision", TRUE_NIGHTLY[0]), Watch("recall", TRUE_NIGHTLY[1])]
        left: list[list[Measured]] = [[], []]
        for night in range(30):
            if night:
                new = random.choice(NIGHTLY, round(0.03 * NIGHTLY), replace=False)
                table[:, new], version[new] = _rows_made(len(new), random), night
            engine, codes = _labelled(table)
            places = np.array([asked_of.position for asked_of in engine.asked])
            fresh = np.array([(place, version[place]) not in known for place in places])
            known |= {(place, version[place]) for place in places}
            truth = _census(table)
            every = results_of([engine])[0]
            found = [one for one in every.values() if isinstance(one, Estimate)]
            held.append([value.low <= true <= value.high
                         for value, true in zip(found, truth, strict=True)])  # fmt: skip
            if night:
                asked.append(int(fresh.sum()))
            for way, mine in enumerate((places[fresh], places)):
                figures = {
                    question.key: Figure(
                        value.value, value.low, value.high,
                        *counts_of(engine, question, mine, codes[mine]),
                    )
                    for question, value in zip(engine.questions, found, strict=True)
                }  # fmt: skip
                left[way].append(Measured("", "", 0, 0, 0, True, False, "", figures))
                alarmed[way, number] |= any(
                    evidence(watch, left[way]).sum() >= threshold(30, ERROR / 2)
                    for watch in watches
                )
    coverage = np.mean(held, axis=0)
    return [{"watch": NIGHTS, "series": series, "labels asked a night": float(np.mean(asked)),
             "coverage, precision": float(coverage[0]), "coverage, recall": float(coverage[1]),
             "alarms": float(alarmed[0].mean()),
             "alarms if carried labels counted": float(alarmed[1].mean())}]  # fmt: skip


def _rows_made(number: int, random: np.random.Generator) -> FloatArray:
    """Score and truth of so many rows, (2, number)."""
    logit = random.normal(-1.5, 1.8, number)
    score = 1 / (1 + np.exp(-(logit + random.normal(0, 0.6, number))))
    return np.array([score, random.random(number) < 1 / (1 + np.exp(-logit))])


def _census(table: FloatArray) -> tuple[float, float]:
    """True precision and recall of a table."""
    called, truth = table[0] >= 0.5, table[1] > 0
    return float(truth[called].mean()), float(called[truth].mean())


NIGHTLY = 3_000
TRUE_NIGHTLY = _census(_rows_made(2_000_000, np.random.default_rng([SEED, 78])))


def _labelled(table: FloatArray) -> tuple[Engine, NDArray[np.int64]]:
    """One night's session, the draw order that of the ids."""
    frame = pd.DataFrame({"id": np.arange(NIGHTLY).astype(str), "score": table[0],
                          "call": (table[0] >= 0.5).astype(int)})  # fmt: skip
    population = lc.read_population(frame, id="id", content="id", scores={"m": "score"},
                                    predictions={"m": "call"})  # fmt: skip
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=100, promise="fixed")
    engine, codes = Engine(population, kept_plan(population, plan)), table[1].astype(np.int64)
    label_all([engine], codes)
    return engine, codes


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
    found[NIGHTS] = partial(nights, max(options.runs // 10, 2))
    for case in (CASES[0], CASES[2]):
        for figure in ("precision", "recall"):
            found[f"rivals: {case.name} {figure}"] = partial(rivals, case, figure, **ask)
    return found


def tables(rows: Rows, options: Options) -> str:
    frame = pd.DataFrame(flat(rows))
    false = [name for name in frame if name.startswith("false")]
    parts = []
    for watch in (OURS, SHORT, LAUNCH, ANEW):
        part = frame[frame["watch"] == watch].dropna(axis=1, how="all")
        if len(part):
            there = [one for one in ("true", *false) if one in part]
            text = frame_table(part[["file", "figure", *there]], dict.fromkeys(there, 3))
            parts.append(_section(f"False alarms: {watch}", text))
    for watch in (OURS, LAUNCH):
        part = frame[frame["watch"] == watch]
        found = part[["file", "figure"]].copy()
        for before in QUIET if watch == OURS else QUIET[1:3]:
            found[f"{before} quiet: 1, 2, 4, 8"] = [
                " ".join(f"{row[f'{before} quiet, {one}']:.2f}" for one in WITHIN)
                for row in part.to_dict("records")
            ]
        if watch == OURS:
            found["drift"] = [f"{one:.0f}" if one == one else "" for one in part[DRIFTED]]
        if len(part):
            parts.append(_section(f"Falls noticed: {watch}", frame_table(found, {})))
    nightly = frame[frame["watch"] == NIGHTS].drop(columns="watch").dropna(axis=1, how="all")
    if len(nightly):
        nightly["series"] = nightly["series"].astype(int).astype(str)
        floats = dict.fromkeys([one for one in nightly if one != "series"], 3)
        parts.append(_section(f"{NIGHTS[:1].upper()}{NIGHTS[1:]}", frame_table(nightly, floats)))
    others = frame[frame["watch"].isin([SHARED, EACH, SEQUENCE])]
    if len(others):
        shown = others[["watch", "file", "figure", *false]].copy()
        for before in QUIET[1:3]:
            shown[f"{before} quiet: 1, 2, 4, 8"] = [
                " ".join(f"{row[f'{before} quiet, {one}']:.2f}" for one in WITHIN)
                for row in others.to_dict("records")
            ]
        parts.append(_section("Other rules", frame_table(shown, dict.fromkeys(false, 3))))
    return "\n".join(parts)


def _section(name: str, text: str) -> str:
    return f"## {name}\n\n{text}\n"


BENCHMARK = Benchmark(
    name="monitor",
    about=__doc__ or "",
    jobs=jobs,
    tables=tables,
    runs=1_000,
    quick_runs=100,
    workers=1,
    page="monitoring.md",
)

if __name__ == "__main__":
    command(BENCHMARK)()
