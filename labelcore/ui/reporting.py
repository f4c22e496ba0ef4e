"""The report page: the answer in one sentence, the figures, everything to take away."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.charts.look_picture import ALONG_SCORES, OVER_LABELS, Picture
from labelcore.charts.readings import READINGS
from labelcore.figures.confusion import cell_bounds, labelled_cells
from labelcore.figures.readiness import promised_until
from labelcore.figures.sampled import drawn_evenly
from labelcore.figures.scalars import headline_stage
from labelcore.report.along_ranks import along_ranks, headline
from labelcore.report.figure_table import BY, apart_from, numbers_frame, promise_note, tables_of
from labelcore.report.markup import tied
from labelcore.report.sections import estimate_frame, training_words
from labelcore.results.base import Finding
from labelcore.results.cells import Table
from labelcore.results.curves import Cut
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.safe_text import plain
from labelcore.session.session import Session
from labelcore.ui import sessions, visitor
from labelcore.ui.confusion import predicted, readable
from labelcore.ui.copying import copy_buttons
from labelcore.ui.downloads import downloads, file_name, page_of
from labelcore.ui.figures import keeps_back
from labelcore.ui.label_errors import error_panel
from labelcore.ui.lines import fold, quiet
from labelcore.ui.picture import show_picture
from labelcore.ui.presses import show_unrecorded
from labelcore.ui.session_picture import beside, picture
from labelcore.ui.setup import way_to_explore, way_to_label
from labelcore.ui.status import decision, figure_name, first_figure_line, promise_line
from labelcore.ui.systems import systems_panel
from labelcore.ui.tables import reading_table
from labelcore.ui.whole_pages import links_of
from labelcore.ui.without_item import show_reveals
from labelcore.words import sentences as words
from labelcore.words.choices import candidate_rows
from labelcore.words.counts import answers_words, each_cell
from labelcore.words.label_error import read_again_words
from labelcore.words.meaning import meaning
from labelcore.words.pilots import pilot_words, size_words
from labelcore.words.quantities import is_settled, model_word, names_another
from labelcore.words.sentences import count
from labelcore.words.stops import planned_words

INTERIM = "Interim: this project is not finished."
GO_ON = "Continue or finish it on the page Label."
TRAINED = {
    "no": "It is stated that the {model} was not trained on these items.",
    "yes": "Some of these items were used for training: the figures may flatter the {model}.",
    "unknown": "Whether these items were used for training is not known.",
}

MOST_NAMED = 3
TRAINED_BEFORE = "The interval assumes that the labels from before were not used for it."


def report_page(project: str) -> None:
    session = sessions.session(project)
    session.check_log()
    if keeps_back(session):
        return
    found = session.results()
    results, estimates = list(found.values()), found.of(Estimate)
    wanted = ALONG_SCORES if session.plan.along_ranks else OVER_LABELS
    now = picture(session, beside(session), wanted)
    st.caption(about(session))
    st.title(plain(tied(now.sentence), 200), anchor=False)
    show_unrecorded(session)
    if not session.status.over:
        more = f" {GO_ON}" if visitor.allowed(Right.RUN) else ""
        st.caption(f":material/hourglass_top: {INTERIM}{more}")
        way_to_label(session)
    shown, lines = replace(now, views=()), said_of(now, results, bool(session.plan.by))
    show_picture("report-picture", shown, large=True, said=lines, leads=False)
    sentence = headline(session)
    copy_buttons("report-copy", sentence, page_of(project))
    if session.status.over:
        show_reveals(session)
    downloads(session)
    systems_panel(session)
    st.header("Estimates" if estimates else "To quote", anchor=False)
    with st.container(key="sentence"):
        st.code(sentence, language=None, wrap_lines=True)
    if estimates:
        tables = tables_of(session)
        for place, table in enumerate(tables):
            numbers = partial(show_numbers, table, f"figures-{place}")
            if place:  # By groups that the plan does not ask about.
                fold(BY.format(column=table.by), f"fold-figures-{place}", numbers)
            else:
                numbers()
        first = [one for one in estimates if not is_settled(one.estimand)]
        if apart := apart_from(tables, first):
            reading_table(
                estimate_frame(apart).drop(columns=["Confidence", "Promise"]), "estimates"
            )
        quiet("how", "\n".join(how_made(estimates)))
    others(results[1:])
    confusion(session)
    if (choice := found.first(Choice)) is not None:
        st.header("The candidates", anchor=False)
        reading_table(candidate_rows(choice), "candidates")
        quiet(
            "choice", f"Method: {choice.method}, {words.valid_words(choice.promise, choice.scope)}."
        )
    ranks(session)
    st.header("How far the labels can be trusted", anchor=False)
    error_panel(session)
    facts(session, results)
    recompute(project, session)
    links_of(session)


def show_numbers(table: Table, key: str) -> None:
    """The figures of some rows in numbers, and what is promised of them."""
    reading_table(numbers_frame(table), key)
    st.caption(plain(promise_note(table)))


def about(session: Session) -> str:
    """What was asked, and of which items, on one line."""
    asked = plain(str(session.settings.get("question") or session.project), 120)
    population = session.population
    return f"{asked} · {plain(population.name, 60)}, {count(len(population), 'item')}"


def confusion(session: Session) -> None:
    """The table of each classifier, once there is a figure; none for a choice."""
    if session.results().of(Choice) or first_figure_line(session) is not None:
        return
    engine = headline_stage(session.engine)
    for place, name in enumerate(predicted(session)):
        st.header(f"Confusion table of {plain(name, 60)}", anchor=False)
        table = readable(
            session.confusion(name), cell_bounds(engine, name), labelled_cells(engine, name)
        )
        reading_table(table.reset_index(), f"confusion-{place}")
        quiet(
            f"confusion-{place}", each_cell(table.to_numpy().ravel(), drawn_evenly(session.engine))
        )


def said_of(now: Picture, results: Sequence[Finding], grouped: bool) -> list[str]:
    """How sure it is, what it is about, and what it does not say."""
    claims = [result for result in results if isinstance(result, Claim)]
    return [*filter(None, [now.of_all]), *meaning([*claims, *results][0], grouped=grouped)]


def others(results: Sequence[Finding]) -> None:
    """The sentences of the results after the first, and once what several of them warn of."""
    rare = []
    for result in results:
        if not isinstance(result, Claim) and (names_another(result.estimand) or result.scope.by):
            continue
        if isinstance(result, Estimate) and words.warns_of_tail(result):
            rare.append(figure_name(result))
            result = replace(result, tail_share=None)
        st.text(result.sentence())
    if rare:
        st.text(words.TAIL_WARNING_OF.format(names=", ".join(rare)))


def how_made(estimates: list[Estimate]) -> list[str]:
    """A line for each way in which the intervals were made: the method, and when they are valid."""
    ways: dict[str, list[str]] = {}
    for estimate in estimates:
        valid = estimate.promise, estimate.scope
        promise = f", {words.valid_words(*valid)}" if estimate.has_interval else ""
        ways.setdefault(f"{estimate.method}{promise}", []).append(figure_name(estimate))
    if len(ways) == 1:
        return [f"Method: {way}." for way in ways]
    return [f"Method for {some_of(names)}: {way}." for way, names in ways.items()]


def some_of(names: Sequence[str]) -> str:
    """Names in a row; of many the first ones, and how many more.

    >>> some_of(["Recall", "F1"]), some_of("abcde")
    ('Recall, F1', 'a, b, c and 2 more')
    """
    if len(names) <= MOST_NAMED + 1:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED:,} more"


def ranks(session: Session) -> None:
    """What is known of the head of a ranked list, where the plan asks for that."""
    along = along_ranks(session)
    if along is None or not along.landmarks:
        return
    st.header("Along the scores", anchor=False)
    st.text(along.bands[0].sentence())
    reading_table(landmark_table(along.landmarks), "landmarks")
    for precision, deepest in along.deepest:
        if deepest is not None:
            st.text(f"Keeping at least {100 * precision:g} %: {deepest.sentence()}")
            break
    way_to_explore(session)


def landmark_table(landmarks: Sequence[Cut]) -> pd.DataFrame:
    """A row for each landmark, a column for each reading, bounds as text."""
    rows = []
    for landmark in landmarks:
        row = {"First": f"{landmark.rank:,}", "Down to score": words.score_words(landmark.score)}
        for name, band in landmark.readings.items():
            bounds = float(band.low[0]), float(band.high[0])
            row[READINGS[name].label] = READINGS[name].range(*bounds)
        rows.append(row)
    return pd.DataFrame(rows)


def facts(session: Session, results: Sequence[Finding]) -> None:
    st.header("What it rests on", anchor=False)
    population, plan = session.population, session.plan
    kinds, model = session.engine.kinds, model_word(population.has_judge)
    st.text(
        f"Question: {session.settings.get('question', '')}\n"
        f"File: {population.name}, {len(population):,} items\n"
        f"{'Choice' if session.results().of(Choice) else model.capitalize()}: {decision(session)}\n"
        f"Size: {pilot_words(session.engine, size_words) or planned_line(session)}\n"
        f"Plan: {plan.method.label}, seed {plan.seed}, "
        f"{', '.join(filter(None, [promise_line(session), read_again_words(plan)]))}\n"
        f"Answers: {answers_words(kinds)}, {kinds['later']:,} for later, "
        f"{session.engine.repeats.answered:,} judged a second time"
    )
    st.header("Assumptions", anchor=False)
    assumptions = list(dict.fromkeys(a for result in results for a in result.assumptions))
    if population.classifiers:
        training = training_words(session.settings)
        trained = TRAINED.get(training, TRAINED["unknown"]).format(model=model)
        before = f" {TRAINED_BEFORE}" if session.engine.existing.use == "random" else ""
        assumptions.append(trained + before)
    st.text("\n".join(f"•  {line}" for line in assumptions))


def planned_line(session: Session) -> str:
    """What is planned, and up to how many labels groups may get more under the same promise."""
    until = promised_until(session.engine) if session.plan.by else 0
    more = f"; groups may get more, up to {until:,}" if until > session.engine.planned else ""
    return f"{planned_words(session.plan)} planned{more}."


def recompute(project: str, session: Session) -> None:
    st.header("Recompute it", anchor=False)
    st.text(
        "The replay bundle and your file are enough. This draws again, checks every draw against "
        "the log and recomputes every look:"
    )
    name = file_name(project, "bundle.zip")
    st.code(
        f"python -m labelcore replay {name} --file {shlex.quote(session.population.file_name)}",
        language=None,
        wrap_lines=True,
    )
