"""Several classifiers side by side: one aligned interval each, for one quantity."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from labelcore.charts.base import Chart, Row, empty_chart, interval_words, rows_drawing
from labelcore.charts.design import SERIES
from labelcore.charts.drawing import Symbol
from labelcore.charts.names import shortened
from labelcore.promises import State
from labelcore.results.types import Estimate
from labelcore.words import sentences as words
from labelcore.words.differences import told_words
from labelcore.words.quantities import key_parts, label_of, term_of

COLUMNS = ("Classifier", "Estimate", "Low", "High", "Labels")
NOTHING = "No figure yet: the rows start with the first estimates."
PROOF = "Overlapping intervals do not show that two classifiers are equally good."


def compare_chart(estimates: Sequence[Estimate]) -> Chart:
    """A row for each classifier: its estimate as a point, its interval as a line.

    estimates   of one quantity, one for each classifier, in the order to show; one without a value
                has an empty row
    Raises ValueError for several quantities or none.
    """
    quantities = {key_parts(one.estimand)[:2] for one in estimates}
    if len(quantities) != 1:
        found = ", ".join(sorted(one.estimand for one in estimates)) or "none"
        raise ValueError(f"estimates must be of one quantity, got {found}")
    base, inside = quantities.pop()
    label = f"{label_of(base)} of {shortened(inside)}" if inside else term_of(base)
    if not any(map(_shown, estimates)):
        return empty_chart(NOTHING, COLUMNS)
    rows = [_row(one, SERIES[place % len(SERIES)]) for place, one in enumerate(estimates)]
    return Chart(rows_drawing(label, rows), _alt(estimates, shortened(label)), _table(estimates))


def _shown(one: Estimate) -> bool:
    """Whether there is a value to tell, or an interval of one."""
    return one.told is not None or (one.has_interval and one.value is not None)


def _row(one: Estimate, role: str) -> Row:
    low, high = (one.low, one.high) if one.has_interval and _shown(one) else (None, None)
    name = shortened(_name(one))
    symbol = Symbol.DOT if one.has_interval else Symbol.HOLLOW
    return Row(name, one.told, low, high, role, f"{name}\n{_words(one)}", symbol)


def _name(one: Estimate) -> str:
    return one.scope.classifier or "no classifier"


def _words(one: Estimate) -> str:
    if not _shown(one):
        return "not yet"
    if one.told is None:
        return words.span_words(one)
    if one.state == State.EXACT:
        return f"exactly {told_words(one)}"
    return interval_words(one.told, one.low, one.high, known=one.has_interval)


def _alt(estimates: Sequence[Estimate], label: str) -> str:
    rows = [f"{shortened(_name(one))}: {_words(one)}" for one in estimates]
    return f"{label} of each classifier, from the same labels. {'; '.join(rows)}. {PROOF}"


def _table(estimates: Sequence[Estimate]) -> pd.DataFrame:
    rows = [
        (_name(one), one.told, *((one.low, one.high) if shown else (None, None)), one.labels_used)
        for one in estimates
        for shown in [one.has_interval and one.value is not None]
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
