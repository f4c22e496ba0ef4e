"""New project, step 4: what the plan will cost and give, at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore import words
from labelcore.charts import labels_margin_chart
from labelcore.designs import Design
from labelcore.estimands import SUMMARIES
from labelcore.plan import Plan
from labelcore.population import Population
from labelcore.ui import outlook
from labelcore.ui.facts import SECONDS_AN_ITEM
from labelcore.ui.plain import plain
from labelcore.ui.times import minutes

LARGEST_PICTURE = 4000
TOO_CLOSE = (
    "If the scores are right, these labels are not expected to settle every claim: what is claimed "
    "lies too close to the truth."
)
# What a method may derive from its parameters, by the names of its source.
DERIVED = {
    "g_ell": "items at the head that are all labelled (g_ell)",
    "ell": "first step of the grid (ell)",
    "L": "last step of the grid (L)",
    "m": "stretches averaged (m)",
    "gamma": "gamma",
    "k": "items called positive for each one not called so (k)",
    "s_star": "over-sampling that makes recall most certain (s*)",
    "ratio": "over-sampling used (s)",
    "pi_1": "precision planned with (pi_1)",
    "pi_0": "false omission rate planned with (pi_0)",
    "n_1": "labels among the items called positive (n_1)",
    "n_0": "labels among the others (n_0)",
    "expected_savings": "labels saved by recycling",
    "parent_intersection": "share of the parent's items that the child calls positive too",
    "child_intersection": "share of the child's items that the parent calls positive too",
    "n_gamma": "labels of one candidate until its precision is settled within the slack (n_gamma)",
    "n_epsilon": "labels of one candidate until its reach is settled within the slack (n_epsilon)",
    "T": "draws at the most (T)",
    "label_bound": "draws after which the choice is made for sure (theorems 2 and 3)",
    "factor": "largest factor between the bounds, gamma (1 + epsilon)",
}


def show_derived(place: DeltaGenerator, line: outlook.Line) -> None:
    """What follows from the parameters, beside them."""
    rows = [
        f"{words}: {derived_words(line.derived[name])}"
        for name, words in DERIVED.items()
        if line.derived.get(name) is not None
    ]
    if rows:
        with place:
            st.caption("What follows from these parameters")
            st.text("\n".join(rows))


def derived_words(value: Any) -> str:
    """A number, or one for each classifier.

    >>> derived_words(11292), derived_words({"B": 0.5, "C": 0.25})
    ('11,292', 'B 0.5, C 0.25')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {derived_words(one)}" for name, one in value.items())
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def show_size(design: Design, found: list[outlook.Line]) -> None:
    """A method whose number of labels follows from its parameters, and what it promises."""
    chosen = found[0]
    st.markdown(
        f"**{plain(design.label)} asks for exactly {chosen.labels:,} labels with these parameters, "
        f"{minutes(chosen.labels * SECONDS_AN_ITEM)}.**"
    )
    st.text("It assumes that " + ".\nAnd: ".join(design.assumptions) + ".")
    others = [one for one in found if not one.refused and one.half_widths]
    if others:
        st.caption("Other methods for the same question, with as many labels:")
        st.dataframe(outlook.table(others, list(others[0].half_widths)), hide_index=True)


def show_choice(found: list[outlook.Line]) -> None:
    """What a choice between candidates may cost."""
    chosen = found[0]
    st.markdown(
        f"**At most {chosen.most:,} labels, "
        f"{minutes(chosen.most * SECONDS_AN_ITEM)}: it ends by itself as soon as the choice is "
        "made.**"
    )
    st.caption(
        "How many it takes depends on how far the candidates lie from the wanted precision and "
        "from each other."
    )


def show_outlook(plan: Plan, population: Population, found: list[outlook.Line]) -> None:
    """The price at once, beside the plain method, and as a picture."""
    chosen = found[0]
    widest = max(chosen.half_widths.values(), default=0.5)
    about = "About" if plan.margin or plan.claims else "With"
    where = " where the band is widest" if "precision_curve" in chosen.half_widths else ""
    until = " until every claim is settled, and then" if plan.claims else ":"
    st.markdown(
        f"**{about} {chosen.labels:,} labels, {minutes(chosen.labels * SECONDS_AN_ITEM)}{until} "
        f"± {words.points(widest)}{where}**"
    )
    if plan.calibrated_stop:
        st.caption(
            f"It ends by itself as soon as plus or minus {words.goal_points(plan.margin or 0)} is "
            f"reached, and shows only the value until then: {chosen.labels:,} labels expected, "
            f"{chosen.most:,} at most."
        )
    if plan.claims and chosen.labels >= min(plan.budget or len(population), len(population)):
        st.warning(TOO_CLOSE)
    if plan.margin and widest > plan.margin + 1e-9:
        st.warning("Even all labels allowed are not expected to reach this margin.")
    shown = [name for name in plan.estimands if name not in SUMMARIES]
    st.dataframe(outlook.table(found, shown), hide_index=True, key="new-outlook")
    most = min(max(4 * chosen.labels, 400), LARGEST_PICTURE)
    most = max(most, chosen.labels)
    data = outlook.curves(population, population.fingerprint, plan.to_json(), most)
    chart = labels_margin_chart(data, margin=plan.margin)
    st.plotly_chart(
        chart.figure, key="new-picture", alt=chart.alt, height=260, config={"displayModeBar": False}
    )
    st.caption(
        "Expected from the scores as if they were right; the interval itself never relies on that."
    )
