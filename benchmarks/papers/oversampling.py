"""Shang, Langlois, Tsioutsiouliklis and Kang: every number that can be run.

    python -m benchmarks.papers --only oversampling [--quick]

Closed forms (table 1, table 4, section 3.3.3, figures 1 to 3) stand here; table 3 in
oversampling_coverage.py; public files in oversampling_files.py.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from plotly.graph_objects import Figure, Scatter
from plotly.subplots import make_subplots
from scipy.optimize import minimize_scalar

from benchmarks.papers.outcome import Outcome
from benchmarks.papers.oversampling_coverage import (
    RUNS,
    SETTINGS,
    difference_figure,
    exact_values,
    run_table3,
    table3,
    table3_values,
)
from benchmarks.papers.oversampling_files import run_files, stand_in_values
from benchmarks.papers.oversampling_printed import (
    predictive,
    printed_precision,
    printed_recall,
    printed_recall_linear,
)
from labelcore.papers.oversampling.groups import (
    Counts,
    Sizes,
    expected_margins,
    group_rates,
    group_sizes,
    optimal_ratio,
    optimal_ratio_from_counts,
    recall_of,
    sizes_for_margin,
    unrounded_sizes,
    used_ratio,
)
from labelcore.papers.oversampling.intervals import Limits
from labelcore.stats.proportion import wald

COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7")
K, PRECISION, RECALL = 0.033, 0.863, 0.561
WEIGHTS = (5, 10, 100)
CLASSIFIERS = {1: (0.79, 0.67, 0.046), 2: (0.86, 0.56, 0.033), 3: (0.90, 0.66, 0.458)}
RATIOS = np.linspace(1, 5, 161)
Widths = Callable[[float], tuple[float, float]]
NO_FILES = "The public files were not run: {path} is not there."


def run(quick: bool, data: Path = Path("../shared/data")) -> Outcome:
    """All numbers; ``quick`` leaves out those that need drawing."""
    values = {**table1(), **example(), **table4(), **figure1(), **figure2(), **figure3()}
    values |= {**rounding(), **exact_values(only_normal=quick)}
    figures = {
        "figure1": width_figure(
            example_widths(),
            "Figure 1: over-sampling narrows precision, hardly recall (5,000 labels)",
        ),
        "figure2": width_figure(
            classifier_widths(10_000),
            "Figure 2: the same for the three classifiers (10,000 labels)",
        ),
        "figure3": ratio_figure(),
    }
    if quick:
        return Outcome(values, figures)
    found = run_table3(RUNS)
    values |= table3_values(found)
    tables = {
        "Table 3, paper / ours (coverage, %)": table3(found),
    }
    figures["coverage"] = difference_figure(found)
    notes = [found.note] if found.note else []
    if (data / "product_pairs.parquet").exists():
        files = run_files(data)
        values |= stand_in_values(files)
        tables["Public files in place of the mail (coverage %, width in points)"] = files
    else:
        notes.append(NO_FILES.format(path=data))
    return Outcome(values, figures, tables, notes)


def width(limits: Limits) -> float:
    return float(limits[1] - limits[0])


def table1() -> dict[str, float]:
    """138, 22, 108 and 4,732 of a plain random sample of 5,000."""
    found = {}
    for name, trials in (("precision", 160), ("recall", 246)):
        low, high = wald(138, trials, 0.95)
        found[f"table1.{name}"] = 100 * 138 / trials
        found[f"table1.{name}_margin"] = 50 * float(high - low)
    return found


def zeta(weight: float) -> Counts:
    """Section 3.3.3: weights that match precision and recall in the mean."""
    pi_1, pi_0 = group_rates(K, PRECISION, RECALL)
    above, below = 100 * weight, 100 * weight / K
    return Counts.of(above * pi_1, above * (1 - pi_1), below * pi_0, below * (1 - pi_0))


def example() -> dict[str, float]:
    """The mail classifier of section 3.3.3."""
    pi_1, pi_0 = group_rates(K, PRECISION, RECALL)
    one = zeta(1)
    return {
        "example.k": 160 / 4840,
        "example.pi_1": pi_1,
        "example.pi_0": pi_0,
        "example.s_star": optimal_ratio(K, pi_1, pi_0),
        "example.zeta_fn": float(one.false_negative),
        "example.zeta_tn": float(one.true_negative),
        **{
            f"example.s_star_w{weight}": optimal_ratio_from_counts(K, zeta(weight))
            for weight in WEIGHTS
        },
    }


def table4() -> dict[str, float]:
    """Ratios and sizes for a margin of 5 points on both."""
    found: dict[str, float] = {}
    for row, (precision, recall, k) in CLASSIFIERS.items():
        rates = group_rates(k, precision, recall)
        ratio = used_ratio(optimal_ratio(k, *rates))
        sizes: Sizes = sizes_for_margin(k, *rates, 0.05, ratio=round(ratio, 2))
        found |= {
            f"table4.row{row}.pi_0": rates[1], f"table4.row{row}.ratio": ratio,
            f"table4.row{row}.n_1": sizes.above, f"table4.row{row}.n_0": sizes.below,
            f"table4.row{row}.total": sizes.total,
        }  # fmt: skip
    precision, recall, k = CLASSIFIERS[1]
    margins = expected_margins(k, *group_rates(k, precision, recall), 307, 4410)
    found["table4.row1.precision_met"] = float(margins.precision <= 0.05)
    return found


# --- figures -------------------------------------------------------------------------------------


def expected_counts(k: float, pi_1: float, pi_0: float, total: float, ratio: float) -> Counts:
    n_1, n_0 = unrounded_sizes(total, k, ratio)
    return Counts.of(n_1 * pi_1, n_1 * (1 - pi_1), n_0 * pi_0, n_0 * (1 - pi_0))


def example_widths(total: float = 5000) -> dict[str, Widths]:
    """Widths for precision and recall by the ratio: equations 3 and 4, and 6 to 8 for each w."""
    rates = group_rates(K, PRECISION, RECALL)

    def confidence(ratio: float) -> tuple[float, float]:
        seen = expected_counts(K, *rates, total, ratio)
        return width(printed_precision(seen, 0.95)), width(printed_recall(seen, K, 0.95))

    def credible(weight: float) -> Widths:
        def widths(ratio: float) -> tuple[float, float]:
            pair = predictive(zeta(weight), K, *unrounded_sizes(total, K, ratio), 0.95)
            return width(pair.precision), width(pair.recall)

        return widths

    found: dict[str, Widths] = {"confidence": confidence}
    return found | {f"credible, w = {weight}": credible(weight) for weight in reversed(WEIGHTS)}


def classifier_widths(total: float) -> dict[str, Widths]:
    """Equations 3 and 5 for the three classifiers of table 4."""

    def of(precision: float, recall: float, k: float) -> Widths:
        def widths(ratio: float) -> tuple[float, float]:
            seen = expected_counts(k, *group_rates(k, precision, recall), total, ratio)
            return (
                width(printed_precision(seen, 0.95)),
                width(printed_recall_linear(seen, k, 0.95)),
            )

        return widths

    return {f"classifier {row}": of(*given) for row, given in CLASSIFIERS.items()}


def along(curves: dict[str, Widths]) -> np.ndarray:
    """(n_curves, n_ratios, 2): widths of precision and recall."""
    return np.array([[widths(ratio) for ratio in RATIOS] for widths in curves.values()])


def least_at(widths: Widths) -> float:
    """The ratio from 1 to 5 at which recall's width is least."""
    found = minimize_scalar(
        lambda ratio: widths(ratio)[1], bounds=(1, 5), method="bounded", options={"xatol": 1e-7}
    )
    return 1.0 if widths(1.0)[1] <= found.fun else float(found.x)


def figure1() -> dict[str, float]:
    curves = example_widths()
    widths = along(curves)
    wanted = [optimal_ratio(K, *group_rates(K, PRECISION, RECALL))]
    wanted += [optimal_ratio_from_counts(K, zeta(weight)) for weight in reversed(WEIGHTS)]
    apart = [abs(least_at(one) - best) for one, best in zip(curves.values(), wanted, strict=True)]
    return {
        "figure1.precision_falls": float(np.all(np.diff(widths[:, :, 0], axis=1) < 0)),
        "figure1.recall_at_s_star": max(apart),
        "figure1.bayes_wider": float(np.all(widths[1:] > widths[0])),
        "figure1.larger_w_closer": float(np.all(np.diff(widths[1:], axis=0) > 0)),
    }


def figure2() -> dict[str, float]:
    curves = classifier_widths(10_000)
    widths, larger = along(curves), along(classifier_widths(40_000))
    wanted = [
        used_ratio(optimal_ratio(k, *group_rates(k, precision, recall)))
        for precision, recall, k in CLASSIFIERS.values()
    ]
    apart = [abs(least_at(one) - best) for one, best in zip(curves.values(), wanted, strict=True)]
    gain = widths[:, -1, 0] / widths[:, 0, 0]
    return {
        "figure2.precision_falls": float(np.all(np.diff(widths[:, :, 0], axis=1) < 0)),
        "figure2.recall_at_s_star": max(apart),
        "figure2.width_and_size": float(np.abs(larger / widths - 0.5).max()),
        "figure2.gain_precision_1": float(gain[0]),
        "figure2.gain_precision_2": float(gain[1]),
    }


IMBALANCE = np.linspace(5, 200, 118)
RECALLS, PRECISIONS = (0.5, 0.6, 0.7, 0.8, 0.9), (0.5, 0.6, 0.7, 0.8, 0.9)


def ratios_by_imbalance() -> tuple[np.ndarray, np.ndarray]:
    """s* along 1/k: for the recalls at precision .9, for the precisions at recall .8."""

    def along_k(precision: float, recall: float) -> list[float]:
        return [optimal_ratio(1 / x, *group_rates(1 / x, precision, recall)) for x in IMBALANCE]

    return (
        np.array([along_k(0.9, recall) for recall in RECALLS]),
        np.array([along_k(precision, 0.8) for precision in PRECISIONS]),
    )


def figure3() -> dict[str, float]:
    by_recall, by_precision = ratios_by_imbalance()
    both = np.concatenate([by_recall, by_precision])
    return {
        "figure3.rises_with_imbalance": float(np.all(np.diff(both, axis=1) > 0)),
        "figure3.lower_recall_larger": float(np.all(np.diff(by_recall, axis=0) < 0)),
        "figure3.lower_precision_larger": float(np.all(np.diff(by_precision, axis=0) < 0)),
    }


def rounding() -> dict[str, float]:
    """What whole numbers change."""
    apart = []
    for total, inverse, recall, ratio in SETTINGS:
        pi_1, pi_0 = group_rates(1 / inverse, 0.9, recall)
        sizes = group_sizes(total, 1 / inverse, ratio)
        found, missed = sizes.above * pi_1, sizes.below * pi_0
        by_s = found / (found + ratio * missed)
        apart.append(abs(by_s - float(recall_of(1 / inverse, pi_1, pi_0))))
    above = group_sizes(10_000, 1 / 100, 1).above
    return {
        "section4.n_1": above,
        "section4.borderline": above * (1 - 0.9),
        "eq2.after_rounding": 100 * max(apart),
    }


def width_figure(curves: dict[str, Widths], title: str) -> Figure:
    figure = make_subplots(cols=2, subplot_titles=("precision", "recall"))
    widths = along(curves)
    for place, name in enumerate(curves):
        for quantity in (0, 1):
            figure.add_trace(
                Scatter(
                    x=RATIOS, y=100 * widths[place, :, quantity], name=name, mode="lines",
                    line={"color": COLOURS[place]}, showlegend=quantity == 0,
                ),
                row=1, col=quantity + 1,
            )  # fmt: skip
    figure.update_xaxes(title="over-sampling ratio")
    figure.update_yaxes(title="width of the 95 % interval, points", col=1, rangemode="tozero")
    figure.update_yaxes(rangemode="tozero", col=2)
    figure.update_layout(title=title, legend={"orientation": "h", "y": -0.25})
    return figure


def ratio_figure() -> Figure:
    figure = make_subplots(cols=2, subplot_titles=("precision .9", "recall .8"))
    given = (("recall", RECALLS), ("precision", PRECISIONS))
    for col, ((name, levels), curves) in enumerate(
        zip(given, ratios_by_imbalance(), strict=True), start=1
    ):
        for level, curve, colour in zip(levels, curves, COLOURS, strict=True):
            figure.add_trace(
                Scatter(
                    x=IMBALANCE, y=curve, name=f"{level:g}", mode="lines", line={"color": colour},
                    legendgroup=f"{level:g}", showlegend=col == 1,
                    hovertemplate=f"{name} {level:g}: %{{y:.2f}}",
                ),
                row=1, col=col,
            )  # fmt: skip
    figure.update_xaxes(title="predicted negatives per predicted positive")
    figure.update_yaxes(title="optimal over-sampling ratio", col=1)
    figure.update_layout(
        title="Figure 3: the optimal ratio rises with imbalance",
        legend={"title": "recall (left) or precision (right)", "orientation": "h", "y": -0.25},
    )
    return figure
