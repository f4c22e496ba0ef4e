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
from labelcore.figures.cuts import own_cut
from labelcore.plan.plan import Plan
from labelcore.planning.outlook import Outlook
from labelcore.population import Population
from labelcore.promises import CandidateState, State
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.race import Race
from labelcore.results.told_values import Told
from labelcore.results.types import Choice, Claim, Estimate, Results
from labelcore.session.session import Session
from labelcore.stats.profile import BoolArray
from labelcore.ui import curve_view
from labelcore.ui.claims_view import short_words
from labelcore.ui.compare import marked_figures
from labelcore.ui.curve_view import heads_of
from labelcore.ui.forecasts import remembered
from labelcore.ui.status import counts, figure_name, main_and_other
from labelcore.ui.trying import reveals
from labelcore.words.choices import choice_short, further_words
from labelcore.words.differences import told_words
from labelcore.words.found_so_far import own_name
from labelcore.words.lists import short_lists
from labelcore.words.quantities import model_word
from labelcore.words.race import ONLY_THESE, THESE_FIRST, more_words, verdict_words
from labelcore.words.safe_text import one_line
from labelcore.words.short_sentences import early_sentence, short_head, short_sentence
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
class Beside:
    """What is known of the figures beside their labels.

    planned  how many items are judged in all, as far as is foreseen
    widths   half-widths that the plan expects, with the labels they take: (labels, {figure: ...})
    likely   what the scores suggest that a figure is
    truths   of the figures, at the end of a trial
    """

    planned: int
    widths: Sequence[tuple[int, Mapping[str, float]]]
    likely: Mapping[str, float]
    truths: Mapping[str, float]

    def ahead(self, key: str) -> tuple[Numbers, Numbers] | None:
        """Labels, and the half-widths of a figure that are expected there; None without any."""
        found = [(size, widths[key]) for size, widths in self.widths if key in widths]
        known = [(size, width) for size, width in found if np.isfinite(width)]
        if not known:
            return None
        labels, half = np.array(known, dtype=float).T
        return labels, half


@dataclass(frozen=True, eq=False, slots=True)
class _Heads:
    """What is known of the first items of a ranked list.

    bands    the precision of each head that has a bar, by name
    told     the name of the head that the sentence is about
    waiting  what is missing before its bounds; "" where they are there
    first    whether the heads stand above the figures
    """

    bands: Mapping[str, Band | None]
    told: str
    waiting: str
    first: bool


@dataclass(frozen=True, eq=False, slots=True)
class _Look:
    """All that a picture of figures is made of, read from the session at once.

    estimates   all that are asked of the row that was marked, or of the sample's classifier
    claims      what the plan claims
    heads       of a ranked list; None of others
    names       what the figures are called, by key
    barred      the first of the estimates, as many as have a bar beside the heads
    charted     the one of these whose chart is asked for
    rows        this one label by label
    along, cut  precision along the scores, where its chart is asked for, and the own cut
    views       the charts that can be chosen
    view        the one that is
    dots        of each figure and head, whether labels agree with the classifier
    race        of two classifiers, drawn in place of the bar of the first estimate
    margin      the plan's goal
    going_on    whether items are still judged
    model       what that is called whose answers are held against those of people
    """

    estimates: Sequence[Estimate]
    claims: Sequence[Claim]
    heads: _Heads | None
    names: Mapping[str, str]
    barred: Sequence[Estimate]
    charted: Estimate | None
    rows: Sequence[Seen]
    along: Band | None
    cut: int | None
    views: tuple[str, ...]
    view: str
    dots: Mapping[str, BoolArray]
    race: Race | None
    margin: float | None
    going_on: bool
    model: str


@dataclass(frozen=True, slots=True)
class _Sentence:
    """What is said, and of which figure or head it has the interval; "" where of none."""

    text: str
    told: str = ""
    of_all: str = ""


def picture(
    session: Session, beside: Beside, wanted: str | None, figure: str | None = None
) -> Picture:
    """The picture now, of the row that was marked in the table of figures, else of the classifier
    that the sample was drawn for.

    wanted, figure   the view, and the estimate whose chart, was asked for, if the session has them
    """
    results = session.results()
    if (choice := results.first(Choice)) is not None:
        return _of_choice(session, choice)
    if (lists := results.first(ListDifference)) is not None:
        return _of_lists(lists)
    look = _look(session, results, wanted, figure)
    return _of_figures(look, beside)


def _look(session: Session, results: Results, wanted: str | None, figure: str | None) -> _Look:
    """``wanted``, ``figure``: the view, and whose chart, was asked for."""
    marked, (own, _) = marked_figures(results, session.project), main_and_other(results)
    estimates, claims = marked or own, results.of(Claim)
    names = {estimate.estimand: figure_name(estimate) for estimate in estimates}
    views = _views(session, own)
    view = wanted if wanted in views else next(iter(views), "")
    heads, ranks = _heads(session, len(estimates)) if session.plan.along_ranks else (None, {})
    barred = estimates[: max(MOST_BARS - len(ranks), 0)]
    asked = (estimate for estimate in barred if estimate.estimand == figure)
    charted = next(asked, next(iter(barred), None))
    key = "" if charted is None else charted.estimand
    course = session.course(key) if key else []
    along = session.band("precision") if view == ALONG_SCORES else None
    rows = history_rows(course, key)
    cut = None if along is None else own_cut(session.population, curve_view.ranked_by(session))
    dots = session.figures.agreements(ranks) if dots_shown(session) else {}
    race = session.figures.race() if dots and not claims else None
    if race is not None and estimates[0].estimand != session.engine.questions[0].key:
        race = None
    return _Look(
        estimates=estimates,
        claims=claims,
        heads=heads,
        names=names,
        barred=barred,
        charted=charted,
        rows=rows,
        along=along,
        cut=cut,
        views=views,
        view=view,
        dots=dots,
        race=race,
        margin=session.plan.margin,
        going_on=session.going_on,
        model=model_word(session.population.has_judge),
    )


def _of_figures(look: _Look, beside: Beside) -> Picture:
    """A bar for each figure and head, one chart, and a sentence about one of them."""
    charted = look.charted
    track = None if charted is None else _track(look, beside, charted)
    sentence = _sentence(look, track)
    named = _estimate_bars(look, beside, sentence.told)
    raced = named.pop(0) if look.race is not None else None
    heads = [] if look.heads is None else _head_bars(look, look.heads, sentence.told)
    shown = [*heads, *named] if look.heads is not None and look.heads.first else [*named, *heads]
    scale = _scale(look.estimates)
    if look.race is not None and raced is not None:
        contest = _contest(look, look.race, raced, shown)
        drawn = node("div", contest, *([bars(shown, scale)] if shown else []))
    else:
        drawn = bars(shown, scale)
    chart = None
    if look.along is not None:
        items, words = look.along.scope.n_items, rank_words(look.along, look.cut)
        chart = along_scores(look.along, items, look.cut, words)
    elif charted is not None and track is not None and look.view == OVER_LABELS:
        key = charted.estimand
        words = history_words(look.rows, key, margin=look.margin, label=look.names[key])
        chart = over_labels(track, words)
    legend = _legend_of(look, shown)
    return Picture(drawn, chart, look.views, look.view, sentence.text, legend, sentence.of_all)


def _track(look: _Look, beside: Beside, estimate: Estimate) -> Track:
    """The figure label by label, and what is expected of it."""
    key, ahead = estimate.estimand, beside.ahead(estimate.estimand)
    name, sides = one_line(look.names[key], LONGEST_NAME), _sides(estimate)
    scale = _scale([estimate])
    track = replace(
        track_of(look.rows, key, name, look.margin),
        planned=beside.planned,
        scale=scale,
        ahead=ahead,
        suggested=beside.likely.get(key),
        earliest=None if estimate.told is not None else float(estimate.scope.first_figure or 0),
        possible=estimate.possible.high - estimate.possible.low,
        truth=beside.truths.get(key),
        sides=sides,
    )
    if look.race is None or estimate is not look.estimates[0]:
        return track
    return with_race(track, look.race, estimate)


def _sentence(look: _Look, track: Track | None) -> _Sentence:
    """Of the claims, else of the head of a ranked list, else of the figure that is charted."""
    if claimed := short_words(look.claims):
        return _Sentence(claimed)
    if look.heads is not None and look.heads.first:
        return _Sentence(_head_words(look.heads), look.heads.told)
    charted, race = look.charted, look.race
    if charted is None or track is None:
        return _Sentence("")
    of_all = odds_words(charted)
    if race is not None and race.alone and not len(race.won):
        return _Sentence(ONLY_THESE if race.only else THESE_FIRST, of_all=of_all)
    if look.going_on and charted.says_little:
        dots, against = look.dots.get(charted.estimand), None
        if dots is not None and not charted.is_difference:
            against = int(np.count_nonzero(~dots))
        more, answers = track.until_first_figure, 0 if dots is None else len(dots)
        early = early_sentence(against, answers, more, charted.scope.audit)
        return _Sentence(early, of_all=of_all)
    open_ = charted.is_difference and charted.says_nothing
    says_interval = charted.has_interval and charted.state != State.EXACT and not open_
    told = charted.estimand if says_interval else ""
    return _Sentence(short_sentence(charted), told, of_all)


def _head_words(heads: _Heads) -> str:
    first = heads.bands[heads.told]
    if heads.waiting or first is None or not first.has_interval:
        reason = heads.waiting or NO_BOUNDS
        return f"{reason[:1].upper()}{reason[1:]}."
    return short_head(first)


def _estimate_bars(look: _Look, beside: Beside, told: str) -> list[Bar]:
    pressed = OVER_LABELS in look.views and (len(look.barred) > 1 or len(look.views) > 1)
    charted = look.charted if look.view == OVER_LABELS else None
    return [
        replace(
            bar_of(estimate, own_name(estimate) or look.names[estimate.estimand]),
            key=estimate.estimand if pressed else "",
            shown=estimate is charted,
            told=estimate.estimand == told,
            truth=beside.truths.get(estimate.estimand),
            dots=look.dots.get(estimate.estimand),
        )
        for estimate in look.barred
    ]


def _head_bars(look: _Look, heads: _Heads, told: str) -> list[Bar]:
    drawn = {name: head_bar(band, name) for name, band in heads.bands.items()}
    return [
        replace(bar, told=name == told and bar.low is not None, dots=look.dots.get(name))
        for name, bar in drawn.items()
    ]


def _contest(look: _Look, race: Race, bar: Bar, others: Sequence[Bar]) -> Node:
    """Who is right where two classifiers disagree; ``bar`` is the one in whose place it stands,
    above the ``others``."""
    asked = bar_name(bar) if bar.key and others else None
    first = look.estimates[0]
    verdict, value, more = verdict_words(first), told_words(first), more_words(race, first)
    return race_node(race, verdict, value, more, asked)


def dots_shown(session: Session) -> bool:
    """Whether dots tell after each answer if the classifier says the same."""
    return session.settings.get("dots") is True


def _legend_of(look: _Look, shown: Sequence[Bar]) -> Node:
    """The line below the bars and the chart: always there, so that nothing moves when it says
    something."""
    guess = any(bar.guessed for bar in shown)
    if look.along is not None:
        guess = not look.along.has_interval and bool(np.isfinite(look.along.told).any())
    full, hollow = f"with the {look.model}", "against it"
    compared = (estimate for estimate in look.estimates if estimate.is_difference)
    if (both := next(map(_both, compared), None)) is not None:
        full, hollow = (f"{one_line(name, LONGEST_OF_TWO)} right" for name in both)
    parts: list[Node | str] = []
    if shown and any(len(marks) for marks in look.dots.values()):
        parts += [node("span", klass="agreed"), full, node("span", klass="against"), hollow]
    if guess:
        parts += [" · " if parts else "", GUESS]
    return node("div", *parts, klass="guess")


def _views(session: Session, estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """The first one is shown until another is chosen."""
    over = (OVER_LABELS,) if estimates else ()
    if session.plan.along_ranks:
        return (ALONG_SCORES, *over)
    first = next(iter((*session.plan.classifiers, *session.population.classifiers)), None)
    able = isinstance(session.figures.stage().design, EstimatesCurve)
    two = able and len(session.population.classes) == 2
    scored = two and first in session.population.scores and session.engine.frame.asked.all()
    compares = any(estimate.is_difference for estimate in estimates)
    along = scored and not session.plan.superseded and not compares
    return (*over, *((ALONG_SCORES,) if along else ()))


def _scale(estimates: Sequence[Estimate]) -> Ends:
    """Shares from 0 to 100 %; differences as far as was possible before the first label."""
    ends = [estimate.possible for estimate in estimates if estimate.is_difference]
    if not ends:
        return SHARES
    return possible_scale(min(end.low for end in ends), max(end.high for end in ends))


def bar_of(estimate: Told, name: str) -> Bar:
    """One estimate as a bar."""
    line = one_line(name, LONGEST_NAME)
    return estimate_bar(estimate, line)


def _heads(session: Session, others: int) -> tuple[_Heads, Mapping[str, int]]:
    """The precision of the first items that matter, as many as have a bar beside ``others``, and
    the rank of each."""
    band = session.band("precision")
    waiting, heads = curve_view.waiting(session, band), heads_of(session, band)
    ranks = heads.at_most(MOST_BARS - min(others, 2))
    cuts = [] if waiting else session.cuts([*ranks.values()])
    known = [cut.readings.get("precision") for cut in cuts] or [None] * len(ranks)
    bands = dict(zip(ranks, known, strict=True))
    first = session.plan.estimands[0] not in SUMMARIES
    return _Heads(bands, heads.name(heads.told), waiting, first), ranks


def _of_choice(session: Session, choice: Choice) -> Picture:
    """A bar for each of a few candidates with its two bounds, those that are out last, and the
    bounds label by label in the same colours."""
    looks, answered = session.looks(), session.engine.answers_given
    words = one_line(choice_short(choice), 200)
    further = [one_line(further_words(other), 200) for other in session.figures.further_choices()]
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
    wanted = choice.precision_threshold
    chart = race(marks, answered, wanted, f"{CANDIDATES_OVER} {words}")
    return Picture(bars(shown, wanted=wanted), chart, (), "", words, of_all=" ".join(further))


def _of_lists(lists: ListDifference) -> Picture:
    """The difference at a few ranks as bars, and its band along all of them."""
    sentence = short_lists(lists)
    chart = along_lists(lists, sentence) if lists.has_interval else None
    first, second = (one_line(str(name), LONGEST_OF_TWO) for name in _both(lists))
    legend = node("div", MORE_POINTS.format(first=first, second=second), klass="guess")
    rows = bars(list_bars(lists, named=False), list_scale(lists))
    return Picture(rows, chart, (), "", sentence, legend)


def _sides(estimate: Estimate) -> tuple[str, str] | None:
    """Of a difference: who is better above zero, and who below it."""
    if not estimate.is_difference:
        return None
    above, below = (f"{one_line(name, 30)} is better" for name in _both(estimate))
    return above, below


def _both(difference: Estimate | ListDifference) -> tuple[str, str]:
    """The two classifiers, the first one the better above zero."""
    return difference.scope.classifier or "", difference.scope.versus or ""


def beside(session: Session) -> Beside:
    """What is expected of figures while items are judged: nothing more once the plan's pilot has
    found the scores weaker than they looked."""
    now, engine, population = counts(session), session.engine, session.population
    planned = max(now.total, now.answered)
    truths = {revealed.key: revealed.truth for revealed in reveals(session)}
    weaker = engine.planned > engine.setup.planned
    if weaker or not session.going_on or not session.results().of(Estimate):
        return Beside(planned, (), {}, truths)
    widths, likely = expected_widths(population, session.plan)
    return Beside(planned, widths, likely, truths)


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
