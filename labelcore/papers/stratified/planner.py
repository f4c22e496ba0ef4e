"""Which strata would pay for accuracy, from the scores alone."""

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from labelcore.charts.base import Chart, empty_chart, in_turn, require_columns
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Unit
from labelcore.papers.planners import Chosen, offer, project, way_input
from labelcore.papers.stratified.comparison import compare_stratifications
from labelcore.population import Population
from labelcore.safe_text import plain, shortened
from labelcore.ui import waiting
from labelcore.ui.new_cards import ACCURACY
from labelcore.ui.progress import draw
from labelcore.words import sentences as words

READABLE = {
    "stratification": "Stratification",
    "n_strata": "Strata",
    "allocation": "Labels shared",
    "found": "Strata found",
    "smallest": "Smallest stratum",
    "ratio": "Variance against a random sample",
    "saved": "Labels saved",
}
NOTHING = "There is nothing to compare yet."


def stratifications_chart(table: pd.DataFrame, allocation: str) -> Chart:
    """Variance of estimated accuracy over that of a plain random sample, against the number of
    strata: a line for each stratification with one allocation.

    table       as from ``labelcore.papers.stratified.comparison.compare_stratifications``, with
                names for the screen; the chart's own table keeps the rows of every allocation
    allocation  the one that is drawn
    """
    require_columns(table, list(READABLE))
    shown = table[table["allocation"] == allocation]
    if shown.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    parts = [
        (str(name), part.sort_values("n_strata"))
        for name, part in shown.groupby("stratification", sort=False)
    ]
    drawing = Drawing(
        Axis("strata", ticks=tuple((n, f"{n:g}") for n in sorted({*shown["n_strata"]}))),
        Axis("variance", Unit.RATIO),
        [_line(name, part, place) for place, (name, part) in enumerate(parts)],
        [Rule(1.0)],
        [Remark("plain random sample", y=1.0, across=1.0)],
        legend=True,
    )
    lines_in_words = " ".join(_words(name, part) for name, part in parts)
    alt = (
        "Variance of the estimated accuracy against the number of strata, labels shared: "
        f"{shortened(allocation)}; a plain random sample is 100 %. {lines_in_words}"
    )
    readable = table[list(READABLE)].rename(columns=READABLE).reset_index(drop=True)
    return Chart(drawing, alt, readable)


def _line(name: str, part: pd.DataFrame, place: int) -> Line:
    shown = shortened(name)
    texts = [
        f"{shown}, {int(number)} strata\n{words.percent(float(ratio))} of the variance"
        for number, ratio in zip(part["n_strata"], part["ratio"], strict=True)
    ]
    return Line(part["n_strata"], part["ratio"], dots=5, name=shown, hover=texts, **in_turn(place))


def _words(name: str, part: pd.DataFrame) -> str:
    first, last = part.iloc[0], part.iloc[-1]
    return (
        f"{shortened(name)}: {words.percent(float(first['ratio']))} with "
        f"{int(first['n_strata'])} strata, {words.percent(float(last['ratio']))} with "
        f"{int(last['n_strata'])}."
    )


WHAT = (
    "For accuracy alone. The items are sorted by how sure the classifier is and cut into groups, "
    "called strata; some of each are labelled. Done well, this takes fewer labels than a plain "
    "random sample for the same certainty."
)
STRATIFICATIONS = {
    "sqrt": "the square root of their density (SQRT)",
    "cbrt": "the cube root of their density (CBRT)",
    "wtmn": "equal sums (WTMN)",
    "km": "k-means (KM)",
    "gmm": "a mixture of normal curves (GMM)",
    "eqsz": "equal size (EQSZ)",
    "eqwd": "equal width (EQWD)",
}
ALLOCATIONS = {
    "proportional": "in proportion to size",
    "equal": "equally",
    "optimal": "as well as possible (Neyman)",
}
ABOUT = {
    "proportional": "With ten labels a stratum or more hardly ever worse than a plain random "
    "sample, whatever the scores are worth.",
    "equal": "Can save a lot or cost several times the labels: it depends on how sizes and errors "
    "happen to fall.",
}
FROZEN = (
    "Nobody knows this best share before labelling. The paper's OPT-A1 and OPT-A2 try to learn it "
    "and, as printed, freeze strata: one whose first labels agree is never asked again, so that "
    "accuracy comes out too high. They are in Labelcore for comparison only."
)
TRYING = "Trying 63 ways of cutting the file"
SHORT = "One line for each way of cutting; the short names are explained with the formulas."
FORMULAS = r"""
$N_k$ of the $N$ items lie in stratum $k$, $W_k = N_k / N$, and a share $A_k$ of them is expected to
be judged rightly; $S_k^2 = \frac{N_k}{N_k - 1} A_k (1 - A_k)$. Variances for $n$ labels:

- plain random sample: $\frac{1}{n} \frac{N}{N - 1} A (1 - A)$
- in proportion to size: $\frac{1}{n} \sum_k W_k S_k^2$
- equally over $K$ strata: $\frac{K}{n} \sum_k W_k^2 S_k^2$
- best possible: $\frac{1}{n} \left(\sum_k W_k S_k\right)^2$

The picture shows each over the first. Cuts: **SQRT** and **CBRT** at equal parts of the cumulative
square or cube root of the density of the sureness, **WTMN** at equal sums of it, **KM** by
k-means, **GMM** by a mixture of normal curves, **EQSZ** into strata of equal size, **EQWD** of
equal width. Source: Kumar and Raj (2018), equations 2, 7, 8 and 10.
"""


def strata_planner(chosen: Chosen) -> None:
    st.text(WHAT)
    population, name = chosen.population, chosen.classifier
    if name not in population.scores or name not in population.predictions:
        st.info(plain(f"This needs a score to sort by, and {name} has only predictions."))
        return
    table = compared(population, name)
    allocation = way_input(
        "How are the labels shared among the strata?",
        list(ALLOCATIONS),
        key="compare-allocation",
        format_func=ALLOCATIONS.__getitem__,
    )
    row = best(table, allocation)
    st.markdown(f"**{plain(best_sentence(row, table.attrs['assumption']))}**")
    if allocation in ABOUT:
        st.caption(ABOUT[allocation])
    else:
        st.warning(FROZEN)
    chart = stratifications_chart(readable(table), ALLOCATIONS[allocation])
    st.caption(SHORT)
    draw(chart, "compare-strata-picture", "All of them as a table")
    with st.expander("The formulas"):
        st.markdown(FORMULAS)
    if allocation in ABOUT:
        params = {"allocation": allocation, "stratification": row["stratification"]}
        params["n_strata"] = int(row["n_strata"])
        offer(replace(project(chosen, ACCURACY), design="stratified", params=params), "strata")


def compared(population: Population, classifier: str) -> pd.DataFrame:
    """The table of all ways, remembered."""

    def table() -> pd.DataFrame:
        return compare_stratifications(population, classifier, step=waiting.went)

    key = population.fingerprint, classifier
    return waiting.worked_out("stratifications", key, TRYING, table)


def best(table: pd.DataFrame, allocation: str) -> dict[str, Any]:
    """The row with the least variance; of equally good ones that with the fewest strata."""
    mine = table[table["allocation"] == allocation]
    return dict(mine.assign(near=mine["ratio"].round(3)).sort_values(["near", "n_strata"]).iloc[0])


def best_sentence(row: dict[str, Any], assumption: str) -> str:
    """What the best cut saves, for somebody who has never heard of strata."""
    how = f"{int(row['n_strata'])} strata by {STRATIFICATIONS[row['stratification']]}"
    shared = f"labels shared {ALLOCATIONS[row['allocation']]}"
    if row["saved"] <= 0:
        return (
            f"The best here are {how}, {shared}, and they save nothing against a plain random "
            f"sample ({assumption})."
        )
    same = round(200 / row["ratio"])
    return (
        f"The best here are {how}, {shared}: 200 labels are as good as about {same:,} of a plain "
        f"random sample, {words.percent(row['saved'], 0)} saved ({assumption})."
    )


def readable(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(
        stratification=table["stratification"].str.upper(),
        allocation=table["allocation"].map(ALLOCATIONS),
    )
