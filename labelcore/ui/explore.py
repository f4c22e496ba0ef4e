"""The page on which a person moves a cut along the curve; it changes nothing."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.charts.calibration import calibration_chart
from labelcore.charts.cut_picture import CutPicture, window
from labelcore.charts.rank import rank_words
from labelcore.charts.readings import READINGS
from labelcore.designs import DESIGNS
from labelcore.designs.curves import Curve, EstimatesCurve
from labelcore.errors import CancelledError
from labelcore.figures.cuts import ranks_that_matter
from labelcore.plan.plan import Plan
from labelcore.planning.race import labels_for_cut
from labelcore.population import Population
from labelcore.promises import State
from labelcore.results.curves import Band, Cut
from labelcore.results.types import Choice
from labelcore.safe_text import one_line, plain
from labelcore.session.session import Session
from labelcore.stats.spot_check import hoeffding_interval, hoeffding_size
from labelcore.ui import curve_view, sessions, visitor, waiting
from labelcore.ui.asking import begin
from labelcore.ui.chart import show_chart
from labelcore.ui.copying import copy_buttons
from labelcore.ui.curve_view import ranked_by
from labelcore.ui.cutting import (
    FIRST_NEED,
    NEEDS,
    SHALLOW,
    VIEWS,
    Looking,
    barely,
    own_cut_of,
    own_figures,
    required_precision,
    sure_cut,
    view_of,
)
from labelcore.ui.downloads import table_button
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.drawing import BASE
from labelcore.ui.explore_choice import choice_page
from labelcore.ui.figures import keeps_back
from labelcore.ui.lines import fold
from labelcore.ui.new_cards import RANKED, SHIP
from labelcore.ui.new_items import begin_with
from labelcore.ui.new_screens import NAMES, go
from labelcore.ui.params import within
from labelcore.ui.progress import choose_reading, how_far, question, tick, why_no_curve
from labelcore.ui.scripts import Script, component, constants, text_of
from labelcore.ui.setup import link_to
from labelcore.ui.status import decision, existing_line
from labelcore.words import sentences as words
from labelcore.words.calibration import CORRECTED
from labelcore.words.curves import band_terms, cut_facts, found_by, keep_words
from labelcore.words.pilots import about_size

MISS, ALARM = "explore-miss", "explore-alarm"
HEIGHT = 430
FIRST_PACKAGES = (90, 80, 70)
OWN = " (the classifier's own cut)"


def all_readings(session: Session, curve: Curve, cut: Cut) -> None:
    """Any reading that is not drawn above, and its numbers to take away."""
    choice = choose_reading(curve, "explore-reading", VIEWS)
    chart = curve_view.curve_chart(session, curve, choice, cut=cut.rank, own=own_cut_of(session))
    if chart.table.empty:
        st.text(curve_view.nothing_drawn(session, choice, curve, chart))
        return
    show_chart(chart, "explore-curve", height=HEIGHT)
    with st.expander("The curve as a table"):
        st.dataframe(chart.table, hide_index=True, key="explore-table", placeholder="")
        table_button(session, "Take this table", "curve", lambda: chart.table)


def at_each_score(session: Session) -> None:
    """How many items are positive at each score, and the scores corrected by the labels."""
    calibration = session.calibration(curve_view.ranked_by(session))
    st.text(calibration.sentence())
    show_chart(calibration_chart(calibration), "explore-calibration", height=HEIGHT)
    if calibration.labels_used:
        with st.container(horizontal=True, key="corrected", vertical_alignment="center"):
            table_button(
                session,
                "Take corrected scores",
                "corrected",
                lambda: session.corrected_scores(calibration.classifier),
            )
            st.caption(CORRECTED)


def in_full(session: Session, curve: Curve, cut: Cut) -> None:
    """The sentence to quote, every reading there, the ranks that matter, and the promise."""
    with st.container(key="sentence"):
        st.text(cut.sentence())
    left, right = st.columns(2, gap="large")
    with left:
        st.dataframe(cut_table(cut), hide_index=True, key="cut-table")
    with right:
        show_ranks(session)
    with st.container(key="promise"):
        st.caption(plain(session.band("precision", curve).sentence()))
    with st.container(key="about-file"):
        items = f"{session.population.name}, {len(session.population):,} items"
        st.text(f"{items} · {decision(session)}")
        if there := existing_line(session):
            st.text(f"Beside {there}.")


def show_ranks(session: Session) -> None:
    """What is known at the ranks that matter."""
    own_rank = own_cut_of(session)
    rows = []
    for cut in session.cuts(ranks_that_matter(session.population, curve_view.ranked_by(session))):
        row = {"the first": f"{cut.rank:,}" + (OWN if cut.rank == own_rank else "")}
        for name in ("precision", "recall"):
            if name in cut.readings:
                row[READINGS[name].label.lower()] = curve_view.band_figure(cut.readings[name])
        rows.append(row)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="explore-ranks")


def cut_table(cut: Cut) -> pd.DataFrame:
    """The readings of a cut as people read them."""
    rows = []
    for name, band in cut.readings.items():
        low, high = ends(name, band)
        rows.append(
            {
                "reading": READINGS[name].label,
                "estimate": estimate_words(name, band),
                "at least": low,
                "at most": high,
            }
        )
    return pd.DataFrame(rows, columns=["reading", "estimate", "at least", "at most"])


def estimate_words(name: str, band: Band) -> str:
    """The estimate of a band of one point; the midpoint of bounds without confidence is none."""
    if np.isnan(band.value[0]):
        return "unknown"
    if band.has_interval and band.confidence is None:
        return "none by this method"
    value = float(band.told[0])
    if np.isnan(value):
        return "not yet"
    width = float(band.high[0] - band.low[0]) if band.has_interval else 1.0
    return READINGS[name].number(value, width)


def ends(name: str, band: Band) -> tuple[str, str]:
    """Both bounds in words; empty where there are none."""
    if not band.has_interval or band.low[0] != band.low[0]:
        return "", ""
    return READINGS[name].span(float(band.low[0]), float(band.high[0]))


def package_table(session: Session) -> None:
    chosen = st.multiselect(
        "The list down to the end of a package keeps at least this many per cent",
        list(range(99, 0, -1)),
        default=FIRST_PACKAGES,
        key="explore-packages",
        format_func=lambda percent: f"{percent} %",
        placeholder="Choose one or more",
    )
    if not chosen:
        return
    table = session.packages([percent / 100 for percent in chosen])
    if table.empty:
        st.text("The packages come with the first bounds.")
        return
    st.dataframe(readable_packages(table), hide_index=True, key="packages")


def readable_packages(table: pd.DataFrame) -> pd.DataFrame:
    """The packages as people read them."""
    rows = []
    for row in table.to_dict("records"):
        there = row["items"] > 0
        span = READINGS["precision"].range(row["own_low"], row["own_high"]) if there else ""
        rows.append(
            {
                "list keeps": f"{100 * row['precision']:g} %",
                "ranks": f"{int(row['first']):,} to {int(row['last']):,}" if there else "none",
                "items": f"{int(row['items']):,}",
                "down to score": words.score_words(row["score"]) if there else "",
                "positive in the package": span,
            }
        )
    return pd.DataFrame(rows)


def what_mistakes_cost(session: Session) -> None:
    """Where to cut when a miss and a false alarm have their prices."""
    left, right = st.columns(2, gap="large")
    with left:
        miss = st.number_input("A positive item that is missed", value=5.0, step=1.0, key=MISS)
    with right:
        alarm = st.number_input("Another item that is kept", value=1.0, step=1.0, key=ALARM)
    if not (within(miss, 1e-6, 1e9) and within(alarm, 1e-6, 1e9)):
        return
    cut = session.cheapest_cut(miss, alarm)
    st.text("The answer comes with the first bounds." if cut is None else cut.sentence())


def spot_check(cut: Cut, confidence: float) -> None:
    """What a plain random sample of the first items would cost and give."""
    head = words.first_items(cut.rank)
    left, middle, right = st.columns(3)
    with left:
        expected = st.number_input(
            "Expected precision in per cent",
            value=round(100 * _guess(cut), 1),
            step=5.0,
            format="%g",
            key=f"spot-expected-{cut.rank}",
        )
    with middle:
        off = st.number_input(
            "Off by at most this many per cent of it",
            value=5.0,
            step=1.0,
            format="%g",
            key="spot-off",
        )
    with right:
        some = min(200, max(cut.rank // 2, 1))
        labels = st.number_input("... or with this many labels", value=some, key="spot-labels")
    sound = [within(expected, 1, 100), within(off, 0.1, 100), within(labels, 1, 10**9)]
    if not all(sound) or None in (expected, off, labels):
        return
    delta = 1 - confidence
    st.text(size_words(head, cut.rank, expected / 100, off / 100, delta))
    st.text(interval_words(head, cut.rank, expected / 100, int(labels), delta))
    st.caption(
        "Hoeffding's inequality (Sabharwal and Sedghi 2017, equations 2 and 3): it holds for "
        "every list, and costs several times the labels of this project's method."
    )


def size_words(head: str, rank: int, expected: float, off: float, delta: float) -> str:
    """
    >>> size_words("the first 99 items", 99, 0.7, 0.05, 0.05)[-79:]
    'needs 1,506 labels. That is more than there are: judging all 99 makes it exact.'
    """
    size = hoeffding_size(off, expected, delta)
    text = (
        f"To know the precision of {head} within {words.points(off * expected)} of "
        f"{words.percent(expected)} with {words.confidence_words(1 - delta)} confidence, a plain "
        f"random sample of them needs {words.count(size)}."
    )
    more = f" That is more than there are: judging all {rank:,} makes it exact."
    return text + (more if size > rank else "")


def interval_words(head: str, rank: int, expected: float, labels: int, delta: float) -> str:
    """
    >>> interval_words("the first 9,000 items", 9000, 0.7, 2000, 0.05)[-66:]
    '9,000 items, 70.0 % of them positive, would say: 66.9 % to 73.1 %.'
    >>> interval_words("the first 9 items", 9, 0.7, 2000, 0.05)
    'With 2,000 labels all 9 are judged.'
    """
    if labels >= rank:
        return f"With {words.count(labels)} all {rank:,} are judged."
    low, high = words.percent_range(*hoeffding_interval(expected, labels, delta))
    return (
        f"{words.count(labels)} drawn from {head}, {words.percent(expected)} of them positive, "
        f"would say: {low} to {high}."
    )


def _guess(cut: Cut) -> float:
    """The precision known at a cut, else one to begin with."""
    band = cut.readings.get("precision")
    value = float(band.told[0]) if band is not None else float("nan")
    return min(max(value, 0.01), 1.0) if value == value else 0.7


LIST = DESIGNS["geometric_strata"]
TAKE_LIST = "To learn at which score to cut, take the ranked list{about}."
WORKING = "Working out what a ranked list takes"


def by_ranked_list(session: Session, curve: Curve) -> None:
    """The way to a cut where this method has none: a ranked list of the same items."""
    design = session.plan.method
    if isinstance(design, EstimatesCurve) and (design.of_stretches or design.labels_the_head):
        return
    deep = sure_cut(session)
    if curve.state == State.EXACT or (deep is not None and not barely(deep)):
        return
    labels = labels_of_list(session, required_precision())
    about = f": about {words.count(labels)}" if labels else ""
    with st.container(horizontal=True, vertical_alignment="center", key="explore-list"):
        st.text(TAKE_LIST.format(about=about))
        if visitor.runs_all() and st.button("New project: the ranked list", key="to-list"):
            begin_with(session.population.path)
            go(len(NAMES))
            begin(
                ProjectDraft(
                    question=RANKED.title,
                    classifiers=session.plan.classifiers[:1] or None,
                    design=LIST.name,
                    budget=labels,
                )
            )
            st.switch_page("pages/new_project.py")


def labels_of_list(session: Session, precision: float) -> int | None:
    """The labels that the ranked list is likely to need for a cut at this precision."""
    population = session.population
    classifier = next(iter((*session.plan.classifiers, *population.classifiers)))
    asked = classifier, precision, session.plan.confidence
    key = population.fingerprint, *asked
    try:
        return waiting.worked_out(
            LIST.name, key, WORKING, lambda: _labels_of_list(population, *asked)
        )
    except CancelledError:
        return None


def _labels_of_list(
    population: Population, classifier: str, precision: float, sure: float
) -> int | None:
    try:
        plan = Plan(
            LIST.name, ["precision_curve"], classifier=classifier, budget=1000, confidence=sure
        )
        labels = labels_for_cut(population, plan, precision, SHALLOW, step=waiting.went)
        return labels and about_size(labels)
    except ValueError:
        return None


NO_SEARCH, ONE_CUT = "this method cannot say", "its bounds hold for one cut at a time"
KEEP, NOTHING_YET = "keep the first {rank:,}", "nothing is sure yet"
HARDLY_ANY = "hardly any are sure yet"
NONE = "the lower end of the band is below that at every rank"
ONLY = "only the first {items} so far"
BY = "by the score of {name}"
HEADS = ("I need", "keep the first", "score", "right ones")
FIRST, ALL = "first {last:,} of {n_items:,}", "all {n_items:,}"
EVERY_CUT, THIS_CUT = "every cut at once", "this cut alone"
GUESSED = f"{THIS_CUT}, first guess"
NOT_SURE = "Not sure to be {need:g} % right."
ALIKE = "All scores are equal: the order is chance, and no cut of the score is better than another."
KEYS = "Keys: left and right move the cut, up and down what you need; K and N to type."
STYLE = BASE + text_of("explore.css")
SCRIPT = Script(text_of("nodes.js") + constants(STYLE=STYLE) + text_of("explore.js"))


def show_screen(session: Session, curve: Curve, refused: bool) -> Cut:
    """Draw it; the cut that is looked at. ``refused``: no place may be searched for along it."""
    looking = Looking(session)
    cut = session.cut(looking.cut)
    sure = None if refused else sure_cut(session)
    key = f"explore-screen-{session.population.fingerprint[:12]}"

    def asked() -> None:
        looking.take(st.session_state[key]["asked"])

    component("explore", js=SCRIPT.module)(
        key=key,
        data=screen(session, curve, cut, sure, refused),
        on_asked_change=asked,
        height="content",
    )
    return cut


def screen(
    session: Session, curve: Curve, cut: Cut, sure: Cut | None, refused: bool
) -> dict[str, Any]:
    """What is drawn and said, as the script takes it."""
    looking, n_items = Looking(session), len(session.population)
    cut, guess = own_figures(session, cut)
    view, need, own_rank = view_of(curve.names), required_precision(), own_cut_of(session)
    rows = _rows(session) if not refused else []
    deepest = max([rank for rank, _ in rows if rank], default=None)
    last = n_items if looking.whole else window((own_rank, deepest), n_items)
    last = n_items if cut.rank > last else last
    band = session.band(view, curve)
    pick = sure.rank if sure and not barely(sure) else None
    picture = CutPicture(
        band,
        cut.readings.get(view),
        last,
        cut.rank,
        own_rank,
        need if view == "precision" else None,
        pick,
    )
    precision, several = session.band("precision", curve), len(session.population.scores) > 1
    return {
        "picture": picture.node(rank_words(band, cut.rank)),
        "places": picture.places(),
        "views": [[name, READINGS[name].label] for name in VIEWS if name in curve.names],
        "view": view,
        "of": BY.format(name=one_line(ranked_by(session) or "", 20)) * several,
        "range": (ALL if last == n_items else FIRST).format(last=last, n_items=n_items),
        "items": n_items,
        "cut": cut.rank,
        "whole": looking.whole,
        "press": looking.press,
        "need": f"{100 * need:g}",
        "needs": [f"{need:g}" for need in NEEDS],
        "keep": [keep_words(cut), _about(cut, sure, refused, guess)],
        "sure": _sure_words(sure, refused, precision),
        "pick": pick or 0,
        "heads": list(HEADS),
        "rows": [[f"{share:g}", *texts] for share, (_, texts) in zip(NEEDS, rows, strict=False)],
        "fault": looking.fault or (ALIKE if all_alike(session) else ""),
        "terms": [terms for terms in (band_terms(precision), KEYS) if terms],
    }


def all_alike(session: Session) -> bool:
    """Whether one score is all that the list has."""
    first, last = session.engine.rank_of.scores([1, len(session.population)]).tolist()
    return bool(first == last) and len(session.population) > 1


def _about(cut: Cut, sure: Cut | None, refused: bool, guess: bool) -> str:
    """Where the cut lies, and that it is not sure to keep what is needed."""
    facts, band = cut_facts(cut), cut.readings.get("precision")
    if band is not None and band.has_interval and band.confidence is not None:
        alone = GUESSED if guess else THIS_CUT
        facts = f"{EVERY_CUT if band.simultaneous else alone} · {facts}"
    known = found_by(cut) is not None and not refused
    low = 0.0 if band is None else band.low[0]
    if known and low < required_precision() and (sure is None or sure.rank < cut.rank):
        return f"{facts}. {NOT_SURE.format(need=100 * required_precision())}"
    return facts


def _sure_words(sure: Cut | None, refused: bool, band: Band) -> list[str]:
    """How many to keep for what is needed, and what is known of them."""
    if refused:
        return [NO_SEARCH, ONE_CUT]
    if sure is None:
        waits = band.missing if not band.has_interval else NONE
        return [NOTHING_YET, waits]
    if barely(sure):
        return [HARDLY_ANY, ONLY.format(items=words.count(sure.rank, "item"))]
    return [KEEP.format(rank=sure.rank), cut_facts(sure, least=True)]


def _rows(session: Session) -> list[tuple[int, list[str]]]:
    """For each of the needs the deepest cut that surely keeps it: its rank and its texts."""
    rows = []
    for need in NEEDS:
        cut = sure_cut(session, need / 100)
        if cut is None or barely(cut):
            rows.append((0, ["none yet" if cut is None else f"only {cut.rank} yet", "", ""]))
            continue
        hits = found_by(cut)
        least = "" if hits is None else f"{hits[0]:,} or more"
        rows.append((cut.rank, [f"{cut.rank:,}", words.score_words(cut.score), least]))
    return rows


DRAWN = "explore drawn"
NO_CUT = "There is nothing to cut here: {why}."
WAYS_ON = {"progress": "See all figures side by side", "review": "See where it was wrong"}
ONE_BY_ONE = (
    "No classifier is named the best at a required precision: each interval holds for its "
    "classifier alone. A project that asks {ship!r} has bounds for all of them."
)


def explore_page(project: str) -> None:
    session = sessions.session(project)
    sequence = sessions.store().last_sequence(project)
    question(session)
    if keeps_back(session):
        return
    st.session_state[DRAWN] = (project, sequence)
    how_far(session)
    with session.one_look():
        choice, curve = session.results().first(Choice), curve_of(session)
        if choice is not None:
            choice_page(session, choice)
        elif curve is None:
            st.text(NO_CUT.format(why=why_no_curve(session)))
            for page, label in WAYS_ON.items() if session.labels else ():
                if page != "review" or session.population.predictions:
                    link_to(page, label, ":material/arrow_forward:", project=project)
            return
        else:
            along_the_list(session, curve)
    tick(project, DRAWN)


def along_the_list(session: Session, curve: Curve) -> None:
    """The cut and what is sure, and below, each behind a line, what else the curve tells."""
    refused = not_searched(session, curve)
    cut = show_screen(session, curve, refused)
    by_ranked_list(session, curve)
    with st.container(horizontal=True, key="explore-links", vertical_alignment="center"):
        copy_buttons("explore-copy", own_figures(session, cut)[0].sentence())
        if not refused:
            fold("Packages", "fold-packages", lambda: package_table(session))
            fold("Cost of a miss", "fold-costs", lambda: what_mistakes_cost(session))
        fold("Yield, gain, ROC", "fold-readings", lambda: all_readings(session, curve, cut))
        if session.plan.method.has_weights:
            fold("How many at each score", "fold-scores", lambda: at_each_score(session))
        fold("This cut in full", "fold-cut", lambda: in_full(session, curve, cut))
        fold("A plain sample of it", "fold-spot", lambda: spot_check(cut, session.plan.confidence))
    answered = {name for design in DESIGNS.values() for name in design.estimands}
    if len(session.plan.classifiers) > 1 and answered & {*SHIP.estimands}:
        st.caption(ONE_BY_ONE.format(ship=SHIP.title))


def curve_of(session: Session) -> Curve | None:
    """The curve; None where the file has no score or several classes."""
    if len(session.population.classes) > 2:
        return None
    try:
        return session.curve()
    except ValueError:
        return None


def not_searched(session: Session, curve: Curve) -> bool:
    """Whether no place may be searched for along this curve."""
    if curve.yields is not None:
        return False
    try:
        session.deepest_cut(FIRST_NEED / 100)
    except ValueError:
        return True
    return False
