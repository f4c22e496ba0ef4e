"""Beyond the paper's tables: few counts, public files, every look, waves."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from plotly.graph_objects import Bar, Figure, Scatter
from plotly.subplots import make_subplots

import labelcore as lc
from benchmarks.papers.oversampling_coverage import every_outcome, inside
from benchmarks.papers.oversampling_printed import printed_recall
from benchmarks.real_files import FILES
from labelcore.designs.base import Look, Setup
from labelcore.estimands import SCALARS, ratios
from labelcore.papers.oversampling.design import Oversampling
from labelcore.papers.oversampling.groups import Counts, live_sizes, recall_of
from labelcore.papers.oversampling.intervals import (
    INTERVALS,
    Groups,
    Limits,
    Pair,
    bayes_intervals,
    bootstrap_intervals,
    monte_carlo_intervals,
    normal_intervals,
)
from labelcore.papers.oversampling.monitoring import Wave, monitor
from labelcore.planning.truth import true_codes
from labelcore.stats.profile import Cells
from labelcore.stats.sequences import finite_sequence

RUNS, PROFILE_RUNS, REPLICAS, SEED = 1000, 400, 1000, 42
MISSED = (0.1, 0.3, 1, 2, 3, 5, 10, 20)


def few_counts() -> pd.DataFrame:
    """The least exact coverage of recall over 3 sizes of each group and 4 precisions, by the
    number of missed positives expected among the labels."""
    rows = []
    k = 0.05
    for missed in MISSED:
        least = {"equation 4 as printed": 1.0, "with the rules for few": 1.0, "posterior": 1.0}
        for n_1, pi_1, n_0 in itertools.product(
            (30, 100, 250), (0.5, 0.8, 0.9, 0.97), (70, 270, 2000)
        ):
            counts, chance = every_outcome(n_1, n_0, pi_1, missed / n_0)
            recall = float(recall_of(k, pi_1, missed / n_0))
            with np.errstate(all="ignore"):
                printed = printed_recall(counts, k, 0.95)
            groups = Groups.of_ratio(k)
            limits = (
                printed,
                normal_intervals(counts, groups, 0.95).recall,
                bayes_intervals(counts, groups, 0.95).recall,
            )
            for name, (low, high) in zip(least, limits, strict=True):
                held = (low <= recall + 1e-12) & (recall - 1e-12 <= high)
                least[name] = min(least[name], float((chance * held).sum()))
        shares = {name: round(100 * share, 1) for name, share in least.items()}
        rows.append({"missed positives expected": missed, **shares})
    return pd.DataFrame(rows)


# --- public files --------------------------------------------------------------------------------


def run_files(data: Path) -> pd.DataFrame:
    """Coverage and width of the four intervals on every classifier, planned by its scores."""
    rows = []
    for file in FILES:
        population = file.population(data)
        positive = population.classes.index(population.positive)
        truth = true_codes(population, "true_label") == positive
        for classifier, labels in itertools.product(file.classifiers, (300, 1000)):
            above = population.predictions[classifier] == positive
            plan = lc.Plan(
                "oversampling", ["precision", "recall"], classifier=classifier, budget=labels,
                promise="fixed",
            )  # fmt: skip
            derived = lc.preview(population, plan).derived
            rows += _file_rows(
                {"file": file.name.split(".")[0], "classifier": classifier, "labels": labels},
                truth, above, derived["n_1"], derived["n_0"],
            )  # fmt: skip
    return pd.DataFrame(rows)


def _file_rows(
    names: dict[str, object], truth: np.ndarray, above: np.ndarray, n_1: int, n_0: int
) -> list[dict[str, object]]:
    rng = np.random.default_rng(SEED)
    groups = Groups(float(above.sum()), float((~above).sum()))
    hits, missed = int((truth & above).sum()), int((truth & ~above).sum())
    tp = rng.hypergeometric(hits, int(groups.above) - hits, n_1, RUNS)
    fn = rng.hypergeometric(missed, int(groups.below) - missed, n_0, RUNS)
    counts = Counts.of(tp, n_1 - tp, fn, n_0 - fn)
    pairs: dict[str, Pair] = {
        "normal": normal_intervals(counts, groups, 0.95),
        "bootstrap": bootstrap_intervals(counts, groups, 0.95, rng, REPLICAS),
        "bayes": bayes_intervals(counts, groups, 0.95),
        "monte_carlo": monte_carlo_intervals(counts, groups, 0.95, rng, replicas=REPLICAS),
    }
    assert set(pairs) == set(INTERVALS)
    pairs["profile"] = _profile(tp[:PROFILE_RUNS], fn[:PROFILE_RUNS], groups, n_1, n_0)
    true = {"precision": hits / groups.above, "recall": hits / (hits + missed)}
    found = []
    for interval, pair in pairs.items():
        row: dict[str, object] = {**names, "n_1": n_1, "n_0": n_0, "interval": interval}
        for quantity in true:
            limits: Limits = getattr(pair, quantity)
            row[f"{quantity} coverage"] = round(100 * inside(limits, true[quantity]), 1)
            row[f"{quantity} width"] = round(100 * float(np.mean(limits[1] - limits[0])), 1)
        found.append(row)
    return found


def _profile(tp: np.ndarray, fn: np.ndarray, groups: Groups, n_1: int, n_0: int) -> Pair:
    """The G-profile over both groups, for the first 400 of the samples."""
    design, rows = Oversampling(), [SCALARS["precision"], SCALARS["recall"]]
    setup = Setup(None, None, (), design.Params(interval="profile"), 0, n_1 + n_0)  # type: ignore[arg-type]
    look = Look(0.95, "fixed", n_1 + n_0, n_1 + n_0, "file", 2, setup=setup)
    sizes, labels = np.array([groups.above, groups.below]), np.array([n_1, n_0], dtype=float)
    found = []
    for hits in np.array([tp, fn], dtype=float).T:
        cells = Cells(sizes, labels, hits, np.array([True, False]))
        made = design.estimate(rows, cells, look, None)
        found.append((made.low, made.high))
    low, high = np.array(found).transpose(1, 2, 0)
    return Pair((low[0], high[0]), (low[1], high[1]))


def stand_in_values(files: pd.DataFrame) -> dict[str, float]:
    """The least coverage of each interval over the files."""
    return {
        f"stand_in.{interval}.{quantity}": float(part[f"{quantity} coverage"].min())
        for interval, part in files[files["interval"] != "profile"].groupby("interval")
        for quantity in ("precision", "recall")
    }


# --- every look ----------------------------------------------------------------------------------

WATCHED = (  # items above and below, precision, recall, labels, ratio
    (994, 16_757, 0.742, 0.786, 1000, 2.0),
    (1_000, 19_000, 0.97, 0.99, 600, 1.0),
    (300, 3_000, 0.9, 0.9, 300, 2.0),
)
SESSIONS, LOOKS = 200, 25
ALARM_RUNS, DRIFT_RUNS = 1000, 200
STEADY = (  # labels above and below, rates of positives
    (100, 400, 0.9, 0.005),
    (100, 400, 0.85, 0.02),
    (30, 270, 0.5, 0.004),
    (200, 800, 0.8, 0.04),
)
NAMES = ("recall", "f1", "accuracy")


def watched_sessions() -> pd.DataFrame:
    """Sessions in which an interval looked at 25 times ever misses, and widths at the end: the
    design's band, the strict form (a sequence per group), fixed intervals watched."""
    rows = []
    for place, (above, below, precision, recall, labels, ratio) in enumerate(WATCHED):
        rng = np.random.default_rng([SEED, place])
        hits = round(above * precision)
        missed = round(hits * (1 / recall - 1))
        found = [
            _watched(rng, (above, below), (hits, missed), labels, ratio) for _ in range(SESSIONS)
        ]
        for pair in itertools.product(("band", "strict", "fixed"), NAMES):
            rows.append(
                {
                    "predicted positives": above, "others": below, "precision": precision,
                    "recall": recall, "labels": labels, "interval": pair[0], "quantity": pair[1],
                    "ever missed, %": 100 * float(np.mean([one[0][pair] for one in found])),
                    "width, points": 100 * float(np.mean([one[1][pair] for one in found])),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


Key = tuple[str, str]


def _watched(
    rng: np.random.Generator,
    sizes: tuple[int, int],
    positives: tuple[int, int],
    labels: int,
    ratio: float,
) -> tuple[dict[Key, bool], dict[Key, float]]:
    """Whether each interval ever missed in one session, and its last width."""
    planned = live_sizes(labels, *sizes, ratio)
    order = rng.permutation(np.repeat([0, 1], [planned.above, planned.below]))
    drawn = [np.append(0, np.cumsum(order == group)) for group in (0, 1)]
    seen = [
        np.append(0, np.cumsum(rng.permutation(np.arange(size) < hits)[:number]))
        for size, hits, number in zip(sizes, positives, (planned.above, planned.below), strict=True)
    ]
    true = _true_values(sizes, positives)
    missed: dict[Key, bool] = {}
    widths: dict[Key, float] = {}
    rows, design = [SCALARS[name] for name in NAMES], Oversampling()
    for look in np.unique(np.geomspace(max(40, labels // 10), labels, LOOKS).astype(int)):
        number = np.array([float(one[look]) for one in drawn])
        hits = np.array([float(one[int(n)]) for one, n in zip(seen, number, strict=True)])
        cells = Cells(np.array(sizes, dtype=float), number, hits, np.array([True, False]))
        ends = {"strict": _corners(cells, NAMES)}
        for name, promise in (("band", "watched"), ("fixed", "fixed")):
            made = design.estimate(rows, cells, Look(0.95, promise, look, labels, "file", 2), None)
            ends[name] = list(zip(made.low, made.high, strict=True))
        for name, limits in ends.items():
            for quantity, (low, high) in zip(NAMES, limits, strict=True):
                outside = not low - 1e-9 <= true[quantity] <= high + 1e-9
                missed[name, quantity] = missed.get((name, quantity), False) or outside
                widths[name, quantity] = float(high - low)
    return missed, widths


def _true_values(sizes: tuple[int, int], positives: tuple[int, int]) -> dict[str, float]:
    cells = Cells(np.array(sizes, dtype=float), np.zeros(2), np.zeros(2), np.array([True, False]))
    table = ratios([SCALARS[name] for name in NAMES], cells)
    return dict(zip(NAMES, table.value(np.array(positives, dtype=float)), strict=True))


def _corners(cells: Cells, names: tuple[str, ...]) -> list[tuple[float, float]]:
    """The strict form: each group's sequence at half the error level, the worst corners."""
    ends = [
        finite_sequence(s, n, size, 0.025)
        for s, n, size in zip(cells.positive, cells.labelled, cells.size, strict=True)
    ]
    table = ratios([SCALARS[name] for name in names], cells)
    found = np.array([table.value(np.array(corner)) for corner in itertools.product(*ends)])
    return list(zip(np.nanmin(found, axis=0), np.nanmax(found, axis=0), strict=True))


# --- waves ---------------------------------------------------------------------------------------


def alarm_rates() -> pd.DataFrame:
    """Runs of five waves with an alarm: while nothing changes, and when the last one is worse."""
    rows = []
    for n_1, n_0, pi_1, pi_0 in STEADY:
        last = {
            "nothing": (pi_1, pi_0),
            "precision": (pi_1 - 0.2, pi_0),
            "misses": (pi_1, 4 * pi_0),
        }
        row: dict[str, object] = {
            "labels above": n_1, "below": n_0, "rate above": pi_1, "rate below": pi_0,
        }  # fmt: skip
        for changed, rates in last.items():
            rng = np.random.default_rng(SEED)
            found = [
                monitor(_waves(rng, [(pi_1, pi_0)] * 4 + [rates], n_1, n_0)).alarm
                for _ in range(ALARM_RUNS if changed == "nothing" else DRIFT_RUNS)
            ]
            words = "worse by 20 points" if changed == "precision" else "times 4"
            words = "alarms, %" if changed == "nothing" else f"with {changed} {words}, %"
            row[words] = round(100 * float(np.mean(found)), 1)
        rows.append(row)
    return pd.DataFrame(rows)


def _waves(
    rng: np.random.Generator, rates: list[tuple[float, float]], n_1: int, n_0: int
) -> list[Wave]:
    """Waves of so many labels with these rates of the two groups."""
    waves = []
    for number, (pi_1, pi_0) in enumerate(rates, start=1):
        tp, fn = int(rng.binomial(n_1, pi_1)), int(rng.binomial(n_0, pi_0))
        waves.append(Wave(f"wave {number}", tp, n_1 - tp, fn, n_0 - fn, above=5_000, below=95_000))
    return waves


def example_waves() -> list[Wave]:
    """Eight waves of 1,000 labels; from the sixth on precision has fallen from .85 to .68."""
    rates = [(0.85, 0.02)] * 5 + [(0.68, 0.02)] * 3
    return _waves(np.random.default_rng(7), rates, 200, 800)


def monitoring_figure() -> Figure:
    table = monitor(example_waves()).to_frame()
    figure = make_subplots(cols=2, subplot_titles=("precision", "recall"))
    for col, quantity in enumerate(("precision", "recall"), start=1):
        part = table[table["estimand"] == quantity]
        expected = part.dropna(subset="expected_low")
        figure.add_trace(
            Bar(
                x=expected["wave"].str.removeprefix("wave "), base=100 * expected["expected_low"],
                y=100 * (expected["expected_high"] - expected["expected_low"]), width=0.35,
                name="expected", showlegend=col == 1, marker={"color": "#56B4E9"},
            ),
            row=1, col=col,
        )  # fmt: skip
        for alarm, name, colour, symbol in (
            (False, "as expected", "#000000", "circle"),
            (True, "alarm", "#D55E00", "x"),
        ):
            chosen = part[part["alarm"] == alarm]
            figure.add_trace(
                Scatter(
                    x=chosen["wave"].str.removeprefix("wave "), y=100 * chosen["observed"],
                    mode="markers", name=name, showlegend=col == 1,
                    marker={"color": colour, "symbol": symbol, "size": 10},
                ),
                row=1, col=col,
            )  # fmt: skip
    order = [str(number) for number in range(1, 9)]
    figure.update_xaxes(title="wave", categoryorder="array", categoryarray=order)
    figure.update_yaxes(title="estimate of the wave, %", col=1)
    figure.update_layout(
        title="Precision falls from the sixth wave on: an alarm, then a new start",
        legend={"orientation": "h", "y": -0.2},
    )
    return figure
