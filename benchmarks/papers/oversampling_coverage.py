"""Table 3 of Shang et al.: coverage of eight intervals in twelve settings."""

import csv
from dataclasses import dataclass

import numpy as np
import pandas as pd
from plotly.graph_objects import Figure, Scatter
from scipy.stats import binom

from benchmarks.papers.oversampling_printed import (
    monte_carlo_predictive,
    predictive,
    printed_bootstrap,
    printed_precision,
    printed_recall,
    printed_recall_linear,
)
from benchmarks.papers.verdicts import EXPECTED
from labelcore.papers.oversampling.groups import (
    Counts,
    group_rates,
    group_sizes,
    recall_of,
    with_jeffreys,
)
from labelcore.papers.oversampling.intervals import Limits, Pair

RUNS, REPLICAS, PIECE, SEED = 4000, 1000, 250, 20230425
PRECISION = 0.9
SETTINGS = [
    (total, inverse, recall, ratio)
    for total, inverse in ((5000, 20), (10_000, 100))
    for ratio in (1, 2, 5)
    for recall in (0.9, 0.7)
]
METHODS = ("freq_normal", "freq_bootstrap", "bayes_normal", "bayes_monte_carlo")
COLUMNS = tuple(f"{method}_{name}" for name in ("precision", "recall") for method in METHODS)
ROUNDING = 1e-9
EMPTY = (
    "In {number} of {total:,} samples of table 3 no missed positive was found; equations 4, 7 and "
    "algorithm 2 have no interval there. Counted as not covered by equation 4; Jeffreys' 1/2 was "
    "added for the predictive ones."
)


@dataclass(frozen=True)
class Table3:
    """covered   {setting key: {column: coverage in %}}; widths: {setting: {method: mean width}}"""

    covered: dict[str, dict[str, float]]
    widths: dict[str, dict[str, float]]
    note: str


def key(inverse: int, recall: float, ratio: int) -> str:
    return f"table3.k{inverse}.recall{round(100 * recall)}.s{ratio}"


def published() -> dict[str, float]:
    """The printed numbers, from the table of expected values."""
    with (EXPECTED / "oversampling.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["key"].startswith("table3.k")]
    return {row["key"]: float(row["published"]) for row in rows}


def run_table3(runs: int) -> Table3:
    covered: dict[str, dict[str, float]] = {}
    widths: dict[str, dict[str, float]] = {}
    empty = 0
    for place, (total, inverse, recall, ratio) in enumerate(SETTINGS):
        rng = np.random.default_rng([SEED, place])
        pieces = [_piece(rng, total, 1 / inverse, recall, ratio) for _ in range(runs // PIECE)]
        name = key(inverse, recall, ratio)
        covered[name] = {one: 100 * float(np.mean([p[0][one] for p in pieces])) for one in COLUMNS}
        widths[name] = {one: float(np.mean([p[1][one] for p in pieces])) for one in COLUMNS}
        empty += sum(p[2] for p in pieces)
    note = EMPTY.format(number=empty, total=runs * len(SETTINGS)) if empty else ""
    return Table3(covered, widths, note)


def _piece(
    rng: np.random.Generator, total: int, k: float, recall: float, ratio: int
) -> tuple[dict[str, float], dict[str, float], int]:
    """Coverage and mean width of each column in 250 samples, and the samples without a missed
    positive. The credible intervals are asked for the estimates of a second sample."""
    rates = group_rates(k, PRECISION, recall)
    sizes = group_sizes(total, k, ratio)
    n_1, n_0 = sizes.above, sizes.below

    def sample() -> Counts:
        tp, fn = rng.binomial(n_1, rates[0], PIECE), rng.binomial(n_0, rates[1], PIECE)
        return Counts.of(tp, n_1 - tp, fn, n_0 - fn)

    first, second = sample(), sample()
    seen = with_jeffreys(first)
    next_rates = second.rates()
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = Pair(printed_precision(first, 0.95), printed_recall(first, k, 0.95))
    pairs = {
        "freq_normal": normal,
        "freq_bootstrap": printed_bootstrap(first, k, 0.95, rng, REPLICAS),
        "bayes_normal": predictive(seen, k, n_1, n_0, 0.95),
        "bayes_monte_carlo": monte_carlo_predictive(seen, k, n_1, n_0, 0.95, rng, REPLICAS),
    }
    covered, widths = {}, {}
    for method, pair in pairs.items():
        ahead = method.startswith("bayes")
        for name, limits, true, following in (
            ("precision", pair.precision, rates[0], next_rates[0]),
            ("recall", pair.recall, recall, recall_of(k, *next_rates)),
        ):
            covered[f"{method}_{name}"] = inside(limits, following if ahead else true)
            widths[f"{method}_{name}"] = float(np.nanmean(limits[1] - limits[0]))
    return covered, widths, int(np.sum(first.false_negative == 0))


def inside(limits: Limits, value: np.ndarray | float) -> float:
    """The share of intervals that hold the value, both ends included."""
    low, high = limits
    return float(np.mean((low <= value + ROUNDING) & (value - ROUNDING <= high)))


def exact_values(*, only_normal: bool) -> dict[str, float]:
    """Coverage of equations 3, 4 and 5 by summing up every outcome: which of 4 and 5 is closer to
    95 %, and, with ``only_normal``, the cells of table 3 that need no drawing."""
    found: dict[str, float] = {}
    closer = 0
    for total, inverse, recall, ratio in SETTINGS:
        k = 1 / inverse
        rates, sizes = group_rates(k, PRECISION, recall), group_sizes(total, k, ratio)
        counts, chance = every_outcome(sizes.above, sizes.below, *rates)
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = {
                "precision": (printed_precision(counts, 0.95), PRECISION),
                "recall": (printed_recall(counts, k, 0.95), recall),
                "linear": (printed_recall_linear(counts, k, 0.95), recall),
            }
        exact = {
            name: 100 * float((chance * ((low <= true) & (true <= high))).sum())
            for name, ((low, high), true) in limits.items()
        }
        closer += abs(exact["recall"] - 95) < abs(exact["linear"] - 95)
        if only_normal:
            name = key(inverse, recall, ratio)
            found[f"{name}.freq_normal_precision"] = exact["precision"]
            found[f"{name}.freq_normal_recall"] = exact["recall"]
    return {**found, "section3.eq4_better": closer / len(SETTINGS)}


def every_outcome(n_1: int, n_0: int, pi_1: float, pi_0: float) -> tuple[Counts, np.ndarray]:
    """All counts with a chance above 1e-9, and their chances, both (n_above, n_below)."""

    def likely(size: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
        low, high = binom.ppf([1e-9, 1 - 1e-9], size, rate)
        hits = np.arange(low, high + 1)
        return hits, binom.pmf(hits, size, rate)

    (tp, one), (fn, other) = likely(n_1, pi_1), likely(n_0, pi_0)
    found, missed = np.meshgrid(tp, fn, indexing="ij")
    chance = np.outer(one, other)
    return Counts.of(found, n_1 - found, missed, n_0 - missed), chance / chance.sum()


def table3_values(found: Table3) -> dict[str, float]:
    ours = {f"{row}.{col}": one for row, cols in found.covered.items() for col, one in cols.items()}
    printed = published()
    apart = np.array([ours[name] - printed[name] for name in printed])
    wider = [
        cols[f"bayes_{kind}_{name}"] > cols[f"freq_{other}_{name}"]
        for cols in found.widths.values()
        for kind, other in (("normal", "normal"), ("monte_carlo", "bootstrap"))
        for name in ("precision", "recall")
    ]
    ratio = [
        cols["bayes_normal_precision"] / cols["freq_normal_precision"]
        for cols in found.widths.values()
    ]
    return {
        **ours,
        "table3.root_mean_square": float(np.sqrt(np.mean(apart**2))),
        "table3.mean_difference": float(apart.mean()),
        "table3.bayes_wider": float(all(wider)),
        "table3.width_ratio": float(np.mean(ratio)),
    }


def table3(found: Table3) -> pd.DataFrame:
    printed = published()
    rows = []
    for (total, inverse, recall, ratio), (row, cols) in zip(
        SETTINGS, found.covered.items(), strict=True
    ):
        cells = {
            name.replace("_", " "): f"{printed[f'{row}.{name}']:.1f} / {cols[name]:.1f}"
            for name in COLUMNS
        }
        rows.append({"v": total, "1/k": inverse, "recall": recall, "s": ratio, **cells})
    return pd.DataFrame(rows)


def difference_figure(found: Table3) -> Figure:
    """Paper against ours, a point per cell, with the noise of the paper's 1,000 samples."""
    printed = published()
    figure = Figure()
    for colour, symbol, method in zip(
        ("#0072B2", "#E69F00", "#009E73", "#CC79A7"),
        ("circle", "square", "diamond", "cross"),
        METHODS,
        strict=True,
    ):
        names = [
            f"{row}.{method}_{quantity}"
            for row in found.covered
            for quantity in ("precision", "recall")
        ]
        ours = [found.covered[row][col] for row, col in (one.rsplit(".", 1) for one in names)]
        figure.add_trace(
            Scatter(
                x=ours, y=[printed[name] for name in names], mode="markers",
                name=method.replace("_", " "),
                marker={"color": colour, "symbol": symbol, "size": 8},
            )
        )  # fmt: skip
    ends = np.array([91.5, 97.0])
    for shift in (0.0, -1.4, 1.4):
        dash = "solid" if shift == 0 else "dot"
        figure.add_trace(
            Scatter(
                x=ends, y=ends + shift, mode="lines", showlegend=False,
                line={"color": "#999999", "dash": dash},
            )
        )  # fmt: skip
    figure.update_layout(
        title="Table 3: the paper's coverage lies around ours, as its 1,000 samples let it",
        xaxis_title="coverage in 4,000 samples of ours, %",
        yaxis_title="coverage printed, %",
        legend={"orientation": "h", "y": -0.2},
    )
    return figure
