"""The read-only page: live in every browser that has its link."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from labelcore.charts import (
    Chart,
    history_chart,
    precision_rank_chart,
    precision_recall_chart,
    strata_chart,
)
from labelcore.results import Estimate
from labelcore.session import Session
from labelcore.ui import sessions
from labelcore.ui.facts import (
    counts,
    decision,
    estimand_name,
    figure,
    main_and_other,
    progress_line,
    promise_line,
)
from labelcore.ui.guard import guard
from labelcore.ui.plain import plain
from labelcore.ui.reporting import table
from labelcore.ui.states import TITLES
from labelcore.ui.times import clock, reader_zone

EVERY_SECONDS = 1
DRAWN = "progress drawn"
NO_MODE_BAR = {"displayModeBar": False}


def progress_page(project: str) -> None:
    sessions.session(project)
    st.title(plain(project, 80), anchor=False)
    whole_picture(project)
    tick(project)


def whole_picture(project: str) -> None:
    """Everything; drawn again only when ``tick`` finds new events."""
    session = sessions.session(project)
    sequence = sessions.store().last_sequence(project)
    estimates, others = main_and_other(session)
    st.session_state[DRAWN] = (project, sequence)
    _counts(session)
    with st.container(key="sentence"):
        st.text(estimates[0].sentence())
    _estimates(estimates)
    if others:
        with st.expander("Other classifiers, from the same labels"):
            st.dataframe(table(others), hide_index=True)
    left, right = st.columns(2)
    with left:
        _history(session, [*estimates, *others])
    with right:
        _curves(session)
    _strata(session)


@st.fragment(run_every=EVERY_SECONDS)
def tick(project: str) -> None:
    """Look whether the log has grown: one cheap question to the store."""
    with guard():
        last = sessions.store().last_sequence(project)
        with st.container(key="quiet-live"):
            st.text(f"Live: looked at {clock(datetime.now(UTC).isoformat(), reader_zone())}.")
        if st.session_state.get(DRAWN) != (project, last):
            st.rerun()


def _counts(session: Session) -> None:
    last = session.last_answer()
    now = counts(session)
    status = TITLES[session.status] if session.status != "open" else "Labelling is going on"
    st.progress(now.share)
    with st.container(key="line"):
        st.text(f"{status} · {progress_line(now, clock(last.at, reader_zone()) if last else None)}")
        st.text(
            f"{session.population.name}, {len(session.population):,} items · "
            f"{decision(session)} · {promise_line(session)}"
        )


def _estimates(estimates: list[Estimate]) -> None:
    with st.container(key="figures"):
        for place, (column, one) in enumerate(
            zip(st.columns(max(len(estimates), 1)), estimates, strict=True)
        ):
            with column, st.container(key=f"value-{place}", gap=None):
                st.caption(plain(estimand_name(one.estimand)))
                st.text(figure(one))


def _history(session: Session, estimates: list[Estimate]) -> None:
    st.subheader("The estimate, label by label", anchor=False)
    looks = session.looks()
    if not any(one.value is not None for one in estimates):
        st.text("This picture starts with the first figure.")
        return
    keys = [one.estimand for one in estimates]
    key = keys[0]
    if len(keys) > 1:
        key = st.selectbox(
            "Which figure?",
            keys,
            format_func=estimand_name,
            key="which",
            label_visibility="collapsed",
        )
    name = estimand_name(key)
    chart = history_chart(looks, key, margin=session.plan.margin, label=name)
    draw(chart, "history", f"{name} as a table")


def _curves(session: Session) -> None:
    st.subheader("Along the score", anchor=False)
    try:
        precision, recall = session.curves()
    except ValueError:
        st.text("There is no curve: the classifier has no score.")
        return
    if precision.state != "interval":
        st.text("The curves come with the first interval.")
        return
    draw(precision_rank_chart(precision), "curve-precision", "Precision by rank as a table")
    draw(
        precision_recall_chart(precision, recall), "curve-recall", "Precision and recall as a table"
    )


def _strata(session: Session) -> None:
    st.subheader("Where the labels went, and where the uncertainty is", anchor=False)
    draw(strata_chart(session.strata()), "strata", "The strata as a table")


def draw(chart: Chart, key: str, title: str) -> None:
    """A chart, and the same numbers as a table one click away."""
    st.plotly_chart(chart.figure, key=key, alt=chart.alt, config=NO_MODE_BAR)
    with st.expander(title):
        st.dataframe(chart.table, hide_index=True, key=f"table-{key}")
