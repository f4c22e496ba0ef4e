"""Beside the item: what is known now."""

from __future__ import annotations

import time

import streamlit as st

from labelcore import words
from labelcore.charts import history_chart
from labelcore.results import Estimate
from labelcore.session import Session
from labelcore.ui.facts import (
    counts,
    decision,
    drawn_digits,
    estimand_name,
    figure,
    first_figure_line,
    main_and_other,
    promise_line,
)
from labelcore.ui.plain import plain
from labelcore.ui.times import clock, reader_zone

CHART_EVERY = 5
# The browser draws a chart for 40 ms; sent a moment later, it does not hold up the next item.
SETTLE_SECONDS = 0.04
CHART, HIDDEN = "chart drawn", "figures hidden"


def show_figures(project: str, session: Session) -> None:
    """Estimates, sentence, counts and terms; on a narrow screen folded into one line."""
    results, others = main_and_other(session)
    with st.container(key="narrow"), st.expander(_one_line(session, results), key="narrow-figures"):
        for result in results:
            st.text(f"{estimand_name(result.estimand)}  {figure(result)}")
        st.text(results[0].sentence())
        _terms(session, "narrow")
    with st.container(key="wide"):
        hidden = bool(st.session_state.get(HIDDEN))
        if hidden:
            _hide_button(hidden)
            return
        due = first_figure_line(session)
        with st.container(key="figures"):
            for place, result in enumerate(results):
                key = "live" if place == 0 else f"value-{place}"
                with st.container(key=key, horizontal=True, vertical_alignment="center"):
                    st.text(estimand_name(result.estimand), width=84)
                    st.text(figure(result))
        if due:
            st.text(due)
        else:
            st.text(results[0].sentence())
        _terms(session, "wide")
        if others and not due:
            with st.expander("Other classifiers, from the same labels", key="others"):
                st.text("\n".join(f"{estimand_name(o.estimand)}   {figure(o)}" for o in others))
        show_chart(session)
        _hide_button(hidden)


def set_hidden(hidden: bool) -> None:
    st.session_state[HIDDEN] = hidden


def _hide_button(hidden: bool) -> None:
    """A button: a switch would keep the focus, and the answer keys would be dead."""
    st.button(
        "Show the figures" if hidden else "Hide the figures",
        key=f"hide-{hidden}",
        type="tertiary",
        on_click=set_hidden,
        args=(not hidden,),
    )


def _one_line(session: Session, results: list[Estimate]) -> str:
    due = first_figure_line(session)
    first = results[0]
    return plain(due or f"{estimand_name(first.estimand)} {figure(first)}")


def _terms(session: Session, where: str) -> None:
    """The conditions under which the figures hold."""
    last = session.last_answer()
    now = counts(session)
    unsettled = f" · {now.unsure} not sure" if now.unsure else ""
    lines = [
        f"{words.count(session.labels)}{unsettled}"
        + (f" · saved {clock(last.at, reader_zone())}" if last else ""),
        f"{session.population.name} · {len(session.population):,} items",
        decision(session),
        promise_line(session),
    ]
    with st.container(key=f"quiet-{where}"):
        st.text("\n".join(lines))


def show_chart(session: Session) -> None:
    """The history chart: drawn anew when it would look different, at the latest after five labels.

    The same figure object means the same bytes, which the browser does not draw again.
    """
    kept = st.session_state.get(CHART)
    digits = drawn_digits(session)
    old = kept is None or kept["project"] != session.project
    if old or digits != kept["digits"] or abs(session.labels - kept["labels"]) >= CHART_EVERY:
        looks = session.looks()
        if not any(_has_value(look) for look in looks):
            st.session_state.pop(CHART, None)
            return
        key = next(iter(session.results()))
        chart = history_chart(looks, key, margin=session.plan.margin, label=estimand_name(key))
        kept = {
            "project": session.project,
            "digits": digits,
            "labels": session.labels,
            "figure": chart.figure,
            "alt": chart.alt,
        }
        st.session_state[CHART] = kept
        time.sleep(SETTLE_SECONDS)
    st.plotly_chart(
        kept["figure"], key="history-chart", alt=kept["alt"], config={"displayModeBar": False}
    )


def _has_value(look: dict) -> bool:
    return any(figures.get("value") is not None for figures in look.get("results", {}).values())
