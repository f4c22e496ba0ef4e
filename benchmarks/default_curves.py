"""Bands along the ranks from the default method's own draws: how often they are wrong, how wide.

    python -m benchmarks.default_curves [--quick] [--runs 150] [--write]

Sessions of recalibrated Neyman with 400 labels on synthetic lists, on which the rule was fixed;
those of real files are in ``docs/default_curves_real.md``. Once at the planned size, and watched
with a look after every fifth label; a band is wrong where the truth lies outside at an anchor:
between these nothing is said that does not follow from them. Twins that must fail: at the planned
size the interval of each rank by itself, all of them read together; while watched the band of one
look, looked at all the way. Then average precision and the area under the ROC curve at the planned
size, by the same method and by a plain random sample; the twin does without the shift of an end on
the side of the value. Seeds: run r uses seed r.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtri

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, table
from benchmarks.populations import Items, Known, known, written
from benchmarks.ranked_summaries import NUMBERS, SYNTHETIC, summed, whole
from benchmarks.watched_curves import EXTRA, NEAR, in_normal, percent, synthetic
from labelcore.designs.curves import LOOK_EVERY, Ranked
from labelcore.designs.stratified import critical_of, planned_between
from labelcore.figures.curves import ranked
from labelcore.figures.from_counts import look_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.planning.runs import beginning, label_until
from labelcore.stats.profile_interval import FEW_LEFT
from labelcore.stats.rank_band import (
    Parts,
    RankLabels,
    anchor_ranks,
    bounds_of,
    reach_of,
    strata_band,
)
from labelcore.stats.rank_strata import rank_edges
from labelcore.stats.ranked_summaries import RankedSample, pieces, summary_interval

SIZE, LEVEL, FIRST_RANK = 400, 0.95, 50
SHARES = {"a quarter": 4, "half": 2}
POPULATIONS = ("calibrated", "overconfident, deep misses", "flipped tail", "prevalence 1 %",
               "right outside the middle")  # fmt: skip
SMALL_RATE = 1e-4
DESIGNS = ("recalibrated_neyman", "simple_random")


def list_as_file(name: str) -> Known:
    """A synthetic list with its rates as scores where these fall along it, else with the ranks as
    scores; half of the best items are called positive where no score says which."""
    one = synthetic(name)
    items, rate = EXTRA[name] if name in EXTRA else SYNTHETIC[name]
    depth = (np.arange(items) + 0.5) / items
    score = np.clip(rate(depth), SMALL_RATE, 1 - SMALL_RATE)
    if np.any(np.diff(score) >= 0) or not score.min() < 0.5 <= score.max():
        score = 1 - depth
    return written(Items(one.truth.astype(int), score))


@dataclass(frozen=True, eq=False)
class Session:
    """The end of a session: its strata along the ranks, answers, and the true hits at anchors."""

    engine: Engine
    stratum_at: np.ndarray
    anchors: np.ndarray
    answers: Ranked
    hits: np.ndarray

    @classmethod
    def of(cls, engine: Engine, file: Known, size: int) -> Session:
        label_until(engine, file.codes, size)
        answers = ranked(engine)
        positive = file.population.classes.index(file.population.positive)
        stratum_at = engine.frame.stratum[answers.order]
        anchors = anchor_ranks(stratum_at)
        hits = np.cumsum(file.codes[answers.order] == positive)[anchors - 1]
        return cls(engine, stratum_at, anchors, answers, hits.astype(float))

    def labels(self, draws: int) -> RankLabels:
        until = self.answers.until(draws)
        return RankLabels(until.rank, until.verdict)

    def parts(self, draws: int) -> Parts:
        return Parts.of(self.stratum_at, self.anchors, self.labels(draws))

    def width(self, draws: int, critical: float) -> float:
        """Mean width of the band in precision from rank 50 on."""
        band = strata_band(self.stratum_at, self.anchors, self.labels(draws), LEVEL, 0, critical)
        width = (band.high_at_anchors - band.low_at_anchors) / self.anchors
        return float(np.mean(width[self.anchors >= FIRST_RANK]))

    def wrong(self, parts: Parts, critical: float) -> bool:
        """Whether the truth lies outside at an anchor; those where it is near the estimate are left
        out to save time."""
        variances = parts.variances
        variance = variances.sum(axis=1)
        count = np.maximum(parts.labelled, 1)
        rate = np.where(parts.labelled > 0, parts.positive / count, 0.5)
        off = np.abs((parts.size * rate).sum(axis=1) - self.hits)
        noise = (variances**2 / np.maximum(parts.labelled - 1, 1)).sum(axis=1)
        freedom = np.divide(variance**2, noise, out=np.full(len(noise), 4.0), where=noise > 0)
        deviations = off / np.sqrt(np.maximum(variance, 1e-300))
        far = in_normal(deviations, np.maximum(freedom, 4.0)) > NEAR
        places = np.flatnonzero(far & (variance > 0))
        low, high = bounds_of(parts, places, critical)
        few = (parts.size - parts.labelled)[places].sum(axis=1) <= FEW_LEFT
        low, high = np.where(few, np.floor(low), low), np.where(few, np.ceil(high), high)
        truth = self.hits[places]
        return bool(np.any((truth < low - 1e-6) | (truth > high + 1e-6)))


def begun(file: Known, size: int) -> Engine:
    """A watched session of the default method before its first label."""
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], classifier=file.classifier,
                   budget=size, promise="watched")  # fmt: skip
    return beginning(file.population, frozen(file.population, plan, size))


def sessions_of(make: Callable[[], Known], runs: int, size: int = SIZE) -> list[Row]:
    """Shares of sessions that are wrong, and mean widths."""
    file = make()
    first = begun(file, size)
    reach: dict[int, float] = {}
    rows = []
    for run in range(runs):
        one = Session.of(first.redrawn(run), file, size)
        reach = reach or watched_reach(one, size)
        rows.append(session(one, size, reach))
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    return [{"items": len(file.population), "runs": runs,
             "strata": first.frame.n_strata, **means}]  # fmt: skip


def watched_reach(one: Session, size: int) -> dict[int, float]:
    """The standard deviations that a watched band reaches at each look. Sessions of a file differ
    in equal scores alone, which moves them by less than .002; so the first one's serve for all."""
    engine, look = one.engine, look_at(one.engine)
    planned = planned_between(
        engine.design, engine.setup, engine.frame, one.stratum_at, one.anchors
    )
    looks = range(LOOK_EVERY, size + 1, LOOK_EVERY)
    return {draws: critical_of(engine.frame, look, draws, one.anchors, planned) for draws in looks}


def session(one: Session, size: int, reach: dict[int, float]) -> Row:
    """Whether each rule was ever wrong, and how wide its band was."""
    last = one.parts(size)
    once, normal = reach_of(last, LEVEL, 0), float(ndtri((1 + LEVEL) / 2))
    found = {"one": one.wrong(last, once), "points": one.wrong(last, normal)}
    steady = twin = False
    for draws, critical in reach.items():
        parts = one.parts(draws)
        twin = twin or one.wrong(parts, once)
        steady = steady or one.wrong(parts, critical)
    return {
        **found, "steady": steady, "twin": twin, "c": once, "steady c": reach[size],
        "one width": one.width(size, once), "points width": one.width(size, normal),
        "steady width": one.width(size, reach[size]),
        **{f"at {name}": one.width(n, reach[n]) for name, n in parts_of(size).items()},
    }  # fmt: skip


def parts_of(size: int) -> dict[str, int]:
    """The looks nearest below these shares of the labels."""
    return {name: size // part // LOOK_EVERY * LOOK_EVERY for name, part in SHARES.items()}


def numbers_of(make: Callable[[], Known], design: str, runs: int) -> list[Row]:
    """Coverage and width of the numbers of the whole list at the planned size."""
    file = make()
    plan = lc.Plan(design, ["precision", "recall"], classifier=file.classifier, budget=SIZE,
                   promise="fixed")  # fmt: skip
    begun = beginning(file.population, frozen(file.population, plan, SIZE))
    positive = file.population.classes.index(file.population.positive)
    found: dict[tuple[str, bool], list[tuple[float, ...]]] = {
        (name, centred): [] for name in NUMBERS for centred in (True, False)
    }
    for run in range(runs):
        engine = begun.redrawn(run)
        label_until(engine, file.codes, SIZE)
        answers = ranked(engine)
        along = (file.codes[answers.order] == positive).astype(float)
        truth, edges = whole(along), rank_edges(len(along))
        strata = pieces(engine.frame.stratum[answers.order], answers.rank, edges)
        sample = RankedSample.of(strata, answers.rank, answers.verdict)
        for (name, centred), rows in found.items():
            interval = summary_interval(sample, NUMBERS[name], LEVEL, centred=centred)
            rows.append((truth[name], *interval))
    return [
        {"design": design, "number": name, "runs": runs, **summed(np.array(found[name, True])),
         "twin": summed(np.array(found[name, False]))["coverage"]} for name in NUMBERS
    ]  # fmt: skip


def jobs(options: Options) -> dict[str, Job]:
    """The numbers take three fifths of the runs."""
    lists = ["flat"] if options.quick else [*SYNTHETIC, "short"]
    files: dict[str, Callable[[], Known]] = {name: partial(list_as_file, name) for name in lists}
    others = () if options.quick else POPULATIONS
    files |= {name: partial(known, name, None) for name in others}
    found: dict[str, Job] = {
        name: partial(sessions_of, make, options.runs) for name, make in files.items()
    }
    several = max(options.runs * 3 // 5, 1)
    for design in DESIGNS:
        for name in lists:
            found[f"{name} | {design}"] = partial(numbers_of, files[name], design, several)
    return found


def tables(found: Rows, options: Options) -> str:
    rows = {name: part[0] for name, part in found.items() if " | " not in name}
    numbers = {name: part for name, part in found.items() if " | " in name}
    made = section("Synthetic files, on which the rule was fixed", rows)
    return f"{made}\n{of_numbers(numbers)}"


def of_numbers(found: Rows) -> str:
    rows = [{"file": name.split(" | ")[0], **row} for name, part in found.items() for row in part]
    names = ("number", "method", "mean coverage", "least", "mean without the shift", "least")
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["number"], row["design"]), []).append(row)
    means = [
        (*key, *(f"{one:.3f}" for kind in ("coverage", "twin") for one in
                 (np.mean([row[kind] for row in part]), min(row[kind] for row in part))))
        for key, part in groups.items()
    ]  # fmt: skip
    head = table(names, means)
    names = ("file", "number", "method", "truth", "coverage", "without the shift", "all above it",
             "all below it", "width", "in sd", "lean")  # fmt: skip
    cells = table(names, [
        (row["file"], row["number"], row["design"], f"{row['truth']:.3f}",
         *(share(row[kind], row["runs"]) for kind in ("coverage", "twin")),
         f"{row['too high']:.3f}", f"{row['too low']:.3f}", f"{row['width']:.3f}",
         f"{row['in sd']:.1f}", f"{row['lean']:.2f}") for row in rows
    ])  # fmt: skip
    return (
        f"## Average precision and the area under the ROC curve\n\n{OF_NUMBERS}\n\n{head}\n{cells}"
    )


def share(found: float, runs: int) -> str:
    return f"{found:.3f} ± {np.sqrt(found * (1 - found) / runs):.3f}"


KINDS = {"one": "at the planned size", "points": "each rank by itself",
         "steady": "every fifth label", "twin": "twin"}  # fmt: skip


WIDTHS = ("points", "one", "steady")


def section(title: str, rows: dict[str, Row]) -> str:
    lines = []
    for name, row in rows.items():
        factors = [(row[f"{kind} width"] / row[f"{beside} width"]) ** 2
                   for kind, beside in (("one", "points"), ("steady", "one"))]  # fmt: skip
        row["factors"] = factors
        lines.append((name, f"{row['items']:,}", row["strata"],
                      *(percent(row[k], row["runs"]) for k in KINDS),
                      *(f"{100 * row[f'{kind} width']:.1f}" for kind in WIDTHS),
                      *(f"{one:.2f}" for one in factors),
                      *(f"{100 * row[f'at {n}']:.0f}" for n in SHARES)))  # fmt: skip
    sessions = sum(row["runs"] for row in rows.values())
    shares = [float(np.mean([row[kind] for row in rows.values()])) for kind in KINDS]
    factors = np.mean([row["factors"] for row in rows.values()], axis=0)
    lines.append(("all", "", "", *(percent(share, sessions) for share in shares), "", "", "",
                  *(f"{one:.2f}" for one in factors), *("" for _ in SHARES)))  # fmt: skip
    names = ("file", "items", "strata", *KINDS.values(), "width, each rank by itself",
             "width, planned size", "width, every fifth", "labels, all ranks together",
             "labels, every fifth", *(f"width at {n}" for n in SHARES))  # fmt: skip
    return f"## {title}\n\n{WORDS}\n\n{table(names, lines)}"


WORDS = (
    "Sessions wrong at any rank, in %, with the standard error. Widths of the precision in points, "
    f"means over the anchors from rank {FIRST_RANK} on, at the planned size or while watched after "
    "so many labels; labels: squared ratio of the width to that of each rank by itself, and of the "
    "watched width to that of one look."
)
OF_NUMBERS = (
    f"At the planned size, {SIZE} labels: by the default method and by a plain random sample. "
    "Coverage with its standard error; beside it, as the twin, without the shift of the end on the "
    "side of the value. In sd: the width over 3.92 standard deviations of the estimate."
)
HEAD = f"""# Curves of the default method

{MADE}

Recalibrated Neyman, {SIZE} labels, confidence 95 %: the band along the ranks from its own draws,
for all ranks together (`labelcore/stats/strata_band.py`), once at the planned size and watched with
a look after every fifth label.

- At the planned size it is wrong somewhere in 2.6 % of the sessions of fourteen synthetic files, of
  5 % allowed; no file above 9 %, with a standard error of three points.
- Watched, it is ever wrong in 1.9 % of the sessions, no file above 5 %. It takes 1.1 to 1.6 times
  the labels of one look.
- All ranks together cost 2.0 to 3.9 times the labels of one rank that was chosen beforehand. The
  twins show that they have to be paid for: the intervals of single ranks, read together, are wrong
  somewhere in up to 44 % of the sessions; the band of one look, looked at all the way, in up to
  24 %.
- On eight real files, 100 sessions each, with strata cut at what the other classifiers say, it is
  wrong in 0.5 % of the sessions at the planned size and ever wrong in 0.25 % watched; the single
  ranks read together in 18 %, up to 38 %. 150 labels, answers taken back and sessions extended,
  from few sessions: [default_curves_real.md](default_curves_real.md).
- At the planned size the intervals of average precision and the area under the ROC curve hold in
  .976 and .961 of the runs of the default method in the mean over nine synthetic lists, in .961 and
  .952 of a plain sample's; no list below .93 beyond its noise of about .035. Without the shift
  average precision of the steep list holds in .70: the region lies around a number that leans where
  nearly all items of the head are hits. On two real files the default's were measured without the
  shift, which only widens them ([ranked_summaries.md](ranked_summaries.md)). While watched they are
  not measured, and refused.
- Near the head, where the method has few labels, the band is wide: for a whole curve geometric
  strata take fewer labels ([watched_curves.md](watched_curves.md)).

"""

BENCHMARK = Benchmark(
    name="default_curves", about=__doc__ or "", jobs=jobs, tables=tables, runs=150, quick_runs=3,
    page="default_curves.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
