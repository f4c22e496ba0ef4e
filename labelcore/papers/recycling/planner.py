"""What labels for one classifier save for the others that call much the same items."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.charts.base import Chart, Row, empty_chart, require_columns, rows_drawing
from labelcore.charts.design import SERIES
from labelcore.charts.drawing import Axis, Unit
from labelcore.papers.planners import Chosen, number_input, offer, outlook_of, project, suited
from labelcore.papers.recycling.samples import Suggestion, suggest_parent
from labelcore.papers.recycling.savings import savings
from labelcore.plan.plan import Plan
from labelcore.safe_text import plain, shortened
from labelcore.ui.new_cards import SEVERAL
from labelcore.ui.progress import draw
from labelcore.ui.status import SECONDS_AN_ITEM
from labelcore.ui.tables import reading_table
from labelcore.ui.times import minutes
from labelcore.words import sentences as words

NEEDED = ("child", "saved", "low", "high")
READABLE = {
    "child": "Classifier",
    "parent_intersection": "Parent's items shared",
    "child_intersection": "Own items shared",
    "saved": "Draws saved",
    "low": "From",
    "high": "To",
}
NOTHING = "There is no child to recycle for."


def savings_chart(table: pd.DataFrame) -> Chart:
    """A row for each child: the mean share of its draws that is recycled as a point, where 95 of
    100 drawings lie as a line.

    table   columns child, saved, low, high; shares between 0 and 1; others are kept
    """
    require_columns(table, NEEDED)
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    rows = table.to_dict("records")
    shown = [_row(row, SERIES[place % len(SERIES)]) for place, row in enumerate(rows)]
    drawing = rows_drawing(Axis("share of the draws saved", Unit.SHARE, (-0.01, 1.01)), shown)
    in_words = "; ".join(f"{shortened(str(row['child']))}: {_words(row)}" for row in rows)
    readable = table.rename(columns=READABLE).reset_index(drop=True)
    return Chart(drawing, f"Share of each child's draws that is recycled. {in_words}.", readable)


def _row(row: Mapping[Any, Any], role: str) -> Row:
    name, caption = shortened(row["child"]), _words(row)
    return Row(name, row["saved"], row["low"], row["high"], role, f"{name}\n{caption}")


def _words(row: Mapping[Any, Any]) -> str:
    mean, low, high = (words.percent(float(row[at]), 1) for at in ("saved", "low", "high"))
    return f"{mean}, between {low} and {high} in 95 of 100 drawings"


WHAT = (
    "For the precision of several classifiers. A sample of what one of them, the parent, calls "
    "positive holds many items that the others, its children, call positive too. Their labels are "
    "used again, so that a child needs only the rest."
)
TOO_FEW = (
    "This needs two or more classifiers that call something positive, each with predictions or a "
    "threshold; this file has {number}."
)
SEED = 0
MOST_DRAWS = 5000
FORMULAS = r"""
$A_P$ and $A_C$ are the items that parent and child call positive. The child shares
$PIR = |A_P \cap A_C| / |A_P|$ of the parent's items, and $CIR = |A_P \cap A_C| / |A_C|$ of its own.
Of $n_P$ draws for the parent, $X \sim \mathrm{Bin}(n_P, PIR)$ can be used again for the child,
together with $X (1 - CIR) / CIR$ new ones from outside the parent's set, so that both parts stand
as their sets do. If both are more than the child's $n_C$ draws, the first $n_C$ are kept, and how
many of them are old is hypergeometric (lemma 3). In 95 of 100 drawings: between the 2.5th and
the 97.5th percentile of this exact distribution. Source: Tripathi, Jagannathan and Dhamodharaswamy,
algorithms 1 and 2, lemma 3.
"""


def recycling_planner(chosen: Chosen) -> None:
    st.text(WHAT)
    if not suited(chosen):
        return
    called = chosen.called()
    if len(called) < 2:
        st.info(TOO_FEW.format(number=len(called)))
        return
    suggestion = suggest_parent(called)
    parent = st.selectbox(
        "Parent",
        list(called),
        index=list(called).index(suggestion.parent),
        key=chosen.key("parent"),
        persist_state="session",
    )
    st.caption(plain(why(suggestion)))
    others = [name for name in called if name != parent]
    children = st.multiselect(
        "Children", others, others, key=chosen.key(f"children-{parent}"), persist_state="session"
    )
    size = number_input("Draws for each classifier", 1068, "compare-draws", 1, MOST_DRAWS)
    if not children:
        st.info("Choose at least one child to continue.")
    if not children or size is None:
        return
    half = words.points(float(1.96 * np.sqrt(0.25 / size)))
    st.caption(f"{size:,} draws settle a precision to within {half} at 95 %, whatever it is.")
    show(chosen, str(parent), children, called, size)
    params = {"parent": parent, "children": tuple(children), "sample_size": size}
    asked = project(chosen, SEVERAL, (parent, *children))
    wants = replace(asked, estimands=("precision",), design="recycling", params=params)
    offer(wants, "recycling")


def why(suggestion: Suggestion) -> str:
    if suggestion.majority_vote:
        return f"{suggestion.parent} is the majority vote of the others: a good parent."
    return f"{suggestion.parent} shares the most items with the others."


def show(
    chosen: Chosen, parent: str, children: Sequence[str], called: Mapping[str, Any], size: int
) -> None:
    plan = Plan(
        "recycling",
        ["precision"],
        classifier=parent,
        seed=SEED,
        params={"parent": parent, "children": list(children), "sample_size": size},
    )
    labels = outlook_of(chosen.population, plan).labels
    separate = separate_labels([int(called[name].sum()) for name in (parent, *children)], size)
    st.markdown(
        f"**About {labels:,} labels for all {len(children) + 1} classifiers, "
        f"{minutes(labels * SECONDS_AN_ITEM)}. With a sample for each of them it takes about "
        f"{separate:,}.**"
    )
    st.caption(
        f"Items are drawn with replacement, {size:,} times for each classifier; one that comes up "
        f"again keeps its label, so there are fewer labels than draws."
    )
    table = children_table(parent, children, called, size)
    reading_table(shown(table), "compare-children")
    draw(savings_chart(table), "compare-savings-picture", "These savings as a table")
    with st.expander("The formulas"):
        st.markdown(FORMULAS)


def separate_labels(sizes: Sequence[int], draws: int) -> int:
    """Different items expected in a sample with replacement for each set, added up.

    >>> separate_labels([1], 50), separate_labels([10**9, 10**9], 100)
    (1, 200)
    """
    return round(
        sum(-items * np.expm1(draws * np.log1p(-1 / items)) if items > 1 else 1 for items in sizes)
    )


def children_table(
    parent: str, children: Sequence[str], called: Mapping[str, Any], size: int
) -> pd.DataFrame:
    """A row for each child: shares that parent and child have in common, and of its draws that are
    saved: mean and where 95 of 100 drawings lie."""
    rows = []
    for name in children:
        common = int((called[parent] & called[name]).sum())
        pir, cir = common / int(called[parent].sum()), common / int(called[name].sum())
        saved = savings(size, size, pir, cir)
        ends = (saved.quantile(end) / size for end in (0.025, 0.975))
        rows.append((name, pir, cir, saved.mean_share, *ends))
    columns = ["child", "parent_intersection", "child_intersection", "saved", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    share = table.drop(columns="child").map(lambda value: words.percent(float(value), 1))
    return pd.DataFrame(
        {
            "child": table["child"],
            "parent's items shared": share["parent_intersection"],
            "own items shared": share["child_intersection"],
            "draws saved": share["saved"],
            "in 95 of 100 drawings": [
                words.range_text(low, high)
                for low, high in zip(table["low"], table["high"], strict=True)
            ],
        }
    )
