"""What the living picture shows of a session: its bars, its chart, its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from labelcore.charts.candidates import moving_bounds_table, moving_marks
from labelcore.charts.drawing import Ends, Numbers
from labelcore.charts.figure_bars import (
    candidate_bar,
    estimate_bar,
    head_bar,
    list_bars,
    list_scale,
)
from labelcore.charts.history import history_words, track_of, with_race
from labelcore.charts.history_table import Seen, history_rows
from labelcore.charts.live_picture import (
    SHARES,
    Bar,
    Track,
    along_lists,
    along_scores,
    bar_name,
    bars,
    over_labels,
    possible_scale,
    race,
)
from labelcore.charts.nodes import Node, node
from labelcore.charts.race import race_node
from labelcore.charts.rank import rank_words
from labelcore.designs.curves import EstimatesCurve
from labelcore.estimands import SUMMARIES
from labelcore.figures.choices import further_choices
from labelcore.figures.cuts import own_cut
from labelcore.figures.scalars import headline_stage
from labelcore.figures.with_classifier import agreements, labels_in_force, race_of
from labelcore.plan.plan import Plan
from labelcore.planning.outlook import Outlook
from labelcore.population import Population
from labelcore.promises import CandidateState, State
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.race import Race
from labelcore.results.told_values import says_little
from labelcore.results.types import Choice, Estimate
from labelcore.session.session import Session
from labelcore.stats.profile import BoolArray
from labelcore.ui import curve_view
from labelcore.ui.choice_view import choice_of, lists_of
from labelcore.ui.claims_view import claims_of, short_words
from labelcore.ui.compare import marked_figures
from labelcore.ui.forecasts import remembered
from labelcore.ui.safe_text import one_line
from labelcore.ui.status import counts, curve_first, figure_name, main_and_other
from labelcore.ui.trying import reveals
from labelcore.words.choices import choice_short, further_words
from labelcore.words.differences import is_difference, told_words
from labelcore.words.found_so_far import own_name
from labelcore.words.lists import short_lists
from labelcore.words.quantities import model_word
from labelcore.words.race import ONLY_THESE, THESE_FIRST, more_words, verdict_words
from labelcore.words.short_sentences import Shown, early_sentence, short_head, short_sentence
from labelcore.words.unsure import odds_words

OVER_LABELS, ALONG_SCORES = "Over labels", "Along the scores"
CANDIDATES_OVER = "Bounds of each candidate's precision against labels."
NO_BOUNDS = "No bounds for the first items yet"
MOST_BARS = 4
LONGEST_NAME = 60
LONGEST_OF_TWO = 20
AHEAD_POINTS = 8
GUESS = "grey: a first guess"
MORE_POINTS = "precision of {first} less {second}, points"


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """What one look shows.

    views     the charts that can be chosen; empty where there is none
    sentence  what is known, in at most twenty words
    legend    what dots and grey marks are, on one line; None where there is no room for it
    of_all    what the figure of the sentence is of all items, where that leaves the unsure ones
              out; of a choice, what is known at other precisions that labels were asked for
    """

    bars: Node
    chart: Node | None
    views: tuple[str, ...]
    view: str
    sentence: str
    legend: Node | None = None
    of_all: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class _Figures:
    """What the session has for a picture of figures.

    estimates   all that are asked of the row that was marked, or of the sample's classifier
    heads       the band of the first items of a ranked list, by name; each has a bar
    head_words  what is known of the head that the sentence is about; "" where a figure comes first
    barred      the first of the estimates, as many as have a bar beside the heads
    charted     the one of these whose chart is asked for
    dots        of each figure and head, whether labels agree with the classifier
    truths      of the figures, at the end of a trial
    race        of two classifiers, drawn in place of the bar of the first estimate
    """

    estimates: Sequence[Estimate]
    heads: Mapping[str, Band | None]
    head_words: str
    barred: Sequence[Estimate]
    charted: Estimate | None
    dots: Mapping[str, BoolArray]
    truths: Mapping[str, float]
    race: Race | None


@dataclass(frozen=True, eq=False, slots=True)
class _Course:
    """The figure that is charted, label by label: its looks, and how they are drawn."""

    looks: Sequence[Seen]
    track: Track


@dataclass(frozen=True, slots=True)
class _Sentence:
    """What is said, and of which figure or head it has the interval; "" where of none."""

    text: str
    told: str = ""
    of_all: str = ""


def picture(session: Session, wanted: str | None, figure: str | None = None) -> Picture:
    """The picture now, of the row that was marked in the table of figures, else of the classifier
    that the sample was drawn for.

    wanted, figure   the view, and the estimate whose chart, was asked for, if the session has them
    """
    if (choice := choice_of(session)) is not None:
        return _of_choice(session, choice)
    if (lists := lists_of(session)) is not None:
        return _of_lists(lists)
    views = _views(session)
    view = wanted if wanted in views else next(iter(views), "")
    return _of_figures(session, _figures(session, figure), views, view)


def _of_figures(session: Session, figures: _Figures, views: tuple[str, ...], view: str) -> Picture:
    """A bar for each figure and head, one chart, and a sentence about one of them."""
    course = None if figures.charted is None else _course(session, figures, figures.charted)
    sentence = _sentence(session, figures, course)
    pressed = OVER_LABELS in views and (len(figures.barred) > 1 or len(views) > 1)
    charted = figures.charted if view == OVER_LABELS else None
    named = [
        replace(
            _estimate_bar(figures, estimate),
            key=estimate.estimand if pressed else "",
            shown=estimate is charted,
            told=estimate.estimand == sentence.told,
        )
        for estimate in figures.barred
    ]
    raced = named.pop(0) if figures.race is not None else None
    heads = _head_bars(figures, sentence.told)
    shown = [*named, *heads] if _figure_first(session) else [*heads, *named]
    chart, guess = None, any(bar.guessed for bar in shown)
    if view == ALONG_SCORES:
        chart, guess = _along(session)
    elif charted is not None and course is not None:
        chart = over_labels(course.track, _course_words(session, course, charted))
    drawn = bars(shown, _scale(session, figures.estimates))
    if figures.race is not None and raced is not None:
        drawn = _raced(figures.race, figures.estimates[0], raced, drawn if shown else None)
    compared = (estimate for estimate in figures.estimates if estimate.is_difference)
    both = next(map(_both, compared), None)
    model = model_word(session.population.has_judge)
    legend = _legend(figures.dots if shown else {}, both, model, guess=guess)
    return Picture(drawn, chart, views, view, sentence.text, legend, sentence.of_all)


def _figures(session: Session, figure: str | None) -> _Figures:
    """``figure``: whose chart was asked for."""
    estimates = marked_figures(session) or main_and_other(session)[0]
    heads, head_words = _heads(session, len(estimates)) if curve_first(session) else ({}, "")
    barred = estimates[: max(MOST_BARS - len(heads), 0)]
    asked = (estimate for estimate in barred if estimate.estimand == figure)
    dots = _dots(session) if dots_shown(session) else {}
    race = race_of(session.engine) if dots and not claims_of(session) else None
    if race is not None and estimates[0].estimand != session.engine.questions[0].key:
        race = None
    return _Figures(
        estimates=estimates,
        heads=heads,
        head_words="" if _figure_first(session) else head_words,
        barred=barred,
        charted=next(asked, next(iter(barred), None)),
        dots=dots,
        truths={revealed.key: revealed.truth for revealed in reveals(session)},
        race=race,
    )


def _figure_first(session: Session) -> bool:
    """Whether a figure stands above the heads of a ranked list."""
    return session.plan.estimands[0] in SUMMARIES


def _course(session: Session, figures: _Figures, charted: Estimate) -> _Course:
    looks = history_rows(session.course(charted.estimand), charted.estimand)
    track = _track(session, charted, looks, figures.truths.get(charted.estimand))
    if figures.race is not None and charted is figures.estimates[0]:
        track = with_race(track, figures.race, charted)
    return _Course(looks, track)


def _course_words(session: Session, course: _Course, charted: Estimate) -> str:
    key, margin = charted.estimand, session.plan.margin
    return history_words(course.looks, key, margin=margin, label=figure_name(charted))


def _sentence(session: Session, figures: _Figures, course: _Course | None) -> _Sentence:
    """Of the claims, else of the head of a ranked list, else of the figure that is charted."""
    charted, race = figures.charted, figures.race
    if claimed := short_words(claims_of(session)):
        return _Sentence(claimed)
    if figures.head_words:
        return _Sentence(figures.head_words, _told_head(session, figures.heads))
    if charted is None or course is None:
        return _Sentence("")
    of_all = odds_words(charted)
    if race is not None and race.alone and not len(race.won):
        return _Sentence(ONLY_THESE if race.only else THESE_FIRST, of_all=of_all)
    dots = figures.dots.get(charted.estimand)
    if session.going_on and (early := _early(charted, course.track, dots)):
        return _Sentence(early, of_all=of_all)
    told = charted.estimand if _says_interval(charted) else ""
    return _Sentence(short_sentence(charted), told, of_all)


def _estimate_bar(figures: _Figures, estimate: Estimate) -> Bar:
    key = estimate.estimand
    bar = bar_of(estimate, own_name(estimate) or figure_name(estimate))
    return replace(bar, truth=figures.truths.get(key), dots=figures.dots.get(key))


def _head_bars(figures: _Figures, told: str) -> list[Bar]:
    heads = {name: head_bar(band, name) for name, band in figures.heads.items()}
    return [
        replace(bar, told=name == told and bar.low is not None, dots=figures.dots.get(name))
        for name, bar in heads.items()
    ]


def _raced(race: Race, first: Estimate, bar: Bar, others: Node | None) -> Node:
    """Who is right where two classifiers disagree, above the bars of the other figures; ``bar`` is
    the one in whose place it stands."""
    asked = bar_name(bar) if bar.key and others is not None else None
    verdict, value = verdict_words(first), told_words(first)
    drawn = race_node(race, verdict, value, more_words(race, first), asked)
    return node("div", drawn, *([] if others is None else [others]))


def _says_interval(estimate: Estimate) -> bool:
    """Whether the sentence about an estimate has its interval in it."""
    open_ = estimate.is_difference and estimate.says_nothing
    return estimate.has_interval and estimate.state != State.EXACT and not open_


def dots_shown(session: Session) -> bool:
    """Whether dots tell after each answer if the classifier says the same."""
    return session.settings.get("dots") is True


def _dots(session: Session) -> dict[str, BoolArray]:
    """Of each figure and each first part of a ranked list, whether labels agree with the
    classifier."""
    engine = session.engine
    dots = agreements(engine)
    if curve_first(session):
        position, code = labels_in_force(engine)
        positive = code == engine.classes[session.population.positive]
        ranks = engine.rank_of[position]
        heads = curve_view.landmarks(session)
        dots |= {name: positive[ranks <= rank] for name, rank in heads}
    return dots


def _legend(
    dots: Mapping[str, BoolArray], both: tuple[str, str] | None, model: str, *, guess: bool
) -> Node:
    """Its line is always there, so that nothing moves when it says something; ``both`` are the
    classifiers that are compared."""
    full, hollow = f"with the {model}", "against it"
    if both is not None:
        full, hollow = (f"{one_line(name, LONGEST_OF_TWO)} right" for name in both)
    parts: list[Node | str] = []
    if any(len(marks) for marks in dots.values()):
        parts += [node("span", klass="agreed"), full, node("span", klass="against"), hollow]
    if guess:
        parts += [" · " if parts else "", GUESS]
    return node("div", *parts, klass="guess")


def _early(estimate: Estimate, track: Track, dots: BoolArray | None) -> str:
    """What is said while the figure says next to nothing; "" once it does."""
    least = -1.0 if estimate.is_difference else 0.0
    if not says_little(estimate.told, estimate.low, estimate.high, least):
        return ""
    first = track.first_figure()
    more = None if first is None else first - track.now
    if dots is None:
        return early_sentence(None, 0, more)
    against = None if estimate.is_difference else int(np.count_nonzero(~dots))
    return early_sentence(against, len(dots), more, estimate.scope.audit)


def _views(session: Session) -> tuple[str, ...]:
    """The first one is shown until another is chosen."""
    estimates, _ = main_and_other(session)
    over = (OVER_LABELS,) if estimates else ()
    if curve_first(session):
        return (ALONG_SCORES, *over)
    first = next(iter((*session.plan.classifiers, *session.population.classifiers)), None)
    able = isinstance(headline_stage(session.engine).design, EstimatesCurve)
    two = able and len(session.population.classes) == 2
    scored = two and first in session.population.scores and session.engine.frame.asked.all()
    along = scored and not session.plan.superseded and not _compares(estimates)
    return (*over, *((ALONG_SCORES,) if along else ()))


def _scale(session: Session, estimates: Sequence[Estimate]) -> Ends:
    """Shares from 0 to 100 %; differences as far as was possible before the first label."""
    if not _compares(estimates):
        return SHARES
    ends = [estimate.possible for estimate in estimates if estimate.is_difference]
    return possible_scale(min(end.low for end in ends), max(end.high for end in ends))


def _compares(estimates: Sequence[Estimate]) -> bool:
    return any(is_difference(estimate.estimand) for estimate in estimates)


def bar_of(estimate: Shown, name: str) -> Bar:
    """One estimate as a bar."""
    return estimate_bar(estimate, one_line(name, LONGEST_NAME))


def _told_head(session: Session, heads: Mapping[str, Band | None]) -> str:
    """The name of the head whose interval the sentence has."""
    ranks, head = dict(curve_view.landmarks(session)), curve_view.told_head(session)
    return next(name for name in heads if ranks.get(name) == head)


def _heads(session: Session, others: int) -> tuple[dict[str, Band | None], str]:
    """The precision of the first items that matter, as many as have a bar beside ``others``, and
    what is known of the classifier's own cut in one sentence."""
    waiting = curve_view.waiting(session, session.band("precision"))
    heads = curve_view.landmarks(session, MOST_BARS - min(others, 2))
    cuts = [] if waiting else session.cuts([rank for _, rank in heads])
    known = [cut.readings.get("precision") for cut in cuts] or [None] * len(heads)
    bands = {name: band for (name, _), band in zip(heads, known, strict=True)}
    head = curve_view.told_head(session)
    first = next(bands[name] for name, rank in heads if rank == head)
    if waiting or first is None or not first.has_interval:
        reason = waiting or NO_BOUNDS
        return bands, f"{reason[:1].upper()}{reason[1:]}."
    return bands, short_head(first)


def _of_choice(session: Session, choice: Choice) -> Picture:
    """A bar for each of a few candidates with its two bounds, those that are out last, and the
    bounds label by label in the same colours."""
    looks, answered = session.looks(), session.engine.answers_given
    further = further_choices(session.engine)
    rows = choice.bounds.to_dict("records")
    for place, row in enumerate(rows):
        row["series"], row["out"] = place, CandidateState(row["state"]).out
        row["chosen"] = str(row["classifier"]) == choice.chosen
    rows.sort(key=lambda row: (not row["chosen"], row["out"]))
    rows = rows[:MOST_BARS]
    shown = [
        replace(
            candidate_bar(row, one_line(row["classifier"], LONGEST_NAME), choice.chosen),
            series=row["series"],
        )
        for row in rows
    ]
    moved = moving_bounds_table(looks, choice.estimand)
    marks = moving_marks(moved, choice, {str(row["classifier"]) for row in rows})
    words, wanted = one_line(choice_short(choice), 200), choice.precision_threshold
    chart = race(marks, answered, wanted, f"{CANDIDATES_OVER} {words}")
    others = [one_line(further_words(other), 200) for other in further]
    return Picture(bars(shown, wanted=wanted), chart, (), "", words, of_all=" ".join(others))


def _of_lists(lists: ListDifference) -> Picture:
    """The difference at a few ranks as bars, and its band along all of them."""
    sentence = short_lists(lists)
    chart = along_lists(lists, sentence) if lists.has_interval else None
    first, second = (one_line(str(name), LONGEST_OF_TWO) for name in _both(lists))
    legend = node("div", MORE_POINTS.format(first=first, second=second), klass="guess")
    rows = bars(list_bars(lists, named=False), list_scale(lists))
    return Picture(rows, chart, (), "", sentence, legend)


def _track(session: Session, estimate: Estimate, looks: list[Seen], truth: float | None) -> Track:
    """The figure label by label, and what is expected of it."""
    key, margin = estimate.estimand, session.plan.margin
    now = counts(session)
    ahead, suggested = _ahead(session, key) if session.going_on else (None, None)
    return replace(
        track_of(looks, key, one_line(figure_name(estimate), LONGEST_NAME), margin),
        planned=max(now.total, now.answered),
        scale=_scale(session, [estimate]),
        ahead=ahead,
        suggested=suggested,
        earliest=None if estimate.told is not None else float(estimate.scope.first_figure or 0),
        possible=estimate.possible.high - estimate.possible.low,
        truth=truth,
        sides=_sides(estimate),
    )


def _sides(estimate: Estimate) -> tuple[str, str] | None:
    """Of a difference: who is better above zero, and who below it."""
    if not is_difference(estimate.estimand):
        return None
    above, below = (f"{one_line(name, 30)} is better" for name in _both(estimate))
    return above, below


def _both(difference: Estimate | ListDifference) -> tuple[str, str]:
    """The two classifiers, the first one the better above zero."""
    return difference.scope.classifier or "", difference.scope.versus or ""


def _along(session: Session) -> tuple[Node, bool]:
    """The curve, with its words, and whether it has a grey line."""
    band = session.band("precision", session.curve())
    first = next(iter((*session.plan.classifiers, *session.population.classifiers)))
    cut = own_cut(session.population, first)
    guess = not band.has_interval and bool(np.isfinite(band.told).any())
    drawn = along_scores(band, len(session.population), cut, rank_words(band, cut))
    return drawn, guess


Ahead = tuple[tuple[Numbers, Numbers] | None, float | None]


def _ahead(session: Session, key: str) -> Ahead:
    """What the plan expects of the half-width up to its end, and of the figure; nothing once its
    pilot has found the scores weaker than they looked."""
    population, engine = session.population, session.engine
    if engine.planned > engine.setup.planned:
        return None, None
    widths, suggested = expected_widths(population, session.plan)
    known = [(size, width[key]) for size, width in widths if np.isfinite(width.get(key, np.nan))]
    if not known:
        return None, None
    labels, half = np.array(known, dtype=float).T
    return (labels, half), suggested.get(key)


@remembered(40)
def expected_widths(
    population: Population, plan: Plan
) -> tuple[list[tuple[int, dict[str, float]]], dict[str, float]]:
    """(labels, {result: half-width}) at a few sizes up to the planned one, and what the scores
    suggest that each result is; nothing where a method has no forecast."""
    try:
        outlook = Outlook(population, plan)
        planned = min(plan.planned or plan.budget or outlook.most, outlook.most)
        least = max(outlook.design.least(outlook.frame), 10)
        sizes = sorted(
            {round(size) for size in np.geomspace(min(least, planned), planned, AHEAD_POINTS)}
        )
        asked = [question for question in outlook.questions if question.versus is None]
        suggested = {question.key: outlook.expected_share(question) for question in asked}
        return [(size, dict(outlook.half_widths(size, planned))) for size in sizes], suggested
    except ValueError:
        return [], {}
