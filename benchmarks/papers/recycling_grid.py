"""Section 5.3 of Tripathi et al.: savings and errors over parent and child intersection ratios.

The print does not say how large the samples are, nor what the precisions are: 1100 for parent and
child, as in section 5.2, and a precision uniform on .5 to 1, which gives the printed errors.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from labelcore.papers.recycling.samples import RECYCLED, Recycled, child_sample, level_share
from labelcore.papers.recycling.savings import mean_savings, savings
from labelcore.stats.arrays import BoolArray, FloatArray
from labelcore.stats.proportion import wald

SIZE = 1100
RATIOS = np.round(np.arange(0.05, 0.951, 0.05), 2)
SHOWN = (0.05, 0.25, 0.45, 0.65, 0.85)
OVERLAPS = (10_000, 100_000)
ITEMS = np.arange(round(OVERLAPS[1] / RATIOS[0]) + 1)
PRINTED: dict[tuple[float, float], tuple[float, ...]] = {
    (0.05, 0.05): (4.72, 3.64, 5.38, 1.50, 1.46), (0.05, 0.25): (4.91, 3.39, 6.42, 1.39, 1.27),
    (0.05, 0.45): (4.95, 3.23, 6.54, 1.36, 1.31), (0.05, 0.65): (4.92, 3.06, 6.58, 1.43, 1.31),
    (0.05, 0.85): (4.91, 2.79, 6.70, 1.30, 1.16), (0.25, 0.05): (4.93, 3.65, 6.11, 1.51, 1.33),
    (0.25, 0.25): (24.21, 20.60, 25.57, 1.45, 1.32),
    (0.25, 0.45): (24.73, 19.73, 27.79, 1.20, 1.12),
    (0.25, 0.65): (24.61, 18.70, 27.73, 1.44, 1.36),
    (0.25, 0.85): (24.61, 18.70, 27.75, 1.26, 1.28), (0.45, 0.05): (4.89, 3.55, 6.29, 1.37, 1.31),
    (0.45, 0.25): (24.58, 20.63, 26.72, 1.45, 1.28),
    (0.45, 0.45): (43.85, 36.15, 46.03, 1.31, 1.17),
    (0.45, 0.65): (44.45, 33.75, 48.56, 1.46, 1.28),
    (0.45, 0.85): (44.47, 32.82, 48.74, 1.37, 1.42), (0.65, 0.05): (4.83, 3.28, 6.20, 1.29, 1.11),
    (0.65, 0.25): (24.34, 18.44, 26.88, 1.34, 1.19),
    (0.65, 0.45): (44.17, 33.15, 47.19, 1.50, 1.50),
    (0.65, 0.65): (63.68, 48.02, 67.07, 1.37, 1.16),
    (0.65, 0.85): (64.39, 49.58, 69.21, 1.41, 1.39), (0.85, 0.05): (4.82, 3.19, 6.20, 1.50, 1.43),
    (0.85, 0.25): (24.29, 18.98, 26.95, 1.43, 1.40),
    (0.85, 0.45): (44.00, 32.28, 47.36, 1.39, 1.34),
    (0.85, 0.65): (64.14, 48.59, 67.95, 1.33, 1.24),
    (0.85, 0.85): (84.04, 55.49, 88.83, 1.30, 1.32),
}  # fmt: skip
"""Table 1: mean, 2.5th and 97.5th percentile of savings, mean and deviation of the error, in %."""
SEEN = 0.005
"""Half a unit of the last digit printed, in points: |S-| is rounded at random, which moves the
exact means by up to .000001 points."""
BLUES = [[0.0, "#FFFFFF"], [1.0, "#0072B2"]]


@dataclass(frozen=True)
class Trial:
    """A child's sample, which of its elements are positive, and the truth.

    inner, whole   items in A_P and A_C, and in A_C; items below ``inner`` lie in A_P
    """

    sample: Recycled
    positive: BoolArray
    precision: float
    inner: int
    whole: int

    @property
    def printed(self) -> float:
        """The estimate as printed: the share of S_C."""
        return float(self.positive.mean())

    def own_interval(self) -> tuple[float, float, float]:
        """Ours: two strata, an item counted once."""
        items, first = np.unique(self.sample.items, return_index=True)
        outside = (items >= self.inner).astype(np.int64)
        sizes = (self.inner, self.whole - self.inner)
        labelled = np.bincount(outside, minlength=2)
        hits = np.bincount(outside, self.positive[first], minlength=2)
        return level_share(sizes, labelled, hits, 0.95)

    def printed_interval(self) -> tuple[float, float]:
        low, high = wald(self.positive.sum(), len(self.positive), 0.95)
        return float(low), float(high)


def trial(
    random: np.random.Generator,
    pir: float,
    cir: float,
    option: str = "shuffle",
    shares: tuple[float, float] | None = None,
) -> Trial:
    """Algorithm 1 once; ``shares``: the precision in A_P and A_C, and outside A_P."""
    inner = int(random.integers(OVERLAPS[0], OVERLAPS[1] + 1))
    parent, whole = round(inner / pir), round(inner / cir)
    parent_sample = random.integers(parent, size=SIZE)
    plus = parent_sample[parent_sample < inner]
    sample = child_sample(plus, ITEMS[:inner], ITEMS[inner:whole], SIZE, option, random)
    one = random.uniform(0.5, 1)
    inside, outside = shares or (one, one)
    hits = round(inside * inner), inner + round(outside * (whole - inner))
    items = sample.items
    positive = np.where(items < inner, items < hits[0], items < hits[1])
    return Trial(sample, positive, (hits[0] + hits[1] - inner) / whole, inner, whole)


@dataclass(frozen=True)
class Grid:
    """Trials of every combination: savings, and errors in % of the precision, (n, n, trials)."""

    savings: FloatArray
    error: FloatArray
    srs_error: FloatArray


def run_grid(trials: int, ratios: FloatArray = RATIOS, seed: int = 0) -> Grid:
    random = np.random.default_rng((seed, 53))
    shape = (len(ratios), len(ratios), trials)
    saved, error, srs = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for place in np.ndindex(shape):
        one = trial(random, float(ratios[place[0]]), float(ratios[place[1]]))
        saved[place] = np.count_nonzero(one.sample.origin == RECYCLED) / SIZE
        error[place] = abs(one.printed - one.precision) / one.precision
        plain = random.binomial(SIZE, one.precision) / SIZE
        srs[place] = abs(plain - one.precision) / one.precision
    return Grid(100 * saved, 100 * error, 100 * srs)


def exact_means() -> FloatArray:
    """Mean savings by lemma 3 in %, (19, 19)."""
    return 100 * np.array([[mean_savings(SIZE, SIZE, p, c) for c in RATIOS] for p in RATIOS])


def grid_values(grid: Grid, exact: FloatArray) -> dict[str, float]:
    """The numbers of the text and the caption that need all combinations."""
    standard = grid.savings.std(axis=2, ddof=1) / np.sqrt(grid.savings.shape[2])
    apart = np.abs(grid.savings.mean(axis=2) - exact) / standard
    found = {
        "grid_mean_savings": grid.savings.mean(),
        "grid_low_savings": np.quantile(grid.savings, 0.025),
        "grid_high_savings": np.quantile(grid.savings, 0.975),
        "grid_largest_error_mean": grid.error.mean(axis=2).max(),
        "lemma3_largest_difference": apart.max(),
    }
    for name, errors in (("grid_error", grid.error), ("grid_srs_error", grid.srs_error)):
        found[f"{name}_mean"], found[f"{name}_sd"] = errors.mean(), errors.std()
        found[f"{name}_low"], found[f"{name}_high"] = np.quantile(errors, (0.025, 0.975))
    return {key: float(value) for key, value in found.items()}


def table_values(grid: Grid, ratios: FloatArray = RATIOS) -> dict[str, float]:
    """The cells of table 1: means (to the two digits that are printed) and percentiles by lemma 3,
    errors by simulation."""
    found: dict[str, float] = {}
    for pir, cir in PRINTED:
        key = f"{100 * pir:02.0f}_{100 * cir:02.0f}"
        exact = savings(SIZE, SIZE, pir, cir)
        found[f"table1_mean_{key}"] = round(100 * exact.mean_share, 2)
        for name, share in (("low", 0.025), ("high", 0.975)):
            found[f"table1_{name}_{key}"] = 100 * exact.quantile(share) / SIZE
        at = int(np.searchsorted(ratios, pir)), int(np.searchsorted(ratios, cir))
        found[f"table1_error_mean_{key}"] = float(grid.error[at].mean())
        found[f"table1_error_sd_{key}"] = float(grid.error[at].std(ddof=1))
    return found


def surface_values(exact: FloatArray) -> dict[str, float]:
    falls = sum(int((np.diff(exact, axis=axis) < -SEEN).sum()) for axis in (0, 1))
    return {
        "grid_mean_savings_exact": float(exact.mean()),
        "figure3_highest": float(exact.max()),
        "figure3_falls": float(falls),
    }


def table1(values: dict[str, float]) -> pd.DataFrame:
    """Table 1, the paper's numbers and ours side by side."""
    rows = []
    for (pir, cir), printed in PRINTED.items():
        key = f"{100 * pir:02.0f}_{100 * cir:02.0f}"
        names = ("mean", "low", "high", "error_mean", "error_sd")
        ours = [values[f"table1_{name}_{key}"] for name in names]
        pairs = [f"{a:.2f} / {b:.2f}" for a, b in zip(printed, ours, strict=True)]
        rows.append((f"{pir:.2f}", f"{cir:.2f}", *pairs))
    columns = ["PIR", "CIR", "mean savings, %", "2.5th percentile", "97.5th percentile"]
    return pd.DataFrame(rows, columns=[*columns, "mean error, %", "its deviation"])


def surface_figure(exact: FloatArray) -> go.Figure:
    """Figure 3 seen from above."""
    figure = go.Figure(
        go.Contour(
            x=100 * RATIOS, y=100 * RATIOS, z=exact, colorscale=BLUES, zmin=0, zmax=100,
            contours={"start": 10, "end": 90, "size": 10, "showlabels": True,
                      "labelfont": {"size": 12, "color": "black"}},
            line={"color": "#404040", "width": 0.5},
            colorbar={"title": {"text": "Saved, %"}},
        )
    )  # fmt: skip
    figure.update_layout(
        title="Draws saved for a child, mean by lemma 3 (samples of 1,100)",
        xaxis_title="Child intersection: share of the child's positives that the parent calls, %",
        yaxis_title="Parent intersection: share of the parent's, %",
        margin={"l": 60, "r": 20, "t": 60, "b": 60},
    )
    return figure
