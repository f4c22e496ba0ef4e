"""What the living picture shows of a session, read from it at once."""

import numpy as np

from labelcore.charts import look_picture
from labelcore.designs.curves import EstimatesCurve
from labelcore.figures.cuts import own_cut
from labelcore.figures.heads import heads_of
from labelcore.plan.plan import Plan
from labelcore.planning.outlook import Outlook
from labelcore.population import Population
from labelcore.results.lists import ListDifference
from labelcore.results.look import Beside, HeadBands, Look
from labelcore.results.types import Choice, Claim, Estimate, Results
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import curve_view
from labelcore.ui.compare import marked_figures
from labelcore.ui.forecasts import remembered
from labelcore.ui.status import counts, figure_name, main_and_other
from labelcore.ui.trying import reveals
from labelcore.words.choices import further_words
from labelcore.words.quantities import model_word

AHEAD_POINTS = 8


def picture(
    session: Session, beside: Beside, wanted: str | None, figure: str | None = None
) -> look_picture.Picture:
    """The picture now, of the row that was marked in the table of figures, else of the classifier
    that the sample was drawn for.

    wanted, figure   the view, and the estimate whose chart, was asked for, if the session has them
    """
    heads = look = None
    with session.synced():
        results, looks = session.results(), session.looks()
        choice, lists = results.first(Choice), results.first(ListDifference)
        further = [further_words(other) for other in session.figures.further_choices()]
        if session.plan.along_ranks:
            heads = heads_of(session.figures, session.settings.get("ranks"))
        if choice is None and lists is None:
            look = _look(session, results, heads, wanted, figure)
    if choice is not None:
        return look_picture.choice_picture(choice, looks, session.engine.answers_given, further)
    if lists is not None:
        return look_picture.lists_picture(lists)
    assert look is not None
    return look_picture.figures_picture(look, beside)


def _look(
    session: Session,
    results: Results,
    heads: HeadBands | None,
    wanted: str | None,
    figure: str | None,
) -> Look:
    """``wanted``, ``figure``: the view, and whose chart, was asked for."""
    has_curve = _has_curve(session)
    marked, (own, _) = marked_figures(results, session.project), main_and_other(results)
    estimates, claims = marked or own, results.of(Claim)
    names = {
        one.estimand: one_line(figure_name(one), look_picture.LONGEST_NAME) for one in estimates
    }
    views: tuple[str, ...] = (look_picture.OVER_LABELS,) if own else ()
    if heads is not None:
        views = (look_picture.ALONG_SCORES, *views)
    elif has_curve and not any(one.is_difference for one in own):
        views = (*views, look_picture.ALONG_SCORES)
    view = wanted if wanted in views else next(iter(views), "")
    if heads is not None:
        heads = heads.longest(look_picture.MOST_BARS - min(len(estimates), 2))
    ranks = {} if heads is None else heads.ranks
    barred = estimates[: max(look_picture.MOST_BARS - len(ranks), 0)]
    asked = (estimate for estimate in barred if estimate.estimand == figure)
    charted = next(asked, next(iter(barred), None))
    course = [] if charted is None else session.course(charted.estimand)
    along = session.band("precision") if view == look_picture.ALONG_SCORES else None
    cut = None if along is None else own_cut(session.population, curve_view.ranked_by(session))
    dots = session.figures.agreements(ranks) if dots_shown(session) else {}
    race = session.figures.race() if dots and not claims else None
    if race is not None and estimates[0].estimand != session.engine.questions[0].key:
        race = None
    return Look(
        estimates=estimates,
        claims=claims,
        heads=heads,
        names=names,
        barred=barred,
        charted=charted,
        course=course,
        along=along,
        cut=cut,
        views=views,
        view=view,
        dots=dots,
        race=race,
        margin=None if session.engine.pilot_until else session.plan.margin,
        going_on=session.going_on,
        model=model_word(session.population.has_judge),
    )


def dots_shown(session: Session) -> bool:
    """Whether dots tell after each answer if the classifier says the same."""
    return session.settings.get("dots") is True


def _has_curve(session: Session) -> bool:
    """Whether the method tells precision along the scores beside the figures that are asked."""
    first = next(iter((*session.plan.classifiers, *session.population.classifiers)), None)
    able = isinstance(session.figures.stage().design, EstimatesCurve)
    two = able and len(session.population.classes) == 2
    scored = two and first in session.population.scores and session.engine.frame.asked.all()
    return bool(scored) and not session.plan.superseded


def beside(session: Session) -> Beside:
    """What is expected of figures while items are judged, beside labels that were there before:
    nothing more once the plan's pilot has found the scores weaker than they looked."""
    now, engine, population = counts(session), session.engine, session.population
    planned = max(now.total, now.answered) + engine.given
    truths = {revealed.key: revealed.truth for revealed in reveals(session)}
    weaker = engine.planned > engine.setup.planned
    if weaker or not session.going_on or not session.results().of(Estimate):
        return Beside(planned, (), {}, truths)
    widths, likely = expected_widths(population, session.plan)
    return Beside(planned, [(size + engine.given, half) for size, half in widths], likely, truths)


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
