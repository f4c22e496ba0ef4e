"""What a curve plan says: a few rows in words, and the charts that can be chosen."""

import numpy as np

from labelcore.charts.against import precision_recall_chart, precision_yield_chart, roc_chart
from labelcore.charts.base import Chart
from labelcore.charts.rank import rank_chart
from labelcore.charts.readings import READINGS
from labelcore.designs.curves import Curve
from labelcore.promises import State
from labelcore.results.curves import Band
from labelcore.session.session import Session
from labelcore.words import sentences as words

ALONG = ("precision", "recall", "yield", "f1", "accuracy", "gain", "dcg", "ndcg")
PAIRS = {
    "roc": ("ROC", ("true_positive_rate", "false_positive_rate")),
    "precision-recall": ("Precision and recall", ("precision", "recall")),
    "precision-yield": ("Precision and yield", ("precision", "yield")),
}
PAIR_MEANINGS = {
    "roc": "Of all positive items, the share down to a rank, against the share of all others.",
    "precision-recall": "How pure the head of the list is against how much of all it holds.",
    "precision-yield": "How pure the head of the list is against how many positive items it holds.",
}


def nothing_drawn(session: Session, choice: str, curve: Curve, chart: Chart) -> str:
    """Why there is no picture, and what is missing."""
    missing = session.band(choice if choice not in PAIRS else PAIRS[choice][1][0], curve).missing
    return f"{chart.alt} {missing[:1].upper()}{missing[1:]}." if missing else chart.alt


def ranked_by(session: Session) -> str | None:
    """The classifier that the list is ranked by."""
    return next(iter((*session.plan.classifiers, *session.population.classifiers)), None)


def band_figure(band: Band) -> str:
    """Value and interval of a band of one point of shares, on one line; the bounds only where they
    have no confidence, or are too wide for a value."""
    value, low, high = (float(numbers[0]) for numbers in (band.told, band.low, band.high))
    if np.isnan(value) and not band.has_interval:
        return "not yet"
    if band.has_interval and high - low < -1e-12:
        return "bounds contradict each other"
    if band.state == State.EXACT or (band.has_interval and high - low < 1e-12):
        return f"{READINGS['precision'].number(value)}   exact"
    if not band.has_interval:
        return f"{READINGS['precision'].number(value, 1.0)}   a first guess"
    span = READINGS["precision"].range(low, high)
    if band.confidence is None or np.isnan(value):
        return span
    return f"{words.value_percent(value, low, high)}   {span}"


def choices(curve: Curve) -> dict[str, str]:
    """{name: label} of what this curve can show."""
    readings = {name: READINGS[name].label for name in ALONG if name in curve.names}
    pairs = {name: label for name, (label, both) in PAIRS.items() if {*both} <= {*curve.names}}
    if curve.confidence is None:
        # Without estimates there is no recall to draw precision against.
        pairs.pop("precision-recall", None)
    return {**readings, **pairs}


def meaning(choice: str) -> str:
    """One sentence for people who do not know the word."""
    return PAIR_MEANINGS.get(choice) or READINGS[choice].meaning


def curve_chart(
    session: Session, curve: Curve, choice: str, *, cut: int | None = None, own: int | None = None
) -> Chart:
    """The chart of one of ``choices``; ``own`` the classifier's own cut."""
    if choice not in PAIRS:
        band = session.band(choice, curve)
        return rank_chart(band, cut=cut, own=own)
    upright, level = (session.band(name, curve) for name in PAIRS[choice][1])
    draw = {
        "roc": roc_chart,
        "precision-recall": precision_recall_chart,
        "precision-yield": precision_yield_chart,
    }[choice]
    return draw(upright, level, cut=cut)
