"""The looks of a session at one quantity as a table, and which of its rows are drawn."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from labelcore.promises import State
from labelcore.results.told_values import kept_back
from labelcore.words.differences import is_difference

MOST_POINTS = 300
COLUMNS = ("Labels", "Estimate", "Low", "High", "Half-width", "State", "When")


def thinned(n_points: int, most: int = MOST_POINTS) -> list[int]:
    """Positions to draw: every first, second, fourth ... and the last.

    Powers of two, so that points already drawn stay where they are while labels come in.

    >>> thinned(7, most=4), thinned(3, most=4)
    ([0, 2, 4, 6], [0, 1, 2])
    >>> thinned(8, most=4)
    [0, 4, 7]
    """
    step = 1
    while len(kept := sorted({*range(0, n_points, step), n_points - 1})) > most:
        step *= 2
    return kept


class Seen(NamedTuple):
    """What a look said of one quantity; NaN where it said nothing."""

    labels: int
    estimate: float
    low: float
    high: float
    half_width: float
    state: str
    when: str


def history_table(rows: Sequence[Seen]) -> pd.DataFrame:
    """``history_rows`` as a table."""
    return pd.DataFrame(rows, columns=list(COLUMNS))


def history_rows(looks: Sequence[Mapping[str, Any]], key: str) -> list[Seen]:
    """One for each number of labels that has a value to draw or an interval, in order of labels."""
    rows, seen = [], last_looks(looks)
    possible = 2.0 if is_difference(key) else 1.0
    for labels, look in seen.items():
        result = look["results"].get(key)
        if result is None:
            continue
        early = result.get("tentative") and result["state"] != State.PROVISIONAL
        known = "low" in result and (early or State(result["state"]).has_interval)
        withheld = kept_back(result, possible)
        value = None if withheld else result["value"]
        if value is None and not known:
            continue
        # Older logs have -0.0 for a difference of classifiers that say the same.
        low, high = (result["low"] + 0.0, result["high"] + 0.0) if known else (np.nan, np.nan)
        value = np.nan if value is None else value + 0.0
        half, when = (high - low) / 2, look.get("at", "")
        rows.append(Seen(labels, value, low, high, half, result["state"], when))
    return rows


def last_looks(looks: Sequence[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """The last look at each number of labels, in order; looks at labels that were taken back since
    are left out."""
    by_labels: dict[int, Mapping[str, Any]] = {}
    for look in looks:
        labels = int(look["labels"])
        while by_labels and next(reversed(by_labels)) >= labels:
            by_labels.popitem()
        by_labels[labels] = look
    return by_labels
