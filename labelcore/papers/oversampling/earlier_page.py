"""An earlier wave's confusion matrix: it plans the next one, and says where that will come out."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore.papers.oversampling.groups import Counts, Sizes, recall_of
from labelcore.papers.oversampling.intervals import Groups, bayes_intervals
from labelcore.papers.oversampling.monitoring import JEFFREYS
from labelcore.papers.oversampling.next_wave import forecast
from labelcore.papers.planners import Chosen, number_input
from labelcore.ui.tables import reading_table
from labelcore.words import sentences as words

EXPECTED, EARLIER = "What you expect", "An earlier wave's labels"
CELLS = (
    "Called positive, rightly",
    "Called positive, wrongly",
    "Not called, though positive",
    "Not called, rightly",
)
MOST = 10**9
UNKNOWN = "Type in the four numbers of labels: some of both kinds."
TWO_INTERVALS = (
    "The first interval is about the truth. The second is about the next wave's estimate: outside "
    "it, something has changed."
)
NOTHING_CHANGED = "if nothing has changed"


def planned_by(chosen: Chosen) -> bool:
    """Whether an earlier matrix plans; else what is expected."""
    way = st.segmented_control(
        "Planned by", [EXPECTED, EARLIER], default=EXPECTED, required=True,
        key=chosen.key("planned-by"), persist_state="session",
    )  # fmt: skip
    return bool(way == EARLIER)


def matrix(chosen: Chosen) -> Counts | None:
    """The four numbers; None, with a sentence, while one group has no label."""
    found: list[int | None] = []
    for row in (CELLS[:2], CELLS[2:]):
        for place, name in zip(st.columns(2), row, strict=True):
            with place:
                found.append(number_input(name, None, chosen.key(f"earlier-{name}"), 0, MOST))
    given = [one for one in found if one is not None]
    if len(given) < len(CELLS) or not (given[0] + given[1] and given[2] + given[3]):
        st.text(UNKNOWN)
        return None
    return Counts.of(*given)


def next_wave(earlier: Counts, above: int, below: int, sizes: Sizes, confidence: float) -> None:
    """What the earlier labels say of the truth, and where the next wave's estimates will lie."""
    st.caption(TWO_INTERVALS)
    reading_table(next_wave_table(earlier, above, below, sizes, confidence), "compare-next-wave")


def next_wave_table(
    earlier: Counts, above: int, below: int, sizes: Sizes, confidence: float
) -> pd.DataFrame:
    """Precision and recall down; seen, interval for the truth, predictive interval across."""
    groups = Groups.of_ratio(above / below)  # The labels are of another file than this.
    truth = bayes_intervals(earlier, groups, confidence)
    ahead = forecast(JEFFREYS.plus(earlier), groups.k, sizes.above, sizes.below)
    rates = earlier.rates()
    sure = words.confidence_words(confidence)
    rows = []
    for name, seen, (low, high), part in (
        ("Precision", rates[0], truth.precision, ahead[0]),
        ("Recall", recall_of(groups.k, *rates), truth.recall, ahead[1]),
    ):
        ends = float(low), float(high)
        rows.append(
            {
                "": name,
                "Earlier labels": words.value_percent(float(seen), *ends),
                f"The truth ({sure})": words.range_text(*ends),
                f"The next estimate ({sure}, {NOTHING_CHANGED})": words.range_text(
                    *part.limits(confidence)
                ),
            }
        )
    return pd.DataFrame(rows)
