"""Beside the item: what is known now."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from labelcore.charts import Chart, candidates_chart, history_chart
from labelcore.promises import CandidateState
from labelcore.report.markup import tied
from labelcore.results.types import Choice, Claim
from labelcore.session.session import Session
from labelcore.ui import curve_view
from labelcore.ui.choice_view import choice_of
from labelcore.ui.claims_view import (
    claim_chart,
    claim_digits,
    claims_of,
    first_open,
    forms_box,
    short_words,
)
from labelcore.ui.facts import (
    counts,
    curve_first,
    decision,
    drawn_digits,
    estimand_name,
    existing_line,
    figure,
    first_figure_line,
    main_and_other,
    promise_line,
)
from labelcore.words.choices import candidate_short, choice_short
from labelcore.words.sentences import range_text

CHART_EVERY, CURVE_HEIGHT = 5, 270
# The browser draws a chart for 40 ms; sent a moment later, it does not hold up the next item.
SETTLE_SECONDS = 0.04
CHART, VIEW, HIDDEN, UNFOLDED = "chart drawn", "curve view", "figures hidden", "figures unfolded"
NO_MODE_BAR = {"displayModeBar": False}
LONG_NAME, LONGEST_NAME = 16, 22


def show_figures(project: str, session: Session) -> None:
    """What is known; a narrow screen shows one line of it until it is unfolded.

    Every element costs time before the next item is painted, so each text is one of them.
    """
    if curve_first(session):
        _curve_figures(session)
        return
    if (choice := choice_of(session)) is not None:
        _choice_figures(session, choice)
        return
    results, others = main_and_other(session)
    due = first_figure_line(session)
    rows = [(estimand_name(one.estimand), figure(one)) for one in results]
    claims = claims_of(session)
    _one_line("\n".join(filter(None, [due or "   ".join(rows[0]), short_words(claims)])))
    with st.container(key="wide"):
        if st.session_state.get(HIDDEN):
            _hide_button(True)
            return
        _rows(rows)
        if claims:
            with st.container(key="claims"):
                st.text("\n\n".join(tied(one.sentence()) for one in claims))
        st.text(due or tied(results[0].sentence()))
        _terms(session, promise_line(session))
        if others and not due:
            with st.expander("Other classifiers, from the same labels", key="others"):
                st.text("\n".join(f"{estimand_name(o.estimand)}   {figure(o)}" for o in others))
        forms_box([*results, *others], "forms")
        show_chart(session, first_open(claims))
        _hide_button(False)


def _curve_figures(session: Session) -> None:
    """A few ranks in figures, the sentence, the curve: as they were at the last look or step."""
    kept = st.session_state.get(VIEW)
    now = curve_view.view(session, kept)
    st.session_state[VIEW] = now
    rows = list(now.rows)
    _one_line(now.wait or "   ".join(rows[0]))
    with st.container(key="wide"):
        if st.session_state.get(HIDDEN):
            _hide_button(True)
            return
        if rows:
            _rows(rows, "Precision of the first items by score")
        else:
            st.text(now.wait)
        place = st.container()
        if rows:
            st.text(tied(now.sentence))
        _terms(session, now.terms)
        _hide_button(False)
        if now.chart is not None:
            if now is not kept:
                time.sleep(SETTLE_SECONDS)
            place.plotly_chart(
                now.chart.figure,
                key="curve-chart",
                alt=now.chart.alt,
                height=CURVE_HEIGHT,
                config=NO_MODE_BAR,
            )


def _choice_figures(session: Session, choice: Choice) -> None:
    """The answer so far, the candidates that are left, and the picture of their bounds."""
    _one_line(choice_short(choice))
    with st.container(key="wide"):
        if st.session_state.get(HIDDEN):
            _hide_button(True)
            return
        rows = [_candidate_row(one) for one in choice.bounds.to_dict("records")]
        _rows(rows, "Precision of the candidates, in %")
        st.text(tied(choice.sentence()))
        _terms(session, promise_line(session))
        _hide_button(False)
        time.sleep(SETTLE_SECONDS)
        chart = candidates_chart(choice)
        st.plotly_chart(chart.figure, key="candidates-chart", alt=chart.alt, config=NO_MODE_BAR)


def _candidate_row(one: Mapping[Any, Any]) -> tuple[str, str]:
    """A candidate's name, the bounds of its precision, and how it stands."""
    state = candidate_short(CandidateState(one["state"]))
    return str(one["classifier"]), f"{range_text(one['low'], one['high'], unit='')} · {state}"


def unfold_switch() -> None:
    """For narrow screens: the style sheet shows the figures when the container is called unfolded.
    It stands outside the part that is drawn anew with each key."""
    unfolded = bool(st.session_state.get(UNFOLDED))
    with st.container(key="unfolded" if unfolded else "folded"):
        st.button(
            "Fold the figures" if unfolded else "Show the figures",
            key=f"unfold-{unfolded}",
            type="tertiary",
            on_click=set_unfolded,
            args=(not unfolded,),
        )


def set_unfolded(unfolded: bool) -> None:
    st.session_state[UNFOLDED] = unfolded


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


def _one_line(text: str) -> None:
    with st.container(key="narrow"):
        st.text(text)


def _rows(rows: list[tuple[str, str]], title: str = "") -> None:
    """Names and figures below each other; the style sheet aligns what follows a tab. Long names,
    such as those of classes, have their figures below them."""
    longest = max(len(name) for name, _ in rows)
    below = longest > LONGEST_NAME
    with st.container(key="figures-far" if longest > LONG_NAME else "figures"):
        lines = [f"{name}\n   {value}" if below else f"{name}\t{value}" for name, value in rows]
        st.text("\n".join([*([title] if title else []), *lines]))


def _terms(session: Session, promise: str) -> None:
    """The conditions under which the figures hold."""
    lines = [
        counts(session).by_kind,
        f"{session.population.name} · {len(session.population):,} items",
        decision(session),
        tied(promise),
        *filter(None, [existing_line(session)]),
    ]
    with st.container(key="quiet-wide"):
        st.text("\n".join(lines))


@dataclass(frozen=True)
class Drawn:
    """The chart on the screen, and what it was drawn of."""

    project: str
    digits: tuple[object, ...]
    labels: int
    chart: Chart

    def differs(self, session: Session, digits: tuple[object, ...]) -> bool:
        """Whether the session has moved on so far that the chart is to be drawn anew."""
        many = abs(session.labels - self.labels) >= CHART_EVERY
        return self.project != session.project or self.digits != digits or many


def show_chart(session: Session, claim: Claim | None = None) -> None:
    """The history of the primary figure, or the evidence for a claim: drawn anew when it would look
    different, at the latest after five labels.

    The same figure object means the same bytes, which the browser does not draw again.
    """
    kept: Drawn | None = st.session_state.get(CHART)
    digits = drawn_digits(session) if claim is None else claim_digits(session, claim)
    if kept is None or kept.differs(session, digits):
        looks = session.looks()
        if not any(_has_value(look) for look in looks):
            st.session_state.pop(CHART, None)
            return
        chart = _primary_chart(session, looks) if claim is None else claim_chart(session, claim)
        kept = Drawn(session.project, digits, session.labels, chart)
        st.session_state[CHART] = kept
        time.sleep(SETTLE_SECONDS)
    chart = kept.chart
    st.plotly_chart(chart.figure, key="history-chart", alt=chart.alt, config=NO_MODE_BAR)


def _primary_chart(session: Session, looks: list[dict[str, Any]]) -> Chart:
    key = next(iter(session.results()))
    return history_chart(looks, key, margin=session.plan.margin, label=estimand_name(key))


def _has_value(look: dict[str, Any]) -> bool:
    """Whether there is a value, or an interval without one."""
    found = look.get("results", {}).values()
    return any(one.get("value") is not None or one.get("tentative") for one in found)
