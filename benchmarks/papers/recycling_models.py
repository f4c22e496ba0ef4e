"""Section 5.2 of Tripathi et al.: three classifiers and their majority vote, drawn at random.

The construction, where the print leaves it open: one truncated-exponential score per item (rate 1/2
on 0 to 1); the second and third classifier have the scores of the first shuffled within blocks of
.03; every classifier calls recall x positives / precision items with the recall of the first, so
that the thresholds follow from the drawn precisions. False negatives of the first classifier are
positive uniformly, or with a weight that decays as exp(-5 u), u the share of its predicted
negatives that score higher. 20,000 positives instead of a million: what matters is how the sets
overlap.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from scipy.stats import truncexpon

from labelcore.charts.design import LIGHT
from labelcore.papers.recycling.samples import agreement_levels, level_share, recycle_all
from labelcore.stats.arrays import BoolArray, FloatArray, IntArray
from labelcore.stats.proportion import wald

FIRST, SECOND, THIRD = LIGHT.series[:3]
SIZE = 1100
RATE, BLOCK, DECAY = 0.5, 0.03, 5.0
UNDER = (-1, 0, 0, 0)
ALGORITHMS = {"srs": "Plain random samples", "shuffle": "Option shuffle", "sample": "Option sample"}
COLOURS = {"srs": THIRD, "shuffle": FIRST, "sample": SECOND}
MEASURES = {
    "savings": "Draws saved, % of 1,100",
    "error": "Error of the estimate, % of the precision",
    "ci": "Furthest end of the interval, % of the precision",
}
COLUMNS = ("trial", "algorithm", "model", "precision", *MEASURES)


def models(
    random: np.random.Generator, positives: int, decaying: bool, rate: float = RATE
) -> tuple[BoolArray, BoolArray]:
    """Who calls what positive, (4, n_items), the vote first, and what is, (n_items,)."""
    share, recall = random.uniform(0.01, 0.5), random.uniform(0.1, 1.0)
    first = random.uniform(0.7, 1.0)
    precisions = (first, *random.uniform(0.5, first, size=2))
    n_items = round(positives / share)
    score = truncexpon.rvs(rate, scale=1 / rate, size=n_items, random_state=random)
    block = np.floor(score / BLOCK)
    called = np.zeros((4, n_items), dtype=bool)
    for place, precision in enumerate(precisions, start=1):
        size = min(round(recall * positives / precision), n_items)
        order = ranked(random, score, block, shuffled=place > 1)
        called[place, order[:size]] = True
    called[0] = called[1:].sum(axis=0) >= 2
    return called, labels(random, called[1], score, recall, positives, decaying)


def ranked(
    random: np.random.Generator, score: FloatArray, block: FloatArray,
    *, shuffled: bool,
) -> IntArray:  # fmt: skip
    """Items from the highest score down, scores shuffled within their blocks or as they are."""
    within = random.random(len(score)) if shuffled else -score
    return np.lexsort((within, -block))


def labels(
    random: np.random.Generator,
    called: BoolArray,
    score: FloatArray,
    recall: float,
    positives: int,
    decaying: bool,
) -> BoolArray:
    """Which items are positive: a share ``recall`` of them among those that are called so."""
    truth = np.zeros(len(called), dtype=bool)
    hits = min(round(recall * positives), int(called.sum()))
    truth[random.choice(np.flatnonzero(called), hits, replace=False)] = True
    others = np.flatnonzero(~called)
    others = others[np.argsort(-score[others], kind="stable")]
    depth = np.arange(len(others)) / max(len(others), 1)
    key = random.gumbel(size=len(others)) - (DECAY * depth if decaying else 0.0)
    missed = min(positives - hits, len(others))
    truth[others[np.argsort(-key)[:missed]]] = True
    return truth


@dataclass(frozen=True)
class Drawn:
    """The samples of one algorithm in one trial: a row per child, and all distinct items."""

    rows: list[tuple[object, ...]]
    distinct: int


def draw(
    random: np.random.Generator, called: BoolArray, truth: BoolArray, algorithm: str, number: int
) -> Drawn:
    """One algorithm on one trial; the interval of option shuffle is ours, the others' Wald's."""
    option = "sample" if algorithm == "sample" else "shuffle"
    under = (-1,) * 4 if algorithm == "srs" else UNDER
    if algorithm == "srs":
        sets = [np.flatnonzero(one) for one in called]
        drawn = [one[random.integers(len(one), size=SIZE)] for one in sets]
        saved = [0] * 4
    else:
        order = np.arange(len(truth))
        samples = recycle_all(called, under, order, SIZE, option, random)
        drawn, saved = [one.items for one in samples], [one.saved for one in samples]
    levels = agreement_levels(called, UNDER)
    rows: list[tuple[object, ...]] = []
    for place in (1, 2, 3):
        p = float(truth[called[place]].mean())
        hits = truth[drawn[place]]
        low, high = (float(end) for end in wald(hits.sum(), SIZE, 0.95))
        if algorithm == "shuffle":
            low, high = two_strata(drawn[place], levels[place], truth)
        errors = abs(float(hits.mean()) - p) / p, max(abs(low - p), abs(high - p)) / p
        rows.append((number, algorithm, f"ML{place}", p, 100 * saved[place] / SIZE,
                     100 * errors[0], 100 * errors[1]))  # fmt: skip
    return Drawn(rows, len(np.unique(np.concatenate(drawn))))


def two_strata(drawn: IntArray, level: IntArray, truth: BoolArray) -> tuple[float, float]:
    """Our interval for the precision of a child from its own sample."""
    items = np.unique(drawn)
    sizes = np.bincount(level[level >= 0], minlength=2)
    labelled = np.bincount(level[items], minlength=2)
    hits = np.bincount(level[items], truth[items], minlength=2)
    return level_share(sizes, labelled, hits, 0.95)[1:]


def run_trials(
    trials: int, positives: int, decaying: bool, rate: float = RATE
) -> tuple[pd.DataFrame, dict[str, float]]:
    """A row per trial, algorithm and model, and the median of distinct labels by algorithm."""
    rows: list[tuple[object, ...]] = []
    distinct: dict[str, list[int]] = {name: [] for name in ALGORITHMS}
    for number in range(trials):
        random = np.random.default_rng((52, int(decaying), number))
        called, truth = models(random, positives, decaying, rate)
        for algorithm in ALGORITHMS:
            one = draw(random, called, truth, algorithm, number)
            rows += one.rows
            distinct[algorithm].append(one.distinct)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table, {name: float(np.median(found)) for name, found in distinct.items()}


def figure2_values(table: pd.DataFrame, name: str) -> dict[str, float]:
    """The numbers of figure 2 that the text speaks of."""
    found: dict[str, float] = {}
    parts = dict(list(table.groupby(["algorithm", "model"])))
    for model in ("ML1", "ML2", "ML3"):
        start, low = f"figure2_{name}", model.lower()
        for algorithm in ALGORITHMS:
            part = parts[algorithm, model]
            found[f"{start}_error_q3_{algorithm}_{low}"] = part["error"].quantile(0.75)
            found[f"{start}_error_median_{algorithm}_{low}"] = part["error"].median()
            found[f"{start}_ci_median_{algorithm}_{low}"] = part["ci"].median()
            if algorithm != "srs":
                found[f"{start}_savings_median_{algorithm}_{low}"] = part["savings"].median()
        shuffle = parts["shuffle", model]["savings"]
        found[f"{start}_savings_mean_shuffle_{low}"] = shuffle.mean()
        found[f"{start}_savings_lowest_shuffle_{low}"] = shuffle.min()
        found[f"{start}_error_order_{low}"] = (
            found[f"{start}_error_median_sample_{low}"]
            - found[f"{start}_error_median_shuffle_{low}"]
        )
    return {key: float(value) for key, value in found.items()}


def figure2(table: pd.DataFrame, measure: str) -> go.Figure:
    """Boxplots of one measure by classifier and algorithm."""
    titles = {
        "savings": "Draws saved for each classifier over 200 random trials",
        "error": "Error of the estimated precision over 200 random trials",
        "ci": "How far the 95 % interval reaches from the precision",
    }
    figure = go.Figure()
    for algorithm, words in ALGORITHMS.items():
        part = table[table["algorithm"] == algorithm]
        if measure == "savings" and algorithm == "srs":
            continue
        figure.add_box(
            x=part["model"], y=part[measure], name=words, marker_color=COLOURS[algorithm],
            marker_size=4, line_width=1.5,
        )  # fmt: skip
    figure.update_layout(
        title=titles[measure], boxmode="group", xaxis_title="Classifier",
        yaxis_title=MEASURES[measure], legend={"orientation": "h", "y": -0.2},
        margin={"l": 60, "r": 20, "t": 60, "b": 60},
    )  # fmt: skip
    figure.update_yaxes(rangemode="tozero")
    return figure


def recalls(
    precisions: ArrayLike, sizes: ArrayLike, false_omission_rate: float, negatives: int
) -> FloatArray:
    """The recall of every classifier, (n_classifiers,), from all precisions and the false omission
    rate f_1 of the first: r_i = p_i |A_i| / (p_1 |A_1| + f_1 |B_1|).

    precisions, sizes   (n_classifiers,), p_i and |A_i|
    negatives  |B_1|, items that the first classifier does not call positive
    Promise    none: numbers in, numbers out; NaN where there is no positive at all.
    Raises     ValueError for a share outside 0 to 1 or a negative number of items.
    Source:    section 6; it implies r_2 / r_1 = p_2 |A_2| / (p_1 |A_1|).

    >>> [round(float(r), 4) for r in recalls([0.9, 0.8], [1000, 900], 0.01, 10_000)]
    [0.9, 0.72]
    """
    p, size = np.asarray(precisions, dtype=float), np.asarray(sizes, dtype=float)
    if np.any(p < 0) or np.any(p > 1):
        raise ValueError(f"precisions must lie between 0 and 1, got {p.tolist()!r}")
    if not 0 <= false_omission_rate <= 1:
        raise ValueError(f"false_omission_rate must lie in 0 to 1, got {false_omission_rate!r}")
    if np.any(size < 0) or negatives < 0:
        raise ValueError("sizes and negatives must not be below 0")
    found = p * size
    positives = found[0] + false_omission_rate * negatives
    return np.asarray(found / positives if positives > 0 else np.full(len(found), np.nan))
