"""New project, step 4: how sure, what it costs, by which method."""

from __future__ import annotations

import secrets

import streamlit as st

from labelcore import words
from labelcore.charts import labels_margin_chart
from labelcore.designs import DESIGNS, Design
from labelcore.plan import Plan
from labelcore.population import Population
from labelcore.ui import outlook
from labelcore.ui.draft import Aim
from labelcore.ui.facts import SECONDS_AN_ITEM
from labelcore.ui.guard import sentence
from labelcore.ui.new_number import within
from labelcore.ui.params_form import params_form
from labelcore.ui.plain import plain
from labelcore.ui.times import minutes

BUDGET, MARGIN = "I can label so many items", "I need to be this sure"
CONFIDENCES = (0.9, 0.95, 0.99)
PROMISES = {
    "watched": "I look while I label, and may stop when I like",
    "fixed": "I look once, when all planned labels are there",
}
PROMISE_CAPTIONS = (
    "The interval is valid at every look; it is about half again as wide for that.",
    "Narrower, but the interval is given only at the planned number of labels.",
)
RECOMMENDED = "recalibrated_neyman"
FIRST_BUDGET, LARGEST_PICTURE = 200, 4000


def sure_step(aim: Aim, population: Population) -> Plan | None:
    st.subheader("4 · How sure?", anchor=False)
    amount = how_much(len(population))
    confidence, promise = promise_inputs()
    method = advanced(aim)
    if amount is None or method is None:
        st.info("Correct the number that is out of bounds to go on.")
        return None
    budget, margin = amount
    design, params, seed = method
    fault = too_few_to_watch(DESIGNS[design], promise, budget)
    if fault:
        st.error(plain(fault))
        return None
    try:
        plan = Plan(
            design,
            aim.estimands,
            classifier=aim.classifier,
            params=params,
            margin=margin,
            budget=budget,
            confidence=confidence,
            promise=promise,
            seed=seed,
            target=aim.target,
        )
        with st.spinner("Working out what the labels will give ..."):
            found = outlook.lines(population, population.fingerprint, plan.to_json())
    except (ValueError, TypeError) as error:
        st.error(plain(sentence(error)))
        return None
    if found[0].refused:
        st.error(plain(found[0].refused))
        return None
    show_outlook(plan, population, found)
    return plan


def too_few_to_watch(design: Design, promise: str, budget: int | None) -> str:
    """Why so few labels cannot be watched, in the words of the page; nothing where they can.

    >>> too_few_to_watch(DESIGNS["recalibrated_neyman"], "watched", 5)
    "Watching while you label needs at least 40 labels; label more, or choose 'I look once, when
    all planned labels are there'."
    """
    least = design.smallest_watched_budget
    if promise != "watched" or budget is None or budget >= least:
        return ""
    return (
        f"Watching while you label needs at least {least} labels; label more, or choose "
        f"{PROMISES['fixed']!r}."
    )


def how_much(size: int) -> tuple[int | None, float | None] | None:
    """Budget and margin, one of them None; None while the number is out of bounds."""
    way = st.segmented_control(
        "Start from",
        [BUDGET, MARGIN],
        default=BUDGET,
        required=True,
        key="new-way",
        persist_state="session",
    )
    if way == BUDGET:
        budget = st.number_input(
            "I can label so many items today: what will I know?",
            value=min(FIRST_BUDGET, size),
            key=f"new-budget-{size}",
            persist_state="session",
        )
        return (int(budget), None) if within(budget, 1, size) else None
    points = st.number_input(
        "Plus or minus so many percentage points",
        value=5.0,
        step=0.5,
        key="new-margin",
        persist_state="session",
    )
    return (None, float(points) / 100) if within(points, 0.1, 49) else None


def promise_inputs() -> tuple[float, str]:
    """The confidence, and when the person will look."""
    confidence = st.segmented_control(
        "Confidence",
        CONFIDENCES,
        default=0.95,
        required=True,
        key="new-confidence",
        format_func=words.confidence_words,
        persist_state="session",
    )
    promise = st.radio(
        "When will you look?",
        list(PROMISES),
        format_func=PROMISES.get,
        captions=PROMISE_CAPTIONS,
        key="new-promise",
        persist_state="session",
    )
    return float(confidence), promise


def advanced(aim: Aim) -> tuple[str, dict[str, object], int] | None:
    """Method, its parameters and the seed; None while a number is out of bounds.

    The recommended method stands first unless it cannot serve.
    """
    names = [name for name, design in DESIGNS.items() if set(aim.estimands) <= {*design.estimands}]
    first = RECOMMENDED if aim.classifier is not None and RECOMMENDED in names else names[0]
    with st.expander("Advanced: method, parameters, seed"):
        name = st.selectbox(
            "Method",
            names,
            index=names.index(first),
            key=f"new-design-{first}",
            format_func=lambda n: DESIGNS[n].label,
            persist_state="session",
        )
        st.caption(plain(DESIGNS[name].summary))
        params = params_form(DESIGNS[name])
        st.session_state.setdefault("new-first-seed", secrets.randbelow(1_000_000))
        seed = st.number_input(
            "Seed of the random draws",
            value=st.session_state["new-first-seed"],
            key="new-seed",
            persist_state="session",
        )
        sound = within(seed, 0, None)
    return (name, params, int(seed)) if sound and params is not None else None


def show_outlook(plan: Plan, population: Population, found: list[outlook.Line]) -> None:
    """The price at once, beside the plain method, and as a picture."""
    chosen = found[0]
    widest = max((chosen.half_widths or {"": 0.5}).values())
    about = "About" if plan.margin else "With"
    st.markdown(
        f"**{about} {chosen.labels:,} labels, {minutes(chosen.labels * SECONDS_AN_ITEM)}: "
        f"± {words.points(widest)}**"
    )
    if plan.margin and widest > plan.margin + 1e-9:
        st.warning("Even all labels allowed are not expected to reach this margin.")
    st.dataframe(outlook.table(found, plan.estimands), hide_index=True, key="new-outlook")
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
