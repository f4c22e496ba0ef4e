"""The read-only page: live in every browser that has its link."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from labelcore.charts.base import Chart
from labelcore.charts.history import history_chart
from labelcore.charts.history_table import history_rows
from labelcore.charts.strata import left_out_words, strata_chart
from labelcore.designs.curves import Curve
from labelcore.report.along_ranks import headline, rank_names
from labelcore.report.markup import tied
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.safe_text import one_line, plain
from labelcore.session.session import Session
from labelcore.ui import curve_view, sessions, visitor
from labelcore.ui.chart import show_chart
from labelcore.ui.choice_view import choice_panel, lists_panel
from labelcore.ui.claims_view import FORMS_TITLE, claims_panel, form_lines
from labelcore.ui.compare import compare_panel, compares_pairs, pairs_panel
from labelcore.ui.confusion import confusion_panel, predicted
from labelcore.ui.figures import PICTURE, choose, chosen_picture, keeps_back, terms
from labelcore.ui.label_errors import settled_line
from labelcore.ui.lines import fold, quiet
from labelcore.ui.page_errors import guard
from labelcore.ui.picture import show_picture
from labelcore.ui.presses import show_unrecorded, show_unsafe
from labelcore.ui.setup import way_to_explore, way_to_label
from labelcore.ui.status import (
    at_an_end,
    counts,
    decision,
    existing_line,
    figure_name,
    goal_line,
    main_and_other,
    progress_parts,
)
from labelcore.ui.systems import systems_panel
from labelcore.ui.tables import number_table
from labelcore.ui.times import clock, reader_zone
from labelcore.ui.watch_tables import may_be_watched, way_to_begin
from labelcore.ui.without_item import title
from labelcore.words.differences import is_difference
from labelcore.words.sentences import BY_EARLIER_RULE
from labelcore.words.unsure import EITHER_WAY_TITLE, either_way_words

EVERY_SECONDS = 1
DRAWN, PAIRS = "progress drawn", "Every pair, and what decides it"
SHARES_OF_LABELS = (
    "Shares are of the labels there, without intervals: they say where labels went and where the "
    "first figure is still uncertain, not how the file is."
)


def progress_page(project: str) -> None:
    question(sessions.session(project))
    whole_picture(project)
    tick(project, DRAWN)


def question(session: Session) -> None:
    """What is asked, as the page's title: the project's name stands in the head."""
    with st.container(key="about"):
        st.title(plain(session.settings.get("question") or session.project, 300), anchor=False)


def whole_picture(project: str) -> None:
    """Everything; drawn again only when ``tick`` finds new events."""
    session = sessions.session(project)
    session.sync()
    sequence = sessions.store().last_sequence(project)
    now = None if keeps_back(session) else chosen_picture(session)
    st.session_state[DRAWN] = (project, sequence)
    show_unrecorded(session)
    show_unsafe()
    how_far(session)
    if now is None:
        return
    systems_panel(session)
    compare_panel(session)
    lines = (now.sentence, settled_line(session), now.of_all, goal_line(session))
    texts = [tied(line) for line in lines if line]
    show_picture(PICTURE, now, choose, large=True, said=texts)
    with st.container(horizontal=True, key="progress-links"):
        _folds(session)
    if at_an_end(session) and visitor.runs_all() and may_be_watched(session.record):
        way_to_begin(project)


def _folds(session: Session) -> None:
    """Everything else, each behind a line that says what it is."""
    results = session.results()
    estimates, others = main_and_other(results)
    figures = [*estimates, *others]
    choice, lists = results.first(Choice), results.first(ListDifference)
    if compares_pairs(session):
        fold(PAIRS, "fold-pairs", lambda: pairs_panel(session))
    fold(terms(session), "fold-terms", lambda: _terms(session, figures))
    if results.of(Claim):
        fold(
            "What is claimed",
            "fold-claims",
            lambda: claims_panel(session, draw, said=headline(session)),
        )
    if choice:
        fold("The candidates", "fold-candidates", lambda: choice_panel(session, choice, draw))
    elif estimates:
        fold("Label by label", "fold-history", lambda: _history(session, figures))
    if lists:
        points = partial(draw, unit="points")
        fold("The two lists, in full", "fold-lists", lambda: lists_panel(session, lists, points))
    elif not choice and curve_view.ranked_by(session) in session.population.scores:
        fold("Along the scores, in full", "fold-curve", lambda: _curves(session))
    worst = [either_way_words(estimate, figure_name(estimate)) for estimate in figures]
    if any(worst):
        fold(EITHER_WAY_TITLE, "fold-unsure", lambda: st.text("\n".join(filter(None, worst))))
    if predicted(session):
        fold("Confusion table", "fold-confusion", lambda: confusion_panel(session))
    if not choice:
        fold("Where the labels went", "fold-strata", lambda: _strata(session))


def _terms(session: Session, estimates: list[Estimate]) -> None:
    """The sentence in full, what it rests on, how the intervals are made."""
    with st.container(key="sentence"):
        st.text(tied(headline(session)))
    with st.container(key="quiet-terms"):
        st.text("\n".join([decision(session), existing_line(session)]).strip())
        if lines := form_lines(estimates):
            st.text(f"{FORMS_TITLE}\n{lines}")


@st.fragment(run_every=EVERY_SECONDS)
def tick(project: str, drawn: str) -> None:
    """Look whether the log has grown: one cheap question to the store. ``drawn`` is where the page
    keeps the project and the event that it shows."""
    with guard("progress", project):
        last = sessions.store().last_sequence(project)
        quiet("live", f"Live: looked at {clock(datetime.now(UTC).isoformat(), reader_zone())}.")
        if st.session_state.get(drawn) != (project, last):
            st.rerun()


def how_far(session: Session) -> None:
    """How far the labelling is."""
    last = session.last_answer(None)
    now = counts(session)
    status = title(session) if now.ended or not session.going_on else "Labelling is going on"
    st.progress(now.share)
    with st.container(key="line"):
        parts = progress_parts(now, clock(last.at, reader_zone()) if last else None)
        st.text(" · ".join([status, *(part for part in parts if part not in status)]))
    way_to_label(session)


def _history(session: Session, estimates: list[Estimate]) -> None:
    names = {estimate.estimand: figure_name(estimate) for estimate in estimates}
    keys = list(names)
    if not any(history_rows(session.course(key), key) for key in keys):
        st.text("This picture starts with the first figure.")
        return
    key = keys[0]
    if len(keys) > 1:
        key = st.selectbox(
            "Which figure?",
            keys,
            format_func=names.__getitem__,
            key="which",
            label_visibility="collapsed",
        )
    name, margin, both = names[key], session.plan.margin, session.plan.classifiers
    chart = history_chart(session.course(key), key, margin=margin, label=name, pair=both)
    if is_difference(key):
        first, second = (one_line(name, 40) for name in session.plan.classifiers)
        draw(chart, "history", f"{name} as a table ({first} minus {second})", unit="points")
        return
    draw(chart, "history", f"{name} as a table")


def _curves(session: Session) -> None:
    try:
        curve = session.curve()
    except ValueError:
        st.text(f"There is no curve: {why_no_curve(session)}.")
        return
    if curve_view.curve_chart(session, curve, "precision").table.empty:
        st.text(f"The curve comes later: {curve.missing}.")
        return
    choice = choose_reading(curve, "progress-reading")
    chart = curve_view.curve_chart(session, curve, choice)
    draw(chart, "curve", f"{curve_view.choices(curve)[choice]} as a table")
    way_to_explore(session)


def why_no_curve(session: Session) -> str:
    if len(session.population.classes) > 2:
        return "the file has more than two classes"
    if session.plan.superseded:
        return BY_EARLIER_RULE.rstrip(".").lower()
    if not session.population.classifiers:
        return "no column is read as a classifier"
    if curve_view.ranked_by(session) not in session.population.scores:
        who = "judge" if session.population.has_judge else "classifier"
        several = len(session.plan.classifiers) > 1 and not session.population.scores
        return f"none of the {who}s has a score" if several else f"the {who} has no score"
    if not session.engine.frame.asked.all():
        return "this project labels only part of the list"
    return "this method estimates none"


def choose_reading(curve: Curve, key: str, without: Sequence[str] = ()) -> str:
    """What is drawn, and in one line what it means; ``without``: what stands elsewhere."""
    every = curve_view.choices(curve).items()
    labels = {name: label for name, label in every if name not in without}
    choice = st.segmented_control(
        "What is read along the ranks",
        list(labels),
        default=next(iter(labels)),
        required=True,
        format_func=labels.__getitem__,
        key=key,
        label_visibility="collapsed",
    )
    st.caption(plain(curve_view.meaning(str(choice))))
    return str(choice)


def _strata(session: Session) -> None:
    names, table = rank_names(session), session.strata()
    st.caption(SHARES_OF_LABELS)
    if left_out := left_out_words(table):
        st.caption(plain(left_out))
    draw(strata_chart(table, names), "strata", "The strata as a table")


def draw(chart: Chart, key: str, title: str, *, unit: str = "%") -> None:
    """A chart, and the same numbers as a table one click away."""
    show_chart(chart, key)
    with st.expander(plain(title)):
        number_table(chart.table, f"table-{key}", unit=unit)
