"""New project, step 4: how sure, what it costs, by which method."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore import words
from labelcore.charts import labels_margin_chart
from labelcore.designs import DESIGNS, Design
from labelcore.estimands import CURVES, SUMMARIES
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
CORRECT = "Correct the number that is out of bounds to go on."
PROMISE_CAPTIONS = (
    "The interval is valid at every look; it is about half again as wide for that.",
    "Narrower, but the interval is given only at the planned number of labels.",
)
BAND_CAPTIONS = (
    "One band for all ranks, after 25, 50, 75 and 100 % of the labels; somewhat wider for that.",
    "One band for all ranks, narrower, but given only at the planned number of labels.",
)
FIRST_BUDGET, LARGEST_PICTURE = 200, 4000
# What a method may derive from its parameters, by the names of its source.
DERIVED = {
    "g_ell": "items at the head that are all labelled (g_ell)",
    "ell": "first step of the grid (ell)",
    "L": "last step of the grid (L)",
    "m": "stretches averaged (m)",
    "gamma": "gamma",
    "factor": "largest factor between the bounds, gamma (1 + epsilon)",
}


@dataclass(frozen=True)
class Method:
    """A design with its parameters and seed, and the place on the page where they stand."""

    design: Design
    params: dict[str, object]
    seed: int
    place: DeltaGenerator


def sure_step(aim: Aim, population: Population) -> Plan | None:
    st.subheader("4 · How sure?", anchor=False)
    above = st.container()
    method = advanced(aim)
    if method is None:
        st.info(CORRECT)
        return None
    with above:
        terms = size_and_promise(aim, population, method)
    if terms is None:
        return None
    try:
        plan = Plan(
            method.design.name,
            aim.estimands,
            classifier=aim.classifier,
            params=method.params,
            seed=method.seed,
            target=aim.target,
            **terms,
        )
        with st.spinner("Working out what the labels will give ..."):
            found = outlook.lines(population, population.fingerprint, plan.to_json())
    except (ValueError, TypeError) as error:
        st.error(plain(sentence(error)))
        return None
    if found[0].refused:
        st.error(plain(found[0].refused))
        return None
    show_derived(method, found[0])
    if method.design.size_from_params:
        show_size(method.design, found)
    else:
        show_outlook(plan, population, found)
    return plan


def size_and_promise(aim: Aim, population: Population, method: Method) -> dict[str, Any] | None:
    """Budget or margin, confidence and promise; None while a number is out of bounds."""
    design = method.design
    if design.size_from_params:
        return {"promise": design.promises[0]}
    try:
        least = fewest(aim, population, method)
    except (ValueError, TypeError) as error:
        st.error(plain(sentence(error)))
        return None
    amount = how_much(len(population), least, along_ranks(aim))
    confidence, promise = promise_inputs("margin" not in design.stop_rules)
    if amount is None:
        st.info(CORRECT)
        return None
    budget, margin = amount
    fault = too_few_to_watch(design, promise, budget)
    if fault:
        st.error(plain(fault))
        return None
    return {"budget": budget, "margin": margin, "confidence": confidence, "promise": promise}


def along_ranks(aim: Aim) -> bool:
    """Whether the aim is a curve or a number of a whole ranked list."""
    return any(name in CURVES or name in SUMMARIES for name in aim.estimands)


def fewest(aim: Aim, population: Population, method: Method) -> int:
    """The fewest labels that the method can be planned with on this file."""
    if not along_ranks(aim):
        return 1
    plan = Plan(
        method.design.name,
        aim.estimands,
        classifier=aim.classifier,
        params=method.params,
        budget=len(population),
        target=aim.target,
    )
    return outlook.least(population, population.fingerprint, plan.to_json())


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


def how_much(size: int, least: int, curve: bool) -> tuple[int | None, float | None] | None:
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
        first = min(max(FIRST_BUDGET, least), size)
        budget = st.number_input(
            "I can label so many items today: what will I know?",
            value=first,
            key=f"new-budget-{size}" + (f"-{first}" if curve else ""),
            persist_state="session",
        )
        if least > 1:
            st.caption(f"This method needs at least {least:,} labels on this file.")
        return (int(budget), None) if within(budget, least, size) else None
    if curve:
        st.caption("Half the width of the band, at the rank where it is widest.")
    points = st.number_input(
        "Plus or minus so many percentage points",
        value=5.0,
        step=0.5,
        key="new-margin",
        persist_state="session",
    )
    return (None, float(points) / 100) if within(points, 0.1, 49) else None


def promise_inputs(curve: bool) -> tuple[float, str]:
    """The confidence, and when the person will look; a curve has its band at a few looks."""
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
        captions=BAND_CAPTIONS if curve else PROMISE_CAPTIONS,
        key="new-promise",
        persist_state="session",
    )
    return float(confidence), promise


def advanced(aim: Aim) -> Method | None:
    """Method, its parameters and the seed; None while a number is out of bounds."""
    names = possible(aim)
    first = recommended(aim, names)
    box = st.expander("Advanced: method, parameters, seed")
    with box:
        name = st.selectbox(
            "Method",
            names,
            index=names.index(first),
            key=f"new-design-{first}",
            format_func=lambda n: DESIGNS[n].label,
            persist_state="session",
        )
        design = DESIGNS[name]
        st.caption(plain(design.summary))
        params = params_form(design)
        st.session_state.setdefault("new-first-seed", secrets.randbelow(1_000_000))
        seed = st.number_input(
            "Seed of the random draws",
            value=st.session_state["new-first-seed"],
            key="new-seed",
            persist_state="session",
        )
        sound = within(seed, 0, None)
    return Method(design, params, int(seed), box) if sound and params is not None else None


def possible(aim: Aim) -> list[str]:
    """The methods that can answer the question, about the items it is about."""
    able = [name for name, one in DESIGNS.items() if {*aim.estimands} <= {*one.estimands}]
    return [name for name in able if aim.target in DESIGNS[name].targets] or able


def recommended(aim: Aim, names: list[str]) -> str:
    """Of the recommended methods the most special one; the first of all without a classifier."""
    good = [name for name in names if DESIGNS[name].recommended and aim.classifier is not None]
    return min(good, key=lambda name: len(DESIGNS[name].estimands), default=names[0])


def show_derived(method: Method, line: outlook.Line) -> None:
    """What follows from the parameters, beside them."""
    rows = [f"{words}: {line.derived[name]:,.4g}" for name, words in DERIVED.items()
            if name in line.derived]  # fmt: skip
    if rows:
        with method.place:
            st.caption("What follows from these parameters")
            st.text("\n".join(rows))


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


def show_outlook(plan: Plan, population: Population, found: list[outlook.Line]) -> None:
    """The price at once, beside the plain method, and as a picture."""
    chosen = found[0]
    widest = max(chosen.half_widths.values(), default=0.5)
    about = "About" if plan.margin else "With"
    where = " where the band is widest" if "precision_curve" in chosen.half_widths else ""
    st.markdown(
        f"**{about} {chosen.labels:,} labels, {minutes(chosen.labels * SECONDS_AN_ITEM)}: "
        f"± {words.points(widest)}{where}**"
    )
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
